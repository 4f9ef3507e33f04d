/*
 * clock.h - waits with deadlines, on top of the cycle counter
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/plat.h>

/* Cycles in @us microseconds; 0 before calibration. Split to avoid overflow. */
static inline uint64_t clock_us_to_cycles(uint64_t us)
{
    const uint64_t hz = plat_cycles_hz();

    return us / 1000000 * hz + us % 1000000 * hz / 1000000;
}

/* Microseconds in @cycles. */
static inline uint64_t clock_cycles_to_us(uint64_t cycles)
{
    const uint64_t hz = plat_cycles_hz();

    return hz == 0 ? 0 : cycles / hz * 1000000 + cycles % hz * 1000000 / hz;
}

struct deadline {
    uint64_t start;
    uint64_t cycles;
};

static inline struct deadline deadline_in_us(uint64_t us)
{
    return (struct deadline) { .start = plat_cycles(),
                               .cycles = clock_us_to_cycles(us) };
}

static inline bool deadline_passed(const struct deadline *d)
{
    return plat_cycles() - d->start >= d->cycles;
}

/* Burn @us microseconds. */
static inline void clock_delay_us(uint64_t us)
{
    const struct deadline d = deadline_in_us(us);

    while (!deadline_passed(&d))
        plat_pause();
}
