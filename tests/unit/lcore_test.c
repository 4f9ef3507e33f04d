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

ENGINE(quitting, quitting_burst, false, "test");

TEST(lcore, an_endless_run_ends_with_the_round_in_which_it_is_stopped)
{
    begin(2);
    bursts = 0;
    lcore_assign(&lcore, streams, 2, &engine_quitting);
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

ENGINE(slow, slow_burst, false, "test");

TEST(lcore, rounds_that_found_packets_are_recorded_when_asked)
{
    begin(1);
    bursts = 0;
    lcore_assign(&lcore, streams, 1, &engine_slow);
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
    lcore_assign(&lcore, streams, 2, &engine_slow);
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
    lcore_assign(&lcore, streams, 2, &engine_slow);
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

ENGINE(told, told_burst, false, "test");

TEST(lcore, time_is_shared_out_between_work_and_idling)
{
    static const bool mixed[LCORE_SLICE] = { true, false, true };

    begin(1);
    lcore_assign(&lcore, streams, 1, &engine_told);
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
    lcore_assign(&lcore, streams, 1, &engine_told);
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

/* ---- what is timed now and then ---- */

/* Slices of one stream up to the one that is timed, whose bursts are next. */
static void run_to_the_sample(const struct engine *engine)
{
    lcore.ns_scale = (UINT64_C(1000000000) << 32) / HOST_HZ;
    lcore_assign(&lcore, streams, 1, engine);
    lcore_run(&lcore, (LCORE_SAMPLED - 1) * LCORE_SLICE);
    CHECK_EQ(lcore.slices, LCORE_SAMPLED - 1);
    CHECK_EQ(lcore.sample.bursts, 0);
}

TEST(lcore, one_slice_in_64_is_timed_and_counts_as_any_other)
{
    begin(1);
    bursts = 0;
    run_to_the_sample(&engine_slow);
    lcore_run(&lcore, 2 * LCORE_SLICE);
    CHECK_EQ(lcore.sample.bursts, LCORE_SLICE / 2); /* every other has some */
    CHECK_EQ(lcore.sample.packets, LCORE_SLICE);
    CHECK_EQ(lcore.rounds, (LCORE_SAMPLED + 1) * LCORE_SLICE);
    CHECK_EQ(lcore.bursts[0], lcore.rounds / 2);
    CHECK_EQ(lcore.bursts[2], lcore.rounds / 2);
    CHECK_EQ(lcore.packets, lcore.rounds);
    CHECK_EQ(lcore.idle_rounds, lcore.rounds / 2);
    CHECK(streams[0].clock == NULL);
}

TEST(lcore, a_burst_is_timed_from_the_look_to_its_end)
{
    begin(1);
    bursts = 0;
    run_to_the_sample(&engine_slow);
    lcore_run(&lcore, LCORE_SLICE);
    /* 3000 ns are in 2048 .. 4095 */
    CHECK_EQ(lcore.sample.times[12], LCORE_SLICE / 2);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_ENGINE], LCORE_SLICE / 2 * 3000);
    CHECK_EQ(lcore.slice_times[12], LCORE_SAMPLED);
}

TEST(lcore, a_timed_burst_that_was_a_gap_is_no_cost_of_a_packet)
{
    begin(1);
    bursts = 0;
    run_to_the_sample(&engine_slow);
    lcore.gap_cycles = 2999;
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.sample.bursts, 0);
    CHECK_EQ(lcore.sample.packets, 0);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_ENGINE], 0);
    CHECK_EQ(lcore.sample.times[12], LCORE_SLICE / 2);
}

TEST(lcore, times_have_classes_by_powers_of_two)
{
    begin(0);
    lcore.ns_scale = (UINT64_C(1000000000) << 32) / HOST_HZ;
    CHECK_EQ(lcore_time_size(&lcore, 0), 0);
    CHECK_EQ(lcore_time_size(&lcore, 1), 1);
    CHECK_EQ(lcore_time_size(&lcore, 2), 2);
    CHECK_EQ(lcore_time_size(&lcore, 3), 2);
    CHECK_EQ(lcore_time_size(&lcore, 4), 3);
    CHECK_EQ(lcore_time_size(&lcore, (1 << 22) - 1), 22);
    CHECK_EQ(lcore_time_size(&lcore, 1 << 22), 23);
    CHECK_EQ(lcore_time_size(&lcore, UINT64_MAX), 23);
    lcore.ns_scale /= 3; /* a core of 3 GHz */
    CHECK_EQ(lcore_time_size(&lcore, 3000), 10);
    CHECK_EQ(lcore_time_size(&lcore, 3 * 1025), 11);
}

/* An engine all of whose stages take time: 1, 2 and 4 us. */
static always_inline unsigned staged_burst(struct stream *s, unsigned max)
{
    (void)max;
    if (s->clock != NULL)
        stage_enter(s->clock, LCORE_STAGE_RX);
    host_advance_us(1);
    if (s->clock != NULL)
        stage_enter(s->clock, LCORE_STAGE_ENGINE);
    host_advance_us(2);
    if (s->clock != NULL)
        stage_enter(s->clock, LCORE_STAGE_TX);
    host_advance_us(4);
    return 1;
}

ENGINE(staged, staged_burst, false, "test");

TEST(lcore, stages_share_the_time_of_their_burst)
{
    begin(1);
    run_to_the_sample(&engine_staged);
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_RX], LCORE_SLICE * 1000);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_ENGINE], LCORE_SLICE * 2000);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_TX], LCORE_SLICE * 4000);
    CHECK_EQ(lcore.sample.cycles[LCORE_STAGE_FORWARD], 0);
}

TEST(lcore, a_stop_ends_a_timed_slice_too)
{
    begin(1);
    bursts = 4;
    run_to_the_sample(&engine_slow);
    bursts = 0;
    lcore_assign(&lcore, streams, 1, &engine_quitting);
    lcore_run(&lcore, LCORE_SLICE);
    CHECK_EQ(bursts, 3);
}
