/*
 * mempool.h - packet buffers of one size, shared by every core
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/* 1 = verify every get and put. Host builds do; images only when asked. */
#ifndef MEMPOOL_CHECKS
#ifdef MILLRACE_HOST
#define MEMPOOL_CHECKS 1
#else
#define MEMPOOL_CHECKS 0
#endif
#endif

#include "mm/mempool_hit.h"

struct mbuf;
struct mempool;

#define MEMPOOL_CACHE_MAX 512
#define MEMPOOL_NAME_MAX  32

/*
 * How a core's cache deals with the shared store. The first is for work; the
 * others repeat what DPDK did over the years, on a first-in first-out store as
 * there, so that the differences can be measured on one machine.
 */
enum mempool_policy {
    MEMPOOL_GROUPS, /* groups change hands with a LIFO store by pointer */
    MEMPOOL_P0,     /* before 2022: flushes at 1.5 * cache; the newest go */
    MEMPOOL_P1,     /* 2022: flushes all beyond 1.5 * cache; the oldest go */
    MEMPOOL_P2,     /* 2026: refills and flushes by half a cache */
    MEMPOOL_POLICIES
};

struct mempool_config {
    const char *name;
    unsigned count;             /* buffers */
    unsigned cache;             /* per core, 0 (none) .. MEMPOOL_CACHE_MAX */
    unsigned data_room;         /* bytes of each buffer, headroom included */
    unsigned private_bytes;     /* after the header; multiple of 8 */
    unsigned lcores;            /* ids 0 .. lcores - 1 get a cache; 0 = all */
    enum mempool_policy policy; /* 0 = MEMPOOL_GROUPS, the product's */
    /*
     * A get that finds too few in its own cache and the store empties other
     * cores' caches into the store. MEMPOOL_GROUPS only. Costs every call a
     * lock of its own core's cache: some 20 cycles.
     */
    bool steal;
    /*
     * Pinned: the bytes of buffer i are at @external + i * data_room for good,
     * and outlive the pool; its own memory has the headers only. The device
     * must reach them. Not for receive rings: those write ol_flags.
     */
    void *external;
    uint64_t external_bytes;
};

/*
 * Build a pool of @config->count buffers in DMA memory.
 *
 * Returns  NULL with the broken rule or the missing bytes in the log
 */
must_use struct mempool *mempool_create(const struct mempool_config *config);

/* E_BUSY, with the number in the log, while buffers are still out. */
must_use enum status mempool_destroy(struct mempool *pool);

/*
 * Take @n buffers for the calling core.
 *
 * @out     room for at least @n pointers; unspecified on failure
 * Returns  OK, or E_NOBUF with nothing taken
 * Order    out[0] is the buffer freed most recently
 */
must_use static inline enum status mempool_get_bulk(struct mempool *pool,
                                                    struct mbuf *out[],
                                                    unsigned n);

/* Give @n buffers of this pool back. Cannot fail. */
static inline void mempool_put_bulk(struct mempool *pool,
                                    struct mbuf *const in[], unsigned n);

/*
 * Empty the cache of core @lcore into the shared store; that core must be
 * quiet.
 */
void mempool_cache_flush(struct mempool *pool, unsigned lcore);

/*
 * Buffers of the pool that nobody holds: shared store and all caches. Exact
 * while all cores are quiet, a few buffers off while they run.
 */
unsigned mempool_available(const struct mempool *pool);
unsigned mempool_count(const struct mempool *pool);
const char *mempool_name(const struct mempool *pool);
unsigned mempool_data_room(const struct mempool *pool);
/* Cores 0 .. this - 1 have a cache. */
unsigned mempool_lcores(const struct mempool *pool);

unsigned mempool_private_bytes(const struct mempool *pool);
enum mempool_policy mempool_policy(const struct mempool *pool);
bool mempool_is_pinned(const struct mempool *pool);

/* Where the buffers of a pool are; count = in_store + in_caches + held. */
struct mempool_account {
    unsigned count;
    unsigned in_store;
    unsigned in_caches;
    unsigned held; /* by rings, engines, the NIC */
};
void mempool_account_get(const struct mempool *pool,
                         struct mempool_account *account);

/* What one core did; store_* are its trips to the shared store. */
struct mempool_stats {
    uint64_t get_calls, get_objects;
    uint64_t put_calls, put_objects;
    uint64_t fail_calls, fail_objects;
    uint64_t store_gets, store_get_objects;
    uint64_t store_puts, store_put_objects;
    uint64_t stolen_objects; /* moved from other caches to serve it */
    unsigned cached;         /* in its cache now */
};

/*
 * Readable from any core at any time; while the core in question exchanges
 * buffers with the store, put_objects may be a cache's worth off. An id without a cache in this pool stands
 * for all such cores together; for them every call is a trip to the store.
 */
void mempool_stats_get(const struct mempool *pool, unsigned lcore,
                       struct mempool_stats *stats);

/* What a pool must cover at the worst moment. */
struct mempool_need {
    unsigned rx_desc, tx_desc; /* sums over all queues */
    unsigned lcores;
    unsigned cache; /* per core: mempool_cache_most() */
    unsigned burst; /* largest burst in a core's hands */
};

/* What a cache of nominal size @cache may hold: it, or 1.5 times it. */
unsigned mempool_cache_most(enum mempool_policy policy, unsigned cache);

/* Rx + Tx descriptors + cores * (cache + burst). */
uint64_t mempool_count_needed(const struct mempool_need *need);

/* E_INVALID, with every term in the log, when @count is too small. */
must_use enum status mempool_count_check(const char *name, unsigned count,
                                         const struct mempool_need *need);

/* Walk all pools: NULL starts, NULL ends. */
struct mempool *mempool_next(const struct mempool *pool);

/* ---- inline ---- */

/* All that is no hit, or is to be checked. */
must_use enum status mempool_get_slow(struct mempool *pool, struct mbuf *out[],
                                      unsigned n);
void mempool_put_slow(struct mempool *pool, struct mbuf *const in[],
                      unsigned n);

static inline enum status mempool_get_bulk(struct mempool *pool,
                                           struct mbuf *out[], unsigned n)
{
    if (!MEMPOOL_CHECKS && likely(mempool_get_hit(pool, out, n)))
        return OK;
    return mempool_get_slow(pool, out, n);
}

static inline void mempool_put_bulk(struct mempool *pool,
                                    struct mbuf *const in[], unsigned n)
{
    if (MEMPOOL_CHECKS || unlikely(!mempool_put_hit(pool, in, n)))
        mempool_put_slow(pool, in, n);
}
