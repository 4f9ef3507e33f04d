/*
 * side.h - one way to do a row's work, ours or DPDK's
 */
#pragma once

#include <stdint.h>

#include "bench/stats.h"

struct side {
    /* Everything new, at addresses that @random moves about. */
    void *(*open)(struct stats_random *random);
    /* One window of the row's objects. The first ones warm up. */
    void (*work)(void *self);
    /* Aborts unless every object is where it was after open. */
    void (*close)(void *self);
};

struct row {
    const char *name;
    unsigned objects; /* in a window */
    unsigned cores;
    struct side ours, peer;
};

/* By a row's name; ours_start and peer_start come first, once, on the core that works. */
struct side ours_side(const char *row);
struct side peer_side(const char *row);
void ours_start(void);
void peer_start(unsigned core);
const char *peer_build(void); /* one word */

/* What a side cannot go on without. */
noreturn void give_up(const char *row, const char *what);

/* ---- the other core: pair.c ---- */

/* It waits, wide awake, from start to stop. */
void pair_start(unsigned core);
void pair_stop(void);

/* Let it do @push(@ring) from now on; returns when it has begun. */
typedef void pair_push(void *ring);
void pair_begin(pair_push *push, void *ring);
/* Wait until it is done. */
void pair_end(void);
/* TSC cycles that a line takes to the other core and back. */
double pair_distance(void);
