/*
 * topology.h - which cores there are, and what they share
 *
 * An APIC id is a row of bit fields: thread, what is above it up to the
 * package, package. CPUID says where they end; the firmware's tables say which
 * ids exist and which memory is near.
 *
 * Source: Intel SDM volume 2A, CPUID leaves 1, 4, 0BH, 1FH; AMD APM volume 3,
 * functions 8000_0008h and 8000_001Eh.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/core.h>

#include "kernel/acpi.h"

struct topology_regs {
    uint32_t eax, ebx, ecx, edx;
};
typedef struct topology_regs topology_cpuid(uint32_t leaf, uint32_t subleaf);

struct topology_bits {
    unsigned thread;  /* an id shifted so is one core of the machine */
    unsigned package; /* an id shifted so is one package */
};

/* What the processor says. Cost: some CPUID; bounded for any answers. */
struct topology_bits topology_bits_get(topology_cpuid *cpuid);

/* The caller's own id: of 32 bits where there is leaf 0BH, else of 8. */
uint32_t topology_own_id(topology_cpuid *cpuid);

struct topology {
    unsigned count; /* cores; core[0] is the boot core */
    struct core_info core[LCORE_MAX];
    unsigned left_out;   /* listed, but beyond LCORE_MAX */
    bool boot_is_listed; /* the table names the core we run on */
};

/*
 * Number the cores: 0 is @boot_id, the others follow by APIC id, so that the
 * threads of a core are neighbours and no start depends on who answers when.
 */
void topology_build(const struct acpi *acpi, uint32_t boot_id,
                    struct topology_bits bits, struct topology *out);
