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
 *   C3  len + spare_len <= cache_size, the nominal size, odd ones included;
 *       limit == min(group_size, cache_size - spare_len)
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

static void spare_set(struct mempool *p, struct mempool_cache *c, unsigned len)
{
    const unsigned room = p->cache_size - len; /* C3 */

    level_set(&c->spare_len, len);
    c->limit = room < p->depot.group_size ? room : p->depot.group_size;
}

static void swap_groups(struct mempool_cache *c)
{
    struct group *g = c->loaded;

    c->loaded = c->spare;
    c->spare = g;
}

void cache_init(struct mempool *p, struct mempool_cache *c,
                struct group *loaded, struct group *spare)
{
    c->kind = p->steal ? KIND_STEAL : KIND_GROUPS;
    c->loaded = loaded;
    c->spare = spare;
    level_set(&c->len, 0);
    spare_set(p, c, 0);
}

/* ---- get ---- */

/* Both groups are not enough: empty them, go on with groups of the depot. */
static enum status get_from_store(struct mempool *p, struct mempool_cache *c,
                                  struct mbuf *out[], unsigned n)
{
    struct group *g, *emptied = NULL;

    /* Copied before we know: a failed get may leave anything in out. */
    group_pop(c->loaded, c->len, out, c->len);
    out += c->len;
    group_pop(c->spare, c->spare_len, out, c->spare_len);
    out += c->spare_len;
    n -= c->len + c->spare_len;

    g = depot_take(&p->depot, n, c->loaded);
    if (g == NULL)
        return E_NOBUF;
    count_add(&c->store_gets, 1);
    spare_set(p, c, 0);
    while (g->next != NULL) {
        struct group *next = g->next;

        count_add(&c->store_get_objects, g->len);
        group_pop(g, g->len, out, g->len);
        out += g->len;
        n -= g->len;
        g->next = emptied;
        emptied = g;
        g = next;
    }
    count_add(&c->store_get_objects, g->len);
    group_pop(g, g->len, out, n);
    c->loaded = g;
    level_set(&c->len, g->len - n);
    if (emptied != NULL)
        depot_give_empty(&p->depot, emptied);
    return OK;
}

enum status cache_get_miss(struct mempool *p, struct mempool_cache *c,
                           struct mbuf *out[], unsigned n)
{
    const unsigned from_loaded = c->len;

    if (n > c->len + c->spare_len)
        return get_from_store(p, c, out, n);
    group_pop(c->loaded, from_loaded, out, from_loaded);
    swap_groups(c);
    level_set(&c->len, c->spare_len);
    spare_set(p, c, 0);
    n -= from_loaded;
    group_pop(c->loaded, c->len, out + from_loaded, n);
    level_set(&c->len, c->len - n);
    return OK;
}

/* ---- put ---- */

/* loaded is at its limit: let the older group go. */
static void make_room(struct mempool *p, struct mempool_cache *c)
{
    const unsigned size = p->depot.group_size;

    if (c->spare_len != 0) {
        c->spare = depot_swap_full(&p->depot, c->spare);
        count_add(&c->store_puts, 1);
        count_add(&c->store_put_objects, size);
        spare_set(p, c, 0);
    }
    if (c->len != size)
        return;
    swap_groups(c);
    level_set(&c->len, 0);
    spare_set(p, c, size);
}

void cache_put_miss(struct mempool *p, struct mempool_cache *c,
                    struct mbuf *const in[], unsigned n)
{
    for (;;) {
        const unsigned room = c->limit - c->len;
        const unsigned part = n < room ? n : room;

        pointers_copy(&c->loaded->object[c->len], in, part);
        level_set(&c->len, c->len + part);
        in += part;
        n -= part;
        if (n == 0)
            return;
        make_room(p, c);
    }
}

void cache_flush(struct mempool *p, struct mempool_cache *c)
{
    depot_put_objects(&p->depot, c->spare->object, c->spare_len);
    depot_put_objects(&p->depot, c->loaded->object, c->len);
    level_set(&c->len, 0);
    spare_set(p, c, 0);
}
