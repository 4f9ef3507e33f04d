/*
 * work.h - the loops around the calls, the same text for both sides
 *
 * A side defines, before it includes this,
 *
 *   WORK_POOL, WORK_RING     its types
 *   WORK_GET(pool, out, n)   true when it got them     WORK_PUT(pool, in, n)
 *   WORK_ALLOC(pool, out, n), WORK_FREE(in, n)         fresh packets
 *   WORK_PUSH(ring, in, n), WORK_POP(ring, out, n)     true when it did
 *
 * All is inline and the numbers are constants, so each row has code of its own.
 */
#include <stdbool.h>
#include <stdint.h>

#include <immintrin.h>

#include <millrace/compiler.h>

#include "tests/bench/dpdk/rows.h"
#include "tests/bench/dpdk/side.h"
#include "tests/bench/dpdk/walk.h"

#define WORK_HELD_MAX 2048

/* The compiler knows nothing of what is in @array any more. */
#define WORK_HIDE(array) __asm__("" : "+m"(array))

/* In the caller's hands. */
static void *work_held[WORK_HELD_MAX] __attribute__((aligned(64)));

static always_inline void work_pool(const char *row, WORK_POOL *pool,
                                    unsigned n, unsigned flight,
                                    unsigned objects)
{
    for (unsigned turn = 0; turn < objects / flight; turn++) {
        for (unsigned i = 0; i < flight; i += n)
            if (unlikely(!WORK_GET(pool, &work_held[i], n)))
                give_up(row, "the pool is empty");
        for (unsigned i = 0; i < flight; i += n)
            WORK_PUT(pool, &work_held[i], n);
    }
}

static always_inline void work_mbuf(const char *row, WORK_POOL *pool,
                                    unsigned n, unsigned flight,
                                    unsigned objects)
{
    for (unsigned turn = 0; turn < objects / flight; turn++) {
        for (unsigned i = 0; i < flight; i += n)
            if (unlikely(!WORK_ALLOC(pool, &work_held[i], n)))
                give_up(row, "the pool is empty");
        for (unsigned i = 0; i < flight; i += n)
            WORK_FREE(&work_held[i], n);
    }
}

static always_inline void work_walk(const char *row, WORK_POOL *pool)
{
    const struct walk *walk = walk_get();
    unsigned held = 0;

    for (unsigned i = 0; i < walk->steps; i++) {
        const int step = walk->step[i];

        if (step > 0) {
            if (unlikely(!WORK_GET(pool, &work_held[held], (unsigned)step)))
                give_up(row, "the pool is empty");
            held += (unsigned)step;
        } else {
            held -= (unsigned)-step;
            WORK_PUT(pool, &work_held[held], (unsigned)-step);
        }
    }
}

/* Elements are numbers; what comes out must be what went in. */
static always_inline void work_ring(const char *row, WORK_RING *ring,
                                    unsigned n, unsigned objects)
{
    void *in[32], *out[32];
    uintptr_t next = 1, sum = 0;

    for (unsigned i = 0; i < n; i++)
        in[i] = (void *)next++;
    for (unsigned turn = 0; turn < objects / n; turn++) {
        WORK_HIDE(in);
        if (unlikely(!WORK_PUSH(ring, in, n)))
            give_up(row, "the ring is full");
        if (unlikely(!WORK_POP(ring, out, n)))
            give_up(row, "the ring is empty");
        WORK_HIDE(out);
        sum += (uintptr_t)out[0] + (uintptr_t)out[n - 1];
    }
    if (sum != objects / n * (uintptr_t)(1 + n))
        give_up(row, "the ring gave others than it got");
}

/*
 * Both ends of a pair: the numbers 1 .. @count pass, in order. One pair of
 * functions for each kind of ring.
 */
#define WORK_PAIR(kind, type, PUSH, POP)                                       \
    static always_inline void work_push_##kind(type *ring, unsigned n,         \
                                               unsigned count)                 \
    {                                                                          \
        void *in[32];                                                          \
                                                                               \
        for (uintptr_t next = 1; next <= count; next += n) {                   \
            for (unsigned i = 0; i < n; i++)                                   \
                in[i] = (void *)(next + i);                                    \
            WORK_HIDE(in);                                                     \
            while (!PUSH(ring, in, n))                                         \
                _mm_pause();                                                   \
        }                                                                      \
    }                                                                          \
    static always_inline void work_pop_##kind(const char *row, type *ring,     \
                                              unsigned n, unsigned count)      \
    {                                                                          \
        void *out[32];                                                         \
                                                                               \
        for (uintptr_t next = 1; next <= count; next += n) {                   \
            while (!POP(ring, out, n))                                         \
                _mm_pause();                                                   \
            WORK_HIDE(out);                                                    \
            if (unlikely((uintptr_t)out[0] != next ||                          \
                         (uintptr_t)out[n - 1] != next + n - 1))               \
                give_up(row, "the ring lost or turned elements");              \
        }                                                                      \
    }

WORK_PAIR(INDEX, WORK_RING, WORK_PUSH, WORK_POP)
