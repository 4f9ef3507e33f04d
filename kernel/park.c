/*
 * park.c - how a core sleeps that has nothing to do
 */
#include "kernel/park.h"

#include <stddef.h>
#include <stdint.h>

#define LEAF_FEATURES  1
#define ECX_MONITOR    (1u << 3)
#define ECX_HYPERVISOR (1u << 31)
#define LEAF_MONITOR   5
#define ECX_EXTENSIONS 1u
#define EDX_C1         0xF0u /* sub-states of C1 */
#define FAMILY_6       6

static bool is_intel(topology_cpuid *cpuid)
{
    const struct topology_regs r = cpuid(0, 0);

    return r.ebx == 0x756E6547 && r.edx == 0x49656E69 && r.ecx == 0x6C65746E;
}

/* Processors that a store may fail to wake. */
static bool misses_stores(topology_cpuid *cpuid)
{
    static const uint8_t models[] = {
        0x1D, 0x2E, 0x2F, /* Dunnington, Nehalem-EX, Westmere-EX */
        0x5C, 0xBD,       /* Goldmont, Lunar Lake */
    };
    const uint32_t eax = cpuid(LEAF_FEATURES, 0).eax;
    const uint32_t model = (eax >> 4 & 15) | (eax >> 12 & 0xF0);

    if (!is_intel(cpuid) || (eax >> 8 & 15) != FAMILY_6)
        return false;
    for (unsigned i = 0; i < sizeof(models); i++)
        if (models[i] == model)
            return true;
    return false;
}

/* Why mwait does not suit, or NULL. */
static const char *objection(topology_cpuid *cpuid)
{
    const struct topology_regs leaf =
        cpuid(0, 0).eax < LEAF_MONITOR ? (struct topology_regs) { 0, 0, 0, 0 }
                                       : cpuid(LEAF_MONITOR, 0);

    if (cpuid(LEAF_FEATURES, 0).ecx & ECX_HYPERVISOR)
        return "a hypervisor wants the core back";
    if ((leaf.ecx & ECX_EXTENSIONS) && !(leaf.edx & EDX_C1))
        return "this processor has no C1 for mwait";
    if (misses_stores(cpuid))
        return "this processor may miss the store that wakes it";
    return NULL;
}

struct park park_choose(topology_cpuid *cpuid, enum core_idle wish)
{
    const char *why = NULL;

    if (!(cpuid(LEAF_FEATURES, 0).ecx & ECX_MONITOR))
        why = "this processor has no mwait";
    else if (wish == CORE_IDLE_AUTO)
        why = objection(cpuid);
    else if (wish == CORE_IDLE_HALT)
        why = "idle= says so";
    return (struct park) { .in_mwait = why == NULL,
                           .why = why == NULL ? "a store wakes it" : why };
}
