/*
 * measure.c - windows of fixed work, timed in pairs
 *
 *   M1  before and after each window the canary, adds that depend on nothing,
 *       says whether the core was all ours: a neighbour on its other half shows
 *       in neither load nor stolen time, yet makes code 1.3 to 1.7 times slower
 *   M2  both windows of a pair count, or none
 *   M3  which side comes first is a matter of chance, pair by pair
 */
#include "tests/bench/dpdk/measure.h"

#include <stdint.h>

#include <x86intrin.h>

enum {
    PAIRS = 15,
    PAIRS_TRIED = 60,
    WARM_UPS = 3,
    CANARY_TURNS = 300,
    CANARY_SAMPLES = 2000,
    CANARY_WAITS = 5000,
};
#define CANARY_SLACK 1.06

static double canary_best;

static uint64_t now(void)
{
    uint64_t cycles;

    _mm_lfence();
    cycles = __rdtsc();
    _mm_lfence();
    return cycles;
}

/* Six chains of adds: what the core can do, some 0.6 us of it. */
static double canary(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    const uint64_t from = now();

    for (unsigned i = 0; i < CANARY_TURNS; i++)
        __asm__ volatile(".rept 4\n\t"
                         "add $1, %0\n\tadd $1, %1\n\tadd $1, %2\n\t"
                         "add $1, %3\n\tadd $1, %4\n\tadd $1, %5\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e),
                           "+r"(f));
    return (double)(now() - from);
}

void measure_start(void)
{
    canary_best = canary();
    for (unsigned i = 0; i < CANARY_SAMPLES; i++) {
        const double took = canary();

        if (took < canary_best)
            canary_best = took;
    }
}

static bool is_quiet(void)
{
    return canary() <= canary_best * CANARY_SLACK;
}

/* Neighbours come and go: some 3 ms for one to go. */
static bool becomes_quiet(void)
{
    for (unsigned i = 0; i < CANARY_WAITS; i++)
        if (is_quiet())
            return true;
    return false;
}

/* TSC cycles an object; 0 when disturbed. */
static double window(const struct row *row, const struct side *side, void *self)
{
    uint64_t from, to;

    if (!becomes_quiet())
        return 0;
    from = now();
    side->work(self);
    to = now();
    return is_quiet() ? (double)(to - from) / row->objects : 0;
}

/* M2, M3. False when one was disturbed. */
static bool pair(const struct row *row, void *const self[2], bool peer_first,
                 double *ours, double *peer)
{
    if (peer_first)
        *peer = window(row, &row->peer, self[1]);
    *ours = window(row, &row->ours, self[0]);
    if (!peer_first)
        *peer = window(row, &row->peer, self[1]);
    return *ours > 0 && *peer > 0;
}

bool measure_round(const struct row *row, struct stats_random *random,
                   struct round *round)
{
    void *const self[2] = { row->ours.open(random), row->peer.open(random) };
    double ours[PAIRS], peer[PAIRS];

    for (unsigned i = 0; i < WARM_UPS; i++) {
        row->ours.work(self[0]);
        row->peer.work(self[1]);
    }
    *round = (struct round) { .kept = 0 };
    for (unsigned i = 0; i < PAIRS_TRIED && round->kept < PAIRS; i++) {
        if (pair(row, self, stats_random_below(random, 2) != 0,
                 &ours[round->kept], &peer[round->kept]))
            round->kept++;
        else
            round->dropped++;
    }
    row->peer.close(self[1]);
    row->ours.close(self[0]);
    if (round->kept < PAIRS)
        return false;
    round->ours = stats_median(ours, PAIRS);
    round->peer = stats_median(peer, PAIRS);
    return true;
}
