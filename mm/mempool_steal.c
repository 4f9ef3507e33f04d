/*
 * mempool_steal.c - the product's policy, with caches that others may empty
 *
 * Each cache has a lock, nearly always taken by its own core alone. A get that
 * is short lets its own lock go, then empties one other cache after the other
 * into the store until it can be served.
 *
 *   L1  a core holds one cache's lock at most; the store's lock comes after it
 *   L2  a get succeeds when this cache, the store, and what the others hold at
 *       rest are together enough
 */
#include <stddef.h>

#include "mm/mempool_impl.h"

/* From the own cache and the store; @own is NULL for a core without one. */
static enum status try_get(struct mempool *p, struct mempool_cache *own,
                           struct mbuf *out[], unsigned n)
{
    enum status status;

    if (own == NULL)
        return depot_get_objects(&p->depot, out, n) ? OK : E_NOBUF;
    spin_lock(&own->lock);
    status = cache_get_hit(own, out, n) ? OK : cache_get_miss(p, own, out, n);
    spin_unlock(&own->lock);
    return status;
}

/* All that @victim holds into the store; how many. */
static unsigned empty(struct mempool *p, struct mempool_cache *victim)
{
    unsigned moved;

    spin_lock(&victim->lock);
    moved = cache_len(victim) + victim->spare_len;
    if (moved != 0)
        cache_flush(p, victim);
    spin_unlock(&victim->lock);
    return moved;
}

static void count_stolen(struct mempool *p, struct mempool_cache *own,
                         unsigned n)
{
    if (own != NULL)
        count_add(&own->stolen_objects, n);
    else
        __atomic_fetch_add(&p->uncached.stolen_objects, n, __ATOMIC_RELAXED);
}

static enum status get_by_force(struct mempool *p, struct mempool_cache *own,
                                struct mbuf *out[], unsigned n)
{
    const unsigned after =
        own == NULL
            ? 0
            : (unsigned)(mempool_cache_of(p, 0) - own) + 1; /* spread it */

    if (mempool_available(p) < n) /* leave the others alone */
        return E_NOBUF;
    for (unsigned i = 0; i < p->lcores; i++) {
        struct mempool_cache *victim =
            mempool_cache_of(p, (after + i) % p->lcores);
        unsigned moved;

        if (victim == own)
            continue;
        moved = empty(p, victim);
        if (moved == 0)
            continue;
        count_stolen(p, own, moved);
        if (try_get(p, own, out, n) == OK)
            return OK;
    }
    return E_NOBUF;
}

enum status steal_cache_get(struct mempool *p, struct mempool_cache *c,
                            struct mbuf *out[], unsigned n)
{
    if (likely(try_get(p, c, out, n) == OK))
        return OK;
    return get_by_force(p, c, out, n);
}

enum status steal_get(struct mempool *p, struct mbuf *out[], unsigned n)
{
    return get_by_force(p, NULL, out, n);
}

void steal_cache_put(struct mempool *p, struct mempool_cache *c,
                     struct mbuf *const in[], unsigned n)
{
    spin_lock(&c->lock);
    cache_put_miss(p, c, in, n);
    spin_unlock(&c->lock);
}

void steal_cache_flush(struct mempool *p, struct mempool_cache *c)
{
    (void)empty(p, c);
}
