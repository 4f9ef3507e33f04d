/*
 * xl710_queue_test.c - many queue pairs on one port, with the chip model
 */
#include <millrace/port.h>

#include "drivers/xl710/nic.h"
#include "drivers/xl710/xl710.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define FOR_EVER  0xFFFFFFFF
#define QRX_ENA_0 0x120000
#define QTX_ENA_0 0x100000

static const struct host_nic_config one_port;

/*
 * Rings so small that the bench's pool fills 64 of them. Without types nothing
 * is hashed, and all that comes is for queue 0.
 */
static void open_small(struct bench *b, const struct host_nic_config *config,
                       unsigned queues)
{
    struct port_rss rss;

    bench_open(b, config);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    rss.types = 0;
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    b->config.rx_desc = b->config.tx_desc = 64;
    b->config.tx_rs_thresh = b->config.tx_free_thresh = 16;
    b->config.queues = (uint16_t)queues;
}

static void send_on(const struct bench *b, unsigned queue, unsigned seed)
{
    struct mbuf *m = ring_packet(b->pool, 100, 1);

    bench_frame(mbuf_data(m), 100, seed);
    CHECK_EQ(port_tx_burst(port_txq_get(0, queue), &m, 1), 1);
}

static void check_sends_on(const struct bench *b, unsigned queue)
{
    const unsigned sent = host_nic_sent(0);
    uint8_t frame[100];
    size_t n;

    bench_frame(frame, 100, queue);
    send_on(b, queue, queue);
    bench_run_us(100);
    CHECK_EQ(host_nic_sent(0), sent + 1);
    CHECK_BYTES(host_nic_sent_frame(0, sent, &n), frame, 100);
    host_nic_sent_clear();
    port_tx_idle(port_txq_get(0, queue));
}

static void check_receives(void)
{
    uint8_t frame[100];
    struct mbuf *m;

    bench_frame(frame, 100, 7);
    CHECK(host_nic_arrive(0, frame, 100));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    mbuf_free(m);
}

static unsigned in_rings(unsigned port)
{
    unsigned rx, tx;

    port_buffers_get(port, &rx, &tx);
    return rx + tx;
}

static struct port_queue_stats stats_of(unsigned queue)
{
    struct port_queue_stats s;

    CHECK_EQ(port_queue_stats_get(0, queue, &s), OK);
    return s;
}

/* ---- how many ---- */

TEST(xl710_queue, every_number_from_1_to_64_starts_and_gives_all_back)
{
    struct bench b;
    struct port_info info;

    open_small(&b, &one_port, 1);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.rx_queues_max, 64);
    CHECK_EQ(info.tx_queues_max, 64);
    for (unsigned n = 1; n <= 64; n++) {
        b.config.queues = (uint16_t)n;
        bench_start(&b);
        CHECK_EQ(port_info_get(0, &info), OK);
        CHECK_EQ(info.rx_queues, n);
        CHECK_EQ(info.tx_queues, n);
        CHECK(port_rxq_get(0, n - 1) != NULL);
        CHECK(port_rxq_get(0, n) == NULL);
        CHECK(port_txq_get(0, n) == NULL);
        CHECK_EQ(in_rings(0), n * (64 - 8)); /* R3: a group stays empty */
        CHECK_EQ(bench_out(&b), in_rings(0));
        check_sends_on(&b, n - 1);
        check_receives();
        CHECK_EQ(port_stop(0), OK);
        CHECK_EQ(bench_out(&b), 0);
    }
    bench_close(&b);
}

TEST(xl710_queue, each_of_64_sends_and_counts_by_itself)
{
    struct bench b;
    struct port_stats total;

    open_small(&b, &one_port, 64);
    CHECK_EQ(port_configure(0, &b.config), OK);
    CHECK_EQ(port_start(0), OK);
    for (unsigned q = 0; q < 64; q++)
        for (unsigned i = 0; i <= q; i++)
            check_sends_on(&b, q);
    for (unsigned q = 0; q < 64; q++) {
        CHECK_EQ(stats_of(q).q_opackets, q + 1);
        CHECK_EQ(stats_of(q).q_obytes, 100 * (q + 1));
    }
    port_stats_get(0, &total);
    CHECK_EQ(total.opackets, 64 * 65 / 2);
    bench_close(&b);
}

TEST(xl710_queue, totals_do_not_go_back_when_queues_are_taken_away)
{
    struct bench b;
    struct port_stats total;
    struct port_queue_stats s;

    open_small(&b, &one_port, 4);
    bench_start(&b);
    check_receives();
    for (unsigned q = 0; q < 4; q++)
        check_sends_on(&b, q);
    CHECK_EQ(port_stop(0), OK);
    b.config.queues = 1;
    bench_start(&b);
    port_stats_get(0, &total);
    CHECK_EQ(total.opackets, 4);
    CHECK_EQ(total.ipackets, 1);
    CHECK_EQ(port_queue_stats_get(0, 1, &s), E_NOENT);
    CHECK_EQ(stats_of(0).q_opackets, 1);
    CHECK_EQ(port_stop(0), OK);
    b.config.queues = 4;
    bench_start(&b);
    CHECK_EQ(stats_of(3).q_opackets, 1);
    port_stats_clear(0);
    CHECK_EQ(stats_of(3).q_opackets, 0);
    bench_close(&b);
}

/* As ethdev's xstats are called. */
TEST(xl710_queue, extended_statistics_name_every_queue)
{
    static struct port_xstat list[2048];
    struct bench b;
    unsigned n, found = 0;

    open_small(&b, &one_port, 64);
    bench_start(&b);
    for (unsigned i = 0; i < 5; i++)
        check_sends_on(&b, 63);
    n = port_xstats_get(0, list, ARRAY_SIZE(list));
    CHECK(n < ARRAY_SIZE(list));
    for (unsigned i = 0; i < n; i++) {
        found += strcmp(list[i].name, "rx_q17_packets") == 0;
        found += strcmp(list[i].name, "millrace_tx_q9_restarts") == 0;
        if (strcmp(list[i].name, "tx_q63_packets") == 0) {
            CHECK_EQ(list[i].value, 5);
            found++;
        }
        for (unsigned k = 0; k < i; k++)
            CHECK(strcmp(list[i].name, list[k].name) != 0);
    }
    CHECK_EQ(found, 3);
    bench_close(&b);
}

/* ---- refusals ---- */

TEST(xl710_queue, more_than_there_are_is_refused_and_the_old_number_stays)
{
    struct bench b;
    struct port_info info;

    open_small(&b, &one_port, 3);
    bench_start(&b);
    CHECK_EQ(port_stop(0), OK);
    b.config.queues = 65;
    CHECK_EQ(port_configure(0, &b.config), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "65 queue pairs: expected 1..64");
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.rx_queues, 3);
    CHECK_EQ(port_start(0), OK);
    check_sends_on(&b, 2);
    bench_close(&b);
}

/* Capability 0x43: vectors; a queue without one would write back late. */
static void five_vectors(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    for (unsigned i = 0; data != NULL && i < 40; i++)
        if (data[32 * i] == 0x43 && data[32 * i + 1] == 0)
            data[32 * i + 4] = 6;
}

TEST(xl710_queue, a_chip_with_few_vectors_runs_a_power_of_two_below)
{
    struct bench b;
    struct port_info info;

    bench_open(&b, &one_port);
    xl710_forget_all();
    host_nic_tamper(0x000A, five_vectors);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    host_nic_tamper(0, NULL);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.rx_queues_max, 4);
    b.config.queues = 5;
    CHECK_EQ(port_configure(0, &b.config), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "5 queue pairs: expected 1..4, what "
                                        "chip and firmware grant (");
    b.config.queues = 4;
    bench_start(&b);
    check_sends_on(&b, 3);
    bench_close(&b);
}

TEST(xl710_queue, a_pool_that_fills_only_some_rings_starts_none)
{
    struct bench b;

    open_small(&b, &one_port, 64);
    b.config.rx_desc = 128; /* 64 x 120 of 4096 */
    CHECK_EQ(port_configure(0, &b.config), OK);
    CHECK_EQ(port_start(0), E_NOBUF);
    CHECK_EQ(bench_out(&b), 0);
    b.config.queues = 8;
    bench_start(&b);
    bench_close(&b);
}

TEST(xl710_queue, a_queue_in_the_middle_that_does_not_start_takes_all_down)
{
    static const uint32_t stuck[] = { QTX_ENA_0 + 4 * 2, QRX_ENA_0 + 4 * 2 };
    struct bench b;
    struct port_info info;

    for (unsigned i = 0; i < ARRAY_SIZE(stuck); i++) {
        host_reset();
        open_small(&b, &one_port, 4);
        CHECK_EQ(port_configure(0, &b.config), OK);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, stuck[i], 0, FOR_EVER);
        CHECK_EQ(port_start(0), E_TIMEOUT);
        CHECK_CONTAINS(host_console_text(), "QENA_STAT[2] is 0, not 0x1");
        CHECK_EQ(bench_out(&b), 0);
        CHECK_EQ(port_info_get(0, &info), OK);
        CHECK_EQ(info.state, PORT_STOPPED);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        CHECK_EQ(port_start(0), OK);
        bench_close(&b);
    }
}

/* ---- one queue alone ---- */

TEST(xl710_queue, one_stops_and_starts_and_the_others_go_on)
{
    struct bench b;

    open_small(&b, &one_port, 4);
    bench_start(&b);
    for (unsigned round = 0; round < 50; round++) {
        const unsigned q = round % 4;
        struct mbuf *m = ring_packet(b.pool, 100, 1);

        CHECK_EQ(port_txq_stop(0, q), OK);
        CHECK_EQ(port_rxq_stop(0, q), OK);
        CHECK_EQ(stats_of(q).rx_state, PORT_QUEUE_STOPPED);
        CHECK_EQ(stats_of(q).tx_state, PORT_QUEUE_STOPPED);
        CHECK_EQ(stats_of((q + 1) % 4).rx_state, PORT_QUEUE_STARTED);
        CHECK_EQ(bench_out(&b), in_rings(0) + 1);
        CHECK(in_rings(0) <= 3 * 56);
        CHECK_EQ(port_tx_burst(port_txq_get(0, q), &m, 1), 0);
        mbuf_free(m);
        for (unsigned k = 0; k < 4; k++)
            if (k != q)
                check_sends_on(&b, k);
        if (q != 0)
            check_receives();
        CHECK_EQ(port_txq_start(0, q), OK);
        CHECK_EQ(port_rxq_start(0, q), OK);
        CHECK_EQ(bench_out(&b), in_rings(0));
        check_sends_on(&b, q);
        check_receives();
    }
    bench_close(&b);
}

TEST(xl710_queue, what_a_stopped_transmit_queue_held_is_given_back)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_STALL_TX, 0, 0, 1, FOR_EVER);
    for (unsigned i = 0; i < 20; i++)
        send_on(&b, 1, i);
    CHECK_EQ(in_rings(0), 2 * 56 + 20);
    CHECK_EQ(port_txq_stop(0, 1), OK);
    CHECK_EQ(in_rings(0), 2 * 56);
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    host_nic_sent_clear();
    CHECK_EQ(port_txq_start(0, 1), OK);
    check_sends_on(&b, 1);
    bench_close(&b);
}

TEST(xl710_queue, stopping_twice_and_starting_twice_is_harmless)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    CHECK_EQ(port_rxq_start(0, 1), OK);
    CHECK_EQ(port_rxq_stop(0, 1), OK);
    CHECK_EQ(port_rxq_stop(0, 1), OK);
    CHECK_EQ(in_rings(0), 56);
    CHECK_EQ(port_rxq_start(0, 1), OK);
    CHECK_EQ(port_rxq_start(0, 1), OK);
    CHECK_EQ(in_rings(0), 2 * 56);
    bench_close(&b);
}

TEST(xl710_queue, one_that_is_not_there_or_whose_port_is_off_is_refused)
{
    struct bench b;

    CHECK_EQ(port_rxq_stop(7, 0), E_NOENT);
    open_small(&b, &one_port, 2);
    CHECK_EQ(port_rxq_stop(0, 0), E_NOENT); /* not configured */
    bench_start(&b);
    CHECK_EQ(port_rxq_stop(0, 2), E_NOENT);
    CHECK_EQ(port_txq_start(0, 2), E_NOENT);
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(port_rxq_stop(0, 1), E_STATE);
    CHECK_EQ(port_txq_start(0, 1), E_STATE);
    bench_close(&b);
}

TEST(xl710_queue, a_start_of_the_port_starts_all_of_them)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    CHECK_EQ(port_rxq_stop(0, 1), OK);
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(bench_out(&b), 0);
    CHECK_EQ(port_start(0), OK);
    CHECK_EQ(stats_of(1).rx_state, PORT_QUEUE_STARTED);
    CHECK_EQ(in_rings(0), 2 * 56);
    bench_close(&b);
}

TEST(xl710_queue, one_that_finds_no_buffers_stays_off_and_starts_later)
{
    static struct mbuf *held[4096];
    struct bench b;
    unsigned n = 0;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    CHECK_EQ(port_rxq_stop(0, 1), OK);
    while ((held[n] = mbuf_alloc(b.pool)) != NULL)
        n++;
    CHECK_EQ(port_rxq_start(0, 1), E_NOBUF);
    CHECK_CONTAINS(host_console_text(), "receive queue 1 does not start");
    CHECK_EQ(stats_of(1).rx_state, PORT_QUEUE_STOPPED);
    mbuf_free_bulk(held, n);
    CHECK_EQ(port_rxq_start(0, 1), OK);
    CHECK_EQ(in_rings(0), 2 * 56);
    bench_close(&b);
}

/* O1: a reset of the port does not start what the user stopped. */
TEST(xl710_queue, one_that_is_stopped_stays_so_through_a_recovery)
{
    struct bench b;
    struct port_info info;

    open_small(&b, &one_port, 4);
    bench_start(&b);
    CHECK_EQ(port_rxq_stop(0, 2), OK);
    CHECK_EQ(port_txq_stop(0, 3), OK);
    bench_run_us(3000000); /* and is not taken for a reset */
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.recoveries, 0);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(2000000);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.recoveries, 1);
    CHECK_EQ(info.state, PORT_STARTED);
    CHECK_EQ(stats_of(2).rx_state, PORT_QUEUE_STOPPED);
    CHECK_EQ(stats_of(3).tx_state, PORT_QUEUE_STOPPED);
    CHECK_EQ(in_rings(0), 3 * 56);
    check_sends_on(&b, 2);
    CHECK_EQ(port_rxq_start(0, 2), OK);
    CHECK_EQ(port_txq_start(0, 3), OK);
    check_sends_on(&b, 3);
    bench_close(&b);
}

TEST(xl710_queue, one_that_does_not_stop_makes_the_port_recover)
{
    struct bench b;
    struct port_info info;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, QRX_ENA_0 + 4, 5, FOR_EVER);
    CHECK_EQ(port_rxq_stop(0, 1), E_TIMEOUT);
    CHECK_CONTAINS(host_console_text(), "a queue does not stop; the port "
                                        "recovers");
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    bench_run_us(1000000);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_STARTED);
    CHECK_EQ(in_rings(0), 56);
    bench_close(&b);
}

/* ---- the watch ---- */

static void arrive(unsigned n)
{
    uint8_t frame[100];

    bench_frame(frame, 100, n);
    while (n-- > 0)
        (void)chip_wire_rx(host_nic_chip(), 0, frame, 100, false);
}

/* What queue @queue has is taken out. Returns how many. */
static unsigned empty(unsigned queue)
{
    struct mbuf *m[64];
    const unsigned n = port_rx_burst(port_rxq_get(0, queue), m, 64);

    mbuf_free_bulk(m, n);
    return n;
}

/* W4: frames that the others may hold are not held against a queue. */
TEST(xl710_queue, a_receive_queue_that_stands_still_among_others_is_restarted)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    check_receives();
    host_nic_fault(CHIP_FAULT_STALL_RX, 0, 0, 0, FOR_EVER);
    for (unsigned i = 0; i < 20; i++) {
        arrive(20);
        bench_run_us(100000);
    }
    CHECK(stats_of(0).restarts >= 1);
    CHECK_CONTAINS(host_console_text(), "receive queue 0 stands still: the "
                                        "chip counted ");
    host_nic_fault(CHIP_FAULT_STALL_RX, 0, 0, 0, 0);
    for (unsigned i = 0; i < 5; i++)
        check_receives();
    CHECK_EQ(bench_out(&b), in_rings(0));
    bench_close(&b);
}

TEST(xl710_queue, a_queue_that_stays_dry_beside_a_busy_one_is_left_alone)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    for (unsigned i = 0; i < 500; i++) {
        arrive(40);
        bench_run_us(10000);
        CHECK_EQ(empty(0), 40);
    }
    CHECK_EQ(stats_of(1).restarts, 0);
    CHECK_EQ(stats_of(0).restarts, 0);
    bench_close(&b);
}

/* Nor is the port reset because of it. */
TEST(xl710_queue, restarts_of_one_among_several_that_do_not_help_end)
{
    struct bench b;
    struct port_info info;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_STALL_RX, 0, 0, 0, FOR_EVER);
    for (unsigned i = 0; i < 300; i++) {
        arrive(40);
        bench_run_us(100000);
    }
    CHECK(stats_of(0).restarts >= 2);
    CHECK(stats_of(0).restarts <= 4);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.recoveries, 0);
    host_nic_fault(CHIP_FAULT_STALL_RX, 0, 0, 0, 0);
    check_receives();
    bench_close(&b);
}

/* It is dropped for want of descriptors, which is no fault of queue 1. */
TEST(xl710_queue, a_queue_beside_one_that_nobody_empties_is_left_alone)
{
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    for (unsigned i = 0; i < 50; i++) {
        arrive(40);
        bench_run_us(100000);
    }
    CHECK_EQ(stats_of(1).restarts, 0);
    CHECK_EQ(stats_of(0).restarts, 0);
    CHECK_EQ(port_rxq_stop(0, 0), OK); /* what comes for it is lost */
    for (unsigned i = 0; i < 50; i++) {
        arrive(40);
        bench_run_us(100000);
    }
    CHECK_EQ(stats_of(1).restarts, 0);
    bench_close(&b);
}

/* ---- quiet points ---- */

/* O2: not before the core that polls it is between two bursts. */
static uint64_t asked;
static bool is_quiet;

static uint64_t ask_quiet(void)
{
    return ++asked;
}

static bool quiet_reached(uint64_t ticket)
{
    (void)ticket;
    return is_quiet;
}

static void end_burst(void)
{
    static unsigned turns;

    is_quiet = ++turns % 10 == 0;
    if (!is_quiet)
        host_advance_us(10);
}

TEST(xl710_queue, its_ring_is_not_touched_while_a_core_is_in_a_burst)
{
    static const struct port_quiet quiet = { ask_quiet, quiet_reached };
    struct bench b;

    open_small(&b, &one_port, 2);
    bench_start(&b);
    port_quiet_set(&quiet);
    port_meanwhile_set(end_burst);
    is_quiet = false;
    CHECK_EQ(port_rxq_stop(0, 1), OK);
    CHECK(asked > 0);
    CHECK_EQ(in_rings(0), 56);

    port_meanwhile_set(NULL); /* a core that never ends its burst */
    is_quiet = false;
    CHECK_EQ(port_txq_stop(0, 1), E_TIMEOUT);
    CHECK_EQ(in_rings(0), 56);
    is_quiet = true;
    bench_run_us(1000000);
    port_quiet_set(NULL);
    bench_close(&b);
}
