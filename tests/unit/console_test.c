/*
 * console_test.c - typing, printing, and what each command answers
 *
 * The blocks are compared with what DPDK's testpmd prints for the same numbers
 * (app/test-pmd/config.c, testpmd.c), written out by hand.
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include <millrace/log.h>

#include "console/console.h"
#include "console/line.h"
#include "console/out.h"
#include "console/report.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/console_rig.h"

#define POOL_COUNT 512
#define ARENA      (16u << 20)

static struct mempool *pool;
static unsigned faults_triggered;

static void trigger(void)
{
    faults_triggered++;
}

static void show_boot(void)
{
    report_text("entry %u us\n", 0u);
}

static void show_and_log(void)
{
    report_text("first\n");
    log_info("between");
    report_text("second\n");
}

static const struct console_fault fault_table[] = {
    { "page", "read page 0", trigger },
    { 0 },
};
static const struct console_hooks hooks = { .version = "1.2.3",
                                            .faults = fault_table,
                                            .show_boot = show_boot };

static void begin(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = { .name = "mb_pool_0",
                                           .count = POOL_COUNT,
                                           .cache = 32,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = 1 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    CHECK(pool != NULL);
    port_fake_reset(2, pool);
    fwd_init();
    fwd_pool_set(pool);
    console_init(&hooks);
    console_open();
    console_poll();
    host_console_clear();
}

/* ---- banner, prompt, editing ---- */

TEST(console, banner_names_the_version_and_the_prompt_follows_open)
{
    port_fake_reset(0, NULL);
    fwd_init();
    console_init(&hooks);
    CHECK_CONTAINS(host_console_text(), "Millrace 1.2.3");
    CHECK(strstr(host_console_text(), "millrace> ") == NULL);
    host_console_type("show version\r");
    console_poll();
    CHECK(strstr(host_console_text(), "show") == NULL); /* not open yet */
    console_open();
    console_poll();
    CHECK_CONTAINS(host_console_text(), "millrace> show version\nMillrace");
}

TEST(console, what_is_typed_is_echoed_and_run_at_the_end_of_the_line)
{
    begin();
    CHECK_STR(type("show ver"), "show ver");
    CHECK_STR(type("sion\r"), "sion\nMillrace 1.2.3\nmillrace> ");
}

TEST(console, cr_lf_and_crlf_each_end_one_line)
{
    begin();
    CHECK_STR(type("\n"), "\nmillrace> ");
    CHECK_STR(type("\r"), "\nmillrace> ");
    CHECK_STR(type("\n"), ""); /* of the CR before, however late it comes */
    CHECK_STR(type("\r\n"), "\nmillrace> ");
    CHECK_STR(type("\r\n\r\n"), "\nmillrace> \nmillrace> ");
    CHECK_STR(type("\n\n"), "\nmillrace> \nmillrace> ");
    CHECK_STR(type("\r\r"), "\nmillrace> \nmillrace> ");
}

TEST(console, backspace_and_ctrl_u_take_back)
{
    begin();
    CHECK_STR(type("show x\b\x7f version\r"),
              "show x\b \b\b version\nMillrace 1.2.3\nmillrace> ");
    CHECK_STR(type("\b\x7f"), "");
    CHECK_STR(type("abc\x15"), "abc\b\b\b   \b\b\b");
    CHECK_STR(type("\r"), "\nmillrace> ");
}

TEST(console, ctrl_c_starts_over)
{
    begin();
    CHECK_STR(type("quit\x03"), "quit^C\nmillrace> ");
    CHECK_STR(type("\r"), "\nmillrace> ");
}

TEST(console, arrow_keys_and_noise_are_swallowed)
{
    begin();
    CHECK_STR(type("\x1b[A\x1b[1;5C\x1bOP\x01\x02\xff\x80"), "");
    CHECK_STR(type("\x1b\r"), "\nmillrace> ");
    CHECK_STR(type("\x1b[\r"), "\nmillrace> ");
    CHECK_STR(type("show\tversion\r"),
              "show version\nMillrace 1.2.3\nmillrace> ");
}

TEST(line, a_line_that_is_full_rings_the_bell_and_keeps_what_it_has)
{
    struct line l;

    out_init();
    line_init(&l, "", NULL);
    for (unsigned i = 0; i < LINE_MAX_BYTES; i++)
        CHECK_EQ(line_put(&l, 'a'), LINE_MORE);
    out_flush();
    host_console_clear();
    CHECK_EQ(line_put(&l, 'b'), LINE_MORE);
    out_flush();
    CHECK_STR(host_console_text(), "\a");
    CHECK_EQ(line_put(&l, '\r'), LINE_READY);
    CHECK_EQ(strlen(l.text), LINE_MAX_BYTES);
    CHECK(strchr(l.text, 'b') == NULL);
}

TEST(console, input_is_taken_in_bounded_portions)
{
    char noise[1000];

    begin();
    memset(noise, 'x', sizeof(noise) - 1);
    noise[sizeof(noise) - 1] = '\0';
    host_console_type(noise);
    console_poll();
    CHECK_EQ(strlen(host_console_text()), CONSOLE_BYTES_PER_POLL);
}

TEST(console, ten_thousand_random_lines_leave_it_working)
{
    static const char *const words[] = {
        "show ",  "port ",   "stats ", "all ",       "info ",       "set ",
        "fwd ",   "io",      "start",  "stop",       "burst ",      "16",
        "clear ", "help ",   "0",      "\b",         "\x15",        "\x1b[",
        "\xff",   "\x03",    "config", "promisc ",   "on",          "memory",
        "pci",    "txpkts ", "1500",   "port stop ", "port start ", "xstats ",
        "\t",     "#",
    };
    static const char ends[] = "\r\n\x03";
    char text[200];

    begin();
    srand(20240607);
    for (unsigned i = 0; i < 10000; i++) {
        unsigned n = (unsigned)rand() % 6;
        size_t used;

        text[0] = '\0';
        while (n-- > 0)
            strcat(text, words[(unsigned)rand() % ARRAY_SIZE(words)]);
        used = strlen(text);
        text[used] = ends[(unsigned)rand() % 3];
        text[used + 1] = '\0';
        if (i % 500 == 0) {
            const char *kept = text;

            host_reset();
            host_console_type(kept);
        } else {
            host_console_type(text);
            host_console_clear();
        }
        for (unsigned k = 0; k < 4; k++) {
            console_poll();
            fwd_run(1);
        }
    }
    host_reset();
    out_flush();
    CHECK_CONTAINS(type("\x03show version\r"), "Millrace 1.2.3\nmillrace> ");
}

/* ---- errors ---- */

TEST(console, the_prompt_comes_again_after_other_output_but_not_twice)
{
    begin();
    CHECK_STR(type("sho"), "sho");
    console_reprompt(); /* after statistics, say */
    out_flush();
    CHECK_STR(host_console_text(), "shomillrace> sho");
    CHECK_STR(type("w version\r"), "w version\nMillrace 1.2.3\nmillrace> ");
    CHECK_EQ(fwd_start(), OK);
    host_console_clear();
    host_console_type("show version\r");
    console_poll();
    console_reprompt(); /* the first one still waits */
    out_flush();
    CHECK_STR(host_console_text(), "show version\nMillrace 1.2.3\nmillrace> ");
}

/* ---- the log between ---- */

#define LOGGED "[    0.000000] "

#define WIPED3 "\r             \r" /* 10 + 3 spaces */

TEST(console, a_line_of_the_log_stands_alone_and_the_prompt_comes_again)
{
    begin();
    type("sho");
    host_console_clear();
    log_info("link up");
    CHECK_STR(host_console_text(), WIPED3 LOGGED "link up\n");
    log_info("at 40 Gbps"); /* the prompt waits: it comes once, below */
    console_poll();
    CHECK_STR(host_console_text(),
              WIPED3 LOGGED "link up\n" LOGGED "at 40 Gbps\nmillrace> sho");
    CHECK_STR(type("w version\r"), "w version\nMillrace 1.2.3\nmillrace> ");
    log_info("x");
    console_poll();
    CHECK_STR(type("\r"), "\nmillrace> ");
}

TEST(console, what_was_typed_and_not_yet_echoed_is_not_lost)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    host_console_clear();
    host_console_type("ab");
    console_poll();
    host_console_type("c");
    console_poll(); /* its time has not come */
    CHECK_STR(host_console_text(), "ab");
    log_info("x");
    out_flush();
    CHECK_STR(host_console_text(), "abc" WIPED3 LOGGED "x\nmillrace> abc");
}

TEST(console, a_line_too_long_to_be_wiped_is_broken)
{
    char typed[OUT_WIPE_MAX + 1], want[2 * sizeof(typed) + 64];

    begin();
    memset(typed, 'a', sizeof(typed) - 1);
    typed[sizeof(typed) - 1] = '\0';
    type(typed);
    host_console_clear();
    log_info("x");
    console_poll();
    snprintf(want, sizeof(want), "\n" LOGGED "x\nmillrace> %s", typed);
    CHECK_STR(host_console_text(), want);
}

TEST(console, the_log_does_not_cut_a_line_of_an_answer)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    host_console_clear();
    host_console_type("show boot\r");
    console_poll(); /* the echo leaves, the answer waits */
    CHECK_STR(host_console_text(), "show boot\n");
    log_info("x");
    CHECK_STR(host_console_text(), "show boot\n" LOGGED "x\n");
    out_flush();
    CHECK_STR(host_console_text(),
              "show boot\n" LOGGED "x\nentry 0 us\nmillrace> ");
}

TEST(console, what_a_command_said_before_the_log_stands_before_it)
{
    static const struct console_hooks logs = { .version = "x",
                                               .show_boot = show_and_log };

    begin();
    console_init(&logs);
    console_open();
    console_poll();
    CHECK_STR(type("show boot\r"),
              "show boot\nfirst\n" LOGGED "between\nsecond\nmillrace> ");
}

TEST(console, before_the_first_prompt_the_log_brings_none)
{
    port_fake_reset(0, NULL);
    fwd_init();
    console_init(&hooks);
    host_console_clear();
    log_info("x");
    console_poll();
    CHECK_STR(host_console_text(), LOGGED "x\n");
}

TEST(out, a_break_finishes_the_line_that_has_begun_and_only_that)
{
    out_init();
    CHECK(!out_break_line()); /* nothing was written */
    out("one\ntwo\n");
    CHECK(!out_break_line()); /* nothing has begun */
    CHECK_STR(host_console_text(), "");
    out("three");
    out_flush();
    out(" more\nfour");
    CHECK(!out_break_line());
    CHECK_STR(host_console_text(), "one\ntwo\nthree more\n");
    out_flush();
    out("+");
    CHECK(out_break_line());
    CHECK_STR(host_console_text(), "one\ntwo\nthree more\nfour+\n");
    CHECK(!out_break_line());
}

TEST(out, whole_lines_leave_and_the_rest_waits)
{
    out_init();
    out("part");
    out_flush_lines();
    CHECK_STR(host_console_text(), "");
    out(" one\ntwo\nthree");
    out_flush_lines();
    CHECK_STR(host_console_text(), "part one\ntwo\n");
    out_flush();
    CHECK_STR(host_console_text(), "part one\ntwo\nthree");
}

TEST(console, an_error_points_at_the_column)
{
    begin();
    type("show prot stats 0\r");
    CHECK_CONTAINS(host_console_text(),
                   "\n               ^\ncolumn 6: \"prot\" does not fit here, "
                   "did you mean \"port\"? expected port, fwd");
}

/* ---- output ---- */

TEST(out, text_waits_and_leaves_line_by_line_in_its_own_time)
{
    out_init();
    out("first\nsecond\n");
    out_poll();
    CHECK_STR(host_console_text(), "first\n");
    out_poll();
    CHECK_STR(host_console_text(), "first\n");
    host_advance_us(6 * 87 - 1); /* six bytes at 115200 baud take 522 us */
    out_poll();
    CHECK_STR(host_console_text(), "first\n");
    host_advance_us(1);
    out_poll();
    CHECK_STR(host_console_text(), "first\nsecond\n");
    CHECK(out_is_empty());
}

TEST(out, a_full_ring_is_written_and_nothing_is_lost)
{
    char want[64 * 1024] = "";
    size_t used = 0;

    out_init();
    for (unsigned i = 0; i < 2000; i++) {
        char piece[32];
        const int n = snprintf(piece, sizeof(piece), "line number %u\n", i);

        memcpy(want + used, piece, (size_t)n + 1);
        used += (size_t)n;
        out("%s", piece);
        if (i % 7 == 0) {
            host_advance_us(10000);
            out_poll();
        }
    }
    out_flush();
    CHECK_STR(host_console_text(), want);
}

TEST(out, a_piece_that_is_too_long_is_cut_visibly)
{
    char longer[2 * OUT_LINE_MAX];
    const char *text;

    out_init();
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    out("%s", longer);
    out_flush();
    text = host_console_text();
    CHECK_EQ(strlen(text), OUT_LINE_MAX - 1);
    CHECK_STR(text + OUT_LINE_MAX - 5, "...\n");
}

TEST(console, a_long_answer_while_forwarding_comes_in_portions)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    host_console_clear();
    host_console_type("help all\r");
    console_poll();
    CHECK(strlen(host_console_text()) < 130);
    for (unsigned i = 0; i < 300; i++) {
        host_advance_us(10000);
        console_poll();
    }
    CHECK_CONTAINS(host_console_text(), "\nmillrace> ");
}

TEST(console, ctrl_c_ends_an_answer_that_still_leaves)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    host_console_clear();
    host_console_type("help all\r");
    console_poll();
    host_console_clear();
    host_console_type("\x03show version\r");
    for (unsigned i = 0; i < 30; i++) {
        host_advance_us(10000);
        console_poll();
    }
    CHECK_CONTAINS(host_console_text(),
                   "^C\nmillrace> show version\nMillrace 1.2.3\n");
    CHECK(strstr(host_console_text(), "set burst") == NULL);
}

/* ---- port blocks ---- */

TEST(console, port_stats_are_testpmds_block)
{
    begin();
    *port_fake_stats(1) = (struct port_stats) { .ipackets = 12345,
                                                .opackets = 6,
                                                .ibytes = 740700,
                                                .obytes = 360,
                                                .imissed = 7,
                                                .ierrors = 8,
                                                .oerrors = 9,
                                                .rx_nombuf = 10 };
    CHECK_CONTAINS(
        type("show port stats 1\r"),
        "\n  ######################## NIC statistics for port 1  "
        "########################\n"
        "  RX-packets: 12345      RX-missed: 7          RX-bytes:  740700\n"
        "  RX-errors: 8\n"
        "  RX-nombuf:  10        \n"
        "  TX-packets: 6          TX-errors: 9          TX-bytes:  360\n"
        "\n  Throughput (since last show)\n"
        "  Rx-pps:            0          Rx-bps:            0\n"
        "  Tx-pps:            0          Tx-bps:            0\n"
        "  ########################################################"
        "####################\n");
}

/* The keys of `/ethdev/stats`. A program's look leaves a person's rates alone. */
TEST(console, port_stats_as_json_have_the_keys_of_telemetry)
{
    begin();
    *port_fake_stats(1) = (struct port_stats) { .ipackets = 12345,
                                                .opackets = 6,
                                                .ibytes = UINT64_MAX,
                                                .obytes = 360,
                                                .imissed = 7,
                                                .ierrors = 8,
                                                .oerrors = 9,
                                                .rx_nombuf = 10 };
    host_advance_us(1);
    type("show port stats 1\r");
    port_fake_stats(1)->ipackets += 5;
    CHECK_CONTAINS(type("show port stats 1 json\r"),
                   "\n{\"port_id\":1,\"ipackets\":12350,\"imissed\":7,"
                   "\"ibytes\":18446744073709551615,\"ierrors\":8,"
                   "\n\"rx_nombuf\":10,\"opackets\":6,\"oerrors\":9,"
                   "\"obytes\":360}\nmillrace> ");
    host_advance_us(1000000);
    CHECK_CONTAINS(type("show port stats 1\r"), "  Rx-pps:            5 ");
}

TEST(console, all_ports_are_a_list_in_json)
{
    begin();
    CHECK_CONTAINS(type("show port xstats all json\r"),
                   "\n{\"ports\":[{\"port_id\":0},{\"port_id\":1}]}\n"
                   "millrace> ");
}

/* 1000 packets of 60 bytes in half a second: 2000 a second, 960000 bit/s. */
TEST(console, throughput_is_since_the_last_show)
{
    begin();
    host_advance_us(1000000);
    type("show port stats 0\r");
    port_fake_stats(0)->ipackets += 1000;
    port_fake_stats(0)->ibytes += 60000;
    host_advance_us(500000);
    CHECK_CONTAINS(type("show port stats 0\r"),
                   "  Rx-pps:         2000          Rx-bps:       960000\n"
                   "  Tx-pps:            0          Tx-bps:            0\n");
}

TEST(console, throughput_is_zero_not_negative_after_a_clear)
{
    begin();
    host_advance_us(1000000);
    port_fake_stats(0)->ipackets += 1000;
    type("show port stats 0\r");
    CHECK_CONTAINS(type("clear port stats 0\r"),
                   "\n  NIC statistics for port 0 cleared\n");
    host_advance_us(500000);
    CHECK_CONTAINS(type("show port stats 0\r"), "  Rx-pps:            0 ");
    CHECK_CONTAINS(host_console_text(), "  RX-packets: 0          RX-missed");
}

TEST(console, all_ports_are_shown_in_order)
{
    const char *text, *first, *second;

    begin();
    text = type("show port stats all\r");
    first = strstr(text, "NIC statistics for port 0 ");
    second = strstr(text, "NIC statistics for port 1 ");
    CHECK(first != NULL && second != NULL && first < second);
}

TEST(console, port_info_has_testpmds_fields_in_order)
{
    static const char *const fields[] = {
        "\n********************* Infos for port 0  *********************\n",
        "MAC address: 00:1b:21:00:00:00\n",
        "Device name: 0000:01:00.0\n",
        "Driver name: fake\n",
        "Firmware-version: 1.0\n",
        "Link status: up\n",
        "Link speed: 40 Gbps\n",
        "Link duplex: full-duplex\n",
        "Autoneg status: Off\n",
        "MTU: 1500\n",
        "Promiscuous mode: disabled\n",
        "Maximum configurable length of RX packet: 9728\n",
        "Current number of RX queues: 1\n",
        "Max possible RX queues: 64\n",
        "Max possible number of RXDs per queue: 8160\n",
        "Min possible number of RXDs per queue: 64\n",
        "RXDs number alignment: 32\n",
        "Current number of TX queues: 1\n",
        "Device private info:\n",
    };
    const char *at;

    begin();
    at = type("show port info 0\r");
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        CHECK_CONTAINS(at, fields[i]);
        at = strstr(at, fields[i]);
    }
}

TEST(console, link_speeds_are_spelled_as_testpmd_does)
{
    static const struct {
        uint32_t mbps;
        const char *text;
    } rows[] = {
        { 0, "Link speed: None\n" },        { 100, "Link speed: 100 Mbps\n" },
        { 1000, "Link speed: 1 Gbps\n" },   { 2500, "Link speed: 2.5 Gbps\n" },
        { 10000, "Link speed: 10 Gbps\n" }, { 25000, "Link speed: 25 Gbps\n" },
    };

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        port_fake_link(0)->speed_mbps = rows[i].mbps;
        CHECK_CONTAINS(type("show port info 0\r"), rows[i].text);
    }
    port_fake_link(0)->up = false;
    CHECK_CONTAINS(type("show port info 0\r"),
                   "Link status: down\nLink speed: None\n");
}

TEST(console, xstats_are_name_and_value)
{
    static const struct port_xstat table[] = {
        { "rx_good_packets", 3 },
        { "tx_size_64_packets", UINT64_MAX },
    };

    begin();
    port_fake_xstats(table, 2);
    CHECK_CONTAINS(type("show port xstats 0\r"),
                   "###### NIC extended statistics for port 0 \n"
                   "rx_good_packets: 3\n"
                   "tx_size_64_packets: 18446744073709551615\n");
    type("clear port xstats all\r");
    CHECK_EQ(port_fake_xstats_clears(0), 1);
    CHECK_EQ(port_fake_xstats_clears(1), 1);
}

/* ---- forwarding ---- */

static void receive(unsigned port, unsigned n)
{
    while (n-- > 0) {
        struct mbuf *m = mbuf_alloc(pool);

        CHECK(m != NULL);
        m->data_len = 60;
        m->pkt_len = 60;
        port_fake_receive(port, m);
    }
}

TEST(console, start_tells_what_is_started_and_stop_what_came_of_it)
{
    begin();
    CHECK_CONTAINS(
        type("start\r"),
        "io packet forwarding - ports=2 - cores=1 - streams=2 - NUMA support "
        "disabled, MP allocation mode: native\n"
        "Logical Core 0 (socket 0) forwards packets on 2 streams:\n"
        "  RX P=0/Q=0 (socket 0) -> TX P=1/Q=0 (socket 0) "
        "peer=02:00:00:00:00:01\n"
        "  RX P=1/Q=0 (socket 0) -> TX P=0/Q=0 (socket 0) "
        "peer=02:00:00:00:00:00\n");
    CHECK_CONTAINS(type("start\r"), "Packet forwarding already started\n");
    receive(0, 20);
    port_fake_tx_room(1, 15);
    port_fake_stats(0)->imissed = 3;
    fwd_run(1);
    CHECK_CONTAINS(
        type("stop\r"),
        "Telling cores to stop...\nWaiting for lcores to finish...\n"
        "\n  ---------------------- Forward statistics for port 0  "
        "----------------------\n"
        "  RX-packets: 20             RX-dropped: 3             RX-total: 23\n"
        "  TX-packets: 0              TX-dropped: 0             TX-total: 0\n"
        "  --------------------------------------------------------------------"
        "--------\n"
        "\n  ---------------------- Forward statistics for port 1  "
        "----------------------\n"
        "  RX-packets: 0              RX-dropped: 0             RX-total: 0\n"
        "  TX-packets: 15             TX-dropped: 5             TX-total: 20\n"
        "  Drop tx_full: 5\n"
        "  --------------------------------------------------------------------"
        "--------\n"
        "\n  +++++++++++++++ Accumulated forward statistics for all "
        "ports+++++++++++++++\n"
        "  RX-packets: 20             RX-dropped: 3             RX-total: 23\n"
        "  TX-packets: 15             TX-dropped: 5             TX-total: 20\n"
        "  +++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++"
        "+++++++++\n"
        "\nDone.\n");
    CHECK_CONTAINS(type("stop\r"), "Packet forwarding not started\n");
}

TEST(console, forwarding_from_ring_to_ring_can_be_turned_off)
{
    begin();
    CHECK(engine_fused_get());
    type("set fused off\r");
    CHECK(!engine_fused_get());
    type("set fused on\r");
    CHECK(engine_fused_get());
}

TEST(console, start_can_send_first)
{
    begin();
    type("start tx_first\r");
    CHECK_EQ(port_fake_sent_count(0), 32);
    CHECK_EQ(port_fake_sent_count(1), 32);
    CHECK_CONTAINS(type("start tx_first 2\r"), "already started\n");
    type("stop\r");
    type("start\r"); /* what was refused above is not made up for */
    CHECK_EQ(port_fake_sent_count(0), 32);
    type("stop\r");
    type("start tx_first 2\r");
    CHECK_EQ(port_fake_sent_count(0), 96);
}

/* An engine whose bursts take 2 us: 2000 of the test's cycles. */
static always_inline unsigned slow_burst(struct stream *s, unsigned max)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    const unsigned n = stream_receive(s, pkts, max);

    host_advance_us(2);
    if (n > 0)
        stream_send(s, pkts, n);
    return n;
}

ENGINE(slow, slow_burst, false, "test");

TEST(console, cycles_are_told_when_they_were_recorded)
{
    begin();
    fwd_engine_set(&engine_slow);
    type("start\r");
    receive(0, 3);
    fwd_run(1);
    CHECK(strstr(type("show fwd stats all\r"), "cycles") == NULL);
    type("set record-core-cycles on\r");
    receive(0, 3);
    fwd_run(2);
    CHECK_CONTAINS(type("show fwd stats all\r"),
                   "\n  CPU cycles/packet=1333.33 (busy cycles=4000 / total RX "
                   "packets=3 / busy rounds=1) at 1000 MHz Clock\n");
    type("set record-core-cycles off\r");
    CHECK(strstr(type("stop\r"), "cycles") == NULL);
}

TEST(console, receive_errors_appear_only_when_there_are_some)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    type("show fwd stats all\r");
    CHECK(strstr(host_console_text(), "RX-error") == NULL);
    CHECK(strstr(host_console_text(), "RX-nombufs") == NULL);
    port_fake_stats(0)->rx_nombuf = 2;
    CHECK_CONTAINS(type("show fwd stats all\r"),
                   "  RX-error: 0\n  RX-nombufs: 2             \n");
    type("clear fwd stats all\r");
    type("show fwd stats all\r");
    CHECK(strstr(host_console_text(), "RX-nombufs") == NULL);
}

TEST(console, start_refuses_when_a_port_is_stopped)
{
    begin();
    CHECK_CONTAINS(type("port stop 1\r"), "Stopping ports...\nDone\n");
    CHECK_EQ(port_fake_info(1)->state, PORT_STOPPED);
    CHECK_CONTAINS(type("start\r"), "Not all ports were started\n");
    type("port start all\r");
    CHECK_EQ(port_fake_info(1)->state, PORT_STARTED);
    CHECK_CONTAINS(type("start\r"), "io packet forwarding");
}

TEST(console, a_port_in_use_is_not_stopped)
{
    begin();
    type("start\r");
    CHECK_CONTAINS(type("port stop 0\r"),
                   "Please remove port 0 from forwarding configuration");
    CHECK_EQ(port_fake_info(0)->state, PORT_STARTED);
}

TEST(console, a_port_outside_the_list_may_be_stopped_while_forwarding)
{
    begin();
    type("set portlist 0\rstart\r");
    CHECK(fwd_is_running());
    type("port stop 1\r");
    CHECK_EQ(port_fake_info(1)->state, PORT_STOPPED);
}

TEST(console, failures_of_a_port_are_said)
{
    begin();
    port_fake_fail(PORT_FAKE_STOP, E_TIMEOUT, 0);
    CHECK_CONTAINS(type("port stop 0\r"), "Fail to stop port 0: timed out\n");
    port_fake_fail(PORT_FAKE_START, E_IO, 1);
    CHECK_CONTAINS(type("port start all\r"),
                   "Fail to start port 1: device error\n");
    port_fake_fail(PORT_FAKE_PROMISCUOUS, E_GONE, 0);
    CHECK_CONTAINS(type("set promisc all on\r"),
                   "set promisc: device does not answer\n");
    CHECK(port_fake_info(1)->promiscuous); /* the second one is done */
}

TEST(console, settings_take_effect)
{
    static const uint8_t mac[6] = { 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
    uint8_t got[6];

    begin();
    CHECK_CONTAINS(type("set fwd macswap\r"),
                   "Set macswap packet forwarding mode\n");
    CHECK_STR(fwd_engine_get()->name, "macswap");
    CHECK_CONTAINS(type("set burst 16\r"),
                   "Number of packets per burst set to 16\n");
    CHECK_EQ(fwd_burst_get(), 16);
    type("set txpkts 1500\r");
    CHECK_EQ(fwd_txpkts_get(), 1500);
    type("set eth-peer 1 aa:bb:cc:dd:ee:ff\r");
    fwd_peer_get(1, got);
    CHECK_BYTES(got, mac, 6);
    type("set promisc 0 on\r");
    CHECK(port_fake_info(0)->promiscuous);
    CHECK(!port_fake_info(1)->promiscuous);
    type("set promisc all off\r");
    CHECK(!port_fake_info(0)->promiscuous);
    CHECK_CONTAINS(type("set verbose 1\r"), "not supported");
    CHECK_STR(type("set verbose 0\r"), "set verbose 0\nmillrace> ");
}

TEST(console, a_port_list_is_not_changed_while_forwarding)
{
    begin();
    type("start\r");
    CHECK_CONTAINS(type("set portlist 1\r"), "Stop packet forwarding first\n");
    type("stop\r");
    CHECK_STR(type("set portlist 1\r"), "set portlist 1\nmillrace> ");
    CHECK_EQ(fwd_port_count(), 1);
    CHECK_CONTAINS(type("set portlist 1,1\r"), "already exists\n");
}

TEST(console, config_shows_engine_rings_and_cores)
{
    begin();
    type("set fwd txonly\r");
    CHECK_CONTAINS(type("show config rxtx\r"),
                   "  txonly packet forwarding packets/burst=32\n"
                   "  packet len=64 - nb packet segments=1\n"
                   "  nb forwarding cores=1 - nb forwarding ports=2\n"
                   "  port 0: RX queue number: 1 Tx queue number: 1\n"
                   "    Rx offloads=0x0 Tx offloads=0x0\n"
                   "    RX queue: 0\n"
                   "      RX desc=1024\n"
                   "    TX queue: 0\n"
                   "      TX desc=1024 - TX free threshold=");
    CHECK_CONTAINS(type("show config cores\r"),
                   "List of forwarding lcores:  0\n");
    type("show config\r");
    CHECK_CONTAINS(host_console_text(), "packets/burst=32");
    CHECK_CONTAINS(host_console_text(), "MP allocation mode");
    CHECK_CONTAINS(host_console_text(), "List of forwarding lcores");
}

/* ---- help, system ---- */

TEST(console, help_names_sections_and_explains_every_command)
{
    begin();
    CHECK_CONTAINS(type("help\r"),
                   "\nHelp is available for the following sections:\n\n"
                   "    help control                    : Start and stop");
    CHECK_CONTAINS(type("help all\r"), "\nset burst <1..512>\n    ");
    CHECK_CONTAINS(host_console_text(), "\nshow port info|stats|xstats ");
    CHECK_CONTAINS(host_console_text(), "\ndebug fault <fault>\n");
    CHECK_CONTAINS(type("help config\r"), "set fwd <engine>\n");
    CHECK(strstr(host_console_text(), "quit") == NULL);
    CHECK_CONTAINS(type("help set b\r"), "\"b\" does not fit here");
    CHECK_CONTAINS(type("help set burst\r"),
                   "\nset burst <1..512>\n    packets taken from a queue");
    CHECK(strstr(host_console_text(), "set fwd") == NULL);
    CHECK_CONTAINS(type("help set eth-peer\r"), "\n    <mac>: an Ethernet");
    CHECK_CONTAINS(type("help quit set\r"), "No command begins with these");
}

TEST(console, memory_and_pools_are_shown)
{
    begin();
    receive(0, 12);
    CHECK_CONTAINS(type("show mempool\r"),
                   "mb_pool_0                 512      500       12      2176");
    CHECK_CONTAINS(type("show memory\r"), "memory: 16384 KiB, used ");
    CHECK_CONTAINS(host_console_text(), "mb_pool_0 ");
}

/*
 * 12 single gets: the first takes a group of 16 (half the cache) from the
 * store, so 4 stay in the cache and 11 of 12 calls were hits.
 */
TEST(console, mempool_says_where_every_buffer_is)
{
    begin();
    receive(0, 12);
    CHECK_CONTAINS(
        type("show mempool\r"),
        "mb_pool_0       buffers        gets   hits        puts   hits  "
        "to store  failed\n"
        "  shared store      496\n"
        "  cache of 0          4          12  91.6%           0      -"
        "         1       0\n");
    CHECK_CONTAINS(host_console_text(),
                   "in use: 12 in receive rings, 0 in transmit rings, 0 held "
                   "by `debug mempool`, 0 elsewhere\n");
    CHECK_EQ(fwd_start(), OK);
    fwd_run(1);
    port_fake_leaving(1, 5);
    CHECK_CONTAINS(type("show mempool\r"),
                   "in use: 0 in receive rings, 5 in transmit rings, 0 held "
                   "by `debug mempool`, 7 elsewhere\n");
}

TEST(console, buffers_are_held_and_given_back)
{
    begin();
    CHECK_CONTAINS(type("debug mempool hold 100\r"),
                   "mb_pool_0: holds 100 buffers\n");
    CHECK_EQ(mempool_available(pool), POOL_COUNT - 100);
    CHECK_CONTAINS(type("debug mempool hold 1\r"), "holds 101 buffers\n");
    CHECK_CONTAINS(type("show mempool\r"),
                   "101 held by `debug mempool`, 0 elsewhere\n");
    CHECK_CONTAINS(type("debug mempool hold\r"), "holds 512 buffers\n");
    CHECK_EQ(mempool_available(pool), 0);
    CHECK_CONTAINS(type("debug mempool hold\r"), "holds 512 buffers\n");
    CHECK(mbuf_alloc(pool) == NULL);
    CHECK_CONTAINS(type("debug mempool release\r"), "holds 0 buffers\n");
    CHECK_EQ(mempool_available(pool), POOL_COUNT);
    CHECK_CONTAINS(type("debug mempool release\r"), "holds 0 buffers\n");
    CHECK_CONTAINS(type("debug mempool hold 0\r"), "expected a number 1..");
}

TEST(console, version_boot_and_pci_are_shown)
{
    static const struct console_hooks bare = { .version = "x" };

    begin();
    CHECK_CONTAINS(type("show boot\r"), "entry 0 us\n");
    CHECK_STR(type("show pci\r"), "show pci\nmillrace> ");
    console_init(&bare);
    console_open();
    CHECK_CONTAINS(type("show boot\r"), "No start-up times were taken\n");
}

TEST(console, a_fault_is_announced_before_it_is_triggered)
{
    begin();
    faults_triggered = 0;
    CHECK_CONTAINS(type("debug fault page\r"),
                   "Provoking fault page: read page 0\nNothing happened\n");
    CHECK_EQ(faults_triggered, 1);
}

TEST(console, quit_stops_closes_and_powers_off)
{
    begin();
    type("start\r");
    receive(0, 5);
    host_console_clear();
    host_console_type("quit\r");
    CHECK_EXITS(HOST_POWER_OFF, console_poll());
    CHECK_CONTAINS(host_console_text(), "\nBye...\n");
    CHECK(!fwd_is_running());
    CHECK_EQ(port_fake_info(0)->state, PORT_CLOSED);
    CHECK_EQ(port_fake_info(1)->state, PORT_CLOSED);
    CHECK_EQ(mempool_available(pool), POOL_COUNT);
}

TEST(console, reboot_closes_and_resets)
{
    begin();
    host_console_type("reboot\r");
    CHECK_EXITS(HOST_REBOOT, console_poll());
    CHECK_EQ(port_fake_info(1)->state, PORT_CLOSED);
}
