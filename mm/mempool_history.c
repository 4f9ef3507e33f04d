/*
 * mempool_history.c - how DPDK's per-core cache worked, three times
 *
 * One array per core, filled and drained at its top; all trips to the store
 * copy. What they do is published; the code is not theirs. C is the nominal
 * size of the cache, T = floor(1.5 * C).
 *
 *   P0  before 2022. A burst of C or more never meets the cache; a put beyond
 *       T sends away the newest; a get can fail although there are enough.
 *   P1  2022 (DPDK a2833ecc5e). The cache first, the newest first; a refill
 *       leaves C behind; a put beyond T sends away all that was there.
 *   P2  2026 (DPDK 459531c958). As P1, but refills and flushes are of C / 2,
 *       and what they cannot serve goes past the cache.
 *
 * A get that fails leaves the array and its level as they were: the store
 * writes nothing when it refuses, and the level is set only afterwards.
 */
#include <string.h>

#include "mm/mempool_impl.h"

/* ---- the array ---- */

unsigned cache_array_size(enum mempool_policy policy, unsigned cache_size)
{
    /* P0 appends any put up to the maximum, P1 refills for any such get. */
    return policy == MEMPOOL_P2
               ? cache_size
               : mempool_cache_most(policy, cache_size) + MEMPOOL_CACHE_MAX;
}

void history_init(struct mempool *p, struct mempool_cache *c,
                  struct group *array)
{
    cache_load(c, array, 0, mempool_cache_most(p->policy, p->cache_size));
}

/* The store's oldest @n into @to. */
static bool fetch(struct mempool *p, struct mempool_cache *c, struct mbuf *to[],
                  unsigned n)
{
    if (!fifo_get(&p->fifo, to, n))
        return false;
    count_add(&c->store_gets, 1);
    count_add(&c->store_get_objects, n);
    return true;
}

static void send_away(struct mempool *p, struct mempool_cache *c,
                      struct mbuf *const from[], unsigned n)
{
    fifo_put(&p->fifo, from, n);
    count_add(&c->store_puts, 1);
    count_add(&c->store_put_objects, n);
}

static void append(struct mempool_cache *c, unsigned len,
                   struct mbuf *const in[], unsigned n)
{
    pointers_copy(&cache_loaded(c)->object[len], in, n);
    cache_len_set(c, len + n);
}

/* Hand out the newest @n of @len, which are in the array. */
static void hand_out(struct mempool_cache *c, unsigned len, struct mbuf *out[],
                     unsigned n)
{
    group_pop(cache_loaded(c), len, out, n);
    cache_len_set(c, len - n);
}

void history_flush(struct mempool *p, struct mempool_cache *c)
{
    fifo_put(&p->fifo, cache_loaded(c)->object, cache_len(c));
    cache_len_set(c, 0);
}

/* ---- P0 ---- */

enum status p0_get(struct mempool *p, struct mempool_cache *c,
                   struct mbuf *out[], unsigned n)
{
    unsigned len = cache_len(c);

    if (n >= p->cache_size)
        return fetch(p, c, out, n) ? OK : E_NOBUF;
    if (len < n) {
        const unsigned more = n + p->cache_size - len;

        if (!fetch(p, c, &cache_loaded(c)->object[len], more))
            return fetch(p, c, out, n) ? OK : E_NOBUF;
        len += more;
    }
    hand_out(c, len, out, n);
    return OK;
}

void p0_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n)
{
    const unsigned keep = p->cache_size;

    if (n > MEMPOOL_CACHE_MAX) {
        send_away(p, c, in, n);
        return;
    }
    append(c, cache_len(c), in, n);
    if (cache_len(c) < cache_limit(c))
        return;
    if (cache_len(c) > keep) /* a cache of 1: T is 1, and nothing is above it */
        send_away(p, c, &cache_loaded(c)->object[keep], cache_len(c) - keep);
    cache_len_set(c, keep);
}

/* ---- P1, P2: the cache first ---- */

/* The newest min(len, @n) to @out; the level stays until the get succeeds. */
static unsigned from_cache(const struct mempool_cache *c, struct mbuf *out[],
                           unsigned n)
{
    const unsigned part = n < cache_len(c) ? n : cache_len(c);

    group_pop(cache_loaded(c), cache_len(c), out, part);
    return part;
}

/* The cache is used up: @n more, past it. */
static enum status past_cache(struct mempool *p, struct mempool_cache *c,
                              struct mbuf *out[], unsigned n)
{
    if (!fetch(p, c, out, n))
        return E_NOBUF;
    cache_len_set(c, 0);
    return OK;
}

enum status p1_get(struct mempool *p, struct mempool_cache *c,
                   struct mbuf *out[], unsigned n)
{
    const unsigned part = from_cache(c, out, n);
    const unsigned rest = n - part;

    if (likely(rest == 0)) {
        cache_len_set(c, cache_len(c) - part);
        return OK;
    }
    if (rest > MEMPOOL_CACHE_MAX ||
        !fetch(p, c, cache_loaded(c)->object, p->cache_size + rest))
        return past_cache(p, c, out + part, rest);
    hand_out(c, p->cache_size + rest, out + part, rest);
    return OK;
}

void p1_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n)
{
    const unsigned len = cache_len(c);

    if (likely(len + n <= cache_limit(c))) {
        append(c, len, in, n);
        return;
    }
    if (n > cache_limit(c)) {
        send_away(p, c, in, n);
        return;
    }
    send_away(p, c, cache_loaded(c)->object, len);
    append(c, 0, in, n);
}

enum status p2_get(struct mempool *p, struct mempool_cache *c,
                   struct mbuf *out[], unsigned n)
{
    const unsigned part = from_cache(c, out, n);
    const unsigned rest = n - part;
    const unsigned half = p->cache_size / 2;

    if (likely(rest == 0)) {
        cache_len_set(c, cache_len(c) - part);
        return OK;
    }
    if (rest > half || !fetch(p, c, cache_loaded(c)->object, half))
        return past_cache(p, c, out + part, rest);
    hand_out(c, half, out + part, rest);
    return OK;
}

void p2_put(struct mempool *p, struct mempool_cache *c, struct mbuf *const in[],
            unsigned n)
{
    struct mbuf **array = cache_loaded(c)->object;
    const unsigned half = p->cache_size / 2;
    const unsigned len = cache_len(c);

    if (likely(len + n <= cache_limit(c))) {
        append(c, len, in, n);
        return;
    }
    if (n > half) {
        send_away(p, c, in, n);
        return;
    }
    /* len + n > C and n <= half: at least half are there to go. */
    send_away(p, c, array, half);
    memmove(array, array + half, (len - half) * sizeof(*array));
    append(c, len - half, in, n);
}
