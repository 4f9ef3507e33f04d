/*
 * xl710_rx_test.c - the receive ring, with the test in the NIC's place
 */
#include <millrace/port.h>

#include "drivers/xl710/rx.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define DD       UINT64_C(1)
#define EOP      UINT64_C(2)
#define RXE      (UINT64_C(1) << 19)
#define OVERSIZE (UINT64_C(1) << 25)
#define SPH      (UINT64_C(1) << 63)
#define HASH     (UINT64_C(3) << 12)
#define LEN(n)   ((uint64_t)(n) << 38)

static struct port_rxq q;
static struct mempool *pool;
static unsigned nic_head; /* the NIC's next descriptor */

static void open_queue(unsigned n, unsigned buffers)
{
    ring_machine_open();
    pool = ring_pool("test", buffers);
    memset(&q, 0, sizeof(q));
    CHECK_EQ(rx_ring_alloc(&q, n), OK);
    q.tail_reg = ring_tail_register();
    q.port = 3;
    CHECK_EQ(rx_ring_fill(&q, pool), OK);
    plat_write32(q.tail_reg, q.post);
    nic_head = 0;
}

static unsigned out_of_pool(void)
{
    return mempool_count(pool) - mempool_available(pool);
}

/* Does the NIC own a descriptor? */
static bool has_descriptor(void)
{
    return nic_head != ring_tail_value();
}

/* The NIC: fill the next buffer with @fill and write @qw1 back. */
static void write_back(uint64_t qw1, uint8_t fill)
{
    struct rx_desc *d = &q.ring[nic_head];
    void *data = host_bus_to_ptr(d->qw0, RX_BUFFER_BYTES);

    CHECK(has_descriptor());
    CHECK(data != NULL);
    CHECK_EQ(d->qw1, 0); /* R4 */
    memset(data, fill, RX_BUFFER_BYTES);
    d->qw0 = UINT64_C(0xABCD1234) << 32;
    d->qw1 = qw1;
    nic_head = (nic_head + 1) % q.n;
}

/* The NIC: a frame of @bytes over as many buffers as it takes. */
static void frame(unsigned bytes, uint8_t fill)
{
    while (bytes > RX_BUFFER_BYTES) {
        write_back(DD | LEN(RX_BUFFER_BYTES), fill);
        bytes -= RX_BUFFER_BYTES;
    }
    write_back(DD | EOP | LEN(bytes), fill);
}

/* Take one packet and check it is @bytes of @fill. */
static void expect(unsigned bytes, uint8_t fill)
{
    struct mbuf *m;
    unsigned seen = 0;

    CHECK_EQ(port_rx_burst(&q, &m, 1), 1);
    CHECK_EQ(m->pkt_len, bytes);
    CHECK_EQ(m->port, 3);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(m->nb_segs, (bytes + RX_BUFFER_BYTES - 1) / RX_BUFFER_BYTES);
    for (const struct mbuf *s = m; s != NULL; s = s->next) {
        const uint8_t *p = mbuf_data(s);

        CHECK_EQ(s->data_off, MBUF_HEADROOM);
        for (unsigned i = 0; i < s->data_len; i++)
            CHECK_EQ(p[i], fill);
        seen += s->data_len;
    }
    CHECK_EQ(seen, bytes);
    mbuf_free(m);
}

static void expect_nothing(void)
{
    struct mbuf *m;

    CHECK_EQ(port_rx_burst(&q, &m, 1), 0);
}

/* A good frame still gets through, and every buffer is accounted for. */
static void expect_health(void)
{
    frame(200, 0x77);
    expect(200, 0x77);
    CHECK_EQ(out_of_pool(), q.owned);
}

TEST(xl710_rx, ring_sizes_are_checked_with_a_reason)
{
    CHECK(rx_ring_rule(64) == NULL);
    CHECK(rx_ring_rule(96) == NULL);
    CHECK(rx_ring_rule(8160) == NULL);
    CHECK_CONTAINS(rx_ring_rule(32), "64");
    CHECK_CONTAINS(rx_ring_rule(8192), "8160");
    CHECK_CONTAINS(rx_ring_rule(1000), "32");
    CHECK(rx_ring_rule(0) != NULL);
}

TEST(xl710_rx, a_ring_posts_all_but_one_group)
{
    open_queue(64, 128);
    CHECK_EQ(q.owned, 56);
    CHECK_EQ(q.post, 56);
    CHECK_EQ(out_of_pool(), 56);
    expect_nothing();
    CHECK_EQ(ring_tail_writes(), 1);
}

TEST(xl710_rx, a_packet_arrives_whole)
{
    open_queue(64, 128);
    frame(60, 0x11);
    expect(60, 0x11);
    expect_nothing();
    CHECK_EQ(q.stats.packets, 1);
    CHECK_EQ(q.stats.bytes, 60);
}

TEST(xl710_rx, the_hash_is_taken_only_when_valid)
{
    struct mbuf *m;

    open_queue(64, 128);
    write_back(DD | EOP | HASH | LEN(60), 1);
    CHECK_EQ(port_rx_burst(&q, &m, 1), 1);
    CHECK_EQ(m->hash.rss, 0xABCD1234);
    mbuf_free(m);
    write_back(DD | EOP | LEN(60), 1);
    CHECK_EQ(port_rx_burst(&q, &m, 1), 1);
    CHECK_EQ(m->hash.rss, 0);
    mbuf_free(m);
}

TEST(xl710_rx, every_size_is_chained_over_its_buffers)
{
    open_queue(64, 256);
    for (unsigned bytes = 14; bytes <= PORT_FRAME_MAX; bytes += 97) {
        frame(bytes, (uint8_t)bytes);
        expect(bytes, (uint8_t)bytes);
    }
    frame(PORT_FRAME_MAX, 0x42);
    expect(PORT_FRAME_MAX, 0x42);
    CHECK_EQ(out_of_pool(), q.owned);
}

/* A frame whose parts come in different polls. */
TEST(xl710_rx, a_frame_may_take_several_polls)
{
    open_queue(64, 128);
    write_back(DD | LEN(2048), 9);
    expect_nothing();
    write_back(DD | LEN(2048), 9);
    expect_nothing();
    write_back(DD | EOP | LEN(100), 9);
    expect(4196, 9);
}

TEST(xl710_rx, the_tail_moves_in_groups_of_eight_once_a_burst)
{
    struct mbuf *m[64];

    open_queue(96, 256);
    for (unsigned round = 0; round < 50; round++) {
        const unsigned writes = ring_tail_writes();
        unsigned n = 0;

        for (; n < 1 + round % 40 && has_descriptor(); n++)
            frame(60, (uint8_t)n);
        CHECK_EQ(port_rx_burst(&q, m, 64), n);
        mbuf_free_bulk(m, n);
        CHECK_EQ(ring_tail_value() % 8, 0);
        CHECK(ring_tail_value() < q.n);
        CHECK(ring_tail_writes() <= writes + 1);
    }
}

TEST(xl710_rx, odd_ring_sizes_wrap)
{
    static const unsigned sizes[] = { 64, 96, 160, 224, 992, 8160 };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        host_reset();
        open_queue(sizes[i], sizes[i] + 64);
        for (unsigned n = 0; n < 3 * sizes[i] + 5; n++) {
            frame(60 + n % 3000, (uint8_t)n);
            expect(60 + n % 3000, (uint8_t)n);
        }
        CHECK_EQ(out_of_pool(), q.owned);
        rx_ring_drain(&q);
        CHECK_EQ(out_of_pool(), 0);
    }
}

/* ---- no buffers ---- */

TEST(xl710_rx, a_pool_too_small_is_refused_with_numbers)
{
    ring_machine_open();
    pool = ring_pool("small", 50);
    memset(&q, 0, sizeof(q));
    CHECK_EQ(rx_ring_alloc(&q, 64), OK);
    CHECK_EQ(rx_ring_fill(&q, pool), E_NOBUF);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_CONTAINS(host_console_text(), "of 50 buffers");
    CHECK_CONTAINS(host_console_text(), "wants 56");
}

/* The ring runs dry, then completely empty, and comes back by itself. */
TEST(xl710_rx, an_exhausted_pool_is_counted_and_recovers)
{
    struct mbuf *m[64], *held[128];
    unsigned n = 0;

    open_queue(64, 64);
    while (has_descriptor()) {
        frame(60, (uint8_t)n);
        CHECK_EQ(port_rx_burst(&q, &m[0], 1), 1);
        held[n++] = m[0]; /* the application keeps everything */
    }
    CHECK_EQ(n, 64);
    CHECK_EQ(q.owned, 0);
    CHECK(q.stats.nombuf > 0);
    CHECK_EQ(mempool_available(pool), 0);
    expect_nothing();

    mbuf_free_bulk(held, 10);
    expect_nothing(); /* polling alone fills the ring */
    CHECK_EQ(q.owned, 8);
    mbuf_free_bulk(held + 10, n - 10);
    expect_nothing();
    for (unsigned i = 0; i < 200; i++) {
        frame(60, (uint8_t)i);
        expect(60, (uint8_t)i);
    }
    CHECK_EQ(out_of_pool(), q.owned);
}

/* ---- what the NIC should not write ---- */

TEST(xl710_rx, impossible_lengths_are_counted_drops)
{
    static const unsigned bad[] = { 0, 2049, 9728, 0x3FFF };

    open_queue(64, 128);
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        write_back(DD | EOP | LEN(bad[i]), 1);
        expect_nothing();
        CHECK_EQ(q.stats.bad_length, i + 1);
        expect_health();
    }
}

TEST(xl710_rx, an_impossible_length_inside_a_frame_drops_all_of_it)
{
    open_queue(64, 128);
    write_back(DD | LEN(2048), 1);
    write_back(DD | LEN(0), 1);
    write_back(DD | LEN(2048), 1);
    write_back(DD | EOP | LEN(5), 1);
    expect_nothing();
    CHECK_EQ(q.stats.bad_length, 1);
    expect_health();
}

TEST(xl710_rx, damaged_frames_are_counted_drops)
{
    open_queue(64, 128);
    write_back(DD | EOP | RXE | LEN(60), 1);
    expect_nothing();
    CHECK_EQ(q.stats.damaged, 1);
    expect_health();
    write_back(DD | LEN(2048), 1);
    write_back(DD | EOP | RXE | LEN(60), 1);
    expect_nothing();
    CHECK_EQ(q.stats.damaged, 2);
    expect_health();
}

TEST(xl710_rx, a_frame_without_end_is_dropped_after_five_buffers)
{
    open_queue(64, 128);
    for (unsigned i = 0; i < 12; i++)
        write_back(DD | LEN(2048), 1);
    expect_nothing();
    CHECK_EQ(q.stats.endless, 1);
    write_back(DD | EOP | LEN(10), 1); /* here it ends at last */
    expect_nothing();
    expect_health();
}

TEST(xl710_rx, oversize_frames_are_counted_drops)
{
    open_queue(64, 128);
    frame(PORT_FRAME_MAX + 1, 1);
    expect_nothing();
    CHECK_EQ(q.stats.oversize, 1);
    expect_health();
    write_back(DD | EOP | OVERSIZE | LEN(100), 1);
    expect_nothing();
    CHECK_EQ(q.stats.oversize, 2);
    expect_health();
}

TEST(xl710_rx, descriptors_of_another_kind_are_recycled)
{
    open_queue(64, 128);
    write_back(DD | SPH, 1); /* filter programming status */
    expect_nothing();
    write_back(DD | SPH | EOP | LEN(60), 1); /* split header */
    expect_nothing();
    CHECK_EQ(q.stats.unexpected, 2);
    expect_health();
    /* in the middle of a frame it does not disturb the frame */
    write_back(DD | LEN(2048), 5);
    write_back(DD | SPH, 1);
    write_back(DD | EOP | LEN(2), 5);
    expect(2050, 5);
}

/* Drain with a frame half received: each buffer back once. */
TEST(xl710_rx, stop_in_mid_frame_returns_every_buffer)
{
    open_queue(96, 128);
    for (unsigned i = 0; i < 40; i++) {
        frame(60, 1);
        expect(60, 1);
    }
    write_back(DD | LEN(2048), 1);
    write_back(DD | LEN(2048), 1);
    expect_nothing();
    write_back(DD | EOP | LEN(60), 1); /* done, but never polled */
    rx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(rx_ring_fill(&q, pool), OK);
    CHECK_EQ(out_of_pool(), 88);
}

/* Random write-backs: no crash, no leak (ASan and the pool are the judges). */
TEST(xl710_rx, any_write_back_is_survived)
{
    uint64_t seed = 0x9E3779B97F4A7C15;
    struct mbuf *m[8];

    open_queue(96, 512);
    for (unsigned i = 0; i < 20000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if (has_descriptor())
            write_back(seed | DD, (uint8_t)i);
        mbuf_free_bulk(m, port_rx_burst(&q, m, 8));
    }
    rx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}
