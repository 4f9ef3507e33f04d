/*
 * quiet.h - a clock, and whether the core was all ours
 *
 * A neighbour on the other half of a core shows in neither load nor stolen
 * time, yet makes code 1.3 to 1.7 times slower. Adds that depend on nothing
 * tell: they are timed before and after what is measured.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <x86intrin.h>

/* TSC cycles of an empty reading: two quiet_now() and nothing between. */
extern double quiet_clock_cost;

static inline uint64_t quiet_now(void)
{
    uint64_t cycles;

    _mm_lfence();
    cycles = __rdtsc();
    _mm_lfence();
    return cycles;
}

/* First, on the core that measures; from now on it is ours, if that is allowed. */
void quiet_learn(void);

/* Are the adds as quick as ever? */
bool quiet_is(void);

/* The same, or they are within some 3 ms: neighbours come and go. */
bool quiet_comes(void);
