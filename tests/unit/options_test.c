/*
 * options_test.c - LoadOptions: every word, every refusal
 */
#include <stdio.h>

#include "tests/unit/test.h"

#include <stdlib.h>

#include "console/options.h"
#include "console/options_impl.h"
#include "mm/node.h"
#include "net/engine.h"
#include "tests/fake/port_fake.h"

static struct options o;

static void good(const char *text)
{
    const enum status s = options_parse(text, &o);

    if (s != OK)
        print_error("\"%s\" refused: %s\n", text, o.error);
    CHECK_EQ(s, OK);
    CHECK_STR(o.error, "");
}

/* Refused at @column with a message that contains @why. */
static void bad(const char *text, unsigned column, const char *why)
{
    CHECK_EQ(options_parse(text, &o), E_INVALID);
    CHECK_CONTAINS(o.error, why);
    if (o.error_column != column)
        print_error("\"%s\": %u, %s\n", text, o.error_column, o.error);
    CHECK_EQ(o.error_column, column);
}

TEST(options, no_words_are_the_defaults)
{
    static const char *const none[] = { NULL, "", "   \t ", "--", "-- " };

    for (unsigned i = 0; i < ARRAY_SIZE(none); i++) {
        good(none[i]);
        CHECK_STR(o.engine->name, "io");
        CHECK_EQ(o.burst, 32);
        CHECK_EQ(o.rxd, 2048);
        CHECK_EQ(o.txd, 4096);
        CHECK_EQ(o.txrst, 32);
        CHECK_EQ(o.txfreet, 32);
        CHECK_EQ(o.mbcache, 256);
        CHECK_EQ(o.nb_cores, 0);
        CHECK_EQ(o.place_count, 0);
        CHECK_EQ(o.madt_instance, 0);
        CHECK_EQ(o.idle, CORE_IDLE_AUTO);
        CHECK_EQ(o.portmask, 0);
        CHECK_EQ(o.main_lcore, LCORE_MAX);
        CHECK_EQ(o.log_level, LOG_INFO);
        CHECK_EQ(o.max_simd_bits, 512);
        CHECK(!o.auto_start);
        CHECK_STR(o.console, "");
        CHECK_STR(o.ignored, "");
    }
}

TEST(options, testpmd_words_are_taken)
{
    good("-- --forward-mode=macswap --rxd=64 --txd=8160 --txrst 16 "
         "--txfreet=48 --burst=64 --mbcache=512 --total-num-mbufs=8192 "
         "--nb-cores=1 --portmask=0x3 --stats-period=5 --rxq=1 --txq=1 "
         "--auto-start --txpkts=128 --port-topology=paired "
         "--eth-peer=1,aa:bb:cc:dd:ee:ff --disable-device-start");
    CHECK_STR(o.engine->name, "macswap");
    CHECK_EQ(o.rxd, 64);
    CHECK_EQ(o.txd, 8160);
    CHECK_EQ(o.txrst, 16);
    CHECK_EQ(o.txfreet, 48);
    CHECK_EQ(o.burst, 64);
    CHECK_EQ(o.mbcache, 512);
    CHECK_EQ(o.total_num_mbufs, 8192);
    CHECK_EQ(o.portmask, 3);
    CHECK_EQ(o.stats_period, 5);
    CHECK_EQ(o.txpkts, 128);
    CHECK(o.auto_start);
    CHECK(o.disable_device_start);
    CHECK_EQ(o.peer_given, 2);
    CHECK_BYTES(o.peer[1], "\xaa\xbb\xcc\xdd\xee\xff", 6);
}

TEST(options, eal_words_are_taken)
{
    good("-l 0-2,5 --main-lcore=0 -a 0000:3b:00.0 --allow 5e:00.1 -n 4 "
         "--log-level=pmd.net.i40e:debug --force-max-simd-bitwidth=256 --");
    CHECK_EQ(o.lcores[0], 0x27);
    CHECK_EQ(o.main_lcore, 0);
    CHECK_EQ(o.allow_count, 2);
    CHECK_EQ(o.allow[0].bus, 0x3b);
    CHECK_EQ(o.allow[1].bus, 0x5e);
    CHECK_EQ(o.allow[1].function, 1);
    CHECK_EQ(o.log_level, LOG_DEBUG);
    CHECK_EQ(o.max_simd_bits, 256);
    CHECK_STR(o.ignored, "-n");
}

TEST(options, short_options_take_attached_values)
{
    good("-l0,255 -b0000:01:00.0 -n4");
    CHECK_EQ(o.lcores[0], 1);
    CHECK_EQ(o.lcores[3], UINT64_C(1) << 63);
    CHECK_EQ(o.block_count, 1);
}

/* As eal_common_options.c chooses it. */
TEST(options, the_main_lcore_is_the_one_named_or_the_first)
{
    good("");
    CHECK_EQ(options_main_lcore(&o), 0);
    good("--main-lcore 7");
    CHECK_EQ(options_main_lcore(&o), 7);
    good("-l 0-3");
    CHECK_EQ(options_main_lcore(&o), 0);
    good("-l 70,5-6");
    CHECK_EQ(options_main_lcore(&o), 5);
    good("-l 2-5 --main-lcore 4");
    CHECK_EQ(options_main_lcore(&o), 4);
}

TEST(options, ports_and_their_nodes_are_named_as_in_testpmd)
{
    good("");
    CHECK_EQ(o.port_node_given, 0);
    CHECK_EQ(o.socket_num, NODE_ANY);
    good("-- --port-numa-config=(0,1),(31,255) --socket-num 3");
    CHECK_EQ(o.port_node_given, 0x80000001);
    CHECK_EQ(o.port_node[0], 1);
    CHECK_EQ(o.port_node[31], 255);
    CHECK_EQ(o.socket_num, 3);
    bad("-- --port-numa-config=(0,1),(0,0)", 4, "each port once");
    bad("-- --port-numa-config=(32,1)", 4, "(port,node)");
    bad("-- --port-numa-config=(0,256)", 4, "(port,node)");
    bad("-- --port-numa-config=(0,1,2)", 4, "(port,node)");
    bad("-- --port-numa-config=(0,1),", 4, "(port,node)");
    bad("-- --port-numa-config=0,1", 4, "(port,node)");
    bad("-- --socket-num=256", 4, "0..255");
}

TEST(options, lcores_may_name_the_core_they_are)
{
    good("--lcores=0@0,1@1");
    CHECK_EQ(o.lcores[0], 3);
    bad("--lcores=0@0,1@0", 1, "an lcore is the core of that number");
}

TEST(options, places_name_port_queue_and_core)
{
    good("-l 0-5 -- --rxq=64 --config=(0,0,1),(1,0,2),(31,63,5)");
    CHECK_EQ(o.place_count, 3);
    CHECK_EQ(o.place[0].port, 0);
    CHECK_EQ(o.place[0].lcore, 1);
    CHECK_EQ(o.place[2].port, 31);
    CHECK_EQ(o.place[2].queue, 63);
    CHECK_EQ(o.place[2].lcore, 5);
    good("-- -p 0x3 -P --config '(0,0,255), (1,0,0)'");
    CHECK_EQ(o.place_count, 2);
    CHECK_EQ(o.place[0].lcore, 255);
    CHECK_EQ(o.portmask, 3);
    CHECK_STR(o.ignored, "-P");
}

TEST(options, places_that_say_nothing_or_too_much_are_refused)
{
    static const char *const wrong[] = {
        "0,0,1",    "(0,0)",    "(0,0,1,2)", "(0,0,1",       "(0,0,256)",
        "(32,0,1)", "(0,64,1)", "(0,0,1),",  "()",           "(0,0,1)(1,0,2)",
        "(0,0,-1)", "(,0,1)",   "(0,0,1)x",  "(0,000000,1)",
    };
    char line[64];

    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++) {
        snprintf(line, sizeof(line), "-- --config=%s", wrong[i]);
        bad(line, 4, "(port,queue,core)");
    }
    bad("-- --config=(0,0,1),(0,0,2)", 28, "names a queue of a port twice");
    bad("-l 0-1 -- --config=(0,0,2)", 27, "not among those of -l");
    bad("-- --config=(0,0,1) --nb-cores=1", 33, "only one of them");
}

TEST(options, kernel_words_are_taken_on_either_side)
{
    good("console=ttyS1,115200n8 loglevel=8 -- debug-exit=0xf4 panic=-1");
    CHECK_STR(o.console, "ttyS1,115200n8");
    CHECK_EQ(o.log_level, LOG_DEBUG);
    CHECK_EQ(o.debug_exit, 0xf4);
    CHECK_EQ(o.panic_s, -1);
    good("idle=halt");
    CHECK_EQ(o.idle, CORE_IDLE_HALT);
    good("idle=nomwait");
    CHECK_EQ(o.idle, CORE_IDLE_HALT);
    good("-- idle=mwait");
    CHECK_EQ(o.idle, CORE_IDLE_MWAIT);
    good("panic=30");
    CHECK_EQ(o.panic_s, 30);
    /* For the loader; what is wrong with the name it has said already. */
    good("config=dut3.conf -- --config=(0,0,1)");
    good("-- config=none");
}

/* Linux: messages with a level smaller than the number are printed. */
TEST(options, loglevel_is_linuxs_and_log_level_is_eals)
{
    good("loglevel=0");
    CHECK_EQ(o.log_level, LOG_EMERG);
    good("loglevel=4");
    CHECK_EQ(o.log_level, LOG_ERR);
    good("--log-level=4"); /* RTE_LOG_ERR is 4 */
    CHECK_EQ(o.log_level, LOG_ERR);
    good("--log-level=notice");
    CHECK_EQ(o.log_level, LOG_NOTICE);
    good("--log-level lib.eal:8");
    CHECK_EQ(o.log_level, LOG_DEBUG);
}

TEST(options, quotes_keep_blanks_and_are_taken_off)
{
    good("console=\"a b\" -- '--forward-mode'=\"mac\"");
    CHECK_STR(o.console, "a b");
    CHECK_STR(o.engine->name, "mac");
    bad("loglevel=3 console=\"ttyS0", 20, "quote that is not closed");
}

TEST(options, the_last_of_two_equal_words_counts)
{
    good("-- --burst=1 --burst=2");
    CHECK_EQ(o.burst, 2);
}

TEST(options, words_without_sense_here_are_listed_as_ignored)
{
    good("-m 512 --huge-dir=/dev/hugepages --file-prefix x --iova-mode=pa "
         "--no-huge --huge-unlink --huge-unlink=never --socket-mem 1,1 "
         "-- -i --mp-alloc=anon --numa");
    CHECK_STR(o.ignored, "-m --huge-dir --file-prefix --iova-mode --no-huge "
                         "--huge-unlink --huge-unlink --socket-mem -i "
                         "--mp-alloc --numa");
}

TEST(options, a_long_list_of_ignored_words_is_cut_not_overrun)
{
    char text[OPTIONS_BYTES_MAX] = "";

    for (unsigned i = 0; i < 60; i++)
        strcat(text, "--single-file-segments ");
    good(text);
    CHECK_EQ(strlen(o.ignored), sizeof(o.ignored) - 1);
}

/* ---- refusals ---- */

TEST(options, errors_name_the_column_and_what_was_expected)
{
    bad("-- --rxd=63", 4, "64..8160, a multiple of 32");
    bad("-- --rxd=100", 4, "64..8160, a multiple of 32");
    bad("-- --rxd=8192", 4, "64..8160, a multiple of 32");
    bad("-- --rxd 96x", 10, "64..8160, a multiple of 32");
    bad("-- --rxd=-64", 4, "64..8160, a multiple of 32");
    bad("-- --rxd=", 4, "64..8160");
    bad("-- --rxd", 4, "64..8160");
    bad("-- --rxd --txd=64", 4, "64..8160");
    bad("-- --burst=0", 4, "1..512");
    bad("-- --burst=513", 4, "1..512");
    bad("-- --burst=18446744073709551617", 4, "1..512");
    bad("-- --mbcache=513", 4, "0..512");
    bad("-- --rxq=0", 4, "expected a number 1..64");
    bad("-- --txq=65", 4, "expected a number 1..64");
    bad("-- --nb-cores=0", 4, "expected a number 1..255");
    bad("-- --nb-cores=256", 4, "expected a number 1..255");
    bad("-- --portmask=0", 4, "mask");
    bad("-- --portmask=zz", 4, "mask");
    bad("-- --portmask=1ffffffff", 4, "mask");
    bad("-- --forward-mode=flowgen", 4, "io, mac, macswap, rxonly or txonly");
    bad("-- --port-topology=chained", 4, "paired");
    bad("-- --eth-peer=0", 4, "port,aa:bb:cc:dd:ee:ff");
    bad("-- --eth-peer=32,aa:bb:cc:dd:ee:ff", 4, "port,aa:");
    bad("-- --eth-peer=0,aa:bb:cc:dd:ee", 4, "port,aa:");
    bad("-- --auto-start=1", 4, "no value");
    bad("-a 3b:00", 4, "PCI address");
    bad("-a 0000:3b:20.0", 4, "PCI address");
    bad("-a 0000:3b:00.0,queues=1", 4, "without device arguments");
    bad("-a 01:00.0 -b 01:00.1", 15, "not --allow together with --block");
    bad("-b 01:00.0 -a 01:00.1", 15, "not --allow together with --block");
    bad("-l 256", 4, "below 256");
    bad("-l 3-1", 4, "cores like");
    bad("-l 0,", 4, "cores like");
    bad("-l ,0", 4, "cores like");
    bad("-l", 1, "cores like");
    bad("--main-lcore=256", 1, "0..255");
    bad("--main-lcore=", 1, "0..255");
    bad("-l 1-3 --main-lcore=0", 22, "--main-lcore is not among the cores");
    bad("acpi_apic_instance=17", 1, "0..16");
    bad("idle=poll", 1, "mwait, halt or nomwait");
    bad("--log-level=9", 1, "1..8");
    bad("--log-level=0", 1, "1..8");
    bad("--log-level=loud", 1, "1..8");
    bad("--force-max-simd-bitwidth=100", 1, "64, 128, 256 or 512");
    bad("loglevel=9", 1, "0..8");
    bad("loglevel", 1, "0..8");
    bad("console=", 1, "ttyS0,115200n8");
    bad("config=", 1, "a file's name, or none");
    bad("debug-exit=0x10000", 1, "I/O port");
    bad("panic=x", 1, "seconds");
}

TEST(options, unknown_words_get_a_hint)
{
    bad("quiet", 1, "not known here; expected an EAL option");
    bad("-- hello", 4, "not known here; expected a testpmd option");
    bad("--forward-mode=io", 1, "--forward-mode belongs behind a lone --");
    bad("-- --allow=01:00.0", 4, "--allow belongs before a lone --");
    bad("-- --forwrad-mode=io", 4, "did you mean --forward-mode?");
    bad("-- -- --burst=1", 4, "not known here");
    bad("-- -x", 4, "not known here");
    bad("=", 1, "not known here");
}

TEST(options, bytes_that_are_no_text_are_refused)
{
    bad("-n 4 \x01", 6, "no character");
    bad("caf\xc3\xa9", 4, "no character");
}

TEST(options, too_long_and_too_many_are_refused)
{
    static char text[2 * OPTIONS_BYTES_MAX];

    memset(text, 'x', sizeof(text) - 1);
    bad(text, OPTIONS_BYTES_MAX, "4095 bytes");
    text[0] = '\0';
    for (unsigned i = 0; i <= OPTIONS_WORDS_MAX; i++)
        strcat(text, "-v ");
    bad(text, OPTIONS_WORDS_MAX * 3 + 1, "at most 128");
}

/* P2 */
TEST(options, after_an_error_only_the_console_words_are_kept)
{
    bad("console=ttyS1 loglevel=8 -- --burst=64 --auto-start --bogus", 53,
        "not known");
    CHECK_STR(o.console, "ttyS1");
    CHECK_EQ(o.log_level, LOG_DEBUG);
    CHECK_EQ(o.burst, 32);
    CHECK(!o.auto_start);
}

TEST(options, allow_and_block_decide_about_devices)
{
    const struct pci_addr first = { .bus = 1 };
    const struct pci_addr second = { .bus = 1, .function = 1 };

    good("");
    CHECK(options_allow(&o, first) && options_allow(&o, second));
    good("-a 01:00.1");
    CHECK(!options_allow(&o, first) && options_allow(&o, second));
    good("-b 01:00.1");
    CHECK(options_allow(&o, first) && !options_allow(&o, second));
}

TEST(options, more_devices_than_ports_are_refused)
{
    char text[OPTIONS_BYTES_MAX] = "";

    for (unsigned i = 0; i < PORT_MAX; i++)
        strcat(text, "-a 01:00.0 ");
    good(text);
    strcat(text, "-a 01:00.0");
    bad(text, PORT_MAX * 11 + 4, "PCI address");
}

/* Each row of the table is either handled, a number, or ignored; never two. */
TEST(options, the_table_keeps_its_own_rules)
{
    for (const struct option *r = option_table; r->name != NULL; r++) {
        CHECK(r->set == NULL || r->high == 0);
        CHECK(r->high == 0 || (r->multiple > 0 && r->low <= r->high));
        CHECK_EQ(r->part == PART_KERNEL, r->name[0] != '-');
        CHECK(r->set == NULL || r->value == VALUE_NONE || r->expects != NULL);
        CHECK(r->field + sizeof(uint32_t) <= sizeof(o));
        for (const struct option *other = r + 1; other->name; other++)
            CHECK(r->part != other->part || strcmp(r->name, other->name) != 0);
    }
}

TEST(options, ten_thousand_random_lines_never_crash)
{
    static const char *const pieces[] = {
        "--",
        "-l",
        "0-3",
        "=",
        "\"",
        "'",
        " ",
        "-a",
        "0000:01:00.0",
        "console",
        "ttyS0",
        "--rxd",
        "64",
        ",",
        "@",
        "99999999999999999999",
        "--burst",
        "-",
        "--eth-peer=",
        "1,",
        "aa:bb:cc:dd:ee:ff",
        "x",
        "\t",
        "--log-level",
        ":",
        "debug",
        "--huge-unlink",
        "\xff",
        "panic=-",
    };
    char text[512];

    srand(4711);
    for (unsigned i = 0; i < 10000; i++) {
        unsigned n = (unsigned)rand() % 12;

        text[0] = '\0';
        while (n-- > 0)
            strcat(text, pieces[(unsigned)rand() % ARRAY_SIZE(pieces)]);
        if (options_parse(text, &o) == OK) {
            CHECK_STR(o.error, "");
        } else {
            CHECK(o.error[0] != '\0');
            CHECK(o.error_column >= 1 && o.error_column <= strlen(text) + 1);
        }
    }
}
