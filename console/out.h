/*
 * out.h - what commands print
 *
 * Text waits in a ring and leaves a line at a time, no faster than a serial line
 * at 115200 baud takes it, so that on a machine with one core a long answer
 * stands between two bursts only for as long as one line takes. Lines end in
 * "\n"; the console device makes of it what a terminal needs.
 *
 *   O1  nothing is lost but what Ctrl-C cuts off: when the ring is full, what
 *       waits is written at once
 *   O2  text leaves in the order in which it was printed
 *   O3  a page that waits for a key holds up text, never a command: with a full
 *       ring paging ends for this command
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <millrace/compiler.h>

#define OUT_LINE_MAX 512 /* longer pieces are cut and end in "..." */

void out(const char *fmt, ...) printf_like(1, 2);
void out_bytes(const char *text, size_t bytes);

/* Let one line go if its time has come. */
void out_poll(void);

/* Let all of it go, up to the end of a page. */
void out_drain(void);

/* Write all that waits. Cost: as long as the device takes. */
void out_flush(void);

/* The same up to the end of the last whole line. */
void out_flush_lines(void);

/*
 * Somebody else is about to write a line: let the line that has begun to leave
 * come to its end, if need be by a line break of our own.
 *
 * Returns  true when the break was needed: what was cut off stands in no line
 */
bool out_break_line(void);

/*
 * The same for a line of @columns that will be printed again below: it is wiped
 * with spaces and leaves no half of itself. One that is too long for that is
 * broken.
 */
bool out_wipe_line(size_t columns);
#define OUT_WIPE_MAX 79 /* columns; a longer one may stand on several lines */

bool out_is_empty(void);

/* Bytes ever printed: unchanged means that nothing was since. */
size_t out_position(void);

/* Forget what waits, and all settings. */
void out_init(void);

/* ---- pages ---- */

/* After @rows - 1 lines of a command a key is awaited; 0 = never. */
void out_page_set(unsigned rows);
unsigned out_page_get(void);

/* A command begins: count from here. */
void out_page_begin(void);

/* Does the end of a page await a key? */
bool out_page_waits(void);

/* Blank: a page more; Enter: a line; q, Ctrl-C: nothing more. */
void out_page_key(int c);

/* Somebody else writes lines meanwhile: take the mark away and put it back. */
void out_page_hide(void);
void out_page_show(void);

/* ---- being cut off ---- */

/* Asked when a command has filled the ring: true cuts it off. NULL = never. */
void out_interrupt_set(bool (*is_interrupted)(void));

/* Forget what waits up to the line that has begun, which is a prompt. */
void out_drop_lines(void);

/* From now on what is printed is forgotten, with what waits. */
void out_mute(void);
/* Until here. True when it was muted. */
bool out_unmute(void);
