/*
 * mempool.c - packet buffers of one size, shared by every core
 *
 * Each core keeps a small stack of free buffers (its cache) before one shared
 * store, so the usual get or put touches no cache line another core writes.
 *
 *   P1  a buffer is in exactly one place: a cache, the store, or with a caller
 *   P2  a get takes all or nothing; shortage has one name, E_NOBUF
 *   P3  a put cannot fail
 *   P4  nothing is allocated after mempool_create
 *
 * The choice of a policy costs the product's nothing: hits, in mempool_hit.h, see
 * the caches of its policy only. The others' are elsewhere.
 */
#include "mm/mempool.h"

#include <stddef.h>

#include <millrace/plat.h>

#include "mm/mempool_impl.h"

struct mempool_guess mempool_guesses[LCORE_MAX];

/* ---- policies ---- */

/* The others count for themselves, where what they share allows it. */
static enum status counted(struct mempool_cache *c, enum status status,
                           unsigned n)
{
    if (likely(status == OK))
        cache_count_got(c, n);
    return status;
}

static enum status policy_get(struct mempool *p, struct mempool_cache *c,
                              struct mbuf *out[], unsigned n)
{
    switch (p->kind) {
    case KIND_P0:
        return counted(c, p0_get(p, c, out, n), n);
    case KIND_P1:
        return counted(c, p1_get(p, c, out, n), n);
    case KIND_P2:
        return counted(c, p2_get(p, c, out, n), n);
    case KIND_STEAL:
        return steal_cache_get(p, c, out, n);
    case KIND_GROUPS:
        break;
    }
    return cache_get_miss(p, c, out, n);
}

static void policy_put(struct mempool *p, struct mempool_cache *c,
                       struct mbuf *const in[], unsigned n)
{
    switch (p->kind) {
    case KIND_P0:
        p0_put(p, c, in, n);
        break;
    case KIND_P1:
        p1_put(p, c, in, n);
        break;
    case KIND_P2:
        p2_put(p, c, in, n);
        break;
    case KIND_STEAL:
        steal_cache_put(p, c, in, n);
        return;
    case KIND_GROUPS:
        cache_put_miss(p, c, in, n);
        return;
    }
    cache_count_put(c, n);
}

static void policy_flush(struct mempool *p, struct mempool_cache *c)
{
    if (p->policy != MEMPOOL_GROUPS)
        history_flush(p, c);
    else if (p->steal)
        steal_cache_flush(p, c);
    else
        cache_flush(p, c);
}

/* ---- get, put ---- */

/* Cores without a cache share these counters, so they add atomically. */
static void shared_add(uint64_t *counter, uint64_t n)
{
    __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

/* As cache_count_got() and cache_count_put(). */
static void shared_count_got(struct mempool_cache *c, unsigned n)
{
    shared_add(&c->put_less, -(uint64_t)n);
    shared_add(&c->word, (uint64_t)n << CACHE_LEVEL_BITS);
    shared_add(&c->got_others, (uint64_t)n - 1);
}

static void shared_count_put(struct mempool_cache *c, unsigned n)
{
    shared_add(&c->put_less, n);
    shared_add(&c->put_others, (uint64_t)n - 1);
}

static enum status get_uncached(struct mempool *p, struct mbuf *out[],
                                unsigned n)
{
    struct mempool_cache *c = &p->uncached;

    if (!store_get(p, out, n) && (!p->steal || steal_get(p, out, n) != OK)) {
        shared_add(&c->fail_calls, 1);
        shared_add(&c->fail_objects, n);
        return E_NOBUF;
    }
    shared_count_got(c, n);
    return OK;
}

static void put_uncached(struct mempool *p, struct mbuf *const in[], unsigned n)
{
    struct mempool_cache *c = &p->uncached;

    store_put(p, in, n);
    shared_count_put(c, n);
}

static enum status get_cached(struct mempool *p, struct mempool_cache *c,
                              struct mbuf *out[], unsigned n)
{
    if (likely(policy_get(p, c, out, n) == OK))
        return OK;
    count_add(&c->fail_calls, 1);
    count_add(&c->fail_objects, n);
    return E_NOBUF;
}

static enum status get(struct mempool *p, struct mbuf *out[], unsigned n)
{
    struct mempool_cache *c = mempool_own_cache(p);

    if (MEMPOOL_CHECKS && mempool_get_hit(p, out, n))
        return OK;
    return c == NULL ? get_uncached(p, out, n) : get_cached(p, c, out, n);
}

enum status mempool_get_slow(struct mempool *pool, struct mbuf *out[],
                             unsigned n)
{
    const enum status status = get(pool, out, n);

    if (MEMPOOL_CHECKS && status == OK)
        mempool_check_get(pool, out, n);
    return status;
}

void mempool_put_slow(struct mempool *pool, struct mbuf *const in[], unsigned n)
{
    struct mempool_cache *c = mempool_own_cache(pool);

    if (MEMPOOL_CHECKS) {
        mempool_check_put(pool, in, n);
        if (mempool_put_hit(pool, in, n))
            return;
    }
    if (c == NULL) {
        put_uncached(pool, in, n);
        return;
    }
    policy_put(pool, c, in, n);
}

void mempool_cache_flush(struct mempool *pool, unsigned lcore)
{
    if (lcore < pool->lcores)
        policy_flush(pool, mempool_cache_of(pool, lcore));
}

/* ---- figures ---- */

unsigned mempool_available(const struct mempool *pool)
{
    struct mempool_account account;

    mempool_account_get(pool, &account);
    return account.in_store + account.in_caches;
}

unsigned mempool_count(const struct mempool *pool)
{
    return pool->count;
}

const char *mempool_name(const struct mempool *pool)
{
    return pool->name;
}

unsigned mempool_data_room(const struct mempool *pool)
{
    return pool->data_room;
}

unsigned mempool_lcores(const struct mempool *pool)
{
    return pool->lcores;
}

enum mempool_policy mempool_policy(const struct mempool *pool)
{
    return pool->policy;
}

bool mempool_is_pinned(const struct mempool *pool)
{
    return pool->external != NULL;
}

unsigned mempool_private_bytes(const struct mempool *pool)
{
    return pool->private_bytes;
}
