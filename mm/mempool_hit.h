/*
 * mempool_hit.h - get and put as long as the own cache can serve them
 *
 * Part of mempool.h, in a header for one reason: inline in its caller, with
 * the number often a constant, a hit costs half. All else is in mempool.c.
 * What is declared here is not for others to touch; see mempool_impl.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/lock.h>
#include <millrace/order.h>
#include <millrace/plat.h>
#include <millrace/status.h>

#include "mm/pointers.h"

struct mbuf;
struct mempool;

/* A stack of buffers that travels as a whole. Newest on top. */
struct group {
    struct group *next;
    uint32_t len; /* valid while in the store */
    cache_aligned struct mbuf *object[];
};

/*
 * One core's. Groups: as in mempool_cache.c. The other policies have one array,
 * of cache_array_size(), as loaded, and no spare.
 *
 * Loads and stores are what a hit is made of. So all that one for a single buffer
 * changes is in one word: how many buffers are in loaded, the level, and above
 * that how many were ever got. What was put follows, as no hit changes
 * put - got - level. Calls are what objects leave over: one for one adds nothing.
 */
struct mempool_cache {
    uint64_t word;      /* got << CACHE_LEVEL_BITS | level */
    uint64_t put_less;  /* put - got - level; wraps */
    uintptr_t array;    /* loaded's; 0 where there is none */
    uint32_t limit;     /* of the level, spare being as it is */
    uint32_t spare_len; /* 0 or group_size; older than what is in loaded */
    struct group *spare;
    uint64_t got_others; /* objects but one of each call: calls = got - this */
    uint64_t put_others;
    struct spinlock lock; /* KIND_STEAL */

    /* line 1: seldom written */
    cache_aligned uint64_t fail_calls;
    uint64_t fail_objects;
    uint64_t store_gets, store_get_objects;
    uint64_t store_puts, store_put_objects;
    uint64_t stolen_objects;
} __attribute__((aligned(2 * CACHE_LINE)));

/* Any array's level fits; objects are 2^53 before they start again from 0. */
#define CACHE_LEVEL_BITS 11
#define CACHE_LEVEL_MASK ((UINT64_C(1) << CACHE_LEVEL_BITS) - 1)

_Static_assert(offsetof(struct mempool_cache, fail_calls) == CACHE_LINE,
               "a hit touches one line of the cache's own state");
_Static_assert(sizeof(struct mempool_cache) == 2 * CACHE_LINE,
               "the neighbour line is ours too: no false sharing by prefetch");
_Static_assert(offsetof(struct group, object) == CACHE_LINE,
               "32 pointers from a multiple of 8 touch 4 lines");

/*
 * The start of struct mempool. In front of it lie, downwards, as many caches as
 * there can be cores. So a core finds its own by an addition that the compiler
 * keeps over many calls, and asks nothing first: where a core has none, or one
 * that must be treated with care, the one here is empty and full at once.
 */
struct mempool_front {
    uint64_t fresh[2] __attribute__((aligned(16))); /* see mbuf_fresh() */
};

/* Counters have one writer; control reads them at any time. */
static always_inline void count_add(uint64_t *counter, uint64_t n)
{
    whole_store(counter, *counter + n);
}

static always_inline void level_set(uint32_t *level, uint32_t value)
{
    whole_store(level, value);
}

/* ---- hits ---- */

/* One call for @n; nothing where the compiler knows that it is 1. */
static always_inline void count_others(uint64_t *others, unsigned n)
{
    if (n != 1)
        count_add(others, (uint64_t)n - 1);
}

/* Buffers in loaded, by a cache's word. */
static always_inline unsigned cache_level(uint64_t word)
{
    return word & CACHE_LEVEL_MASK;
}

/* The place in loaded that belongs to a level. */
static always_inline struct mbuf **cache_slot(const struct mempool_cache *c,
                                              unsigned level)
{
    return (struct mbuf **)(c->array + (uintptr_t)level * sizeof(void *));
}

/* Counts the call too. False, with nothing done, when loaded holds fewer. */
static always_inline bool cache_get_hit(struct mempool_cache *c,
                                        struct mbuf *out[], unsigned n)
{
    const uint64_t word = c->word;
    const unsigned level = cache_level(word);

    if (unlikely(n > level))
        return false;
    whole_store(&c->word, word + ((uint64_t)n << CACHE_LEVEL_BITS) - n);
    count_others(&c->got_others, n);
    pointers_pop(out, cache_slot(c, level), n);
    return true;
}

/* Counts the call too. False, with nothing done, when there is no room. */
static always_inline bool cache_put_hit(struct mempool_cache *c,
                                        struct mbuf *const in[], unsigned n)
{
    const uint64_t word = c->word;
    const unsigned level = cache_level(word);

    if (unlikely(n > c->limit - level))
        return false;
    whole_store(&c->word, word + n);
    count_others(&c->put_others, n);
    pointers_copy(cache_slot(c, level), in, n);
    return true;
}

/*
 * How far the calling core's cache is from its pool: computed once for many
 * calls, if it is asked for before the first branch.
 */
static always_inline intptr_t mempool_away(void)
{
    intptr_t away = -((intptr_t)plat_lcore_id() + 1) *
                    (intptr_t)sizeof(struct mempool_cache);

    __asm__("" : "+r"(away));
    return away;
}

/*
 * Where the core's hits go. The compiler may not take the address apart: all of
 * the cache is named by one register. A load that names the same register and
 * distance as the last store has its value at once on some processors, any other
 * one after some cycles.
 */
static always_inline struct mempool_cache *mempool_hit_cache(struct mempool *p,
                                                             intptr_t away)
{
    uintptr_t at = (uintptr_t)p + (uintptr_t)away;

    __asm__("" : "+r"(at));
    return (struct mempool_cache *)at;
}

/* The pool that each core last gave a single buffer to. */
struct mempool_guess {
    struct mempool *pool;
} __attribute__((aligned(2 * CACHE_LINE)));

_Static_assert(sizeof(struct mempool_guess) == sizeof(struct mempool_cache),
               "as far away as a cache; core 0's is the last");

extern struct mempool_guess mempool_guesses[LCORE_MAX];

static always_inline struct mempool_guess *mempool_own_guess(void)
{
    return (struct mempool_guess *)((uintptr_t)(mempool_guesses + LCORE_MAX) +
                                    (uintptr_t)mempool_away());
}

/*
 * Where the next buffer probably goes: so its pool's counters are found without
 * waiting for the buffer's line, and buffers that are put one after the other do
 * not queue up for it.
 *
 * It is compared with what the buffer says, so an old one does no harm, and the
 * compiler is not told that memory is read: it may keep the guess, and what
 * follows from it, in registers over a loop.
 */
static always_inline struct mempool *mempool_guess(void)
{
    struct mempool *pool;

    __asm__("movq (%1), %0" : "=r"(pool) : "r"(mempool_own_guess()));
    return pool;
}

static always_inline bool mempool_get_hit(struct mempool *p, struct mbuf *out[],
                                          unsigned n)
{
    return likely(cache_get_hit(mempool_hit_cache(p, mempool_away()), out, n));
}

static always_inline bool mempool_put_hit(struct mempool *p,
                                          struct mbuf *const in[], unsigned n)
{
    return likely(cache_put_hit(mempool_hit_cache(p, mempool_away()), in, n));
}
