/*
 * xl710_tx_rig.h - one transmit ring, with the test in the NIC's place
 */
#pragma once

#include <millrace/port.h>

#include "drivers/xl710/tx.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define RIG_POOL 4096

static struct port_txq q;
static struct mempool *pool;

static inline void open_queue_with(unsigned n, unsigned rs,
                                   unsigned free_thresh, bool fast_free)
{
    ring_machine_open();
    pool = ring_pool("test", RIG_POOL);
    memset(&q, 0, sizeof(q));
    q.fast_free = fast_free;
    CHECK_EQ(tx_ring_alloc(&q, n, rs, free_thresh), OK);
    q.tail_reg = ring_tail_register();
    q.report_bursts = false;
}

static inline void open_queue(unsigned n, unsigned rs, unsigned free_thresh)
{
    open_queue_with(n, rs, free_thresh, false);
}

/* Send @n packets of 60 bytes; what the queue does not take is freed here. */
static inline unsigned send(unsigned n)
{
    struct mbuf *pkts[1024];
    unsigned taken;

    for (unsigned i = 0; i < n; i++)
        pkts[i] = ring_packet(pool, 60, 1);
    taken = port_tx_burst(&q, pkts, n);
    mbuf_free_bulk(pkts + taken, n - taken);
    return taken;
}

static inline unsigned send_one(struct mbuf *m)
{
    return port_tx_burst(&q, &m, 1);
}

static inline bool has_rs(unsigned slot)
{
    return (q.ring[slot].qw1 & TXD_TYPE) == 0 &&
           (q.ring[slot].qw1 & TXD_RS) != 0;
}

/* Descriptors that carry a report bit and are not done. */
static inline unsigned rs_count(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < q.n; i++)
        n += has_rs(i);
    return n;
}

/* The NIC: report the descriptor at @slot. */
static inline void complete(unsigned slot)
{
    CHECK(has_rs(slot));
    q.ring[slot].qw1 |= TXD_TYPE_DONE;
}

/* The NIC: report everything that asks for it, up to the tail. */
static inline void complete_all(void)
{
    for (unsigned i = q.clean; i != q.tail; i = (i + 1) % q.n)
        if (has_rs(i))
            complete(i);
}

static inline unsigned out_of_pool(void)
{
    return mempool_count(pool) - mempool_available(pool);
}

static inline unsigned size_at(unsigned slot)
{
    return (unsigned)(q.ring[slot].qw1 >> TXD_SIZE_SHIFT) & 0x3FFF;
}
