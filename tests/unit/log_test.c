/*
 * log_test.c - one line per event
 */
#include <millrace/log.h>

#include "kernel/stamp.h"
#include "tests/unit/test.h"

static void fresh(void)
{
    log_set_level(LOG_INFO);
    stamp_start(0);
}

TEST(log, a_line_has_seconds_and_microseconds_in_brackets)
{
    fresh();
    log_info("hello %d", 7);
    CHECK_STR(host_console_text(), "[    0.000000] hello 7\n");
    host_console_clear();
    host_advance_us(12034567);
    log_info("later");
    CHECK_STR(host_console_text(), "[   12.034567] later\n");
}

TEST(log, time_counts_from_kernel_entry)
{
    fresh();
    host_advance_us(500);
    stamp_start(plat_cycles());
    host_advance_us(25);
    log_info("x");
    CHECK_STR(host_console_text(), "[    0.000025] x\n");
}

TEST(log, the_threshold_is_inclusive)
{
    fresh();
    log_set_level(LOG_WARNING);
    CHECK_EQ(log_get_level(), LOG_WARNING);
    log_notice("no");
    CHECK_STR(host_console_text(), "");
    log_warning("yes");
    CHECK_STR(host_console_text(), "[    0.000000] warning: yes\n");
    log_set_level(LOG_DEBUG);
    log_debug("yes");
    CHECK_CONTAINS(host_console_text(), "] yes\n");
    log_set_level(LOG_INFO);
}

TEST(log, what_is_wrong_is_called_so)
{
    fresh();
    log_error("bad");
    log_write(LOG_EMERG, "worse");
    CHECK_CONTAINS(host_console_text(), "error: bad\n");
    CHECK_CONTAINS(host_console_text(), "critical: worse\n");
}

/* Text from outside can neither forge a line nor steer a terminal. */
TEST(log, control_characters_are_shown_as_question_marks)
{
    fresh();
    log_info("a\nb\rc\033[2Jd\te\x7F");
    CHECK_STR(host_console_text(), "[    0.000000] a?b?c?[2Jd?e?\n");
}

TEST(log, utf_8_passes)
{
    fresh();
    log_info("gr\xC3\xBC\xC3\x9F");
    CHECK_CONTAINS(host_console_text(), "gr\xC3\xBC\xC3\x9F\n");
}

/* ---- who shares the device ---- */

static void watch_before(void)
{
    plat_console_write("<", 1);
}

static void watch_after(void)
{
    plat_console_write(">", 1);
}

TEST(log, a_watcher_is_told_before_and_after_each_printed_line)
{
    static const struct log_watch watch = { watch_before, watch_after };

    fresh();
    log_watch_set(&watch);
    log_info("x");
    log_debug("not printed");
    log_watch_set(NULL);
    log_info("y");
    CHECK_STR(host_console_text(), "<[    0.000000] x\n>[    0.000000] y\n");
}

TEST(log, errors_are_counted_printed_or_not)
{
    const unsigned before = log_errors();

    fresh();
    CHECK_EQ(log_level_after(before), LOG_ERR);
    log_warning("no error");
    CHECK_EQ(log_errors(), before);
    log_set_level(LOG_EMERG);
    log_error("quiet");
    log_write(LOG_CRIT, "quiet");
    log_set_level(LOG_INFO);
    CHECK_STR(host_console_text(), "[    0.000000] warning: no error\n");
    CHECK_EQ(log_errors(), before + 2);
    CHECK_EQ(log_level_after(before), LOG_DEBUG);
}

static void check_length(unsigned n)
{
    char text[2000];

    memset(text, 'x', n);
    text[n] = '\0';
    host_console_clear();
    log_info("%s", text);
    const size_t len = strlen(host_console_text());
    const char *end = host_console_text() + len;

    CHECK_EQ(end[-1], '\n');
    CHECK(len <= 512);
    if (15 + n + 1 <= 512)
        CHECK_EQ(len, 15 + n + 1);
    else
        CHECK_STR(end - 4, "...\n");
}

TEST(log, a_long_line_is_cut_and_says_so)
{
    fresh();
    for (unsigned n = 480; n < 530; n++)
        check_length(n);
    check_length(1999);
}
