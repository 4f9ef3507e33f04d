/*
 * bench_cores_test.c - when a window of several cores counts, and queues' loops
 */
#include "bench/cores.h"

#include <millrace/core.h>

#include "bench/pools.h"
#include "bench/queues.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

/* ---- RQ-25 ---- */

static const struct cores_report good[2] = {
    { .start = 1000, .end = 101000, .asked = 10, .done = 10 },
    { .start = 1900, .end = 101500, .asked = 10, .done = 10 },
};

static enum series_void judge(unsigned i, struct cores_report changed)
{
    struct cores_report r[2] = { good[0], good[1] };

    r[i] = changed;
    return cores_judge(r, 2);
}

TEST(cores, RQ_25_side_by_side_counts)
{
    CHECK_EQ(cores_judge(good, 2), VOID_NONE);
    CHECK_EQ(cores_judge(good, 1), VOID_NONE);
}

TEST(cores, RQ_25_a_side_that_ended_early_is_invalid)
{
    for (unsigned i = 0; i < 2; i++) {
        struct cores_report r = good[i];

        r.done = 9;
        CHECK_EQ(judge(i, r), VOID_EARLY);
    }
}

/* 1 % of the longest run of 100000 is 1000. */
TEST(cores, RQ_25_starts_more_than_a_hundredth_apart_are_invalid)
{
    struct cores_report r = good[1];

    r.start = 2000;
    CHECK_EQ(judge(1, r), VOID_NONE);
    r.start = 2001;
    CHECK_EQ(judge(1, r), VOID_SKEW);
    r = good[0];
    r.start = 3000;
    CHECK_EQ(judge(0, r), VOID_SKEW);
}

TEST(cores, RQ_25_a_core_that_ran_dry_or_full_is_invalid)
{
    for (unsigned i = 0; i < 2; i++) {
        struct cores_report r = good[i];

        r.ran_dry = true;
        r.done = 9;
        CHECK_EQ(judge(i, r), VOID_DRY);
    }
}

static unsigned lcore_of[CORES_MAX];

static void work(void *context, unsigned i, uint64_t rounds,
                 struct cores_report *report)
{
    lcore_of[i] = plat_lcore_id();
    host_advance_us(rounds);
    *report = (struct cores_report) { .start = report->start,
                                      .asked = rounds,
                                      .done = rounds };
    (*(unsigned *)context)++;
}

TEST(cores, one_window_runs_on_each_core_and_takes_the_longest_span)
{
    struct cores_report report[CORES_MAX];
    uint64_t cycles = 0;
    unsigned calls = 0;

    core_init();
    CHECK_EQ(cores_count(), 1);
    host_cores(1);
    CHECK_EQ(cores_count(), 2);
    (void)cores_window(2, work, &calls, 50, &cycles, report);
    CHECK_EQ(calls, 2);
    CHECK_EQ(lcore_of[0], 0);
    CHECK_EQ(lcore_of[1], 1);
    CHECK(cycles >= 50000);
    CHECK_EQ(report[0].done + report[1].done, 100);
}

/* Two wanted, one there: nothing is claimed, nothing hangs. */
TEST(cores, a_core_that_is_not_there_ends_the_window_early)
{
    struct cores_report report[CORES_MAX] = { 0 };
    uint64_t cycles = 0;
    unsigned calls = 0;

    core_init();
    CHECK_EQ(cores_window(2, work, &calls, 5, &cycles, report), VOID_EARLY);
    CHECK_EQ(calls, 1);
    CHECK(cycles > 0);
}

/* ---- queues ---- */

static void memory(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(32u << 20), 32u << 20 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

TEST(queues, every_kind_passes_one_element_at_a_time)
{
    memory();
    for (unsigned k = 0; k < QUEUES_COUNT; k++) {
        struct queue q;

        CHECK_EQ(queue_open(&q, (enum queues_kind)k, 64), OK);
        CHECK_EQ(queue_level_set(&q, 10), 0);
        CHECK_EQ(q.loop->pair(&q, 1000), 1000);
        CHECK_EQ(queue_level_set(&q, 0), 10);
        CHECK_EQ(queue_level_set(&q, 0), 0);
        queue_close(&q);
    }
}

TEST(queues, a_side_ends_at_full_and_at_empty_and_says_how_far_it_came)
{
    memory();
    for (unsigned k = 0; k < QUEUES_COUNT; k++) {
        struct queue q;

        CHECK_EQ(queue_open(&q, (enum queues_kind)k, 50), OK);
        CHECK_EQ(q.loop->produce(&q, 100, false), 50);
        CHECK_EQ(q.loop->consume(&q, 100, false), 50);
        queue_close(&q);
    }
}

/* The other side never comes: given up after its time. */
TEST(queues, waiting_for_the_other_side_has_an_end)
{
    memory();
    for (unsigned k = 0; k < QUEUES_COUNT; k++) {
        struct queue q;
        uint64_t from;

        CHECK_EQ(queue_open(&q, (enum queues_kind)k, 8), OK);
        from = plat_cycles();
        CHECK_EQ(q.loop->consume(&q, 1, true), 0);
        CHECK(plat_cycles() - from >= QUEUES_WAIT_US * 1000);
        CHECK_EQ(q.loop->produce(&q, 9, true), 8);
        CHECK_EQ(queue_level_set(&q, 0), 8);
        queue_close(&q);
    }
}

TEST(queues, memory_that_is_short_is_said)
{
    struct queue q;

    memory();
    CHECK_EQ(queue_open(&q, QUEUE_SLOT_CAS, 1u << 28), E_NOMEM);
    CHECK_EQ(queue_open(&q, QUEUE_INDEX_ONE, 1u << 28), E_NOMEM);
}

/* ---- pools ---- */

static struct stats_random chance;

TEST(pools, each_variant_has_its_policy)
{
    struct pools p;

    memory();
    CHECK_EQ(pools_open(&p, 1024, 32, 64, &chance), OK);
    CHECK_EQ(mempool_policy(p.pool[POOLS_P0]), MEMPOOL_P0);
    CHECK_EQ(mempool_policy(p.pool[POOLS_P1]), MEMPOOL_P1);
    CHECK_EQ(mempool_policy(p.pool[POOLS_P1_AGAIN]), MEMPOOL_P1);
    CHECK_EQ(mempool_policy(p.pool[POOLS_P2]), MEMPOOL_P2);
    CHECK_EQ(mempool_policy(p.pool[POOLS_DEFAULT]), MEMPOOL_GROUPS);
    pools_close(&p);
    CHECK(mempool_next(NULL) == NULL);
}

/* N2 */
TEST(pools, a_buffer_that_is_missing_is_a_panic)
{
    struct pools p;
    struct mbuf *m, *all[2000];

    memory();
    CHECK_EQ(pools_open(&p, 1024, 32, 64, &chance), OK);
    pools_get(p.pool[POOLS_P2], &m, 1);
    CHECK_PANICS(pools_close(&p));
    CHECK_CONTAINS(host_panic_text, "bench p2");
    CHECK_PANICS(pools_get(p.pool[POOLS_DEFAULT], all, 2000));
}

TEST(pools, too_little_memory_leaves_nothing_behind)
{
    struct pools p;

    memory();
    CHECK_EQ(pools_open(&p, 60000, 32, 256, &chance), E_NOMEM);
    CHECK(mempool_next(NULL) == NULL);
}
