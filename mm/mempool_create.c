/*
 * mempool_create.c - pools come and go
 *
 * One block has the pool's own parts: struct, caches, what the caches and the
 * store keep their pointers in, and marks. Another has the buffers.
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

#define HIT_CACHES_BYTES (LCORE_MAX * sizeof(struct mempool_cache))

static struct mempool *first_pool;

/* ---- create ---- */

static const char *external_fault(const struct mempool_config *c)
{
    if (c->external == NULL)
        return c->external_bytes == 0 ? NULL : "its memory has no address";
    if ((uintptr_t)c->external % CACHE_LINE != 0 ||
        c->data_room % CACHE_LINE != 0)
        return "pinned buffers do not start on lines of their own";
    if (c->data_room == 0)
        return "pinned buffers have no bytes";
    if (c->external_bytes < (uint64_t)c->count * c->data_room)
        return "the memory for pinned buffers is too small";
    return NULL;
}

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
    if ((unsigned)c->policy >= MEMPOOL_POLICIES)
        return "there is no such policy";
    if (mempool_cache_most(c->policy, c->cache) > c->count)
        return "the cache is larger than the pool";
    if (c->policy != MEMPOOL_GROUPS && c->cache == 0)
        return "its policy is one of caches, and it has none";
    if (c->policy != MEMPOOL_GROUPS && c->steal)
        return "its policy knows no stealing";
    if (c->data_room > UINT16_MAX)
        return "the data room is larger than 65535 bytes";
    if (c->private_bytes % 8 != 0)
        return "the private part is not a multiple of 8 bytes";
    if (c->private_bytes > UINT16_MAX)
        return "the private part is larger than 65535 bytes";
    if (c->lcores > LCORE_MAX)
        return "it has more caches than there can be cores";
    return external_fault(c);
}

/* ---- the pool's own parts ---- */

/* Where they are from the pool's start, and how many of what size. */
struct layout {
    uint64_t pool;        /* behind the caches that hits see */
    uint64_t slow_caches; /* the others' */
    uint64_t groups;
    unsigned group_count, group_size, group_room;
    uint64_t group_stride;
    uint64_t slots;
    unsigned slot_count;
    uint64_t marks;
    uint64_t bytes;
};

/*
 * Groups that make D3 hold: full ones hold different buffers, one may be
 * partial, and each cache has two in its hands whatever they hold. Each has
 * room for a whole cache, because it may become one.
 */
static void layout_groups(const struct mempool *p, struct layout *l)
{
    l->group_size =
        p->cache_size == 0 ? UNCACHED_GROUP : cache_group_size(p->cache_size);
    l->group_room = p->cache_size == 0 ? UNCACHED_GROUP : p->cache_size;
    l->group_count = p->count / l->group_size + 1 + 2 * p->lcores;
    l->group_stride = sizeof(struct group);
}

/* An array for each cache, a guard line behind it, and slots for the store. */
static void layout_history(const struct mempool *p, struct layout *l)
{
    l->group_room = cache_array_size(p->policy, p->cache_size);
    l->group_count = p->lcores;
    l->group_stride = sizeof(struct group) + CACHE_LINE;
    l->slot_count = 1;
    while (l->slot_count < p->count)
        l->slot_count *= 2;
}

static struct layout layout_of(const struct mempool *p)
{
    struct layout l = { .slot_count = 0 };

    if (p->policy == MEMPOOL_GROUPS)
        layout_groups(p, &l);
    else
        layout_history(p, &l);
    l.group_stride += align_up(l.group_room * sizeof(void *), CACHE_LINE);
    l.pool = HIT_CACHES_BYTES;
    l.slow_caches = l.pool + align_up(sizeof(*p), 2 * CACHE_LINE);
    l.groups = l.slow_caches;
    if (p->kind != KIND_GROUPS)
        l.groups += p->lcores * sizeof(struct mempool_cache);
    l.slots = l.groups + l.group_count * l.group_stride;
    l.marks = l.slots + l.slot_count * sizeof(void *);
    l.bytes = l.marks + (MEMPOOL_CHECKS ? p->count : 0);
    return l;
}

/* Where the pool's own parts begin. */
static char *own_block(struct mempool *p)
{
    return (char *)p - HIT_CACHES_BYTES;
}

static struct group *group_at(struct mempool *p, const struct layout *l,
                              unsigned i)
{
    return (struct group *)(void *)(own_block(p) + l->groups +
                                    i * l->group_stride);
}

static void groups_init(struct mempool *p, const struct layout *l)
{
    struct group *list = NULL;

    for (unsigned i = l->group_count; i-- > 0;) {
        struct group *g = group_at(p, l, i);

        g->len = 0;
        g->next = list;
        list = g;
    }
    p->depot.group_size = l->group_size;
    p->depot.partial = list;
    list = list->next;
    for (unsigned i = 0; i < p->lcores; i++) {
        cache_init(p, mempool_cache_of(p, i), list, list->next);
        list = list->next->next;
    }
    p->depot.empty = list;
}

static void arrays_init(struct mempool *p, const struct layout *l)
{
    p->fifo.mask = l->slot_count - 1;
    p->fifo.slot = (struct mbuf **)(void *)(own_block(p) + l->slots);
    for (unsigned i = 0; i < p->lcores; i++)
        history_init(p, mempool_cache_of(p, i), group_at(p, l, i));
}

/* ---- create ---- */

static void buffer_make(struct mempool *p, unsigned i)
{
    struct mbuf *m = mempool_buffer(p, i);

    if (p->external == NULL)
        mbuf_make(m, p, p->private_bytes, p->data_room);
    else
        mbuf_make_pinned(m, p, p->private_bytes, p->data_room,
                         p->external + (uint64_t)i * p->data_room);
}

/* Buffer 0 is the first to come out, of either store. */
static void buffers_init(struct mempool *p)
{
    for (unsigned i = 0; i < p->count; i++) {
        const bool lifo = p->policy == MEMPOOL_GROUPS;
        const unsigned k = lifo ? p->count - 1 - i : i;
        struct mbuf *m = mempool_buffer(p, k);

        buffer_make(p, k);
        store_put(p, &m, 1);
    }
    mbuf_fresh_of(mempool_buffer(p, 0), p->front.fresh);
    if (MEMPOOL_CHECKS)
        mempool_check_init(p);
}

static enum cache_kind kind_of(const struct mempool_config *config)
{
    if (config->policy != MEMPOOL_GROUPS)
        return KIND_P0 + (config->policy - MEMPOOL_P0);
    return config->steal ? KIND_STEAL : KIND_GROUPS;
}

static struct mempool draft(const struct mempool_config *config)
{
    struct mempool p = { .count = config->count,
                         .cache_size = config->cache,
                         .data_room = config->data_room,
                         .private_bytes = config->private_bytes,
                         .policy = config->policy,
                         .steal = config->steal,
                         .external = config->external };

    memcpy(p.name, config->name, strlen(config->name) + 1);
    if (config->cache != 0)
        p.lcores = config->lcores == 0 ? LCORE_MAX : config->lcores;
    p.kind = kind_of(config);
    p.stride =
        (unsigned)align_up(sizeof(struct mbuf) + p.private_bytes +
                               mempool_inner_bytes(&p) + MEMPOOL_GUARD_BYTES,
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
    struct mempool *p;

    if (memory == NULL || buffers == NULL) {
        log_shortage(d, l->bytes);
        dma_free(memory);
        dma_free(buffers);
        return NULL;
    }
    p = (struct mempool *)(void *)(memory + l->pool);
    *p = *d;
    p->buffers = buffers;
    p->caches = (struct mempool_cache *)(void *)p - 1;
    if (p->kind != KIND_GROUPS)
        p->caches = (struct mempool_cache *)(void *)(memory + l->groups) - 1;
    p->is_free = (uint8_t *)memory + l->marks;
    return p;
}

struct mempool *mempool_create(const struct mempool_config *config)
{
    const char *fault = config_fault(config);
    struct mempool d, *p;
    struct layout l;

    if (fault != NULL) {
        log_error("mempool: pool \"%s\" (%u buffers, cache %u) refused: %s",
                  config->name == NULL ? "" : config->name, config->count,
                  config->cache, fault);
        return NULL;
    }
    d = draft(config);
    l = layout_of(&d);
    p = pool_alloc(&d, &l);
    if (p == NULL)
        return NULL;
    if (p->policy == MEMPOOL_GROUPS)
        groups_init(p, &l);
    else
        arrays_init(p, &l);
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
    dma_free(own_block(pool));
    return OK;
}

void mempool_forget_all(void)
{
    first_pool = NULL;
}

struct mempool *mempool_next(const struct mempool *pool)
{
    return pool == NULL ? first_pool : pool->next;
}
