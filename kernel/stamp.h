/*
 * stamp.h - when each part of the start was done
 *
 * Time is counted from kernel entry. Marks are kept in cycles, so they may be
 * set before the clock is calibrated.
 */
#pragma once

#include <stdint.h>

#define STAMP_MAX 16

/* Kernel entry is at @cycles; forgets all marks. */
void stamp_start(uint64_t cycles);

/*
 * @name  static text; a name marked before keeps its first time, and marks
 *        beyond STAMP_MAX are not kept
 */
void stamp_mark(const char *name);

/* Microseconds since entry; 0 before the clock is calibrated. */
uint64_t stamp_elapsed_us(void);

/* Microseconds from entry to mark @name, or UINT64_MAX when there is none. */
uint64_t stamp_get_us(const char *name);

/*
 * One log line with every mark in microseconds since entry, and how much of the
 * time to the last one the chip asked for.
 *
 * @chip_wait_us  sum of the waits that hardware demands
 */
void stamp_print(uint64_t chip_wait_us);
