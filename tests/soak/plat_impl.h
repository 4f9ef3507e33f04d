/*
 * plat_impl.h - the inline half of plat.h for a soak: registers are memory, and
 * bus addresses differ from pointers
 */
#pragma once

#include <stdint.h>

#include <x86intrin.h>

#include <millrace/compiler.h>

#define SOAK_BUS (UINT64_C(1) << 56)

extern _Thread_local unsigned soak_lcore;

#define PLAT_ACCESS(bits)                                                      \
    static inline uint##bits##_t plat_read##bits(const volatile void *reg)     \
    {                                                                          \
        return *(const volatile uint##bits##_t *)reg;                          \
    }                                                                          \
    static inline void plat_write##bits(volatile void *reg, uint##bits##_t v)  \
    {                                                                          \
        *(volatile uint##bits##_t *)reg = v;                                   \
    }

PLAT_ACCESS(8)
PLAT_ACCESS(16)
PLAT_ACCESS(32)
PLAT_ACCESS(64)

#undef PLAT_ACCESS

static inline void plat_dma_wmb(void)
{
    compiler_barrier();
}

static inline void plat_dma_rmb(void)
{
    compiler_barrier();
}

static inline uint64_t plat_bus_addr(const void *p)
{
    return (uint64_t)(uintptr_t)p + SOAK_BUS;
}

static inline uint64_t plat_cycles(void)
{
    return __rdtsc();
}

static inline void plat_pause(void)
{
    _mm_pause();
}

static inline unsigned plat_lcore_id(void)
{
    return soak_lcore;
}
