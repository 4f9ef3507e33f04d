/*
 * mempool_history_test.c - the policies of other years, call by call
 *
 * Rows MP-*: sequences on which three generations of DPDK's per-core cache
 * (before a2833ecc5e, since it, since 459531c958) were run, and what they
 * returned and left. Pools of n objects numbered from 0, a first-in first-out
 * store that holds them in that order, one core with a cache of size c.
 */
#include "tests/unit/mempool_script.h"

static void run_row(unsigned n, unsigned c, const char *p0, const char *p1,
                    const char *p2)
{
    script_run(policy_pool_of(MEMPOOL_P0, n, c), p0);
    script_run(policy_pool_of(MEMPOOL_P1, n, c), p1);
    script_run(policy_pool_of(MEMPOOL_P2, n, c), p2);
}

#define ROW(behaviour, n, c, p0, p1, p2)                                       \
    TEST(mempool_history, behaviour)                                           \
    {                                                                          \
        run_row(n, c, p0, p1, p2);                                             \
    }

/* A line each for P0, P1 and P2. */
/* clang-format off */
/* ---- gets ---- */

ROW(MP_01_first_get_of_one, 64, 8,
    "g1 [8] 8/55",
    "g1 [8] 8/55",
    "g1 [3] 3/60")

ROW(MP_02_gets_drain_the_cache_first, 64, 8,
    "g1 g3 [7 6 5] 5/55 g4 [4 3 2 1] 1/55 g1 [0] 0/55",
    "g1 g3 [7 6 5] 5/55 g4 [4 3 2 1] 1/55 g1 [0] 0/55",
    "g1 g3 [2 1 0] 0/60 g4 [7 6 5 4] 0/56 g1 [11] 3/52")

ROW(MP_03_burst_equal_to_the_cache, 64, 8,
    "g8 [0..7] 0/56 g8 [8..15] 0/48",
    "g8 [15..8] 8/48 g8 [7..0] 0/48",
    "g8 [0..7] 0/56 g8 [8..15] 0/48")

ROW(MP_04_burst_equal_to_the_cache_misses_in_p0_only, 64, 8,
    "g16 p8 p8 8/56 g8 [16..23] 8/48",
    "g16 p8 p8 8/56 g8 [16..23] 0/56",
    "g16 p8 p8 8/56 g8 [15..8] 0/56")

ROW(MP_05_get_larger_than_an_empty_cache, 64, 8,
    "g12 [0..11] 0/52",
    "g12 [19..8] 8/44",
    "g12 [0..11] 0/52")

ROW(MP_06_large_get_and_a_cache_with_some, 64, 8,
    "g1 g20 [9..28] 8/35",
    "g1 g20 [7..0 28..17] 8/35",
    "g1 g20 [2 1 0 4..20] 0/43")

ROW(MP_07_cache_serves_when_the_store_is_dry, 10, 4,
    "g10 p4 g3 [9 8 7] 1/0",
    "g10 p4 g3 [9 8 7] 1/0",
    "g10 p4 g3 [9 8 7] 1/0")

ROW(MP_08_cache_and_store_hold_exactly_enough, 10, 4,
    "g1 g9! 4/5", /* the fault of P0 */
    "g1 g9 [3 2 1 0 5 6 7 8 9] 0/0",
    "g1 g9 [0 2 3 4 5 6 7 8 9] 0/0")

ROW(MP_09_shortage_leaves_all_as_it_was, 10, 4,
    "g1 g10! 4/5 g1 [3] 3/5",
    "g1 g10! 4/5 g1 [3] 3/5",
    "g1 g10! 1/8 g1 [0] 0/8")

ROW(MP_10_down_to_the_last, 10, 4,
    "g5 g1 g1 g1 g1 g1 g1!",
    "g5 [8..4] 4/1 g1 [3] 3/1 g1 [2] 2/1 g1 [1] 1/1 g1 [0] 0/1 g1 [9] 0/0 g1!",
    "g5 [0..4] 0/5 g1 [6] 1/3 g1 [5] 0/3 g1 [8] 1/1 g1 [7] 0/1 g1 [9] 0/0 g1!")

/* ---- puts ---- */

ROW(MP_11_when_a_put_flushes, 64, 8,
    "g40 p8 8/24 p1 9/24 p3 8/28 p1 9/28 p1 10/28",
    "g40 8/16 p8 8/24 p1 9/24 p3 12/24 p1 1/36 p1 2/36",
    "g40 p8 8/24 p1 5/28 p3 8/28 p1 5/32 p1 6/32")

ROW(MP_12_puts_of_half_the_cache, 64, 8,
    "g60 p4 4/4 p4 8/4 p4 8/8 p4 8/12 p4 8/16",
    "g60 p4 4/4 p4 8/4 p4 12/4 p4 4/16 p4 8/16",
    "g60 p4 4/4 p4 8/4 p4 8/8 p4 8/12 p4 8/16")

ROW(MP_13_puts_of_more_than_half, 64, 8,
    "g60 p6 6/4 p6 8/8 p6 8/14",
    "g60 p6 6/4 p6 12/4 p6 6/16",
    "g60 p6 6/4 p6 6/10 p6 6/16")

ROW(MP_14_put_larger_than_any_cache, 64, 8,
    "g60 p13 8/9",
    "g60 p13 0/17",
    "g60 p13 0/17")

ROW(MP_15_put_that_just_fits, 64, 8,
    "g60 p12 8/8 p1 9/8",
    "g60 p12 12/4 p1 1/16",
    "g60 p12 0/16 p1 1/16")

ROW(MP_16_cache_of_one, 16, 1,
    "g1 0/15 g1 0/14 p1 1/14 p1 1/15 g1 1/14 g2 1/12",
    "g1 1/14 g1 0/14 p1 1/14 p1 1/15 g1 0/15 g2 1/12",
    "g1 0/15 g1 0/14 p1 1/14 p1 1/15 g1 0/15 g2 0/13")

ROW(MP_17_odd_cache, 64, 5,
    "g30 0/34 p5 5/34 p1 6/34 p1 5/36 p1 6/36 p2 5/39",
    "g30 5/29 p5 5/34 p1 6/34 p1 7/34 p1 1/41 p2 3/41",
    "g30 0/34 p5 5/34 p1 4/36 p1 5/36 p1 4/38 p2 4/40")

/* ---- both ---- */

ROW(MP_19_a_burst_and_the_buffers_it_just_freed, 64, 8,
    "g6 [13..8] p6 8/56 g6 [7 6 5 4 3 2]", /* cold ones: the hot were flushed */
    "g6 [13..8] p6 6/58 g6 [8..13]",
    "g6 [0..5] p6 6/58 g6 [5 4 3 2 1 0]")

ROW(MP_20_balanced_bursts_equal_to_the_cache, 512, 32,
    "g32 0/480 p32 32/480 g32 32/448 p32 32/480",
    "g32 32/448 p32 32/480 g32 0/480 p32 32/480",
    "g32 0/480 p32 32/480 g32 0/480 p32 32/480")

ROW(MP_21_get_of_many_caches, 1024, 32,
    "g256 0/768",
    "g256 32/736",
    "g256 0/768")

ROW(MP_23_bursts_of_the_largest_cache, 4096, 512,
    "g512 0/3584 p512 512/3584 g512 512/3072 p512 512/3584",
    "g512 512/3072 p512 512/3584 g512 0/3584 p512 512/3584",
    "g512 0/3584 p512 512/3584 g512 0/3584 p512 512/3584")

ROW(MP_24_gets_larger_than_the_largest_cache, 4096, 512,
    "g513 0/3583 g600 0/2983",
    "g513 0/3583 g600 0/2983",
    "g513 0/3583 g600 0/2983")

ROW(MP_27_nothing_got_or_put_changes_nothing, 64, 8,
    "g0 0/64 p0 0/64 g1 8/55 g0 8/55 p0 8/55",
    "g0 0/64 p0 0/64 g1 8/55 g0 8/55 p0 8/55",
    "g0 0/64 p0 0/64 g1 3/60 g0 3/60 p0 3/60")

ROW(MP_29_flush_empties_the_cache_once, 63, 8,
    "g1 8/54 f 0/62 f 0/62",
    "g1 8/54 f 0/62 f 0/62",
    "g1 3/59 f 0/62 f 0/62")

ROW(MP_38_newest_comes_out_first, 64, 8,
    "g3 [10 9 8] p3 g2 [8 9]",
    "g3 [10 9 8] p3 g2 [8 9]",
    "g3 [3 2 1] p3 g2 [1 2]")

/* clang-format on */
