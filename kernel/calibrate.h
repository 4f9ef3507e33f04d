/*
 * calibrate.h - how fast the cycle counter runs: the arithmetic and the choice
 *
 * Sources of the frequency, in ticks per second; 0 = this machine has none.
 * Nominal values are exact when true; measured ones are true but a little off.
 *
 * Source: Intel SDM volume 2A, CPUID leaves 15H and 16H; volume 3B, 18.7.3.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PM_TIMER_HZ         3579545
#define HPET_PERIOD_FS_MAX  100000000 /* the HPET specification's limit */
#define CALIBRATE_AGREE_PPM 1000

struct clock_sources {
    uint64_t crystal_hz;    /* CPUID 15H */
    uint64_t hypervisor_hz; /* CPUID 40000010H */
    uint64_t base_hz;       /* CPUID 16H: the brochure's number, in MHz */
    uint64_t hpet_hz;       /* measured against the HPET */
    uint64_t pm_hz;         /* measured against the ACPI timer */
};

struct clock_choice {
    uint64_t hz;        /* 0 = none of the sources is usable */
    const char *source; /* static text */
    bool is_verified;   /* two independent sources agree within 0.1 % */
    const char *check;  /* the source it was compared with, or NULL */
    uint64_t check_hz;
};

/* CPUID 15H: EBX / EAX * ECX; 0 when a part is missing. */
uint64_t calibrate_from_crystal(uint32_t denominator, uint32_t numerator,
                                uint32_t crystal_hz);

/* @cycles passed while a counter of @period_fs per tick made @ticks. */
uint64_t calibrate_from_period(uint64_t cycles, uint64_t ticks,
                               uint64_t period_fs);

/* The same for a counter of @counter_hz. */
uint64_t calibrate_from_hz(uint64_t cycles, uint64_t ticks,
                           uint64_t counter_hz);

/* |a - b| in parts per million of @b; UINT64_MAX when @b is 0. */
uint64_t calibrate_ppm(uint64_t a, uint64_t b);

struct clock_choice calibrate_choose(const struct clock_sources *sources);
