/*
 * bench_stats_test.c - what a series allows to be said
 *
 * Expected values are closed forms or come from a separate computation in
 * Python, as each test says.
 */
#include "bench/stats.h"

#include "tests/unit/test.h"

#define NEAR(x, y, by) CHECK((x) - (y) < (by) && (y) - (x) < (by))

/* Published with the algorithm's descriptions, for seed 1234567. */
TEST(stats, the_generator_is_splitmix64)
{
    struct stats_random r = { 1234567 };

    CHECK_EQ(stats_random_next(&r), UINT64_C(6457827717110365317));
    CHECK_EQ(stats_random_next(&r), UINT64_C(3203168211198807973));
    CHECK_EQ(stats_random_next(&r), UINT64_C(9817491932198370423));
}

TEST(stats, chance_stays_below_its_bound_and_reaches_all_of_it)
{
    struct stats_random r = { 1 };
    unsigned times[7] = { 0 };

    for (unsigned i = 0; i < 70000; i++) {
        const unsigned v = stats_random_below(&r, 7);

        CHECK(v < 7);
        times[v]++;
    }
    for (unsigned i = 0; i < 7; i++) /* 10000, standard deviation 93 */
        CHECK(times[i] > 9500 && times[i] < 10500);
    CHECK_EQ(stats_random_below(&r, 1), 0);
}

TEST(stats, an_order_is_a_permutation_and_each_is_as_likely)
{
    struct stats_random r = { 5 };
    unsigned times[6] = { 0 };

    for (unsigned i = 0; i < 6000; i++) {
        unsigned o[3];

        stats_random_order(&r, o, 3);
        CHECK_EQ((1u << o[0] | 1u << o[1] | 1u << o[2]), 7);
        times[2 * o[0] + (o[1] > o[2])]++;
    }
    for (unsigned i = 0; i < 6; i++) /* 1000, standard deviation 29 */
        CHECK(times[i] > 850 && times[i] < 1150);
}

TEST(stats, a_median_is_the_middle_or_the_mean_of_two)
{
    double odd[] = { 9, 1, 5 }, even[] = { 8, 2, 4, 1 }, one[] = { 3 };

    NEAR(stats_median(odd, 3), 5.0, 1e-12);
    NEAR(stats_median(even, 4), 3.0, 1e-12);
    NEAR(stats_median(one, 1), 3.0, 1e-12);
    NEAR(stats_min(even, 4), 1.0, 1e-12);
}

/* a = b * (1 + step * i), i = 0 .. n - 1, in an order of their own. */
static void ladder(double a[], double b[], unsigned n, double step)
{
    struct stats_random r = { 99 };
    unsigned order[STATS_BLOCKS_MAX];

    stats_random_order(&r, order, n);
    for (unsigned i = 0; i < n; i++) {
        b[i] = 100 + i;
        a[i] = b[i] * (1 + step * order[i]);
    }
}

/*
 * The bootstrap's median of 21 is at most the k-th value with probability
 * P(Binomial(21, k / 21) >= 11): 0.018 and 0.056 for k = 6, 7; 0.944 and 0.982
 * for k = 14, 15. So the interval is from the 7th to the 15th.
 */
TEST(stats, the_interval_of_an_odd_number_is_the_binomial_one)
{
    double a[21], b[21];
    struct stats_comparison c;

    ladder(a, b, 21, 0.01);
    for (uint64_t seed = 0; seed < 8; seed++) {
        stats_compare(a, b, 21, seed, &c);
        NEAR(c.ratio, 1.10, 1e-9);
        NEAR(c.lo, 1.06, 1e-9);
        NEAR(c.hi, 1.14, 1e-9);
    }
    CHECK_EQ(c.blocks, 21);
    CHECK_EQ(c.verdict, STATS_MORE);
    NEAR(c.resolution, 0.04, 1e-9);
}

/* By 200,000 resamples in Python: 1.01900 .. 1.03900, middle 1.0289995. */
TEST(stats, the_interval_of_an_even_number_has_geometric_middles)
{
    double a[30], b[30];
    struct stats_comparison c;

    ladder(a, b, 30, 0.002);
    stats_compare(a, b, 30, 1, &c);
    NEAR(c.ratio, 1.0289995, 1e-7);
    NEAR(c.lo, 1.0190, 0.00101); /* half a step of the ladder */
    NEAR(c.hi, 1.0390, 0.00101);
}

TEST(stats, exchanged_sides_give_the_inverse)
{
    double a[30], b[30];
    struct stats_comparison c, d;

    ladder(a, b, 30, 0.002);
    stats_compare(a, b, 30, 1, &c);
    stats_compare(b, a, 30, 1, &d);
    NEAR(c.ratio * d.ratio, 1.0, 1e-9);
    CHECK_EQ(c.verdict, STATS_MORE);
    CHECK_EQ(d.verdict, STATS_LESS);
    NEAR(d.a_median, 114.5, 1e-9);
    NEAR(d.a_min, 100.0, 1e-9);
    NEAR(c.b_median, 114.5, 1e-9);
}

/* S3 */
TEST(stats, an_equal_seed_gives_an_equal_answer)
{
    double a[30], b[30];
    struct stats_comparison c, d;

    memset(&c, 0, sizeof(c));
    memset(&d, 0, sizeof(d));
    ladder(a, b, 30, 0.002);
    stats_compare(a, b, 30, 7, &c);
    stats_compare(a, b, 30, 7, &d);
    CHECK_BYTES(&c, &d, sizeof(c));
}

/* S2: the whole interval, and more than the threshold. */
TEST(stats, half_a_percent_is_no_difference)
{
    double a[30], b[30];
    struct stats_comparison c;

    for (unsigned i = 0; i < 30; i++) {
        b[i] = 100;
        a[i] = 100.4;
    }
    stats_compare(a, b, 30, 1, &c);
    CHECK_EQ(c.verdict, STATS_NO_DIFFERENCE);
    NEAR(c.resolution, 0.005, 1e-9);
    for (unsigned i = 0; i < 30; i++)
        a[i] = 100.6;
    stats_compare(a, b, 30, 1, &c);
    CHECK_EQ(c.verdict, STATS_MORE);
    for (unsigned i = 0; i < 30; i++)
        a[i] = 99.4;
    stats_compare(a, b, 30, 1, &c);
    CHECK_EQ(c.verdict, STATS_LESS);
}

/* S2: half of the blocks say 0, half 4 %: anything up to that is possible. */
TEST(stats, no_difference_names_the_largest_it_leaves_possible)
{
    double a[31], b[31];
    struct stats_comparison c;
    char text[STATS_VERDICT_BYTES];

    for (unsigned i = 0; i < 31; i++) {
        b[i] = 100;
        a[i] = i < 16 ? 104 : 100;
    }
    stats_compare(a, b, 31, 1, &c);
    NEAR(c.lo, 1.0, 1e-9);
    NEAR(c.hi, 1.04, 1e-9);
    CHECK_EQ(c.verdict, STATS_NO_DIFFERENCE);
    NEAR(c.resolution, 0.04, 1e-9);
    stats_verdict_text(text, &c);
    CHECK_STR(text, "no difference at resolution 4.0 %");
}

TEST(stats, a_verdict_says_less_or_more)
{
    const double a[] = { 103, 103, 103, 103, 103, 103 };
    const double b[] = { 100, 100, 100, 100, 100, 100 };
    struct stats_comparison c;
    char text[STATS_VERDICT_BYTES];

    stats_compare(a, b, 6, 1, &c);
    stats_verdict_text(text, &c);
    CHECK_STR(text, "3.0 % more");
    CHECK(stats_differs(&c));
    stats_compare(b, a, 6, 1, &c); /* 100 / 103 = 0.9709 */
    stats_verdict_text(text, &c);
    CHECK_STR(text, "2.9 % less");
    stats_compare(a, b, 5, 1, &c); /* all above: 2 of 32 cases by chance */
    stats_verdict_text(text, &c);
    CHECK_STR(text, "too few blocks");
    CHECK(!stats_differs(&c));
}

TEST(stats, one_block_is_enough_to_compare_and_none_is_a_mistake)
{
    const double a[] = { 3 }, b[] = { 2 };
    struct stats_comparison c;

    stats_compare(a, b, 1, 1, &c);
    NEAR(c.ratio, 1.5, 1e-9);
    NEAR(c.lo, 1.5, 1e-9);
    NEAR(c.hi, 1.5, 1e-9);
    CHECK_PANICS(stats_compare(a, b, 0, 1, &c));
    CHECK_PANICS(stats_compare(a, b, STATS_BLOCKS_MAX + 1, 1, &c));
}

/* About normal, mean 0, standard deviation 1. */
static double noise(struct stats_random *r)
{
    double sum = -6;

    for (unsigned i = 0; i < 12; i++)
        sum += (double)(stats_random_next(r) >> 11) / (double)(1ULL << 53);
    return sum;
}

#define SERIES 100
#define BLOCKS 31

/* Of SERIES series with a true difference, how many find one? */
static unsigned found(double difference, double spread, double drift,
                      uint64_t seed)
{
    struct stats_random r = { seed };
    double a[BLOCKS], b[BLOCKS];
    unsigned n = 0;

    for (unsigned s = 0; s < SERIES; s++) {
        struct stats_comparison c;

        for (unsigned i = 0; i < BLOCKS; i++) {
            const double both = 100 * (1 + drift * noise(&r));

            a[i] = both * (1 + spread * noise(&r)) * (1 + difference);
            b[i] = both * (1 + spread * noise(&r));
        }
        stats_compare(a, b, BLOCKS, s, &c);
        n += c.verdict != STATS_NO_DIFFERENCE;
    }
    return n;
}

/* 2.4 % is what repeated runs of the published pool test spread by. */
TEST(stats, REQ_32_a_variant_against_itself_shows_no_difference)
{
    CHECK(found(0, 0.024, 0, 1) <= SERIES * 5 / 100);
    CHECK(found(0, 0.001, 0.10, 2) <= SERIES * 5 / 100);
}

/* S1: what both share does not hide a difference; 2 % is seen through 10 %. */
TEST(stats, a_true_difference_is_found_through_a_common_drift)
{
    CHECK(found(0.02, 0.005, 0.10, 3) >= SERIES * 95 / 100);
    CHECK(found(-0.02, 0.005, 0.10, 4) >= SERIES * 95 / 100);
}

/* By Python with true logarithms 0.00254238; ours are near them. */
TEST(stats, the_variance_of_pairs_is_that_of_their_logarithms)
{
    const double a[] = { 100, 103, 98, 110 }, b[] = { 100, 100, 100, 100 };

    NEAR(stats_pair_variance(a, b, 4), 0.00254238, 0.000005);
}

/*
 * ((1.96 + 0.84) s / d)^2, twice that per side without pairs. s = 2.4 and
 * d = 1 give 45.2 and 90.3, s = 0.5 gives 1.96 and 3.92.
 */
TEST(stats, the_number_of_blocks_follows_from_the_pilot)
{
    CHECK_EQ(stats_blocks_paired(2.4 * 2.4, 1), 46);
    CHECK_EQ(stats_blocks_unpaired(2.4 * 2.4, 1), 91);
    CHECK_EQ(stats_blocks_paired(0.25, 1), 2);
    CHECK_EQ(stats_blocks_unpaired(0.25, 1), 4);
    CHECK_EQ(stats_blocks_paired(0, 0.01), 1);
    CHECK_EQ(stats_blocks_paired(1e30, 0.01), UINT32_MAX);
}
