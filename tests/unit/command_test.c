/*
 * command_test.c - the grammar: what fits, what is refused, and how it is said
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "console/command.h"
#include "console/console.h"
#include "console/port_name.h"
#include "console/text.h"
#include "tests/fake/port_fake.h"

static struct command_call call;
static struct command_error error;

static void no_fault(void)
{
}

static const struct console_fault fault_table[] = {
    { "page", "read page 0", no_fault },
    { "panic", "call panic()", no_fault },
    { 0 },
};
static const struct console_hooks hooks = { .version = "test",
                                            .faults = fault_table };

static void begin(void)
{
    port_fake_reset(2, NULL);
    console_init(&hooks);
    host_console_clear();
}

/* @line is a call of @pattern. */
static void good(const char *line, const char *pattern)
{
    const enum status s = command_parse(line, &call, &error);

    if (s != OK)
        print_error("\"%s\" refused: %s\n", line, error.text);
    CHECK_EQ(s, OK);
    CHECK(call.command != NULL);
    CHECK_STR(call.command->pattern, pattern);
}

static void bad(const char *line, unsigned column, const char *why)
{
    CHECK_EQ(command_parse(line, &call, &error), E_INVALID);
    CHECK_CONTAINS(error.text, why);
    if (error.column != column)
        print_error("\"%s\": %u: %s\n", line, error.column, error.text);
    CHECK_EQ(error.column, column);
}

#define KEY                                                                    \
    "6D5A56DA255B0EC24167253D43A38FB0D0CA2BCBAE7B30B477CB2DA38030f20c6a42b73b" \
    "beac01fa6d5a56da255b0ec24167253d"

#define HELP "help [<topic>] [<topic>] [<topic>] [<topic>]"

TEST(command, every_command_is_understood)
{
    static const struct {
        const char *line, *pattern;
    } rows[] = {
        { "help", HELP },
        { "help control", HELP },
        { "help all", HELP },
        { "help set burst", HELP },
        { "start", "start" },
        { "start tx_first", "start tx_first [<1..65535>]" },
        { "start tx_first 8", "start tx_first [<1..65535>]" },
        { "stop", "stop" },
        { "quit", "quit" },
        { "reboot", "reboot" },
        { "show port info 0", "show port info|stats|xstats <port>|all [json]" },
        { "show port stats all",
          "show port info|stats|xstats <port>|all [json]" },
        { "show port xstats 1",
          "show port info|stats|xstats <port>|all [json]" },
        { "clear port stats all", "clear port stats|xstats <port>|all" },
        { "clear port xstats 0", "clear port stats|xstats <port>|all" },
        { "port start 0", "port start|stop <port>|all" },
        { "port stop all", "port start|stop <port>|all" },
        { "port 0 rxq 3 stop", "port <port> rxq|txq <0..63> start|stop" },
        { "port 1 txq 63 start", "port <port> rxq|txq <0..63> start|stop" },
        { "port config all rxq 4", "port config all rxq|txq <1..64>" },
        { "port config all rss ip|ipv4-udp",
          "port config all rss <rss-types>" },
        { "port config 0 rss-hash-key ipv4 " KEY,
          "port config <port> rss-hash-key <rss-types> <rss-key>" },
        { "port config all rss-hash-algo symmetric_toeplitz",
          "port config <port>|all rss-hash-algo "
          "default|toeplitz|symmetric_toeplitz" },
        { "port config 0 rss reta (0,1),(511,63)",
          "port config <port> rss reta <reta>" },
        { "show port 0 rss-hash", "show port <port> rss-hash [key|json]" },
        { "show port 0 rss-hash key", "show port <port> rss-hash [key|json]" },
        { "show port 0 rss-hash json", "show port <port> rss-hash [key|json]" },
        { "show port 1 rss reta", "show port <port> rss reta [json]" },
        { "show port queues all json", "show port queues <port>|all [json]" },
        { "set fwd io", "set fwd <engine>" },
        { "set fwd mac", "set fwd <engine>" },
        { "set fwd macswap", "set fwd <engine>" },
        { "set fwd rxonly", "set fwd <engine>" },
        { "set fwd txonly", "set fwd <engine>" },
        { "set burst 1", "set burst <1..512>" },
        { "set burst 512", "set burst <1..512>" },
        { "set txpkts 64", "set txpkts <42..2048>" },
        { "set promisc all off", "set promisc <port>|all on|off" },
        { "set promisc 1 on", "set promisc <port>|all on|off" },
        { "set fused off", "set fused on|off" },
        { "set record-core-cycles on", "set record-core-cycles on|off" },
        { "set verbose 0", "set verbose <0..65535>" },
        { "set eth-peer 0 aa:bb:cc:dd:ee:ff", "set eth-peer <port> <mac>" },
        { "set portlist 1,0", "set portlist <ports>" },
        { "show fwd stats all", "show fwd stats all [json]" },
        { "clear fwd stats all", "clear fwd stats all" },
        { "show config", "show config [json]" },
        { "show config json", "show config [json]" },
        { "show port stats all json",
          "show port info|stats|xstats <port>|all [json]" },
        { "show config fwd", "show config fwd|rxtx|cores [json]" },
        { "show config rxtx", "show config fwd|rxtx|cores [json]" },
        { "show config cores", "show config fwd|rxtx|cores [json]" },
        { "show memory", "show memory [json]" },
        { "show mempool", "show mempool [json]" },
        { "show pci", "show pci [json]" },
        { "show version", "show version [json]" },
        { "show boot", "show boot [json]" },
        { "debug fault page", "debug fault <fault>" },
    };

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        good(rows[i].line, rows[i].pattern);
}

TEST(command, words_arrive_with_value_and_column)
{
    begin();
    good("  set \t promisc 1   off", "set promisc <port>|all on|off");
    CHECK_EQ(call.count, 4);
    CHECK_EQ(call.word[2].number, 1);
    CHECK_EQ(call.word[2].choice, 0);
    CHECK_EQ(call.word[2].column, 17);
    CHECK_EQ(call.word[3].choice, 1);
    CHECK_EQ(call.word[3].column, 21);
    good("set promisc all on", "set promisc <port>|all on|off");
    CHECK_EQ(call.word[2].choice, 1);
    good("set burst 0x20", "set burst <1..512>");
    CHECK_EQ(call.word[2].number, 32);
}

TEST(command, ports_are_named_by_number_pci_or_mac)
{
    static const char *const names[] = { "1", "0000:01:00.1", "01:00.1",
                                         "00:1b:21:00:00:01" };
    char line[64];

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        snprintf(line, sizeof(line), "port start %s", names[i]);
        good(line, "port start|stop <port>|all");
        CHECK_EQ(call.word[2].number, 1);
    }
    good("set portlist 01:00.1,0", "set portlist <ports>");
    CHECK_EQ(call.word[2].list_count, 2);
    CHECK_EQ(call.word[2].list[0], 1);
    CHECK_EQ(call.word[2].list[1], 0);
}

TEST(command, ports_that_are_not_there_are_refused)
{
    begin();
    bad("port start 2", 12, "a port (0..1, PCI or MAC address)");
    bad("port start -1", 12, "a port");
    bad("port start 0000:02:00.0", 12, "a port");
    bad("port start 00:1b:21:00:00:09", 12, "a port");
    bad("set portlist 0,,1", 14, "ports with commas");
    bad("set portlist 0,2", 14, "ports with commas");
    bad("set portlist ,", 14, "ports with commas");
    port_fake_reset(0, NULL);
    bad("port start 0", 12, "a port (there is none)");
    good("port start all", "port start|stop <port>|all");
}

TEST(command, an_empty_line_or_comment_is_no_command)
{
    static const char *const lines[] = { "", "   ", "\t", "# start", "   #" };

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(lines); i++) {
        CHECK_EQ(command_parse(lines[i], &call, &error), OK);
        CHECK(call.command == NULL);
        CHECK_EQ(command_run(&call), OK);
    }
    good("start # now", "start");
    bad("start#now", 1, "does not fit");
}

TEST(command, errors_name_the_column_the_expected_and_the_nearest)
{
    begin();
    bad("strat", 1, "did you mean \"start\"?");
    bad("show prot info 0", 6, "did you mean \"port\"?");
    bad("show port inof 0", 11, "did you mean \"info\"?");
    bad("show port info", 15, "too early; expected a port");
    bad("show", 5, "expected port, fwd, config, memory, pci");
    bad("set", 4, "expected fwd, burst, txpkts");
    bad("stop now", 6, "expected end of line");
    bad("show config all", 13, "expected fwd, rxtx, cores, json, end of line");
    bad("set fwd macswp", 9, "did you mean \"macswap\"?");
    bad("set fwd flowgen", 9, "expected io, mac, macswap, rxonly, txonly");
    bad("set burst 0", 11, "a number 1..512");
    bad("set burst 513", 11, "a number 1..512");
    bad("set burst 99999999999999999999", 11, "a number 1..512");
    bad("set burst 32x", 11, "a number 1..512");
    bad("set burst", 10, "a number 1..512");
    bad("set txpkts 41", 12, "a number 42..2048");
    bad("set eth-peer 0 aa:bb", 16, "an address aa:bb:cc:dd:ee:ff");
    bad("set eth-peer 0 aa:bb:cc:dd:ee:f", 16, "an address");
    bad("set eth-peer 0 aa:bb:cc:dd:ee:fff", 16, "an address");
    bad("set promisc 0 maybe", 15, "expected on, off");
    bad("debug fault nothing", 13, "expected page, panic");
    bad("xyzzy", 1, "expected help, start, stop");
    bad("START", 1, "does not fit");
    bad("a b c d e f g h i", 17, "too many words");
}

TEST(command, bytes_that_are_no_text_are_refused)
{
    char line[400];

    begin();
    bad("start \x01", 7, "no character");
    bad("\xffstart", 1, "no character");
    memset(line, 'a', sizeof(line));
    line[LINE_MAX_BYTES] = '\0';
    bad(line, 1, "does not fit");
    memset(line, 'a', sizeof(line));
    line[LINE_MAX_BYTES + 1] = '\0';
    bad(line, LINE_MAX_BYTES + 1, "too long");
}

TEST(command, without_faults_debug_fault_accepts_nothing)
{
    static const struct console_hooks bare = { .version = "test" };

    port_fake_reset(2, NULL);
    console_init(&bare);
    bad("debug fault page", 13, "does not fit");
    bad("debug fault", 12, "too early");
}

static bool is_alone(const struct command *c)
{
    unsigned same = 0;

    for (COMMAND_EACH(d))
        same += strcmp(c->pattern, d->pattern) == 0;
    return same == 1;
}

/* M1, M3, and every token of every pattern has a kind. */
TEST(command, the_tables_keep_their_own_rules)
{
    begin();
    for (COMMAND_EACH(c)) {
        struct token token;
        struct token_value value;
        bool is_optional = false;
        unsigned n = 0;

        for (; token_at(c->pattern, n, &token); n++) {
            (void)!token_match(&token, "?", NULL, &value);
            CHECK(token.is_optional || !is_optional);
            is_optional = token.is_optional;
        }
        CHECK(n >= 1 && n <= COMMAND_WORDS_MAX);
        CHECK(c->run != NULL && c->help != NULL);
        CHECK(c->section < SECTION_ALL);
        CHECK(is_alone(c));
    }
}

TEST(command, what_stands_in_brackets_may_be_left_out)
{
    struct token t;

    CHECK(token_at("a [<1..9>] [b|c]", 1, &t) && t.is_optional);
    CHECK(t.bytes == 6 && memcmp(t.at, "<1..9>", 6) == 0);
    CHECK(token_at("a [<1..9>] [b|c]", 2, &t) && t.is_optional);
    CHECK(t.bytes == 3 && memcmp(t.at, "b|c", 3) == 0);
    CHECK(token_at("a [<1..9>] [b|c]", 0, &t) && !t.is_optional);
    CHECK(!token_at("a [<1..9>] [b|c]", 3, &t));
    begin();
    bad("start tx_first 0", 16, "expected a number 1..65535, end of line");
    good("start tx_first", "start tx_first [<1..65535>]");
    CHECK_EQ(call.count, 2);
    good("start tx_first 4", "start tx_first [<1..65535>]");
    CHECK_EQ(call.count, 3);
    CHECK(command_ends_in(&call, "4") && !command_ends_in(&call, "tx_first"));
}

TEST(command, some_commands_are_for_one_place_only)
{
    const struct port_scope scope = { 0 };

    begin();
    bad("version 1", 1, "for a configuration only");
    bad(" port optional 01:00.0", 2, "for a configuration only");
    CHECK_EQ(command_parse_config(" quit", &scope, &call, &error), E_INVALID);
    CHECK_CONTAINS(error.text, "for the prompt only");
    CHECK_EQ(error.column, 2);
    CHECK_EQ(command_parse_config("set burst 8", &scope, &call, &error), OK);
}

/* A number is a port's place in the order of discovery. */
TEST(command, a_configuration_names_ports_by_address)
{
    struct port_scope scope = { 0 };
    struct port_address address;

    begin();
    CHECK_EQ(command_parse_config("port stop 1", &scope, &call, &error),
             E_INVALID);
    CHECK_CONTAINS(error.text,
                   "expected a port by its PCI or MAC address, all");
    CHECK_EQ(command_parse_config("port stop 01:00.1", &scope, &call, &error),
             OK);
    CHECK_EQ(call.word[2].number, 1);
    CHECK_EQ(call.word[2].absent, 0);
    CHECK_EQ(command_parse_config("port stop 01:00.7", &scope, &call, &error),
             E_INVALID);
    CHECK(port_address_read("0000:01:00.7", &address));
    CHECK(port_scope_add_optional(&scope, &address));
    CHECK_EQ(command_parse_config("port stop 01:00.7", &scope, &call, &error),
             OK);
    CHECK_EQ(call.word[2].absent, 1);
    CHECK_EQ(command_parse_config("set portlist 01:00.0,01:00.7", &scope, &call,
                                  &error),
             OK);
    CHECK_EQ(call.word[2].absent, 2);
    CHECK_EQ(call.word[2].list_count, 2);
    scope = (struct port_scope) { .is_offline = true };
    CHECK_EQ(command_parse_config("port stop 09:00.7", &scope, &call, &error),
             OK);
    CHECK_EQ(command_parse_config("port stop 0", &scope, &call, &error),
             E_INVALID);
}

/* ---- completion ---- */

static char offers[1000];

static void take_offer(void *ctx, const char *name, unsigned bytes,
                       bool is_word)
{
    (void)ctx;
    snprintf(offers + strlen(offers), sizeof(offers) - strlen(offers),
             is_word ? "%.*s " : "(%.*s) ", (int)bytes, name);
}

static const char *complete(const char *line, unsigned bytes)
{
    offers[0] = '\0';
    CHECK_EQ(command_complete(line, take_offer, NULL), bytes);
    return offers;
}

TEST(command, the_grammar_says_how_a_line_may_go_on)
{
    begin();
    CHECK_STR(complete("sto", 3), "stop ");
    CHECK_STR(complete("set bu", 2), "burst ");
    CHECK_STR(complete("set burst ", 0), "(a number 1..512) ");
    CHECK_STR(complete("set fwd mac", 3), "mac macswap ");
    CHECK_STR(complete("set promisc 0 o", 1), "on off ");
    CHECK_STR(complete("port stop ", 0),
              "0 1 (a port (0..1, PCI or MAC address)) all ");
    CHECK_STR(complete("debug fault ", 0), "page panic page panic ");
    CHECK_STR(complete("stop ", 0), "");
    CHECK_STR(complete("xyzzy ", 0), "");
    CHECK_STR(complete("vers", 4), ""); /* for a configuration only */
    CHECK_STR(complete("help set fw", 2), "fwd ");
    CHECK_CONTAINS(complete("help co", 2), "config ");
    CHECK_STR(complete("a b c d e f g h i j k", 0), "");
}

/* Mostly words of the grammar, so that the parser gets deep; some noise. */
static void random_line(char *line, size_t bytes)
{
    static const char *const words[] = {
        "show",
        "port",
        "stats",
        "all",
        "set",
        "fwd",
        "burst",
        "0",
        "1",
        "7",
        "io",
        "info",
        "clear",
        "start",
        "#",
        "config",
        "99999999999999999999999",
        "aa:bb:cc:dd:ee:ff",
        "0000:01:00.0",
        "debug",
        "fault",
        "\t",
        "\x7f",
        "\xc3",
        "eth-peer",
        "portlist",
        "0,1,",
        "<port>",
        "<1..512>",
        "|",
        "promisc",
        "on",
    };
    unsigned n = (unsigned)rand() % 10;

    line[0] = '\0';
    while (n-- > 0) {
        const char *w = words[(unsigned)rand() % ARRAY_SIZE(words)];

        if (strlen(line) + strlen(w) + 2 >= bytes)
            break;
        strcat(line, w);
        if (rand() % 8 != 0)
            strcat(line, " ");
    }
    if (line[0] != '\0' && rand() % 3 == 0)
        line[(unsigned)rand() % strlen(line)] = (char)(1 + rand() % 255);
}

TEST(command, ten_thousand_random_lines_parse_or_say_where_they_do_not)
{
    char line[300];
    unsigned fits = 0;

    begin();
    srand(42);
    for (unsigned i = 0; i < 10000; i++) {
        random_line(line, sizeof(line));
        if (command_parse(line, &call, &error) == OK) {
            fits++;
            continue;
        }
        CHECK(error.column >= 1 && error.column <= strlen(line) + 1);
        CHECK(strlen(error.text) > 10);
        CHECK_CONTAINS(error.text, "expected");
    }
    CHECK(fits > 100); /* the generator does reach whole commands */
    CHECK_STR(host_console_text(), ""); /* M2: parsing says nothing */
}

/* ---- text.h ---- */

TEST(text, numbers)
{
    uint64_t v;

    CHECK(text_to_number("0", &v) && v == 0);
    CHECK(text_to_number("18446744073709551615", &v) && v == UINT64_MAX);
    CHECK(text_to_number("0xffffffffffffffff", &v) && v == UINT64_MAX);
    CHECK(text_to_number("0XaB", &v) && v == 0xab);
    CHECK(!text_to_number("18446744073709551616", &v));
    CHECK(!text_to_number("0x10000000000000000", &v));
    CHECK(!text_to_number("", &v));
    CHECK(!text_to_number("0x", &v));
    CHECK(!text_to_number("+1", &v));
    CHECK(!text_to_number("1 ", &v));
    CHECK(!text_to_number("1a", &v));
}

TEST(text, addresses)
{
    struct pci_addr at;
    char back[TEXT_MAC_BYTES];
    uint8_t mac[6];

    CHECK(text_to_mac("00:1B:21:aa:bb:ff", mac));
    text_from_mac(back, mac);
    CHECK_STR(back, "00:1b:21:aa:bb:ff");
    CHECK(!text_to_mac("0:1b:21:aa:bb:ff", mac));
    CHECK(!text_to_mac("00-1b-21-aa-bb-ff", mac));
    CHECK(!text_to_mac("00:1b:21:aa:bb:ff:", mac));
    CHECK(!text_to_mac("", mac));
    CHECK(text_to_pci("10de:ff:1f.7", &at));
    CHECK(at.segment == 0x10de && at.bus == 0xff && at.device == 0x1f &&
          at.function == 7);
    CHECK(!text_to_pci("00:20.0", &at));
    CHECK(!text_to_pci("00:00.8", &at));
    CHECK(!text_to_pci("00:00.0 ", &at));
    CHECK(!text_to_pci("0:0.0", &at));
    CHECK(!text_to_pci("", &at));
}

TEST(text, distance_counts_edits)
{
    CHECK_EQ(text_distance("", ""), 0);
    CHECK_EQ(text_distance("port", "port"), 0);
    CHECK_EQ(text_distance("prot", "port"), 1);
    CHECK_EQ(text_distance("por", "port"), 1);
    CHECK_EQ(text_distance("kitten", "sitting"), 3);
    CHECK_EQ(text_distance("", "abc"), 3);
    CHECK(text_distance("abcdefghijklmnopqrstuvwxyzabcdefg", "a") > 100);
}
