/*
 * report.c - a series as a table for people and lines for programs
 */
#include "bench/report.h"

#include <stdio.h>

#define MORE_BYTES 160
#define NAME_BYTES 96

static unsigned void_windows(const unsigned voids[VOID_COUNT])
{
    unsigned n = 0;

    for (unsigned i = VOID_NONE + 1; i < VOID_COUNT; i++)
        n += voids[i];
    return n;
}

void report_voids(line_print *print, const unsigned voids[VOID_COUNT])
{
    print("  void windows: %u", void_windows(voids));
    for (unsigned i = VOID_NONE + 1; i < VOID_COUNT; i++)
        if (voids[i] > 0)
            print(", %u %s", voids[i], series_void_names[i]);
    print("\n");
}

/* "+1.3" per cent from a ratio. */
#define PERCENT_BYTES (LINE_DECIMAL_BYTES + 1)

static const char *percent(char out[PERCENT_BYTES], double ratio)
{
    char size[LINE_DECIMAL_BYTES];

    line_decimal(size, 100 * (ratio >= 1 ? ratio - 1 : 1 - ratio), 1);
    snprintf(out, PERCENT_BYTES, "%c%s", ratio >= 1 ? '+' : '-', size);
    return out;
}

static void row(line_print *print, const struct series *s,
                const struct series_result *r, unsigned v)
{
    const struct stats_comparison *c = &r->against_base[v];
    char median[LINE_DECIMAL_BYTES], least[LINE_DECIMAL_BYTES];
    char ratio[PERCENT_BYTES], lo[PERCENT_BYTES], hi[PERCENT_BYTES];
    char verdict[STATS_VERDICT_BYTES];

    line_decimal(median, c->a_median, 3);
    line_decimal(least, c->a_min, 3);
    print("  %-14s %9s %9s", s->variant[v].name, median, least);
    if (v == s->base) {
        print("\n");
        return;
    }
    stats_verdict_text(verdict, c);
    print(" %7s %7s..%-7s %s\n", percent(ratio, c->ratio), percent(lo, c->lo),
          percent(hi, c->hi), r->is_void ? "series void" : verdict);
}

static void table(line_print *print, const struct series *s,
                  const struct series_result *r)
{
    print("  %-14s %9s %9s %7s %-16s\n", "variant", "median", "min", "diff %",
          "95 % interval");
    for (unsigned v = 0; v < s->variants; v++)
        row(print, s, r, v);
}

static void say_control(line_print *print, const struct series *s,
                        const struct series_result *r)
{
    char text[STATS_VERDICT_BYTES];

    if (s->control == s->base)
        return;
    stats_verdict_text(text, &r->against_base[s->control]);
    print("  A/A control: %s%s\n", text,
          r->is_void ? "; the series is void" : "");
}

static void say_how(line_print *print, const struct series *s,
                    const struct series_result *r)
{
    char empty[LINE_DECIMAL_BYTES];

    line_decimal(empty, r->empty_cycles / ((double)r->rounds * s->operations),
                 3);
    print("  %u blocks, windows of %llu rounds, %s cycles subtracted per "
          "operation\n",
          r->blocks, (unsigned long long)r->rounds, empty);
    if (r->wanted > r->blocks)
        print("  the pilot asked for %u blocks to see 1 %%\n", r->wanted);
    if (!r->is_steady)
        print("  windows did not repeat within 1 %% when warm\n");
    if (r->is_short)
        print("  given up: too many blocks were void\n");
    say_control(print, s, r);
    report_voids(print, r->voids);
}

static const char *control_word(const struct series *s,
                                const struct series_result *r)
{
    if (s->control == s->base)
        return "none";
    if (r->against_base[s->control].verdict == STATS_TOO_FEW)
        return "few";
    return r->is_void ? "void" : "ok";
}

static void bench_line(line_print *print, const struct series *s,
                       const struct series_result *r, unsigned v)
{
    char name[NAME_BYTES], more[MORE_BYTES];
    char least[LINE_DECIMAL_BYTES], resolution[LINE_DECIMAL_BYTES];
    char ghz[LINE_DECIMAL_BYTES];
    struct line_figure f;

    snprintf(name, sizeof(name), "%s-%s", s->name, s->variant[v].name);
    f = line_figure_of(name, "cycles", &r->against_base[v], s->use);
    if (v == s->base)
        f.peer = 0;
    line_decimal(least, r->against_base[v].a_min, 3);
    line_decimal(resolution, r->against_base[v].resolution, 4);
    line_decimal(ghz, r->ghz, 3);
    snprintf(more, sizeof(more),
             "base=%s min=%s resolution=%s aa=%s void=%u steady=%u ghz=%s",
             s->variant[s->base].name, least,
             v == s->base ? "none" : resolution, control_word(s, r),
             void_windows(r->voids), r->is_steady,
             r->ghz > 0 ? ghz : "unknown");
    f.more = more;
    line_write(print, &f);
}

void report_series(line_print *print, const struct series *s,
                   const struct series_result *r)
{
    table(print, s, r);
    say_how(print, s, r);
    for (unsigned v = 0; v < s->variants; v++)
        bench_line(print, s, r, v);
    print("\n");
}
