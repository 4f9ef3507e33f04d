/*
 * cores.h - one window of work on several cores at once
 *
 * All start at a common time stamp. A window counts only when they really ran
 * side by side: see cores_judge().
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

#include "bench/series.h"

#define CORES_MAX 4

/* What one core did in a window. */
struct cores_report {
    uint64_t start, end;  /* time stamps of its own */
    uint64_t asked, done; /* operations */
    bool ran_dry;         /* it found its queue empty, or full */
};

/* The work of core @i of a window. @report says that it was done: else correct it. */
typedef void cores_work(void *context, unsigned i, uint64_t rounds,
                        struct cores_report *report);

/* Cores that can take part, this one included. */
unsigned cores_count(void);

/*
 * Let @n cores, this one being number 0, do @work.
 *
 * @cycles  from the first start to the last end
 * @reports of each core; room for CORES_MAX
 * Returns  cores_judge(), or VOID_EARLY when one did not come back
 */
enum series_void cores_window(unsigned n, cores_work *work, void *context,
                              uint64_t rounds, uint64_t *cycles,
                              struct cores_report reports[]);

/* The same for work that cannot fail; one core does it here and now. */
enum series_void cores_do(unsigned n, cores_work *work, void *context,
                          uint64_t rounds, uint64_t *cycles);

/*
 * VOID_DRY     a core found nothing to take, or no room
 * VOID_EARLY   a core did less than it was asked for
 * VOID_SKEW    the starts differ by more than 1 % of the longest run
 *
 * The first of them that holds.
 */
enum series_void cores_judge(const struct cores_report reports[], unsigned n);
