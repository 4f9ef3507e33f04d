/*
 * calibrate_test.c - the arithmetic of time, and which source to believe
 */
#include "kernel/calibrate.h"
#include "tests/unit/test.h"

/* Values of real parts: numerator/denominator * crystal. */
TEST(calibrate, crystal_frequencies_are_exact)
{
    /* 24 MHz * 168 / 2: a 2016 MHz part; 25 MHz * 184 / 2: 2300 MHz */
    CHECK_EQ(calibrate_from_crystal(2, 168, 24000000), 2016000000);
    CHECK_EQ(calibrate_from_crystal(2, 184, 25000000), 2300000000);
    /* divided first, the .5 would be lost: 38.4 MHz * 125 / 2 */
    CHECK_EQ(calibrate_from_crystal(2, 125, 38400000), 2400000000);
    CHECK_EQ(calibrate_from_crystal(3, 172, 19200000), 1100800000);
}

TEST(calibrate, a_missing_part_of_leaf_15h_gives_nothing)
{
    CHECK_EQ(calibrate_from_crystal(2, 168, 0), 0);
    CHECK_EQ(calibrate_from_crystal(0, 168, 24000000), 0);
    CHECK_EQ(calibrate_from_crystal(2, 0, 24000000), 0);
}

TEST(calibrate, the_largest_values_do_not_overflow)
{
    CHECK_EQ(calibrate_from_crystal(1, UINT32_MAX, UINT32_MAX),
             UINT64_C(18446744065119617025));
}

/* 20 ms of a 3.6 GHz counter against a 14.31818 MHz HPET. */
TEST(calibrate, hpet_periods)
{
    /* 69841279 fs * 286364 ticks = 20.00002... ms */
    const uint64_t hz = calibrate_from_period(72000000, 286364, 69841279);

    CHECK(hz > 3599900000 && hz < 3600100000);
    CHECK_EQ(calibrate_from_period(50000000, 2000000, 10000000), 2500000000);
    CHECK_EQ(calibrate_from_period(72000000, 0, 69841279), 0);
    CHECK_EQ(calibrate_from_period(72000000, 100, 0), 0);
    CHECK_EQ(calibrate_from_period(UINT64_MAX, UINT64_MAX, UINT64_MAX), 0);
}

TEST(calibrate, pm_timer)
{
    /* 71591 ticks of 3.579545 MHz are 20.0000279 ms */
    const uint64_t hz = calibrate_from_hz(50000000, 71591, PM_TIMER_HZ);

    CHECK(hz > 2499900000 && hz < 2500100000);
    CHECK_EQ(calibrate_from_hz(50000000, 0, PM_TIMER_HZ), 0);
}

TEST(calibrate, differences_in_parts_per_million)
{
    CHECK_EQ(calibrate_ppm(2304000000, 2300000000), 1739);
    CHECK_EQ(calibrate_ppm(2300000000, 2304000000), 1736);
    CHECK_EQ(calibrate_ppm(5, 5), 0);
    CHECK_EQ(calibrate_ppm(5, 0), UINT64_MAX);
}

TEST(calibrate, a_confirmed_nominal_value_wins)
{
    const struct clock_sources s = { .crystal_hz = 2304000000,
                                     .base_hz = 2300000000,
                                     .hpet_hz = 2304100000 };
    const struct clock_choice c = calibrate_choose(&s);

    CHECK_EQ(c.hz, 2304000000);
    CHECK_STR(c.source, "CPUID 15H");
    CHECK(c.is_verified);
}

TEST(calibrate, a_contradicted_nominal_value_loses)
{
    const struct clock_sources s = { .crystal_hz = 2300000000,
                                     .hpet_hz = 2304000000,
                                     .pm_hz = 2304000001 };
    const struct clock_choice c = calibrate_choose(&s);

    CHECK_EQ(c.hz, 2304000000);
    CHECK_STR(c.source, "HPET");
    CHECK_STR(c.check, "CPUID 15H");
    CHECK_EQ(c.check_hz, 2300000000);
    CHECK(!c.is_verified);
}

TEST(calibrate, the_bound_is_one_part_in_a_thousand)
{
    struct clock_sources s = { .hypervisor_hz = 2000000000,
                               .pm_hz = 2002000000 };

    /* 2 MHz in 2002 MHz are 999 ppm */
    CHECK(calibrate_choose(&s).is_verified);
    CHECK_EQ(calibrate_choose(&s).hz, 2000000000);
    s.pm_hz = 2002010000;
    CHECK(!calibrate_choose(&s).is_verified);
    CHECK_EQ(calibrate_choose(&s).hz, 2002010000);
}

TEST(calibrate, two_measurements_confirm_each_other)
{
    const struct clock_sources s = { .hpet_hz = 2000100000,
                                     .pm_hz = 2000000000 };
    const struct clock_choice c = calibrate_choose(&s);

    CHECK_EQ(c.hz, 2000100000);
    CHECK(c.is_verified);
    CHECK_STR(c.check, "PM timer");
}

TEST(calibrate, one_source_alone_is_used_but_not_verified)
{
    const struct clock_sources nominal = { .crystal_hz = 2000000000 };
    const struct clock_sources measured = { .pm_hz = 2000000000 };
    const struct clock_sources brochure = { .base_hz = 2300000000 };

    CHECK_EQ(calibrate_choose(&nominal).hz, 2000000000);
    CHECK(!calibrate_choose(&nominal).is_verified);
    CHECK_STR(calibrate_choose(&measured).source, "PM timer");
    CHECK(!calibrate_choose(&measured).is_verified);
    CHECK_EQ(calibrate_choose(&brochure).hz, 2300000000);
    CHECK(!calibrate_choose(&brochure).is_verified);
}

TEST(calibrate, impossible_rates_are_no_sources)
{
    const struct clock_sources s = { .crystal_hz = 1000,
                                     .hpet_hz = UINT64_C(999000000000),
                                     .pm_hz = 2000000000 };
    const struct clock_sources none = { 0 };

    CHECK_STR(calibrate_choose(&s).source, "PM timer");
    CHECK_EQ(calibrate_choose(&none).hz, 0);
}
