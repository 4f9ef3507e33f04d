/*
 * pair.c - a second core that does as it is told
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include <x86intrin.h>

#include <millrace/compiler.h>

#include "tests/bench/dpdk/side.h"

enum order { WAIT, PUSH, BEGUN, DONE, STOP };

static struct {
    unsigned order __attribute__((aligned(2 * CACHE_LINE)));
    pair_push *push;
    void *ring;
    pthread_t thread __attribute__((aligned(2 * CACHE_LINE)));
} pair;

static unsigned order_now(void)
{
    return __atomic_load_n(&pair.order, __ATOMIC_ACQUIRE);
}

static void order_set(enum order order)
{
    __atomic_store_n(&pair.order, order, __ATOMIC_RELEASE);
}

static void order_wait(enum order order)
{
    while (order_now() != order)
        _mm_pause();
}

static void *obey(void *unused)
{
    for (;;) {
        while (order_now() != PUSH && order_now() != STOP)
            _mm_pause();
        if (order_now() == STOP)
            return unused;
        order_set(BEGUN);
        pair.push(pair.ring);
        order_set(DONE);
    }
}

void pair_start(unsigned core)
{
    pthread_attr_t attributes;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    order_set(WAIT);
    /* On its core from the start: ours may be too busy to let it move. */
    if (pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) != 0 ||
        pthread_create(&pair.thread, &attributes, obey, NULL) != 0)
        give_up("pair", "no thread for the second core");
    (void)pthread_attr_destroy(&attributes);
}

void pair_stop(void)
{
    order_set(STOP);
    (void)pthread_join(pair.thread, NULL);
}

void pair_begin(pair_push *push, void *ring)
{
    pair.push = push;
    pair.ring = ring;
    order_set(PUSH);
    while (order_now() == PUSH)
        _mm_pause();
}

void pair_end(void)
{
    order_wait(DONE);
}

/* ---- how far is it? ---- */

enum { TRIPS = 64, SERIES = 8 };

static void bounce(void *ball)
{
    unsigned *at = ball;

    for (unsigned i = 0; i < TRIPS * SERIES; i++) {
        while (__atomic_load_n(at, __ATOMIC_ACQUIRE) != 2 * i + 1)
            ;
        __atomic_store_n(at, 2 * i + 2, __ATOMIC_RELEASE);
    }
}

double pair_distance(void)
{
    static unsigned ball __attribute__((aligned(2 * CACHE_LINE)));
    double least = 0;

    ball = 0;
    pair_begin(bounce, &ball);
    for (unsigned s = 0; s < SERIES; s++) {
        const uint64_t from = __rdtsc();
        double took;

        for (unsigned i = s * TRIPS; i < (s + 1) * TRIPS; i++) {
            __atomic_store_n(&ball, 2 * i + 1, __ATOMIC_RELEASE);
            while (__atomic_load_n(&ball, __ATOMIC_ACQUIRE) != 2 * i + 2)
                ;
        }
        took = (double)(__rdtsc() - from) / TRIPS;
        if (s == 0 || took < least)
            least = took;
    }
    pair_end();
    return least;
}
