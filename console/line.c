/*
 * line.c - one line from a serial terminal, edited as it is typed
 *
 * Every key changes text and cursor; show() then compares the row that should
 * be seen with the row that is, and sends the difference.
 */
#include "console/line.h"

#include <string.h>

#include <millrace/compiler.h>

#include "console/out.h"
#include "console/text.h"

#define CTRL(letter) ((letter)&0x1F)
#define BELL         "\a"
#define ESCAPE       0x1B
#define DELETE       0x7F

void line_init(struct line *l, const char *prompt, struct line_history *history)
{
    memset(l, 0, sizeof(*l));
    l->prompt = prompt;
    l->history = history;
}

/* ---- the row ---- */

/* Characters of the text that fit behind the prompt. */
static size_t room(const struct line *l)
{
    return LINE_ROW - strlen(l->prompt);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t line_columns(const struct line *l)
{
    return strlen(l->prompt) + (l->is_wide ? l->used : l->row_used);
}

/* Choose what is seen: all, or a part with the cursor near its middle. */
static void scroll(struct line *l)
{
    const size_t columns = room(l);

    if (l->used <= columns)
        l->from = 0;
    else if (l->cursor < l->from || l->cursor > l->from + columns)
        l->from = l->cursor > columns / 2 ? l->cursor - columns / 2 : 0;
}

static void move_to(struct line *l, size_t column)
{
    for (; l->row_at > column; l->row_at--)
        out("\b");
    out_bytes(l->row + l->row_at, column - l->row_at);
    l->row_at = column;
}

/* What stands in column @i of a row of @used characters: beyond them, blanks. */
static char at(const char *row, size_t used, size_t i)
{
    return i < used ? row[i] : ' ';
}

static void show(struct line *l)
{
    size_t first = 0, end, n;
    const char *want;

    if (l->is_wide) {
        l->is_wide = false;
        out("\n");
        line_show(l);
        return;
    }
    scroll(l);
    want = l->text + l->from;
    n = smaller(l->used - l->from, room(l));
    end = n > l->row_used ? n : l->row_used;
    while (first < end && at(want, n, first) == at(l->row, l->row_used, first))
        first++;
    while (end > first &&
           at(want, n, end - 1) == at(l->row, l->row_used, end - 1))
        end--;
    if (n > l->row_used)
        memset(l->row + l->row_used, ' ', n - l->row_used);
    if (first < end) {
        move_to(l, first);
        for (; l->row_at < end; l->row_at++)
            l->row[l->row_at] = at(want, n, l->row_at);
        out_bytes(l->row + first, end - first);
    }
    l->row_used = n;
    move_to(l, l->cursor - l->from);
}

void line_show(struct line *l)
{
    out("%s", l->prompt);
    l->row_used = l->row_at = 0;
    if (l->is_wide)
        out_bytes(l->text, l->used);
    else
        show(l);
}

/* ---- changing the text ---- */

/* Take out [from, to); the cursor goes to where it was. */
static void cut(struct line *l, size_t from, size_t to)
{
    memmove(l->text + from, l->text + to, l->used - to);
    l->used -= to - from;
    l->cursor = from;
    show(l);
}

static void put(struct line *l, char c)
{
    const bool at_end = l->cursor == l->used;

    if (l->used == LINE_MAX_BYTES) {
        out(BELL);
        return;
    }
    memmove(l->text + l->cursor + 1, l->text + l->cursor, l->used - l->cursor);
    l->text[l->cursor++] = c;
    l->used++;
    if (at_end && l->from == 0 && l->used > room(l)) {
        l->is_wide = true;
        out("%c", c);
        return;
    }
    show(l);
}

void line_insert(struct line *l, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        put(l, text[i]);
}

static void replace(struct line *l, const char *text)
{
    l->used = l->cursor = strlen(text);
    memcpy(l->text, text, l->used);
    show(l);
}

/* ---- keys ---- */

static void go_left(struct line *l)
{
    l->cursor -= l->cursor > 0;
    show(l);
}

static void go_right(struct line *l)
{
    l->cursor += l->cursor < l->used;
    show(l);
}

static void go_home(struct line *l)
{
    l->cursor = 0;
    show(l);
}

static void go_end(struct line *l)
{
    l->cursor = l->used;
    show(l);
}

static void delete_before(struct line *l)
{
    if (l->cursor > 0)
        cut(l, l->cursor - 1, l->cursor);
}

static void delete_here(struct line *l)
{
    if (l->cursor < l->used)
        cut(l, l->cursor, l->cursor + 1);
}

static void delete_word(struct line *l)
{
    size_t from = l->cursor;

    while (from > 0 && l->text[from - 1] == ' ')
        from--;
    while (from > 0 && l->text[from - 1] != ' ')
        from--;
    if (from < l->cursor)
        cut(l, from, l->cursor);
}

static void delete_to_home(struct line *l)
{
    if (l->cursor > 0)
        cut(l, 0, l->cursor);
}

static void delete_to_end(struct line *l)
{
    if (l->cursor < l->used)
        cut(l, l->cursor, l->used);
}

static void show_again(struct line *l)
{
    out("\n");
    line_show(l);
}

/* ---- earlier lines ---- */

static unsigned kept_lines(const struct line_history *h)
{
    return h->count < LINE_HISTORY ? h->count : LINE_HISTORY;
}

/* The line that was given @back lines ago, from 1. */
static char *earlier(struct line_history *h, unsigned back)
{
    return h->text[(h->count - back) % LINE_HISTORY];
}

static void remember(struct line *l)
{
    struct line_history *h = l->history;

    if (h == NULL || strspn(l->text, " ") == l->used ||
        (h->count > 0 && strcmp(earlier(h, 1), l->text) == 0))
        return;
    h->count++;
    memcpy(earlier(h, 1), l->text, l->used + 1);
}

static void go_back(struct line *l, unsigned back)
{
    if (l->back == 0) {
        memcpy(l->kept, l->text, l->used);
        l->kept[l->used] = '\0';
    }
    l->back = back;
    replace(l, back == 0 ? l->kept : earlier(l->history, back));
}

static void go_earlier(struct line *l)
{
    if (l->history != NULL && l->back < kept_lines(l->history))
        go_back(l, l->back + 1);
}

static void go_later(struct line *l)
{
    if (l->back > 0)
        go_back(l, l->back - 1);
}

/* ---- bytes ---- */

struct key {
    unsigned code; /* a byte, or the end of an escape sequence */
    void (*run)(struct line *l);
};

static const struct key controls[] = {
    { CTRL('A'), go_home },        { CTRL('B'), go_left },
    { CTRL('D'), delete_here },    { CTRL('E'), go_end },
    { CTRL('F'), go_right },       { CTRL('H'), delete_before },
    { CTRL('K'), delete_to_end },  { CTRL('L'), show_again },
    { CTRL('N'), go_later },       { CTRL('P'), go_earlier },
    { CTRL('U'), delete_to_home }, { CTRL('W'), delete_word },
    { DELETE, delete_before },
};

/* ESC [ or ESC O, and a letter. */
static const struct key letters[] = {
    { 'A', go_earlier }, { 'B', go_later }, { 'C', go_right },
    { 'D', go_left },    { 'F', go_end },   { 'H', go_home },
};

/* ESC [ number ~ */
static const struct key numbers[] = {
    { 1, go_home }, { 3, delete_here }, { 4, go_end },
    { 7, go_home }, { 8, go_end },
};

static bool press(struct line *l, const struct key keys[], size_t n,
                  unsigned code)
{
    for (size_t i = 0; i < n; i++)
        if (keys[i].code == code) {
            keys[i].run(l);
            return true;
        }
    return false;
}

static void end_sequence(struct line *l, unsigned char c)
{
    l->in_escape = 0;
    if (c == '~')
        press(l, numbers, ARRAY_SIZE(numbers), l->number);
    else
        press(l, letters, ARRAY_SIZE(letters), c);
}

/*
 * ESC, ESC [ parameters letter, or ESC O letter: true for the bytes inside one.
 * A control byte breaks the sequence off and means what it always means.
 */
static bool take_sequence(struct line *l, unsigned char c)
{
    if (l->in_escape == 0 || c < 0x20)
        return false;
    if (l->in_escape == 1) {
        l->in_escape = c == '[' || c == 'O' ? 2 : 0;
        l->number = 0;
        l->number_ended = false;
    } else if (c >= 0x40) {
        end_sequence(l, c);
    } else if (c >= '0' && c <= '9' && !l->number_ended && l->number < 100) {
        l->number = 10 * l->number + (c - '0');
    } else {
        l->number_ended = true;
    }
    return true;
}

static enum line_event finish(struct line *l, enum line_event event)
{
    if (event != LINE_READY)
        l->used = 0;
    l->text[l->used] = '\0';
    if (event == LINE_READY)
        remember(l);
    l->used = l->cursor = l->from = l->back = 0;
    l->row_used = l->row_at = 0;
    l->is_wide = false;
    return event;
}

enum line_event line_put(struct line *l, unsigned char c)
{
    const bool lf_of_crlf = l->after_cr && c == '\n';

    l->after_cr = c == '\r';
    if (lf_of_crlf || take_sequence(l, c))
        return LINE_MORE;
    l->in_escape = c == ESCAPE;
    switch (c) {
    case '\r':
    case '\n':
        out("\n");
        return finish(l, LINE_READY);
    case CTRL('C'):
        out("^C\n");
        return finish(l, LINE_CANCELED);
    case '\t':
        return LINE_TAB;
    default:
        break;
    }
    if (text_is_printable(c))
        put(l, (char)c);
    else
        press(l, controls, ARRAY_SIZE(controls), c);
    return LINE_MORE;
}
