/*
 * tx_burst.h - one burst of packets onto a transmit ring; for tx*.c
 *
 *   T1  tail is below n always, in memory and in the register
 *   T2  free + in flight = n - 1; slots [clean, tail) are in flight
 *   T5  what a burst leaves behind is reported by its last descriptor, so that
 *       an idle queue holds no buffer
 *
 * Nearly all packets are plain: one segment of a length the chip takes. Those
 * are written by a run function, of which each CPU's vector set has its own; it
 * stops at the first packet that is anything else, which tx_odd() sends.
 *
 * Published code reports once per bucket only, and frees one bucket per call;
 * then up to rs - 1 buffers stay in an idle ring for ever.
 */
#pragma once

#include <millrace/plat.h>
#include <millrace/port.h>

#include "drivers/xl710/tx_free.h"

#define TX_LINES_AHEAD 8 /* of descriptors, a burst of 32 */

#define TX_NOT_DIRECT (MBUF_F_INDIRECT | MBUF_F_EXTERNAL)

/* All of a plain packet's command; the size is missing. */
#define TXD_PLAIN (TXD_ICRC | TXD_EOP)

/* What a run function compares a packet's header with. */
struct tx_plain {
    uint64_t rearm, rearm_mask; /* count and number of segments */
    uint64_t flags;             /* none of these */
    uint64_t pool, pool_mask;
};

/*
 * Write descriptors and slots of the plain packets that @pkts begins with, from
 * tail on, without report bits.
 *
 * @n       at most the free descriptors, and those up to the ring's end
 * @bytes   their lengths are added
 * Returns  how many
 */
typedef unsigned tx_run_function(const struct port_txq *q,
                                 const struct tx_plain *plain,
                                 struct mbuf *const pkts[], unsigned n,
                                 uint64_t *bytes);

/* Not inline, and not for plain packets: 1 when sent or dropped, 0 when the
 * ring is too full; nothing was done to @m then. */
unsigned tx_odd(struct port_txq *q, struct mbuf *m, uint64_t *sent,
                uint64_t *bytes);

static always_inline struct tx_plain tx_plain_of(const struct port_txq *q)
{
    const uint64_t segments = UINT64_C(0xFFFF) << 32;
    const uint64_t count = UINT64_C(0xFFFF) << 16;
    const bool is_fast = q->frees_fast;

    return (struct tx_plain) {
        .rearm = UINT64_C(1) << 32 | UINT64_C(1) << 16,
        .rearm_mask = is_fast ? segments | count : segments,
        .flags = is_fast ? TX_NOT_DIRECT : 0,
        .pool = (uintptr_t)q->pool,
        .pool_mask = is_fast ? UINT64_MAX : 0,
    };
}

static always_inline bool tx_is_plain(const struct tx_plain *p,
                                      const struct mbuf *m)
{
    /* Acquire: who let go before, and left us alone, has read all he wanted. */
    const uint64_t rearm = __atomic_load_n(&m->rearm, __ATOMIC_ACQUIRE);
    const uint64_t odd = ((rearm ^ p->rearm) & p->rearm_mask) |
                         (m->ol_flags & p->flags) |
                         (((uintptr_t)m->pool ^ p->pool) & p->pool_mask) |
                         (uintptr_t)m->next | (m->data_len ^ m->pkt_len);

    return odd == 0 && m->pkt_len - TX_CHIP_MIN <= PORT_FRAME_MAX - TX_CHIP_MIN;
}

/* What turns a pointer into a device's address; a constant 0 on metal. */
static always_inline uint64_t tx_to_bus(const struct mbuf *m)
{
    return plat_bus_addr(m) - (uintptr_t)m;
}

/* A run from its @i-th packet on. */
static always_inline unsigned tx_run_rest(const struct port_txq *q,
                                          const struct tx_plain *plain,
                                          struct mbuf *const pkts[], size_t i,
                                          unsigned n, uint64_t *bytes)
{
    struct tx_desc *d = &q->ring[q->tail];
    struct mbuf **sw = &q->sw[q->tail];
    uint64_t sum = 0;

    for (; i < n; i++) {
        struct mbuf *m = pkts[i];

        if (unlikely(!tx_is_plain(plain, m)))
            break;
        d[i].address = plat_bus_addr(mbuf_data(m));
        d[i].qw1 = TXD_PLAIN | TXD_SIZE(m->data_len);
        sw[i] = m;
        sum += m->data_len;
    }
    *bytes += sum;
    return (unsigned)i;
}

static always_inline unsigned tx_run_scalar(const struct port_txq *q,
                                            const struct tx_plain *plain,
                                            struct mbuf *const pkts[],
                                            unsigned n, uint64_t *bytes)
{
    return tx_run_rest(q, plain, pkts, 0, n, bytes);
}

/*
 * What the headers of a vector run had in common: a member that must be the
 * same in all is when both its OR and its AND are. Descriptors were written by
 * then; as tail has not moved they are nobody's, and a run that turns out to
 * hold something odd is written again.
 */
struct tx_seen {
    uint64_t rearm_or, rearm_and;
    uint64_t flags_or;
    uint64_t next_or;
    uint64_t pool_or, pool_and;
    uint32_t length_differs; /* data_len ^ pkt_len */
    uint32_t shortest, longest;
};

static always_inline bool tx_all_plain(const struct tx_plain *p,
                                       const struct tx_seen *s)
{
    const uint64_t rearm = (s->rearm_or ^ p->rearm) | (s->rearm_and ^ p->rearm);
    const uint64_t pool = (s->pool_or ^ p->pool) | (s->pool_and ^ p->pool);

    return ((rearm & p->rearm_mask) | (pool & p->pool_mask) |
            (s->flags_or & p->flags) | s->next_or | s->length_differs) == 0 &&
           s->shortest >= TX_CHIP_MIN && s->longest <= PORT_FRAME_MAX;
}

/* One descriptor each from tail on was written for @count packets. */
static always_inline void tx_advance(struct port_txq *q, unsigned count)
{
    const unsigned end = q->tail + count;

    while (q->next_rs < end) {
        const unsigned last = q->next_rs;

        q->report[last >> q->rs_shift] = (uint16_t)last;
        q->ring[last].qw1 |= TXD_RS;
        q->next_rs = last + q->rs < q->n ? last + q->rs : q->rs - 1;
        if (q->next_rs < last)
            break;
    }
    q->tail = end == q->n ? 0 : end; /* T1 */
    q->free -= count;
}

/* The descriptor written last; in flight whenever anything is. */
static always_inline unsigned tx_last_slot(const struct port_txq *q)
{
    return q->tail == 0 ? q->n - 1 : q->tail - 1;
}

static always_inline unsigned tx_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * The line with the oldest bucket's report, looked at when the burst is written,
 * and the lines to write.
 */
static always_inline void tx_prefetch(const struct port_txq *q)
{
    const struct tx_desc *d = &q->ring[q->tail];
    const unsigned in_line = CACHE_LINE / sizeof(*d);

    __builtin_prefetch(&q->ring[q->report[q->next_done >> q->rs_shift]]);
    for (unsigned i = 0; i < TX_LINES_AHEAD; i++)
        __builtin_prefetch(d + i * in_line, 1);
}

/* Hand what was written since @start to the NIC. */
static always_inline void tx_ring_bell(struct port_txq *q, unsigned start)
{
    if (unlikely(q->tail == start))
        return;
    if (likely(q->report_bursts))
        q->ring[tx_last_slot(q)].qw1 |= TXD_RS; /* T5 */
    plat_dma_wmb();
    plat_write32(q->tail_reg, q->tail);
}

static always_inline unsigned tx_burst_by(struct port_txq *q,
                                          struct mbuf *pkts[], unsigned n,
                                          tx_run_function *run)
{
    const unsigned start = q->tail;
    struct tx_plain plain = tx_plain_of(q);
    uint64_t bytes = 0, sent = 0;
    unsigned taken = 0;

    tx_prefetch(q);
    if (unlikely(q->free < q->free_thresh || q->free < n))
        port_tx_idle(q);
    while (taken < n) {
        const unsigned room =
            tx_min(tx_min(n - taken, q->free), q->n - q->tail);
        const unsigned done = run(q, &plain, &pkts[taken], room, &bytes);

        tx_advance(q, done);
        taken += done;
        sent += done;
        if (taken == n || (done > 0 && done == room))
            continue; /* all, or up to the ring's end */
        if (tx_odd(q, pkts[taken], &sent, &bytes) == 0)
            break;
        taken++;
        plain = tx_plain_of(q);
    }
    tx_ring_bell(q, start);
    (void)tx_reclaim_by(q, TX_SCHEME);
    q->stats.packets += sent;
    q->stats.bytes += bytes;
    return taken;
}
