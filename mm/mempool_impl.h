/*
 * mempool_impl.h - the inside of a pool; for mm/mempool*.c and their tests
 *
 *   mempool.c          get and put
 *   mempool_create.c   creates and destroys
 *   mempool_cache.c    the policy: how a core's cache deals with the store
 *   mempool_depot.c    the shared store
 *   mempool_steal.c    the same policy, with caches that others may empty
 *   mempool_history.c  other policies, for experiments
 *   mempool_fifo.c     their store
 *   mempool_account.c  where the buffers are
 *   mempool_check.c    what a checking build verifies at every get and put
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <millrace/compiler.h>
#include <millrace/lock.h>
#include <millrace/status.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"

/* 1 = verify every get and put. Host builds do; images only when asked. */
#ifndef MEMPOOL_CHECKS
#ifdef MILLRACE_HOST
#define MEMPOOL_CHECKS 1
#else
#define MEMPOOL_CHECKS 0
#endif
#endif

/* A stack of buffers that travels as a whole. Newest on top. */
struct group {
    struct group *next;
    uint32_t len; /* valid while in the depot */
    cache_aligned struct mbuf *object[];
};

/*
 * The shared store.
 *
 *   D1  every group on `full` holds group_size buffers, every one on `empty`
 *       none; `partial` always exists and is not full
 *   D2  objects == the sum of all of them
 *   D3  whoever pushes a full group finds an empty one (see group_count())
 */
struct depot {
    struct spinlock lock;
    uint32_t objects;
    uint32_t group_size;
    struct group *full;
    struct group *partial;
    struct group *empty;
} cache_aligned;

/* The store of the other policies: a ring, oldest out first. */
struct fifo {
    struct spinlock lock;
    uint32_t objects;
    uint32_t head; /* the oldest; free-running */
    uint32_t mask; /* slots - 1, and no fewer slots than buffers */
    struct mbuf **slot;
} cache_aligned;

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

struct mempool {
    char name[MEMPOOL_NAME_MAX];
    unsigned count;
    unsigned cache_size; /* nominal == effective; 0 = none */
    unsigned data_room;
    unsigned private_bytes;
    unsigned lcores; /* caches that exist */
    unsigned stride; /* bytes from buffer to buffer */
    enum mempool_policy policy;
    bool steal;
    char *buffers;
    char *external; /* NULL, or where pinned buffers have their bytes */
    struct mempool_cache *caches; /* NULL when cache_size is 0 */
    uint8_t *is_free;             /* one per buffer; checking builds only */
    struct mempool *next;

    struct depot depot;            /* MEMPOOL_GROUPS */
    struct fifo fifo;              /* the others */
    struct mempool_cache uncached; /* counters of cores without a cache */
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

static inline uint64_t count_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline uint32_t level_read(const uint32_t *level)
{
    return __atomic_load_n(level, __ATOMIC_RELAXED);
}

/* Move the newest @n of @len buffers to @out, newest first. */
static inline void group_pop(const struct group *g, unsigned len,
                             struct mbuf *out[], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = g->object[len - 1 - i];
}

/* ---- mempool_depot.c ---- */

/*
 * Take groups that hold at least @n buffers, linked by next, newest first.
 * @give is empty and becomes the depot's. NULL with nothing changed when the
 * depot has fewer.
 */
struct group *depot_take(struct depot *d, unsigned n, struct group *give);

/* Hand in a full group for an empty one. */
struct group *depot_swap_full(struct depot *d, struct group *full);

/* Hand in a list of empty groups. */
void depot_give_empty(struct depot *d, struct group *list);

/* Single buffers, for cores without a cache and for flushing. */
bool depot_get_objects(struct depot *d, struct mbuf *out[], unsigned n);
void depot_put_objects(struct depot *d, struct mbuf *const in[], unsigned n);

/* ---- mempool_fifo.c ---- */

/* All or nothing: false with nothing written to @out. */
bool fifo_get(struct fifo *f, struct mbuf *out[], unsigned n);
void fifo_put(struct fifo *f, struct mbuf *const in[], unsigned n);

/* ---- the store, whichever it is ---- */

static inline bool store_get(struct mempool *p, struct mbuf *out[], unsigned n)
{
    return p->policy == MEMPOOL_GROUPS ? depot_get_objects(&p->depot, out, n)
                                       : fifo_get(&p->fifo, out, n);
}

static inline void store_put(struct mempool *p, struct mbuf *const in[],
                             unsigned n)
{
    if (p->policy == MEMPOOL_GROUPS)
        depot_put_objects(&p->depot, in, n);
    else
        fifo_put(&p->fifo, in, n);
}

static inline unsigned store_level(const struct mempool *p)
{
    return level_read(p->policy == MEMPOOL_GROUPS ? &p->depot.objects
                                                  : &p->fifo.objects);
}

/* ---- mempool_cache.c: the policy ---- */

/* Buffers per group for a cache of @cache_size. */
unsigned cache_group_size(unsigned cache_size);
void cache_init(struct mempool *p, struct mempool_cache *c,
                struct group *loaded, struct group *spare);
/* For what cache_get_hit and cache_put_hit, below, cannot do. */
must_use enum status cache_get_miss(struct mempool *p, struct mempool_cache *c,
                                    struct mbuf *out[], unsigned n);
void cache_put_miss(struct mempool *p, struct mempool_cache *c,
                    struct mbuf *const in[], unsigned n);
void cache_flush(struct mempool *p, struct mempool_cache *c);

static inline void cache_append(struct mempool_cache *c,
                                struct mbuf *const in[], unsigned n)
{
    memcpy(&c->loaded->object[c->len], in, n * sizeof(*in));
    level_set(&c->len, c->len + n);
}

/* The usual case, and all that it costs; false with nothing done otherwise. */
static inline bool cache_get_hit(struct mempool_cache *c, struct mbuf *out[],
                                 unsigned n)
{
    if (unlikely(n > c->len))
        return false;
    group_pop(c->loaded, c->len, out, n);
    level_set(&c->len, c->len - n);
    return true;
}

static inline bool cache_put_hit(struct mempool_cache *c,
                                 struct mbuf *const in[], unsigned n)
{
    if (unlikely(n > c->limit - c->len))
        return false;
    cache_append(c, in, n);
    return true;
}

/* ---- mempool_steal.c ---- */

must_use enum status steal_cache_get(struct mempool *p, struct mempool_cache *c,
                                     struct mbuf *out[], unsigned n);
void steal_cache_put(struct mempool *p, struct mempool_cache *c,
                     struct mbuf *const in[], unsigned n);
void steal_cache_flush(struct mempool *p, struct mempool_cache *c);
/* For a core without a cache, after the store refused it. */
must_use enum status steal_get(struct mempool *p, struct mbuf *out[],
                               unsigned n);

/* ---- mempool_history.c ---- */

/* Pointers that the array of a cache must have room for. */
unsigned cache_array_size(enum mempool_policy policy, unsigned cache_size);
void history_init(struct mempool *p, struct mempool_cache *c,
                  struct group *array);
must_use enum status p0_get(struct mempool *p, struct mempool_cache *c,
                            struct mbuf *out[], unsigned n);
must_use enum status p1_get(struct mempool *p, struct mempool_cache *c,
                            struct mbuf *out[], unsigned n);
must_use enum status p2_get(struct mempool *p, struct mempool_cache *c,
                            struct mbuf *out[], unsigned n);
void p0_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n);
void p1_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n);
void p2_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n);
void history_flush(struct mempool *p, struct mempool_cache *c);

/* ---- mempool_check.c ---- */

/* Panics, naming buffer and reason, when one of them breaks a promise. */
void mempool_check_get(const struct mempool *p, struct mbuf *const out[],
                       unsigned n);
void mempool_check_put(const struct mempool *p, struct mbuf *const in[],
                       unsigned n);
/* Write the guard word of every buffer and mark all free. */
void mempool_check_init(struct mempool *p);
/* Bytes behind each buffer's data room that nobody may write. */
#define MEMPOOL_GUARD_BYTES (MEMPOOL_CHECKS ? 8u : 0u)

/* ---- mempool_create.c ---- */

/* Bytes of a buffer between its private part and its guard. */
static inline unsigned mempool_inner_bytes(const struct mempool *p)
{
    return p->external == NULL ? p->data_room
                               : (unsigned)sizeof(struct mbuf_ext_shared);
}

static inline struct mbuf *mempool_buffer(const struct mempool *p, unsigned i)
{
    return (struct mbuf *)(void *)(p->buffers + (uint64_t)i * p->stride);
}

/* All pools vanish: their memory is about to. */
void mempool_forget_all(void);
