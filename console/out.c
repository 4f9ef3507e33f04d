/*
 * out.c - the ring between commands and the console device
 */
#include "console/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <millrace/clock.h>
#include <millrace/plat.h>

#define OUT_RING_BYTES  16384 /* a power of two */
#define OUT_US_PER_BYTE 87    /* ten bits at 115200 baud */
#define OUT_CHUNK       128   /* a line without end is cut here */
#define CTRL_C          0x03
#define MORE            "--More--"

static struct {
    char ring[OUT_RING_BYTES];
    size_t head, tail; /* free-running; [head, tail) waits */
    struct deadline next;
    bool in_line; /* what was written last did not end a line */

    unsigned page_rows; /* 0: no pages */
    unsigned rows_left; /* lines to the end of the page; 0: it is not counted */
    bool waits;         /* for a key, at the end of a page */

    bool (*is_interrupted)(void);
    bool is_muted;
} o;

void out_init(void)
{
    memset(&o, 0, sizeof(o));
}

bool out_is_empty(void)
{
    return o.head == o.tail;
}

size_t out_position(void)
{
    return o.tail;
}

/* Write @bytes from the head, at most to the end of the array. */
static size_t write_some(size_t bytes)
{
    const size_t at = o.head % OUT_RING_BYTES;

    if (bytes > OUT_RING_BYTES - at)
        bytes = OUT_RING_BYTES - at;
    plat_console_write(o.ring + at, bytes);
    o.in_line = o.ring[at + bytes - 1] != '\n';
    o.head += bytes;
    return bytes;
}

static void write_all(size_t bytes)
{
    while (bytes > 0)
        bytes -= write_some(bytes);
}

void out_flush(void)
{
    out_page_hide();
    o.waits = false;
    o.rows_left = 0;
    write_all(o.tail - o.head);
}

/* Behind the last line that is whole; the head when none is. */
static size_t lines_end(void)
{
    size_t end = o.tail;

    while (end != o.head && o.ring[(end - 1) % OUT_RING_BYTES] != '\n')
        end--;
    return end;
}

void out_flush_lines(void)
{
    if (o.rows_left > 0)
        out_drain();
    else if (!o.waits)
        write_all(lines_end() - o.head);
}

/* Bytes of the first waiting line, its end included, or OUT_CHUNK. */
static size_t first_line(void)
{
    const size_t waiting = o.tail - o.head;
    size_t n = 0;

    while (n < waiting && n < OUT_CHUNK)
        if (o.ring[(o.head + n++) % OUT_RING_BYTES] == '\n')
            break;
    return n;
}

/* One line, unless it would begin the next page. */
static size_t write_line(void)
{
    const size_t bytes = first_line();

    write_all(bytes);
    if (o.rows_left > 0 && !o.in_line && --o.rows_left == 0 &&
        lines_end() != o.head) {
        o.waits = true;
        out_page_show();
    }
    return bytes;
}

void out_poll(void)
{
    if (out_is_empty() || o.waits || !deadline_passed(&o.next))
        return;
    o.next = deadline_in_us(write_line() * OUT_US_PER_BYTE);
}

void out_drain(void)
{
    while (!out_is_empty() && !o.waits)
        (void)write_line();
}

/* ---- pages ---- */

void out_page_set(unsigned rows)
{
    o.page_rows = rows;
}

unsigned out_page_get(void)
{
    return o.page_rows;
}

void out_page_begin(void)
{
    o.rows_left = o.page_rows;
}

bool out_page_waits(void)
{
    return o.waits;
}

void out_page_hide(void)
{
    static const char wipe[] = "\r        \r";

    if (o.waits)
        plat_console_write(wipe, sizeof(wipe) - 1);
}

void out_page_show(void)
{
    if (o.waits)
        plat_console_write(MORE, sizeof(MORE) - 1);
}

void out_page_key(int c)
{
    if (c == ' ')
        o.rows_left = o.page_rows - 1;
    else if (c == '\r' || c == '\n')
        o.rows_left = 1;
    else if (c != 'q' && c != 'Q' && c != CTRL_C)
        return;
    out_page_hide();
    o.waits = false;
    if (o.rows_left == 0)
        out_drop_lines();
}

/* ---- being cut off ---- */

void out_interrupt_set(bool (*is_interrupted)(void))
{
    o.is_interrupted = is_interrupted;
}

void out_drop_lines(void)
{
    o.head = lines_end();
}

void out_mute(void)
{
    o.head = o.tail;
    o.is_muted = true;
}

bool out_unmute(void)
{
    const bool was = o.is_muted;

    o.is_muted = false;
    return was;
}

/* The ring is full: write it, and look between lines who wants it ended. */
static void make_room(void)
{
    out_page_hide();
    o.waits = false;
    o.rows_left = 0;
    while (!out_is_empty()) {
        (void)write_line();
        if (o.is_interrupted != NULL && o.is_interrupted()) {
            out_mute();
            return;
        }
    }
}

/* ---- lines of others ---- */

/* Is there a line that has begun, and no more of it waits? */
static bool line_stands_open(void)
{
    while (o.in_line && !out_is_empty())
        write_all(first_line());
    return o.in_line;
}

bool out_break_line(void)
{
    if (!line_stands_open())
        return false;
    plat_console_write("\n", 1);
    o.in_line = false;
    return true;
}

bool out_wipe_line(size_t columns)
{
    char wipe[1 + OUT_WIPE_MAX + 1];

    if (columns > OUT_WIPE_MAX || !line_stands_open())
        return out_break_line();
    memset(wipe, ' ', sizeof(wipe));
    wipe[0] = wipe[1 + columns] = '\r';
    plat_console_write(wipe, 1 + columns + 1);
    o.in_line = false;
    return true;
}

void out_bytes(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (o.tail - o.head == OUT_RING_BYTES)
            make_room();
        if (o.is_muted)
            return;
        o.ring[o.tail++ % OUT_RING_BYTES] = text[i];
    }
}

void out(const char *fmt, ...)
{
    char piece[OUT_LINE_MAX];
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(piece, sizeof(piece), fmt, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof(piece)) {
        n = sizeof(piece) - 1;
        memcpy(piece + n - 4, "...\n", 4);
    }
    out_bytes(piece, (size_t)n);
}
