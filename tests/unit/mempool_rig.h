/*
 * mempool_rig.h - small pools and a look at their levels, for mempool_*_test.c
 */
#pragma once

#include <stdlib.h>

#include "mm/mempool_impl.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define RIG_ARENA (UINT64_C(48) << 20)

static inline void memory_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(RIG_ARENA), RIG_ARENA };

    mm_close();
    host_lcore = 0;
    CHECK_EQ(mm_init(&ram, 1), OK);
}

/* A pool of @count small buffers with caches of @cache for four cores. */
static inline struct mempool *policy_pool_of(enum mempool_policy policy,
                                             unsigned count, unsigned cache)
{
    const struct mempool_config config = { .name = "test",
                                           .count = count,
                                           .cache = cache,
                                           .data_room = 64,
                                           .lcores = 4,
                                           .policy = policy };
    struct mempool *p;

    memory_open();
    p = mempool_create(&config);
    CHECK(p != NULL);
    return p;
}

static inline struct mempool *pool_of(unsigned count, unsigned cache)
{
    return policy_pool_of(MEMPOOL_GROUPS, count, cache);
}

/* Position of @m in its pool: buffers are numbered from 0. */
static inline unsigned number(const struct mempool *p, const struct mbuf *m)
{
    return (unsigned)(((const char *)m - p->buffers) / p->stride);
}

static inline unsigned cached(const struct mempool *p)
{
    struct mempool_stats s;

    mempool_stats_get(p, host_lcore, &s);
    return s.cached;
}

static inline unsigned in_store(const struct mempool *p)
{
    struct mempool_account a;

    mempool_account_get(p, &a);
    return a.in_store;
}

static inline void get(struct mempool *p, struct mbuf *out[], unsigned n)
{
    CHECK_EQ(mempool_get_bulk(p, out, n), OK);
}

/* Buffers in this core's cache and in the store. */
static inline void check_levels(const struct mempool *p, unsigned in_cache,
                                unsigned store)
{
    CHECK_EQ(cached(p), in_cache);
    CHECK_EQ(in_store(p), store);
}

static inline bool all_distinct(const struct mempool *p, struct mbuf *const m[],
                                unsigned n)
{
    bool *seen = calloc(p->count, sizeof(*seen));
    bool distinct = true;

    for (unsigned i = 0; i < n; i++) {
        distinct = distinct && !seen[number(p, m[i])];
        seen[number(p, m[i])] = true;
    }
    free(seen);
    return distinct;
}
