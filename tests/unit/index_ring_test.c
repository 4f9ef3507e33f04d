/*
 * index_ring_test.c - rows RQ-*: capacity, all or nothing, order, counters that
 * wrap
 *
 * The figures of RQ-01..RQ-04 are those of DPDK's rte_ring, except that we refuse
 * a capacity of 0.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mm/frame.h"
#include "mm/index_ring.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA ((size_t)16 << 20)

#define MANY (INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS)

static void open_memory(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

static struct index_ring *ring_of(unsigned count, unsigned flags)
{
    struct index_ring *r;

    open_memory();
    CHECK_EQ(index_ring_create(&r, count, flags, "test"), OK);
    return r;
}

/* Element @i; a number, never dereferenced. */
static void *element(uint64_t i)
{
    return (void *)(uintptr_t)i;
}

static uint64_t produced, consumed; /* so far, since the ring was made */

static unsigned push(struct index_ring *r, unsigned n, bool all, unsigned *left)
{
    void *from[64];
    unsigned done;

    for (unsigned i = 0; i < n; i++)
        from[i] = element(produced + i);
    done = all ? index_ring_push_bulk(r, from, n, left)
               : index_ring_push_burst(r, from, n, left);
    produced += done;
    return done;
}

/* Also checks the order. */
static unsigned pop(struct index_ring *r, unsigned n, bool all, unsigned *left)
{
    void *to[64];
    unsigned done;

    done = all ? index_ring_pop_bulk(r, to, n, left)
               : index_ring_pop_burst(r, to, n, left);
    for (unsigned i = 0; i < done; i++)
        CHECK(to[i] == element(consumed++));
    return done;
}

static struct index_ring *fresh(unsigned count, unsigned flags)
{
    produced = consumed = 1;
    return ring_of(count, flags);
}

TEST(index_ring, RQ_01_capacity_of_a_power_of_two_is_one_less)
{
    for (unsigned count = 2; count <= 64; count *= 2) {
        struct index_ring *r = fresh(count, 0);

        CHECK_EQ(r->capacity, count - 1);
        CHECK_EQ(push(r, 64, false, NULL), count - 1);
        CHECK_EQ(index_ring_count(r), count - 1);
        CHECK_EQ(index_ring_room(r), 0);
    }
}

TEST(index_ring, RQ_01_exact_capacity)
{
    static const struct {
        unsigned count, slots;
    } of[] = { { 1, 2 }, { 7, 8 }, { 8, 16 }, { 33, 64 }, { 63, 64 } };

    for (unsigned i = 0; i < ARRAY_SIZE(of); i++) {
        struct index_ring *r = fresh(of[i].count, INDEX_RING_EXACT);

        CHECK_EQ(r->mask + 1, of[i].slots);
        CHECK_EQ(push(r, 64, false, NULL), of[i].count);
        CHECK_EQ(push(r, 1, false, NULL), 0);
    }
}

static void check_refused(unsigned count, unsigned flags, const char *reason)
{
    struct index_ring *r = (void *)&r;

    host_console_clear();
    CHECK_EQ(index_ring_create(&r, count, flags, "test"), E_RANGE);
    CHECK(r == NULL);
    CHECK_CONTAINS(host_console_text(), reason);
}

TEST(index_ring, RQ_02_counts_that_make_no_ring_are_refused)
{
    open_memory();
    check_refused(0, 0, "cannot hold 0: want a power of two from 2 on");
    check_refused(1, 0, "cannot hold 1: want a power of two from 2 on");
    check_refused(7, 0, "cannot hold 7: want a power of two from 2 on");
    check_refused(0, INDEX_RING_EXACT, "cannot hold exactly 0: want 1 or more");
    check_refused(1U << 31, 0, "at most 1073741824");
    check_refused(1U << 30, INDEX_RING_EXACT, "at most 1073741823");
    check_refused(UINT32_MAX, INDEX_RING_EXACT, "exactly 4294967295");
}

TEST(index_ring, RQ_02_a_ring_larger_than_memory_is_refused)
{
    struct index_ring *r = (void *)&r;

    open_memory();
    CHECK_EQ(index_ring_create(&r, 1U << 30, 0, "test"), E_NOMEM);
    CHECK(r == NULL);
}

static void check_ring_of_8(unsigned flags)
{
    struct index_ring *r = fresh(8, flags);
    unsigned left = 99;

    CHECK_EQ(push(r, 8, true, &left), 0);
    CHECK_EQ(left, 7);
    CHECK_EQ(push(r, 8, false, &left), 7);
    CHECK_EQ(left, 0);
    CHECK_EQ(push(r, 1, true, &left), 0);
    CHECK(!index_ring_push(r, element(99)));
    CHECK_EQ(pop(r, 8, true, &left), 0);
    CHECK_EQ(left, 7);
    CHECK_EQ(pop(r, 8, false, &left), 7);
    CHECK_EQ(consumed, 8); /* 1 .. 7 came, in order */
    CHECK_EQ(left, 0);
    CHECK_EQ(pop(r, 1, true, &left), 0);
}

TEST(index_ring, RQ_03_bulk_and_burst_on_a_ring_of_8)
{
    check_ring_of_8(0);
    check_ring_of_8(INDEX_RING_MANY_PRODUCERS);
    check_ring_of_8(INDEX_RING_MANY_CONSUMERS);
    check_ring_of_8(MANY);
}

TEST(index_ring, RQ_04_nothing_asked_is_nothing_done)
{
    static const unsigned flags[] = { 0, MANY };

    for (unsigned i = 0; i < ARRAY_SIZE(flags); i++) {
        struct index_ring *r = fresh(8, flags[i]);
        void *none[1] = { element(77) };
        unsigned left = 99;

        CHECK_EQ(push(r, 3, true, NULL), 3);
        CHECK_EQ(index_ring_push_bulk(r, none, 0, &left), 0);
        CHECK(left <= 4);
        CHECK_EQ(index_ring_push_burst(r, none, 0, NULL), 0);
        CHECK_EQ(index_ring_pop_bulk(r, none, 0, &left), 0);
        CHECK(left <= 3);
        CHECK_EQ(index_ring_pop_burst(r, none, 0, NULL), 0);
        CHECK(none[0] == element(77));
        CHECK_EQ(index_ring_count(r), 3);
        CHECK_EQ(pop(r, 64, false, NULL), 3);
    }
}

TEST(index_ring, RQ_05_null_is_an_element)
{
    struct index_ring *r = fresh(8, 0);
    void *got[3] = { r, r, r }, *in[3] = { NULL, element(5), NULL };

    CHECK_EQ(index_ring_push_bulk(r, in, 3, NULL), 3);
    CHECK_EQ(index_ring_count(r), 3);
    CHECK_EQ(index_ring_pop_bulk(r, got, 3, NULL), 3);
    CHECK(got[0] == NULL && got[1] == element(5) && got[2] == NULL);
}

TEST(index_ring, a_failed_pop_leaves_the_table_alone)
{
    struct index_ring *r = fresh(8, 0);
    void *got[4] = { r, r, r, r };

    CHECK_EQ(push(r, 3, true, NULL), 3);
    CHECK_EQ(index_ring_pop_bulk(r, got, 4, NULL), 0);
    for (unsigned i = 0; i < 4; i++)
        CHECK(got[i] == r);
    CHECK_EQ(pop(r, 3, true, NULL), 3);
}

/* 10^7 elements in all, in random bulks and bursts, against a plain count. */
TEST(index_ring, RQ_15_order_over_many_wraps)
{
    static const unsigned sizes[] = { 1, 2, 31, 32, 33, 1000 };
    static const unsigned flags[] = { 0, MANY };

    srand(7);
    for (unsigned s = 0; s < 2 * ARRAY_SIZE(sizes); s++) {
        const unsigned size = sizes[s / 2];
        struct index_ring *r = fresh(size, flags[s % 2] | INDEX_RING_EXACT);

        while (consumed < 10000000 / 2 / ARRAY_SIZE(sizes)) {
            const unsigned in = (unsigned)rand() % 65;
            const unsigned out = (unsigned)rand() % 65;
            const bool all = rand() % 2 != 0;
            const unsigned held = (unsigned)(produced - consumed);
            unsigned left, n;

            n = push(r, in, all, NULL);
            CHECK_EQ(n, in <= size - held ? in : all ? 0 : size - held);
            CHECK_EQ(index_ring_count(r), held + n);
            CHECK_EQ(pop(r, out, all, &left), out <= held + n ? out
                                              : all           ? 0
                                                              : held + n);
            CHECK(left <= produced - consumed);
        }
    }
}

static void start_at(struct index_ring *r, uint32_t counter)
{
    struct index_ring_side *sides[] = { &r->producer, &r->consumer };

    for (unsigned i = 0; i < 2; i++) {
        sides[i]->head = counter;
        sides[i]->tail = counter;
        sides[i]->seen = counter;
    }
}

TEST(index_ring, RQ_16_counters_wrap)
{
    static const unsigned flags[] = { 0, MANY };

    for (unsigned f = 0; f < ARRAY_SIZE(flags); f++)
        for (unsigned step = 1; step <= 8; step *= 2) {
            struct index_ring *r = fresh(16, flags[f]);
            unsigned left;

            start_at(r, (uint32_t)-16);
            for (unsigned i = 0; i < 32; i += step) {
                CHECK_EQ(push(r, step, true, NULL), step);
                CHECK_EQ(index_ring_count(r), step);
                CHECK_EQ(index_ring_room(r), 15 - step);
                CHECK_EQ(pop(r, step, true, &left), step);
                CHECK_EQ(left, 0);
            }
            CHECK_EQ(r->producer.tail, 16);
        }
}

TEST(index_ring, RQ_16_full_and_empty_across_the_wrap)
{
    struct index_ring *r = fresh(16, 0);

    start_at(r, (uint32_t)-7);
    CHECK_EQ(push(r, 16, false, NULL), 15);
    CHECK_EQ(push(r, 1, true, NULL), 0);
    CHECK_EQ(index_ring_count(r), 15);
    CHECK_EQ(pop(r, 16, false, NULL), 15);
    CHECK_EQ(index_ring_count(r), 0);
}

TEST(index_ring, RQ_21_lines_of_the_two_sides)
{
    struct index_ring *r = fresh(64, 0);

    CHECK_EQ((uintptr_t)r % 128, 0);
    CHECK_EQ((uintptr_t)&r->producer / 128 + 1, (uintptr_t)&r->consumer / 128);
    CHECK_EQ((uintptr_t)&r->consumer / 128 + 1, (uintptr_t)&r->mask / 128);
    CHECK_EQ((uintptr_t)r->slots % 128, 0);
    CHECK(frame_block_bytes(r) >= sizeof(*r) + 64 * 8 + 64); /* guard line */
}

/* One user: the other side's line is read once per lap, not once per element. */
TEST(index_ring, a_side_looks_again_only_when_what_it_knows_is_not_enough)
{
    struct index_ring *r = fresh(16, 0);

    CHECK_EQ(push(r, 8, true, NULL), 8);
    CHECK_EQ(pop(r, 1, true, NULL), 1); /* looked: sees 8 */
    CHECK_EQ(push(r, 4, true, NULL), 4);
    CHECK_EQ(r->producer.seen, 0);
    CHECK_EQ(pop(r, 7, true, NULL), 7);
    CHECK_EQ(r->consumer.seen, 8);
    CHECK_EQ(pop(r, 1, true, NULL), 1); /* looks again: sees 12 */
    CHECK_EQ(r->consumer.seen, 12);
}

TEST(index_ring, destroy_gives_all_back)
{
    struct index_ring *r = fresh(64, 0);
    struct frame_stats before, after;

    frame_stats_get(&before);
    CHECK_EQ(index_ring_create(&r, 1024, MANY, "x"), OK);
    index_ring_destroy(r);
    index_ring_destroy(NULL);
    frame_stats_get(&after);
    CHECK_EQ(after.used, before.used);
}
