/*
 * stats.c - medians, bootstrap intervals, verdicts
 *
 * Source   B. Efron, "Bootstrap methods: another look at the jackknife", 1979;
 *          the generator is splitmix64 of G. Steele, D. Lea, C. Flood, "Fast
 *          splittable pseudorandom number generators", 2014
 */
#include "bench/stats.h"

#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <millrace/log.h>

#include "bench/line.h"

/* Two-sided 5 %, power 80 %: standard normal quantiles. */
#define QUANTILES (1.96 + 0.84)

/* ---- chance ---- */

uint64_t stats_random_next(struct stats_random *random)
{
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void stats_random_order(struct stats_random *random, unsigned order[],
                        unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned at = stats_random_below(random, i + 1);

        order[i] = order[at];
        order[at] = i;
    }
}

/* ---- one side ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double stats_median(double values[], unsigned n)
{
    qsort(values, n, sizeof(*values), compare);
    return n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double stats_min(const double values[], unsigned n)
{
    double least = values[0];

    for (unsigned i = 1; i < n; i++)
        if (values[i] < least)
            least = values[i];
    return least;
}

/* ---- two sides ---- */

/* Not sqrt(): that would want a library for the sake of errno. */
static double square_root(double x)
{
    return _mm_cvtsd_f64(_mm_sqrt_sd(_mm_setzero_pd(), _mm_set_sd(x)));
}

/* The middle of two ratios, as the mean of their logarithms. */
static double middle(double x, double y)
{
    return x == y ? x : square_root(x * y);
}

/* The value that @rank others, from 0, do not exceed; @times how often each. */
static double ranked(const double sorted[], const uint16_t times[],
                     unsigned rank)
{
    unsigned i = 0;

    for (unsigned seen = times[0]; seen <= rank; seen += times[i])
        i++;
    return sorted[i];
}

/* Median of as many draws from @sorted as it has values. */
static double resample(const double sorted[], unsigned n,
                       struct stats_random *random)
{
    uint16_t times[STATS_BLOCKS_MAX];

    memset(times, 0, n * sizeof(*times));
    for (unsigned i = 0; i < n; i++)
        times[stats_random_below(random, n)]++;
    return n % 2 != 0 ? ranked(sorted, times, n / 2)
                      : middle(ranked(sorted, times, n / 2 - 1),
                               ranked(sorted, times, n / 2));
}

static void find_interval(const double sorted[], unsigned n, uint64_t seed,
                          struct stats_comparison *out)
{
    static double medians[STATS_RESAMPLES];
    struct stats_random random = { seed };

    for (unsigned i = 0; i < STATS_RESAMPLES; i++)
        medians[i] = resample(sorted, n, &random);
    qsort(medians, STATS_RESAMPLES, sizeof(*medians), compare);
    out->lo = medians[STATS_RESAMPLES / 40];
    out->hi = medians[STATS_RESAMPLES - 1 - STATS_RESAMPLES / 40];
}

static double larger(double x, double y)
{
    return x > y ? x : y;
}

static void judge(struct stats_comparison *c)
{
    if (c->blocks < STATS_BLOCKS_CLAIM)
        c->verdict = STATS_TOO_FEW;
    else if (c->hi < 1 - STATS_THRESHOLD)
        c->verdict = STATS_LESS;
    else if (c->lo > 1 + STATS_THRESHOLD)
        c->verdict = STATS_MORE;
    else
        c->verdict = STATS_NO_DIFFERENCE;
    const double from = stats_differs(c) ? c->ratio : 1;

    c->resolution = larger(STATS_THRESHOLD, larger(from - c->lo, c->hi - from));
}

void stats_compare(const double a[], const double b[], unsigned n,
                   uint64_t seed, struct stats_comparison *out)
{
    double values[STATS_BLOCKS_MAX];

    if (n == 0 || n > STATS_BLOCKS_MAX)
        panic("stats: %u blocks, 1..%u are possible", n, STATS_BLOCKS_MAX);
    out->blocks = n;
    out->a_min = stats_min(a, n);
    out->b_min = stats_min(b, n);
    memcpy(values, a, n * sizeof(*values));
    out->a_median = stats_median(values, n);
    memcpy(values, b, n * sizeof(*values));
    out->b_median = stats_median(values, n);
    for (unsigned i = 0; i < n; i++)
        values[i] = a[i] / b[i];   /* S1 */
    (void)stats_median(values, n); /* sorts */
    out->ratio =
        n % 2 != 0 ? values[n / 2] : middle(values[n / 2 - 1], values[n / 2]);
    find_interval(values, n, seed, out);
    judge(out);
}

void stats_verdict_text(char out[STATS_VERDICT_BYTES],
                        const struct stats_comparison *c)
{
    char percent[LINE_DECIMAL_BYTES];

    if (c->verdict == STATS_TOO_FEW) {
        snprintf(out, STATS_VERDICT_BYTES, "too few blocks");
        return;
    }
    if (c->verdict == STATS_NO_DIFFERENCE) {
        line_decimal(percent, 100 * c->resolution, 1);
        snprintf(out, STATS_VERDICT_BYTES, "no difference at resolution %s %%",
                 percent);
        return;
    }
    line_decimal(percent,
                 100 * (c->verdict == STATS_LESS ? 1 - c->ratio : c->ratio - 1),
                 1);
    snprintf(out, STATS_VERDICT_BYTES, "%s %% %s", percent,
             c->verdict == STATS_LESS ? "less" : "more");
}

/* ---- how many blocks? ---- */

/* Of a ratio near 1: wrong by a twelfth of its cube. */
static double logarithm_near_1(double ratio)
{
    return 2 * (ratio - 1) / (ratio + 1);
}

double stats_pair_variance(const double a[], const double b[], unsigned n)
{
    double mean = 0, sum = 0;

    for (unsigned i = 0; i < n; i++)
        mean += logarithm_near_1(a[i] / b[i]) / n;
    for (unsigned i = 0; i < n; i++) {
        const double off = logarithm_near_1(a[i] / b[i]) - mean;

        sum += off * off;
    }
    return sum / (n - 1);
}

static unsigned round_up(double x)
{
    const double most = UINT32_MAX;
    const unsigned whole = x < most ? (unsigned)x : UINT32_MAX;

    if (whole < x && whole < UINT32_MAX)
        return whole + 1;
    return whole == 0 ? 1 : whole;
}

unsigned stats_blocks_paired(double variance, double difference)
{
    return round_up(QUANTILES * QUANTILES * variance /
                    (difference * difference));
}

unsigned stats_blocks_unpaired(double variance, double difference)
{
    return round_up(2 * QUANTILES * QUANTILES * variance /
                    (difference * difference));
}
