/*
 * config_test.c - the configuration text: all or nothing, and where it is wrong
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "console/config.h"
#include "console/console.h"
#include "console/out.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"

static const struct console_hooks hooks = { .version = "test" };

static void begin(void)
{
    port_fake_reset(2, NULL);
    fwd_init();
    console_init(&hooks);
    host_console_clear();
}

static unsigned error_lines(void)
{
    unsigned n = 0;

    for (const char *at = host_console_text();
         (at = strstr(at, "error: ")) != NULL; at++)
        n++;
    return n;
}

static enum status apply(const char *text)
{
    return config_apply(text, strlen(text), "test.cfg");
}

/* Refused with @where in the log, and nothing in effect. */
static void bad(const char *text, const char *where)
{
    begin();
    CHECK_EQ(apply(text), E_INVALID);
    CHECK_CONTAINS(host_console_text(), where);
    CHECK_CONTAINS(host_console_text(), "nothing of it is applied");
    CHECK_EQ(fwd_burst_get(), 32);
    CHECK_STR(fwd_engine_get()->name, "io");
}

TEST(config, all_lines_are_applied_in_order)
{
    begin();
    CHECK_EQ(apply("# a router it is not yet\n"
                   "\n"
                   "version 1   # of the language\n"
                   "set fwd mac\n"
                   "  set burst 16\t# small\r\n"
                   "set burst 8\n"
                   "set promisc 0000:01:00.1 on"),
             OK);
    CHECK_STR(fwd_engine_get()->name, "mac");
    CHECK_EQ(fwd_burst_get(), 8);
    CHECK(port_fake_info(1)->promiscuous);
}

TEST(config, a_text_with_nothing_but_its_version_is_fine)
{
    begin();
    CHECK_EQ(apply("version 1"), OK);
    CHECK_EQ(apply("version 1\n\n"), OK);
}

TEST(config, the_version_comes_first)
{
    bad("", "test.cfg:1:1: nothing in it; expected \"version 1\"");
    bad("# only this\n", "test.cfg:2:1: nothing in it");
    bad("set burst 8\n", "test.cfg:1:1: the first line does not say which "
                         "version");
    bad("\n  set burst 8\n", "test.cfg:2:3: the first line");
    bad("version 2\nset burst 8\n", "test.cfg:1:9: this version of the "
                                    "configuration is not known; expected 1");
    bad("version\nset burst 8\n", "test.cfg:1:1: the first line");
    bad("version 1 2\n", "test.cfg:1:1: the first line");
    bad("version 1\nversion 1\n", "test.cfg:2:1: ");
}

TEST(config, an_error_names_line_and_column_and_nothing_is_applied)
{
    bad("version 1\nset burst 8\nset fwd mak\n",
        "test.cfg:3:9: \"mak\" does not fit here, did you mean \"mac\"?");
    bad("version 1\nset burst 8\nset burst\n",
        "test.cfg:3:10: the command ends too early; expected a number 1..512");
    bad("version 1\nset burst 8\n\xef\xbb\xbf\n", "test.cfg:3:1: a byte that");
    bad("version 1\nset burst 8\nport start 9\n", "test.cfg:3:12: ");
}

TEST(config, each_wrong_line_is_one_error_and_the_sum_is_none)
{
    bad("version 1\nset fwd mak\n", "test.cfg: 1 error, nothing of it");
    CHECK_EQ(error_lines(), 1);
    bad("version 1\nset fwd mak\nset burst 8\nfoo\n", "2 errors, nothing");
    CHECK_EQ(error_lines(), 2);
}

TEST(config, every_error_is_named_up_to_a_bound)
{
    char text[2000] = "version 1\n";

    bad("version 1\nfoo\nset burst 8\nbar\n", "test.cfg:2:1: \"foo\"");
    CHECK_CONTAINS(host_console_text(), "test.cfg:4:1: \"bar\"");
    CHECK_CONTAINS(host_console_text(), "2 errors");
    for (unsigned i = 0; i < 100; i++)
        strcat(text, "foo\n");
    bad(text, "100 errors");
    CHECK_CONTAINS(host_console_text(), "test.cfg:11:1:");
    CHECK(strstr(host_console_text(), "test.cfg:12:1:") == NULL);
}

TEST(config, commands_for_the_prompt_are_refused)
{
    bad("version 1\nset burst 8\n  quit\n",
        "test.cfg:3:3: this command is for the prompt only");
    bad("version 1\nreboot\n", "test.cfg:2:1: this command is for the prompt");
    bad("version 1\nhelp\n", "test.cfg:2:1: this command is for the prompt");
}

TEST(config, a_line_that_is_too_long_is_refused_where_it_becomes_so)
{
    char text[700];

    snprintf(text, sizeof(text), "version 1\nset burst 8%0400d\nset burst 4\n",
             0);
    bad(text, "test.cfg:2:256: the line is too long");
}

TEST(config, a_nul_does_not_hide_what_follows)
{
    static const char text[] = "version 1\nset burst 8\0 nonsense\n";

    begin();
    CHECK_EQ(config_apply(text, sizeof(text) - 1, "nul"), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "nul:2:12: a byte that is no");
    CHECK_EQ(fwd_burst_get(), 32);
}

TEST(config, checking_changes_nothing)
{
    static const char text[] = "version 1\nset burst 8\nset fwd mac\n";

    begin();
    CHECK_EQ(config_check(text, sizeof(text) - 1, "c"), OK);
    CHECK_EQ(fwd_burst_get(), 32);
    CHECK_STR(host_console_text(), "");
}

TEST(config, the_text_need_not_end_in_a_nul)
{
    char *exact = malloc(21);

    begin();
    memcpy(exact, "version 1\nset burst 8", 21); /* ASan watches the end */
    CHECK_EQ(config_apply(exact, 21, "c"), OK);
    CHECK_EQ(fwd_burst_get(), 8);
    free(exact);
}

TEST(config, a_required_port_that_is_missing_refuses_all)
{
    begin();
    CHECK_EQ(apply("version 1\nport required 0000:01:00.1\nset burst 8\n"), OK);
    CHECK_EQ(fwd_burst_get(), 8);
    bad("version 1\nset burst 8\nport required 00:1b:21:00:00:07\n",
        "test.cfg:3:15: no port has this address");
    bad("version 1\nset burst 8\nport required 0\n",
        "test.cfg:3:15: \"0\" does not fit here");
}

TEST(config, lines_about_an_optional_port_that_is_missing_are_left_out)
{
    begin();
    CHECK_EQ(apply("version 1\n"
                   "port optional 0000:02:00.0\n"
                   "port optional 0000:01:00.1\n"
                   "set promisc 02:00.0 on\n"
                   "set promisc 01:00.1 on\n"
                   "set burst 8\n"),
             OK);
    CHECK_CONTAINS(host_console_text(),
                   "test.cfg:4:13: port 02:00.0 is optional and not there");
    CHECK(strstr(host_console_text(), "test.cfg:5") == NULL);
    CHECK(port_fake_info(1)->promiscuous && !port_fake_info(0)->promiscuous);
    CHECK_EQ(fwd_burst_get(), 8);
    bad("version 1\nset promisc 02:00.0 on\nport optional 02:00.0\n",
        "test.cfg:2:13: \"02:00.0\" does not fit here");
}

/* Four ports in two pairs: without the fourth, the second pair is gone. */
TEST(config, who_is_paired_with_a_missing_port_does_not_forward)
{
    port_fake_reset(3, NULL);
    fwd_init();
    console_init(&hooks);
    host_console_clear();
    CHECK_EQ(apply("version 1\nport optional 01:00.7\nset portlist "
                   "01:00.0,01:00.1,01:00.2,01:00.7\n"),
             OK);
    CHECK_EQ(fwd_port_count(), 2);
    CHECK_EQ(fwd_port_at(0), 0);
    CHECK_EQ(fwd_port_at(1), 1);
    CHECK_CONTAINS(host_console_text(), "port 2 is left out");
}

TEST(config, without_the_machine_any_address_may_be_a_port)
{
    static const char text[] = "version 1\nport required 77:00.0\n"
                               "set promisc 77:00.0 on\nset burst 0\n";

    begin();
    CHECK_EQ(config_check_offline(text, sizeof(text) - 1, "c"), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "c:4:11: ");
    CHECK_EQ(error_lines(), 1);
    host_console_clear();
    CHECK_EQ(config_check_offline(text, 55, "c"), OK);
    CHECK_STR(host_console_text(), "");
}

TEST(config, a_command_that_fails_ends_it_and_is_named)
{
    begin();
    port_fake_fail(PORT_FAKE_PROMISCUOUS, E_IO, 0);
    CHECK_EQ(
        apply("version 1\nset burst 8\nset promisc 01:00.0 on\nset burst 4\n"),
        E_IO);
    CHECK_CONTAINS(
        host_console_text(),
        "error: test.cfg:3:1: \"set promisc 01:00.0 on\" failed: device "
        "error");
    CHECK_EQ(fwd_burst_get(), 8);
}

TEST(config, random_texts_are_applied_or_refused)
{
    static const char *const pieces[] = {
        "version 1\n",
        "version",
        " ",
        "1",
        "\n",
        "\r\n",
        "# x",
        "set burst ",
        "8",
        "set fwd mac\n",
        "\t",
        "\xff",
        "port stop 01:00.0\n",
        "quit\n",
        "x",
    };
    char text[400];

    srand(7);
    for (unsigned i = 0; i < 2000; i++) {
        unsigned n = (unsigned)rand() % 20;

        begin();
        text[0] = '\0';
        while (n-- > 0)
            strcat(text, pieces[(unsigned)rand() % ARRAY_SIZE(pieces)]);
        if (apply(text) == E_INVALID) {
            CHECK_EQ(fwd_burst_get(), 32);
            CHECK_CONTAINS(host_console_text(), "nothing of it is applied");
        }
    }
}
