/*
 * pools.c - buffers taken from and given to pools of every policy
 *
 * A byte for each buffer says who has it. The byte is written without a lock: a
 * pool that hands a buffer from one core to another has to order that.
 */
#include <stdlib.h>

#include "mm/mempool_impl.h"
#include "tests/soak/soak.h"

/* Fewer than the bags of three cores hold, so that each pool runs dry. */
enum { COUNT = 900 };

static const struct {
    const char *name;
    enum mempool_policy policy;
    unsigned count, cache;
    bool steal;
} rows[RAW_POOLS] = {
    { "groups of 32", MEMPOOL_GROUPS, COUNT, 64, false },
    { "odd groups", MEMPOOL_GROUPS, COUNT, 7, false },
    { "stealing", MEMPOOL_GROUPS, COUNT, 64, true },
    { "no cache", MEMPOOL_GROUPS, COUNT, 0, false },
    { "few", MEMPOOL_GROUPS, 300, 32, false },
    { "P0", MEMPOOL_P0, COUNT, 32, false },
    { "P1", MEMPOOL_P1, COUNT, 33, false },
    { "P2", MEMPOOL_P2, COUNT, 3, false },
};

static struct {
    struct mempool *pool;
    uint8_t *owner; /* core + 1, or 0 */
} raw[RAW_POOLS];

void pools_open(void)
{
    for (unsigned i = 0; i < RAW_POOLS; i++) {
        const struct mempool_config config = { .name = rows[i].name,
                                               .count = rows[i].count,
                                               .cache = rows[i].cache,
                                               .data_room = 64,
                                               .lcores = core_total,
                                               .policy = rows[i].policy,
                                               .steal = rows[i].steal };

        raw[i].pool = mempool_create(&config);
        raw[i].owner = calloc(rows[i].count, 1);
        if (raw[i].pool == NULL || raw[i].owner == NULL)
            soak_fail("pool \"%s\": cannot be made", rows[i].name);
    }
}

static unsigned number(unsigned i, const struct mbuf *m)
{
    const struct mempool *p = raw[i].pool;
    const uintptr_t offset = (uintptr_t)m - (uintptr_t)p->buffers;

    if (offset >= (uint64_t)p->count * p->stride || offset % p->stride != 0)
        soak_fail("pool \"%s\": %p is no buffer of it", rows[i].name,
                  (const void *)m);
    return (unsigned)(offset / p->stride);
}

static void now_mine(struct core *c, unsigned i, struct mbuf *m)
{
    uint8_t *owner = &raw[i].owner[number(i, m)];

    if (*owner != 0)
        soak_fail("pool \"%s\": core %u got buffer %u of core %u", rows[i].name,
                  c->id, number(i, m), *owner - 1U);
    *owner = (uint8_t)(c->id + 1);
    m->data_len = (uint16_t)c->id;
}

static void no_more_mine(struct core *c, unsigned i, struct mbuf *m)
{
    uint8_t *owner = &raw[i].owner[number(i, m)];

    if (*owner != c->id + 1 || m->data_len != c->id)
        soak_fail("pool \"%s\": buffer %u of core %u was written by another",
                  rows[i].name, number(i, m), c->id);
    *owner = 0;
}

/* Alone, a core knows what it could have got. P0 hides what it has. */
static void check_shortage(struct core *c, unsigned i, unsigned n)
{
    struct mempool_account account;
    struct mempool_stats stats;
    unsigned in_reach;

    if (!in_turns || rows[i].policy == MEMPOOL_P0)
        return;
    mempool_account_get(raw[i].pool, &account);
    mempool_stats_get(raw[i].pool, c->id, &stats);
    in_reach = rows[i].steal ? account.in_store + account.in_caches
                             : account.in_store + stats.cached;
    if (in_reach >= n)
        soak_fail("pool \"%s\": %u refused, %u were in reach", rows[i].name, n,
                  in_reach);
}

static unsigned get(struct core *c, unsigned i, unsigned n)
{
    struct mbuf **got = &c->bag[i][c->bagged[i]];

    if (mempool_get_bulk(raw[i].pool, got, n) != OK) {
        check_shortage(c, i, n);
        return 0;
    }
    for (unsigned k = 0; k < n; k++)
        now_mine(c, i, got[k]);
    c->bagged[i] += n;
    return n;
}

static unsigned put(struct core *c, unsigned i, unsigned n)
{
    struct mbuf **bag = c->bag[i];

    if (n > c->bagged[i])
        n = c->bagged[i];
    if (n == 0)
        return 0;
    /* Not always in the order in which they came. */
    for (unsigned k = 0; k < 2; k++) {
        const unsigned a = below(c, c->bagged[i]), b = below(c, c->bagged[i]);
        struct mbuf *m = bag[a];

        bag[a] = bag[b];
        bag[b] = m;
    }
    c->bagged[i] -= n;
    for (unsigned k = 0; k < n; k++)
        no_more_mine(c, i, bag[c->bagged[i] + k]);
    mempool_put_bulk(raw[i].pool, bag + c->bagged[i], n);
    return n;
}

unsigned pools_operate(struct core *c)
{
    const unsigned i = below(c, RAW_POOLS), n = some(c, 200);

    if (below(c, 2) == 0 && c->bagged[i] + n <= BAG_MAX)
        return get(c, i, n);
    return put(c, i, n);
}

static void check_caches(unsigned i)
{
    const unsigned most = mempool_cache_most(rows[i].policy, rows[i].cache);
    struct mempool_stats stats;

    for (unsigned k = 0; k < core_total; k++) {
        mempool_stats_get(raw[i].pool, k, &stats);
        if (stats.cached > most)
            soak_fail("pool \"%s\": core %u has cached %u, more than %u",
                      rows[i].name, k, stats.cached, most);
    }
}

/* The pool's account, the owners' bytes and the bags say the same. */
void pools_check(void)
{
    for (unsigned i = 0; i < RAW_POOLS; i++) {
        unsigned bagged = 0, owned = 0;

        for (unsigned k = 0; k < core_total; k++) {
            bagged += cores[k].bagged[i];
            for (unsigned b = 0; b < cores[k].bagged[i]; b++) {
                const unsigned n = number(i, cores[k].bag[i][b]);

                if (raw[i].owner[n] != k + 1)
                    soak_fail("pool \"%s\": buffer %u is in the bag of core %u "
                              "and owned by %d",
                              rows[i].name, n, k, raw[i].owner[n] - 1);
            }
        }
        for (unsigned n = 0; n < rows[i].count; n++)
            owned += raw[i].owner[n] != 0;
        if (owned != bagged ||
            mempool_available(raw[i].pool) + bagged != rows[i].count)
            soak_fail("pool \"%s\": %u free, %u in bags, %u owned, of %u",
                      rows[i].name, mempool_available(raw[i].pool), bagged,
                      owned, rows[i].count);
        check_caches(i);
    }
}

/* Every buffer once, and as it has to be. */
static void check_all(unsigned i)
{
    struct mbuf **all = calloc(rows[i].count, sizeof(*all));
    const char *reason;

    for (unsigned k = 0; k < core_total; k++)
        mempool_cache_flush(raw[i].pool, k);
    if (mempool_get_bulk(raw[i].pool, all, rows[i].count) != OK)
        soak_fail("pool \"%s\": not all could be had", rows[i].name);
    for (unsigned n = 0; n < rows[i].count; n++) {
        now_mine(&cores[0], i, all[n]);
        if (!mbuf_raw_check(all[n], raw[i].pool, &reason))
            soak_fail("pool \"%s\": a buffer with %s", rows[i].name, reason);
    }
    for (unsigned n = 0; n < rows[i].count; n++)
        no_more_mine(&cores[0], i, all[n]);
    mempool_put_bulk(raw[i].pool, all, rows[i].count);
    free(all);
}

void pools_close(void)
{
    for (unsigned i = 0; i < RAW_POOLS; i++) {
        for (unsigned k = 0; k < core_total; k++)
            (void)put(&cores[k], i, BAG_MAX);
        check_all(i);
    }
}
