/*
 * app_test.c - from options to forwarding: every step, and each one failing
 */
#include "tests/unit/test.h"

#include "console/app.h"
#include "console/console.h"
#include "console/out.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"

#define ARENA (64u << 20)

static const struct console_hooks hooks = { .version = "test" };
static struct options options;
static struct app_setup setup;

/* @ports stopped ports, memory, options @words. */
static void begin(unsigned ports, const char *words)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    port_fake_reset(ports, NULL);
    for (unsigned p = 0; p < ports; p++)
        port_fake_info(p)->state = PORT_STOPPED;
    console_init(&hooks);
    host_console_clear();
    setup = (struct app_setup) { .options = &options };
    setup.options_status = options_parse(words, &options);
}

static void configure(const char *text)
{
    setup.config = text;
    setup.config_bytes = strlen(text);
    setup.config_source = "fw_cfg";
}

TEST(app, default_options_start_the_ports_and_wait)
{
    begin(2, "");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_EQ(port_fake_info(0)->state, PORT_STARTED);
    CHECK_EQ(port_fake_info(1)->state, PORT_STARTED);
    CHECK(port_fake_config(1)->promiscuous);
    CHECK(port_fake_config(1)->tx_fast_free); /* all are of one pool */
    CHECK(!fwd_is_running());
}

TEST(app, options_reach_ports_and_forwarding)
{
    uint8_t mac[6];
    static const uint8_t want[6] = { 2, 4, 6, 8, 10, 12 };

    begin(3, "-- --rxd=256 --txd=128 --txrst=16 --txfreet=64 --burst=8 "
             "--forward-mode=mac --txpkts=100 --portmask=0x6 "
             "--eth-peer=2,02:04:06:08:0a:0c --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_EQ(port_fake_config(2)->rx_desc, 256);
    CHECK_EQ(port_fake_config(2)->tx_desc, 128);
    CHECK_EQ(port_fake_config(2)->tx_rs_thresh, 16);
    CHECK_EQ(port_fake_config(2)->tx_free_thresh, 64);
    CHECK_EQ(fwd_burst_get(), 8);
    CHECK_EQ(fwd_txpkts_get(), 100);
    CHECK_STR(fwd_engine_get()->name, "mac");
    CHECK_EQ(fwd_port_count(), 2);
    CHECK_EQ(fwd_port_at(0), 1);
    fwd_peer_get(2, mac);
    CHECK_BYTES(mac, want, 6);
    CHECK(fwd_is_running());
}

/* 2 x (2048 + 4096) + 1 x (256 + 32) = 12576, and a quarter more, in 256s. */
TEST(app, the_pool_holds_rings_caches_and_bursts_with_a_quarter_to_spare)
{
    begin(2, "");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_EQ(mempool_count(port_fake_config(0)->pool), 15872);
}

TEST(app, a_pool_that_is_asked_for_is_taken_or_refused_with_the_sum)
{
    begin(2, "-- --total-num-mbufs=12576");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_EQ(mempool_count(port_fake_config(0)->pool), 12576);

    begin(2, "-- --total-num-mbufs=12575 --auto-start");
    CHECK_EQ(app_open(&setup), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "12576");
    CHECK_CONTAINS(host_console_text(), "12575");
    CHECK_EQ(port_fake_info(0)->state, PORT_STOPPED);
    CHECK(!fwd_is_running());
}

TEST(app, too_little_memory_is_said_and_nothing_is_started)
{
    begin(8, "-- --rxd=8160 --txd=8160 --auto-start");
    CHECK_EQ(app_open(&setup), E_NOMEM);
    CHECK(host_console_text()[0] != '\0');
    CHECK_EQ(port_fake_info(0)->state, PORT_STOPPED);
    CHECK(!fwd_is_running());
}

TEST(app, a_wrong_option_configures_nothing)
{
    begin(2, "-- --burst=64 --auto-start --rxq=65");
    CHECK_EQ(app_open(&setup), E_INVALID);
    CHECK_CONTAINS(host_console_text(),
                   "options: column 28: \"--rxq=65\": expected a number "
                   "1..64");
    CHECK_EQ(port_fake_info(0)->state, PORT_STOPPED);
    CHECK_EQ(fwd_burst_get(), 32);
    CHECK(!fwd_is_running());
}

TEST(app, ignored_words_are_listed)
{
    begin(2, "-n 4 --huge-dir=/x -- -i");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_CONTAINS(host_console_text(), "options: ignored: -n --huge-dir -i");
}

TEST(app, no_port_is_one_clear_line)
{
    begin(0, "-- --auto-start");
    CHECK_EQ(app_open(&setup), E_NOENT);
    CHECK_CONTAINS(host_console_text(),
                   "error: no port: expected an XL710 or X710");
}

TEST(app, without_a_port_because_nics_failed_there_is_no_second_error)
{
    begin(0, "-- --auto-start");
    setup.nics_failed = 2;
    CHECK_EQ(app_open(&setup), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "] no port: what was there did not");
}

TEST(app, a_stopped_appliance_says_how_to_start_it)
{
    begin(2, "-- -i");
    CHECK_EQ(app_open(&setup), OK);
    out_flush();
    CHECK_CONTAINS(host_console_text(),
                   "Forwarding is stopped; `start` begins it.\n");

    begin(2, "-- --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    out_flush();
    CHECK(strstr(host_console_text(), "Forwarding is stopped") == NULL);
}

/* 1024 received, a bucket of 32 that waits and one that fills: 1088. */
TEST(app, a_transmit_ring_that_takes_no_full_receive_ring_is_noticed)
{
    const char *const notice = "forwarding: a full receive ring of 1024 wants "
                               "a transmit ring of 1088, found 1056; ";

    begin(2, "-- --rxd=1024 --txd=1056 --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_CONTAINS(host_console_text(), notice);

    begin(2, "-- --rxd=1024 --txd=1088 --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    CHECK(strstr(host_console_text(), "full receive ring") == NULL);

    begin(2, "-- --rxd=1024 --txd=1056 --forward-mode=rxonly --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    CHECK(strstr(host_console_text(), "full receive ring") == NULL);

    begin(2, "-- --rxd=1024 --txd=1056");
    CHECK_EQ(app_open(&setup), OK);
    CHECK(strstr(host_console_text(), "full receive ring") == NULL);
    CHECK_EQ(app_forward(), OK);
    CHECK_CONTAINS(host_console_text(), notice);
}

TEST(app, a_mask_of_absent_ports_is_refused)
{
    begin(2, "-- --portmask=0x4 --auto-start");
    CHECK_EQ(app_open(&setup), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "--portmask=4 names a port that is not "
                                        "there; expected ports of 0..1");
    CHECK_EQ(port_fake_info(0)->state, PORT_STOPPED);
}

TEST(app, a_port_that_cannot_be_configured_or_started_is_named)
{
    begin(2, "-- --auto-start");
    port_fake_fail(PORT_FAKE_CONFIGURE, E_INVALID, 1);
    CHECK_EQ(app_open(&setup), E_STATE);
    CHECK_CONTAINS(host_console_text(), "port 1: cannot be configured");
    CHECK_EQ(port_fake_info(0)->state, PORT_STARTED); /* the other works */
    CHECK_EQ(port_fake_info(1)->state, PORT_STOPPED);
    CHECK(!fwd_is_running());

    begin(2, "-- --auto-start");
    port_fake_fail(PORT_FAKE_START, E_TIMEOUT, 0);
    CHECK_EQ(app_open(&setup), E_STATE);
    CHECK_CONTAINS(host_console_text(), "port 0: cannot be started: timed out");
    CHECK_EQ(port_fake_info(1)->state, PORT_STARTED);
    CHECK(!fwd_is_running());

    begin(1, "");
    port_fake_fail(PORT_FAKE_START, E_TIMEOUT, 0);
    CHECK_EQ(app_open(&setup), E_TIMEOUT); /* none is left */
}

TEST(app, a_port_that_fails_stops_no_other_pair)
{
    begin(4, "-- --rxd=256 --txd=512 --auto-start");
    port_fake_fail(PORT_FAKE_START, E_TIMEOUT, 1);
    CHECK_EQ(app_open(&setup), OK);
    CHECK_CONTAINS(host_console_text(), "port 1: cannot be started: timed out");
    CHECK_CONTAINS(host_console_text(),
                   "port 0 takes no part: port 1 is not started");
    CHECK(fwd_is_running());
    CHECK_EQ(fwd_stream_count(), 2);
    CHECK_EQ(fwd_stream(0)->rx_port, 2);
    CHECK_EQ(fwd_stream(0)->tx_port, 3);
    CHECK_EQ(fwd_stream(1)->rx_port, 3);
}

TEST(app, disable_device_start_leaves_ports_stopped)
{
    begin(2, "-- --disable-device-start");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_EQ(port_fake_info(0)->state, PORT_STOPPED);
}

TEST(app, the_configuration_is_applied_after_the_options)
{
    begin(2, "-- --forward-mode=mac --auto-start");
    configure("version 1\nset fwd macswap\nstart\n");
    CHECK_EQ(app_open(&setup), OK);
    CHECK_STR(fwd_engine_get()->name, "macswap");
    CHECK(fwd_is_running());
}

TEST(app, a_wrong_configuration_does_not_start_forwarding)
{
    begin(2, "-- --auto-start");
    configure("version 1\nset fwd macswap\nset burst many\n");
    CHECK_EQ(app_open(&setup), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "fw_cfg:3:11: \"many\"");
    CHECK_STR(fwd_engine_get()->name, "io");
    CHECK(!fwd_is_running());
}

/* ---- the loop ---- */

static void receive(unsigned port)
{
    struct mbuf *m = mbuf_alloc(port_fake_config(0)->pool);

    CHECK(m != NULL);
    m->data_len = 60;
    m->pkt_len = 60;
    port_fake_receive(port, m);
}

TEST(app, a_turn_forwards_and_takes_commands)
{
    begin(2, "-- --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    console_open();
    receive(0);
    host_console_type("stop\r");
    app_poll();
    CHECK_EQ(port_fake_sent_count(1), 1);
    CHECK(!fwd_is_running());
}

TEST(app, housekeeping_comes_every_ten_milliseconds)
{
    begin(2, "-- --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    app_poll();
    CHECK_EQ(port_fake_polls(), 0);
    host_advance_us(9999);
    app_poll();
    CHECK_EQ(port_fake_polls(), 0);
    host_advance_us(1);
    app_poll();
    app_poll();
    CHECK_EQ(port_fake_polls(), 1);
    host_advance_us(10000);
    app_poll();
    CHECK_EQ(port_fake_polls(), 2);
}

TEST(app, periodic_statistics_come_with_the_prompt_again)
{
    const char *text;

    begin(1, "-- --stats-period=2");
    CHECK_EQ(app_open(&setup), OK);
    console_open();
    host_console_type("sho");
    app_poll();
    host_console_clear();
    host_advance_us(1999999);
    app_poll();
    CHECK_STR(host_console_text(), "");
    host_advance_us(1);
    app_poll();
    text = host_console_text();
    CHECK_CONTAINS(text,
                   "Port statistics ====================================");
    CHECK_CONTAINS(text, "NIC statistics for port 0 ");
    CHECK_CONTAINS(text, "====\nmillrace> sho");
    host_console_clear();
    app_poll();
    CHECK_STR(host_console_text(), "");
}

TEST(app, without_a_period_no_statistics_come)
{
    begin(1, "");
    CHECK_EQ(app_open(&setup), OK);
    out_flush();
    host_console_clear();
    host_advance_us(100000000);
    app_poll();
    CHECK_STR(host_console_text(), "");
}

TEST(app, closing_twice_is_harmless)
{
    begin(2, "-- --auto-start");
    CHECK_EQ(app_open(&setup), OK);
    app_close();
    app_close();
    CHECK_EQ(port_fake_info(1)->state, PORT_CLOSED);
}

TEST(app, the_console_works_even_when_nothing_could_be_configured)
{
    begin(2, "--bogus");
    CHECK_EQ(app_open(&setup), E_INVALID);
    console_open();
    host_console_type("quit\r");
    CHECK_EXITS(HOST_POWER_OFF, app_poll());
    CHECK_CONTAINS(host_console_text(), "options: column 1: \"--bogus\"");
    CHECK_CONTAINS(host_console_text(), "millrace> quit");
}
