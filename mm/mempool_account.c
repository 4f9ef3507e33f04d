/*
 * mempool_account.c - where the buffers are, and how many there must be
 */
#include <millrace/log.h>

#include "mm/mempool_impl.h"

void mempool_account_get(const struct mempool *pool,
                         struct mempool_account *account)
{
    unsigned in_caches = 0, in_store = store_level(pool);
    unsigned away;

    for (unsigned i = 0; i < pool->lcores; i++)
        in_caches += cache_level(count_read(&mempool_cache_of(pool, i)->word)) +
                     level_read(&mempool_cache_of(pool, i)->spare_len);
    /* Seen twice on its way between the two: do not answer more than all. */
    if (in_caches > pool->count)
        in_caches = pool->count;
    if (in_store > pool->count - in_caches)
        in_store = pool->count - in_caches;
    away = pool->count - in_caches - in_store;
    *account = (struct mempool_account) { .count = pool->count,
                                          .in_store = in_store,
                                          .in_caches = in_caches,
                                          .held = away };
}

void mempool_stats_get(const struct mempool *pool, unsigned lcore,
                       struct mempool_stats *stats)
{
    const bool has_cache = lcore < pool->lcores;
    const struct mempool_cache *c =
        has_cache ? mempool_cache_of(pool, lcore) : &pool->uncached;
    /* In this order: calls between the loads are not seen, rather than negative. */
    const uint64_t got_others = count_read(&c->got_others);
    const uint64_t put_others = count_read(&c->put_others);
    const uint64_t put_less = count_read(&c->put_less);
    const uint64_t word = count_read(&c->word);
    const uint64_t got = word >> CACHE_LEVEL_BITS;
    const uint64_t put = put_less + got + cache_level(word);

    *stats = (struct mempool_stats) {
        .get_calls = got - got_others,
        .get_objects = got,
        .put_calls = put - put_others,
        .put_objects = put,
        .fail_calls = count_read(&c->fail_calls),
        .fail_objects = count_read(&c->fail_objects),
        .store_gets = count_read(&c->store_gets),
        .store_get_objects = count_read(&c->store_get_objects),
        .store_puts = count_read(&c->store_puts),
        .store_put_objects = count_read(&c->store_put_objects),
        .stolen_objects = count_read(&c->stolen_objects),
        .cached = cache_level(word) + level_read(&c->spare_len),
    };
}

/* ---- sizing ---- */

unsigned mempool_cache_most(enum mempool_policy policy, unsigned cache)
{
    return policy == MEMPOOL_P0 || policy == MEMPOOL_P1 ? cache + cache / 2
                                                        : cache;
}

uint64_t mempool_count_needed(const struct mempool_need *need)
{
    return (uint64_t)need->rx_desc + need->tx_desc +
           (uint64_t)need->lcores * ((uint64_t)need->cache + need->burst);
}

enum status mempool_count_check(const char *name, unsigned count,
                                const struct mempool_need *need)
{
    const uint64_t needed = mempool_count_needed(need);

    if (count >= needed)
        return OK;
    log_error("mempool: pool \"%s\" has %u buffers, but %u Rx + %u Tx "
              "descriptors + %u cores * (cache %u + burst %u) need %llu",
              name, count, need->rx_desc, need->tx_desc, need->lcores,
              need->cache, need->burst, (unsigned long long)needed);
    return E_INVALID;
}
