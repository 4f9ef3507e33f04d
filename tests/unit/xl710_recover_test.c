/*
 * xl710_recover_test.c - a port whose chip was reset at run time comes back, or
 * says why not; the chip model does the resetting
 */
#include <millrace/log.h>
#include <millrace/port.h>

#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define FOR_EVER   0xFFFFFFFF
#define AQ_EINVAL_ 14
#define SECOND     UINT64_C(1000000)
#define RSTAT      0x0B8188

/* Doorbells as memory: tails written into a reset are nobody's business. */
static const struct host_nic_config one_port = { .has_doorbell_ram = true };
static const struct host_nic_config two_ports = { .ports = 2,
                                                  .has_doorbell_ram = true };

static uint8_t frame[256];

static struct port_info info_of(unsigned port)
{
    struct port_info info;

    CHECK_EQ(port_info_get(port, &info), OK);
    return info;
}

static bool run_until(unsigned port, enum port_state state, uint64_t us)
{
    for (uint64_t at = 0; at < us; at += 10000) {
        if (info_of(port).state == state)
            return true;
        bench_run_us(10000);
    }
    return info_of(port).state == state;
}

/* In by @port and out by it again, unaltered. */
static void check_forwards(unsigned port, unsigned seed)
{
    const unsigned sent = host_nic_sent(port);
    struct mbuf *m;
    size_t n;

    bench_frame(frame, sizeof(frame), seed);
    CHECK(host_nic_arrive(port, frame, sizeof(frame)));
    CHECK_EQ(bench_receive(port, &m, 1), 1);
    CHECK(bench_same(m, frame, sizeof(frame)));
    CHECK_EQ(port_tx_burst(port_txq_get(port, 0), &m, 1), 1);
    bench_run_us(1000);
    CHECK_EQ(host_nic_sent(port), sent + 1);
    CHECK_BYTES(host_nic_sent_frame(port, sent, &n), frame, sizeof(frame));
    port_tx_idle(port_txq_get(port, 0));
}

/* Every buffer that is not in the pool stands in a receive ring. */
static void check_account(const struct bench *b)
{
    unsigned all = 0;

    for (unsigned p = 0; p < port_count(); p++) {
        unsigned rx, tx;

        port_buffers_get(p, &rx, &tx);
        all += rx + tx;
    }
    CHECK_EQ(bench_out(b), all);
}

static void end(struct bench *b)
{
    host_nic_sent_clear();
    bench_close(b);
}

/* ---- it comes back ---- */

TEST(xl710_recover, every_reset_of_the_chip_is_recovered_from)
{
    for (unsigned kind = 1; kind <= 3; kind++) {
        struct bench b;

        host_reset();
        bench_open(&b, &two_ports);
        bench_start(&b);
        host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, kind, 1);
        bench_run_us(100000);
        CHECK_EQ(info_of(0).state, PORT_RECOVERING);
        CHECK_EQ(info_of(1).state, PORT_RECOVERING);
        for (unsigned p = 0; p < 2; p++) {
            CHECK(run_until(p, PORT_STARTED, 3 * SECOND));
            CHECK_EQ(info_of(p).recoveries, 1);
        }
        CHECK_CONTAINS(host_console_text(), "the chip resets itself; the port "
                                            "recovers");
        CHECK_CONTAINS(host_console_text(),
                       "queues are off, 248 buffers are back in their pools");
        CHECK_CONTAINS(host_console_text(), "the port has recovered after ");
        bench_run_us(SECOND / 2);
        for (unsigned p = 0; p < 2; p++)
            for (unsigned i = 0; i < 20; i++)
                check_forwards(p, i);
        check_account(&b);
        end(&b);
    }
}

/* The reset came and went between two looks. */
TEST(xl710_recover, a_reset_that_is_over_leaves_its_count)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    host_advance_us(5000);
    host_advance_us(50000);
    port_poll_all();
    CHECK_CONTAINS(host_console_text(), "was reset by firmware or through");
    CHECK(run_until(0, PORT_STARTED, SECOND));
    check_forwards(0, 1);
    end(&b);
}

/* Neither shows in the chip's count of resets. */
TEST(xl710_recover, resets_of_the_function_by_others_are_noticed)
{
    for (unsigned flr = 0; flr < 2; flr++) {
        struct bench b;

        host_reset();
        bench_open(&b, &one_port);
        bench_start(&b);
        if (flr != 0)
            chip_cfg_write(host_nic_chip(), 0, 0xA9, 1, 0x80);
        else
            chip_reg_write(host_nic_chip(), 0, 0x092400, 4, 1);
        bench_run_us(1200000);
        CHECK(run_until(0, PORT_STARTED, SECOND));
        CHECK_EQ(info_of(0).recoveries, 1);
        check_forwards(0, 1);
        end(&b);
    }
}

TEST(xl710_recover, a_function_without_a_reset_of_its_own_recovers_by_hand)
{
    const struct host_nic_config config = { .has_no_flr = true,
                                            .has_doorbell_ram = true };
    struct bench b;

    bench_open(&b, &config);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 2, 1);
    bench_run_us(100000);
    CHECK(run_until(0, PORT_STARTED, 3 * SECOND));
    check_forwards(0, 1);
    end(&b);
}

TEST(xl710_recover, settings_outlive_the_reset)
{
    struct bench b;
    struct mbuf *m;

    bench_open(&b, &one_port);
    b.config.rx_desc = 512;
    bench_start(&b);
    CHECK_EQ(port_promiscuous_set(0, false), OK);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 3, 1);
    bench_run_us(100000);
    CHECK(run_until(0, PORT_STARTED, 3 * SECOND));
    CHECK(!info_of(0).promiscuous);
    CHECK_EQ(info_of(0).rx_desc, 512);
    CHECK_EQ(bench_out(&b), 504);
    bench_frame(frame, 60, 1); /* to a stranger */
    (void)host_nic_arrive(0, frame, 60);
    CHECK_EQ(bench_receive(0, &m, 1), 0);
    memset(frame, 0xFF, 6);
    CHECK(host_nic_arrive(0, frame, 60));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    mbuf_free(m);
    /* What serves the whole chip was written again, by one of the ports. */
    CHECK_EQ(host_nic_register(0, 0x26CE00), 0x203F0200);
    end(&b);
}

TEST(xl710_recover, counters_and_link_changes_go_on)
{
    struct bench b;
    struct port_stats s;
    struct port_link l;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < 10; i++)
        check_forwards(0, i);
    port_stats_get(0, &s);
    CHECK_EQ(s.opackets, 10);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 2, 1);
    bench_run_us(100000);
    CHECK(run_until(0, PORT_STARTED, 3 * SECOND));
    bench_run_us(100000);
    check_forwards(0, 1);
    port_stats_get(0, &s);
    CHECK_EQ(s.opackets, 11);
    CHECK_EQ(s.ipackets, 11);
    CHECK_EQ(s.obytes, 11 * sizeof(frame));
    port_link_get(0, &l);
    CHECK(l.up);
    CHECK_EQ(l.changes, 2); /* down and up */
    end(&b);
}

/* ---- the queues meanwhile ---- */

TEST(xl710_recover, a_queue_that_was_taken_is_never_touched)
{
    struct bench b;
    struct port_rxq *rx;
    struct port_txq *tx;
    struct mbuf *m, *got[4];
    uint64_t before;

    bench_open(&b, &one_port);
    bench_start(&b);
    rx = port_rxq_get(0, 0);
    tx = port_txq_get(0, 0);
    bench_frame(frame, 60, 1);
    CHECK(host_nic_arrive(0, frame, 60));
    host_advance_us(100);
    m = ring_packet(b.pool, 60, 1);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    CHECK_EQ(info_of(0).state, PORT_RECOVERING);
    before = host_mmio_count();
    CHECK_EQ(port_rx_burst(rx, got, 4), 0);
    CHECK_EQ(port_tx_burst(tx, &m, 1), 0); /* still the caller's */
    port_tx_idle(tx);
    CHECK_EQ(host_mmio_count(), before);
    CHECK_EQ(bench_out(&b), 1);
    mbuf_free(m);
    CHECK(run_until(0, PORT_STARTED, SECOND));
    CHECK(port_rxq_get(0, 0) == rx); /* the same handle works again */
    check_forwards(0, 1);
    end(&b);
}

static bool is_quiet;
static unsigned asked;

static uint64_t ask(void)
{
    return ++asked;
}

static bool reached(uint64_t ticket)
{
    return is_quiet && ticket == asked;
}

/* V1 */
TEST(xl710_recover, nothing_is_freed_before_the_quiet_point)
{
    static const struct port_quiet quiet = { .ask = ask, .reached = reached };
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    is_quiet = false;
    port_quiet_set(&quiet);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(2 * SECOND);
    CHECK_EQ(info_of(0).state, PORT_RECOVERING);
    CHECK_CONTAINS(host_console_text(),
                   "a core has not ended its burst for 1000 ms");
    CHECK_EQ(bench_out(&b), 248);
    check_account(&b);
    is_quiet = true;
    bench_run_us(20000);
    CHECK_EQ(bench_out(&b), 0);
    CHECK(run_until(0, PORT_STARTED, SECOND));
    check_forwards(0, 1);
    port_quiet_set(NULL);
    end(&b);
}

static unsigned turns, passed;

/* Whoever forwards on this core: port 1, while port 0 waits for its chip. */
static void forward_port_1(void)
{
    struct mbuf *m;

    turns++;
    if (turns % 50 != 0)
        return;
    bench_frame(frame, 64, turns);
    if (!host_nic_arrive(1, frame, 64))
        return;
    host_advance_us(50);
    if (port_rx_burst(port_rxq_get(1, 0), &m, 1) == 1) {
        passed++;
        mbuf_free(m);
    }
}

TEST(xl710_recover, other_ports_forward_while_this_one_waits)
{
    struct bench b;

    bench_open(&b, &two_ports);
    bench_start(&b);
    turns = passed = 0;
    port_meanwhile_set(forward_port_1);
    /* Each of these waits a quarter of a second for firmware. */
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0107, 0, 2);
    chip_reg_write(host_nic_chip(), 0, 0x092400, 4, 1); /* port 0 alone */
    CHECK(!run_until(0, PORT_FAILED, 3 * SECOND));
    CHECK_EQ(info_of(0).state, PORT_STARTED);
    CHECK_EQ(info_of(1).recoveries, 0);
    CHECK(passed > 100);
    port_meanwhile_set(NULL);
    check_account(&b);
    end(&b);
}

/* ---- steps that fail on the way ---- */

static const struct {
    uint16_t opcode;
    const char *step;
} commands[] = {
    { 0x0001, "agree with the firmware's version" },
    { 0x0110, "leave PXE mode" },
    { 0x000A, "read the capabilities" },
    { 0x0107, "read the MAC address" },
    { 0x0200, "find our switch port" },
    { 0x0212, "find our switch port" },
    { 0x0211, "shape our switch port" },
    { 0x0250, "set the address filters" },
    { 0x0254, "set the address filters" },
    { 0x0613, "follow the link" },
    { 0x0607, "follow the link" },
};

static void check_second_try(enum chip_fault fault, unsigned i)
{
    struct bench b;

    host_reset();
    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    host_nic_fault(fault, 0, commands[i].opcode, AQ_EINVAL_, 1);
    CHECK(run_until(0, PORT_STARTED, 4 * SECOND));
    if (fault == CHIP_FAULT_AQ_ERROR || commands[i].opcode != 0x0001)
        CHECK_CONTAINS(host_console_text(), "try 2 of 8 follows in 250 ms");
    check_forwards(0, i);
    check_account(&b);
    end(&b);
}

TEST(xl710_recover, a_step_that_fails_once_is_tried_again)
{
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        check_second_try(CHIP_FAULT_AQ_ERROR, i);
        check_second_try(CHIP_FAULT_AQ_LOST, i);
    }
}

/* The answer comes when the function has lost the bus: the examiner tells. */
TEST(xl710_recover, an_answer_that_is_late_is_not_written_anywhere)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    host_nic_fault(CHIP_FAULT_AQ_LATE, 0, 0x0254, 300000, 1);
    CHECK(run_until(0, PORT_STARTED, 4 * SECOND));
    check_forwards(0, 1);
    end(&b);
}

/* V3: and the operator may ask for one more. */
TEST(xl710_recover, a_step_that_always_fails_ends_in_a_failed_port)
{
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        struct bench b;

        host_reset();
        bench_open(&b, &one_port);
        bench_start(&b);
        host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, commands[i].opcode, AQ_EINVAL_,
                       FOR_EVER);
        host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
        log_set_level(LOG_DEBUG); /* the step follows its reason */
        CHECK(run_until(0, PORT_FAILED, 60 * SECOND));
        log_set_level(LOG_INFO);
        CHECK_CONTAINS(host_console_text(), "try 8 of 8 follows in 16000 ms");
        CHECK(strstr(host_console_text(), "try 9") == NULL);
        CHECK_CONTAINS(host_console_text(), commands[i].step);
        CHECK_CONTAINS(host_console_text(),
                       "did not come back in 8 tries; the port is out of "
                       "service");
        bench_run_us(100000);
        CHECK_EQ(bench_out(&b), 0);
        CHECK_EQ(plat_pci_read(host_nic_device(0)->at, 4, 2) & 4, 0);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        bench_run_us(SECOND);
        CHECK_EQ(info_of(0).state, PORT_FAILED);
        CHECK_EQ(port_start(0), OK);
        CHECK(run_until(0, PORT_STARTED, SECOND));
        check_forwards(0, i);
        end(&b);
    }
}

/* The chip says of its reset that it goes on and on. */
TEST(xl710_recover, a_reset_that_does_not_end_is_given_up)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, RSTAT, 1, FOR_EVER);
    CHECK(run_until(0, PORT_FAILED, 300 * SECOND));
    CHECK_CONTAINS(host_console_text(), "the chip's own reset does not end");
    CHECK_CONTAINS(host_console_text(), "8 tries; the port is out of service");
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    end(&b);
}

TEST(xl710_recover, queues_that_do_not_start_again_are_tried_again)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, 0x120000, 0, FOR_EVER);
    bench_run_us(SECOND);
    CHECK_CONTAINS(host_console_text(), "queues do not start: timed out");
    CHECK_EQ(info_of(0).state, PORT_RECOVERING);
    CHECK_EQ(bench_out(&b), 0);
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    CHECK(run_until(0, PORT_STARTED, 10 * SECOND));
    check_forwards(0, 1);
    end(&b);
}

/* ---- for good ---- */

TEST(xl710_recover, recovery_mode_ends_in_a_failed_port_with_its_name)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_RECOVERY, 0, 0, 0, FOR_EVER);
    CHECK(run_until(0, PORT_FAILED, 2 * SECOND));
    CHECK_CONTAINS(host_console_text(),
                   "recovery mode, the NVM image is damaged; the port is out "
                   "of service");
    bench_run_us(50000);
    CHECK_EQ(bench_out(&b), 0);
    CHECK(port_rxq_get(0, 0) == NULL);
    end(&b);
}

/* ... also when a reset shows it. */
TEST(xl710_recover, recovery_mode_after_a_reset_is_not_tried_again)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 3, 1);
    bench_run_us(60000);
    host_nic_fault(CHIP_FAULT_RECOVERY, 0, 0, 0, FOR_EVER);
    CHECK(run_until(0, PORT_FAILED, 3 * SECOND));
    CHECK_CONTAINS(host_console_text(), "firmware is in 0x33");
    CHECK_CONTAINS(host_console_text(),
                   "it cannot be brought up again; the port is out of service");
    end(&b);
}

TEST(xl710_recover, a_device_that_left_the_bus_ends_in_a_failed_port)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, RSTAT, 0xFFFFFFFF, FOR_EVER);
    host_nic_device(0)->at.device = 7; /* nobody answers there */
    CHECK(run_until(0, PORT_FAILED, 20 * SECOND));
    CHECK_CONTAINS(host_console_text(), "the device does not answer; the port "
                                        "recovers");
    CHECK_CONTAINS(host_console_text(), "the device is gone from the bus; the "
                                        "port is out of service");
    bench_run_us(50000);
    CHECK_EQ(bench_out(&b), 0);
    host_nic_device(0)->at.device = 0;
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    end(&b);
}

/* It was away for a moment only. */
TEST(xl710_recover, a_device_that_answers_again_recovers)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, RSTAT, 0xFFFFFFFF, FOR_EVER);
    host_nic_device(0)->at.device = 7;
    bench_run_us(SECOND / 2);
    CHECK_EQ(info_of(0).state, PORT_RECOVERING);
    host_nic_device(0)->at.device = 0;
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    CHECK(run_until(0, PORT_STARTED, SECOND));
    check_forwards(0, 1);
    end(&b);
}

/* ---- asked for in the middle of it ---- */

static const uint64_t moments_us[] = { 1000,   60000,  70000,  100000, 165000,
                                       180000, 185000, 190000, 300000 };

TEST(xl710_recover, a_port_may_be_closed_at_any_moment)
{
    for (unsigned i = 0; i < ARRAY_SIZE(moments_us); i++) {
        struct bench b;

        host_reset();
        bench_open(&b, &one_port);
        bench_start(&b);
        host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0107, 0, 1);
        host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
        bench_run_us(moments_us[i]);
        end(&b);
    }
}

TEST(xl710_recover, a_port_may_be_stopped_and_started_at_any_moment)
{
    for (unsigned i = 0; i < ARRAY_SIZE(moments_us); i++) {
        struct bench b;

        host_reset();
        bench_open(&b, &one_port);
        bench_start(&b);
        host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0107, 0, 1);
        host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
        bench_run_us(50000 + moments_us[i]);
        CHECK_EQ(port_stop(0), OK);
        CHECK_EQ(bench_out(&b), 0);
        CHECK(port_rxq_get(0, 0) == NULL);
        CHECK(run_until(0, PORT_STOPPED, 3 * SECOND));
        bench_run_us(10000);
        CHECK_EQ(bench_out(&b), 0);
        CHECK_EQ(port_start(0), OK);
        CHECK(run_until(0, PORT_STARTED, 3 * SECOND));
        check_forwards(0, 1);
        end(&b);
    }
}

TEST(xl710_recover, a_start_during_recovery_is_kept_in_mind)
{
    struct bench b;

    bench_open(&b, &one_port);
    CHECK_EQ(port_configure(0, &b.config), OK);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    CHECK_EQ(info_of(0).state, PORT_RECOVERING);
    CHECK_EQ(port_configure(0, &b.config), E_STATE);
    CHECK_EQ(port_promiscuous_set(0, false), E_STATE);
    CHECK_EQ(port_start(0), OK);
    CHECK(run_until(0, PORT_STARTED, SECOND));
    check_forwards(0, 1);
    end(&b);
}

/* A port that was stopped is stopped when it is back. */
TEST(xl710_recover, a_stopped_port_recovers_too)
{
    struct bench b;

    bench_open(&b, &one_port);
    CHECK_EQ(port_configure(0, &b.config), OK);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 2, 1);
    bench_run_us(60000);
    CHECK(run_until(0, PORT_STOPPED, SECOND));
    CHECK_EQ(bench_out(&b), 0);
    CHECK_EQ(port_start(0), OK);
    bench_run_us(100000);
    check_forwards(0, 1);
    end(&b);
}

/* V4 */
TEST(xl710_recover, recoveries_in_a_row_are_spaced)
{
    struct bench b;
    uint64_t took[8];

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < ARRAY_SIZE(took); i++) {
        const uint64_t at = host_cycles();

        chip_reg_write(host_nic_chip(), 0, 0x0B8190, 4, 1); /* CORER */
        bench_run_us(60000);
        CHECK(run_until(0, PORT_STARTED, 20 * SECOND));
        took[i] = (host_cycles() - at) / 1000;
    }
    CHECK(took[0] < 300000 && took[1] < 300000);
    CHECK(took[3] > 500000);
    CHECK(took[7] > 2 * SECOND && took[7] < 3 * SECOND);
    bench_run_us(11 * SECOND); /* calm */
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(60000);
    CHECK(run_until(0, PORT_STARTED, 300000));
    end(&b);
}

/* Without firmware's answers the port is not to be trusted. */
TEST(xl710_recover, silent_firmware_is_reset_out_of_its_silence)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0254, 0, 3);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(port_promiscuous_set(0, false), E_TIMEOUT);
    CHECK_EQ(port_promiscuous_set(0, false), E_STATE);
    bench_run_us(1100000);
    CHECK_CONTAINS(host_console_text(),
                   "firmware does not answer; the port recovers");
    CHECK(run_until(0, PORT_STARTED, SECOND));
    CHECK_EQ(port_promiscuous_set(0, false), OK);
    end(&b);
}
