/*
 * terminal_rig.h - a dumb terminal: what a person would see of what was sent
 *
 * It knows printable characters, backspace, carriage return, line feed and bell,
 * and is as wide as paper: who sends beyond column 79 without a reason is found
 * by the test.
 */
#pragma once

#include <string.h>

#include "console/line.h"
#include "console/out.h"
#include "tests/host/host.h"

#define TERMINAL_COLUMNS 512

struct terminal {
    char row[TERMINAL_COLUMNS]; /* the last one; NUL is blank, too */
    size_t column, widest;
    unsigned bells;
    bool is_lost; /* something else was sent */
};

static inline void terminal_take(struct terminal *t, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\b' && t->column > 0) {
            t->column--;
        } else if (*text == '\r') {
            t->column = 0;
        } else if (*text == '\n') {
            memset(t, 0, offsetof(struct terminal, widest));
        } else if (*text == '\a') {
            t->bells++;
        } else if (*text >= ' ' && *text < 0x7F &&
                   t->column < TERMINAL_COLUMNS) {
            t->row[t->column++] = *text;
        } else {
            t->is_lost = true;
        }
        if (t->column > t->widest)
            t->widest = t->column;
    }
}

/* What the console has sent since the last call; returns its bytes. */
static inline size_t terminal_update(struct terminal *t)
{
    size_t bytes;

    out_flush();
    bytes = strlen(host_console_text());
    terminal_take(t, host_console_text());
    host_console_clear();
    return bytes;
}

/* Is what is seen the line, with the cursor where it belongs? */
static inline bool terminal_shows(const struct terminal *t,
                                  const struct line *l)
{
    const size_t prompt = strlen(l->prompt);
    const size_t n = l->is_wide ? l->used
                     : l->used - l->from < LINE_ROW - prompt
                         ? l->used - l->from
                         : LINE_ROW - prompt;
    size_t i;

    if (t->is_lost || memcmp(t->row, l->prompt, prompt) != 0)
        return false;
    for (i = 0; i < n; i++)
        if (l->text[l->from + i] !=
            (t->row[prompt + i] == '\0' ? ' ' : t->row[prompt + i]))
            return false;
    for (i = prompt + n; i < TERMINAL_COLUMNS; i++)
        if (t->row[i] != '\0' && t->row[i] != ' ')
            return false;
    return t->column == prompt + l->cursor - l->from &&
           (l->is_wide || t->column <= LINE_ROW);
}
