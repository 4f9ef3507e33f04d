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
 */
#include "mm/mempool.h"

#include <stddef.h>
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "mm/dma.h"
#include "mm/frame.h"
#include "mm/mempool_impl.h"

#define UNCACHED_GROUP 64 /* buffers per group when there are no caches */

static struct mempool *first_pool;

/* ---- create ---- */

/* What is wrong with @c, or NULL. */
static const char *config_fault(const struct mempool_config *c)
{
    if (c->name == NULL || c->name[0] == '\0')
        return "it has no name";
    if (strlen(c->name) >= MEMPOOL_NAME_MAX)
        return "its name is longer than 31 characters";
    for (const struct mempool *p = first_pool; p != NULL; p = p->next)
        if (strcmp(p->name, c->name) == 0)
            return "the name is taken";
    if (c->count == 0)
        return "it has no buffers";
    if (c->count > UINT32_MAX / 2)
        return "it has more than 2^31 buffers";
    if (c->cache > MEMPOOL_CACHE_MAX)
        return "the cache is larger than 512";
    if (c->cache > c->count)
        return "the cache is larger than the pool";
    if (c->data_room > UINT16_MAX)
        return "the data room is larger than 65535 bytes";
    if (c->private_bytes % 8 != 0)
        return "the private part is not a multiple of 8 bytes";
    if (c->private_bytes > UINT16_MAX)
        return "the private part is larger than 65535 bytes";
    if (c->lcores > LCORE_MAX)
        return "it has more caches than there can be cores";
    return NULL;
}

/*
 * Groups that make D3 hold: full ones hold different buffers, one may be
 * partial, and each cache has two in its hands whatever they hold.
 */
static unsigned group_count(const struct mempool *p, unsigned group_size)
{
    return p->count / group_size + 1 + 2 * p->lcores;
}

static uint64_t group_stride(unsigned group_size)
{
    return sizeof(struct group) +
           align_up(group_size * sizeof(struct mbuf *), CACHE_LINE);
}

/* The pool's own memory: struct, caches, groups, marks; in that order. */
struct layout {
    uint64_t caches;
    uint64_t groups;
    uint64_t marks;
    uint64_t bytes;
};

static struct layout layout_of(const struct mempool *p, unsigned group_size)
{
    struct layout l;

    l.caches = align_up(sizeof(*p), sizeof(struct mempool_cache));
    l.groups = l.caches + p->lcores * sizeof(struct mempool_cache);
    l.marks = l.groups + group_count(p, group_size) * group_stride(group_size);
    l.bytes = l.marks + (MEMPOOL_CHECKS ? p->count : 0);
    return l;
}

static void groups_init(struct mempool *p, char *memory, unsigned group_size)
{
    const uint64_t stride = group_stride(group_size);
    struct group *list = NULL;

    for (unsigned i = group_count(p, group_size); i-- > 0;) {
        struct group *g = (struct group *)(void *)(memory + i * stride);

        g->len = 0;
        g->next = list;
        list = g;
    }
    p->depot.group_size = group_size;
    p->depot.partial = list;
    list = list->next;
    for (unsigned i = 0; i < p->lcores; i++) {
        cache_init(p, &p->caches[i], list, list->next);
        list = list->next->next;
    }
    p->depot.empty = list;
}

/* Buffer 0 goes in last, so that it comes out first. */
static void buffers_init(struct mempool *p)
{
    for (unsigned i = p->count; i-- > 0;) {
        struct mbuf *m = mempool_buffer(p, i);

        mbuf_make(m, p, p->private_bytes, p->data_room);
        depot_put_objects(&p->depot, &m, 1);
    }
    if (MEMPOOL_CHECKS)
        mempool_check_init(p);
}

static struct mempool draft(const struct mempool_config *config)
{
    struct mempool p = { .count = config->count,
                         .cache_size = config->cache,
                         .data_room = config->data_room,
                         .private_bytes = config->private_bytes };

    memcpy(p.name, config->name, strlen(config->name) + 1);
    if (config->cache != 0)
        p.lcores = config->lcores == 0 ? LCORE_MAX : config->lcores;
    p.stride = (unsigned)align_up(sizeof(struct mbuf) + p.private_bytes +
                                      p.data_room + MEMPOOL_GUARD_BYTES,
                                  CACHE_LINE);
    return p;
}

static void log_shortage(const struct mempool *p, uint64_t own_bytes)
{
    struct frame_stats s;

    frame_stats_get(&s);
    log_error("mempool: pool \"%s\" needs %llu KiB for %u buffers and %llu KiB "
              "for caches; the largest gap is %llu KiB",
              p->name, (unsigned long long)p->count * p->stride >> 10, p->count,
              (unsigned long long)own_bytes >> 10,
              (unsigned long long)s.largest_free >> 10);
}

/* Memory for the pool that @d describes, with @d in it; NULL when short. */
static struct mempool *pool_alloc(const struct mempool *d,
                                  const struct layout *l)
{
    char *memory =
        dma_alloc(l->bytes, sizeof(struct mempool_cache), "mempool caches");
    char *buffers =
        frame_alloc((uint64_t)d->count * d->stride, 0, "packet buffers");
    struct mempool *p = (struct mempool *)(void *)memory;

    if (memory == NULL || buffers == NULL) {
        log_shortage(d, l->bytes);
        dma_free(memory);
        dma_free(buffers);
        return NULL;
    }
    *p = *d;
    p->buffers = buffers;
    p->caches = (struct mempool_cache *)(void *)(memory + l->caches);
    p->is_free = (uint8_t *)memory + l->marks;
    return p;
}

struct mempool *mempool_create(const struct mempool_config *config)
{
    const char *fault = config_fault(config);
    unsigned group_size;
    struct mempool d, *p;
    struct layout l;

    if (fault != NULL) {
        log_error("mempool: pool \"%s\" (%u buffers, cache %u) refused: %s",
                  config->name == NULL ? "" : config->name, config->count,
                  config->cache, fault);
        return NULL;
    }
    d = draft(config);
    group_size =
        d.cache_size == 0 ? UNCACHED_GROUP : cache_group_size(d.cache_size);
    l = layout_of(&d, group_size);
    p = pool_alloc(&d, &l);
    if (p == NULL)
        return NULL;
    groups_init(p, (char *)p + l.groups, group_size);
    buffers_init(p);
    p->next = first_pool;
    first_pool = p;
    return p;
}

enum status mempool_destroy(struct mempool *pool)
{
    const unsigned held = pool->count - mempool_available(pool);
    struct mempool **link = &first_pool;

    if (held != 0) {
        log_error("mempool: pool \"%s\" stays: %u of %u buffers are still out",
                  pool->name, held, pool->count);
        return E_BUSY;
    }
    while (*link != pool)
        link = &(*link)->next;
    *link = pool->next;
    frame_free(pool->buffers);
    dma_free(pool);
    return OK;
}

void mempool_forget_all(void)
{
    first_pool = NULL;
}

/* ---- get, put ---- */

/* The calling core's cache, or NULL when it has none in this pool. */
static inline struct mempool_cache *own_cache(struct mempool *p)
{
    const unsigned lcore = plat_lcore_id();

    return likely(lcore < p->lcores) ? &p->caches[lcore] : NULL;
}

/* Cores without a cache share these counters, so they add atomically. */
static void shared_add(uint64_t *counter, uint64_t n)
{
    __atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

static enum status get_uncached(struct mempool *p, struct mbuf *out[],
                                unsigned n)
{
    struct mempool_cache *c = &p->uncached;

    if (!depot_get_objects(&p->depot, out, n)) {
        shared_add(&c->fail_calls, 1);
        shared_add(&c->fail_objects, n);
        return E_NOBUF;
    }
    shared_add(&c->get_calls, 1);
    shared_add(&c->get_objects, n);
    return OK;
}

static void put_uncached(struct mempool *p, struct mbuf *const in[], unsigned n)
{
    struct mempool_cache *c = &p->uncached;

    depot_put_objects(&p->depot, in, n);
    shared_add(&c->put_calls, 1);
    shared_add(&c->put_objects, n);
}

static enum status get_cached(struct mempool *p, struct mempool_cache *c,
                              struct mbuf *out[], unsigned n)
{
    if (unlikely(cache_get(p, c, out, n) != OK)) {
        count_add(&c->fail_calls, 1);
        count_add(&c->fail_objects, n);
        return E_NOBUF;
    }
    count_add(&c->get_calls, 1);
    count_add(&c->get_objects, n);
    return OK;
}

enum status mempool_get_bulk(struct mempool *pool, struct mbuf *out[],
                             unsigned n)
{
    struct mempool_cache *c = own_cache(pool);
    const enum status status =
        c == NULL ? get_uncached(pool, out, n) : get_cached(pool, c, out, n);

    if (MEMPOOL_CHECKS && status == OK)
        mempool_check_get(pool, out, n);
    return status;
}

void mempool_put_bulk(struct mempool *pool, struct mbuf *const in[], unsigned n)
{
    struct mempool_cache *c = own_cache(pool);

    if (MEMPOOL_CHECKS)
        mempool_check_put(pool, in, n);
    if (unlikely(c == NULL)) {
        put_uncached(pool, in, n);
        return;
    }
    cache_put(pool, c, in, n);
    count_add(&c->put_calls, 1);
    count_add(&c->put_objects, n);
}

void mempool_cache_flush(struct mempool *pool, unsigned lcore)
{
    if (lcore < pool->lcores)
        cache_flush(pool, &pool->caches[lcore]);
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

unsigned mempool_private_bytes(const struct mempool *pool)
{
    return pool->private_bytes;
}

struct mempool *mempool_next(const struct mempool *pool)
{
    return pool == NULL ? first_pool : pool->next;
}
