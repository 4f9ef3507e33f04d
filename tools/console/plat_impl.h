/*
 * plat_impl.h - the inline half of plat.h for host tools: a machine in which
 * there is nothing
 *
 * Registers read as all ones, as those of a device that is not there.
 */
#pragma once

#include <stdint.h>

static inline uint8_t plat_read8(const volatile void *reg)
{
    (void)reg;
    return UINT8_MAX;
}

static inline uint16_t plat_read16(const volatile void *reg)
{
    (void)reg;
    return UINT16_MAX;
}

static inline uint32_t plat_read32(const volatile void *reg)
{
    (void)reg;
    return UINT32_MAX;
}

static inline uint64_t plat_read64(const volatile void *reg)
{
    (void)reg;
    return UINT64_MAX;
}

static inline void plat_write8(volatile void *reg, uint8_t v)
{
    (void)reg;
    (void)v;
}

static inline void plat_write16(volatile void *reg, uint16_t v)
{
    (void)reg;
    (void)v;
}

static inline void plat_write32(volatile void *reg, uint32_t v)
{
    (void)reg;
    (void)v;
}

static inline void plat_write64(volatile void *reg, uint64_t v)
{
    (void)reg;
    (void)v;
}

static inline void plat_dma_wmb(void)
{
}

static inline void plat_dma_rmb(void)
{
}

static inline uint64_t plat_bus_addr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static inline uint64_t plat_cycles(void)
{
    return 0;
}

static inline void plat_pause(void)
{
}

static inline unsigned plat_lcore_id(void)
{
    return 0;
}
