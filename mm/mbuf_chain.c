/*
 * mbuf_chain.c - packets of more than one segment
 *
 * Lengths are added and compared in 64 bits, or by subtraction: a packet's own
 * numbers cannot wrap a check.
 */
#include "mm/mbuf.h"

#include <string.h>

enum status mbuf_chain(struct mbuf *head, struct mbuf *tail)
{
    if ((unsigned)head->nb_segs + tail->nb_segs > MBUF_SEGMENTS_MAX)
        return E_OVERFLOW;
    mbuf_last(head)->next = tail;
    head->nb_segs = (uint16_t)(head->nb_segs + tail->nb_segs);
    head->pkt_len += tail->pkt_len;
    tail->nb_segs = 1;
    tail->pkt_len = tail->data_len;
    return OK;
}

/* Copy [offset, offset + len), which is inside the packet. */
static void copy_out(const struct mbuf *m, uint32_t offset, uint32_t len,
                     char *to)
{
    for (; m != NULL && len > 0; m = m->next) {
        uint32_t part;

        if (offset >= m->data_len) {
            offset -= m->data_len;
            continue;
        }
        part = m->data_len - offset;
        part = len < part ? len : part;
        memcpy(to, (const char *)mbuf_data(m) + offset, part);
        to += part;
        len -= part;
        offset = 0;
    }
}

const void *mbuf_read(const struct mbuf *m, uint32_t offset, uint32_t len,
                      void *buffer)
{
    if ((uint64_t)offset + len > m->pkt_len)
        return NULL;
    if ((uint64_t)offset + len <= m->data_len)
        return (const char *)mbuf_data(m) + offset;
    copy_out(m, offset, len, buffer);
    return buffer;
}

/* May we write into the bytes of @m? */
static bool bytes_are_ours(const struct mbuf *m)
{
    return mbuf_is_direct(m) && mbuf_is_held_alone(m);
}

bool mbuf_linearize(struct mbuf *m)
{
    struct mbuf *rest = m->next;
    const uint32_t more = m->pkt_len - m->data_len;

    if (rest == NULL)
        return true;
    if (more > mbuf_tailroom(m) || !bytes_are_ours(m))
        return false;
    copy_out(rest, 0, more, (char *)mbuf_data(m) + m->data_len);
    m->data_len = (uint16_t)(m->data_len + more);
    m->next = NULL;
    m->nb_segs = 1;
    mbuf_free(rest);
    return true;
}

/* Fill @to, a fresh packet, with segments of its pool until @len fits. */
static bool grow(struct mbuf *to, struct mempool *pool, uint32_t len)
{
    struct mbuf *last = to;

    for (;;) {
        const unsigned room = mbuf_tailroom(last);
        const uint32_t part = len < room ? len : room;

        last->data_len = (uint16_t)part;
        to->pkt_len += part;
        len -= part;
        if (len == 0)
            return true;
        if (room == 0 || to->nb_segs == MBUF_SEGMENTS_MAX)
            return false;
        last->next = mbuf_alloc(pool);
        if (last->next == NULL)
            return false;
        last = last->next;
        to->nb_segs++;
    }
}

struct mbuf *mbuf_copy(const struct mbuf *m, struct mempool *pool,
                       uint32_t offset, uint32_t len)
{
    struct mbuf *copy;

    if (offset > m->pkt_len)
        return NULL;
    if (len > m->pkt_len - offset)
        len = m->pkt_len - offset;
    copy = mbuf_alloc(pool);
    if (copy == NULL)
        return NULL;
    if (!grow(copy, pool, len)) {
        mbuf_free(copy);
        return NULL;
    }
    mbuf_header_copy(copy, m);
    copy->ol_flags |= m->ol_flags & ~(MBUF_F_INDIRECT | MBUF_F_EXTERNAL);
    for (struct mbuf *s = copy; s != NULL; s = s->next) {
        copy_out(m, offset, s->data_len, mbuf_data(s));
        offset += s->data_len;
    }
    return copy;
}
