/*
 * lcore_test.c - the loop: how often it goes round, when it stops
 */
#include "tests/unit/test.h"

#include "net/engine.h"
#include "tests/fake/port_fake.h"

static struct stream streams[3];
static struct lcore lcore;

static void begin(unsigned count)
{
    port_fake_reset(3, NULL);
    for (unsigned i = 0; i < count; i++)
        streams[i] = (struct stream) { .rxq = port_rxq_get(i, 0),
                                       .txq = port_txq_get(i, 0) };
    lcore = (struct lcore) { .burst = 32 };
    lcore_assign(&lcore, streams, count, &engine_io);
}

TEST(lcore, rounds_visit_every_stream)
{
    begin(3);
    lcore_run(&lcore, 5);
    CHECK_EQ(lcore.rounds, 5);
    for (unsigned p = 0; p < 3; p++)
        CHECK_EQ(port_fake_idle_calls(p), 5);
}

TEST(lcore, a_stop_before_the_run_lets_no_burst_happen)
{
    begin(1);
    lcore_stop(&lcore);
    lcore_run(&lcore, 5);
    lcore_run(&lcore, 0);
    CHECK_EQ(lcore.rounds, 0);
    CHECK_EQ(port_fake_idle_calls(0), 0);
}

/* An engine that asks its own lcore to stop in the third burst. */
static unsigned bursts;

static always_inline unsigned quitting_burst(struct stream *s, unsigned max)
{
    (void)s;
    (void)max;
    if (++bursts == 3)
        lcore_stop(&lcore);
    return 1;
}

static void quitting_run(struct lcore *l, unsigned rounds)
{
    engine_rounds(l, rounds, quitting_burst);
}

static const struct engine quitting = { .name = "quitting",
                                        .run = quitting_run };

TEST(lcore, an_endless_run_ends_with_the_round_in_which_it_is_stopped)
{
    begin(2);
    bursts = 0;
    lcore_assign(&lcore, streams, 2, &quitting);
    lcore_run(&lcore, 0);
    CHECK_EQ(bursts, 4); /* the round is finished: two streams, two rounds */
    CHECK_EQ(lcore.rounds, 2);
    CHECK_EQ(lcore.idle_rounds, 0);
}

TEST(lcore, assigning_work_clears_the_stop)
{
    begin(1);
    lcore_stop(&lcore);
    lcore_assign(&lcore, streams, 1, &engine_io);
    lcore_run(&lcore, 1);
    CHECK_EQ(lcore.rounds, 1);
}

TEST(lcore, no_streams_is_an_idle_round)
{
    begin(0);
    lcore_run(&lcore, 4);
    CHECK_EQ(lcore.idle_rounds, 4);
}

/* An engine whose bursts take 3 us, and find two packets every other time. */
static always_inline unsigned slow_burst(struct stream *s, unsigned max)
{
    (void)s;
    (void)max;
    host_advance_us(3);
    return bursts++ % 2 == 0 ? 2 : 0;
}

static void slow_run(struct lcore *l, unsigned rounds)
{
    engine_rounds(l, rounds, slow_burst);
}

static const struct engine slow = { .name = "slow", .run = slow_run };

TEST(lcore, rounds_that_found_packets_are_recorded_when_asked)
{
    begin(1);
    bursts = 0;
    lcore_assign(&lcore, streams, 1, &slow);
    lcore_run(&lcore, 4);
    CHECK_EQ(lcore.busy_cycles, 0);
    lcore.record_cycles = true;
    lcore_run(&lcore, 10);
    CHECK_EQ(lcore.busy_rounds, 5);
    CHECK_EQ(lcore.busy_packets, 10);
    CHECK_EQ(lcore.busy_cycles, 5 * 3 * (HOST_HZ / 1000000));
}

TEST(lcore, a_round_with_a_busy_and_an_idle_stream_is_recorded_whole)
{
    begin(2);
    bursts = 0;
    lcore_assign(&lcore, streams, 2, &slow);
    lcore.record_cycles = true;
    lcore_run(&lcore, 1);
    CHECK_EQ(lcore.busy_packets, 2);
    CHECK_EQ(lcore.busy_cycles, 2 * 3 * (HOST_HZ / 1000000));
}

/* ---- what is always counted ---- */

TEST(lcore, bursts_are_counted_by_size)
{
    static const unsigned sizes[] = { 0, 1, 2, 3, 4, 31, 32, 63, 64, 512 };
    static const unsigned bucket[] = { 0, 1, 2, 2, 3, 5, 6, 6, 7, 10 };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
        CHECK_EQ(lcore_burst_size(sizes[i]), bucket[i]);
    begin(2);
    bursts = 0;
    lcore_assign(&lcore, streams, 2, &slow);
    lcore_run(&lcore, 3);
    CHECK_EQ(lcore.bursts[0], 3);
    CHECK_EQ(lcore.bursts[2], 3);
    CHECK_EQ(lcore.packets, 6);
}

/* Rounds of 3 us; which of them find packets is told. */
static const bool *finds;

static always_inline unsigned told_burst(struct stream *s, unsigned max)
{
    (void)s;
    (void)max;
    host_advance_us(3);
    return finds != NULL && *finds++ ? 1 : 0;
}

static void told_run(struct lcore *l, unsigned rounds)
{
    engine_rounds(l, rounds, told_burst);
}

static const struct engine told = { .name = "told", .run = told_run };

TEST(lcore, time_is_shared_out_between_work_and_idling)
{
    static const bool mixed[LCORE_SLICE] = { true, false, true };

    begin(1);
    lcore_assign(&lcore, streams, 1, &told);
    finds = NULL;
    lcore_run(&lcore, LCORE_SLICE); /* this is what idling costs */
    CHECK_EQ(lcore.idle_cycles, LCORE_SLICE * 3000);
    CHECK_EQ(lcore.work_cycles, 0);
    CHECK_EQ(lcore.idle_round_cycles, 3000);
    finds = mixed;
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.idle_cycles, (2 * LCORE_SLICE - 2) * 3000);
    CHECK_EQ(lcore.work_cycles, 2 * 3000);
}

TEST(lcore, a_slice_that_takes_too_long_is_a_gap_and_nothing_else)
{
    begin(1);
    lcore_assign(&lcore, streams, 1, &told);
    finds = NULL;
    lcore.gap_cycles = LCORE_SLICE * 3000;
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.gaps.count, 0); /* just as long */
    lcore.gap_cycles = 4000;
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.gaps.count, 1);
    CHECK_EQ(lcore.gaps.cycles, LCORE_SLICE * 3000);
    CHECK_EQ(lcore.gaps.longest, LCORE_SLICE * 3000);
    CHECK_EQ(lcore.gaps.last, 2 * LCORE_SLICE * 3000);
    CHECK_EQ(lcore.gaps.sizes[2], 1); /* 6 times the threshold */
    CHECK_EQ(lcore.idle_cycles, LCORE_SLICE * 3000);
    lcore.gap_cycles = 1;
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.gaps.sizes[LCORE_GAP_SIZES - 1], 1);
    CHECK_EQ(lcore.gaps.longest, LCORE_SLICE * 3000);
}

TEST(lcore, a_step_runs_some_rounds_and_ends_when_stopped)
{
    begin(1);
    CHECK(lcore_step(&lcore));
    CHECK_EQ(lcore.rounds, LCORE_STEP_ROUNDS);
    lcore_stop(&lcore);
    CHECK(!lcore_step(&lcore));
    CHECK_EQ(lcore.rounds, LCORE_STEP_ROUNDS);
}

TEST(lcore, counters_of_two_writers_share_no_line)
{
    CHECK_EQ(offsetof(struct stream, stats) % CACHE_LINE, 0);
    CHECK_EQ(sizeof(struct stream) % CACHE_LINE, 0);
    CHECK(offsetof(struct lcore, rounds) / CACHE_LINE !=
          offsetof(struct lcore, request) / CACHE_LINE);
}
