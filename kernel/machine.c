/*
 * machine.c - what CPU this is, and what happened behind our back
 *
 *   H1  a model-specific register is read only where CPUID, or vendor and
 *       family, promise it: elsewhere the read is a fault
 *
 * Source   Intel SDM volume 2A, CPUID; volume 4, tables of MSRs; AMD64
 *          Programmer's Manual volume 3, appendix E. The signature of QEMU's
 *          translator is in QEMU target/i386/cpu.c.
 */
#include <string.h>

#include <millrace/machine.h>
#include <millrace/plat.h>

#include "kernel/image.h"
#include "kernel/io.h"

#define LEAF_FEATURES      1
#define ECX_HYPERVISOR     (1u << 31)
#define EDX_MACHINE_CHECK  (1u << 7 | 1u << 14) /* MCE and MCA */
#define LEAF_POWER         6
#define EAX_THERMAL_SENSOR 1u
#define ECX_CORE_CYCLES    1u
#define LEAF_HYPERVISOR    0x40000000
#define LEAF_EXTENDED      0x80000000
#define LEAF_BRAND         0x80000002 /* and the next two */
#define LEAF_BRAND_LAST    0x80000004
#define LEAF_APM           0x80000007
#define EDX_TSC_INVARIANT  (1u << 8)
#define FAMILY_INTEL_CORE  6
#define FAMILY_WITH_MORE   15

#define MSR_MICROCODE    0x8B
#define MSR_APERF        0xE8
#define MSR_MCG_CAP      0x179
#define MCG_CAP_BANKS    0xFF
#define MSR_THERM_STATUS 0x19C
/* Sticky: hot, hot elsewhere, critical, over power. */
#define THERM_STATUS_LOG    UINT64_C(0x82A)
#define MSR_MC_STATUS(bank) (0x401 + 4 * (bank))
#define MC_STATUS_VALID     (UINT64_C(1) << 63)

#define FNV_START UINT64_C(0xCBF29CE484222325)
#define FNV_PRIME UINT64_C(0x100000001B3)

static bool is_intel(void)
{
    const struct cpuid r = cpu_id(0, 0);

    return r.ebx == 0x756E6547 && r.edx == 0x49656E69 && r.ecx == 0x6C65746E;
}

static bool is_virtual(void)
{
    return (cpu_id(LEAF_FEATURES, 0).ecx & ECX_HYPERVISOR) != 0;
}

static void name_cpu(struct machine_facts *f)
{
    struct cpuid r = cpu_id(0, 0);

    memcpy(f->vendor, &r.ebx, 4);
    memcpy(f->vendor + 4, &r.edx, 4);
    memcpy(f->vendor + 8, &r.ecx, 4);
    if (cpu_id(LEAF_EXTENDED, 0).eax < LEAF_BRAND_LAST) {
        memcpy(f->cpu, f->vendor, sizeof(f->vendor));
        return;
    }
    for (unsigned i = 0; i < 3; i++) {
        r = cpu_id(LEAF_BRAND + i, 0);
        memcpy(f->cpu + 16 * i, &r, sizeof(r));
    }
}

static void number_cpu(struct machine_facts *f)
{
    const uint32_t eax = cpu_id(LEAF_FEATURES, 0).eax;

    f->stepping = eax & 15;
    f->model = eax >> 4 & 15;
    f->family = eax >> 8 & 15;
    if (f->family == FAMILY_INTEL_CORE || f->family == FAMILY_WITH_MORE)
        f->model |= (eax >> 16 & 15) << 4;
    if (f->family == FAMILY_WITH_MORE)
        f->family += eax >> 20 & 0xFF;
}

static void name_hypervisor(struct machine_facts *f)
{
    struct cpuid r;

    f->is_virtual = is_virtual();
    if (!f->is_virtual)
        return;
    r = cpu_id(LEAF_HYPERVISOR, 0);
    memcpy(f->hypervisor, &r.ebx, 12);
    f->is_emulated = strcmp(f->hypervisor, "TCGTCGTCGTCG") == 0;
}

/*
 * Intel wants 0 written and CPUID executed before the read; AMD keeps the level
 * there all the time. A hypervisor shows what it likes.
 */
static uint32_t microcode(const struct machine_facts *f)
{
    if (f->is_virtual)
        return 0;
    if (strcmp(f->vendor, "AuthenticAMD") == 0)
        return (uint32_t)cpu_msr_read(MSR_MICROCODE);
    if (!is_intel())
        return 0;
    cpu_msr_write(MSR_MICROCODE, 0);
    (void)cpu_id(LEAF_FEATURES, 0);
    return (uint32_t)(cpu_msr_read(MSR_MICROCODE) >> 32);
}

/* Neither is written while we run: the loader places them, nobody moves. */
static uint64_t hash_of_image(void)
{
    uint64_t hash = FNV_START;

    for (const char *p = text_start; p < text_end; p++)
        hash = (hash ^ (uint8_t)*p) * FNV_PRIME;
    for (const char *p = rodata_start; p < rodata_end; p++)
        hash = (hash ^ (uint8_t)*p) * FNV_PRIME;
    return hash;
}

void plat_machine_get(struct machine_facts *f)
{
    memset(f, 0, sizeof(*f));
    name_cpu(f);
    number_cpu(f);
    name_hypervisor(f);
    f->microcode = microcode(f);
    f->tsc_is_invariant = cpu_id(LEAF_EXTENDED, 0).eax >= LEAF_APM &&
                          (cpu_id(LEAF_APM, 0).edx & EDX_TSC_INVARIANT) != 0;
    f->image_hash = hash_of_image();
}

/* ---- events ---- */

static bool smi_count(uint64_t *count)
{
    uint32_t smis;

    if (!plat_smi_count(&smis))
        return false;
    *count = smis;
    return true;
}

/* Sticky bits: the first time since power-on is seen, later ones are not. */
static bool throttle_log(uint64_t *count)
{
    if (!is_intel() || is_virtual() || cpu_id(0, 0).eax < LEAF_POWER ||
        (cpu_id(LEAF_POWER, 0).eax & EAX_THERMAL_SENSOR) == 0)
        return false;
    *count = (uint64_t)__builtin_popcountll(cpu_msr_read(MSR_THERM_STATUS) &
                                            THERM_STATUS_LOG);
    return true;
}

/* Banks that hold an error. */
static bool check_log(uint64_t *count)
{
    unsigned banks;

    if ((cpu_id(LEAF_FEATURES, 0).edx & EDX_MACHINE_CHECK) != EDX_MACHINE_CHECK)
        return false;
    banks = cpu_msr_read(MSR_MCG_CAP) & MCG_CAP_BANKS;
    *count = 0;
    for (unsigned i = 0; i < banks; i++)
        *count += (cpu_msr_read(MSR_MC_STATUS(i)) & MC_STATUS_VALID) != 0;
    return true;
}

bool plat_event_count(enum machine_event event, uint64_t *count)
{
    switch (event) {
    case MACHINE_SMI:
        return smi_count(count);
    case MACHINE_THROTTLE:
        return throttle_log(count);
    case MACHINE_CHECK:
        return check_log(count);
    case MACHINE_PREEMPTED: /* there is nobody who could */
    case MACHINE_EVENT_COUNT:
        break;
    }
    return false;
}

bool plat_core_cycles(uint64_t *cycles)
{
    if (cpu_id(0, 0).eax < LEAF_POWER ||
        (cpu_id(LEAF_POWER, 0).ecx & ECX_CORE_CYCLES) == 0)
        return false;
    *cycles = cpu_msr_read(MSR_APERF);
    return true;
}
