/*
 * calibrate.c - how fast the cycle counter runs
 *
 *   K1  multiplied before divided, in 128 bits: nothing is rounded twice
 *   K2  a nominal value that measurement contradicts is not used
 */
#include <stddef.h>

#include <millrace/compiler.h>

#include "kernel/calibrate.h"

#define FS_PER_SECOND UINT64_C(1000000000000000)

/* Slower or faster than this is a broken counter, not a clock. */
#define HZ_MIN UINT64_C(50000000)
#define HZ_MAX UINT64_C(20000000000)

static uint64_t mul_div(uint64_t a, uint64_t b, uint64_t divisor)
{
    if (divisor == 0)
        return 0;
    const unsigned __int128 q =
        ((unsigned __int128)a * b + divisor / 2) / divisor;

    return q > UINT64_MAX ? 0 : (uint64_t)q;
}

uint64_t calibrate_from_crystal(uint32_t denominator, uint32_t numerator,
                                uint32_t crystal_hz)
{
    return mul_div(crystal_hz, numerator, denominator);
}

uint64_t calibrate_from_period(uint64_t cycles, uint64_t ticks,
                               uint64_t period_fs)
{
    if (period_fs == 0 || ticks > UINT64_MAX / period_fs)
        return 0;
    return mul_div(cycles, FS_PER_SECOND, ticks * period_fs);
}

uint64_t calibrate_from_hz(uint64_t cycles, uint64_t ticks, uint64_t counter_hz)
{
    return mul_div(cycles, counter_hz, ticks);
}

uint64_t calibrate_ppm(uint64_t a, uint64_t b)
{
    if (b == 0)
        return UINT64_MAX;
    return mul_div(a > b ? a - b : b - a, 1000000, b);
}

struct named {
    const char *name;
    uint64_t hz;
};

/* The first usable row, or NULL. */
static const struct named *first(const struct named *rows, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (rows[i].hz >= HZ_MIN && rows[i].hz <= HZ_MAX)
            return &rows[i];
    return NULL;
}

static struct clock_choice compared(const struct named *use,
                                    const struct named *with)
{
    struct clock_choice c = { .hz = use->hz, .source = use->name };

    if (with != NULL) {
        c.check = with->name;
        c.check_hz = with->hz;
        c.is_verified = calibrate_ppm(use->hz, with->hz) <= CALIBRATE_AGREE_PPM;
    }
    return c;
}

struct clock_choice calibrate_choose(const struct clock_sources *s)
{
    const struct named nominal[] = {
        { "CPUID 15H", s->crystal_hz },
        { "CPUID 40000010H", s->hypervisor_hz },
    };
    const struct named measured[] = {
        { "HPET", s->hpet_hz },
        { "PM timer", s->pm_hz },
    };
    const struct named brochure = { "CPUID 16H", s->base_hz };
    const struct named *n = first(nominal, ARRAY_SIZE(nominal));
    const struct named *m = first(measured, ARRAY_SIZE(measured));

    if (n != NULL) {
        const struct clock_choice c = compared(n, m);

        return m == NULL || c.is_verified ? c : compared(m, n); /* K2 */
    }
    if (m == &measured[0])
        return compared(m, first(&measured[1], 1));
    if (m != NULL)
        return compared(m, NULL);
    if (first(&brochure, 1) != NULL)
        return compared(&brochure, NULL);
    return (struct clock_choice) { .source = "none" };
}
