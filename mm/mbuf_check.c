/*
 * mbuf_check.c - is this a packet? If not, what is wrong with it
 */
#include <stddef.h>

#include <millrace/log.h>

#include "mm/mbuf.h"

/* What is wrong with one segment, or NULL. */
static const char *segment_fault(const struct mbuf *m)
{
    const uint16_t refs = __atomic_load_n(&m->refcnt, __ATOMIC_RELAXED);

    if (m->pool == NULL)
        return "no pool";
    if (m->buf_addr == NULL)
        return "no buffer";
#ifdef MBUF_LAYOUT_PUBLISHED
    if (m->buf_bus == 0)
        return "no bus address";
#endif
    if (refs == 0)
        return "reference count 0";
    if (refs == UINT16_MAX)
        return "reference count 65535";
    return NULL;
}

static const char *bounds_fault(const struct mbuf *m)
{
    if (m->data_off > m->buf_len)
        return "data starts behind the buffer";
    if ((uint32_t)m->data_off + m->data_len > m->buf_len)
        return "data ends behind the buffer";
    return NULL;
}

static const char *packet_fault(const struct mbuf *m)
{
    uint64_t bytes = 0;
    unsigned segments = 0;
    const char *fault = segment_fault(m);

    if (fault != NULL)
        return fault;
    if (m->data_len > m->pkt_len)
        return "first segment longer than the packet";
    for (const struct mbuf *s = m; s != NULL; s = s->next) {
        fault = segment_fault(s);
        if (fault == NULL)
            fault = bounds_fault(s);
        if (fault != NULL)
            return fault;
        bytes += s->data_len;
        if (++segments > m->nb_segs) /* also ends a looping chain */
            return "more segments than counted";
    }
    if (segments != m->nb_segs)
        return "fewer segments than counted";
    if (bytes != m->pkt_len)
        return "packet length is not the sum of its segments";
    return NULL;
}

bool mbuf_check(const struct mbuf *m, const char **reason)
{
    *reason = m == NULL ? "no packet" : packet_fault(m);
    return *reason == NULL;
}

/* A pinned buffer shows the same bytes for good, and alone. */
static const char *pinned_fault(const struct mbuf *m)
{
    const struct mbuf_ext_shared *own =
        (const struct mbuf_ext_shared *)(const void *)((const char *)(m + 1) +
                                                       m->priv_size);

    if ((m->ol_flags & (MBUF_F_INDIRECT | MBUF_F_EXTERNAL)) != MBUF_F_EXTERNAL)
        return "no pinned bytes";
    if (m->shinfo != own)
        return "a moved share count";
    if (__atomic_load_n(&own->refcnt, __ATOMIC_RELAXED) != 1)
        return "bytes that others see";
    return NULL;
}

static const char *own_bytes_fault(const struct mbuf *m)
{
    if (!mbuf_is_direct(m))
        return "bytes that are not its own";
    if (m->buf_addr != (const char *)(m + 1) + m->priv_size)
        return "a moved buffer address";
    return NULL;
}

static const char *raw_fault(const struct mbuf *m, const struct mempool *pool)
{
    if (m->pool != pool)
        return "another pool";
    if (__atomic_load_n(&m->refcnt, __ATOMIC_RELAXED) != 1)
        return "a reference count other than 1";
    if (m->next != NULL)
        return "a next segment";
    if (m->nb_segs != 1)
        return "a segment count other than 1";
    return mempool_is_pinned(pool) ? pinned_fault(m) : own_bytes_fault(m);
}

bool mbuf_raw_check(const struct mbuf *m, const struct mempool *pool,
                    const char **reason)
{
    *reason = raw_fault(m, pool);
    return *reason == NULL;
}

void mbuf_assert(const struct mbuf *m)
{
    const char *reason;

    if (!mbuf_check(m, &reason))
        panic("mbuf: %p has %s", (const void *)m, reason);
}
