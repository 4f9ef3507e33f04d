/*
 * walk.c - a random walk between nothing and WALK_HELD in hand
 */
#include "tests/bench/dpdk/walk.h"

#include <stdbool.h>

#include "tests/bench/dpdk/side.h"

static struct walk walk;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static void add(int step)
{
    if (walk.steps == WALK_STEPS_MAX)
        give_up("walk", "it takes too many steps");
    walk.step[walk.steps++] = (int8_t)step;
}

void walk_make(struct stats_random *random)
{
    unsigned held = 0, got = 0;

    walk.steps = 0;
    while (got < WALK_OBJECTS || held > 0) {
        const unsigned n = 1 + stats_random_below(random, WALK_BURST);
        const unsigned room = least(WALK_HELD - held, WALK_OBJECTS - got);
        const bool get = stats_random_below(random, 2) != 0;
        const unsigned taken = least(n, get ? room : held);

        if (taken == 0)
            continue; /* at an end: the other direction comes soon */
        add(get ? (int)taken : -(int)taken);
        held = get ? held + taken : held - taken;
        got += get ? taken : 0;
    }
}

const struct walk *walk_get(void)
{
    return &walk;
}
