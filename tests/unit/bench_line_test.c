/*
 * bench_line_test.c - fractions and BENCH lines
 */
#include "bench/line.h"

#include <stdio.h>

#include "tests/unit/test.h"

static void check_decimal(double value, unsigned decimals, const char *expected)
{
    char text[LINE_DECIMAL_BYTES];

    CHECK_STR(line_decimal(text, value, decimals), expected);
}

TEST(line, a_fraction_is_rounded_to_its_digits)
{
    check_decimal(0, 0, "0");
    check_decimal(0, 3, "0.000");
    check_decimal(1.0625, 3, "1.063");
    check_decimal(1.0624, 3, "1.062");
    check_decimal(0.05, 2, "0.05");
    check_decimal(999.9996, 3, "1000.000");
    check_decimal(-1.5, 1, "-1.5");
    check_decimal(-0.04, 1, "0.0");
    check_decimal(1.25, 9, "1.250000");
    check_decimal(999999999999.0, 0, "999999999999");
}

TEST(line, what_is_no_number_says_so)
{
    check_decimal(1e12, 1, "nan");
    check_decimal(-1e300, 1, "nan");
    check_decimal(__builtin_inf(), 1, "nan");
    check_decimal(__builtin_nan(""), 1, "nan");
}

static const struct stats_comparison comparison = {
    .blocks = 30,
    .a_median = 12.5,
    .a_min = 12,
    .b_median = 25,
    .b_min = 24.5,
    .ratio = 0.501,
    .lo = 0.49,
    .hi = 0.512345,
};

TEST(line, a_comparison_has_both_sides_and_the_interval)
{
    char text[LINE_BYTES_MAX];
    struct line_figure f =
        line_figure_of("mempool-bulk32", "cycles", &comparison, LINE_MEDIANS);
    const char *expected =
        "BENCH mempool-bulk32 ours=12.500 peer=25.000 unit=cycles "
        "ratio=0.5010 ci95=0.4900..0.5123 n=30\n";

    CHECK_EQ(line_format(text, sizeof(text), &f), strlen(expected));
    CHECK_STR(text, expected);
    f = line_figure_of("x", "cycles", &comparison, LINE_MINIMA);
    f.more = "aa=none void=2";
    (void)line_format(text, sizeof(text), &f);
    CHECK_STR(text, "BENCH x ours=12.000 peer=24.500 unit=cycles ratio=0.5010 "
                    "ci95=0.4900..0.5123 n=30 aa=none void=2\n");
}

TEST(line, without_a_peer_there_is_no_ratio)
{
    char text[LINE_BYTES_MAX];
    const struct line_figure f = {
        .name = "boot", .ours = 7.25, .unit = "us", .blocks = 3
    };

    (void)line_format(text, sizeof(text), &f);
    CHECK_STR(text, "BENCH boot ours=7.250 unit=us n=3\n");
}

static char printed[LINE_BYTES_MAX];

static void keep(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(printed, sizeof(printed), fmt, args);
    va_end(args);
}

TEST(line, a_line_is_printed_whole)
{
    const struct line_figure f = {
        .name = "boot", .ours = 7.25, .unit = "us", .blocks = 3, .more = "k=v"
    };

    line_write(keep, &f);
    CHECK_STR(printed, "BENCH boot ours=7.250 unit=us n=3 k=v\n");
}
