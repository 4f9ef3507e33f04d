/*
 * cmd_queue_test.c - queues and their spreading at the console
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "console/app.h"
#include "console/rss_text.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/console_rig.h"

#define ARENA (64u << 20)
#define KEY                                                                    \
    "6D5A56DA255B0EC24167253D43A38FB0D0CA2BCBAE7B30B477CB2DA38030f20c6a42b73b" \
    "beac01fa6d5a56da255b0ec24167253d"

static const struct console_hooks hooks = { .version = "test" };
static struct options options;

/* An appliance of two ports with small rings, and @words. */
static void begin(const char *words)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    struct app_setup setup = { .options = &options };
    char line[200] = "-- --rxd=128 --txd=256 ";

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    port_fake_reset(2, NULL);
    for (unsigned p = 0; p < 2; p++)
        port_fake_info(p)->state = PORT_STOPPED;
    console_init(&hooks);
    setup.options_status = options_parse(strcat(line, words), &options);
    CHECK_EQ(app_open(&setup), OK);
    host_console_clear();
    console_open();
}

static struct port_queue_stats queue(unsigned port, unsigned q)
{
    struct port_queue_stats s;

    CHECK_EQ(port_queue_stats_get(port, q, &s), OK);
    return s;
}

/* ---- one queue ---- */

TEST(cmd_queue, one_queue_stops_and_starts)
{
    begin("--rxq=4");
    type("port 1 rxq 3 stop\r");
    CHECK_EQ(queue(1, 3).rx_state, PORT_QUEUE_STOPPED);
    CHECK_EQ(queue(1, 3).tx_state, PORT_QUEUE_STARTED);
    CHECK_EQ(queue(0, 3).rx_state, PORT_QUEUE_STARTED);
    type("port 0 txq 0 stop\r");
    CHECK_EQ(queue(0, 0).tx_state, PORT_QUEUE_STOPPED);
    type("port 1 rxq 3 start\r");
    type("port 0 txq 0 start\r");
    CHECK_EQ(queue(1, 3).rx_state, PORT_QUEUE_STARTED);
    CHECK_EQ(queue(0, 0).tx_state, PORT_QUEUE_STARTED);
}

TEST(cmd_queue, a_queue_that_is_not_there_is_refused)
{
    begin("--rxq=4");
    CHECK_CONTAINS(type("port 0 rxq 4 stop\r"),
                   "Port 0 has no queue 4; expected 0..3");
    CHECK_CONTAINS(type("port 0 rxq 64 stop\r"),
                   "\"64\" does not fit here; expected a number 0..63");
    CHECK_CONTAINS(type("port 0 rxq 1 halt\r"), "expected start, stop");
    CHECK_CONTAINS(type("port 2 rxq 1 stop\r"), "does not fit here");
    type("port stop 0\r");
    CHECK_CONTAINS(type("port 0 rxq 1 stop\r"), "Please start port 0 first.");
    port_fake_fail(PORT_FAKE_QUEUE_CALL, E_TIMEOUT, 0);
    CHECK_CONTAINS(type("port 1 txq 1 stop\r"),
                   "Fail to stop Tx queue 1 of port 1: timed out");
}

/* ---- how many ---- */

TEST(cmd_queue, the_number_holds_when_both_halves_have_it)
{
    begin("--rxq=4");
    CHECK_EQ(port_fake_config(1)->queues, 4);
    CHECK_CONTAINS(type("port config all rxq 2\r"), "Please stop all ports");
    CHECK_EQ(port_fake_config(1)->queues, 4);
    type("port stop all\r");
    CHECK_CONTAINS(type("port config all rxq 2\r"),
                   "rxq is 2 and txq 4; queues go in pairs: ports keep 4 until "
                   "both are the same");
    CHECK_EQ(port_fake_config(1)->queues, 4);
    type("port config all txq 2\r");
    CHECK_EQ(port_fake_config(0)->queues, 2);
    CHECK_EQ(port_fake_config(1)->queues, 2);
    type("port start all\r");
    CHECK_EQ(port_fake_info(0)->rx_queues, 2);
}

/* 2 x 4 x (128 + 256) + 1 x (256 + 32) buffers are made for four. */
TEST(cmd_queue, more_than_the_pool_was_made_for_is_refused)
{
    begin("--rxq=4");
    type("port stop all\r");
    type("port config all rxq 16\r");
    CHECK_CONTAINS(type("port config all txq 16\r"),
                   "Ports keep 4 queue pairs");
    CHECK_CONTAINS(host_console_text(), "12576"); /* 2 x 16 x 384 + 288 */
    CHECK_EQ(port_fake_config(0)->queues, 4);
    CHECK_CONTAINS(type("port config all rxq 65\r"), "a number 1..64");
    CHECK_CONTAINS(type("port config all rxq 0\r"), "a number 1..64");
}

TEST(cmd_queue, a_port_that_refuses_leaves_all_as_they_were)
{
    begin("--rxq=4");
    type("port stop all\r");
    port_fake_fail(PORT_FAKE_CONFIGURE, E_NOMEM, 1);
    type("port config all rxq 1\r");
    CHECK_CONTAINS(type("port config all txq 1\r"), "Ports keep 4 queue pairs");
    CHECK_EQ(port_fake_config(0)->queues, 4);
    CHECK_EQ(port_fake_config(1)->queues, 4);
    CHECK_EQ(app_port_config()->queues, 4);
}

TEST(cmd_queue, a_change_while_forwarding_is_refused)
{
    begin("--rxq=2 --auto-start");
    CHECK_CONTAINS(type("port config all rxq 1\r"), "stop forwarding first");
}

TEST(cmd_queue, both_options_agree_or_one_is_enough)
{
    begin("--txq=3");
    CHECK_EQ(port_fake_config(0)->queues, 3);
    begin("--rxq=2 --txq=2");
    CHECK_EQ(port_fake_config(0)->queues, 2);
    CHECK_EQ(options_parse("-- --rxq=2 --txq=3", &options), E_INVALID);
    CHECK_CONTAINS(options.error, "--rxq and --txq differ");
    CHECK_EQ(options_parse("-- --rxq=2 --config=(0,2,1)", &options), E_INVALID);
    CHECK_CONTAINS(options.error, "expected less than --rxq");
}

/* ---- spreading ---- */

TEST(cmd_queue, key_and_types_are_shown_as_testpmd_does)
{
    begin("--rxq=4");
    CHECK_CONTAINS(
        type("show port 0 rss-hash\r"),
        "RSS functions:\n ipv4-frag ipv4-tcp ipv4-udp ipv4-sctp "
        "ipv4-other ipv6-frag ipv6-tcp ipv6-udp ipv6-sctp ipv6-other "
        "l2-payload \n");
    CHECK(strstr(host_console_text(), "RSS key") == NULL);
    CHECK_CONTAINS(type("show port 0 rss-hash key\r"),
                   "RSS key:\n01230000000000000000");
    type("port config all rss none\r");
    CHECK_CONTAINS(type("show port 1 rss-hash\r"), "RSS disabled");
}

TEST(cmd_queue, one_queue_is_not_spread_over)
{
    begin("");
    CHECK_CONTAINS(type("show port 0 rss-hash\r"), "RSS disabled");
}

TEST(cmd_queue, types_are_set_on_all_ports)
{
    struct port_rss rss;

    begin("--rxq=4");
    type("port config all rss udp|ipv6-frag\r");
    for (unsigned p = 0; p < 2; p++) {
        CHECK_EQ(port_rss_hash_conf_get(p, &rss), OK);
        CHECK_EQ(rss.types, 1u << PORT_RSS_IPV4_UDP | 1u << PORT_RSS_IPV6_UDP |
                                1u << PORT_RSS_IPV6_FRAG);
    }
    CHECK_CONTAINS(type("port config all rss upd\r"), "did you mean \"udp\"?");
    CHECK_CONTAINS(type("port config all rss udp|\r"), "does not fit here");
    port_fake_fail(PORT_FAKE_RSS, E_IO, 0);
    CHECK_CONTAINS(type("port config all rss all\r"),
                   "Configuration of RSS hash at ethernet port 0 failed");
}

TEST(cmd_queue, a_key_is_104_digits)
{
    struct port_rss rss;

    begin("--rxq=4");
    type("port config 1 rss-hash-key ip " KEY "\r");
    CHECK_EQ(port_rss_hash_conf_get(1, &rss), OK);
    CHECK_EQ(rss.key[0], 0x6D);
    CHECK_EQ(rss.key[31], 0x0C);
    CHECK_EQ(rss.key[51], 0x3D);
    CHECK_EQ(rss.types, PORT_RSS_ALL);
    CHECK_CONTAINS(type("port config 1 rss-hash-key ip " KEY "0\r"),
                   "expected a key of 104 hexadecimal digits");
    CHECK_CONTAINS(type("port config 1 rss-hash-key ip 6D5A\r"),
                   "expected a key of 104 hexadecimal digits");
    CHECK_CONTAINS(type("port config 1 rss-hash-key words " KEY "\r"),
                   "\"words\" does not fit here");
}

TEST(cmd_queue, symmetric_is_another_key_and_default_the_first)
{
    struct port_rss rss;

    begin("--rxq=4");
    type("port config all rss-hash-algo symmetric_toeplitz\r");
    CHECK_EQ(port_rss_hash_conf_get(1, &rss), OK);
    CHECK_EQ(rss.key[0], 0xAB);
    type("port config 1 rss-hash-algo toeplitz\r");
    CHECK_EQ(port_rss_hash_conf_get(1, &rss), OK);
    CHECK_EQ(rss.key[0], 0x01);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    CHECK_EQ(rss.key[0], 0xAB);
    CHECK_CONTAINS(type("port config 1 rss-hash-algo simple_xor\r"),
                   "does not fit here");
}

TEST(cmd_queue, entries_of_the_table_change_and_others_stay)
{
    uint8_t table[PORT_RETA_MAX];

    begin("--rxq=4");
    type("port config 0 rss reta (0,3),(127,2),(5,1)\r");
    CHECK_EQ(port_reta_query(0, table), PORT_FAKE_RETA);
    for (unsigned i = 0; i < PORT_FAKE_RETA; i++)
        CHECK_EQ(table[i], i == 0 ? 3 : i == 127 ? 2 : i == 5 ? 1 : 0);
    CHECK_CONTAINS(type("show port 0 rss reta\r"),
                   "RSS RETA configuration: hash index=127, queue=2\n");
    CHECK_CONTAINS(host_console_text(), "hash index=0, queue=3\n");
    CHECK_CONTAINS(type("port config 0 rss reta (128,1)\r"),
                   "Hash 128 is not in the table of port 0; expected 0..127");
    CHECK_CONTAINS(type("port config 0 rss reta (1,4)\r"),
                   "RETA of the port stays as it was");
    CHECK_EQ(port_reta_query(0, table), PORT_FAKE_RETA);
    CHECK_EQ(table[1], 0);
}

TEST(cmd_queue, words_that_are_no_table_are_refused)
{
    static const char *const bad[] = { "",           "(",     "(1,2",
                                       "(1,2),",     "(1;2)", "(512,0)",
                                       "(0,64)",     "(,1)",  "(1,)",
                                       "(1,2)(3,4)", "1,2",   "(-1,0)" };
    struct reta_pair pairs[RETA_PAIRS_MAX];
    char many[1024] = "(0,0)";
    unsigned n;

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++)
        CHECK(!text_to_reta(bad[i], pairs, &n));
    CHECK(text_to_reta("(511,63),(0,0)", pairs, &n));
    CHECK_EQ(n, 2);
    CHECK_EQ(pairs[0].hash, 511);
    CHECK_EQ(pairs[0].queue, 63);
    for (unsigned i = 1; i < RETA_PAIRS_MAX; i++)
        strcat(many, ",(0,0)");
    CHECK(text_to_reta(many, pairs, &n));
    CHECK_EQ(n, RETA_PAIRS_MAX);
    strcat(many, ",(0,0)");
    CHECK(!text_to_reta(many, pairs, &n));
}

/* ---- counters ---- */

TEST(cmd_queue, each_queue_is_a_line_and_an_object)
{
    const char *text;

    begin("--rxq=2");
    type("port 1 rxq 1 stop\r");
    text = type("show port queues 1\r");
    CHECK_CONTAINS(text, "Queues of port 1");
    CHECK_CONTAINS(text, "      0  on  on              1000            0"
                         "              2000            0        0");
    CHECK_CONTAINS(text, "      1 off  on              1001            1"
                         "              2001            0        0");
    text = type("show port queues all json\r");
    CHECK_CONTAINS(text, "{\"ports\":[{\"port_id\":0,\"queues\":[{\"queue\":0,"
                         "\"rx\":\"on\",\"tx\":\"on\",\"q_ipackets\":1000,");
    CHECK_CONTAINS(text, "\"q_ibytes\":100000,\"q_errors\":0,");
    CHECK_CONTAINS(text, "{\"queue\":1,\"rx\":\"off\"");
    CHECK_CONTAINS(text, "\"restarts\":0}]}]}");
}
