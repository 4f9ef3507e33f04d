/*
 * measure.h - windows of fixed work, timed in pairs, disturbed ones dropped
 */
#pragma once

#include <stdbool.h>

#include "bench/stats.h"
#include "tests/bench/dpdk/side.h"

/* What undisturbed windows took, TSC cycles an object; and how many were. */
struct round {
    double ours, peer; /* medians */
    unsigned kept, dropped;
};

/* Learn what the canary takes while nobody disturbs. */
void measure_start(void);

/*
 * Open both sides at new addresses, time them in turns, close them. False when
 * the machine was too busy to say anything.
 */
bool measure_round(const struct row *row, struct stats_random *random,
                   struct round *round);
