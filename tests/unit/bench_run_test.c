/*
 * bench_run_test.c - the experiments run, say what they must, and keep nothing
 *
 * Time stands still on the fake machine, so no figure means anything; that the
 * work is done and every object comes back is checked by the experiments.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include <millrace/core.h>

#include "mm/frame.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "tests/host/machine.h"
#include "tests/unit/test.h"

#define ARENA      (UINT64_C(96) << 20)
#define TEXT_BYTES (1u << 18)

static char text[TEXT_BYTES];
static size_t text_used;

static void print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_used += (size_t)vsnprintf(text + text_used, sizeof(text) - text_used,
                                   fmt, args);
    va_end(args);
    CHECK(text_used < sizeof(text));
}

static const struct bench_tx_rig rig = { tx_rig_open, tx_rig_fill,
                                         tx_rig_reclaim, tx_rig_close };
static struct bench b;
static uint64_t used_before;

static void begin_with(uint64_t bytes)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), bytes };
    struct frame_stats s;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    frame_stats_get(&s);
    used_before = s.used;
    host_machine_reset();
    core_init();
    text_used = 0;
    text[0] = '\0';
    b = (struct bench) {
        .print = print, .quick = true, .seed = 1, .tx_rig = &rig
    };
}

static void begin(void)
{
    begin_with(ARENA);
}

/* N1 */
static void check_nothing_is_kept(void)
{
    struct frame_stats s;

    frame_stats_get(&s);
    CHECK_EQ(s.used, used_before);
    CHECK(mempool_next(NULL) == NULL);
}

static unsigned lines_with(const char *word)
{
    unsigned n = 0;

    for (const char *at = strstr(text, word); at != NULL;
         at = strstr(at + 1, word))
        n++;
    return n;
}

TEST(bench, REQ_32_the_pool_table_has_each_policy_and_its_control)
{
    static const char *const names[] = { "p0", "p1",      "p1-again",
                                         "p2", "default", "default-inline" };

    begin();
    CHECK_EQ(bench_run(&b, "mempool"), OK);
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        char line[64];

        snprintf(line, sizeof(line), "BENCH mempool-512-%s ", names[i]);
        CHECK_CONTAINS(text, line);
    }
    CHECK_EQ(b.series, 6);
    CHECK_EQ(lines_with("needs 2 cores, has 1"), 3);
    CHECK_EQ(lines_with("BENCH "), 36);
    check_nothing_is_kept();
}

TEST(bench, REQ_17_the_buffer_table_has_rates_and_shares)
{
    begin();
    CHECK_EQ(bench_run(&b, "mbuf"), OK);
    CHECK_CONTAINS(text, "BENCH mbuf-1t-always ");
    CHECK_CONTAINS(text, "BENCH mbuf-1t-at-alloc ");
    CHECK_EQ(lines_with("Mpps a core"), 6);
    CHECK_EQ(lines_with("of four 10G ports"), 6);
    CHECK_CONTAINS(text, "mbuf layout  identity-mapped");
    check_nothing_is_kept();
}

TEST(bench, REQ_23_schemes_are_crossed_with_policies)
{
    begin();
    CHECK_EQ(bench_run(&b, "txfree"), OK);
    for (unsigned n = 32; n <= 512; n = n == 32 ? 256 : 2 * n) {
        char line[64];

        snprintf(line, sizeof(line), "BENCH txfree-%u-p2-chunks ", n);
        CHECK_CONTAINS(text, line);
        snprintf(line, sizeof(line), "BENCH txfree-%u-default-all ", n);
        CHECK_CONTAINS(text, line);
    }
    CHECK_EQ(b.series, 12);
    CHECK_CONTAINS(text, "no NIC takes part");
    check_nothing_is_kept();
}

TEST(bench, txfree_without_a_driver_says_so)
{
    begin();
    b.tx_rig = NULL;
    CHECK_EQ(bench_run(&b, "txfree"), OK);
    CHECK_CONTAINS(text, "txfree: not measured: no driver");
    CHECK_EQ(b.not_possible, 1);
}

TEST(bench, RQ_26_RQ_28_pairs_on_one_core_in_each_size_with_each_lock)
{
    static const char *const sizes[] = { "8",     "64",    "1000",
                                         "10000", "32000", "1000-64" };
    static const char *const locks[] = { "ticket", "cas", "queue-lock",
                                         "no-lock" };

    begin();
    CHECK_EQ(bench_run(&b, "ring"), OK);
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++)
        for (unsigned k = 0; k < ARRAY_SIZE(locks); k++) {
            char line[64];

            snprintf(line, sizeof(line), "BENCH ring-pair-%s-%s ", sizes[i],
                     locks[k]);
            CHECK_CONTAINS(text, line);
        }
    CHECK_EQ(lines_with("cycles per pair: one in and one out"), 7);
    check_nothing_is_kept();
}

/* RQ-27: here the cores take turns, so the runs end early and are shown as such. */
TEST(bench, RQ_27_a_parallel_run_that_ends_early_is_shown_as_such)
{
    begin();
    host_cores(1);
    CHECK_EQ(bench_run(&b, "ring"), OK);
    CHECK_CONTAINS(text, "ring-2-half: two cores, 64000 with 32000 inside");
    CHECK_CONTAINS(text, "BENCH ring-2-half-ticket ");
    CHECK_CONTAINS(text, "ring-4-half: not measured: needs 4 cores, has 2");
    CHECK(b.void_windows[VOID_EARLY] > 0);
    check_nothing_is_kept();
}

TEST(bench, REQ_30_the_report_has_the_environment)
{
    begin();
    host_machine.facts.microcode = 0xA1;
    host_machine.has_event[MACHINE_SMI] = true;
    host_machine.event[MACHINE_SMI] = 17;
    CHECK_EQ(bench_run(&b, "mbuf"), OK);
    CHECK_CONTAINS(text, "CPU          a fake machine, family 0");
    CHECK_CONTAINS(text, "microcode    0xa1");
    CHECK_CONTAINS(text, "hypervisor   none");
    CHECK_CONTAINS(text, "1000000000 Hz, invariant");
    CHECK_CONTAINS(text, "smi          17 so far");
    CHECK_CONTAINS(text, "throttle     not available");
    CHECK_CONTAINS(text, "image        0000000000001234");
    CHECK_CONTAINS(text, "seed         1");
    CHECK_CONTAINS(text, "quick: few blocks");
    CHECK(strstr(text, "WARNING") == NULL);
}

TEST(bench, an_emulator_and_a_clock_that_drifts_are_said_twice)
{
    begin();
    host_machine.facts.is_virtual = true;
    host_machine.facts.is_emulated = true;
    host_machine.facts.tsc_is_invariant = false;
    strcpy(host_machine.facts.hypervisor, "TCGTCGTCGTCG");
    CHECK_EQ(bench_run(&b, "mbuf"), OK);
    CHECK_EQ(lines_with("WARNING: this is an emulator (TCGTCGTCGTCG)"), 2);
    CHECK_EQ(lines_with("WARNING: the time-stamp counter is not invariant"), 2);
}

TEST(bench, an_unknown_experiment_is_refused)
{
    begin();
    CHECK_EQ(bench_run(&b, "mbufs"), E_NOENT);
    CHECK_EQ(b.series, 0);
}

static unsigned idle_left;

static bool idle(void)
{
    return --idle_left == 0;
}

/* B2: whenever it ends, nothing stays. */
TEST(bench, it_can_be_ended_between_any_two_windows)
{
    for (unsigned at = 1; at < 400; at += 131) {
        begin();
        b.idle = idle;
        idle_left = at;
        CHECK_EQ(bench_run(&b, "all"), E_STATE);
        CHECK(b.is_aborted);
        CHECK_CONTAINS(text, "Report\n");
        check_nothing_is_kept();
    }
}

TEST(bench, too_little_memory_is_said_and_nothing_is_kept)
{
    static const char *const names[] = { "mempool", "mbuf", "all" };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        begin_with(MM_BYTES_MIN);
        CHECK_EQ(bench_run(&b, names[i]), E_NOMEM);
        check_nothing_is_kept();
    }
}
