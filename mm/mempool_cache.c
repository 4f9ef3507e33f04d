/*
 * mempool_cache.c - policy: one stack per core, groups exchanged with a depot
 *
 * A core puts to and gets from the top of `loaded`, which has room for the
 * whole cache; so what the cache can serve at all is usually a hit. A get beyond
 * it takes groups of half a cache from the depot, a put beyond it hands them in,
 * by pointer: the newest buffers always stay here, and at least a group's worth
 * of calls lies between two visits to the shared line.
 *
 * The first put beyond it divides the array: the older group goes, the newer is
 * moved to `spare`. As long as puts follow, nothing moves any more: spare goes,
 * loaded is the next spare. The first get beyond loaded makes spare the array.
 *
 *   C1  a buffer in spare is older than every buffer in loaded
 *   C2  spare is empty or holds a group
 *   C3  what loaded and spare hold is <= cache_size, the nominal size, odd ones
 *       included; loaded takes cache_size - spare_len
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
    return p->cache_size - spare_len;
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
    cache_count_got(c, n);
    cache_load(c, g, len, limit_of(p, 0));
}

/* Both are not enough: empty them, go on with groups of the depot. */
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

/* A put on its way: what the cache holds, and what is still to come. */
struct putting {
    struct group *loaded, *spare;
    unsigned len, spare_len;
    struct mbuf *const *in;
    unsigned left;
};

/* The next of @s->in to the top of @g, which holds @len: then it is a group. */
static void complete(struct putting *s, struct group *g, unsigned len,
                     unsigned group_size)
{
    const unsigned part = group_size - len;

    pointers_copy(&g->object[len], s->in, part);
    s->in += part;
    s->left -= part;
}

/* Hand in @full, the oldest group; loaded starts again with what comes back. */
static void hand_in(struct mempool *p, struct mempool_cache *c,
                    struct putting *s, struct group *full)
{
    s->loaded = depot_swap_full(&p->depot, full);
    s->len = 0;
    count_add(&c->store_puts, 1);
    count_add(&c->store_put_objects, p->depot.group_size);
}

/*
 * All does not fit; then it is two groups at least, an odd cache_size being one
 * less than two of them. The oldest goes, or becomes spare if it is alone.
 */
static void make_room(struct mempool *p, struct mempool_cache *c,
                      struct putting *s)
{
    const unsigned size = p->depot.group_size;
    struct group *const loaded = s->loaded, *const spare = s->spare;

    if (s->spare_len == 0 && s->len > size) {
        pointers_copy(spare->object, &loaded->object[size], s->len - size);
        complete(s, spare, s->len - size, size);
        hand_in(p, c, s, loaded);
    } else {
        complete(s, loaded, s->len, size);
        s->spare = loaded;
        if (s->spare_len != 0) {
            hand_in(p, c, s, spare);
        } else {
            s->loaded = spare;
            s->len = 0;
        }
    }
    s->spare_len = size;
}

void cache_put_miss(struct mempool *p, struct mempool_cache *c,
                    struct mbuf *const in[], unsigned n)
{
    struct putting s = { .loaded = cache_loaded(c),
                         .spare = c->spare,
                         .len = cache_len(c),
                         .spare_len = c->spare_len,
                         .in = in,
                         .left = n };

    while (s.spare_len + s.len + s.left > p->cache_size)
        make_room(p, c, &s);
    pointers_copy(&s.loaded->object[s.len], s.in, s.left);
    c->spare = s.spare;
    level_set(&c->spare_len, s.spare_len);
    cache_count_put(c, n);
    cache_load(c, s.loaded, s.len + s.left, limit_of(p, s.spare_len));
}

void cache_flush(struct mempool *p, struct mempool_cache *c)
{
    struct group *loaded = cache_loaded(c);

    depot_put_objects(&p->depot, c->spare->object, c->spare_len);
    depot_put_objects(&p->depot, loaded->object, cache_len(c));
    level_set(&c->spare_len, 0);
    cache_load(c, loaded, 0, limit_of(p, 0));
}
