/*
 * slot_ring_mt_test.c - producer and consumer on two cores
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "mm/mm.h"
#include "mm/slot_ring.h"
#include "tests/unit/test.h"

enum { ELEMENTS = 200000 };

#define ARENA ((size_t)16 << 20)

/* What an element carries: written plainly before it is produced. */
struct payload {
    uint64_t number;
    uint64_t check;
};

static struct payload payload[ELEMENTS];
static struct slot_ring *ring;
static unsigned wrong, watched_empty;
static bool last_produced, done;

static void *consume(void *arg)
{
    const bool in_bulk = arg != NULL;
    uint64_t expected = 0;

    while (expected < ELEMENTS) {
        void *got[32];
        unsigned freed = 0, n;

        n = slot_ring_consume_bulk(ring, got, in_bulk ? 32 : 1, &freed);
        for (unsigned i = 0; i < n; i++, expected++) {
            struct payload *p = got[i];

            wrong += p->number != expected || p->check != ~expected;
            p->number = 0; /* ours now: the producer writes it no more */
        }
        if (n == 0) {
            slot_ring_flush(ring);
            sched_yield();
        }
    }
    return NULL;
}

/* A third core that only looks. */
static void *watch(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        watched_empty += slot_ring_is_empty(ring);
        sched_yield();
    }
    return NULL;
}

static void run(unsigned size, bool in_bulk, bool watched)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    pthread_t consumer, watcher;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    ring = slot_ring_create(size, "test");
    wrong = watched_empty = 0;
    done = false;
    CHECK_EQ(pthread_create(&consumer, NULL, consume, in_bulk ? &done : NULL),
             0);
    if (watched)
        CHECK_EQ(pthread_create(&watcher, NULL, watch, NULL), 0);
    for (uint64_t i = 0; i < ELEMENTS; i++) {
        payload[i] = (struct payload) { i, ~i };
        while (!slot_ring_produce(ring, &payload[i]))
            sched_yield();
    }
    pthread_join(consumer, NULL);
    __atomic_store_n(&done, true, __ATOMIC_RELEASE);
    if (watched)
        pthread_join(watcher, NULL);
    CHECK_EQ(wrong, 0);
    CHECK(slot_ring_is_empty(ring));
}

TEST(slot_ring_mt, RQ_17_order_and_payload_one_by_one)
{
    run(31, false, false);
}

TEST(slot_ring_mt, RQ_17_order_and_payload_in_batches)
{
    run(64, true, false);
}

TEST(slot_ring_mt, RQ_17_a_ring_that_is_not_a_multiple_of_the_batch)
{
    run(1000, true, false);
}

TEST(slot_ring_mt, RQ_20_a_third_core_may_ask_whether_it_is_empty)
{
    run(33, true, true);
}

/* Once the last element is in and stays, the answer is "not empty". */
static void *ask_until_filled(void *arg)
{
    unsigned *asked = arg;

    while (!__atomic_load_n(&last_produced, __ATOMIC_ACQUIRE))
        sched_yield();
    for (unsigned i = 0; i < 100; i++)
        *asked += slot_ring_is_empty(ring);
    return NULL;
}

TEST(slot_ring_mt, RQ_20_never_empty_after_the_last_produce)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    ring = slot_ring_create(33, "test");
    for (unsigned round = 0; round < 200; round++) {
        unsigned asked = 0, freed = 0;
        pthread_t thread;

        last_produced = false;
        CHECK_EQ(pthread_create(&thread, NULL, ask_until_filled, &asked), 0);
        CHECK(slot_ring_produce(ring, &payload[round]));
        __atomic_store_n(&last_produced, true, __ATOMIC_RELEASE);
        pthread_join(thread, NULL);
        CHECK_EQ(asked, 0);
        CHECK(slot_ring_consume(ring, &freed) == &payload[round]);
    }
}

/* ---- many on each side, under locks ---- */

enum { SIDE = 2, EACH = 1000 };

static struct payload many[SIDE][EACH];
static unsigned consumed;

static void *produce_some(void *arg)
{
    struct payload *mine = many[(uintptr_t)arg];

    for (unsigned i = 0; i < EACH; i++) {
        mine[i] = (struct payload) { i, ~(uint64_t)i };
        while (!slot_ring_produce(ring, &mine[i]))
            sched_yield();
        if (i % 16 == 15)
            sched_yield();
    }
    return NULL;
}

/* Which of the two arrays an element is in, and where. */
static void *consume_some(void *arg)
{
    unsigned *mistakes = arg;
    unsigned next[SIDE] = { 0 };

    while (__atomic_load_n(&consumed, __ATOMIC_RELAXED) < SIDE * EACH) {
        void *got[8];
        unsigned freed = 0;
        const unsigned n = slot_ring_consume_bulk(ring, got, 8, &freed);

        for (unsigned i = 0; i < n; i++) {
            struct payload *p = got[i];
            const unsigned from = p >= many[1];

            *mistakes += p->check != ~p->number || p->number < next[from];
            next[from] = (unsigned)p->number + 1;
            p->check = p->number; /* nobody may see it again */
        }
        __atomic_fetch_add(&consumed, n, __ATOMIC_RELAXED);
        if (n == 0) {
            slot_ring_flush(ring);
            sched_yield();
        }
    }
    return NULL;
}

static void run_many(enum lock_kind kind, unsigned resizes)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    unsigned mistakes[SIDE] = { 0 };
    pthread_t threads[2 * SIDE];

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    ring = slot_ring_create(64, "test");
    slot_ring_locks_set(ring, kind, kind);
    consumed = 0;
    for (uintptr_t i = 0; i < SIDE; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, produce_some, (void *)i), 0);
        CHECK_EQ(pthread_create(&threads[SIDE + i], NULL, consume_some,
                                &mistakes[i]),
                 0);
    }
    for (unsigned i = 0; i < resizes; i++) {
        /* never smaller than before, so that nothing is dropped */
        CHECK_EQ(slot_ring_resize(ring, 65 + i, NULL, NULL), OK);
        sched_yield();
    }
    for (unsigned i = 0; i < 2 * SIDE; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(consumed, SIDE * EACH);
    CHECK_EQ(mistakes[0] + mistakes[1], 0);
    CHECK(slot_ring_is_empty(ring));
}

TEST(slot_ring_mt, RQ_18_two_and_two_under_ticket_locks)
{
    run_many(LOCK_TICKET, 0);
}

TEST(slot_ring_mt, RQ_18_two_and_two_under_compare_and_swap_locks)
{
    run_many(LOCK_CAS, 0);
}

TEST(slot_ring_mt, RQ_18_two_and_two_under_queue_locks)
{
    run_many(LOCK_QUEUE, 0);
}

TEST(slot_ring_mt, RQ_22_resized_while_in_use)
{
    run_many(LOCK_CAS, 20);
}
