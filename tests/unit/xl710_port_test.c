/*
 * xl710_port_test.c - packets through the port, with the chip model as the NIC
 */
#include <stdlib.h>

#include <millrace/port.h>

#include "drivers/xl710/nic.h"
#include "mm/dma.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define FOR_EVER   0xFFFFFFFF
#define FRAME_ROOM (PORT_FRAME_MAX + 64)

static const struct host_nic_config one_port;
static const struct host_nic_config two_ports = { .ports = 2 };
static const struct host_nic_config polled = { .has_doorbell_ram = true };

static uint8_t frame[FRAME_ROOM];

/* A packet of the pool with these bytes, over as many buffers as needed. */
static struct mbuf *packet(const struct bench *b, const uint8_t *bytes,
                           unsigned n)
{
    struct mbuf *m = ring_packet(b->pool, n, (n + 2047) / 2048);
    unsigned at = 0;

    for (struct mbuf *s = m; s != NULL; s = s->next) {
        memcpy(mbuf_data(s), bytes + at, s->data_len);
        at += s->data_len;
    }
    return m;
}

static void send_frame(const struct bench *b, unsigned port, unsigned bytes,
                       unsigned seed)
{
    struct mbuf *m;

    bench_frame(frame, bytes, seed);
    m = packet(b, frame, bytes);
    CHECK_EQ(port_tx_burst(port_txq_get(port, 0), &m, 1), 1);
}

/* One frame in, the same packet out of the port call. */
static void check_arrives(unsigned port, unsigned bytes, unsigned seed)
{
    struct mbuf *m;

    bench_frame(frame, bytes, seed);
    CHECK(host_nic_arrive(port, frame, bytes));
    CHECK_EQ(bench_receive(port, &m, 1), 1);
    CHECK(bench_same(m, frame, bytes));
    CHECK_EQ(m->port, port);
    mbuf_free(m);
}

/* Every buffer that is not in the pool stands in a receive ring. */
static void check_buffers(const struct bench *b)
{
    unsigned owned = 0;

    for (unsigned i = 0; i < port_count(); i++)
        owned += port_rxq_get(i, 0)->owned;
    CHECK_EQ(bench_out(b), owned);
}

static uint64_t xstat(unsigned port, const char *name)
{
    struct port_xstat list[128];
    const unsigned n = port_xstats_get(port, list, ARRAY_SIZE(list));

    CHECK(n <= ARRAY_SIZE(list));
    for (unsigned i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    print_error("no statistic %s\n", name);
    CHECK(false);
    return 0;
}

/* ---- every size ---- */

/*
 * A frame below 60 bytes cannot come over a wire; the model pads it, as the
 * sender's MAC would.
 */
TEST(xl710_port, frames_of_every_size_arrive_intact)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned bytes = 60; bytes <= 2200; bytes++)
        check_arrives(0, bytes, bytes);
    for (unsigned bytes = 2201; bytes <= PORT_FRAME_MAX; bytes += 61)
        check_arrives(0, bytes, bytes);
    for (unsigned k = 2; k < 5; k++)
        for (int d = -2; d <= 2; d++)
            check_arrives(0, (unsigned)(2048 * (int)k + d), k);
    check_arrives(0, PORT_FRAME_MAX, 1);
    check_buffers(&b);
    bench_close(&b);
}

TEST(xl710_port, short_frames_arrive_padded)
{
    struct bench b;
    struct mbuf *m;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned bytes = 14; bytes < 60; bytes++) {
        bench_frame(frame, bytes, bytes);
        memset(frame + bytes, 0, 60 - bytes);
        CHECK(host_nic_arrive(0, frame, bytes));
        CHECK_EQ(bench_receive(0, &m, 1), 1);
        CHECK(m->pkt_len == 60 && bench_same(m, frame, 60));
        mbuf_free(m);
    }
    bench_close(&b);
}

TEST(xl710_port, frames_of_every_size_leave_intact)
{
    struct bench b;
    unsigned step = 1;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned bytes = 1; bytes <= PORT_FRAME_MAX; bytes += step) {
        const unsigned wire = bytes < 60 ? 60 : bytes;
        const uint8_t *sent;
        size_t n;

        step = bytes < 2200 ? 1 : bytes < PORT_FRAME_MAX - 53 ? 53 : 1;
        send_frame(&b, 0, bytes, bytes);
        CHECK_EQ(host_nic_sent(0), 1);
        sent = host_nic_sent_frame(0, 0, &n);
        bench_frame(frame, bytes, bytes);
        memset(frame + bytes, 0, wire - (bytes < wire ? bytes : wire));
        CHECK_EQ(n, wire);
        CHECK_BYTES(sent, frame, wire);
        host_nic_sent_clear();
        port_tx_idle(port_txq_get(0, 0));
        check_buffers(&b);
    }
    bench_close(&b);
}

/* NIC-33: neither kind of tag is eaten, on the way in or out. */
TEST(xl710_port, tagged_frames_pass_with_either_tag)
{
    static const uint8_t tags[][8] = {
        { 0x81, 0x00, 0x20, 0x64, 0x88, 0xB5 },
        { 0x88, 0xA8, 0x20, 0x64, 0x88, 0xB5 },
        { 0x88, 0xA8, 0x00, 0x05, 0x81, 0x00, 0x20, 0x64 },
    };
    struct bench b;

    bench_open_chip(&one_port);
    chip_reg_write(host_nic_chip(), 0, 0x1C0B20, 4, 2); /* S-tag enabled */
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(host_nic_register(0, 0x1C0B20) & 2, 0);
    xl710_forget_all();
    host_nic_close();
    host_reset();
    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < ARRAY_SIZE(tags); i++) {
        struct mbuf *m;
        size_t n;

        bench_frame(frame, 128, i);
        memcpy(frame + 12, tags[i], 8);
        CHECK(host_nic_arrive(0, frame, 128));
        CHECK_EQ(bench_receive(0, &m, 1), 1);
        CHECK(bench_same(m, frame, 128));
        CHECK_EQ(port_tx_burst(port_txq_get(0, 0), &m, 1), 1);
        CHECK_BYTES(host_nic_sent_frame(0, i, &n), frame, 128);
        CHECK_EQ(n, 128);
    }
    bench_close(&b);
}

/* NIC-03: a guest sees each function as a device of its own. */
TEST(xl710_port, functions_may_be_renumbered_by_a_virtual_machine)
{
    const struct host_nic_config config = { .ports = 4, .is_virtual = true };
    struct bench b;

    bench_open(&b, &config);
    bench_start(&b);
    for (unsigned i = 0; i < 4; i++) {
        size_t n;

        check_arrives(i, 300, i);
        send_frame(&b, i, 300, i);
        CHECK_EQ(host_nic_sent(i), 1);
        CHECK_BYTES(host_nic_sent_frame(i, 0, &n), frame, 300);
    }
    host_nic_sent_clear();
    bench_close(&b);
}

/* ---- write-back timing ---- */

/* NIC-01: a lone packet does not wait for three more. */
TEST(xl710_port, a_lone_packet_is_visible_within_100_us)
{
    struct bench b;
    struct mbuf *m[4];

    bench_open(&b, &one_port);
    bench_start(&b);
    CHECK_EQ(host_nic_register(0, 0x03F800) & 7, 7); /* no auto-mask */
    for (unsigned n = 1; n <= 3; n++) {
        for (unsigned i = 0; i < n; i++) {
            bench_frame(frame, 60, i);
            CHECK(host_nic_arrive(0, frame, 60));
        }
        host_advance_us(100);
        CHECK_EQ(port_rx_burst(port_rxq_get(0, 0), m, 4), n);
        mbuf_free_bulk(m, n);
    }
    CHECK_EQ(host_nic_interrupts(), 0);
    bench_close(&b);
}

/* ---- ring wraps ---- */

/* Receive and send back in bursts, until each ring has wrapped many times. */
static void run_traffic(const struct bench *b, unsigned frames)
{
    struct port_rxq *rx = port_rxq_get(0, 0);
    struct port_txq *tx = port_txq_get(0, 0);
    unsigned in = 0, out = 0, checked = 0;

    while (out < frames) {
        struct mbuf *m[32];
        unsigned burst = 1 + in % 23, n;

        while (burst-- > 0 && in < frames) {
            bench_frame(frame, 60 + in * 7 % 2500, in);
            if (!host_nic_arrive(0, frame, 60 + in * 7 % 2500))
                break;
            in++;
        }
        host_advance_us(40);
        n = port_rx_burst(rx, m, 32);
        CHECK_EQ(port_tx_burst(tx, m, n), n);
        host_advance_us(10);
        if (n == 0)
            port_tx_idle(tx);
        out += n;
        for (unsigned i = 0; i < host_nic_sent(0); i++, checked++) {
            size_t bytes;
            const uint8_t *sent = host_nic_sent_frame(0, i, &bytes);

            bench_frame(frame, 60 + checked * 7 % 2500, checked);
            CHECK_EQ(bytes, 60 + checked * 7 % 2500);
            CHECK_BYTES(sent, frame, bytes);
        }
        host_nic_sent_clear();
    }
    CHECK_EQ(checked, frames);
    port_tx_idle(tx);
    check_buffers(b);
}

TEST(xl710_port, rings_of_odd_sizes_wrap_many_times)
{
    static const unsigned sizes[] = { 64, 96, 160, 224, 480, 2048 };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct bench b;

        host_reset();
        bench_open(&b, i % 2 == 0 ? &one_port : &polled);
        b.config.rx_desc = (uint16_t)sizes[i];
        b.config.tx_desc = (uint16_t)sizes[ARRAY_SIZE(sizes) - 1 - i];
        bench_start(&b);
        run_traffic(&b, 3000);
        bench_close(&b);
    }
}

TEST(xl710_port, the_largest_ring_is_taken)
{
    struct bench b;

    bench_open(&b, &one_port);
    b.config.pool = ring_pool("large", 9000);
    b.config.rx_desc = 8160;
    b.config.tx_desc = 8160;
    bench_start(&b);
    CHECK_EQ(mempool_available(b.config.pool), 9000 - 8152);
    check_arrives(0, 1500, 1);
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(mempool_destroy(b.config.pool), OK);
    bench_close(&b);
}

TEST(xl710_port, a_pool_of_pinned_buffers_is_refused)
{
    enum { BUFFERS = 16, ROOM = 2176 };
    struct bench b;
    struct mempool_config pinned = { .name = "pinned",
                                     .count = BUFFERS,
                                     .data_room = ROOM,
                                     .lcores = 1,
                                     .external_bytes = BUFFERS * ROOM };
    struct port_config bad;

    bench_open(&b, &one_port);
    pinned.external = dma_alloc(BUFFERS * ROOM, CACHE_LINE, "outside");
    bad = b.config;
    bad.pool = mempool_create(&pinned);
    CHECK(bad.pool != NULL);
    CHECK_EQ(port_configure(0, &bad), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "\"pinned\" are pinned");
    CHECK_EQ(mempool_destroy(bad.pool), OK);
    dma_free(pinned.external);
    CHECK_EQ(port_configure(0, &b.config), OK);
    bench_close(&b);
}

/* NIC-39 and the rules of tx.h */
TEST(xl710_port, impossible_configurations_are_refused_with_the_rule)
{
    struct bench b;
    struct port_config bad;
    struct mempool *small;
    const struct mempool_config small_config = {
        .name = "narrow", .count = 16, .data_room = 1024, .lcores = 1
    };

    bench_open(&b, &one_port);
    CHECK_EQ(port_start(0), E_STATE);
    CHECK_CONTAINS(host_console_text(), "start before it is configured");
    bad = b.config;
    bad.rx_desc = 1000;
    CHECK_EQ(port_configure(0, &bad), E_INVALID);
    CHECK_CONTAINS(host_console_text(),
                   "1000 receive descriptors: must be a multiple of 32");
    bad = b.config;
    bad.tx_rs_thresh = 48;
    CHECK_EQ(port_configure(0, &bad), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "power of two");
    small = mempool_create(&small_config);
    bad = b.config;
    bad.pool = small;
    CHECK_EQ(port_configure(0, &bad), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "hold 1024 bytes, 2176 are needed");
    bad.pool = NULL;
    CHECK_EQ(port_configure(0, &bad), E_INVALID);
    CHECK_EQ(port_configure(7, &b.config), E_NOENT);
    bench_start(&b);
    CHECK_EQ(port_configure(0, &b.config), E_STATE);
    CHECK_EQ(port_start(0), OK); /* it runs already */
    CHECK_EQ(mempool_destroy(small), OK);
    bench_close(&b);
}

/* ---- start and stop ---- */

/* NIC-44: with packets in every place a packet can be. */
TEST(xl710_port, hundred_starts_and_stops_return_every_buffer)
{
    struct bench b;

    bench_open(&b, &one_port);
    b.config.rx_desc = 96;
    CHECK_EQ(port_configure(0, &b.config), OK);
    for (unsigned i = 0; i < 100; i++) {
        CHECK_EQ(port_start(0), OK);
        CHECK_EQ(bench_out(&b), 88);
        check_arrives(0, 60 + i * 50, i);
        for (unsigned k = 0; k < i % 7; k++) {
            bench_frame(frame, 4000, k);
            CHECK(host_nic_arrive(0, frame, 4000));
            send_frame(&b, 0, 3000, k);
        }
        CHECK_EQ(port_stop(0), OK);
        CHECK_EQ(bench_out(&b), 0);
        CHECK(port_rxq_get(0, 0) == NULL);
        CHECK(port_txq_get(0, 0) == NULL);
    }
    CHECK_EQ(port_stop(0), OK); /* stopped already */
    host_nic_sent_clear();
    bench_close(&b);
}

static void check_account(const struct bench *b, unsigned sent)
{
    unsigned rx, tx;

    port_buffers_get(0, &rx, &tx);
    CHECK_EQ(tx, sent);
    CHECK_EQ(rx + tx, bench_out(b));
}

/* A frame of 5000 bytes takes three buffers. */
TEST(xl710_port, the_port_knows_how_many_buffers_its_rings_hold)
{
    struct bench b;

    bench_open(&b, &one_port);
    check_account(&b, 0);
    bench_start(&b);
    check_account(&b, 0);
    send_frame(&b, 0, 5000, 1);
    send_frame(&b, 0, 60, 2);
    check_account(&b, 4);
    bench_run_us(1000);
    check_account(&b, 4); /* sent, and not taken back */
    port_tx_idle(port_txq_get(0, 0));
    check_account(&b, 0);
    CHECK_EQ(port_stop(0), OK);
    check_account(&b, 0);
    bench_close(&b);
}

static uint32_t tail_seen, head_seen;

static void look_at_tail(uint64_t value)
{
    if (value != 0)
        tail_seen = host_nic_register(0, 0x128000);
}

static void look_at_head(uint64_t value)
{
    if (value != 0)
        head_seen = host_nic_register(0, 0x0E4000);
}

/* Both outlive a reset of the function. */
TEST(xl710_port, queues_start_with_tail_and_head_at_zero)
{
    struct bench b;

    bench_open(&b, &one_port);
    CHECK_EQ(port_configure(0, &b.config), OK);
    for (unsigned i = 0; i < 2; i++) {
        tail_seen = head_seen = UINT32_MAX;
        host_nic_watch(0x120000, look_at_tail);
        CHECK_EQ(port_start(0), OK);
        CHECK_EQ(tail_seen, 0);
        for (unsigned k = 0; k < 5; k++)
            send_frame(&b, 0, 60, k);
        CHECK_EQ(port_stop(0), OK);
        host_nic_watch(0x100000, look_at_head);
        CHECK_EQ(port_start(0), OK);
        CHECK_EQ(head_seen, 0);
        CHECK_EQ(port_stop(0), OK);
    }
    host_nic_sent_clear();
    bench_close(&b);
}

/* Data may come for 50 ms after the queue says it is off. */
TEST(xl710_port, stop_waits_for_late_data_and_accounts_for_it)
{
    struct bench b;
    uint64_t at, waited;

    bench_open(&b, &one_port);
    bench_start(&b);
    at = host_cycles();
    waited = port_chip_wait_us();
    CHECK_EQ(port_stop(0), OK);
    CHECK(host_cycles() - at >= 50400000);
    CHECK(port_chip_wait_us() - waited >= 50400);
    bench_close(&b);
}

TEST(xl710_port, closing_and_attaching_again_works_twenty_times)
{
    for (unsigned i = 0; i < 20; i++) {
        struct bench b;

        host_reset();
        bench_open(&b, &one_port);
        bench_start(&b);
        check_arrives(0, 1000, i);
        bench_close(&b);
    }
}

TEST(xl710_port, a_queue_that_does_not_start_is_named_and_undone)
{
    static const uint32_t regs[] = { 0x100000, 0x120000 };

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        struct bench b;
        struct port_info info;

        host_reset();
        bench_open(&b, &one_port);
        CHECK_EQ(port_configure(0, &b.config), OK);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, regs[i], 0, FOR_EVER);
        CHECK_EQ(port_start(0), E_TIMEOUT);
        CHECK_CONTAINS(host_console_text(), "queues do not start: timed out");
        CHECK_CONTAINS(host_console_text(), "QENA_STAT[0] is 0, not 0x1");
        CHECK_EQ(bench_out(&b), 0);
        CHECK_EQ(port_info_get(0, &info), OK);
        CHECK_EQ(info.state, PORT_STOPPED);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        CHECK_EQ(port_start(0), OK);
        check_arrives(0, 100, 1);
        bench_close(&b);
    }
}

/* A buffer the NIC might still write to must not be given to anybody. */
TEST(xl710_port, a_queue_that_does_not_stop_loses_the_bus)
{
    struct bench b;
    struct port_info info;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, 0x120000, 5, FOR_EVER);
    CHECK_EQ(port_stop(0), E_TIMEOUT);
    CHECK_CONTAINS(host_console_text(), "queues do not stop: timed out");
    CHECK_EQ(plat_pci_read(host_nic_device(0)->at, 4, 2) & 4, 0);
    CHECK_EQ(bench_out(&b), 0);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_FAILED);
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    CHECK_EQ(port_start(0), OK); /* through a reset */
    bench_run_us(500000);
    check_arrives(0, 60, 1);
    bench_close(&b);
}

TEST(xl710_port, a_pool_too_small_for_the_ring_stops_the_start)
{
    struct bench b;

    bench_open(&b, &one_port);
    b.config.rx_desc = 4128;
    CHECK_EQ(port_configure(0, &b.config), OK);
    CHECK_EQ(port_start(0), E_NOBUF);
    CHECK_CONTAINS(host_console_text(),
                   "a ring of 4128 descriptors wants 4120");
    CHECK_EQ(bench_out(&b), 0);
    b.config.rx_desc = 256;
    CHECK_EQ(port_configure(0, &b.config), OK);
    CHECK_EQ(port_start(0), OK);
    bench_close(&b);
}

/* ---- no buffers ---- */

TEST(xl710_port, an_exhausted_pool_loses_packets_and_recovers)
{
    struct bench b;
    struct port_stats s;
    struct mbuf *held[4096], *m;
    unsigned n = 0;

    bench_open(&b, &one_port);
    bench_start(&b);
    while ((held[n] = mbuf_alloc(b.pool)) != NULL)
        n++;
    bench_frame(frame, 60, 1);
    for (unsigned i = 0; i < 400; i++) {
        (void)chip_wire_rx(host_nic_chip(), 0, frame, 60, false);
        if (bench_receive(0, &m, 1) == 1)
            held[n++] = m;
    }
    CHECK_EQ(n, 4096);
    port_stats_get(0, &s);
    CHECK_EQ(s.ipackets, 248);
    CHECK(s.rx_nombuf > 0);
    CHECK_EQ(s.ipackets + s.imissed, 400);
    mbuf_free_bulk(held, n);
    CHECK_EQ(port_rx_burst(port_rxq_get(0, 0), &m, 1), 0);
    for (unsigned i = 0; i < 600; i++)
        check_arrives(0, 60 + i, i);
    bench_close(&b);
}

/* ---- what the chip writes wrongly ---- */

TEST(xl710_port, wrong_write_backs_are_counted_and_dropped)
{
    static const unsigned lengths[] = { 0, 2049, 0x3FFF };
    struct bench b;
    struct port_stats s;
    struct mbuf *m;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < ARRAY_SIZE(lengths); i++) {
        host_nic_fault(CHIP_FAULT_RX_BAD_LEN, 0, 0, lengths[i], 1);
        bench_frame(frame, 60, i);
        CHECK(host_nic_arrive(0, frame, 60));
        CHECK_EQ(bench_receive(0, &m, 1), 0);
        check_arrives(0, 3000, i);
    }
    host_nic_fault(CHIP_FAULT_RX_ERROR, 0, 0, 0, 1);
    CHECK(host_nic_arrive(0, frame, 60));
    CHECK_EQ(bench_receive(0, &m, 1), 0);
    check_arrives(0, 60, 9);
    CHECK_EQ(xstat(0, "millrace_rx_q0_bad_length"), 3);
    CHECK_EQ(xstat(0, "millrace_rx_q0_damaged"), 1);
    port_stats_get(0, &s);
    CHECK(s.ierrors >= 4);
    check_buffers(&b);
    bench_close(&b);
}

/* ---- promiscuous ---- */

TEST(xl710_port, promiscuous_mode_is_a_switch)
{
    struct bench b;
    struct port_info info;
    struct mbuf *m;
    const uint8_t own[6] = { 0x02, 0x4D, 0x52, 0, 0, 1 };

    bench_open(&b, &one_port);
    bench_start(&b);
    check_arrives(0, 60, 1);
    CHECK_EQ(port_promiscuous_set(0, false), OK);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK(!info.promiscuous);
    bench_frame(frame, 60, 1); /* to a stranger */
    (void)host_nic_arrive(0, frame, 60);
    CHECK_EQ(bench_receive(0, &m, 1), 0);
    memcpy(frame, own, 6);
    CHECK(host_nic_arrive(0, frame, 60));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    mbuf_free(m);
    memset(frame, 0xFF, 6); /* NIC-18: broadcast always */
    CHECK(host_nic_arrive(0, frame, 60));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    mbuf_free(m);
    CHECK_EQ(port_promiscuous_set(0, true), OK);
    check_arrives(0, 60, 2);
    bench_close(&b);
}

/* ---- counters ---- */

TEST(xl710_port, counters_agree_with_the_wire)
{
    struct bench b;
    struct port_stats s;
    uint64_t in_bytes = 0, out_bytes = 0;

    bench_open(&b, &two_ports);
    bench_start(&b);
    for (unsigned i = 0; i < 50; i++) {
        check_arrives(1, 60 + i * 30, i);
        in_bytes += 60 + i * 30;
        send_frame(&b, 1, 40 + i * 60, i);
        out_bytes += 40 + i * 60 < 60 ? 60 : 40 + i * 60;
    }
    port_stats_get(1, &s);
    CHECK_EQ(s.ipackets, 50);
    CHECK_EQ(s.ibytes, in_bytes);
    CHECK_EQ(s.opackets, 50);
    CHECK_EQ(s.obytes, out_bytes);
    CHECK_EQ(s.imissed + s.ierrors + s.oerrors + s.rx_nombuf, 0);
    CHECK_EQ(xstat(1, "rx_good_packets"), 50);
    CHECK_EQ(xstat(1, "rx_q0_packets"), 50);
    CHECK_EQ(xstat(1, "rx_unicast_packets"), 50);
    CHECK_EQ(xstat(1, "rx_size_64_packets"), 1);
    CHECK_EQ(xstat(1, "tx_good_bytes"), out_bytes);
    CHECK_EQ(xstat(1, "tx_size_64_packets"), 1);
    port_stats_get(0, &s);
    CHECK_EQ(s.ipackets + s.opackets, 0);
    host_nic_sent_clear();
    bench_close(&b);
}

/* NIC-61, NIC-62: from a baseline, and never back. */
TEST(xl710_port, counters_start_at_zero_and_only_clear_moves_them)
{
    struct bench b;
    struct port_stats s;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < 10; i++) {
        check_arrives(0, 100, i);
        send_frame(&b, 0, 100, i);
    }
    xl710_forget_all();
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK); /* the chip counts on */
    port_stats_get(0, &s);
    CHECK_EQ(s.ipackets + s.opackets + s.obytes + s.imissed, 0);

    bench_start(&b);
    send_frame(&b, 0, 100, 1);
    check_arrives(0, 100, 1);
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(port_promiscuous_set(0, false), OK);
    b.config.rx_desc = 512;
    b.config.promiscuous = true;
    bench_start(&b);
    port_stats_get(0, &s);
    CHECK_EQ(s.ipackets, 1);
    CHECK_EQ(s.opackets, 1);
    CHECK_EQ(s.obytes, 100);
    port_stats_clear(0);
    port_stats_get(0, &s);
    CHECK_EQ(s.ipackets + s.opackets + s.obytes + s.ibytes, 0);
    CHECK_EQ(xstat(0, "tx_unicast_packets"), 0);
    CHECK_EQ(xstat(0, "tx_q0_packets"), 0);
    CHECK_EQ(xstat(0, "rx_q0_packets"), 0);
    send_frame(&b, 0, 100, 1);
    port_stats_get(0, &s);
    CHECK_EQ(s.opackets, 1);
    host_nic_sent_clear();
    bench_close(&b);
}

/* NIC-58: registers of 48 and 32 bits wrap, our totals do not. */
TEST(xl710_port, counters_go_on_when_their_register_wraps)
{
    static const struct {
        uint32_t offset;
        const char *name;
        uint64_t wrap;
    } rows[] = {
        { 0x3009C0, "tx_unicast_packets", UINT64_C(1) << 48 },
        { 0x300080, "rx_crc_errors", UINT64_C(1) << 32 },
    };
    struct bench b;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        host_reset();
        bench_open(&b, &one_port);
        CHECK_EQ(xstat(0, rows[i].name), 0);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, rows[i].offset, 0xFFFFFFF0,
                       FOR_EVER);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, rows[i].offset + 4, 0xFFFF,
                       FOR_EVER);
        CHECK_EQ(xstat(0, rows[i].name), rows[i].wrap - 16);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        CHECK_EQ(xstat(0, rows[i].name), rows[i].wrap);
        bench_close(&b);
    }
}

/* All counters are read within 15 s although nobody asks. */
TEST(xl710_port, counters_are_swept_before_they_can_wrap_unseen)
{
    struct bench b;
    uint64_t before;

    bench_open(&b, &one_port);
    before = host_mmio_count();
    for (unsigned i = 0; i < 1500; i++) {
        host_advance_us(10000);
        port_poll_all();
    }
    CHECK(host_mmio_count() - before >= COUNTER_COUNT);
    CHECK(host_mmio_count() - before < 15 * 44); /* and cheaply */
    bench_close(&b);
}

TEST(xl710_port, extended_statistics_have_distinct_names)
{
    struct bench b;
    struct port_xstat list[128], few[3];
    unsigned n;

    bench_open(&b, &one_port);
    n = port_xstats_get(0, list, ARRAY_SIZE(list));
    CHECK(n > 60 && n <= ARRAY_SIZE(list));
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < i; k++)
            CHECK(strcmp(list[i].name, list[k].name) != 0);
    CHECK_EQ(port_xstats_get(0, few, 3), n);
    CHECK_STR(few[0].name, "rx_good_packets");
    bench_close(&b);
}

TEST(xl710_port, a_port_that_does_not_exist_is_harmless)
{
    struct port_stats s;
    struct port_link l;

    port_stats_get(9, &s);
    port_link_get(9, &l);
    port_stats_clear(9);
    port_close(9);
    CHECK_EQ(s.ipackets, 0);
    CHECK(!l.up);
    CHECK_EQ(port_start(9), E_NOENT);
    CHECK_EQ(port_stop(9), E_NOENT);
    CHECK(port_rxq_get(9, 0) == NULL);
    CHECK_EQ(port_xstats_get(9, NULL, 0), 0);
}
