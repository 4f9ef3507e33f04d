/*
 * line.c - one line from a serial terminal, edited as it is typed
 */
#include "console/line.h"

#include <string.h>

#include "console/out.h"
#include "console/text.h"

#define CTRL_C    0x03
#define BELL      0x07
#define BACKSPACE 0x08
#define CTRL_U    0x15
#define ESCAPE    0x1B
#define DELETE    0x7F

void line_init(struct line *l)
{
    memset(l, 0, sizeof(*l));
}

static void take_back(struct line *l)
{
    if (l->used == 0)
        return;
    l->used--;
    out("\b \b");
}

static enum line_event finish(struct line *l, enum line_event event)
{
    l->text[event == LINE_READY ? l->used : 0] = '\0';
    l->used = 0;
    return event;
}

static void keep(struct line *l, unsigned char c)
{
    if (l->used == LINE_MAX_BYTES) {
        out("%c", BELL);
        return;
    }
    l->text[l->used++] = (char)c;
    out("%c", c);
}

/*
 * ESC, ESC [ parameters letter, or ESC O letter: true for the bytes inside one.
 * A control byte breaks the sequence off and means what it always means.
 */
static bool swallow_escape(struct line *l, unsigned char c)
{
    if (l->in_escape == 0 || c < 0x20)
        return false;
    if (l->in_escape == 1)
        l->in_escape = c == '[' || c == 'O' ? 2 : 0;
    else if (c >= 0x40)
        l->in_escape = 0;
    return true;
}

enum line_event line_put(struct line *l, unsigned char c)
{
    const bool lf_of_crlf = l->after_cr && c == '\n';

    l->after_cr = c == '\r';
    if (lf_of_crlf || swallow_escape(l, c))
        return LINE_MORE;
    l->in_escape = c == ESCAPE;
    switch (c) {
    case '\r':
    case '\n':
        out("\n");
        return finish(l, LINE_READY);
    case CTRL_C:
        out("^C\n");
        return finish(l, LINE_CANCELED);
    case CTRL_U:
        while (l->used > 0)
            take_back(l);
        return LINE_MORE;
    case BACKSPACE:
    case DELETE:
        take_back(l);
        return LINE_MORE;
    case '\t':
        c = ' '; /* there is no completion; a blank separates words too */
        break;
    default:
        break;
    }
    if (text_is_printable(c))
        keep(l, c);
    return LINE_MORE;
}
