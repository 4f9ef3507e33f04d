/*
 * plat_impl.h - the inline half of plat.h on bare metal
 *
 * All memory that devices reach is identity-mapped, so a pointer from mm/ is
 * its own bus address. That does not hold for the kernel image's own data:
 * never hand a device a pointer to a static object.
 *
 * Each register access is one mov of the stated width: devices are sensitive
 * to width, and a virtual machine's emulator decodes few other forms.
 */
#pragma once

#include <stdint.h>

#include "kernel/plat/percore.h"

#define PLAT_ACCESS(bits, suffix, reg_class)                                   \
    static inline uint##bits##_t plat_read##bits(const volatile void *reg)     \
    {                                                                          \
        uint##bits##_t v;                                                      \
                                                                               \
        __asm__ volatile("mov" suffix " %1, %0"                                \
                         : "=" reg_class(v)                                    \
                         : "m"(*(const volatile uint##bits##_t *)reg)          \
                         : "memory");                                          \
        return v;                                                              \
    }                                                                          \
    static inline void plat_write##bits(volatile void *reg, uint##bits##_t v)  \
    {                                                                          \
        __asm__ volatile("mov" suffix " %1, %0"                                \
                         : "=m"(*(volatile uint##bits##_t *)reg)               \
                         : reg_class(v)                                        \
                         : "memory");                                          \
    }

PLAT_ACCESS(8, "b", "q")
PLAT_ACCESS(16, "w", "r")
PLAT_ACCESS(32, "l", "r")
PLAT_ACCESS(64, "q", "r")

#undef PLAT_ACCESS

/*
 * DMA memory is write-back and registers are uncached: x86 keeps stores in
 * order, and loads in order, so only the compiler needs to be told.
 */
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
    return (uint64_t)(uintptr_t)p;
}

static inline uint64_t plat_cycles(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static inline void plat_pause(void)
{
    __asm__ volatile("pause" ::: "memory");
}

/* Not volatile: a core's number never changes, so one load may serve many. */
static inline unsigned plat_lcore_id(void)
{
    uint32_t lcore;

    __asm__("movl %%gs:%c1, %0" : "=r"(lcore) : "i"(PERCORE_LCORE));
    return lcore;
}
