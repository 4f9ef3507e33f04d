/*
 * engine_test.c - what each engine does to packets, byte by byte
 *
 * Every body ends with all buffers back in the pool (N1): finish() checks it.
 */
#include "tests/unit/test.h"

#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/txonly.h"
#include "tests/fake/port_fake.h"

#define POOL_COUNT 2048
#define ARENA      (16u << 20)

static struct mempool *pool;
static struct stream stream;
static struct lcore lcore;

static const uint8_t own[6] = { 0x00, 0x1b, 0x21, 0x00, 0x00, 0x01 };
static const uint8_t peer[6] = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01 };

/* Port 0 in, port 1 out, through @name. */
static void begin(const char *name)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = { .name = "test",
                                           .count = POOL_COUNT,
                                           .cache = 32,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = 1 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    CHECK(pool != NULL);
    port_fake_reset(2, pool);
    stream = (struct stream) { .rxq = port_rxq_get(0, 0),
                               .txq = port_txq_get(1, 0),
                               .pool = pool,
                               .tx_len = TXONLY_LEN_DEFAULT,
                               .rx_port = 0,
                               .tx_port = 1 };
    memcpy(stream.own, own, 6);
    memcpy(stream.peer, peer, 6);
    lcore = (struct lcore) { .burst = FWD_BURST_DEFAULT };
    lcore_assign(&lcore, &stream, 1, engine_find(name));
    CHECK(lcore.engine != NULL);
}

static void finish(void)
{
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(port_stop(1), OK);
    CHECK_EQ(mempool_available(pool), POOL_COUNT);
    mm_close();
}

/* A frame of @len bytes: byte i is i + salt. */
static struct mbuf *frame(unsigned len, unsigned salt)
{
    struct mbuf *m = mbuf_alloc(pool);
    uint8_t *data;

    CHECK(m != NULL);
    data = mbuf_data(m);
    for (unsigned i = 0; i < len; i++)
        data[i] = (uint8_t)(i + salt);
    m->data_len = (uint16_t)len;
    m->pkt_len = len;
    return m;
}

/* @m is frame(@len, @salt) but for its first @but bytes. */
static void check_frame(const struct mbuf *m, unsigned len, unsigned salt,
                        unsigned but)
{
    const uint8_t *data = mbuf_data(m);

    CHECK_EQ(m->data_len, len);
    CHECK_EQ(m->pkt_len, len);
    for (unsigned i = but; i < len; i++)
        CHECK_EQ(data[i], (uint8_t)(i + salt));
}

static void feed(unsigned n, unsigned len)
{
    for (unsigned i = 0; i < n; i++)
        port_fake_receive(0, frame(len, i));
}

/* ---- io ---- */

TEST(engine, io_passes_bytes_and_order_unchanged)
{
    begin("io");
    feed(5, 60);
    lcore_run(&lcore, 1);
    CHECK_EQ(port_fake_sent_count(1), 5);
    for (unsigned i = 0; i < 5; i++) {
        struct mbuf *m = port_fake_take_sent(1);

        check_frame(m, 60, i, 0);
        mbuf_free(m);
    }
    CHECK_EQ(stream.stats.rx_packets, 5);
    CHECK_EQ(stream.stats.tx_packets, 5);
    finish();
}

TEST(engine, io_passes_frames_too_short_for_a_header)
{
    begin("io");
    feed(1, 1);
    lcore_run(&lcore, 1);
    CHECK_EQ(port_fake_sent_count(1), 1);
    CHECK_EQ(stream.stats.drops[FWD_DROP_TOO_SHORT], 0);
    finish();
}

TEST(engine, every_engine_takes_every_number_of_packets)
{
    for (unsigned e = 0; engines[e] != NULL; e++) {
        if (engines[e]->makes_packets)
            continue;
        for (unsigned n = 0; n <= 64; n++) {
            begin(engines[e]->name);
            lcore.burst = 64;
            feed(n, 60);
            lcore_run(&lcore, 1);
            CHECK_EQ(port_fake_waiting(0), 0);
            CHECK_EQ(stream.stats.rx_packets, n);
            CHECK_EQ(port_fake_sent_count(1),
                     engines[e] == &engine_rxonly ? 0 : n);
            finish();
        }
    }
}

TEST(engine, every_burst_setting_moves_all_packets)
{
    for (unsigned burst = 1; burst <= 64; burst++) {
        begin("macswap");
        lcore.burst = burst;
        feed(64, 60);
        lcore_run(&lcore, (64 + burst - 1) / burst);
        CHECK_EQ(port_fake_sent_count(1), 64);
        finish();
    }
}

TEST(engine, the_largest_burst_fits)
{
    begin("mac");
    lcore.burst = FWD_BURST_MAX;
    feed(FWD_BURST_MAX + 1, 60);
    lcore_run(&lcore, 1);
    CHECK_EQ(port_fake_sent_count(1), FWD_BURST_MAX);
    CHECK_EQ(port_fake_waiting(0), 1);
    finish();
}

/* ---- mac, macswap ---- */

TEST(engine, mac_writes_peer_and_own_address)
{
    struct mbuf *m;

    begin("mac");
    feed(1, 64);
    lcore_run(&lcore, 1);
    m = port_fake_take_sent(1);
    CHECK_BYTES(mbuf_data(m), peer, 6);
    CHECK_BYTES((uint8_t *)mbuf_data(m) + 6, own, 6);
    check_frame(m, 64, 0, 12);
    mbuf_free(m);
    finish();
}

TEST(engine, macswap_exchanges_addresses)
{
    static const uint8_t want[12] = { 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5 };
    struct mbuf *m;

    begin("macswap");
    feed(1, 64);
    lcore_run(&lcore, 1);
    m = port_fake_take_sent(1);
    CHECK_BYTES(mbuf_data(m), want, 12);
    check_frame(m, 64, 0, 12);
    mbuf_free(m);
    finish();
}

TEST(engine, a_frame_of_14_bytes_is_edited_and_13_is_a_counted_drop)
{
    static const char *const names[] = { "mac", "macswap" };

    for (unsigned i = 0; i < 2; i++) {
        begin(names[i]);
        port_fake_receive(0, frame(13, 0));
        port_fake_receive(0, frame(14, 0));
        port_fake_receive(0, frame(0, 0));
        lcore_run(&lcore, 1);
        CHECK_EQ(port_fake_sent_count(1), 1);
        CHECK_EQ(stream.stats.drops[FWD_DROP_TOO_SHORT], 2);
        CHECK_EQ(stream.stats.rx_packets, 3);
        CHECK_EQ(stream.stats.tx_packets, 1);
        finish();
    }
}

/* The first 12 bytes that engine @name gives frame(len, salt). */
static void edited(const char *name, unsigned salt, uint8_t want[12])
{
    if (strcmp(name, "mac") == 0) {
        memcpy(want, peer, 6);
        memcpy(want + 6, own, 6);
        return;
    }
    for (unsigned i = 0; i < 12; i++)
        want[i] = (uint8_t)((i + 6) % 12 + salt);
}

/* Short and long ones in turn, so that every place of a burst has both. */
TEST(engine, frames_of_all_lengths_are_edited_alike_and_no_byte_more)
{
    static const char *const names[] = { "mac", "macswap" };

    for (unsigned e = 0; e < 2; e++) {
        begin(names[e]);
        for (unsigned len = 1; len <= 32; len++) {
            struct mbuf *m = frame(64, len);

            m->data_len = (uint16_t)len;
            m->pkt_len = len;
            port_fake_receive(0, m);
            if (len % 3 == 0)
                port_fake_receive(0, frame(64, 100));
        }
        lcore_run(&lcore, 2);
        CHECK_EQ(stream.stats.drops[FWD_DROP_TOO_SHORT], 13);
        for (unsigned len = 1; len <= 32; len++) {
            uint8_t want[12];
            struct mbuf *m;

            if (len >= 14) {
                m = port_fake_take_sent(1);
                edited(names[e], len, want);
                CHECK_BYTES(mbuf_data(m), want, 12);
                m->data_len = 64; /* what is behind it, too */
                m->pkt_len = 64;
                check_frame(m, 64, len, 12);
                mbuf_free(m);
            }
            if (len % 3 == 0) {
                m = port_fake_take_sent(1);
                edited(names[e], 100, want);
                CHECK_BYTES(mbuf_data(m), want, 12);
                check_frame(m, 64, 100, 12);
                mbuf_free(m);
            }
        }
        finish();
    }
}

TEST(engine, nothing_is_sent_when_all_were_too_short)
{
    begin("mac");
    feed(3, 13);
    lcore_run(&lcore, 1);
    CHECK_EQ(port_fake_tx_calls(1), 0);
    finish();
}

TEST(engine, only_the_first_segment_of_a_chain_is_touched)
{
    struct mbuf *m, *tail;

    begin("mac");
    m = frame(40, 0);
    tail = frame(40, 100);
    m->next = tail;
    m->nb_segs = 2;
    m->pkt_len = 80;
    port_fake_receive(0, m);
    lcore_run(&lcore, 1);
    CHECK(port_fake_take_sent(1) == m);
    CHECK(m->next == tail);
    CHECK_EQ(m->nb_segs, 2);
    CHECK_EQ(m->pkt_len, 80);
    check_frame(tail, 40, 100, 0);
    CHECK_BYTES(mbuf_data(m), peer, 6);
    mbuf_free(m);
    finish();
}

TEST(engine, a_chain_whose_first_segment_has_no_header_is_dropped_whole)
{
    struct mbuf *m;

    begin("macswap");
    m = frame(13, 0);
    m->next = frame(100, 0);
    m->nb_segs = 2;
    m->pkt_len = 113;
    port_fake_receive(0, m);
    lcore_run(&lcore, 1);
    CHECK_EQ(stream.stats.drops[FWD_DROP_TOO_SHORT], 1);
    finish(); /* both segments are back */
}

/* ---- rxonly ---- */

TEST(engine, rxonly_frees_what_it_counts)
{
    begin("rxonly");
    feed(40, 60);
    lcore_run(&lcore, 2);
    CHECK_EQ(stream.stats.rx_packets, 40);
    CHECK_EQ(port_fake_tx_calls(1), 0);
    CHECK_EQ(mempool_available(pool), POOL_COUNT);
    finish();
}

/* ---- txonly ---- */

/*
 * testpmd's packet, 64 bytes. The checksum by hand (RFC 1071):
 * 4500 + 0032 + 0000 + 0000 + 4011 + c612 + 0001 + c612 + 0002 = 2116a,
 * 116a + 2 = 116c, whose complement is ee93.
 */
static const uint8_t txonly_64[42] = {
    0x02, 0x00, 0x00, 0x00, 0x00, 0x01, /* to the peer of port 1 */
    0x00, 0x1b, 0x21, 0x00, 0x00, 0x01, /* from port 1 */
    0x08, 0x00,                         /* IPv4 */
    0x45, 0x00, 0x00, 0x32,             /* 64 - 14 = 50 bytes */
    0x00, 0x00, 0x00, 0x00,             /* id 0, not a fragment */
    0x40, 0x11, 0xee, 0x93,             /* ttl 64, UDP, checksum */
    198,  18,   0,    1,    198,  18,
    0,    2,    0x00, 0x09, 0x00, 0x09, /* discard to discard */
    0x00, 0x1e, 0x00, 0x00,             /* 50 - 20 = 30 bytes, no checksum */
};

TEST(engine, txonly_sends_testpmds_packet)
{
    static const uint8_t zeros[22];
    struct mbuf *m;

    begin("txonly");
    lcore_run(&lcore, 1);
    CHECK_EQ(port_fake_sent_count(1), FWD_BURST_DEFAULT);
    CHECK_EQ(stream.stats.tx_packets, FWD_BURST_DEFAULT);
    m = port_fake_take_sent(1);
    CHECK_EQ(m->data_len, 64);
    CHECK_EQ(m->pkt_len, 64);
    CHECK_EQ(m->nb_segs, 1);
    CHECK_BYTES(mbuf_data(m), txonly_64, sizeof(txonly_64));
    CHECK_BYTES((uint8_t *)mbuf_data(m) + 42, zeros, sizeof(zeros));
    mbuf_free(m);
    finish();
}

/* RFC 1071: the sum over a header with its checksum in place is all ones. */
TEST(engine, txonly_checksum_is_right_for_every_length)
{
    begin("txonly");
    for (unsigned len = TXONLY_LEN_MIN; len <= TXONLY_LEN_MAX; len++) {
        struct txonly_frame f;
        uint32_t sum = 0;

        stream.tx_len = (uint16_t)len;
        txonly_headers(&stream, &f);
        for (unsigned i = 0; i < 20; i += 2)
            sum += get_be16((uint8_t *)&f.ip + i);
        CHECK_EQ((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
        CHECK_EQ(get_be16(f.ip.total_length), len - 14);
        CHECK_EQ(get_be16(f.udp.length), len - 34);
    }
    finish();
}

TEST(engine, txonly_sends_the_smallest_and_the_largest_packet)
{
    static const uint16_t lens[] = { TXONLY_LEN_MIN, TXONLY_LEN_MAX };

    for (unsigned i = 0; i < 2; i++) {
        struct mbuf *m;

        begin("txonly");
        stream.tx_len = lens[i];
        lcore_run(&lcore, 1);
        m = port_fake_take_sent(1);
        CHECK_EQ(m->data_len, lens[i]);
        mbuf_free(m);
        finish();
    }
}

TEST(engine, txonly_never_sends_old_bytes)
{
    struct mbuf *m;

    begin("txonly");
    for (unsigned i = 0; i < POOL_COUNT; i++)
        mbuf_free(frame(2048, 0xA5));
    stream.tx_len = 2048;
    lcore_run(&lcore, 1);
    m = port_fake_take_sent(1);
    for (unsigned i = 42; i < 2048; i++)
        CHECK_EQ(((uint8_t *)mbuf_data(m))[i], 0);
    mbuf_free(m);
    finish();
}

TEST(engine, txonly_without_buffers_counts_and_gives_buffers_back)
{
    struct mbuf *held[POOL_COUNT];

    begin("txonly");
    CHECK_EQ(mbuf_alloc_bulk(pool, held, POOL_COUNT), OK);
    lcore_run(&lcore, 3);
    CHECK_EQ(stream.stats.no_mbuf, 3);
    CHECK_EQ(port_fake_tx_calls(1), 0);
    CHECK_EQ(port_fake_idle_calls(1), 3);
    mbuf_free_bulk(held, POOL_COUNT);
    finish();
}

/* ---- transmit queue full ---- */

TEST(engine, what_the_queue_does_not_take_is_dropped_once_and_counted)
{
    for (unsigned e = 0; engines[e] != NULL; e++) {
        if (engines[e] == &engine_rxonly)
            continue;
        for (unsigned room = 0; room <= 32; room++) {
            begin(engines[e]->name);
            if (!engines[e]->makes_packets)
                feed(32, 60);
            port_fake_tx_room(1, room);
            lcore_run(&lcore, 1);
            CHECK_EQ(port_fake_tx_calls(1), 1); /* not tried again */
            CHECK_EQ(port_fake_sent_count(1), room);
            CHECK_EQ(stream.stats.tx_packets, room);
            CHECK_EQ(stream.stats.drops[FWD_DROP_TX_FULL], 32 - room);
            CHECK_EQ(mempool_available(pool), POOL_COUNT - room);
            finish();
        }
    }
}

TEST(engine, chains_that_are_not_taken_come_back_whole)
{
    struct mbuf *m;

    begin("io");
    m = frame(60, 0);
    m->next = frame(60, 0);
    m->nb_segs = 2;
    m->pkt_len = 120;
    port_fake_receive(0, m);
    port_fake_tx_room(1, 0);
    lcore_run(&lcore, 1);
    CHECK_EQ(stream.stats.drops[FWD_DROP_TX_FULL], 1);
    CHECK_EQ(mempool_available(pool), POOL_COUNT);
    finish();
}

/* ---- idle ---- */

TEST(engine, an_empty_poll_gives_finished_buffers_back)
{
    static const char *const names[] = { "io", "mac", "macswap", "rxonly" };

    for (unsigned i = 0; i < 4; i++) {
        begin(names[i]);
        lcore_run(&lcore, 7);
        CHECK_EQ(port_fake_idle_calls(1), 7);
        CHECK_EQ(port_fake_tx_calls(1), 0);
        CHECK_EQ(stream.stats.rx_packets, 0);
        CHECK_EQ(lcore.rounds, 7);
        CHECK_EQ(lcore.idle_rounds, 7);
        finish();
    }
}

/* ---- the table ---- */

TEST(engine, engines_are_found_by_their_exact_names)
{
    CHECK(engine_find("io") == &engine_io);
    CHECK(engine_find("txonly") == &engine_txonly);
    CHECK(engine_find("") == NULL);
    CHECK(engine_find("i") == NULL);
    CHECK(engine_find("io ") == NULL);
    CHECK(engine_find("MAC") == NULL);
    CHECK(engines[0] == &engine_io);
}

TEST(headers, checksum_of_rfc1071s_example)
{
    /* RFC 1071 section 3: 0001 f203 f4f5 f6f7 sums to ddf2. */
    static const uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03,
                                    0xf4, 0xf5, 0xf6, 0xf7 };

    CHECK_EQ(inet_checksum(data, 8), 0xFFFF ^ 0xddf2);
    CHECK_EQ(inet_checksum(data, 0), 0xFFFF);
    CHECK_EQ(inet_checksum(data + 1, 1), 0xFFFF ^ 0x0100);
}
