/*
 * smi.c - how often the firmware took the core away
 *
 * Source: Intel SDM volume 4, MSR_SMI_COUNT: processors since Nehalem.
 */
#include <millrace/plat.h>

#include "kernel/io.h"

#define MSR_SMI_COUNT     0x34
#define EBX_GENUINE_INTEL 0x756E6547
#define FAMILY_6          6
#define MODEL_NEHALEM     0x1A
#define ECX_HYPERVISOR    (1u << 31)

/* Under a hypervisor the register may be missing, and reading it a fault. */
static bool has_counter(void)
{
    const struct cpuid basic = cpu_id(1, 0);
    const unsigned family = basic.eax >> 8 & 0xF;
    const unsigned model = (basic.eax >> 4 & 0xF) | (basic.eax >> 12 & 0xF0);

    return cpu_id(0, 0).ebx == EBX_GENUINE_INTEL && family == FAMILY_6 &&
           model >= MODEL_NEHALEM && !(basic.ecx & ECX_HYPERVISOR);
}

bool plat_smi_count(uint32_t *count)
{
    static enum { UNKNOWN, NONE, THERE } counter;

    /* Cores that find it out at the same time find the same. */
    if (counter == UNKNOWN)
        counter = has_counter() ? THERE : NONE;
    if (counter == NONE)
        return false;
    *count = (uint32_t)cpu_msr_read(MSR_SMI_COUNT);
    return true;
}
