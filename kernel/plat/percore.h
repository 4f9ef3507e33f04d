/*
 * percore.h - what each core keeps for itself, reached through %gs
 *
 * entry.S points the boot core's GS base at percore_boot before any C runs;
 * smp_entry.S does the same on every other core with an area of its own.
 * Loading the GS selector clears that base: set it again after any `mov %gs`.
 *
 * Only what inline calls and traps need is here; larger per-core state is an
 * array indexed by plat_lcore_id().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>

struct percore {
    struct percore *self;
    uint32_t lcore; /* 0 is the boot core */
    uint32_t zero;
    /* Counted in traps.S. */
    uint64_t wakes;      /* interrupts of TRAP_WAKE */
    uint64_t interrupts; /* any others; nobody should send them */
} cache_aligned;

#define PERCORE_LCORE      8
#define PERCORE_WAKES      16
#define PERCORE_INTERRUPTS 24

_Static_assert(offsetof(struct percore, lcore) == PERCORE_LCORE,
               "plat_lcore_id reads it by offset");
_Static_assert(offsetof(struct percore, wakes) == PERCORE_WAKES &&
                   offsetof(struct percore, interrupts) == PERCORE_INTERRUPTS,
               "traps.S counts by offset");

extern struct percore percore_boot;
