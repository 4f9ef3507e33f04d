/*
 * plat_impl.h - the inline half of plat.h for measurements: nothing is checked,
 * counted or faked, so that what is measured is our code
 */
#pragma once

#include <stdint.h>

#include <x86intrin.h>

#include <millrace/compiler.h>

extern _Thread_local unsigned bench_lcore;

static inline uint64_t plat_bus_addr(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static inline uint64_t plat_cycles(void)
{
    return __rdtsc();
}

static inline void plat_pause(void)
{
    _mm_pause();
}

static inline void plat_dma_wmb(void)
{
    compiler_barrier();
}

static inline void plat_dma_rmb(void)
{
    compiler_barrier();
}

/* As on metal, in %fs for %gs: not volatile, one load may serve many. */
static inline unsigned plat_lcore_id(void)
{
    uint32_t lcore;

    __asm__("movl %%fs:bench_lcore@tpoff, %0" : "=r"(lcore));
    return lcore;
}
