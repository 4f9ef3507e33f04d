/*
 * line.h - one line from a serial terminal, edited as it is typed
 *
 * Made for a dumb terminal at 9600 baud: printable ASCII is echoed, backspace
 * and DEL take the last character back, Ctrl-U the whole line, Ctrl-C starts
 * over. CR, LF and CR LF each end one line. Escape sequences (arrow keys) are
 * swallowed; other control and 8-bit bytes are ignored.
 *
 *   E1  0 <= used <= LINE_MAX_BYTES; text[used] is NUL whenever a line is given
 *   E2  what is echoed is what is kept: a character that does not fit rings the
 *       bell and is dropped
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define LINE_MAX_BYTES 255

enum line_event {
    LINE_MORE,     /* not complete yet */
    LINE_READY,    /* text holds a line */
    LINE_CANCELED, /* Ctrl-C; print a new prompt */
};

struct line {
    char text[LINE_MAX_BYTES + 1];
    size_t used;
    bool after_cr;      /* an LF now belongs to the CR before it */
    unsigned in_escape; /* 0 no, 1 after ESC, 2 inside ESC [ */
};

void line_init(struct line *l);

/*
 * Take one byte, echo what it does.
 * After LINE_READY the text is the caller's until the next call.
 */
enum line_event line_put(struct line *l, unsigned char c);
