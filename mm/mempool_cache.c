/*
 * mempool_cache.c - policy: two groups per core, exchanged with a depot
 *
 * A core puts to and gets from the top of `loaded`. When that is full or empty,
 * `spare` takes its place; only when both are full or both empty does a group
 * change hands with the depot, by pointer. So nothing moves down, the newest
 * buffers always stay here, and at least a group's worth of calls lies between
 * two visits to the shared line.
 *
 *   C1  a buffer in spare is older than every buffer in loaded
 *   C2  spare is full or empty
 *   C3  what loaded and spare hold is <= cache_size, the nominal size, odd ones
 *       included; loaded takes min(group_size, cache_size - spare_len)
 *   C4  a get takes all or nothing, and succeeds whenever this cache and the
 *       store together hold enough
 *
 * Source: the idea is Bonwick and Adams, "Magazines and Vmem", USENIX 2001.
 */
#include <stddef.h>

#include "mm/mempool_impl.h"

unsigned cache_group_size(unsigned cache_size)
{
    return (cache_size + 1) / 2;
}

/* C3: what loaded takes beside a spare of @spare_len. */
static unsigned limit_of(const struct mempool *p, unsigned spare_len)
{
    const unsigned room = p->cache_size - spare_len;

    return room < p->depot.group_size ? room : p->depot.group_size;
}

void cache_init(struct mempool *p, struct mempool_cache *c,
                struct group *loaded, struct group *spare)
{
    c->spare = spare;
    cache_load(c, loaded, 0, limit_of(p, 0));
}

/* ---- get ---- */

/* A get of @n was served; @g holds @len, and spare is empty. */
static void get_done(struct mempool *p, struct mempool_cache *c, unsigned n,
                     struct group *g, unsigned len)
{
    level_set(&c->spare_len, 0);
    tally_add(&c->got, n);
    cache_load(c, g, len, limit_of(p, 0));
}

/* Both groups are not enough: empty them, go on with groups of the depot. */
static enum status get_from_store(struct mempool *p, struct mempool_cache *c,
                                  struct mbuf *out[], unsigned n)
{
    const unsigned len = cache_len(c);
    struct group *loaded = cache_loaded(c), *g, *emptied = NULL;
    unsigned rest = n - len - c->spare_len;

    /* Copied before we know: a failed get may leave anything in out. */
    group_pop(loaded, len, out, len);
    out += len;
    group_pop(c->spare, c->spare_len, out, c->spare_len);
    out += c->spare_len;

    g = depot_take(&p->depot, rest, loaded);
    if (g == NULL)
        return E_NOBUF;
    count_add(&c->store_gets, 1);
    while (g->next != NULL) {
        struct group *next = g->next;

        count_add(&c->store_get_objects, g->len);
        group_pop(g, g->len, out, g->len);
        out += g->len;
        rest -= g->len;
        g->next = emptied;
        emptied = g;
        g = next;
    }
    count_add(&c->store_get_objects, g->len);
    group_pop(g, g->len, out, rest);
    get_done(p, c, n, g, g->len - rest);
    if (emptied != NULL)
        depot_give_empty(&p->depot, emptied);
    return OK;
}

enum status cache_get_miss(struct mempool *p, struct mempool_cache *c,
                           struct mbuf *out[], unsigned n)
{
    const unsigned len = cache_len(c), spare_len = c->spare_len;
    struct group *loaded = cache_loaded(c), *spare = c->spare;
    const unsigned rest = n - len; /* a hit would have served fewer than len */

    if (unlikely(n > len + spare_len))
        return get_from_store(p, c, out, n);
    group_pop(loaded, len, out, len);
    group_pop(spare, spare_len, out + len, rest);
    c->spare = loaded;
    get_done(p, c, n, spare, spare_len - rest);
    return OK;
}

/* ---- put ---- */

void cache_put_miss(struct mempool *p, struct mempool_cache *c,
                    struct mbuf *const in[], unsigned n)
{
    const unsigned size = p->depot.group_size;
    unsigned len = cache_len(c), limit = cache_limit(c);
    unsigned spare_len = c->spare_len;
    struct group *loaded = cache_loaded(c), *spare = c->spare;

    for (unsigned left = n;;) {
        const unsigned part = left < limit - len ? left : limit - len;

        pointers_copy(&loaded->object[len], in, part);
        len += part;
        in += part;
        left -= part;
        if (left == 0)
            break;
        if (spare_len != 0) { /* the older group goes */
            spare = depot_swap_full(&p->depot, spare);
            count_add(&c->store_puts, 1);
            count_add(&c->store_put_objects, size);
            spare_len = 0;
        }
        if (len == size) {
            struct group *full = loaded;

            loaded = spare;
            spare = full;
            spare_len = size;
            len = 0;
        }
        limit = limit_of(p, spare_len);
    }
    c->spare = spare;
    level_set(&c->spare_len, spare_len);
    tally_add(&c->put, n);
    cache_load(c, loaded, len, limit);
}

void cache_flush(struct mempool *p, struct mempool_cache *c)
{
    struct group *loaded = cache_loaded(c);

    depot_put_objects(&p->depot, c->spare->object, c->spare_len);
    depot_put_objects(&p->depot, loaded->object, cache_len(c));
    level_set(&c->spare_len, 0);
    cache_load(c, loaded, 0, limit_of(p, 0));
}
