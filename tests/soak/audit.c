/*
 * audit.c - where each buffer of a packet pool is, and who counts on it
 *
 * All cores stand still, nothing is in flight. What the cores hold and what is
 * in the rings is walked through, segment by segment; then
 *
 *   - a pool misses as many buffers as were seen, and no more
 *   - a reference count is the number of packets and clones that were seen
 *   - memory from outside is in use as long as somebody was seen to show it
 */
#include <stdlib.h>
#include <string.h>

#include "mm/mempool_impl.h"
#include "tests/soak/packets.h"

static struct book {
    const struct mempool *pool;
    uint16_t *seen;   /* times in a packet */
    uint16_t *clones; /* headers that show its bytes */
} books[PACKET_POOLS];

static uint16_t outside_seen[CORES_MAX][EXT_SLOTS];

static unsigned number(const struct book *b, const struct mbuf *m)
{
    const uintptr_t offset = (uintptr_t)m - (uintptr_t)b->pool->buffers;

    if (offset >= (uint64_t)b->pool->count * b->pool->stride ||
        offset % b->pool->stride != 0)
        soak_fail("%p is no buffer of pool \"%s\"", (const void *)m,
                  b->pool->name);
    return (unsigned)(offset / b->pool->stride);
}

static struct book *book_of(const struct mbuf *m)
{
    for (unsigned i = 0; i < PACKET_POOLS; i++)
        if (m->pool == books[i].pool)
            return &books[i];
    soak_fail("%p has a pool of its own", (const void *)m);
}

static void saw_clone(const struct mbuf *root)
{
    struct book *b = book_of(root);

    b->clones[number(b, root)]++;
}

static bool is_pinned_header(const void *context)
{
    const struct mempool *p = books[PINNED].pool;
    const uintptr_t offset = (uintptr_t)context - (uintptr_t)p->buffers;

    return offset < (uint64_t)p->count * p->stride;
}

static void saw_outside(const struct outside *o)
{
    for (unsigned k = 0; k < core_total; k++) {
        const struct outside *first = cores[k].outside;

        if (o >= first && o < first + EXT_SLOTS) {
            outside_seen[k][o - first]++;
            return;
        }
    }
    soak_fail("memory from outside is nobody's");
}

static void saw_segment(const struct mbuf *m)
{
    struct book *b = book_of(m);

    if (b->seen[number(b, m)]++ > 0)
        return; /* held twice, it shows its bytes once */
    if ((m->ol_flags & MBUF_F_INDIRECT) != 0)
        saw_clone((const struct mbuf *)m->buf_addr - 1);
    else if ((m->ol_flags & MBUF_F_EXTERNAL) == 0 || b == &books[PINNED])
        return;
    else if (is_pinned_header(m->shinfo->context))
        saw_clone(m->shinfo->context);
    else
        saw_outside(m->shinfo->context);
}

static void saw_packet(struct mbuf *m)
{
    packet_verify(m);
    for (const struct mbuf *s = m; s != NULL; s = s->next)
        saw_segment(s);
}

/* ---- the reckoning ---- */

static void check_count(const struct book *b, unsigned i, const char *of,
                        unsigned counted, unsigned expected)
{
    if (counted != expected)
        soak_fail("pool \"%s\": buffer %u counts %u holders of its %s, there "
                  "are %u (in %u packets and %u clones)",
                  b->pool->name, i, counted, of, expected, b->seen[i],
                  b->clones[i]);
}

static bool check_buffer(const struct book *b, unsigned i)
{
    const struct mbuf *m = mempool_buffer(b->pool, i);
    const unsigned seen = b->seen[i], clones = b->clones[i];

    if (b == &books[PINNED]) {
        if (seen + clones == 0)
            return false;
        check_count(b, i, "bytes", m->shinfo->refcnt, (seen > 0) + clones);
        if (seen > 0)
            check_count(b, i, "header", m->refcnt, seen);
        return true;
    }
    if (seen + clones > 0)
        check_count(b, i, "header", m->refcnt, seen + clones);
    return seen + clones > 0;
}

static void check_book(const struct book *b)
{
    unsigned out = 0;

    for (unsigned i = 0; i < b->pool->count; i++)
        out += check_buffer(b, i);
    if (mempool_available(b->pool) + out != b->pool->count)
        soak_fail("pool \"%s\": %u free and %u seen, of %u", b->pool->name,
                  mempool_available(b->pool), out, b->pool->count);
}

static void check_outside(const struct core *c)
{
    for (unsigned i = 0; i < EXT_SLOTS; i++) {
        const struct outside *o = &c->outside[i];
        const unsigned seen = outside_seen[c->id][i];
        const struct mbuf_ext_shared *shared =
            (const void *)(o->bytes + EXT_BYTES - sizeof(*shared));

        if ((o->is_used != 0) != (seen > 0) ||
            (seen > 0 && shared->refcnt != seen))
            soak_fail("memory %u from outside, of core %u: %s, shown by %u and "
                      "counted as %u",
                      i, c->id, o->is_used != 0 ? "in use" : "free", seen,
                      shared->refcnt);
    }
}

static void books_open(void)
{
    for (unsigned i = 0; i < PACKET_POOLS; i++) {
        const unsigned n = packet_pools[i]->count;

        books[i].pool = packet_pools[i];
        if (books[i].seen == NULL) {
            books[i].seen = calloc(n, sizeof(*books[i].seen));
            books[i].clones = calloc(n, sizeof(*books[i].clones));
        }
        memset(books[i].seen, 0, n * sizeof(*books[i].seen));
        memset(books[i].clones, 0, n * sizeof(*books[i].clones));
    }
    memset(outside_seen, 0, sizeof(outside_seen));
}

void packets_check(void)
{
    books_open();
    for (unsigned k = 0; k < core_total; k++)
        for (unsigned i = 0; i < cores[k].holds; i++)
            saw_packet(cores[k].held[i]);
    rings_each(saw_packet);
    for (unsigned i = 0; i < PACKET_POOLS; i++)
        check_book(&books[i]);
    for (unsigned k = 0; k < core_total; k++)
        check_outside(&cores[k]);
}

/* ---- the end ---- */

static void check_all(struct mempool *p)
{
    struct mbuf **all = calloc(p->count, sizeof(*all));
    const char *reason;

    for (unsigned k = 0; k < core_total; k++)
        mempool_cache_flush(p, k);
    if (mempool_get_bulk(p, all, p->count) != OK)
        soak_fail("pool \"%s\": %u of %u came back", p->name,
                  mempool_available(p), p->count);
    for (unsigned i = 0; i < p->count; i++)
        if (!mbuf_raw_check(all[i], p, &reason))
            soak_fail("pool \"%s\": a buffer came back with %s", p->name,
                      reason);
    mempool_put_bulk(p, all, p->count);
    free(all);
}

void packets_close(void)
{
    for (unsigned k = 0; k < core_total; k++)
        while (cores[k].holds > 0)
            mbuf_free(packet_take(&cores[k]));
    for (unsigned i = 0; i < PACKET_POOLS; i++)
        check_all(packet_pools[i]);
    for (unsigned k = 0; k < core_total; k++)
        for (unsigned i = 0; i < EXT_SLOTS; i++)
            if (cores[k].outside[i].is_used != 0)
                soak_fail("memory from outside was not released");
}
