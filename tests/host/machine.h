/*
 * machine.h - the strings by which a test moves what machine.h tells
 */
#pragma once

#include <millrace/machine.h>

struct host_machine {
    struct machine_facts facts;
    bool has_event[MACHINE_EVENT_COUNT];
    uint64_t event[MACHINE_EVENT_COUNT];
    bool has_core_cycles;
    uint64_t core_cycles_per_us; /* of fake time */
};

/* At start an unknown machine without counters. */
extern struct host_machine host_machine;
void host_machine_reset(void);
