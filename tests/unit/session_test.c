/*
 * session_test.c - a person at the console: tab key, pages, Ctrl-C, and what a
 * program asks about them
 */
#include "tests/unit/test.h"

#include <inttypes.h>

#include <millrace/log.h>

#include "console/report.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/console_rig.h"

#define PROMPT "millrace> "

static unsigned lines_shown;

/* An answer of as many lines as the test wants. */
static void show_boot(void)
{
    for (unsigned i = 1; i <= lines_shown; i++)
        report_text("line %u\n", i);
}

static const struct console_hooks hooks = { .version = "1.2.3",
                                            .show_boot = show_boot };

static void begin(void)
{
    port_fake_reset(2, NULL);
    fwd_init();
    console_init(&hooks);
    console_open();
    console_poll();
    host_console_clear();
    lines_shown = 3;
}

/* What is printed without anything being pushed out. */
static const char *typed(const char *text)
{
    host_console_clear();
    host_console_type(text);
    for (unsigned i = 0; i < 8; i++)
        console_poll();
    return host_console_text();
}

/* ---- the tab key ---- */

TEST(session, tab_goes_on_while_there_is_no_choice)
{
    begin();
    CHECK_STR(typed("sh\t"), "show ");
    CHECK_STR(typed("ver\t"), "version ");
    CHECK_STR(typed("\r"), "\nMillrace 1.2.3\n" PROMPT);
    CHECK_STR(typed("set fw\tmacs\t"), "set fwd macswap ");
}

TEST(session, tab_lists_what_may_stand_there)
{
    begin();
    CHECK_STR(typed("set promisc 0 \t"), "set promisc 0 o");
    CHECK_STR(typed("\t"), "\non  off  \n" PROMPT "set promisc 0 o");
    typed("\x03");
    CHECK_STR(typed("set burst \t"),
              "set burst \n<a number 1..512>  \n" PROMPT "set burst ");
    typed("\x03");
    CHECK_STR(typed("stop \t"), "stop \a");
    typed("\x03");
    CHECK_STR(typed("xyzzy\t"), "xyzzy\a");
}

TEST(session, tab_goes_in_where_the_cursor_stands)
{
    begin();
    typed("sh version\x01\x06\x06\t");
    CHECK_CONTAINS(typed("\r"), "Millrace 1.2.3");
}

/* ---- earlier commands ---- */

TEST(session, up_brings_a_command_back)
{
    begin();
    typed("show version\r");
    CHECK_STR(typed("\x1b[A\r"), "show version\nMillrace 1.2.3\n" PROMPT);
}

/* ---- pages ---- */

TEST(session, an_answer_stops_at_the_end_of_a_page)
{
    begin();
    typed("set paging 5\r");
    lines_shown = 10;
    CHECK_STR(typed("show boot\r"),
              "show boot\nline 1\nline 2\nline 3\nline 4\n--More--");
    CHECK(out_page_waits());
    CHECK_STR(typed("x"), "");
    CHECK_STR(typed("\r"), "\r        \rline 5\n--More--");
    CHECK_STR(typed(" "), "\r        \rline 6\nline 7\nline 8\nline 9\n"
                          "--More--");
    CHECK_STR(typed(" "), "\r        \rline 10\n" PROMPT);
    CHECK(!out_page_waits());
    CHECK_STR(typed("show"), "show");
}

TEST(session, q_and_ctrl_c_end_an_answer_at_a_page)
{
    begin();
    typed("set paging 5\r");
    lines_shown = 10;
    typed("show boot\r");
    CHECK_STR(typed("q"), "\r        \r" PROMPT);
    typed("show boot\r");
    CHECK_STR(typed("\x03"), "\r        \r" PROMPT);
    CHECK_CONTAINS(typed("set paging off\rshow boot\r"), "line 10\n" PROMPT);
}

TEST(session, an_answer_of_one_page_does_not_stop)
{
    begin();
    typed("set paging 5\r");
    lines_shown = 4;
    CHECK_STR(typed("show boot\r"),
              "show boot\nline 1\nline 2\nline 3\nline 4\n" PROMPT);
}

TEST(session, there_are_no_pages_unless_asked_for)
{
    begin();
    lines_shown = 300;
    CHECK_CONTAINS(typed("show boot\r"), "line 300\n" PROMPT);
}

TEST(session, the_log_is_not_held_up_by_a_page)
{
    begin();
    typed("set paging 5\r");
    lines_shown = 10;
    typed("show boot\r");
    host_console_clear();
    log_info("x");
    CHECK_STR(host_console_text(), "\r        \r[    0.000000] x\n--More--");
    CHECK_CONTAINS(typed(" "), "\rline 5\nline 6\nline 7\nline 8\n--More--");
}

/* O3: who forwards must not wait for a key. */
TEST(session, a_full_ring_ends_paging)
{
    begin();
    typed("set paging 5\r");
    lines_shown = 4000;
    CHECK_CONTAINS(typed("show boot\r"), "line 4000\n" PROMPT);
}

/* ---- Ctrl-C ---- */

/* It is typed while the command is at work: the ring fills, and is looked at. */
TEST(session, ctrl_c_ends_an_answer_that_is_being_made)
{
    begin();
    lines_shown = 4000;
    typed("show boot\r\x03show version\r");
    CHECK(strstr(host_console_text(), "line 4000") == NULL);
    CHECK_CONTAINS(host_console_text(), "^C\n" PROMPT);
    CHECK(strstr(host_console_text(), "1.2.3") != NULL);
}

TEST(session, what_is_typed_ahead_is_kept)
{
    begin();
    lines_shown = 4000;
    typed("show boot\rshow ver");
    CHECK_STR(typed("sion\r"), "sion\nMillrace 1.2.3\n" PROMPT);
}

/* ---- programs ---- */

TEST(session, the_status_of_the_last_command_can_be_asked_for)
{
    begin();
    typed("show version\r");
    CHECK_CONTAINS(typed("show status\r"), "\nlast command: success\n");
    typed("xyzzy\r");
    CHECK_CONTAINS(typed("show status json\r"),
                   "\n{\"ok\":false,\"status\":\"invalid argument\"}\n");
    typed("stop\r");
    CHECK_CONTAINS(typed("show status\r"), "not possible in this state\n");
    typed("\r");
    CHECK_CONTAINS(typed("show status\r"), "not possible in this state\n");
}

/* ---- report.h ---- */

static const char *reported(void)
{
    out_flush();
    return host_console_text();
}

static void report_all(bool is_json)
{
    host_console_clear();
    report_begin(is_json);
    report_text("Title\n");
    report_uint("a", "a is %u\n", 7u);
    report_u64("b", "b is %" PRIu64 "\n", (uint64_t)UINT64_MAX);
    report_string("c", "<%s>\n", "x\"\\\x01\xff");
    report_list("d");
    report_object(NULL);
    report_close();
    report_json_u64(NULL, 1);
    report_json_u64(NULL, 2);
    report_close();
    report_object("e");
    report_json_bool("f", true);
    report_json_string("g", "%u-%u", 1u, 2u);
    report_end();
}

TEST(report, the_same_calls_give_text_or_json)
{
    out_init();
    report_all(false);
    CHECK_STR(reported(), "Title\na is 7\nb is 18446744073709551615\n"
                          "<x\"\\\x01\xff>\n");
    report_all(true);
    CHECK_STR(reported(), "{\"a\":7,\"b\":18446744073709551615,"
                          "\"c\":\"x\\\"\\\\\\u0001\\u00ff\",\"d\":[{},1,2],"
                          "\"e\":{\"f\":true,\n\"g\":\"1-2\"}}\n");
}

TEST(report, long_json_is_broken_behind_commas)
{
    out_init();
    host_console_clear();
    report_begin(true);
    for (unsigned i = 0; i < 30; i++)
        report_json_u64("number", i);
    report_end();
    for (const char *at = reported(); *at != '\0'; at += strcspn(at, "\n") + 1)
        CHECK(strcspn(at, "\n") < 90);
}

TEST(report, what_is_closed_too_often_is_our_own_fault)
{
    out_init();
    report_begin(true);
    report_close();
    CHECK_PANICS(report_close());
}
