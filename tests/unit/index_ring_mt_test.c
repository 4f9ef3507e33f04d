/*
 * index_ring_mt_test.c - the index ring between threads: order, payload, nothing
 * lost, nothing twice
 *
 * With fewer cores than threads a thread may lose its core between claim and
 * tail, and its peers then spin for a time slice; hence the modest numbers.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "mm/index_ring.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

enum { THREADS_MAX = 4, ELEMENTS = 100000 };

#define ARENA ((size_t)16 << 20)

/* What an element carries: written plainly before it is pushed. */
struct payload {
    unsigned producer, number, check;
};

static struct payload payload[THREADS_MAX][ELEMENTS];

static struct bench {
    struct index_ring *ring;
    unsigned producers, elements; /* each */
    unsigned bulk;
    unsigned popped; /* all consumers */
} bench;

static struct verdict {
    unsigned wrong;
    uint64_t sum;
} verdicts[THREADS_MAX];

static void *produce(void *arg)
{
    const unsigned id = (unsigned)(uintptr_t)arg;

    for (unsigned i = 0; i < bench.elements;) {
        void *from[32];
        unsigned n =
            bench.elements - i < bench.bulk ? bench.elements - i : bench.bulk;

        for (unsigned k = 0; k < n; k++) {
            payload[id][i + k] = (struct payload) { id, i + k, ~(i + k) };
            from[k] = &payload[id][i + k];
        }
        n = i % 3 == 0 ? index_ring_push_bulk(bench.ring, from, n, NULL)
                       : index_ring_push_burst(bench.ring, from, n, NULL);
        i += n;
        if (n == 0)
            sched_yield();
    }
    return NULL;
}

/* Numbers of each producer only grow; the payload is complete. */
static void take(struct verdict *me, unsigned next[], struct payload *p)
{
    me->wrong += p->check != ~p->number || p->number < next[p->producer];
    next[p->producer] = p->number + 1;
    me->sum += p->producer * UINT64_C(1000003) + p->number;
    p->number = 0; /* ours now: nobody else may see it again */
    p->check = 0;
}

static void *consume(void *arg)
{
    struct verdict *me = &verdicts[(uintptr_t)arg];
    unsigned next[THREADS_MAX] = { 0 };

    for (;;) {
        void *to[32];
        unsigned left;
        const unsigned n =
            index_ring_pop_burst(bench.ring, to, bench.bulk, &left);

        me->wrong += left > bench.ring->capacity;
        for (unsigned i = 0; i < n; i++)
            take(me, next, to[i]);
        if (__atomic_add_fetch(&bench.popped, n, __ATOMIC_RELAXED) ==
            bench.producers * bench.elements)
            return NULL;
        if (n == 0)
            sched_yield();
    }
}

static void open_ring(unsigned size, unsigned flags)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    CHECK_EQ(
        index_ring_create(&bench.ring, size, flags | INDEX_RING_EXACT, "test"),
        OK);
}

static void run(unsigned producers, unsigned consumers, unsigned elements,
                unsigned size, unsigned bulk)
{
    pthread_t threads[2 * THREADS_MAX];
    uint64_t sum = 0, expected = 0;

    open_ring(size, (producers > 1 ? INDEX_RING_MANY_PRODUCERS : 0) |
                        (consumers > 1 ? INDEX_RING_MANY_CONSUMERS : 0));
    bench.producers = producers;
    bench.elements = elements;
    bench.bulk = bulk;
    bench.popped = 0;
    memset(verdicts, 0, sizeof(verdicts));
    for (uintptr_t i = 0; i < producers + consumers; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL,
                                i < producers ? produce : consume,
                                (void *)(i < producers ? i : i - producers)),
                 0);
    for (unsigned i = 0; i < producers + consumers; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < consumers; i++) {
        CHECK_EQ(verdicts[i].wrong, 0);
        sum += verdicts[i].sum;
    }
    for (unsigned p = 0; p < producers; p++)
        expected += elements * (p * UINT64_C(1000003)) +
                    (uint64_t)elements * (elements - 1) / 2;
    CHECK_EQ(sum, expected);
    CHECK_EQ(index_ring_count(bench.ring), 0);
}

TEST(index_ring_mt, RQ_17_one_and_one)
{
    run(1, 1, 20000, 1, 1);
    run(1, 1, ELEMENTS, 33, 1);
    run(1, 1, ELEMENTS, 100, 32);
}

TEST(index_ring_mt, RQ_18_two_and_two)
{
    run(2, 2, 8000, 3, 1);
    run(2, 2, 20000, 33, 8);
}

TEST(index_ring_mt, RQ_18_four_and_four)
{
    run(4, 4, 4000, 15, 4);
    run(4, 4, 4000, 100, 32);
}

TEST(index_ring_mt, RQ_18_many_on_one_side)
{
    run(4, 1, 4000, 33, 8);
    run(1, 4, 8000, 33, 8);
}

/* ---- each thread produces, then consumes, over and over ---- */

static void *both_roles(void *arg)
{
    const unsigned id = (unsigned)(uintptr_t)arg;
    struct verdict *me = &verdicts[id];

    for (unsigned i = 0; i < bench.elements; i++) {
        void *element = &payload[id][i];
        unsigned left;

        payload[id][i] = (struct payload) { id, i, ~i };
        while (index_ring_push_bulk(bench.ring, &element, 1, &left) == 0)
            sched_yield();
        me->wrong += left >= bench.ring->capacity;
        me->wrong += index_ring_count(bench.ring) > bench.ring->capacity;
        while (index_ring_pop_bulk(bench.ring, &element, 1, &left) == 0)
            sched_yield();
        me->wrong += left > bench.ring->capacity;
        me->wrong += ((struct payload *)element)->check !=
                     ~((struct payload *)element)->number;
    }
    return NULL;
}

TEST(index_ring_mt, RQ_24_roles_change)
{
    pthread_t threads[THREADS_MAX];

    open_ring(7, INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS);
    bench.elements = 1500;
    memset(verdicts, 0, sizeof(verdicts));
    for (uintptr_t i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, both_roles, (void *)i), 0);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(verdicts[i].wrong, 0);
    }
    CHECK_EQ(index_ring_count(bench.ring), 0);
}

/* One user a side, and the side goes to another core. */
static void *pop_the_rest(void *arg)
{
    unsigned *next = arg;
    void *element;

    while (index_ring_pop(bench.ring, &element)) {
        struct payload *p = element;

        verdicts[0].wrong += p->number != (*next)++;
    }
    return NULL;
}

TEST(index_ring_mt, RQ_24_another_core_takes_over_consuming)
{
    open_ring(7, 0);
    memset(verdicts, 0, sizeof(verdicts));
    for (unsigned round = 0; round < 200; round++) {
        unsigned next = 0;
        pthread_t thread;
        void *element;

        for (unsigned i = 0; i < 7; i++) {
            payload[0][i] = (struct payload) { 0, i, ~i };
            CHECK(index_ring_push(bench.ring, &payload[0][i]));
        }
        for (unsigned i = 0; i < round % 7; i++, next++) {
            CHECK(index_ring_pop(bench.ring, &element));
            CHECK(element == &payload[0][next]);
        }
        CHECK_EQ(pthread_create(&thread, NULL, pop_the_rest, &next), 0);
        pthread_join(thread, NULL);
        CHECK_EQ(next, 7);
        CHECK_EQ(index_ring_room(bench.ring), 7);
    }
    CHECK_EQ(verdicts[0].wrong, 0);
}
