/*
 * disturbance.c - counters, gaps and the canary
 */
#include "bench/disturbance.h"

#include <string.h>

#include <millrace/clock.h>
#include <millrace/plat.h>

#define CANARY_TURNS 128
#define CANARY_TIMES 3
#define LOOKS_A_US   200 /* more than any core; where time stands still */

static const enum series_void void_of[MACHINE_EVENT_COUNT] = {
    [MACHINE_SMI] = VOID_SMI,
    [MACHINE_THROTTLE] = VOID_THROTTLE,
    [MACHINE_CHECK] = VOID_CHECK,
    [MACHINE_PREEMPTED] = VOID_PREEMPTED,
};

struct disturbance_gaps disturbance_look(uint64_t us)
{
    const uint64_t length = clock_us_to_cycles(us);
    const uint64_t limit = clock_us_to_cycles(DISTURBANCE_GAP_US);
    struct disturbance_gaps gaps = { 0 };
    const uint64_t start = plat_cycles();
    uint64_t before = start;

    for (uint64_t i = 0; i < us * LOOKS_A_US && before - start < length; i++) {
        const uint64_t now = plat_cycles();
        const uint64_t gap = now - before;

        gaps.count += gap > limit;
        gaps.longest = gap > gaps.longest ? gap : gaps.longest;
        before = now;
    }
    return gaps;
}

/* Independent additions: as many at once as the core has units for. */
static uint64_t canary_once(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0;
    const uint64_t start = series_now();

    for (unsigned i = 0; i < CANARY_TURNS; i++)
        __asm__ volatile("add $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\t"
                         "add $1, %3\n\tadd $1, %0\n\tadd $1, %1\n\t"
                         "add $1, %2\n\tadd $1, %3"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    return series_now() - start;
}

static uint64_t canary(void)
{
    uint64_t best = canary_once();

    for (unsigned i = 1; i < CANARY_TIMES; i++) {
        const uint64_t now = canary_once();

        best = now < best ? now : best;
    }
    return best;
}

/* True when the core is shared. */
static bool canary_is_slow(struct disturbance *d)
{
    const uint64_t now = d->has_canary ? canary() : 0;

    if (now < d->canary_best)
        d->canary_best = now;
    return (double)now > (double)d->canary_best * DISTURBANCE_CANARY;
}

void disturbance_open(struct disturbance *d)
{
    struct machine_facts facts;

    memset(d, 0, sizeof(*d));
    plat_machine_get(&facts);
    d->has_canary = !facts.is_emulated;
    d->canary_best = d->has_canary ? canary() : 0;
}

void disturbance_before(struct disturbance *d)
{
    d->fault = VOID_NONE;
    if (disturbance_look(DISTURBANCE_LOOK_US).count != 0)
        d->fault = VOID_GAP;
    if (canary_is_slow(d))
        d->fault = VOID_NEIGHBOUR;
    for (unsigned i = 0; i < MACHINE_EVENT_COUNT; i++)
        d->has[i] = plat_event_count((enum machine_event)i, &d->event[i]);
    d->has_core_cycles = plat_core_cycles(&d->core_cycles);
}

void disturbance_after(struct disturbance *d, uint64_t cycles)
{
    uint64_t now;

    d->frequency = 0;
    if (d->has_core_cycles && plat_core_cycles(&now) && cycles > 0)
        d->frequency = (double)(now - d->core_cycles) / (double)cycles;
    for (unsigned i = 0; i < MACHINE_EVENT_COUNT; i++)
        if (d->has[i] && plat_event_count((enum machine_event)i, &now) &&
            now != d->event[i])
            d->fault = void_of[i];
    if (d->fault == VOID_NONE && canary_is_slow(d))
        d->fault = VOID_NEIGHBOUR;
}
