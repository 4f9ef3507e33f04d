/*
 * machine.c - the fake machine's name and counters
 */
#include "tests/host/machine.h"

#include <millrace/plat.h>

#define MACHINE_AT_START                                                       \
    {                                                                          \
        .facts = { .cpu = "a fake machine",                                    \
                   .vendor = "FakeMachines",                                   \
                   .tsc_is_invariant = true,                                   \
                   .image_hash = UINT64_C(0x1234) },                           \
    }

struct host_machine host_machine = MACHINE_AT_START;

void host_machine_reset(void)
{
    host_machine = (struct host_machine)MACHINE_AT_START;
}

void plat_machine_get(struct machine_facts *facts)
{
    *facts = host_machine.facts;
}

bool plat_event_count(enum machine_event event, uint64_t *count)
{
    *count = host_machine.event[event];
    return host_machine.has_event[event];
}

bool plat_core_cycles(uint64_t *cycles)
{
    *cycles = plat_cycles() / 1000 * host_machine.core_cycles_per_us;
    return host_machine.has_core_cycles;
}
