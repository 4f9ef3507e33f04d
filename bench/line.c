/*
 * line.c - BENCH lines, and fractions without printf
 */
#include "bench/line.h"

#include <stdint.h>
#include <stdio.h>

#define DECIMAL_LIMIT 1e12

const char *line_decimal(char out[LINE_DECIMAL_BYTES], double value,
                         unsigned decimals)
{
    const double size = value < 0 ? -value : value;
    unsigned scale = 1;
    uint64_t units;

    if (decimals > LINE_DECIMALS_MAX)
        decimals = LINE_DECIMALS_MAX;
    for (unsigned i = 0; i < decimals; i++)
        scale *= 10;
    if (!(size < DECIMAL_LIMIT)) { /* not a number is not less, either */
        snprintf(out, LINE_DECIMAL_BYTES, "nan");
        return out;
    }
    units = (uint64_t)(size * scale + 0.5);
    snprintf(out, LINE_DECIMAL_BYTES, "%s%llu",
             value < 0 && units > 0 ? "-" : "",
             (unsigned long long)(units / scale));
    if (decimals > 0) {
        size_t end = 0;

        while (out[end] != '\0')
            end++;
        snprintf(out + end, LINE_DECIMAL_BYTES - end, ".%0*llu", (int)decimals,
                 (unsigned long long)(units % scale));
    }
    return out;
}

struct line_figure line_figure_of(const char *name, const char *unit,
                                  const struct stats_comparison *c,
                                  enum line_use use)
{
    return (struct line_figure) {
        .name = name,
        .ours = use == LINE_MINIMA ? c->a_min : c->a_median,
        .peer = use == LINE_MINIMA ? c->b_min : c->b_median,
        .unit = unit,
        .ratio = c->ratio,
        .lo = c->lo,
        .hi = c->hi,
        .blocks = c->blocks,
    };
}

int line_format(char *out, size_t bytes, const struct line_figure *f)
{
    char ours[LINE_DECIMAL_BYTES], peer[LINE_DECIMAL_BYTES];
    char ratio[LINE_DECIMAL_BYTES], lo[LINE_DECIMAL_BYTES];
    char hi[LINE_DECIMAL_BYTES];
    const char *gap = f->more != NULL ? " " : "";
    const char *more = f->more != NULL ? f->more : "";

    line_decimal(ours, f->ours, 3);
    if (f->peer == 0)
        return snprintf(out, bytes, "BENCH %s ours=%s unit=%s n=%u%s%s\n",
                        f->name, ours, f->unit, f->blocks, gap, more);
    line_decimal(peer, f->peer, 3);
    line_decimal(ratio, f->ratio, 4);
    line_decimal(lo, f->lo, 4);
    line_decimal(hi, f->hi, 4);
    return snprintf(out, bytes,
                    "BENCH %s ours=%s peer=%s unit=%s ratio=%s ci95=%s..%s "
                    "n=%u%s%s\n",
                    f->name, ours, peer, f->unit, ratio, lo, hi, f->blocks, gap,
                    more);
}

void line_write(line_print *print, const struct line_figure *figure)
{
    char line[LINE_BYTES_MAX];

    (void)line_format(line, sizeof(line), figure);
    print("%s", line);
}
