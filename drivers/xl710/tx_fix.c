/*
 * tx_fix.c - packets the chip cannot send as they are
 *
 * Below 17 bytes, in more than 8 pieces, above 9728 bytes or with lengths that
 * disagree, a packet would block the queue: the chip calls such a driver
 * malicious. Short ones are padded to the wire's minimum, scattered ones are
 * copied together, the rest is dropped and counted.
 */
#include <string.h>

#include <millrace/port.h>

#include "drivers/xl710/tx.h"
#include "mm/mbuf.h"

#define NOT_OURS (MBUF_F_INDIRECT | MBUF_F_EXTERNAL)

/* Do the segments add up to what the first one says? Bounded by its count. */
static bool adds_up(const struct mbuf *m, unsigned *pieces)
{
    const struct mbuf *s = m;
    uint32_t bytes = 0;
    unsigned segments = 0;

    *pieces = 0;
    for (; s != NULL && segments < m->nb_segs; s = s->next) {
        segments++;
        bytes += s->data_len;
        *pieces += s->data_len > 0;
    }
    return s == NULL && segments == m->nb_segs && bytes == m->pkt_len;
}

unsigned tx_descriptors(const struct mbuf *m)
{
    unsigned pieces;

    if (m->pkt_len < TX_CHIP_MIN || m->pkt_len > PORT_FRAME_MAX)
        return 0;
    if (likely(m->nb_segs == 1))
        return m->data_len == m->pkt_len && m->next == NULL;
    if (!adds_up(m, &pieces) || pieces > TX_SEGMENTS_MAX)
        return 0;
    return pieces;
}

/* Where the bytes of a chain are read from. */
struct cursor {
    const struct mbuf *m;
    unsigned offset;
};

/* @n bytes from @from; zeroes when the chain is at its end. */
static void read_bytes(struct cursor *from, uint8_t *to, unsigned n)
{
    while (n > 0 && from->m != NULL) {
        const unsigned left = from->m->data_len - from->offset;
        const unsigned step = left < n ? left : n;

        memcpy(to, (const uint8_t *)mbuf_data(from->m) + from->offset, step);
        to += step;
        n -= step;
        from->offset += step;
        if (from->offset == from->m->data_len) {
            from->m = from->m->next;
            from->offset = 0;
        }
    }
    memset(to, 0, n);
}

/* @bytes of @m, in as few pieces as its pool allows; NULL without buffers. */
static struct mbuf *copy(const struct mbuf *m, uint32_t bytes)
{
    struct cursor from = { .m = m, .offset = 0 };
    struct mbuf *first = NULL, *last = NULL;
    uint32_t left = bytes;

    while (left > 0) {
        struct mbuf *d = mbuf_alloc(m->pool);
        const unsigned room = d == NULL || d->buf_len <= d->data_off
                                  ? 0
                                  : d->buf_len - d->data_off;
        const unsigned step = left < room ? left : room;

        if (first == NULL) {
            first = d;
        } else {
            last->next = d;
            first->nb_segs += d != NULL;
        }
        if (step == 0 || first->nb_segs > TX_SEGMENTS_MAX) {
            mbuf_free(first);
            return NULL;
        }
        read_bytes(&from, mbuf_data(d), step);
        d->data_len = (uint16_t)step;
        left -= step;
        last = d;
    }
    first->pkt_len = bytes;
    first->port = m->port;
    return first;
}

/* May we write behind the data of @m without anybody noticing? */
static bool can_grow(const struct mbuf *m, uint32_t bytes)
{
    return m->nb_segs == 1 && mbuf_is_held_alone(m) &&
           (m->ol_flags & NOT_OURS) == 0 && m->data_off + bytes <= m->buf_len;
}

static void grow(struct mbuf *m, uint32_t bytes)
{
    memset((uint8_t *)mbuf_data(m) + m->data_len, 0, bytes - m->data_len);
    m->data_len = (uint16_t)bytes;
    m->pkt_len = bytes;
}

static struct mbuf *refuse(struct mbuf *m, uint64_t *counter)
{
    (*counter)++;
    mbuf_free(m);
    return NULL;
}

struct mbuf *tx_fix(struct port_txq *q, struct mbuf *m)
{
    const bool is_short = m->pkt_len < TX_CHIP_MIN;
    const uint32_t bytes = is_short ? PORT_FRAME_MIN : m->pkt_len;
    unsigned pieces;
    struct mbuf *sound;

    if (m->pkt_len > PORT_FRAME_MAX)
        return refuse(m, &q->stats.oversize);
    if (m->pkt_len == 0 || !adds_up(m, &pieces))
        return refuse(m, &q->stats.malformed);
    q->stats.padded += is_short;
    if (is_short && can_grow(m, bytes)) {
        grow(m, bytes);
        return m;
    }
    sound = copy(m, bytes);
    if (sound == NULL)
        return refuse(m, &q->stats.nombuf);
    q->stats.copied++;
    mbuf_free(m);
    return sound;
}
