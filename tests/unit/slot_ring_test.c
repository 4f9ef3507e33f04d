/*
 * slot_ring_test.c - rows RQ-*: the arithmetic of free slots, and order
 *
 * The numbers of free slots are those of Linux's ptr_ring with its batch of two
 * cache lines.
 */
#include <stdint.h>
#include <stdlib.h>

#include "mm/frame.h"
#include "tests/unit/slot_ring_rig.h"

/* After @k consumes of a full ring of @size: free slots, told and seen. */
static void check_free(unsigned size, unsigned k, unsigned expected)
{
    struct slot_ring *r = full_ring(size);
    unsigned freed = 0;

    for (unsigned i = 0; i < k; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK_EQ(freed, expected);
    CHECK_EQ(fill(r), expected);
}

TEST(slot_ring, RQ_05_null_is_refused)
{
    struct slot_ring *r = ring_of(8);

    CHECK(!slot_ring_produce(r, NULL));
    CHECK(slot_ring_is_empty(r));
    CHECK(slot_ring_produce(r, element(1)));
}

TEST(slot_ring, RQ_06_batch_by_size)
{
    for (unsigned size = 1; size <= 31; size++)
        CHECK_EQ(ring_of(size)->batch, 1);
    CHECK_EQ(ring_of(32)->batch, 16);
    CHECK_EQ(ring_of(1000)->batch, 16);
}

TEST(slot_ring, RQ_07_size_32)
{
    for (unsigned k = 0; k <= 32; k++)
        check_free(32, k, k < 16 ? 0 : k < 32 ? 16 : 32);
}

TEST(slot_ring, RQ_08_size_40_frees_the_rest_at_the_end)
{
    for (unsigned k = 0; k <= 40; k++)
        check_free(40, k, k < 16 ? 0 : k < 32 ? 16 : k < 40 ? 32 : 40);
}

TEST(slot_ring, RQ_09_size_1000)
{
    for (unsigned k = 0; k <= 1000; k += k < 40 || k > 980 ? 1 : 31)
        check_free(1000, k, k == 1000 ? 1000 : k / 16 * 16);
}

TEST(slot_ring, RQ_10_size_31_frees_one_by_one)
{
    for (unsigned k = 0; k <= 31; k++)
        check_free(31, k, k);
}

TEST(slot_ring, RQ_11_size_0_is_full_and_empty)
{
    struct slot_ring *r = ring_of(0);
    unsigned freed = 0;

    CHECK(slot_ring_is_full(r));
    CHECK(slot_ring_is_empty(r));
    CHECK(!slot_ring_produce(r, element(1)));
    CHECK(slot_ring_peek(r) == NULL);
    CHECK(slot_ring_consume(r, &freed) == NULL);
    CHECK_EQ(slot_ring_flush(r), 0);
    CHECK_EQ(freed, 0);
    slot_ring_destroy(r);
}

TEST(slot_ring, RQ_12_peek_takes_nothing)
{
    struct slot_ring *r = full_ring(8);
    unsigned freed = 0;

    CHECK(slot_ring_peek(r) == element(0));
    CHECK(slot_ring_peek(r) == element(0));
    CHECK(slot_ring_consume(r, &freed) == element(0));
    CHECK(slot_ring_peek(r) == element(1));
}

TEST(slot_ring, MEM_11_nothing_asked_is_nothing_taken)
{
    struct slot_ring *r = full_ring(8);
    void *got[1] = { NULL };
    unsigned freed = 0;

    CHECK_EQ(slot_ring_consume_bulk(r, got, 0, &freed), 0);
    CHECK(got[0] == NULL);
    CHECK_EQ(freed, 0);
    CHECK(slot_ring_peek(r) == element(0));
}

TEST(slot_ring, RQ_13_consumed_is_not_freed)
{
    struct slot_ring *r = full_ring(32);
    unsigned freed = 0;

    CHECK(slot_ring_consume(r, &freed) != NULL);
    CHECK_EQ(freed, 0);
    CHECK(!slot_ring_produce(r, element(99)));
}

TEST(slot_ring, RQ_14_idle_flush_frees_a_partial_batch)
{
    struct slot_ring *r = full_ring(64);
    unsigned freed = 0;

    for (unsigned i = 0; i < 5; i++)
        CHECK(slot_ring_consume(r, &freed) != NULL);
    CHECK_EQ(freed, 0);
    CHECK_EQ(slot_ring_flush(r), 5);
    CHECK_EQ(slot_ring_flush(r), 0);
    CHECK_EQ(fill(r), 5);
    /* the next batch is a whole one again */
    for (unsigned i = 0; i < 16; i++)
        CHECK(slot_ring_consume(r, &freed) != NULL);
    CHECK_EQ(freed, 16);
}

/* 10^7 elements in all; what is told free is what can be produced. */
TEST(slot_ring, RQ_15_order_over_many_wraps)
{
    static const unsigned sizes[] = { 1, 2, 31, 32, 33, 1000 };

    srand(3);
    for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
        struct slot_ring *r = ring_of(sizes[s]);
        uint64_t in = 0, out = 0;
        unsigned space = sizes[s];

        while (out < 10000000 / ARRAY_SIZE(sizes)) {
            const unsigned n = (unsigned)rand() % 64 + 1;
            void *got[64];
            unsigned k;

            for (k = 0; k < n && slot_ring_produce(r, element(in)); k++)
                in++;
            CHECK_EQ(k, n < space ? n : space);
            space -= k;
            k = slot_ring_consume_bulk(r, got, (unsigned)rand() % 64, &space);
            for (unsigned i = 0; i < k; i++)
                CHECK(got[i] == element(out++));
            if (k == 0)
                space += slot_ring_flush(r);
        }
    }
}

TEST(slot_ring, RQ_20_empty_is_true_only_without_elements)
{
    for (unsigned size = 1; size <= 70; size++) {
        struct slot_ring *r = ring_of(size);
        unsigned freed = 0;

        for (unsigned i = 0; i < 300; i++) {
            CHECK(slot_ring_is_empty(r));
            CHECK(slot_ring_produce(r, element(i)));
            CHECK(!slot_ring_is_empty(r));
            CHECK(r->head < size && r->next < size); /* R4 */
            CHECK(slot_ring_consume(r, &freed) != NULL);
        }
    }
}

TEST(slot_ring, RQ_21_lines_of_the_two_sides)
{
    struct slot_ring *r = ring_of(64);

    CHECK_EQ((uintptr_t)r % 128, 0);
    CHECK_EQ((uintptr_t)&r->next / 128 + 1, (uintptr_t)&r->head / 128);
    CHECK_EQ((uintptr_t)&r->head / 128, (uintptr_t)&r->tail / 128);
    CHECK_EQ((uintptr_t)&r->head / 128 + 1, (uintptr_t)&r->slots / 128);
    CHECK_EQ((uintptr_t)r->slots % 128, 0);
    CHECK(frame_block_bytes(r) >= sizeof(*r) + 64 * 8 + 64); /* guard line */
}

/* ---- looking ahead: RQ-19 ---- */

TEST(slot_ring, RQ_19_looks_ahead_only_where_the_ring_is_larger)
{
    for (unsigned size = 0; size <= SLOT_RING_PROBE; size++)
        CHECK_EQ(ring_of(size)->probe, 1);
    CHECK_EQ(ring_of(SLOT_RING_PROBE + 1)->probe, SLOT_RING_PROBE);
    CHECK_EQ(ring_of(1024)->probe, SLOT_RING_PROBE);
}

/*
 * The example with 1024 slots: 64..1023 and 0..14 are taken, the consumer has
 * taken 64..79 and cleared them one after the other; @cleared of them so far.
 * The producer at 15 may use what is free, and that is no more.
 */
static void check_example(unsigned cleared)
{
    struct slot_ring *r = full_ring(1024);
    unsigned freed = 0, n;

    for (unsigned i = 0; i < 64; i++)
        CHECK(slot_ring_consume(r, &freed) != NULL);
    for (unsigned i = 0; i < 15; i++)
        CHECK(slot_ring_produce(r, element(produced++)));
    CHECK_EQ(r->next, 15);
    CHECK_EQ(r->head, 64);
    for (unsigned i = 64; i < 64 + cleared; i++)
        r->slots[i] = NULL;
    r->known_free = 0;
    n = fill(r);
    CHECK_EQ(n, 64 - 15 + cleared);
    for (unsigned i = 64 + cleared; i < 80; i++)
        CHECK(r->slots[i] == element(i)); /* not overwritten */
}

TEST(slot_ring, RQ_19_a_batch_that_is_half_cleared)
{
    for (unsigned cleared = 0; cleared <= 16; cleared++)
        check_example(cleared);
}

TEST(slot_ring, RQ_19_looking_ahead_does_not_hide_the_last_slots)
{
    for (unsigned size = 17; size <= 70; size++) {
        struct slot_ring *r = full_ring(size);
        unsigned freed = 0;

        for (unsigned round = 0; round < 40; round++) {
            freed = 0;
            for (unsigned i = 0; i < round % 17; i++)
                CHECK(slot_ring_consume(r, &freed) != NULL);
            freed += slot_ring_flush(r);
            CHECK_EQ(fill(r), freed);
        }
    }
}

TEST(slot_ring, shortage_is_null_and_destroy_gives_all_back)
{
    struct slot_ring *r = ring_of(1000);
    struct frame_stats before, after;

    frame_stats_get(&before);
    CHECK(slot_ring_create(SLOT_RING_MAX, "x") == NULL);
    CHECK(slot_ring_create(UINT32_MAX, "x") == NULL);
    CHECK_CONTAINS(host_console_text(), "at most 1073741824");
    slot_ring_destroy(slot_ring_create(5000, "x"));
    slot_ring_destroy(NULL);
    frame_stats_get(&after);
    CHECK_EQ(after.used, before.used);
    slot_ring_destroy(r);
}
