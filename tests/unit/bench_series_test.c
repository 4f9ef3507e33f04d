/*
 * bench_series_test.c - windows, blocks, and why they do not count
 *
 * On the fake machine a cycle is a nanosecond and work takes the time that it
 * is told to take, so every figure follows from arithmetic.
 */
#include "bench/series.h"

#include "tests/host/machine.h"
#include "tests/unit/test.h"

#define NEAR(x, y, by) CHECK((x) - (y) < (by) && (y) - (x) < (by))
#define RUNS_MAX       4096

/* What variants do, and what they did. */
static struct {
    unsigned us[SERIES_VARIANTS_MAX];    /* a round of each takes */
    unsigned extra[SERIES_VARIANTS_MAX]; /* one window in three takes as much
                                          * more of all rounds, per cent */
    unsigned every;                      /* window of so many goes wrong: */
    enum series_void fault;
    bool moves_smi, moves_frequency;
    unsigned runs;
    unsigned char order[RUNS_MAX];
    uint64_t rounds;
} w;

static const unsigned number[] = { 0, 1, 2, 3 };

static enum series_void work(void *context, uint64_t rounds, uint64_t *cycles)
{
    const unsigned v = *(const unsigned *)context;
    const bool bad = w.runs % w.every == w.every - 1;
    uint64_t us = w.us[v] * rounds;

    (void)cycles;
    if (w.runs % 3 == 2)
        us += us * w.extra[v] / 100;
    if (bad && w.moves_smi)
        host_machine.event[MACHINE_SMI]++;
    if (w.moves_frequency)
        host_machine.core_cycles_per_us = bad ? 1010 : 1000;
    host_advance_us(us);
    w.order[w.runs++ % RUNS_MAX] = (unsigned char)v;
    w.rounds = rounds;
    return bad ? w.fault : VOID_NONE;
}

static void shell(void *context, uint64_t rounds)
{
    (void)context;
    host_advance_us(rounds);
}

static const struct series_variant variant[] = {
    { "a", work, (void *)&number[0] },
    { "b", work, (void *)&number[1] },
    { "c", work, (void *)&number[2] },
};

static struct series series(void)
{
    return (struct series) { .name = "s",
                             .what = "a test",
                             .unit = "thing",
                             .variant = variant,
                             .variants = 3,
                             .operations = 10,
                             .empty = shell };
}

static struct series_setting setting(void)
{
    return (struct series_setting) { .seed = 1,
                                     .window_us = 1000,
                                     .rounds_max = 1000000,
                                     .blocks = 6,
                                     .blocks_max = 6 };
}

static struct series_result r;

static void begin(void)
{
    memset(&w, 0, sizeof(w));
    host_machine_reset();
    for (unsigned v = 0; v < SERIES_VARIANTS_MAX; v++)
        w.us[v] = 5;
    w.every = 3;
}

/* A round of 5 us, of which the loop itself is 1: 4000 cycles for 10. */
TEST(series, the_empty_loop_is_subtracted_and_fractions_are_kept)
{
    const struct series s = series();
    const struct series_setting set = setting();

    begin();
    w.us[1] = 6;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.blocks, 6);
    NEAR(r.against_base[0].a_median, 400.0, 1e-6);
    NEAR(r.against_base[1].a_median, 500.0, 1e-6);
    NEAR(r.against_base[1].ratio, 1.25, 1e-9);
    CHECK_EQ(r.against_base[1].verdict, STATS_MORE);
    CHECK_EQ(r.against_base[2].verdict, STATS_NO_DIFFERENCE);
    CHECK(r.is_steady);
    CHECK(!r.is_void && !r.is_short && !r.is_aborted);
}

/* V1: 1000 us in rounds of 5. */
TEST(series, a_window_takes_about_the_time_asked_for)
{
    const struct series s = series();
    struct series_setting set = setting();

    begin();
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(r.rounds >= 200 && r.rounds <= 202);
    CHECK_EQ(w.rounds, r.rounds);
    set.rounds_max = 17;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.rounds, 17);
}

TEST(series, rounds_can_be_the_experiments)
{
    struct series s = series();
    const struct series_setting set = setting();

    begin();
    s.rounds = 7;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.rounds, 7);
}

/* V2: after five windows each to get warm, blocks of one window each. */
TEST(series, a_block_has_each_variant_once_in_an_order_of_the_seed)
{
    const struct series s = series();
    struct series_setting set = setting();
    unsigned char first[RUNS_MAX];
    unsigned runs, start, orders = 0;

    begin();
    CHECK_EQ(series_run(&s, &set, &r), OK);
    runs = w.runs;
    start = runs - 3 * 6;
    for (unsigned i = start; i < runs; i += 3) {
        CHECK_EQ(1 << w.order[i] | 1 << w.order[i + 1] | 1 << w.order[i + 2],
                 7);
        orders |= 1u << (w.order[i] * 3 + w.order[i + 1]);
    }
    CHECK((orders & (orders - 1)) != 0); /* more than one order */
    memcpy(first, w.order, sizeof(first));
    begin();
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_BYTES(first, w.order, runs);
    begin();
    set.seed = 2;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(memcmp(first, w.order, runs) != 0);
}

TEST(series, warming_up_takes_five_windows_or_more_until_three_agree)
{
    const struct series s = series();
    const struct series_setting set = setting();

    begin();
    CHECK_EQ(series_run(&s, &set, &r), OK);
    /* The search for rounds: three windows each of 1, 2, 4 .. 64. */
    CHECK_EQ(w.runs, 7 * 3 + 3 * 5 + 3 * 6);
    begin();
    w.extra[1] = 50; /* never three alike */
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(!r.is_steady);
    CHECK_EQ(w.runs, 7 * 3 + 5 + 20 + 5 + 3 * 6);
}

/*
 * Every window is void: tried ten times, and four times as many blocks as were
 * asked for.
 */
static void check_gives_up(enum series_void why)
{
    const struct series s = series();
    const struct series_setting set = setting();

    w.every = 1;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    CHECK_EQ(r.blocks, 0);
    CHECK(r.is_short);
    CHECK_EQ(r.voids[why], 10 * 4 * set.blocks);
}

/* Every seventh is void: as many more are taken. */
static void check_taken_again(enum series_void why)
{
    const struct series s = series();
    const struct series_setting set = setting();

    w.every = 7;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.blocks, 6);
    CHECK(!r.is_short);
    CHECK_EQ(r.voids[why], 3); /* of 18 that count, and these */
    CHECK_EQ(w.runs, 7 * 3 + 3 * 5 + 3 * 6 + 3);
}

TEST(series, RQ_25_a_window_that_ran_dry_is_void_and_taken_again)
{
    begin();
    w.fault = VOID_DRY;
    check_taken_again(VOID_DRY);
    begin();
    w.fault = VOID_DRY;
    check_gives_up(VOID_DRY);
}

TEST(series, a_window_with_an_smi_is_void_and_taken_again)
{
    begin();
    w.moves_smi = true;
    host_machine.has_event[MACHINE_SMI] = true;
    check_taken_again(VOID_SMI);
    begin();
    w.moves_smi = true;
    host_machine.has_event[MACHINE_SMI] = true;
    check_gives_up(VOID_SMI);
}

/* Where nobody counts SMIs, none can be seen. */
TEST(series, what_the_machine_does_not_tell_voids_nothing)
{
    const struct series s = series();
    const struct series_setting set = setting();

    begin();
    w.moves_smi = true;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.voids[VOID_SMI], 0);
    CHECK_EQ(r.ghz > 0, 0);
}

/* 1 % in a block that allows 0.5 %. */
TEST(series, a_frequency_that_moves_voids_the_block)
{
    const struct series s = series();
    const struct series_setting set = setting();

    begin();
    w.moves_frequency = true;
    host_machine.has_core_cycles = true;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    CHECK(r.is_short);
    CHECK_EQ(r.voids[VOID_FREQUENCY], 4 * set.blocks);
}

TEST(series, a_steady_frequency_is_told)
{
    const struct series s = series();
    const struct series_setting set = setting();

    begin();
    host_machine.has_core_cycles = true;
    host_machine.core_cycles_per_us = 3400;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    NEAR(r.ghz, 3.4, 0.01);
    CHECK_EQ(r.voids[VOID_FREQUENCY], 0);
}

TEST(series, a_quick_look_keeps_what_is_void_and_says_so)
{
    const struct series s = series();
    struct series_setting set = setting();

    begin();
    set.keep_void = true;
    w.fault = VOID_DRY;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.blocks, 6);
    CHECK_EQ(r.voids[VOID_DRY], 6);
}

/* V4 */
TEST(series, a_control_that_differs_voids_the_series)
{
    struct series s = series();
    const struct series_setting set = setting();

    begin();
    s.control = 2;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(!r.is_void);
    w.us[2] = 6;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(r.is_void);
}

static unsigned renewals, renewals_until;

static bool renew(void *context)
{
    CHECK(context == &number[0]); /* the base's */
    return ++renewals < renewals_until;
}

/* V2: between two blocks, with a window of each variant before the next. */
TEST(series, each_block_has_addresses_of_its_own)
{
    struct series s = series();
    const struct series_setting set = setting();

    begin();
    s.renew = renew;
    renewals = 0;
    renewals_until = UINT32_MAX;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(renewals, 6);
    CHECK_EQ(w.runs, 7 * 3 + 3 * 5 + 2 * 3 * 6);
    CHECK(!r.is_short);
}

TEST(series, without_memory_for_other_addresses_a_series_ends)
{
    struct series s = series();
    const struct series_setting set = setting();

    begin();
    s.renew = renew;
    renewals = 0;
    renewals_until = 3;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.blocks, 3);
    CHECK(r.is_short);
}

static unsigned idle_calls, idle_until;

static bool idle(void)
{
    return ++idle_calls == idle_until;
}

/* V3 */
TEST(series, others_run_between_windows_and_may_end_it)
{
    const struct series s = series();
    struct series_setting set = setting();

    begin();
    set.idle = idle;
    idle_calls = 0;
    idle_until = UINT32_MAX;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(idle_calls, w.runs);
    for (unsigned at = 1; at < w.runs && at < 30; at++) {
        begin();
        idle_calls = 0;
        idle_until = at;
        (void)!series_run(&s, &set, &r);
        CHECK(r.is_aborted);
        CHECK_EQ(idle_calls, at); /* not one window more */
    }
}

/* Windows 25 % apart: more blocks are asked for, up to the limit. */
TEST(series, the_pilot_asks_for_the_blocks_that_the_noise_needs)
{
    const struct series s = series();
    struct series_setting set = setting();

    begin();
    set.blocks = 10;
    set.blocks_max = 40;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK_EQ(r.blocks, 10);
    CHECK_EQ(r.wanted, 1); /* not noisy at all */
    begin();
    w.extra[0] = 25;
    CHECK_EQ(series_run(&s, &set, &r), OK);
    CHECK(r.wanted > 40);
    CHECK_EQ(r.blocks, 40);
}

TEST(series, a_setting_that_cannot_be_is_refused)
{
    struct series s = series();
    struct series_setting set = setting();

    begin();
    set.blocks = 1;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    set.blocks = SERIES_BLOCKS_MAX + 1;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    set = setting();
    set.blocks_max = SERIES_BLOCKS_MAX + 1;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    set = setting();
    set.rounds_max = 0;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    set = setting();
    s.variants = 0;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    s.variants = SERIES_VARIANTS_MAX + 1;
    CHECK_EQ(series_run(&s, &set, &r), E_INVALID);
    CHECK_EQ(w.runs, 0);
}
