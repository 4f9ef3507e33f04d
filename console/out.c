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

static struct {
    char ring[OUT_RING_BYTES];
    size_t head, tail; /* free-running; [head, tail) waits */
    struct deadline next;
    bool in_line; /* what was written last did not end a line */
} o;

void out_init(void)
{
    o.head = o.tail = 0;
    o.next = (struct deadline) { 0 };
    o.in_line = false;
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
    write_all(o.tail - o.head);
}

void out_flush_lines(void)
{
    size_t end = o.tail;

    while (end != o.head && o.ring[(end - 1) % OUT_RING_BYTES] != '\n')
        end--;
    write_all(end - o.head);
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

void out_poll(void)
{
    size_t bytes;

    if (out_is_empty() || !deadline_passed(&o.next))
        return;
    bytes = first_line();
    o.next = deadline_in_us(bytes * OUT_US_PER_BYTE);
    write_all(bytes);
}

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
            out_flush();
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
