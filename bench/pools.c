/*
 * pools.c - the same pool under each cache policy
 */
#include "bench/pools.h"

#include <stddef.h>

#include <millrace/core.h>
#include <millrace/log.h>

const char *const pools_names[POOLS_VARIANTS] = {
    [POOLS_P0] = "p0",
    [POOLS_P1] = "p1",
    [POOLS_P1_AGAIN] = "p1-again",
    [POOLS_P2] = "p2",
    [POOLS_DEFAULT] = "default",
};

static const struct {
    const char *name;
    enum mempool_policy policy;
} kinds[POOLS_VARIANTS] = {
    [POOLS_P0] = { "bench p0", MEMPOOL_P0 },
    [POOLS_P1] = { "bench p1", MEMPOOL_P1 },
    [POOLS_P1_AGAIN] = { "bench p1 again", MEMPOOL_P1 },
    [POOLS_P2] = { "bench p2", MEMPOOL_P2 },
    [POOLS_DEFAULT] = { "bench default", MEMPOOL_GROUPS },
};

enum mempool_policy pools_policy(enum pools_variant variant)
{
    return kinds[variant].policy;
}

struct mempool *pools_open_one(const char *name, unsigned count, unsigned cache,
                               unsigned data_room, enum mempool_policy policy)
{
    const struct mempool_config config = {
        .name = name,
        .count = count,
        .cache = cache,
        .data_room = data_room,
        .lcores = core_count(),
        .policy = policy,
    };

    return mempool_create(&config);
}

void pools_close_one(struct mempool *pool)
{
    struct mempool_account a;

    if (pool == NULL)
        return;
    mempool_account_get(pool, &a);
    if (a.in_store + a.in_caches != a.count || mempool_destroy(pool) != OK)
        panic("bench: pool %s: %u buffers in the store and %u in caches, %u "
              "expected",
              mempool_name(pool), a.in_store, a.in_caches, a.count);
}

enum status pools_open(struct pools *p, unsigned count, unsigned cache,
                       unsigned data_room, struct stats_random *random)
{
    unsigned order[POOLS_VARIANTS];

    *p = (struct pools) { 0 };
    stats_random_order(random, order, POOLS_VARIANTS);
    for (unsigned o = 0; o < POOLS_VARIANTS; o++) {
        const unsigned i = order[o];

        p->pool[i] = pools_open_one(kinds[i].name, count, cache, data_room,
                                    kinds[i].policy);
        if (p->pool[i] == NULL) {
            pools_close(p);
            return E_NOMEM;
        }
    }
    return OK;
}

void pools_close(struct pools *p)
{
    for (unsigned i = 0; i < POOLS_VARIANTS; i++) {
        pools_close_one(p->pool[i]);
        p->pool[i] = NULL;
    }
}

void pools_are_short(const struct mempool *pool, unsigned n)
{
    panic("bench: pool %s refused %u buffers of %u", mempool_name(pool), n,
          mempool_count(pool));
}

__attribute__((noinline)) void pools_get(struct mempool *pool,
                                         struct mbuf *out[], unsigned n)
{
    pools_get_inline(pool, out, n);
}

__attribute__((noinline)) void pools_put(struct mempool *pool,
                                         struct mbuf *const in[], unsigned n)
{
    mempool_put_bulk(pool, in, n);
}
