/*
 * rx.c - receive rings, and the scalar path
 *
 * Invariants are in rx_burst.h.
 */
#include <string.h>

#include <millrace/log.h>

#include "drivers/xl710/rx_burst.h"
#include "mm/dma.h"

#define RING_ALIGN 128

/* ---- ring ---- */

const char *rx_ring_rule(unsigned n)
{
    if (n < RX_DESC_MIN || n > RX_DESC_MAX)
        return "must be 64 .. 8160";
    if (n % RX_DESC_MULTIPLE != 0)
        return "must be a multiple of 32";
    return NULL;
}

enum status rx_ring_alloc(struct port_rxq *q, unsigned n)
{
    q->ring = dma_alloc(n * sizeof(*q->ring), RING_ALIGN, "xl710 rx ring");
    q->sw = dma_alloc(n * sizeof(struct mbuf *), CACHE_LINE, "xl710 rx slots");
    if (q->ring == NULL || q->sw == NULL) {
        rx_ring_free(q);
        return E_NOMEM;
    }
    q->n = n;
    q->burst = rx_burst_scalar;
    q->forward = forward_scalar;
    return OK;
}

void rx_ring_free(struct port_rxq *q)
{
    dma_free(q->ring);
    dma_free(q->sw);
    q->ring = NULL;
    q->sw = NULL;
    q->n = 0;
}

/* Where the NIC finds a buffer's data; the same step for all of a pool. */
static void learn_addresses(struct port_rxq *q, const struct mbuf *m)
{
    const char *data = (const char *)m->buf_addr + MBUF_HEADROOM;

    q->to_bus = plat_bus_addr(data) - (uintptr_t)m;
    q->to_data = (uintptr_t)data - (uintptr_t)m;
}

static bool post_group(struct port_rxq *q)
{
    if (mempool_get_bulk(q->pool, &q->sw[q->post], RX_GROUP) != OK)
        return false;
    if (q->owned == 0)
        learn_addresses(q, q->sw[q->post]);
    rx_post_scalar(q, RX_GROUP);
    return true;
}

enum status rx_ring_fill(struct port_rxq *q, struct mempool *pool)
{
    memset(q->ring, 0, q->n * sizeof(*q->ring));
    q->pool = pool;
    q->rearm = mbuf_rearm_word(q->port);
    q->next = q->post = q->owned = 0;
    q->is_skipping = false;
    q->first = q->last = NULL;
    while (q->owned < q->n - RX_GROUP) {
        if (post_group(q))
            continue;
        log_error("xl710 port %u: pool \"%s\" has %u of %u buffers free; a "
                  "ring of %u descriptors wants %u",
                  q->port, mempool_name(pool), mempool_available(pool),
                  mempool_count(pool), q->n, q->n - RX_GROUP);
        rx_ring_drain(q);
        return E_NOBUF;
    }
    return OK;
}

void rx_ring_drain(struct port_rxq *q)
{
    while (q->owned > 0) {
        const unsigned to_end = q->n - q->next;
        const unsigned run = q->owned < to_end ? q->owned : to_end;

        mempool_put_bulk(q->pool, &q->sw[q->next], run);
        rx_advance(q, run);
    }
    mbuf_free(q->first);
    q->first = q->last = NULL;
}

/* ---- frames that are not plain ---- */

/* The buffer of the slot at next, which is ours from here on. */
static struct mbuf *take_slot(struct port_rxq *q)
{
    struct mbuf *m = q->sw[q->next];

    rx_advance(q, 1);
    return m;
}

/* Drop what was collected and this buffer; skip on to the frame's end. */
static void drop(struct port_rxq *q, struct mbuf *m, uint64_t qw1,
                 uint64_t *counter)
{
    (*counter)++;
    mempool_put_bulk(q->pool, &m, 1);
    mbuf_free(q->first);
    q->first = q->last = NULL;
    q->is_skipping = (qw1 & RXD_EOP) == 0;
}

static void append(struct port_rxq *q, struct mbuf *m, unsigned len)
{
    m->rearm = q->rearm;
    m->ol_flags = 0;
    m->data_len = (uint16_t)len;
    if (q->first == NULL) {
        q->first = m;
        m->pkt_len = len;
    } else {
        q->last->next = m;
        q->first->nb_segs++;
        q->first->pkt_len += len;
    }
    q->last = m;
}

/*
 * Everything but a whole frame in one buffer: one part of a longer frame, the
 * rest of one that was dropped, or something that should not be.
 *
 * Returns the frame that this descriptor completes, or NULL
 */
struct mbuf *rx_odd(struct port_rxq *q, uint64_t qw0, uint64_t qw1)
{
    struct mbuf *m = take_slot(q);
    struct mbuf *whole;

    if ((qw1 & RXD_SPH) != 0) {
        /* Filter status or split header: we asked for neither. */
        q->stats.unexpected++;
        mempool_put_bulk(q->pool, &m, 1);
        return NULL;
    }
    if (q->is_skipping) {
        mempool_put_bulk(q->pool, &m, 1);
        q->is_skipping = (qw1 & RXD_EOP) == 0;
        return NULL;
    }
    if (RXD_LEN(qw1) == 0 || RXD_LEN(qw1) > RX_BUFFER_BYTES) {
        drop(q, m, qw1, &q->stats.bad_length);
        return NULL;
    }
    if ((qw1 & RXD_RXE) != 0) {
        drop(q, m, qw1, &q->stats.damaged);
        return NULL;
    }
    append(q, m, RXD_LEN(qw1));
    if ((qw1 & RXD_EOP) == 0 && q->first->nb_segs < RX_SEGMENTS_MAX)
        return NULL;
    whole = q->first;
    q->first = q->last = NULL;
    if ((qw1 & RXD_EOP) == 0) {
        q->stats.endless++;
        q->is_skipping = true;
    } else if ((qw1 & RXD_OVERSIZE) != 0 || whole->pkt_len > PORT_FRAME_MAX) {
        q->stats.oversize++;
    } else {
        rx_describe(whole, whole->pkt_len, whole->data_len, qw0, qw1);
        return whole;
    }
    mbuf_free(whole);
    return NULL;
}

/* ---- receive ---- */

unsigned rx_burst_scalar(struct port_rxq *q, struct mbuf *pkts[], unsigned max)
{
    return rx_burst_by(q, pkts, max, rx_run_scalar, rx_post_scalar);
}

unsigned port_rx_burst(struct port_rxq *q, struct mbuf *pkts[], unsigned max)
{
    return rxq_is_off(q) ? 0 : q->burst(q, pkts, max);
}
