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
