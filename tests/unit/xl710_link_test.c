/*
 * xl710_link_test.c - link and health: what housekeeping sees and says
 */
#include <millrace/clock.h>
#include <millrace/log.h>
#include <millrace/port.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define FOR_EVER 0xFFFFFFFF

static const struct host_nic_config one_port;
static const struct host_nic_config two_ports = { .ports = 2 };
static const struct host_nic_config down = { .link_is_down = true };

static struct port_link link_of(unsigned port)
{
    struct port_link l;

    port_link_get(port, &l);
    return l;
}

/* ---- link ---- */

TEST(xl710_link, a_link_that_is_up_is_known_at_once_and_left_alone)
{
    struct bench b;

    bench_open(&b, &one_port);
    CHECK(link_of(0).up);
    CHECK_EQ(link_of(0).speed_mbps, 40000);
    CHECK_EQ(link_of(0).changes, 0);
    bench_start(&b);
    bench_run_us(2000000);
    CHECK_EQ(link_of(0).changes, 0);
    CHECK_EQ(host_nic_commands(0x0605), 0); /* NIC-49 */
    CHECK_EQ(host_nic_commands(0x0601), 0);
    bench_close(&b);
}

/* NIC-47: bring-up does not wait for a link. */
TEST(xl710_link, a_link_that_is_down_delays_nothing)
{
    struct bench b;
    const uint64_t waited = port_chip_wait_us();

    bench_open(&b, &down);
    bench_start(&b);
    CHECK(host_cycles() / 1000 - (port_chip_wait_us() - waited) < 5000);
    CHECK(!link_of(0).up);
    CHECK_EQ(link_of(0).speed_mbps, 0);
    CHECK_EQ(link_of(0).changes, 0);
    bench_run_us(3000000);
    CHECK(!link_of(0).up);
    CHECK(host_nic_commands(0x0605) <= 1); /* NIC-49 */
    bench_close(&b);
}

static void phy_is_off(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    data[5] &= (uint8_t)~8; /* link not enabled */
}

/* NIC-49: only a PHY that somebody switched off is switched on, once. */
TEST(xl710_link, a_phy_that_is_off_is_switched_on_once)
{
    struct bench b;

    bench_open_chip(&down);
    host_nic_tamper(0x0600, phy_is_off);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    bench_run_us(3000000);
    CHECK_EQ(host_nic_commands(0x0605), 1);
    b.pool = ring_pool("bench", 16);
    bench_close(&b);

    host_reset();
    bench_open_chip(&one_port); /* the link is up: hands off */
    host_nic_tamper(0x0600, phy_is_off);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(host_nic_commands(0x0605), 0);
    b.pool = ring_pool("bench", 16);
    bench_close(&b);
}

TEST(xl710_link, a_phy_that_firmware_does_not_know_is_left_to_it)
{
    struct bench b;

    bench_open_chip(&down);
    host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, 0x0600, 5, FOR_EVER);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_CONTAINS(host_console_text(), "does not describe the PHY");
    CHECK_EQ(host_nic_commands(0x0605), 0);
    CHECK_EQ(host_nic_commands(0x0600), 1);
    b.pool = ring_pool("bench", 16);
    bench_close(&b);

    host_reset(); /* busy for a moment */
    bench_open_chip(&down);
    host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, 0x0600, 8, 3);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(host_nic_commands(0x0600), 4);
    b.pool = ring_pool("bench", 16);
    bench_close(&b);
}

/* NIC-22, NIC-24: an event tells, and the frame size is set once more. */
TEST(xl710_link, the_first_link_up_sets_the_frame_size_again)
{
    struct bench b;
    unsigned before;

    bench_open(&b, &down);
    bench_start(&b);
    before = host_nic_commands(0x0603);
    CHECK_EQ(before, 1);
    chip_link_set(host_nic_chip(), 0, true);
    bench_run_us(100000);
    CHECK(link_of(0).up);
    CHECK_EQ(link_of(0).speed_mbps, 40000);
    CHECK_EQ(link_of(0).changes, 1);
    CHECK(clock_cycles_to_us(plat_cycles() - link_of(0).changed_cycles) <
          100000);
    CHECK_EQ(host_nic_commands(0x0603), 2);
    CHECK_CONTAINS(host_console_text(), "link up, 40000 Mb/s");
    chip_link_set(host_nic_chip(), 0, false);
    bench_run_us(20000);
    chip_link_set(host_nic_chip(), 0, true);
    bench_run_us(20000);
    CHECK_EQ(link_of(0).changes, 3);
    CHECK_EQ(host_nic_commands(0x0603), 2);
    bench_close(&b);
}

/* NIC-48: cable out and in, with traffic, no manual step. */
TEST(xl710_link, fifty_flaps_under_traffic)
{
    struct bench b;
    uint8_t frame[200];

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < 50; i++) {
        struct mbuf *m;
        struct port_txq *tx = port_txq_get(0, 0);

        bench_frame(frame, sizeof(frame), i);
        CHECK(host_nic_arrive(0, frame, sizeof(frame)));
        CHECK_EQ(bench_receive(0, &m, 1), 1);
        CHECK(bench_same(m, frame, sizeof(frame)));
        chip_link_set(host_nic_chip(), 0, false);
        bench_run_us(20000);
        CHECK(!link_of(0).up);
        CHECK_EQ(port_tx_burst(tx, &m, 1), 1); /* into a dead cable */
        bench_run_us(1000);
        chip_link_set(host_nic_chip(), 0, true);
        bench_run_us(20000);
        CHECK(link_of(0).up);
        CHECK_EQ(link_of(0).changes, 2 * (i + 1));
        port_tx_idle(tx);
    }
    CHECK_EQ(host_nic_commands(0x0605), 0);
    CHECK_EQ(bench_out(&b), port_rxq_get(0, 0)->owned);
    bench_close(&b);
}

/* NIC-21 */
TEST(xl710_link, one_port_s_link_leaves_the_other_alone)
{
    struct bench b;

    bench_open(&b, &two_ports);
    bench_start(&b);
    chip_link_set(host_nic_chip(), 0, false);
    bench_run_us(1500000);
    CHECK(!link_of(0).up);
    CHECK(link_of(1).up);
    CHECK_EQ(link_of(1).changes, 0);
    bench_close(&b);
}

/* No event came, for whatever reason: the MAC's register tells in a second. */
TEST(xl710_link, a_lost_event_is_noticed_within_a_second)
{
    struct bench b;

    bench_open(&b, &one_port);
    bench_start(&b);
    chip_strict_set(host_nic_chip(), false);
    chip_reg_write(host_nic_chip(), 0, 0x80280, 4, 0); /* events off */
    chip_link_set(host_nic_chip(), 0, false);
    bench_run_us(1200000);
    CHECK(!link_of(0).up);
    bench_close(&b);
}

TEST(xl710_link, speeds_and_flags_are_decoded)
{
    static const struct {
        uint8_t bits;
        uint32_t mbps;
    } rows[] = { { 0x01, 2500 },  { 0x02, 100 },   { 0x04, 1000 },
                 { 0x08, 10000 }, { 0x10, 40000 }, { 0x20, 20000 },
                 { 0x40, 25000 }, { 0x80, 5000 },  { 0x00, 0 },
                 { 0x30, 0 } };
    struct aq_link l;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const uint8_t up[16] = { 1,    0, 0x19, rows[i].bits, 0x61,
                                 0x81, 0, 0,    0x00,         0x26 };
        const uint8_t off[16] = { 0, 0, 0, rows[i].bits, 0x40, 0 };

        aq_link_decode(up, &l);
        CHECK(l.is_up && l.media_available && l.media_qualified);
        CHECK(l.autoneg_done && l.events_on);
        CHECK_EQ(l.speed_mbps, rows[i].mbps);
        CHECK_EQ(l.max_frame, 9728);
        aq_link_decode(off, &l);
        CHECK(!l.is_up && l.media_available && !l.media_qualified);
        CHECK_EQ(l.speed_mbps, 0);
    }
}

/* ---- health ---- */

/* NIC-37 */
TEST(xl710_health, a_malicious_driver_event_is_decoded_and_cleared)
{
    struct bench b;
    struct port_xstat list[128];
    unsigned n;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_MDD_TX, 0, 0, 0, 1);
    bench_run_us(1100000);
    CHECK_CONTAINS(host_console_text(), "malicious driver: transmit event");
    CHECK_CONTAINS(host_console_text(), "on queue 0 of the chip, function 0");
    CHECK_EQ(host_nic_register(0, 0x0E6480), 0);
    CHECK_EQ(host_nic_register(0, 0x0E6400), 0);
    host_console_clear();
    bench_run_us(2100000);
    CHECK(strstr(host_console_text(), "malicious") == NULL);
    n = port_xstats_get(0, list, ARRAY_SIZE(list));
    for (unsigned i = 0; i < n; i++)
        if (strcmp(list[i].name, "millrace_malicious_driver_events") == 0)
            CHECK_EQ(list[i].value, 1);
    bench_close(&b);
}

TEST(xl710_health, event_words_carry_every_field)
{
    char text[96];

    mdd_tx_text(1u << 31 | 5u << 25 | 3u << 21 | 7u << 12 | 258, text,
                sizeof(text));
    CHECK_STR(text,
              "transmit event 5 on queue 258 of the chip, function 3, VF 7");
    mdd_rx_text(1u << 31 | 77u << 17 | 9u << 8 | 2, text, sizeof(text));
    CHECK_STR(text, "receive event 9 on queue 77 of the chip, function 2");
}

/* Housekeeping runs 100 times a second: it must cost next to nothing. */
TEST(xl710_health, an_idle_second_takes_few_register_accesses)
{
    struct bench b;
    uint64_t before;

    bench_open(&b, &one_port);
    bench_start(&b);
    bench_run_us(1000000);
    before = host_mmio_count();
    bench_run_us(1000000);
    CHECK(host_mmio_count() - before <= 44);
    bench_close(&b);
}
