/*
 * xl710_watch_test.c - queues that stand still are restarted, and no others
 */
#include <millrace/port.h>

#include "drivers/xl710/nic.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define FOR_EVER 0xFFFFFFFF
#define SECOND   UINT64_C(1000000)

static const struct host_nic_config one_port = { .has_doorbell_ram = true };

static uint8_t frame[256];

static uint64_t xstat(const char *name)
{
    struct port_xstat list[128];
    const unsigned n = port_xstats_get(0, list, ARRAY_SIZE(list));

    for (unsigned i = 0; i < n && i < ARRAY_SIZE(list); i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    print_error("no statistic %s\n", name);
    CHECK(false);
    return 0;
}

static void begin(struct bench *b)
{
    bench_open(b, &one_port);
    bench_start(b);
    bench_run_us(20000);
}

static void end(struct bench *b)
{
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    host_nic_sent_clear();
    bench_close(b);
}

/* A fault with its count: 0 lifts a stall. */
static void stall(enum chip_fault fault, bool on)
{
    host_nic_fault(fault, 0, 0, 0, on ? FOR_EVER : 0);
}

static void send(const struct bench *b, unsigned seed)
{
    struct mbuf *m = ring_packet(b->pool, 100, 1);

    bench_frame(frame, 100, seed);
    memcpy(mbuf_data(m), frame, 100);
    if (port_tx_burst(port_txq_get(0, 0), &m, 1) == 0)
        mbuf_free(m);
}

static void check_sends(const struct bench *b, unsigned seed)
{
    const unsigned sent = host_nic_sent(0);
    size_t n;

    send(b, seed);
    bench_run_us(1000);
    CHECK_EQ(host_nic_sent(0), sent + 1);
    CHECK_BYTES(host_nic_sent_frame(0, sent, &n), frame, 100);
    port_tx_idle(port_txq_get(0, 0));
}

/* Frames that nobody holds back: what the queue does not take is missed. */
static void arrive(unsigned n)
{
    bench_frame(frame, 100, n);
    while (n-- > 0)
        (void)chip_wire_rx(host_nic_chip(), 0, frame, 100, false);
}

static void check_receives(unsigned seed)
{
    struct mbuf *m;

    bench_frame(frame, 100, seed);
    CHECK(host_nic_arrive(0, frame, 100));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    CHECK(bench_same(m, frame, 100));
    mbuf_free(m);
}

static unsigned in_rings(void)
{
    unsigned rx, tx;

    port_buffers_get(0, &rx, &tx);
    return rx + tx;
}

/* ---- transmit ---- */

/* NIC-41: named with all that is known, and restarted alone. */
TEST(xl710_watch, a_transmit_queue_that_hangs_is_restarted)
{
    struct bench b;

    begin(&b);
    check_sends(&b, 1);
    stall(CHIP_FAULT_STALL_TX, true);
    for (unsigned i = 0; i < 5; i++)
        send(&b, i);
    bench_run_us(900000);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    CHECK_EQ(in_rings(), 253);
    bench_run_us(200000);
    CHECK_CONTAINS(host_console_text(), "transmit queue 0 hangs: no descriptor "
                                        "done for 1000 ms; head 1, tail 6, "
                                        "oldest 1, its bucket ends at 31, link "
                                        "up at 40000 Mb/s, 0 pause frames");
    CHECK_CONTAINS(host_console_text(), "transmit queue 0 restarted, 5 buffers "
                                        "went back to their pools");
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 1);
    CHECK_EQ(xstat("millrace_rx_q0_restarts"), 0);
    CHECK_EQ(xstat("millrace_recoveries"), 0);
    CHECK_EQ(bench_out(&b), in_rings());
    stall(CHIP_FAULT_STALL_TX, false);
    check_sends(&b, 2);
    check_receives(3);
    end(&b);
}

/* W1: sent, but nobody takes the buffers back. */
TEST(xl710_watch, a_queue_that_nobody_polls_does_not_hang)
{
    struct bench b;

    begin(&b);
    for (unsigned i = 0; i < 100; i++)
        send(&b, i);
    arrive(300); /* more than the ring takes */
    bench_run_us(5 * SECOND);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    CHECK_EQ(xstat("millrace_rx_q0_restarts"), 0);
    end(&b);
}

TEST(xl710_watch, a_link_that_is_down_is_no_hang)
{
    struct bench b;

    begin(&b);
    stall(CHIP_FAULT_STALL_TX, true);
    send(&b, 1);
    chip_link_set(host_nic_chip(), 0, false);
    bench_run_us(5 * SECOND);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    stall(CHIP_FAULT_STALL_TX, false);
    chip_link_set(host_nic_chip(), 0, true);
    bench_run_us(5 * SECOND);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    end(&b);
}

TEST(xl710_watch, pause_frames_hold_a_queue_back_and_do_not_restart_it)
{
    struct bench b;

    begin(&b);
    stall(CHIP_FAULT_STALL_TX, true);
    send(&b, 1);
    for (unsigned i = 0; i < 20; i++) { /* GLPRT_LXOFFRXC of port 0 */
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, 0x300160, i, 1);
        bench_run_us(SECOND / 4);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        stall(CHIP_FAULT_STALL_TX, true);
    }
    CHECK_CONTAINS(host_console_text(), "transmit queue 0 is held back by "
                                        "pause frames");
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    end(&b);
}

/* W3 */
TEST(xl710_watch, restarts_that_do_not_help_end_in_a_recovery)
{
    struct bench b;
    struct port_info info;

    begin(&b);
    stall(CHIP_FAULT_STALL_TX, true);
    for (unsigned i = 0; i < 200 && xstat("millrace_recoveries") == 0; i++) {
        if (port_txq_get(0, 0) != NULL)
            send(&b, i);
        bench_run_us(100000);
    }
    CHECK_CONTAINS(host_console_text(), "restarts of the queue do not help; "
                                        "the port recovers");
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 3);
    stall(CHIP_FAULT_STALL_TX, false);
    bench_run_us(100000);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_STARTED);
    check_sends(&b, 1);
    end(&b);
}

/* ---- malicious-driver detection ---- */

/* NIC-37: without anybody's help. */
TEST(xl710_watch, a_queue_blocked_as_malicious_is_restarted)
{
    struct bench b;

    begin(&b);
    bench_run_us(600000); /* then the event is seen before a hang would be */
    host_nic_fault(CHIP_FAULT_MDD_TX, 0, 0, 0, 1);
    send(&b, 1);
    bench_run_us(600000);
    CHECK_CONTAINS(host_console_text(), "malicious driver: transmit event");
    CHECK_CONTAINS(host_console_text(), "transmit descriptor 0: ");
    CHECK_CONTAINS(host_console_text(),
                   "transmit queue 0 restarted, 1 buffers");
    CHECK_EQ(xstat("millrace_malicious_driver_events"), 1);
    CHECK_EQ(bench_out(&b), in_rings());
    for (unsigned i = 0; i < 10; i++)
        check_sends(&b, i);
    end(&b);
}

/* W3: each event blocks the queue; the restarts get rarer. */
TEST(xl710_watch, events_without_end_are_answered_ever_more_slowly)
{
    struct bench b;

    begin(&b);
    for (unsigned i = 0; i < 60; i++) {
        host_nic_fault(CHIP_FAULT_MDD_TX, 0, 0, 0, 1);
        bench_run_us(SECOND);
    }
    CHECK(xstat("millrace_tx_q0_restarts") >= 5);
    CHECK(xstat("millrace_tx_q0_restarts") <= 7);
    bench_run_us(65 * SECOND);
    check_sends(&b, 1);
    end(&b);
}

/* ---- receive ---- */

/* NIC-30: misses rise, the head stands still. */
TEST(xl710_watch, a_receive_queue_that_stands_still_is_restarted)
{
    struct bench b;
    struct mbuf *m;

    begin(&b);
    check_receives(1);
    stall(CHIP_FAULT_STALL_RX, true);
    for (unsigned i = 0; i < 20; i++) {
        arrive(10);
        CHECK_EQ(bench_receive(0, &m, 1), 0);
        bench_run_us(100000);
    }
    CHECK_CONTAINS(host_console_text(), "receive queue 0 stands still: the "
                                        "chip counted ");
    CHECK_CONTAINS(host_console_text(), " descriptors wait at 1 and none is "
                                        "done; the queue restarts");
    CHECK_CONTAINS(host_console_text(), "receive queue 0 restarted, 2");
    CHECK_EQ(xstat("millrace_rx_q0_restarts"), 1);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    CHECK_EQ(bench_out(&b), in_rings());
    stall(CHIP_FAULT_STALL_RX, false);
    for (unsigned i = 0; i < 10; i++)
        check_receives(i);
    check_sends(&b, 1);
    end(&b);
}

TEST(xl710_watch, an_idle_queue_does_not_stand_still)
{
    struct bench b;

    begin(&b);
    bench_run_us(30 * SECOND);
    CHECK_EQ(xstat("millrace_rx_q0_restarts"), 0);
    CHECK_EQ(xstat("millrace_tx_q0_restarts"), 0);
    end(&b);
}

/* The chip misses frames because we gave it nowhere to put them. */
TEST(xl710_watch, a_ring_without_buffers_is_not_restarted)
{
    struct bench b;
    struct mbuf *held[4096];
    unsigned n = 0;

    begin(&b);
    while ((held[n] = mbuf_alloc(b.pool)) != NULL)
        n++;
    for (unsigned i = 0; i < 50; i++) {
        struct mbuf *m;

        arrive(10);
        while (bench_receive(0, &m, 1) == 1)
            held[n++] = m;
        bench_run_us(100000);
    }
    CHECK_EQ(xstat("millrace_rx_q0_restarts"), 0);
    mbuf_free_bulk(held, n);
    end(&b);
}

/* A queue that does not even stop is the port's business. */
TEST(xl710_watch, a_queue_that_does_not_restart_ends_in_a_recovery)
{
    struct bench b;
    struct port_info info;

    begin(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, 0x100000, 5, FOR_EVER);
    host_nic_fault(CHIP_FAULT_MDD_TX, 0, 0, 0, 1);
    bench_run_us(1300000);
    CHECK_CONTAINS(host_console_text(), "a queue does not restart; the port "
                                        "recovers");
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    bench_run_us(SECOND);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_STARTED);
    check_sends(&b, 1);
    end(&b);
}
