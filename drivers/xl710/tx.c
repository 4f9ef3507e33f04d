/*
 * tx.c - transmit rings, and the scalar path
 *
 * Invariants T1, T2, T5 are in tx_burst.h, T3, T4, T6 in tx_free.h.
 *
 *   T7  a packet with more than one descriptor reports at its end for each
 *       bucket that ends in it: the chip takes the report bit only there
 */
#include <millrace/bits.h>
#include <millrace/log.h>

#include "drivers/xl710/tx_burst.h"
#include "mm/dma.h"

#define RING_ALIGN 128

/* ---- ring ---- */

const char *tx_ring_rule(unsigned n, unsigned rs, unsigned free_thresh)
{
    if (n < TX_DESC_MIN || n > TX_DESC_MAX)
        return "descriptors must be 64 .. 8160";
    if (n % TX_DESC_MULTIPLE != 0)
        return "descriptors must be a multiple of 32";
    if (!is_power_of_2(rs))
        return "the report threshold must be a power of two";
    if (n % rs != 0)
        return "the report threshold must divide the descriptors";
    if (rs >= n - 2)
        return "the report threshold must be below descriptors - 2";
    if (free_thresh < 1 || free_thresh >= n - 3)
        return "the free threshold must be 1 .. below descriptors - 3";
    if (rs > free_thresh)
        return "the report threshold must not exceed the free threshold";
    if (rs + free_thresh > n)
        return "both thresholds together must not exceed the descriptors";
    return NULL;
}

enum status tx_ring_alloc(struct port_txq *q, unsigned n, unsigned rs,
                          unsigned free_thresh)
{
    q->ring = dma_alloc(n * sizeof(*q->ring), RING_ALIGN, "xl710 tx ring");
    q->sw = dma_alloc(n * sizeof(struct mbuf *), CACHE_LINE, "xl710 tx slots");
    q->report =
        dma_alloc(n / rs * sizeof(*q->report), CACHE_LINE, "xl710 tx slots");
    if (q->ring == NULL || q->sw == NULL || q->report == NULL) {
        tx_ring_free(q);
        return E_NOMEM;
    }
    q->n = n;
    q->rs = rs;
    q->rs_shift = log2_floor(rs);
    q->free_thresh = free_thresh;
    q->report_bursts = true;
    q->burst = tx_burst_scalar;
    tx_ring_reset(q);
    return OK;
}

void tx_ring_free(struct port_txq *q)
{
    dma_free(q->ring);
    dma_free(q->sw);
    dma_free(q->report);
    q->ring = NULL;
    q->sw = NULL;
    q->report = NULL;
    q->n = 0;
}

void tx_ring_reset(struct port_txq *q)
{
    for (unsigned i = 0; i < q->n; i++) {
        q->ring[i] = (struct tx_desc) { .qw1 = TXD_TYPE_DONE };
        q->sw[i] = NULL;
    }
    for (unsigned b = 0; b < q->n / q->rs; b++)
        q->report[b] = (uint16_t)(b * q->rs + q->rs - 1);
    q->tail = q->clean = 0;
    q->free = q->n - 1;
    q->next_rs = q->next_done = q->rs - 1;
    q->pool = NULL;
    q->frees_fast = q->fast_free;
}

/* ---- reclaim ---- */

unsigned tx_reclaim(struct port_txq *q)
{
    return tx_reclaim_by(q, TX_SCHEME);
}

void port_tx_idle(struct port_txq *q)
{
    unsigned flying;

    if (txq_is_off(q)) /* then the ring is another's */
        return;
    flying = tx_in_flight(q);
    if (flying == 0)
        return;
    if (q->report_bursts && tx_is_done(q, tx_last_slot(q)))
        tx_free_slots(q, flying, TX_SCHEME);
    else
        (void)tx_reclaim(q);
}

void tx_ring_drain(struct port_txq *q)
{
    if (q->ring == NULL)
        return;
    tx_free_slots(q, tx_in_flight(q), TX_SCHEME);
    tx_ring_reset(q);
}

/* ---- packets that are not plain ---- */

/* T6: does the segment keep what was promised for this queue? */
static bool keeps_promise(const struct port_txq *q, const struct mbuf *m)
{
    return m->pool == q->pool && mbuf_is_held_alone(m) && mbuf_is_direct(m);
}

static void stop_fast_free(struct port_txq *q, const struct mbuf *m)
{
    if (q->frees_fast)
        log_warning("xl710 port %u: transmit slot %u: a buffer of pool \"%s\" "
                    "with %u holders%s, promised were single ones of \"%s\"; "
                    "buffers are looked at one by one from here on",
                    q->port, q->tail, mempool_name(m->pool),
                    __atomic_load_n(&m->refcnt, __ATOMIC_RELAXED),
                    mbuf_is_direct(m) ? "" : ", not direct",
                    mempool_name(q->pool));
    q->frees_fast = false;
}

/* Before the first descriptor of a packet on a queue with the promise. */
static void check_promise(struct port_txq *q, const struct mbuf *m)
{
    if (q->pool == NULL)
        q->pool = m->pool;
    for (const struct mbuf *s = m; s != NULL; s = s->next) {
        if (keeps_promise(q, s))
            continue;
        q->stats.not_fast++;
        stop_fast_free(q, s);
        return;
    }
}

/*
 * The packet's last descriptor is @slot and its first is @first (T7).
 */
static uint64_t report_bit(struct port_txq *q, unsigned first, unsigned slot)
{
    const unsigned span = slot >= first ? slot - first : slot + q->n - first;
    uint64_t rs = 0;

    for (;;) {
        const unsigned to_end = q->next_rs >= first ? q->next_rs - first
                                                    : q->next_rs + q->n - first;

        if (to_end > span)
            return rs;
        q->report[q->next_rs >> q->rs_shift] = (uint16_t)slot;
        q->next_rs += q->rs;
        if (q->next_rs >= q->n)
            q->next_rs = q->rs - 1;
        rs = TXD_RS;
    }
}

/* Write one descriptor at tail; its slot. */
static unsigned post(struct port_txq *q, struct mbuf *m)
{
    const unsigned slot = q->tail;
    struct tx_desc *d = &q->ring[slot];

    d->address = plat_bus_addr(mbuf_data(m));
    d->qw1 = TXD_ICRC | TXD_SIZE(m->data_len);
    q->sw[slot] = m;
    q->tail = slot + 1 == q->n ? 0 : slot + 1; /* T1 */
    q->free--;
    return slot;
}

static void post_packet(struct port_txq *q, struct mbuf *m)
{
    const unsigned first = q->tail;
    unsigned slot = first;

    while (m != NULL) {
        struct mbuf *next = m->next;

        if (q->frees_fast) { /* T6 */
            m->next = NULL;
            m->nb_segs = 1;
        }
        if (m->data_len > 0) {
            slot = post(q, m);
        } else {
            m = mbuf_prefree(m);
            if (m != NULL)
                mempool_put_bulk(m->pool, &m, 1);
        }
        m = next;
    }
    q->ring[slot].qw1 |= TXD_EOP | report_bit(q, first, slot);
}

/* Room for @wanted descriptors, reclaiming all there is when it is short. */
static bool has_room(struct port_txq *q, unsigned wanted)
{
    if (q->free >= wanted)
        return true;
    port_tx_idle(q);
    return q->free >= wanted;
}

unsigned tx_odd(struct port_txq *q, struct mbuf *m, uint64_t *sent,
                uint64_t *bytes)
{
    unsigned need = tx_descriptors(m);

    if (need == 0) {
        /* A copy takes no more descriptors than this; then it fits. */
        if (!has_room(q, TX_SEGMENTS_MAX))
            return 0;
        m = tx_fix(q, m);
        if (m == NULL)
            return 1;
        need = tx_descriptors(m);
    }
    if (!has_room(q, need))
        return 0;
    if (q->frees_fast)
        check_promise(q, m);
    *bytes += m->pkt_len;
    (*sent)++;
    post_packet(q, m);
    return 1;
}

/* ---- send ---- */

unsigned tx_burst_scalar(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    return tx_burst_by(q, pkts, n, tx_run_scalar);
}

unsigned port_tx_burst(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    return txq_is_off(q) ? 0 : q->burst(q, pkts, n);
}
