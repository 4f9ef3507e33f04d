/*
 * pace.h - how many frames are due by now
 */
#pragma once

#include <stdint.h>

struct pace {
    uint64_t pps; /* 0: as fast as they are taken */
    uint64_t since_ns;
    uint64_t sent; /* since then */
};

/* A pace begins anew: nothing is owed for the time before. */
static inline void pace_restart(struct pace *p, uint64_t now_ns)
{
    p->since_ns = now_ns;
    p->sent = 0;
}

static inline uint64_t pace_due(struct pace *p, uint64_t now_ns, uint64_t most)
{
    const uint64_t second = 1000000000;
    uint64_t due;

    if (p->pps == 0)
        return most;
    if (now_ns - p->since_ns >= 2 * second) { /* held up for long: no debt */
        pace_restart(p, now_ns);
    } else if (now_ns - p->since_ns >= second && p->sent >= p->pps) {
        p->since_ns += second;
        p->sent -= p->pps;
    }
    due = (now_ns - p->since_ns) * p->pps / second;
    due = due > p->sent ? due - p->sent : 0;
    return due < most ? due : most;
}
