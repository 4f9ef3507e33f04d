/*
 * mbuf_rx_test.c - buffers through the driver's receive ring and home again
 *
 * The test is the NIC: it completes descriptors in the order they were posted.
 */
#include <millrace/port.h>

#include "drivers/xl710/rx.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

enum { RING = 64, FRAME_BYTES = 60 };

/* DD, EOP, and the length field of a descriptor that is written back. */
#define DONE (UINT64_C(3) | (uint64_t)FRAME_BYTES << 38)

static void open_queue(struct port_rxq *q, struct mempool *pool, uint16_t port)
{
    *q = (struct port_rxq) { .tail_reg = ring_tail_register(), .port = port };
    CHECK_EQ(rx_ring_alloc(q, RING), OK);
    CHECK_EQ(rx_ring_fill(q, pool), OK);
}

/* @n frames arrive and are received. */
static void receive(struct port_rxq *q, struct mbuf *pkts[], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        q->ring[(q->next + i) % RING].qw1 = DONE;
    CHECK_EQ(port_rx_burst(q, pkts, n), n);
}

static void check_received(struct mbuf *pkts[], unsigned n, uint16_t port)
{
    const char *reason = "";

    for (unsigned i = 0; i < n; i++) {
        CHECK_EQ(pkts[i]->rearm, mbuf_rearm_word(port));
        CHECK_EQ(pkts[i]->refcnt, 1);
        CHECK_EQ(pkts[i]->nb_segs, 1);
        if (!mbuf_check(pkts[i], &reason))
            CHECK_STR(reason, "");
    }
}

/*
 * A queue that starts while others run gives out buffers as good as theirs: a
 * count of 0 would wrap at the free, and the buffer be lost.
 */
TEST(mbuf_rx, MB_35_queue_set_up_at_run_time)
{
    struct mbuf *pkts[32];
    struct port_rxq first, late;
    struct mempool *pool;

    ring_machine_open();
    pool = ring_pool("test", 4 * RING);
    open_queue(&first, pool, 0);
    for (unsigned round = 0; round < 8; round++) {
        receive(&first, pkts, 16);
        check_received(pkts, 16, 0);
        if (round == 3)
            open_queue(&late, pool, 7);
        if (round >= 3) {
            receive(&late, pkts + 16, 16);
            check_received(pkts + 16, 16, 7);
        }
        mbuf_free_bulk(pkts, round >= 3 ? 32 : 16);
    }
    rx_ring_drain(&first);
    rx_ring_drain(&late);
    CHECK_EQ(mempool_available(pool), 4 * RING);
}

/* Line 1 of a buffer, but for the one field that the pool needs. */
static void poison(struct mbuf *m)
{
    const uint16_t priv_size = m->priv_size;

    memset((uint8_t *)m + CACHE_LINE, 0xA5, CACHE_LINE);
    m->priv_size = priv_size;
}

static bool is_poisoned(const struct mbuf *m)
{
    struct mbuf expected = { .priv_size = m->priv_size };

    poison(&expected);
    return memcmp((const uint8_t *)m + CACHE_LINE,
                  (const uint8_t *)&expected + CACHE_LINE, CACHE_LINE) == 0;
}

TEST(mbuf_rx, MB_31_receive_never_writes_line_1)
{
    struct mbuf *pkts[2 * RING];
    struct port_rxq q;
    struct mempool *pool;

    ring_machine_open();
    pool = ring_pool("test", 2 * RING);
    CHECK_EQ(mempool_get_bulk(pool, pkts, 2 * RING), OK);
    for (unsigned i = 0; i < 2 * RING; i++)
        poison(pkts[i]);
    mempool_put_bulk(pool, pkts, 2 * RING);
    open_queue(&q, pool, 3);
    for (unsigned round = 0; round < 2000; round++) {
        receive(&q, pkts, 32);
        for (unsigned i = 0; i < 32; i++)
            CHECK(is_poisoned(pkts[i]));
        mbuf_free_bulk(pkts, 32);
    }
    rx_ring_drain(&q);
    CHECK_EQ(mempool_get_bulk(pool, pkts, 2 * RING), OK);
    for (unsigned i = 0; i < 2 * RING; i++)
        CHECK(is_poisoned(pkts[i]));
}
