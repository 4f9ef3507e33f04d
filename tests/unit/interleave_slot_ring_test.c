/*
 * interleave_slot_ring_test.c - the slot ring in every order that its declared
 * memory orders allow; each of them is needed
 *
 * Rings of 1 to 4 slots, batches and look-ahead of 1 or 2. A thread is a string:
 * P produce, Q produce two, C consume, D consume two, F flush, e ask whether it
 * is empty.
 */
#include "tests/host/interleave_hooks.h"

#include <stdio.h>

#include "mm/slot_ring.c"
#include "tests/host/interleave.h"
#include "tests/unit/test.h"

enum { CELLS = 8, SLOTS = 4 };

/* One slot more than the array may ever use: nobody may touch it. */
static void *slots[SLOTS + 1];
static struct slot_ring ring;

/* Written plainly before it is produced, read plainly after it was consumed. */
static int payload[INTERLEAVE_THREADS][CELLS];

static struct record {
    unsigned produced, consumed, freed;
    int *got[CELLS];
    bool bad_payload, empty_last;
} records[INTERLEAVE_THREADS];

static struct scene {
    unsigned size, batch, probe;
    enum lock_kind producer, consumer;
    const char *script[INTERLEAVE_THREADS];
} scene;

/* NULL, or a consumer's step with a mistake, as it might have been written. */
static unsigned (*mistaken_step)(struct slot_ring *r);

static void start(void)
{
    memset(&ring, 0, sizeof(ring));
    memset(slots, 0, sizeof(slots));
    memset(payload, 0, sizeof(payload));
    memset(records, 0, sizeof(records));
    install(&ring, slots, scene.size);
    ring.batch = scene.batch;
    ring.probe = scene.probe;
    slot_ring_locks_set(&ring, scene.producer, scene.consumer);
    interleave_forbid(&slots[scene.size]);
}

static int right_value(const int *cell)
{
    return 100 + (int)(cell - &payload[0][0]);
}

static void produce(struct record *me, unsigned n)
{
    void *from[2];

    for (unsigned i = 0; i < n; i++) {
        int *cell = &payload[me - records][me->produced + i];

        plain_store(cell, right_value(cell));
        from[i] = cell;
    }
    me->produced += slot_ring_produce_bulk(&ring, from, n);
}

static unsigned consume_mistakenly(void *out[], unsigned *freed)
{
    out[0] = slot_ring_oldest(&ring);
    if (out[0] == NULL)
        return 0;
    *freed += mistaken_step(&ring);
    return 1;
}

static void consume(struct record *me, unsigned n)
{
    void *out[2];

    if (mistaken_step != NULL)
        n = consume_mistakenly(out, &me->freed);
    else
        n = slot_ring_consume_bulk(&ring, out, n, &me->freed);
    for (unsigned i = 0; i < n; i++) {
        int *cell = out[i];

        me->bad_payload |= plain_load(cell) != right_value(cell);
        me->got[me->consumed++] = cell;
    }
}

static void act(unsigned id)
{
    struct record *me = &records[id];

    for (const char *s = scene.script[id]; *s != 0; s++) {
        if (*s == 'P' || *s == 'Q')
            produce(me, *s == 'P' ? 1 : 2);
        else if (*s == 'C' || *s == 'D')
            consume(me, *s == 'C' ? 1 : 2);
        else if (*s == 'F')
            me->freed += slot_ring_flush(&ring);
        else
            me->empty_last = slot_ring_is_empty(&ring);
    }
}

static void act_0(void)
{
    act(0);
}

static void act_1(void)
{
    act(1);
}

static void act_2(void)
{
    act(2);
}

/* What is still inside, oldest first, goes to thread 3's record. */
static void drain(void)
{
    struct record *rest = &records[3];
    void *cell;

    while (rest->consumed < CELLS &&
           slot_ring_take(&ring, &cell, 1, &rest->freed) != 0)
        rest->got[rest->consumed++] = cell;
}

static const char *wrong_order(void)
{
    for (unsigned t = 0; t < INTERLEAVE_THREADS; t++)
        for (unsigned i = 0; i < records[t].consumed; i++)
            for (unsigned k = 0; k < i; k++)
                if (records[t].got[k] >= records[t].got[i] &&
                    (records[t].got[k] - &payload[0][0]) / CELLS ==
                        (records[t].got[i] - &payload[0][0]) / CELLS)
                    return "one producer's elements out of order";
    return NULL;
}

static const char *wrong(void)
{
    unsigned in = 0, out = 0;

    drain();
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++) {
        in += records[i].produced;
        out += records[i].consumed;
        if (records[i].bad_payload)
            return "an element without its payload";
    }
    if (in != out)
        return "an element lost or twice";
    return wrong_order();
}

static struct interleave_result try_scene(void)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED,
        start,
        { act_0, scene.script[1] ? act_1 : NULL,
          scene.script[2] ? act_2 : NULL },
        wrong,
    };

    return interleave_try(&what);
}

static void check_holds(struct scene of)
{
    struct interleave_result result;

    scene = of;
    mistaken_step = NULL;
    result = try_scene();
    if (result.wrong != NULL) {
        printf("%u/%u/%u: %s | %s: %s\n", of.size, of.batch, of.probe,
               of.script[0], of.script[1], result.wrong);
        interleave_print_last();
    }
    CHECK(result.wrong == NULL);
    CHECK(result.runs > 1); /* it did try */
}

static void check_needed(struct scene of, const void *p, unsigned accesses)
{
    scene = of;
    mistaken_step = NULL;
    interleave_weaken(p, accesses, INTERLEAVE_ALL);
    CHECK(try_scene().wrong != NULL);
    interleave_strengthen();
}

#define N LOCK_NONE

TEST(interleave_slot_ring, RQ_17_one_and_one)
{
    for (unsigned size = 1; size <= SLOTS; size++)
        for (unsigned batch = 1; batch <= (size + 1) / 2; batch++)
            for (unsigned probe = 1; probe < size || probe == 1; probe++) {
                check_holds((struct scene) {
                    size, batch, probe, N, N, { "PPPP", "CCCC" } });
                check_holds((struct scene) {
                    size, batch, probe, N, N, { "PPPPP", "CFCFC" } });
                check_holds((struct scene) {
                    size, batch, probe, N, N, { "QPQ", "DDC" } });
            }
}

TEST(interleave_slot_ring, RQ_17_publication_before_the_payload_is_found)
{
    check_needed((struct scene) { 2, 1, 1, N, N, { "PP", "CC" } }, &slots[0],
                 INTERLEAVE_STORE);
    check_needed((struct scene) { 2, 1, 1, N, N, { "PP", "CC" } }, &slots[0],
                 INTERLEAVE_LOAD);
}

/* ---- look-ahead and clearing (RQ-19) ---- */

/* The ring's step, but the batch is cleared from its end. */
static unsigned clear_downwards(struct slot_ring *r)
{
    const unsigned head = r->head + 1;
    const bool at_end = head == r->size;
    const unsigned freed = head - plain_load(&r->tail);

    if (at_end || freed >= r->batch) {
        for (unsigned i = head; i-- > plain_load(&r->tail);)
            __atomic_store_n(&r->slots[i], NULL, __ATOMIC_RELEASE);
        plain_store(&r->tail, at_end ? 0 : head);
    }
    __atomic_store_n(&r->head, at_end ? 0 : head, __ATOMIC_RELEASE);
    return freed;
}

TEST(interleave_slot_ring, RQ_19_looking_ahead_of_downward_clearing_is_found)
{
    scene = (struct scene) { 4, 2, 2, N, N, { "PPPPPP", "CCCC" } };
    mistaken_step = clear_downwards;
    CHECK(try_scene().wrong != NULL);
    scene.probe = 1; /* without looking ahead the direction does not matter */
    CHECK(try_scene().wrong == NULL);
    check_holds((struct scene) { 4, 2, 2, N, N, { "PPPPPP", "CCCC" } });
}

/* ---- anybody asks whether it is empty (RQ-20) ---- */

TEST(interleave_slot_ring, RQ_20_asking_never_looks_outside)
{
    check_holds((struct scene) { 2, 1, 1, N, N, { "PPP", "CCC", "ee" } });
    check_holds((struct scene) { 2, 1, 1, N, N, { "QP", "DC", "ee" } });
    check_holds((struct scene) { 3, 1, 2, N, N, { "PPP", "CCC", "ee" } });
}

/* Publishes head before it is wrapped. */
static unsigned publish_too_early(struct slot_ring *r)
{
    const unsigned head = r->head + 1;

    __atomic_store_n(&r->head, head, __ATOMIC_RELEASE);
    return slot_ring_clear(r, head);
}

TEST(interleave_slot_ring, RQ_20_an_index_outside_that_was_published_is_found)
{
    scene = (struct scene) { 2, 1, 1, N, N, { "PPP", "CCC", "ee" } };
    mistaken_step = publish_too_early;
    CHECK_STR(try_scene().wrong, "an access outside");
}

/* Who produced more than can have come out hears that it is not empty. */
static const char *wrong_about_empty(void)
{
    return records[0].empty_last ? "empty, after the last produce" : wrong();
}

TEST(interleave_slot_ring, RQ_20_never_empty_after_the_last_produce)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { act_0, act_1 }, wrong_about_empty
    };

    mistaken_step = NULL;
    for (unsigned size = 2; size <= SLOTS; size++) {
        /* all fit, one stays */
        scene = (struct scene) { size, 1, 1, N, N, { "PPPPe", "CCC" } };
        scene.script[0] += SLOTS - size;
        scene.script[1] += SLOTS - size;
        CHECK(interleave_try(&what).wrong == NULL);
        scene.script[0] = "Pe"; /* it may have come out */
        scene.script[1] = "C";
        CHECK_STR(interleave_try(&what).wrong, "empty, after the last produce");
    }
}

/* The order in slot_ring_clear() on which that rests, turned round. */
static unsigned index_last(struct slot_ring *r)
{
    const unsigned head = r->head + 1;

    __atomic_store_n(&r->slots[head - 1], NULL, __ATOMIC_RELEASE);
    plain_store(&r->tail, head == r->size ? 0 : head);
    __atomic_store_n(&r->head, head == r->size ? 0 : head, __ATOMIC_RELEASE);
    return 1;
}

TEST(interleave_slot_ring, RQ_20_clearing_before_the_index_moves_is_found)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { act_0, act_1 }, wrong_about_empty
    };

    mistaken_step = index_last;
    scene = (struct scene) { 2, 1, 1, N, N, { "PPe", "C" } };
    CHECK_STR(interleave_try(&what).wrong, "empty, after the last produce");
}

/* ---- many cores on a side, and roles that change ---- */

static void check_side_locks(enum lock_kind kind)
{
    check_holds((struct scene) { 2, 1, 1, kind, N, { "P", "PP", "CC" } });
    check_holds((struct scene) { 4, 2, 2, kind, N, { "P", "PP", "CC" } });
    check_holds((struct scene) { 2, 1, 1, N, kind, { "PPP", "C", "CC" } });
    check_holds((struct scene) { 4, 2, 2, N, kind, { "PPP", "C", "CF" } });
}

TEST(interleave_slot_ring, RQ_18_ticket_locks)
{
    check_side_locks(LOCK_TICKET);
}

TEST(interleave_slot_ring, RQ_18_compare_and_swap_locks)
{
    check_side_locks(LOCK_CAS);
}

TEST(interleave_slot_ring, RQ_18_queue_locks)
{
    check_side_locks(LOCK_QUEUE);
}

TEST(interleave_slot_ring, RQ_18_without_a_lock_it_is_found)
{
    mistaken_step = NULL;
    scene = (struct scene) { 2, 1, 1, N, N, { "P", "P" } };
    CHECK(try_scene().wrong != NULL);
    scene = (struct scene) { 4, 2, 1, N, N, { "PP", "C", "C" } };
    CHECK(try_scene().wrong != NULL);
}

TEST(interleave_slot_ring, RQ_24_role_change)
{
    check_holds(
        (struct scene) { 2, 1, 1, LOCK_TICKET, LOCK_TICKET, { "PC", "CP" } });
    check_holds(
        (struct scene) { 3, 1, 2, LOCK_CAS, LOCK_CAS, { "PPC", "CP" } });
}

/* ---- put back, while the producer goes on ---- */

static void drop(void *element, void *context)
{
    struct record *me = context;

    me->got[me->consumed++] = element;
}

static void consume_and_put_back(void)
{
    void *batch[2];
    unsigned freed = 0;
    const unsigned n = slot_ring_consume_bulk(&ring, batch, 2, &freed);

    slot_ring_unconsume(&ring, batch, n, drop, &records[1]);
}

TEST(interleave_slot_ring, RQ_23_put_back_beside_a_producer)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { act_0, consume_and_put_back }, wrong
    };

    for (unsigned size = 2; size <= SLOTS; size++) {
        scene = (struct scene) { size,        1,        size - 1,
                                 LOCK_TICKET, LOCK_CAS, { "PPPPP" } };
        CHECK(interleave_try(&what).wrong == NULL);
        scene.producer = N; /* then producers must be quiet */
        CHECK(interleave_try(&what).wrong != NULL);
    }
}
