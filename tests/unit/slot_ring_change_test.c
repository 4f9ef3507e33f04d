/*
 * slot_ring_change_test.c - rows RQ-*: another size, elements put back, locks
 */
#include "mm/frame.h"
#include "tests/unit/slot_ring_rig.h"

static struct dropped {
    void *element[1024];
    unsigned n;
} dropped;

static void drop(void *what, void *context)
{
    struct dropped *d = context;

    d->element[d->n++] = what;
}

static void check_resize(struct slot_ring *r, unsigned size)
{
    dropped.n = 0;
    CHECK_EQ(slot_ring_resize(r, size, drop, &dropped), OK);
}

TEST(slot_ring_change, RQ_22_resize_1000_to_10_keeps_the_oldest)
{
    struct slot_ring *r = full_ring(1000);
    unsigned freed = 0;

    check_resize(r, 10);
    CHECK_EQ(dropped.n, 990);
    for (unsigned i = 0; i < 990; i++)
        CHECK(dropped.element[i] == element(10 + i));
    CHECK(slot_ring_is_full(r));
    for (unsigned i = 0; i < 10; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK(slot_ring_is_empty(r));
    CHECK_EQ(freed, 10);
}

TEST(slot_ring_change, RQ_22_resize_to_0_empties)
{
    struct slot_ring *r = full_ring(40);

    check_resize(r, 0);
    CHECK_EQ(dropped.n, 40);
    CHECK(slot_ring_is_empty(r));
    CHECK(slot_ring_is_full(r));
    CHECK(!slot_ring_produce(r, element(1)));
    check_resize(r, 33); /* and back to life */
    CHECK_EQ(dropped.n, 0);
    CHECK_EQ(fill(r), 33);
    slot_ring_destroy(r);
}

/* From the middle of the array, with a batch half consumed, larger. */
TEST(slot_ring_change, RQ_22_resize_across_the_end_of_the_array)
{
    struct slot_ring *r = full_ring(40);
    unsigned freed = 0;

    for (unsigned i = 0; i < 21; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK_EQ(fill(r), 16);
    check_resize(r, 64);
    CHECK_EQ(dropped.n, 0);
    CHECK_EQ(r->probe, SLOT_RING_PROBE);
    CHECK_EQ(fill(r), 64 - (40 - 21 + 16));
    for (unsigned i = 21; i < 21 + 64; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK(slot_ring_is_empty(r));
}

TEST(slot_ring_change, RQ_22_what_was_known_of_the_old_array_is_forgotten)
{
    struct slot_ring *r = ring_of(100);
    unsigned freed = 0;

    for (produced = 0; produced < 10; produced++)
        CHECK(slot_ring_produce(r, element(produced)));
    check_resize(r, 12);
    CHECK_EQ(fill(r), 2);
    for (unsigned i = 0; i < 12; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
}

TEST(slot_ring_change, RQ_22_a_refused_resize_changes_nothing)
{
    struct slot_ring *r = full_ring(40);
    unsigned freed = 0;

    dropped.n = 0;
    CHECK_EQ(slot_ring_resize(r, SLOT_RING_MAX, drop, &dropped), E_NOMEM);
    CHECK_EQ(slot_ring_resize(r, SLOT_RING_MAX + 1, drop, &dropped), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "slot ring: cannot have 1073741825");
    CHECK_EQ(dropped.n, 0);
    CHECK_EQ(r->size, 40);
    for (unsigned i = 0; i < 40; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
}

TEST(slot_ring_change, RQ_22_arrays_are_given_back)
{
    struct slot_ring *r = ring_of(100);
    struct frame_stats before, after;

    frame_stats_get(&before);
    for (unsigned i = 0; i < 10; i++)
        check_resize(r, 100 + 1000 * i);
    slot_ring_destroy(r);
    r = slot_ring_create(100, "x");
    frame_stats_get(&after);
    CHECK_EQ(after.used, before.used);
}

TEST(slot_ring_change, RQ_23_put_back_with_too_little_room)
{
    struct slot_ring *r = full_ring(8);
    void *batch[3];
    unsigned freed = 0;

    CHECK_EQ(slot_ring_consume_bulk(r, batch, 3, &freed), 3);
    CHECK(slot_ring_produce(r, element(produced++)));
    dropped.n = 0;
    slot_ring_unconsume(r, batch, 3, drop, &dropped); /* two slots are free */
    CHECK_EQ(dropped.n, 1);
    CHECK(dropped.element[0] == element(0));
    CHECK(slot_ring_is_full(r));
    for (unsigned i = 1; i < 9; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK(slot_ring_is_empty(r));
}

/* The slots behind those that the producer knew to be free are taken away. */
TEST(slot_ring_change, RQ_23_put_back_into_slots_that_were_looked_at)
{
    for (unsigned size = 17; size <= 40; size++) {
        struct slot_ring *r = full_ring(size);
        void *batch[40];
        unsigned freed = 0, fitted;

        CHECK_EQ(slot_ring_consume_bulk(r, batch, 20, &freed),
                 size < 20 ? size : 20);
        freed += slot_ring_flush(r);
        CHECK(slot_ring_produce(r, element(produced++)));
        dropped.n = 0;
        slot_ring_unconsume(r, batch, freed, drop, &dropped);
        CHECK_EQ(dropped.n, 1);
        fitted = fill(r);
        CHECK_EQ(fitted, 0);
        for (unsigned i = 1; i <= size; i++)
            CHECK(slot_ring_consume(r, &freed) == element(i));
    }
}

TEST(slot_ring_change, RQ_23_put_back_clears_what_is_due_first)
{
    struct slot_ring *r = full_ring(64);
    void *batch[5];
    unsigned freed = 0;

    CHECK_EQ(slot_ring_consume_bulk(r, batch, 5, &freed), 5);
    CHECK_EQ(freed, 0);
    dropped.n = 0;
    slot_ring_unconsume(r, batch, 5, drop, &dropped);
    CHECK_EQ(dropped.n, 0);
    CHECK_EQ(fill(r), 0);
    for (unsigned i = 0; i < 64; i++)
        CHECK(slot_ring_consume(r, &freed) == element(i));
    CHECK_EQ(freed, 64);
}

TEST(slot_ring_change, RQ_23_put_back_into_no_ring_drops_all_in_order)
{
    struct slot_ring *r = full_ring(0);
    void *batch[3] = { element(0), element(1), element(2) };

    dropped.n = 0;
    slot_ring_unconsume(r, batch, 3, drop, &dropped);
    CHECK_EQ(dropped.n, 3);
    CHECK_BYTES(dropped.element, batch, sizeof(batch));
}

/* ---- locks ---- */

TEST(slot_ring_change, RQ_28_any_lock_on_either_side_changes_nothing_else)
{
    for (unsigned k = 0; k < 16; k++) {
        struct slot_ring *r = ring_of(40);
        void *batch[2];
        unsigned freed = 0;

        slot_ring_locks_set(r, k / 4, k % 4);
        produced = 0;
        CHECK_EQ(fill(r), 40);
        CHECK_EQ(slot_ring_consume_bulk(r, batch, 2, &freed), 2);
        CHECK(slot_ring_peek(r) == element(2));
        slot_ring_unconsume(r, batch, 2, drop, &dropped);
        CHECK_EQ(slot_ring_flush(r), 0);
        check_resize(r, 20);
        CHECK_EQ(dropped.n, 20);
        for (unsigned i = 0; i < 20; i++)
            CHECK(slot_ring_consume(r, &freed) == element(i));
        CHECK(slot_ring_is_empty(r));
    }
}

TEST(slot_ring_change, bulk_produce_ends_at_a_null_and_when_full)
{
    struct slot_ring *r = ring_of(3);
    void *in[4] = { element(0), NULL, element(1), element(2) };

    CHECK_EQ(slot_ring_produce_bulk(r, in, 4), 1);
    in[1] = in[0];
    CHECK_EQ(slot_ring_produce_bulk(r, in, 0), 0);
    CHECK_EQ(slot_ring_produce_bulk(r, in, 4), 2);
    CHECK_EQ(slot_ring_produce_bulk(r, in, 4), 0);
}
