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

struct mempool {
    union {
        struct mempool_front front;
        struct {
            struct mempool_cache *caches; /* NULL when cache_size is 0 */
            unsigned lcores;              /* caches that exist */
        };
    };
    char name[MEMPOOL_NAME_MAX];
    unsigned count;
    unsigned cache_size; /* nominal == effective; 0 = none */
    unsigned data_room;
    unsigned private_bytes;
    unsigned stride; /* bytes from buffer to buffer */
    enum mempool_policy policy;
    bool steal;
    char *buffers;
    char *external;   /* NULL, or where pinned buffers have their bytes */
    uint8_t *is_free; /* one per buffer; checking builds only */
    struct mempool *next;

    struct depot depot;            /* MEMPOOL_GROUPS */
    struct fifo fifo;              /* the others */
    struct mempool_cache uncached; /* counters of cores without a cache */
};

_Static_assert(offsetof(struct mempool, caches) ==
                       offsetof(struct mempool_front, caches) &&
                   offsetof(struct mempool, lcores) ==
                       offsetof(struct mempool_front, lcores),
               "two names for the same members");

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
