/*
 * walk.h - gets and puts of 1..64 in random order, the same for both sides
 */
#pragma once

#include <stdint.h>

#include "bench/stats.h"

#define WALK_HELD      2048  /* never more in the caller's hands */
#define WALK_OBJECTS   65536 /* got, and put, in one walk */
#define WALK_BURST     64
#define WALK_STEPS_MAX (4 * WALK_OBJECTS / WALK_BURST * 2)

struct walk {
    unsigned steps;
    int8_t step[WALK_STEPS_MAX]; /* n = get n, -n = put n */
};

void walk_make(struct stats_random *random);
const struct walk *walk_get(void);
