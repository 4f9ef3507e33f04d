/*
 * tx.c - the scalar transmit path
 *
 *   T1  tail is below n always, in memory and in the register
 *   T2  free + in flight = n - 1; slots [clean, tail) are in flight
 *   T3  a descriptor's "done" means something only after it was written in this
 *       lap: a bucket is looked at only when all of it is in flight
 *   T4  a buffer goes back exactly once, when the report that covers it came or
 *       when the queue is off
 *   T5  what a burst leaves behind is reported by its last descriptor, so that
 *       an idle queue holds no buffer
 *
 * Published code reports once per bucket only, and frees one bucket per call;
 * then up to rs - 1 buffers stay in an idle ring for ever.
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>
#include <millrace/plat.h>
#include <millrace/port.h>

#include "drivers/xl710/tx.h"
#include "mm/dma.h"
#include "mm/mbuf.h"

#define RING_ALIGN 128
#define PUT_MAX    64 /* buffers returned at once */

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
}

/* ---- reclaim ---- */

/* Buffers on their way back, kept together while they are of one pool. */
struct going_back {
    struct mempool *pool;
    unsigned n;
    struct mbuf *m[PUT_MAX];
};

static void put_back(struct going_back *run)
{
    if (run->n > 0)
        mempool_put_bulk(run->pool, run->m, run->n);
    run->n = 0;
}

static always_inline void give_back(struct going_back *run, struct mbuf *m)
{
    m = mbuf_prefree(m);
    if (m == NULL)
        return; /* others hold it */
    if (unlikely(m->pool != run->pool || run->n == PUT_MAX)) {
        put_back(run);
        run->pool = m->pool;
    }
    run->m[run->n++] = m;
}

/* T4: slots [clean, clean + count) are finished. */
static void free_slots(struct port_txq *q, unsigned count)
{
    struct going_back run = { .pool = NULL, .n = 0 };

    for (unsigned i = 0; i < count; i++) {
        struct mbuf *m = q->sw[q->clean];

        q->sw[q->clean] = NULL;
        if (++q->clean == q->n)
            q->clean = 0;
        if (likely(m != NULL))
            give_back(&run, m);
    }
    put_back(&run);
    q->free += count;
    q->next_done = q->clean | (q->rs - 1); /* end of the bucket clean is in */
}

static bool is_done(const struct port_txq *q, unsigned slot)
{
    /* Only the type: what else the NIC leaves in the word is not stated. */
    return (__atomic_load_n(&q->ring[slot].qw1, __ATOMIC_ACQUIRE) & TXD_TYPE) ==
           TXD_TYPE_DONE;
}

static unsigned in_flight(const struct port_txq *q)
{
    return q->n - 1 - q->free;
}

unsigned tx_reclaim(struct port_txq *q)
{
    unsigned freed = 0;

    for (;;) {
        /* Descriptors of the oldest bucket that were not reclaimed early. */
        const unsigned left = q->next_done + 1 - q->clean;

        if (in_flight(q) < left) /* T3 */
            return freed;
        if (!is_done(q, q->report[q->next_done >> q->rs_shift]))
            return freed;
        free_slots(q, left);
        freed += left;
    }
}

/* The descriptor written last; in flight whenever anything is. */
static unsigned last_slot(const struct port_txq *q)
{
    return q->tail == 0 ? q->n - 1 : q->tail - 1;
}

void port_tx_idle(struct port_txq *q)
{
    if (txq_is_off(q) || in_flight(q) == 0)
        return;
    if (q->report_bursts && is_done(q, last_slot(q)))
        free_slots(q, in_flight(q));
    else
        (void)tx_reclaim(q);
}

void tx_ring_drain(struct port_txq *q)
{
    if (q->ring == NULL)
        return;
    free_slots(q, in_flight(q));
    tx_ring_reset(q);
}

/* ---- send ---- */

/* Write one descriptor at tail; its slot. */
static always_inline unsigned post(struct port_txq *q, struct mbuf *m)
{
    const unsigned slot = q->tail;
    struct tx_desc *d = &q->ring[slot];

    d->address = plat_bus_addr(mbuf_data(m));
    d->qw1 = TXD_ICRC | TXD_SIZE(m->data_len);
    q->sw[slot] = m;
    if (unlikely(++q->tail == q->n)) /* T1 */
        q->tail = 0;
    return slot;
}

/*
 * The packet's last descriptor is @slot and its first is @first. If a bucket
 * ends between them, the packet's end reports it: the chip takes RS only there.
 */
static always_inline uint64_t report_bit(struct port_txq *q, unsigned first,
                                         unsigned slot)
{
    const unsigned span = slot >= first ? slot - first : slot + q->n - first;
    uint64_t rs = 0;

    for (;;) {
        const unsigned to_end = q->next_rs >= first ? q->next_rs - first
                                                    : q->next_rs + q->n - first;

        if (likely(to_end > span))
            return rs;
        q->report[q->next_rs >> q->rs_shift] = (uint16_t)slot;
        q->next_rs += q->rs;
        if (q->next_rs >= q->n)
            q->next_rs = q->rs - 1;
        rs = TXD_RS;
    }
}

static void post_packet(struct port_txq *q, struct mbuf *m)
{
    const unsigned first = q->tail;
    unsigned slot = first;

    if (likely(m->nb_segs == 1)) {
        slot = post(q, m);
        q->free--;
    } else {
        while (m != NULL) {
            struct mbuf *next = m->next;

            if (m->data_len > 0) {
                slot = post(q, m);
                q->free--;
            } else {
                m = mbuf_prefree(m);
                if (m != NULL)
                    mempool_put_bulk(m->pool, &m, 1);
            }
            m = next;
        }
    }
    q->ring[slot].qw1 |= TXD_EOP | report_bit(q, first, slot);
}

/* Room for @wanted descriptors, reclaiming all there is when it is short. */
static always_inline bool has_room(struct port_txq *q, unsigned wanted)
{
    if (likely(q->free >= wanted))
        return true;
    port_tx_idle(q);
    return q->free >= wanted;
}

unsigned port_tx_burst(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    const unsigned start = q->tail;
    unsigned taken = 0;
    uint64_t bytes = 0, sent = 0;

    if (txq_is_off(q))
        return 0;
    if (q->free < q->free_thresh || q->free < n)
        port_tx_idle(q);
    for (; taken < n; taken++) {
        struct mbuf *m = pkts[taken];
        unsigned need = tx_descriptors(m);

        if (unlikely(need == 0)) {
            /* A copy takes no more descriptors than this; then it fits. */
            if (!has_room(q, TX_SEGMENTS_MAX))
                break;
            m = tx_fix(q, m);
            if (m == NULL)
                continue;
            need = tx_descriptors(m);
        }
        if (!has_room(q, need))
            break;
        bytes += m->pkt_len;
        sent++;
        post_packet(q, m);
    }
    if (q->tail != start) {
        if (q->report_bursts)
            q->ring[last_slot(q)].qw1 |= TXD_RS;
        plat_dma_wmb();
        plat_write32(q->tail_reg, q->tail);
    }
    q->stats.packets += sent;
    q->stats.bytes += bytes;
    return taken;
}
