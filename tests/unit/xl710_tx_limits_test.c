/*
 * xl710_tx_limits_test.c - what a descriptor can say, and whose buffer is where
 */
#include "drivers/xl710/rx.h"
#include "mm/frame.h"
#include "tests/unit/xl710_tx_rig.h"

#define SIZE_MAX_OF_ONE 16383 /* 14 bits */

static void no_release(void *memory, void *context)
{
    (void)memory, (void)context;
}

/* One segment of @bytes, in memory from outside. */
static struct mbuf *long_packet(unsigned bytes)
{
    uint16_t room = UINT16_MAX;
    void *memory = frame_alloc(room, 0, "outside");
    struct mbuf *m = mbuf_alloc(pool);
    struct mbuf_ext_shared *shared =
        mbuf_ext_shared_init(memory, &room, no_release, NULL);

    CHECK(bytes <= room);
    mbuf_attach_external(m, memory, room, shared);
    CHECK(mbuf_append(m, bytes) != NULL);
    return m;
}

/*
 * Without segmentation offload no frame is longer than one descriptor can say;
 * what is longer is dropped before it gets there, whatever its segments claim.
 */
TEST(xl710_tx_limits, TX_25_no_segment_is_longer_than_a_descriptor_can_say)
{
    static const unsigned lengths[] = { PORT_FRAME_MAX + 1, SIZE_MAX_OF_ONE,
                                        SIZE_MAX_OF_ONE + 1, 32768, 65000 };
    struct mbuf *m;

    _Static_assert(PORT_FRAME_MAX <= SIZE_MAX_OF_ONE,
                   "one descriptor is enough");
    open_queue(64, 32, 32);
    CHECK_EQ(send_one(long_packet(PORT_FRAME_MAX)), 1);
    CHECK_EQ(q.tail, 1);
    CHECK_EQ(q.ring[0].qw1 >> TXD_SIZE_SHIFT & 0x3FFF, PORT_FRAME_MAX);
    for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
        CHECK_EQ(send_one(long_packet(lengths[i])), 1);
        CHECK_EQ(q.stats.oversize, i + 1);
    }
    m = long_packet(SIZE_MAX_OF_ONE + 100);
    m->pkt_len = 100; /* a packet shorter than its segment */
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.malformed, 1);
    CHECK_EQ(q.tail, 1);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/*
 * Sent buffers are received into again: each of them once, and each receive slot
 * points into the buffer that it holds.
 */
TEST(xl710_tx_limits, TX_29_what_was_sent_is_posted_again_slot_by_slot)
{
    enum { BUFFERS = 64 };
    struct port_rxq rxq = { .port = 0 };
    struct mbuf *sent[BUFFERS];
    bool seen[BUFFERS] = { false };

    open_queue(128, 32, 32);
    pool = ring_pool("all", BUFFERS);
    for (unsigned i = 0; i < BUFFERS; i++)
        sent[i] = ring_packet(pool, 60, 1);
    CHECK_EQ(port_tx_burst(&q, sent, BUFFERS), BUFFERS);
    for (unsigned i = 0; i < BUFFERS; i++)
        CHECK(q.sw[i] == sent[i]);
    complete_all();
    CHECK_EQ(tx_reclaim(&q), BUFFERS);
    CHECK_EQ(rx_ring_alloc(&rxq, BUFFERS), OK);
    CHECK_EQ(rx_ring_fill(&rxq, pool), OK);
    CHECK(rxq.owned >= 32);
    for (unsigned i = 0; i < rxq.owned; i++) {
        unsigned from = 0;

        while (from < BUFFERS && sent[from] != rxq.sw[i])
            from++;
        CHECK(from < BUFFERS && !seen[from]);
        seen[from] = true;
        CHECK_EQ(rxq.ring[i].qw0,
                 host_bus_addr((char *)rxq.sw[i]->buf_addr + MBUF_HEADROOM));
    }
    rx_ring_drain(&rxq);
    CHECK_EQ(out_of_pool(), 0);
}
