/*
 * line_test.c - the line editor on a dumb terminal
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/terminal_rig.h"

#define LEFT  "\x1b[D"
#define RIGHT "\x1b[C"
#define UP    "\x1b[A"
#define DOWN  "\x1b[B"
#define HOME  "\x1b[H"
#define END   "\x1b[F"
#define DEL   "\x1b[3~"

static struct line_history history;
static struct line line;
static struct terminal terminal;

static void begin(void)
{
    out_init();
    host_console_clear();
    memset(&history, 0, sizeof(history));
    memset(&terminal, 0, sizeof(terminal));
    line_init(&line, "> ", &history);
    line_show(&line);
    terminal_update(&terminal);
}

/* Type @keys; what is seen must be what is kept, after each of them. */
static size_t keys(const char *text)
{
    size_t sent = 0;

    for (; *text != '\0'; text++) {
        const enum line_event e = line_put(&line, (unsigned char)*text);

        if (e == LINE_READY || e == LINE_CANCELED)
            line_show(&line);
        sent += terminal_update(&terminal);
        if (!terminal_shows(&terminal, &line))
            print_error(
                "key %#x: \"%.90s\" at %zu, text \"%.*s\" from %zu at %zu\n",
                (unsigned char)*text, terminal.row, terminal.column,
                (int)line.used, line.text, line.from, line.cursor);
        CHECK(terminal_shows(&terminal, &line));
    }
    return sent;
}

static void text_is(const char *want, size_t cursor)
{
    CHECK_EQ(line.used, strlen(want));
    CHECK_BYTES(line.text, want, line.used);
    CHECK_EQ(line.cursor, cursor);
}

/* Type @text and the end of the line; returns the line. */
static const char *given(const char *text)
{
    keys(text);
    CHECK_EQ(line_put(&line, '\r'), LINE_READY);
    line_show(&line);
    terminal_update(&terminal);
    return line.text;
}

TEST(line, the_cursor_moves_and_text_goes_in_where_it_stands)
{
    begin();
    keys("show port" LEFT LEFT LEFT LEFT);
    text_is("show port", 5);
    keys("my ");
    text_is("show my port", 8);
    keys(HOME "x" END "y");
    text_is("xshow my porty", 14);
    keys("\x01" RIGHT "\x02\x06" DEL);
    text_is("xhow my porty", 1);
    CHECK_STR(given("\x05!"), "xhow my porty!");
}

TEST(line, at_its_ends_the_cursor_stays)
{
    begin();
    CHECK_EQ(keys(LEFT RIGHT HOME END DEL "\x04\x08\x7f\x15\x0b\x17"), 0);
    keys("a" RIGHT RIGHT LEFT LEFT LEFT);
    text_is("a", 0);
}

TEST(line, keys_of_other_terminals_mean_the_same)
{
    begin();
    keys("abc\x1b[1~1\x1b[4~2\x1b[7~3\x1b[8~4\x1bOH5\x1bOF6\x1bOD7\x1bOC8");
    CHECK_STR(given(""), "531abc24768");
}

TEST(line, words_beginnings_and_ends_are_deleted)
{
    begin();
    keys("set burst  32 \x17");
    text_is("set burst  ", 11);
    keys("\x17");
    text_is("set ", 4);
    keys("fwd io" LEFT LEFT "\x0b");
    text_is("set fwd ", 8);
    keys(HOME RIGHT RIGHT "\x15");
    text_is("t fwd ", 0);
    keys(RIGHT RIGHT RIGHT RIGHT "\x17");
    text_is("t d ", 2);
}

TEST(line, earlier_lines_come_back_and_can_be_changed)
{
    begin();
    given("one");
    given("two");
    given("two"); /* not twice in a row */
    given("   "); /* nor blank ones */
    keys("thr" UP);
    text_is("two", 3);
    keys(UP);
    text_is("one", 3);
    CHECK_EQ(keys(UP), 0); /* there is none before */
    keys(DOWN DOWN);
    text_is("thr", 3); /* what was being typed */
    CHECK_EQ(keys(DOWN), 0);
    CHECK_STR(given(UP UP "s"), "ones");
    CHECK_STR(given("\x10"), "ones");
    CHECK_STR(given(UP UP DOWN "!"), "ones!");
}

TEST(line, history_forgets_the_oldest)
{
    char text[16];

    begin();
    for (unsigned i = 0; i < 100; i++) {
        snprintf(text, sizeof(text), "%u", i);
        given(text);
    }
    for (unsigned i = 0; i < LINE_HISTORY + 5; i++)
        keys(UP);
    snprintf(text, sizeof(text), "%u", 100 - LINE_HISTORY);
    text_is(text, 2);
}

TEST(line, a_canceled_line_is_forgotten)
{
    begin();
    given("one");
    keys("two\x03" UP);
    text_is("one", 3);
}

/* At 9600 baud a byte takes a millisecond. */
TEST(line, a_key_sends_no_more_than_it_must)
{
    begin();
    CHECK_EQ(keys("show port stats all"), 19);
    CHECK_EQ(keys(LEFT), 1);
    CHECK_EQ(keys(RIGHT), 1);
    CHECK_EQ(keys("\x7f"), 3);
    CHECK_EQ(keys(LEFT LEFT), 2);
    CHECK_EQ(keys("x"), 3 + 2);           /* "xal" and two steps back */
    CHECK_EQ(keys("\x15"), 17 + 19 + 19); /* back, all anew, back */
    keys("\x0b");
    given("abcdef");
    CHECK_EQ(keys("abcdxx"), 6);
    CHECK_EQ(keys(UP), 2 + 2); /* "ef" over "xx" */
}

TEST(line, a_long_line_that_only_grows_is_echoed_as_it_is)
{
    char text[LINE_MAX_BYTES + 1];

    begin();
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    CHECK_EQ(keys(text), LINE_MAX_BYTES);
    CHECK_EQ(keys("b"), 1);
    CHECK_EQ(terminal.bells, 1);
    CHECK_STR(given(""), text);
}

TEST(line, a_long_line_that_is_edited_is_seen_through_a_window)
{
    begin();
    for (unsigned i = 0; i < 20; i++)
        keys("0123456789");
    terminal.widest = 0;
    keys(LEFT);
    for (unsigned i = 0; i < 120; i++)
        keys(i % 7 == 0 ? "x" : LEFT);
    keys(HOME "begin" END "end" LEFT "\x7f");
    CHECK(terminal.widest <= LINE_ROW);
    CHECK_EQ(line.used, 200 + 18 + 5 + 3 - 1);
}

TEST(line, a_sequence_that_is_cut_off_swallows_no_more_than_itself)
{
    begin();
    CHECK_STR(given("a\x1b[\x1b[9999999999999999999~b"), "ab");
    CHECK_STR(given("a\x1b"), "a");
    CHECK_STR(given("\x1b[1;5"), "");
    CHECK_STR(given("\x1b[1;5Cx\x1bZy"), "xy");
}

TEST(line, the_row_is_right_after_any_keys)
{
    static const char *const some[] = {
        LEFT, RIGHT, UP,     DOWN,   HOME,     END,    DEL,    "a",     "b",
        " ",  "  ",  "\x7f", "\x17", "\x0b",   "\x15", "\x0c", "\x03",  "\r",
        "\t", "c d", "\x02", "\x06", "abcdef", LEFT,   LEFT,   "word ",
    };

    begin();
    srand(3);
    for (unsigned i = 0; i < 30000; i++) {
        const unsigned n = (unsigned)rand() % ARRAY_SIZE(some);

        if (n < 17 || rand() % 4 != 0 || i % 2000 > 1000)
            keys(some[n]);
        if (line.used == LINE_MAX_BYTES)
            keys("\x15");
    }
    for (unsigned i = 0; i < 30000; i++) {
        const char c[2] = { (char)(1 + rand() % 255), '\0' };

        keys(c);
    }
}
