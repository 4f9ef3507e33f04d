/*
 * stats.h - what a series of measurements allows to be said, and what not
 *
 * Two variants are measured in the same blocks; a block's two values belong
 * together. The question is always a ratio: how many times the cost of B is the
 * cost of A?
 *
 *   S1  what disturbs a whole block disturbs both its values: only ratios
 *       within a block are compared
 *   S2  a difference is claimed only when all of the 95 % interval lies beyond
 *       0 and beyond STATS_THRESHOLD on the same side; otherwise the answer is
 *       "no difference", with the largest one that was not excluded
 *   S3  equal values and an equal seed give an equal answer
 *
 * Ratios stand for differences of logarithms: a median is the same by both, as
 * long as the middle of two is their geometric mean, so no logarithm is needed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

#define STATS_BLOCKS_MAX 512
#define STATS_RESAMPLES  10000
#define STATS_THRESHOLD  0.005

/* ---- chance, the same for the same seed ---- */

struct stats_random {
    uint64_t state; /* any seed */
};

uint64_t stats_random_next(struct stats_random *random);

/* 0 .. @bound - 1, each as likely; @bound at least 1. */
static inline unsigned stats_random_below(struct stats_random *random,
                                          unsigned bound)
{
    return (unsigned)((stats_random_next(random) >> 32) * bound >> 32);
}

/* Put 0 .. @n - 1 into @order, every order as likely. */
void stats_random_order(struct stats_random *random, unsigned order[],
                        unsigned n);

/* ---- one side ---- */

/* Sorts @values; the mean of the middle two when @n is even. @n at least 1. */
double stats_median(double values[], unsigned n);

double stats_min(const double values[], unsigned n);

/* ---- two sides ---- */

enum stats_verdict {
    STATS_NO_DIFFERENCE,
    STATS_LESS, /* A costs less than B */
    STATS_MORE,
    STATS_TOO_FEW, /* blocks for any interval of 95 % */
};

/*
 * Of fewer blocks, even from the least to the most is no interval of 95 %: all
 * lie on one side of the truth in 2 of 2^n cases.
 */
#define STATS_BLOCKS_CLAIM 6

struct stats_comparison {
    unsigned blocks;
    double a_median, a_min;
    double b_median, b_min;
    double ratio;  /* A / B, median of the blocks */
    double lo, hi; /* 95 % interval of it */
    /*
     * As a fraction, STATS_THRESHOLD or more. No difference: the largest one
     * that the interval leaves possible. Else how far from the truth the
     * ratio may be.
     */
    double resolution;
    enum stats_verdict verdict;
};

/*
 * Compare @n blocks, 1 .. STATS_BLOCKS_MAX, of positive values: the interval is
 * that of STATS_RESAMPLES bootstrap resamples of blocks.
 *
 * Context  one at a time: the resamples lie in static memory
 * Cost     about 20 million instructions with 30 blocks
 */
void stats_compare(const double a[], const double b[], unsigned n,
                   uint64_t seed, struct stats_comparison *out);

static inline bool stats_differs(const struct stats_comparison *c)
{
    return c->verdict == STATS_LESS || c->verdict == STATS_MORE;
}

/*
 * "no difference at resolution 0.8 %", or "3.1 % less", "3.1 % more", or "too
 * few blocks".
 */
#define STATS_VERDICT_BYTES 64
void stats_verdict_text(char out[STATS_VERDICT_BYTES],
                        const struct stats_comparison *c);

/* ---- how many blocks? ---- */

/* Variance of the paired log differences of a pilot; @n at least 2. */
double stats_pair_variance(const double a[], const double b[], unsigned n);

/*
 * Blocks by which a difference of @difference (0.01 = 1 %) is found in four of
 * five series, at 5 % false claims. At least 1, at most UINT32_MAX.
 */
unsigned stats_blocks_paired(double variance, double difference);

/* The same per side when the values do not come in pairs. */
unsigned stats_blocks_unpaired(double variance, double difference);
