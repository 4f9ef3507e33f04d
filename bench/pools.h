/*
 * pools.h - the same pool under each cache policy
 *
 * P1 exists twice: what differs between the two is the noise of the series.
 */
#pragma once

#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

#include "bench/stats.h"
#include "mm/mempool.h"

enum pools_variant {
    POOLS_P0,
    POOLS_P1,
    POOLS_P1_AGAIN,
    POOLS_P2,
    POOLS_DEFAULT,
    POOLS_VARIANTS
};

struct pools {
    struct mempool *pool[POOLS_VARIANTS];
};

extern const char *const pools_names[POOLS_VARIANTS];
enum mempool_policy pools_policy(enum pools_variant variant);

/*
 * A pool of @count buffers of @data_room bytes for each variant, with caches of
 * nominal size @cache for every core, made in an order of chance.
 *
 * Returns  OK; E_NOMEM with the reason in the log and nothing taken
 */
must_use enum status pools_open(struct pools *p, unsigned count, unsigned cache,
                                unsigned data_room,
                                struct stats_random *random);

/* Panics when a pool does not have all of its buffers. */
void pools_close(struct pools *p);

/* One pool as pools_open() makes them. */
must_use struct mempool *pools_open_one(const char *name, unsigned count,
                                        unsigned cache, unsigned data_room,
                                        enum mempool_policy policy);
void pools_close_one(struct mempool *pool);

/* ---- a get or put that is a call for every policy ---- */

/*
 * The product's hit is inline in its caller, the old policies are not. Called
 * through these, policies are compared and not ways of calling.
 */
void pools_get(struct mempool *pool, struct mbuf *out[], unsigned n);
void pools_put(struct mempool *pool, struct mbuf *const in[], unsigned n);

/* A get that cannot be short; a shortage is our own mistake. */
static always_inline void pools_get_inline(struct mempool *pool,
                                           struct mbuf *out[], unsigned n);

/* ---- inline ---- */

noreturn void pools_are_short(const struct mempool *pool, unsigned n);

static always_inline void pools_get_inline(struct mempool *pool,
                                           struct mbuf *out[], unsigned n)
{
    if (unlikely(mempool_get_bulk(pool, out, n) != OK))
        pools_are_short(pool, n);
}
