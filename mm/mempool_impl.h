/*
 * mempool_impl.h - the inside of a pool; for mm/mempool*.c and their tests
 *
 *   mempool.c          get and put
 *   mempool_hit.h      what of it is inline in the caller
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

#include <millrace/compiler.h>
#include <millrace/lock.h>
#include <millrace/plat.h>
#include <millrace/status.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mempool_hit.h"

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

/* Which functions deal with the caches. */
enum cache_kind { KIND_GROUPS, KIND_STEAL, KIND_P0, KIND_P1, KIND_P2 };

struct mempool {
    struct mempool_front front;
    unsigned lcores; /* cores 0 .. lcores - 1 have a cache */
    /*
     * Of core 0; the others' follow downwards. Those in front of us for
     * KIND_GROUPS; others are elsewhere, so that no call is a hit.
     */
    struct mempool_cache *caches;
    char name[MEMPOOL_NAME_MAX];
    unsigned count;
    unsigned cache_size; /* nominal == effective; 0 = none */
    unsigned data_room;
    unsigned private_bytes;
    unsigned stride; /* bytes from buffer to buffer */
    enum mempool_policy policy;
    bool steal;
    enum cache_kind kind;
    char *buffers;
    char *external;   /* NULL, or where pinned buffers have their bytes */
    uint8_t *is_free; /* one per buffer; checking builds only */
    struct mempool *next;

    struct depot depot;            /* MEMPOOL_GROUPS */
    struct fifo fifo;              /* the others */
    struct mempool_cache uncached; /* counters of cores without a cache */
};

_Static_assert(offsetof(struct mempool, front) == 0,
               "hits know the start only");

/* Of one of the cores 0 .. lcores - 1. */
static inline struct mempool_cache *mempool_cache_of(const struct mempool *p,
                                                     unsigned lcore)
{
    return p->caches - lcore;
}

/* The calling core's cache, or NULL when it has none in this pool. */
static inline struct mempool_cache *mempool_own_cache(const struct mempool *p)
{
    const unsigned lcore = plat_lcore_id();

    return likely(lcore < p->lcores) ? mempool_cache_of(p, lcore) : NULL;
}

static inline uint64_t count_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline uint32_t level_read(const uint32_t *level)
{
    return __atomic_load_n(level, __ATOMIC_RELAXED);
}

/* ---- loaded, as what is not a hit sees it ---- */

_Static_assert(MEMPOOL_CACHE_MAX * 5 / 2 <= CACHE_LEVEL_MASK,
               "the level of the largest array, see cache_array_size()");

/* Buffers in it. */
static inline unsigned cache_len(const struct mempool_cache *c)
{
    return cache_level(c->word);
}

/* Buffers that it takes, spare being as it is. */
static inline unsigned cache_limit(const struct mempool_cache *c)
{
    return c->limit;
}

static inline struct group *cache_loaded(const struct mempool_cache *c)
{
    return container_of(cache_slot(c, 0), struct group, object);
}

/*
 * Loaded holds @len from now on. That is neither a get nor a put; either is
 * counted by the two further down.
 */
static inline void cache_len_set(struct mempool_cache *c, unsigned len)
{
    const uint64_t more = (uint64_t)len - cache_len(c); /* wraps */

    count_add(&c->put_less, -more);
    count_add(&c->word, more);
}

/* From now on @g is loaded: it holds @len, and takes @limit. */
static inline void cache_load(struct mempool_cache *c, struct group *g,
                              unsigned len, unsigned limit)
{
    cache_len_set(c, len);
    c->array = (uintptr_t)g->object;
    c->limit = limit;
}

/* A call for @n that was no hit, and is only counted: loaded stays as it is. */
static inline void cache_count_got(struct mempool_cache *c, unsigned n)
{
    count_add(&c->put_less, -(uint64_t)n);
    count_add(&c->word, (uint64_t)n << CACHE_LEVEL_BITS);
    count_others(&c->got_others, n);
}

static inline void cache_count_put(struct mempool_cache *c, unsigned n)
{
    count_add(&c->put_less, n);
    count_others(&c->put_others, n);
}

/* Move the newest @n of @len buffers to @out, newest first. */
static inline void group_pop(const struct group *g, unsigned len,
                             struct mbuf *out[], unsigned n)
{
    pointers_pop(out, &g->object[len], n);
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
