/*
 * line.h - one line from a serial terminal, edited as it is typed
 *
 * Made for a dumb terminal at 9600 baud: nothing is sent but printable ASCII,
 * backspace, line feed and bell, and of a row only what changes. CR, LF and
 * CR LF each end one line.
 *
 *     left, right, Ctrl-B, Ctrl-F      move        Home, End, Ctrl-A, Ctrl-E
 *     backspace, DEL, Ctrl-H           delete      Delete, Ctrl-D
 *     Ctrl-W word, Ctrl-U to the begin, Ctrl-K to the end
 *     up, down, Ctrl-P, Ctrl-N         earlier lines
 *     Ctrl-L show it again, Ctrl-C start over
 *
 * Other escape sequences are swallowed, other control and 8-bit bytes ignored.
 *
 *   E1  0 <= cursor <= used <= LINE_MAX_BYTES; text[used] is NUL whenever a line
 *       is given
 *   E2  what is echoed is what is kept: a character that does not fit rings the
 *       bell and is dropped
 *   E3  a line that only grows at its end is echoed as it is typed, whatever its
 *       length: a program that types finds its own words. One that is edited
 *       stands in one row, of which LINE_ROW columns at a time are seen
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES 255
#define LINE_ROW       79 /* columns of a row that are used, with the prompt */
#define LINE_HISTORY   16

enum line_event {
    LINE_MORE,     /* not complete yet */
    LINE_READY,    /* text holds a line */
    LINE_CANCELED, /* Ctrl-C; print a new prompt */
    LINE_TAB,      /* text up to the cursor may be completed */
};

/* Lines that were given, the latest last; not blank, none twice in a row. */
struct line_history {
    char text[LINE_HISTORY][LINE_MAX_BYTES + 1];
    unsigned count; /* ever taken; the slot of number n is n % LINE_HISTORY */
};

struct line {
    char text[LINE_MAX_BYTES + 1];
    size_t used, cursor;

    const char *prompt;
    struct line_history *history;  /* NULL: none is kept */
    unsigned back;                 /* how far in it; 0 = the line being typed */
    char kept[LINE_MAX_BYTES + 1]; /* that line, while back > 0 */

    /* The row on the terminal, behind the prompt. */
    char row[LINE_ROW];
    size_t row_used, row_at;
    size_t from;  /* first character of the text that is seen */
    bool is_wide; /* echoed beyond the row (E3): row is not what is there */

    bool after_cr;      /* an LF now belongs to the CR before it */
    unsigned in_escape; /* 0 no, 1 after ESC, 2 inside ESC [ or ESC O */
    unsigned number;    /* the first in the sequence */
    bool number_ended;
};

/* @prompt and @history stay with the caller; nothing is printed. */
void line_init(struct line *l, const char *prompt,
               struct line_history *history);

/*
 * Take one byte, echo what it does.
 * After LINE_READY the text is the caller's until the next call.
 */
enum line_event line_put(struct line *l, unsigned char c);

/* Put @text in at the cursor, as if it had been typed. */
void line_insert(struct line *l, const char *text, size_t bytes);

/* Print prompt and line, after a line break or something of others. */
void line_show(struct line *l);

/* Columns of the terminal that prompt and line take. */
size_t line_columns(const struct line *l);
