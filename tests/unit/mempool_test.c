/*
 * mempool_test.c - the pool's promises, the rows MP-* that its policy owes
 *
 * The row numbers are those of the published behaviour tables we were given by
 * the three generations of the DPDK cache; where this policy must differ the
 * expected value follows from C1..C4 in mempool_cache.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mm/frame.h"
#include "mm/mempool_impl.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA (UINT64_C(48) << 20)

static void memory_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    host_lcore = 0;
    CHECK_EQ(mm_init(&ram, 1), OK);
}

/* A pool of @count small buffers with caches of @cache for four cores. */
static struct mempool *pool_of(unsigned count, unsigned cache)
{
    const struct mempool_config config = { .name = "test",
                                           .count = count,
                                           .cache = cache,
                                           .data_room = 64,
                                           .lcores = 4 };
    struct mempool *p;

    memory_open();
    p = mempool_create(&config);
    CHECK(p != NULL);
    return p;
}

/* Position of @m in its pool: buffers are numbered from 0. */
static unsigned number(const struct mempool *p, const struct mbuf *m)
{
    return (unsigned)(((const char *)m - p->buffers) / p->stride);
}

static unsigned cached(const struct mempool *p)
{
    struct mempool_stats s;

    mempool_stats_get(p, host_lcore, &s);
    return s.cached;
}

static unsigned in_store(const struct mempool *p)
{
    struct mempool_account a;

    mempool_account_get(p, &a);
    return a.in_store;
}

TEST(mempool, first_get_gives_the_lowest_buffers)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *got[64];

    CHECK_EQ(mempool_get_bulk(p, got, 64), OK);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(number(p, got[i]), i);
    CHECK_EQ(cached(p), 0);
    CHECK_EQ(in_store(p), 0);
    CHECK_EQ(mempool_available(p), 0);
    mempool_put_bulk(p, got, 64);
    CHECK_EQ(mempool_available(p), 64);
    CHECK_EQ(mempool_destroy(p), OK);
}
