/*
 * plat_impl.h - the bench's machine, with registers that are plain memory
 */
#pragma once

#include "tests/bench/plat/plat_impl.h"

static inline void plat_write32(volatile void *reg, uint32_t v)
{
    *(volatile uint32_t *)reg = v;
}
