/*
 * line.h - a measurement as one line that people and programs read
 *
 *   BENCH <name> ours=<x> peer=<y> unit=<u> ratio=<x/y> ci95=<lo>..<hi> n=<n>
 *         [key=value ...]
 *
 * on one line; peer, ratio and ci95 are left out where there is no peer. printf
 * of the image knows no fractions, so they are made here, the same everywhere.
 */
#pragma once

#include <stddef.h>

#include <millrace/compiler.h>

#include "bench/stats.h"

#define LINE_DECIMAL_BYTES 32
#define LINE_DECIMALS_MAX  6

/* Who prints: like printf(). */
typedef void line_print(const char *fmt, ...) printf_like(1, 2);

/*
 * @value with @decimals, 0 .. LINE_DECIMALS_MAX, digits behind the point,
 * rounded. What has no such form, 10^12 and more included, is "nan". Returns
 * @out.
 */
const char *line_decimal(char out[LINE_DECIMAL_BYTES], double value,
                         unsigned decimals);

struct line_figure {
    const char *name; /* one word */
    double ours;
    double peer; /* 0 = there is none, nor ratio and interval */
    const char *unit;
    double ratio, lo, hi;
    unsigned blocks;
    const char *more; /* "key=value ...", or NULL */
};

/*
 * The figure of a comparison: minima for work of one core alone, medians when
 * the world takes part. Ratio and interval are those of the pairs, so the ratio
 * need not be that of the two figures to the last digit.
 */
enum line_use { LINE_MINIMA, LINE_MEDIANS };
struct line_figure line_figure_of(const char *name, const char *unit,
                                  const struct stats_comparison *c,
                                  enum line_use use);

/*
 * One BENCH line, with its line end. Returns the bytes it takes, as snprintf
 * does.
 */
int line_format(char *out, size_t bytes, const struct line_figure *figure);

/* The same to @print, cut at LINE_BYTES_MAX. */
#define LINE_BYTES_MAX 480
void line_write(line_print *print, const struct line_figure *figure);
