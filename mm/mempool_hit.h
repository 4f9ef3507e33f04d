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
#include <millrace/plat.h>
#include <millrace/status.h>

struct mbuf;
struct mempool;

/* A stack of buffers that travels as a whole. Newest on top. */
struct group {
    struct group *next;
    uint32_t len; /* valid while in the store */
    cache_aligned struct mbuf *object[];
};

/* Which functions a cache belongs to. */
enum cache_kind { KIND_GROUPS, KIND_STEAL, KIND_P0, KIND_P1, KIND_P2 };

/*
 * One core's. Groups: as in mempool_cache.c. The other policies have one array,
 * loaded, of cache_array_size(); limit is where a put flushes, spare is NULL.
 * All but the last line is written at every call by that core.
 */
struct mempool_cache {
    struct group *loaded;
    struct group *spare;
    uint32_t len;       /* buffers in loaded */
    uint32_t limit;     /* of len, as long as spare stays as it is */
    uint32_t spare_len; /* 0 or group_size */
    uint32_t kind;      /* never changes; here, where a hit has the line */
    uint64_t get_calls, get_objects;
    uint64_t put_calls, put_objects;

    /* line 1: seldom written */
    uint64_t fail_calls, fail_objects;
    uint64_t store_gets, store_get_objects;
    uint64_t store_puts, store_put_objects;
    struct spinlock lock; /* KIND_STEAL */
    uint32_t padding;
    uint64_t stolen_objects;
} __attribute__((aligned(2 * CACHE_LINE)));

_Static_assert(offsetof(struct mempool_cache, fail_calls) == CACHE_LINE,
               "a hit touches one line of the cache's own state");
_Static_assert(sizeof(struct mempool_cache) == 2 * CACHE_LINE,
               "the neighbour line is ours too: no false sharing by prefetch");
_Static_assert(offsetof(struct group, object) == CACHE_LINE,
               "32 pointers from a multiple of 8 touch 4 lines");

/* The start of struct mempool. */
struct mempool_front {
    struct mempool_cache *caches; /* of cores 0 .. lcores - 1 */
    unsigned lcores;
    uint64_t fresh_rearm; /* what mbuf_alloc writes, see mbuf.h */
    uint64_t fresh_flags;
};

/* Counters have one writer; control reads them at any time. */
static inline void count_add(uint64_t *counter, uint64_t n)
{
    __atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void level_set(uint32_t *level, uint32_t value)
{
    __atomic_store_n(level, value, __ATOMIC_RELAXED);
}

/* ---- two pointers at a time ---- */

typedef uint64_t pointer_pair
    __attribute__((vector_size(16), aligned(8), may_alias));

static always_inline pointer_pair pair_load(struct mbuf *const *from)
{
    return *(const pointer_pair *)(const void *)from;
}

static always_inline void pair_store(struct mbuf **to, pointer_pair pair)
{
    *(pointer_pair *)(void *)to = pair;
}

static always_inline pointer_pair pair_turn(pointer_pair pair)
{
    return __builtin_shufflevector(pair, pair, 1, 0);
}

/* The @n pointers below @top to @out, from the top down. */
static always_inline void pointers_pop(struct mbuf **out,
                                       struct mbuf *const *top, unsigned n)
{
    for (; n >= 4; n -= 4, out += 4, top -= 4) {
        const pointer_pair a = pair_load(top - 2), b = pair_load(top - 4);

        pair_store(out, pair_turn(a));
        pair_store(out + 2, pair_turn(b));
    }
    if ((n & 2) != 0) {
        pair_store(out, pair_turn(pair_load(top - 2)));
        out += 2;
        top -= 2;
    }
    if ((n & 1) != 0)
        *out = top[-1];
}

static always_inline void pointers_copy(struct mbuf **to,
                                        struct mbuf *const *from, unsigned n)
{
    for (; n >= 4; n -= 4, to += 4, from += 4) {
        const pointer_pair a = pair_load(from), b = pair_load(from + 2);

        pair_store(to, a);
        pair_store(to + 2, b);
    }
    if ((n & 2) != 0) {
        pair_store(to, pair_load(from));
        to += 2;
        from += 2;
    }
    if ((n & 1) != 0)
        *to = *from;
}

/* ---- hits ---- */

/* The calling core's cache, or NULL when it has none in this pool. */
static always_inline struct mempool_cache *mempool_own_cache(struct mempool *p)
{
    const struct mempool_front *front = (const struct mempool_front *)p;
    const unsigned lcore = plat_lcore_id();

    return likely(lcore < front->lcores) ? &front->caches[lcore] : NULL;
}

/* False, with nothing done, when loaded holds fewer. */
static always_inline bool cache_get_hit(struct mempool_cache *c,
                                        struct mbuf *out[], unsigned n)
{
    const unsigned len = c->len;

    if (unlikely(n > len))
        return false;
    level_set(&c->len, len - n);
    pointers_pop(out, &c->loaded->object[len], n);
    return true;
}

/* False, with nothing done, when loaded has no room for them. */
static always_inline bool cache_put_hit(struct mempool_cache *c,
                                        struct mbuf *const in[], unsigned n)
{
    const unsigned len = c->len;

    if (unlikely(n > c->limit - len))
        return false;
    level_set(&c->len, len + n);
    pointers_copy(&c->loaded->object[len], in, n);
    return true;
}

static always_inline bool mempool_get_hit(struct mempool *p, struct mbuf *out[],
                                          unsigned n)
{
    struct mempool_cache *c = mempool_own_cache(p);

    if (unlikely(c == NULL || c->kind != KIND_GROUPS ||
                 !cache_get_hit(c, out, n)))
        return false;
    count_add(&c->get_calls, 1);
    count_add(&c->get_objects, n);
    return true;
}

static always_inline bool mempool_put_hit(struct mempool *p,
                                          struct mbuf *const in[], unsigned n)
{
    struct mempool_cache *c = mempool_own_cache(p);

    if (unlikely(c == NULL || c->kind != KIND_GROUPS ||
                 !cache_put_hit(c, in, n)))
        return false;
    count_add(&c->put_calls, 1);
    count_add(&c->put_objects, n);
    return true;
}
