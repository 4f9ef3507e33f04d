/*
 * quiet.c - a clock, and whether the core was all ours
 */
#define _GNU_SOURCE
#include "tests/bench/path/quiet.h"

#include <sched.h>

#define ADD_TURNS 300
#define SAMPLES   2000
#define SLACK     1.06
#define WAITS     5000

double quiet_clock_cost;
static double best;

/* Chains of adds: what the core can do, some 0.6 us of it. */
static double canary(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    const uint64_t from = quiet_now();

    for (unsigned i = 0; i < ADD_TURNS; i++)
        __asm__ volatile(".rept 4\n\t"
                         "add $1, %0\n\tadd $1, %1\n\t"
                         "add $1, %2\n\tadd $1, %3\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    return (double)(quiet_now() - from);
}

/* None of this machine's others on our core, where we may ask for that. */
static void stay_alone(void)
{
    const struct sched_param first = { .sched_priority = 1 };

    (void)!sched_setscheduler(0, SCHED_FIFO, &first);
}

void quiet_learn(void)
{
    stay_alone();
    best = canary();
    quiet_clock_cost = 1e9;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const double took = canary();
        const uint64_t from = quiet_now();
        const double empty = (double)(quiet_now() - from);

        best = took < best ? took : best;
        quiet_clock_cost = empty < quiet_clock_cost ? empty : quiet_clock_cost;
    }
}

bool quiet_is(void)
{
    return canary() <= best * SLACK;
}

bool quiet_comes(void)
{
    for (unsigned i = 0; i < WAITS; i++)
        if (quiet_is())
            return true;
    return false;
}
