/*
 * report.h - a series as a table for people and lines for programs
 */
#pragma once

#include "bench/line.h"
#include "bench/series.h"

/* The table, how it was taken, and a BENCH line for each variant. */
void report_series(line_print *print, const struct series *s,
                   const struct series_result *r);

/* How many blocks were void, and why, as one line. */
void report_voids(line_print *print, const unsigned voids[VOID_COUNT]);
