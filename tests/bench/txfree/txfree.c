/*
 * txfree.c - what giving one sent buffer back costs, ours against DPDK's
 *
 * Both sides are timed in turns, in windows of 16 times 512 buffers; a window counts
 * when the canary says that nobody disturbed it. For each bucket size ours as
 * the product does it (one put) stands against the better of DPDK's two bulk
 * ways, and each of our schemes against the same scheme of DPDK's.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "bench/line.h"
#include "bench/stats.h"
#include "tests/bench/path/quiet.h"
#include "tests/bench/txfree/sides.h"

enum {
    FILLS = 16,
    PAIRS = 21,
    PAIRS_TRIED = 200,
    WARM_UPS = 5,
    ROUNDS = 12,
    ROUNDS_MIN = 3
};

static const char *const scheme_text[] = { "single", "chunks", "all" };

/* The counter ticks in steps, so many short stretches make a window. */
static double window(const struct txfree_side *side, enum txfree_scheme scheme)
{
    const bool is_quiet = quiet_comes();
    double cycles = 0;

    for (unsigned i = 0; i < FILLS; i++) {
        uint64_t from;

        side->fill();
        from = quiet_now();
        side->reclaim(scheme);
        cycles += (double)(quiet_now() - from) - quiet_clock_cost;
    }
    return is_quiet && quiet_is() ? cycles / FILLS / TXFREE_FLIGHT : 0;
}

/* Medians of pairs of windows; false when the machine was too busy. */
static bool round_of(unsigned rs, enum txfree_scheme ours_by,
                     enum txfree_scheme peer_by, double *ours, double *peer)
{
    double a[PAIRS], b[PAIRS];
    unsigned n = 0;

    txfree_ours.open(rs);
    txfree_peer.open(rs);
    for (unsigned i = 0; i < WARM_UPS; i++) {
        (void)window(&txfree_ours, ours_by);
        (void)window(&txfree_peer, peer_by);
    }
    for (unsigned i = 0; i < PAIRS_TRIED && n < PAIRS; i++) {
        a[n] = window(&txfree_ours, ours_by);
        b[n] = window(&txfree_peer, peer_by);
        n += a[n] > 0 && b[n] > 0;
    }
    txfree_ours.close();
    txfree_peer.close();
    if (n < PAIRS)
        return false;
    *ours = stats_median(a, n);
    *peer = stats_median(b, n);
    return true;
}

/* How many rounds there are. */
static unsigned series(unsigned rs, enum txfree_scheme ours_by,
                       enum txfree_scheme peer_by, double ours[], double peer[])
{
    unsigned n = 0;

    for (unsigned i = 0; i < 2 * ROUNDS && n < ROUNDS; i++)
        n += round_of(rs, ours_by, peer_by, &ours[n], &peer[n]);
    return n;
}

static void say(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

static void line(const char *name, const double ours[], const double peer[],
                 unsigned n)
{
    struct stats_comparison c;
    struct line_figure figure;

    if (n < ROUNDS_MIN) {
        printf("txfree: %s: the machine is too busy\n", name);
        return;
    }
    stats_compare(ours, peer, n, 1, &c);
    figure = line_figure_of(name, "cycles", &c, LINE_MEDIANS);
    line_write(say, &figure);
    fflush(stdout);
}

static void rows_of(unsigned rs)
{
    double ours[TXFREE_SCHEMES][ROUNDS], peer[TXFREE_SCHEMES][ROUNDS];
    unsigned n[TXFREE_SCHEMES];
    char name[64];
    enum txfree_scheme best = TXFREE_CHUNKS;

    for (unsigned s = 0; s < TXFREE_SCHEMES; s++) {
        n[s] = series(rs, s, s, ours[s], peer[s]);
        snprintf(name, sizeof(name), "txfree-%s-rs%u", scheme_text[s], rs);
        line(name, ours[s], peer[s], n[s]);
    }
    if (n[TXFREE_ALL] > 0 && n[TXFREE_CHUNKS] > 0 &&
        stats_median(peer[TXFREE_ALL], n[TXFREE_ALL]) <
            stats_median(peer[TXFREE_CHUNKS], n[TXFREE_CHUNKS]))
        best = TXFREE_ALL;
    snprintf(name, sizeof(name), "txfree-product-rs%u", rs);
    n[0] = series(rs, TXFREE_ALL, best, ours[0], peer[0]);
    line(name, ours[0], peer[0], n[0]);
}

int main(void)
{
    static const unsigned rs[] = { 32, 256, 512 };
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(0, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
    txfree_ours_start();
    txfree_peer_start(0);
    quiet_learn();
    for (unsigned i = 0; i < sizeof(rs) / sizeof(rs[0]); i++)
        rows_of(rs[i]);
    return 0;
}
