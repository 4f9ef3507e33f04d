/*
 * disturbance.h - was somebody else at work while a window was measured?
 *
 * Counters of the machine, where it has them; its core cycles by time stamps; a
 * look for gaps in time; and a canary, a known piece of work that takes longer
 * when a neighbour uses the other thread of our core: load and steal time do not
 * show that.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/machine.h>

#include "bench/series.h"

#define DISTURBANCE_FREQUENCY 0.005 /* may move within a block */
#define DISTURBANCE_GAP_US    10
#define DISTURBANCE_LOOK_US   20 /* for gaps, before each window */
#define DISTURBANCE_CANARY    1.15

struct disturbance {
    bool has_canary;
    uint64_t canary_best; /* cycles */
    bool has[MACHINE_EVENT_COUNT];
    uint64_t event[MACHINE_EVENT_COUNT];
    bool has_core_cycles;
    uint64_t core_cycles;

    /* of the last window */
    enum series_void fault;
    double frequency; /* core cycles by time stamps; 0 = not told */
};

void disturbance_open(struct disturbance *d);
void disturbance_before(struct disturbance *d);

/* @cycles have passed since disturbance_before(), by the time-stamp counter. */
void disturbance_after(struct disturbance *d, uint64_t cycles);

/* Look for @us at the clock: gaps above DISTURBANCE_GAP_US, and the longest. */
struct disturbance_gaps {
    unsigned count;
    uint64_t longest; /* cycles between two looks */
};
struct disturbance_gaps disturbance_look(uint64_t us);
