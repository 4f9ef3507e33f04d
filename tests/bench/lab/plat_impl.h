/*
 * plat_impl.h - for experiments: that of all measurements, and registers that
 * are memory
 */
#pragma once

#include "tests/bench/plat/plat_impl.h"

static inline void plat_write32(volatile void *reg, uint32_t v)
{
    *(volatile uint32_t *)reg = v;
}
