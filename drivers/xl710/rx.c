/*
 * rx.c - the scalar receive path
 *
 *   R1  the NIC owns slots [next, next + owned); those have a buffer in sw,
 *       all others hold NULL
 *   R2  owned <= n - 8, so the tail never catches up with the head
 *   R3  the tail moves in steps of 8: the chip fetches descriptors in groups
 *   R4  a posted header address is 0: an odd one would read as "done"
 *   R5  a frame that cannot be is dropped with its own counter and its buffers
 *       go back; slots the pool cannot fill stay empty and are filled later
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>
#include <millrace/plat.h>
#include <millrace/port.h>

#include "drivers/xl710/rx.h"
#include "mm/dma.h"
#include "mm/mbuf.h"

#define GROUP      8  /* descriptors fetched together */
#define REFILL_AT  32 /* empty slots worth a tail write */
#define REFILL_MAX 64 /* buffers taken from the pool at once */
#define RING_ALIGN 128

#define RXD_DD       BIT64(0)
#define RXD_EOP      BIT64(1)
#define RXD_RXE      BIT64(19)
#define RXD_OVERSIZE BIT64(25)
#define RXD_FLTSTAT  (UINT64_C(3) << 12) /* 3: qw0 holds the RSS hash */
#define RXD_SPH      BIT64(63)
#define RXD_LEN(qw1) ((unsigned)((qw1) >> 38) & 0x3FFF)
#define RXD_NORMAL(qw1)                                                        \
    (((qw1) & (RXD_EOP | RXD_RXE | RXD_OVERSIZE | RXD_SPH)) == RXD_EOP)

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

static void post_buffer(struct port_rxq *q, struct mbuf *m)
{
    struct rx_desc *d = &q->ring[q->post];

    q->sw[q->post] = m;
    d->qw0 = plat_bus_addr((char *)m->buf_addr + MBUF_HEADROOM);
    d->qw1 = 0; /* R4, and "not done" */
    q->post++;
}

/* Post @n buffers, a multiple of 8; false when the pool has not that many. */
static bool post_some(struct port_rxq *q, unsigned n)
{
    struct mbuf *fresh[REFILL_MAX];

    if (mempool_get_bulk(q->pool, fresh, n) != OK)
        return false;
    for (unsigned i = 0; i < n; i++) {
        post_buffer(q, fresh[i]);
        if (q->post == q->n)
            q->post = 0;
    }
    q->owned += n;
    return true;
}

enum status rx_ring_fill(struct port_rxq *q, struct mempool *pool)
{
    memset(q->ring, 0, q->n * sizeof(*q->ring));
    memset(q->sw, 0, q->n * sizeof(*q->sw));
    q->pool = pool;
    q->next = q->post = q->owned = 0;
    q->is_skipping = false;
    q->first = q->last = NULL;
    while (q->owned < q->n - GROUP) {
        if (post_some(q, GROUP))
            continue;
        log_error("xl710 port %u: pool \"%s\" has %u of %u buffers free; a "
                  "ring of %u descriptors wants %u",
                  q->port, mempool_name(pool), mempool_available(pool),
                  mempool_count(pool), q->n, q->n - GROUP);
        rx_ring_drain(q);
        return E_NOBUF;
    }
    return OK;
}

void rx_ring_drain(struct port_rxq *q)
{
    for (unsigned i = 0; i < q->n; i++) {
        if (q->sw[i] == NULL)
            continue;
        mempool_put_bulk(q->pool, &q->sw[i], 1);
        q->sw[i] = NULL;
    }
    mbuf_free(q->first);
    q->first = q->last = NULL;
    q->owned = 0;
}

/* ---- refill ---- */

/*
 * Runs on every poll, also when nothing came: a ring that ran empty for want of
 * buffers has no packet to wake it.
 */
static void refill(struct port_rxq *q)
{
    unsigned room = (q->n - GROUP - q->owned) & ~(GROUP - 1u);

    if (likely(room < REFILL_AT))
        return;
    room = room < REFILL_MAX ? room : REFILL_MAX;
    if (unlikely(!post_some(q, room)) && !post_some(q, GROUP)) {
        q->stats.nombuf++;
        return;
    }
    plat_dma_wmb();
    plat_write32(q->tail_reg, q->post);
}

/* ---- receive ---- */

/* The buffer of the slot at next, which is ours from here on. */
static always_inline struct mbuf *take_slot(struct port_rxq *q)
{
    struct mbuf *m = q->sw[q->next];

    q->sw[q->next] = NULL;
    if (unlikely(++q->next == q->n))
        q->next = 0;
    q->owned--;
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
    m->rearm = mbuf_rearm_word(q->port);
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

static always_inline void finish(struct mbuf *m, uint64_t qw0, uint64_t qw1)
{
    const bool has_hash = (qw1 & RXD_FLTSTAT) == RXD_FLTSTAT;

    m->ol_flags = 0;
    m->packet_type = 0;
    m->vlan_tci = 0;
    m->vlan_tci_outer = 0;
    m->hash.rss = has_hash ? (uint32_t)(qw0 >> 32) : 0;
    m->hash.high = 0;
}

/*
 * Everything but a whole frame in one buffer: one part of a longer frame, the
 * rest of one that was dropped, or something that should not be.
 *
 * Returns the frame that this descriptor completes, or NULL
 */
static struct mbuf *receive_part(struct port_rxq *q, uint64_t qw0, uint64_t qw1)
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
        finish(whole, qw0, qw1);
        return whole;
    }
    mbuf_free(whole);
    return NULL;
}

static always_inline bool is_simple(const struct port_rxq *q, uint64_t qw1)
{
    return RXD_NORMAL(qw1) && q->first == NULL && !q->is_skipping &&
           RXD_LEN(qw1) - 1 < RX_BUFFER_BYTES;
}

/*
 * DD and the length share a quadword, so one load sees both; the other quadword
 * is loaded only after.
 */
unsigned port_rx_burst(struct port_rxq *q, struct mbuf *pkts[], unsigned max)
{
    unsigned kept = 0;
    uint64_t bytes = 0;

    if (rxq_is_off(q))
        return 0;
    while (kept < max && q->owned > 0) {
        const struct rx_desc *d = &q->ring[q->next];
        const uint64_t qw1 = __atomic_load_n(&d->qw1, __ATOMIC_RELAXED);
        uint64_t qw0;
        struct mbuf *m;

        if ((qw1 & RXD_DD) == 0)
            break;
        plat_dma_rmb();
        qw0 = d->qw0;
        if (likely(is_simple(q, qw1))) {
            m = take_slot(q);
            m->rearm = mbuf_rearm_word(q->port);
            m->data_len = (uint16_t)RXD_LEN(qw1);
            m->pkt_len = RXD_LEN(qw1);
            finish(m, qw0, qw1);
        } else {
            m = receive_part(q, qw0, qw1);
            if (m == NULL)
                continue;
        }
        bytes += m->pkt_len;
        pkts[kept++] = m;
    }
    if (kept > 0) {
        q->stats.packets += kept;
        q->stats.bytes += bytes;
    }
    refill(q);
    return kept;
}
