/*
 * clock.c - asks the machine how fast its cycle counter runs
 *
 * The reference counters are read between two reads of the cycle counter, and
 * of several such reads the tightest counts: an interruption by firmware or
 * hypervisor then costs nothing.
 *
 *   C1  a reference that stands still ends the measurement after SPAN_MAX
 *       cycles, whatever the cycle counter's rate
 */
#include <string.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/acpi_reg.h"
#include "kernel/calibrate.h"
#include "kernel/clock.h"
#include "kernel/io.h"

#define SPAN_US  20000
#define SPAN_MAX UINT64_C(1000000000)
#define READS    8

#define LEAF_TSC          0x15
#define LEAF_MHZ          0x16
#define LEAF_HYPERVISOR   0x40000000
#define LEAF_TSC_KHZ      0x40000010
#define LEAF_EXTENDED     0x80000000
#define LEAF_POWER        0x80000007
#define ECX_HYPERVISOR    (1u << 31)
#define EDX_INVARIANT_TSC (1u << 8)

#define HPET_BYTES      1024
#define HPET_CAPABILITY 0x000
#define HPET_CONFIG     0x010
#define HPET_COUNTER    0x0F0
#define HPET_ENABLE     1u
#define FS_PER_US       UINT64_C(1000000000)

static struct clock_choice choice;

uint64_t plat_cycles_hz(void)
{
    return choice.hz;
}

bool clock_is_verified(void)
{
    return choice.is_verified;
}

/* ---- what the CPU says ---- */

static void ask_cpu(struct clock_sources *s)
{
    const uint32_t max = cpu_id(0, 0).eax;

    if (max >= LEAF_TSC) {
        const struct cpuid r = cpu_id(LEAF_TSC, 0);

        s->crystal_hz = calibrate_from_crystal(r.eax, r.ebx, r.ecx);
    }
    if (max >= LEAF_MHZ)
        s->base_hz = (uint64_t)(cpu_id(LEAF_MHZ, 0).eax & 0xFFFF) * 1000000;
    if ((cpu_id(1, 0).ecx & ECX_HYPERVISOR) &&
        cpu_id(LEAF_HYPERVISOR, 0).eax >= LEAF_TSC_KHZ)
        s->hypervisor_hz = (uint64_t)cpu_id(LEAF_TSC_KHZ, 0).eax * 1000;
}

static bool is_invariant(void)
{
    return cpu_id(LEAF_EXTENDED, 0).eax >= LEAF_POWER &&
           (cpu_id(LEAF_POWER, 0).edx & EDX_INVARIANT_TSC);
}

/* ---- what other counters say ---- */

/* A counter of 24 or 32 bits that runs at a known rate. */
struct reference {
    uint32_t (*read)(const struct reference *r);
    uint32_t mask;
    volatile uint8_t *hpet;
    struct acpi_reg pm;
    uint64_t period_fs; /* HPET */
};

struct sample {
    uint64_t cycles;
    uint32_t ticks;
};

static uint32_t hpet_read(const struct reference *r)
{
    return plat_read32(r->hpet + HPET_COUNTER);
}

static uint32_t pm_read(const struct reference *r)
{
    return (uint32_t)acpi_reg_read(&r->pm, 4);
}

static bool hpet_open(const struct acpi *acpi, struct reference *r)
{
    if (acpi->hpet.address == 0)
        return false;
    r->hpet = plat_map_device(acpi->hpet.address, HPET_BYTES);
    if (r->hpet == NULL)
        return false;
    r->period_fs = plat_read32(r->hpet + HPET_CAPABILITY + 4);
    if (r->period_fs == 0 || r->period_fs > HPET_PERIOD_FS_MAX) {
        log_warning("clock: HPET says %llu fs per tick, at most %u expected; "
                    "not used",
                    (unsigned long long)r->period_fs, HPET_PERIOD_FS_MAX);
        return false;
    }
    plat_write32(r->hpet + HPET_CONFIG,
                 plat_read32(r->hpet + HPET_CONFIG) | HPET_ENABLE);
    r->read = hpet_read;
    r->mask = UINT32_MAX;
    return true;
}

static bool pm_open(const struct acpi *acpi, struct reference *r)
{
    if (!acpi_reg_open(&acpi->power.pm_timer, &r->pm))
        return false;
    r->read = pm_read;
    r->mask = acpi->power.pm_timer_is_32bit ? UINT32_MAX : 0xFFFFFF;
    return true;
}

static struct sample sample(const struct reference *r)
{
    struct sample best = { 0 };
    uint64_t best_width = UINT64_MAX;

    for (unsigned i = 0; i < READS; i++) {
        const uint64_t before = plat_cycles();
        const uint32_t ticks = r->read(r);
        const uint64_t width = plat_cycles() - before;

        if (width < best_width) {
            best_width = width;
            best = (struct sample) { before + width / 2, ticks };
        }
    }
    return best;
}

static uint32_t ticks_between(const struct reference *r, struct sample a,
                              struct sample b)
{
    return (b.ticks - a.ticks) & r->mask;
}

/* Let @ticks of @r pass (C1). */
static void wait_ticks(const struct reference *r, struct sample from,
                       uint32_t ticks)
{
    uint32_t now;

    do {
        now = (r->read(r) - from.ticks) & r->mask;
    } while (now < ticks && plat_cycles() - from.cycles < SPAN_MAX);
}

static uint64_t hpet_hz(const struct reference *r, struct sample a,
                        struct sample b)
{
    return calibrate_from_period(b.cycles - a.cycles, ticks_between(r, a, b),
                                 r->period_fs);
}

static uint64_t pm_hz(const struct reference *r, struct sample a,
                      struct sample b)
{
    return calibrate_from_hz(b.cycles - a.cycles, ticks_between(r, a, b),
                             PM_TIMER_HZ);
}

/* Both references over the same span. */
static void measure(const struct acpi *acpi, struct clock_sources *s)
{
    struct reference hpet, pm;
    struct sample hpet_a, hpet_b, pm_a, pm_b;
    const bool has_hpet = hpet_open(acpi, &hpet);
    const bool has_pm = pm_open(acpi, &pm);

    if (has_hpet)
        hpet_a = sample(&hpet);
    if (has_pm)
        pm_a = sample(&pm);
    if (has_hpet)
        wait_ticks(&hpet, hpet_a,
                   (uint32_t)(SPAN_US * FS_PER_US / hpet.period_fs));
    else if (has_pm)
        wait_ticks(&pm, pm_a, SPAN_US * (PM_TIMER_HZ / 1000) / 1000);
    if (has_hpet) {
        hpet_b = sample(&hpet);
        s->hpet_hz = hpet_hz(&hpet, hpet_a, hpet_b);
    }
    if (has_pm) {
        pm_b = sample(&pm);
        s->pm_hz = pm_hz(&pm, pm_a, pm_b);
    }
}

static void report(const struct clock_sources *s, bool invariant)
{
    log_info("clock: Hz by CPUID 15H %llu, hypervisor %llu, CPUID 16H %llu, "
             "HPET %llu, PM timer %llu",
             (unsigned long long)s->crystal_hz,
             (unsigned long long)s->hypervisor_hz,
             (unsigned long long)s->base_hz, (unsigned long long)s->hpet_hz,
             (unsigned long long)s->pm_hz);
    log_info("clock: %llu Hz from %s", (unsigned long long)choice.hz,
             choice.source);
    if (choice.check != NULL && !choice.is_verified)
        log_warning("clock: %s says %llu Hz and %s %llu Hz, less than 0.1 %% "
                    "apart expected; rates are not to be trusted",
                    choice.source, (unsigned long long)choice.hz, choice.check,
                    (unsigned long long)choice.check_hz);
    if (!invariant)
        log_warning("clock: CPUID does not promise an invariant cycle "
                    "counter; time may drift with the core's frequency");
}

enum status clock_calibrate(const struct acpi *acpi)
{
    struct clock_sources s = { 0 };

    ask_cpu(&s);
    measure(acpi, &s);
    choice = calibrate_choose(&s);
    if (choice.hz == 0) {
        log_error("clock: neither CPUID nor HPET nor PM timer tells the rate "
                  "of the cycle counter");
        return E_UNSUPPORTED;
    }
    report(&s, is_invariant());
    return OK;
}
