/*
 * percore.h - what each core keeps for itself, reached through %gs
 *
 * entry.S points the boot core's GS base at percore_boot before any C runs;
 * whoever starts another core does the same with an area of its own. Loading
 * the GS selector clears that base: set it again after any `mov %gs`.
 *
 * Only what plat.h's inline calls need is here; larger per-core state is an
 * array indexed by plat_lcore_id().
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>

struct percore {
    struct percore *self;
    uint32_t lcore; /* 0 is the boot core */
} cache_aligned;

#define PERCORE_LCORE 8

_Static_assert(offsetof(struct percore, lcore) == PERCORE_LCORE,
               "plat_lcore_id reads it by offset");

extern struct percore percore_boot;

#define MSR_GS_BASE 0xc0000101

/* Make @area this core's own. */
static inline void percore_use(struct percore *area)
{
    const uint64_t base = (uint64_t)(uintptr_t)area;

    area->self = area;
    __asm__ volatile("wrmsr"
                     :
                     : "c"(MSR_GS_BASE), "a"((uint32_t)base),
                       "d"((uint32_t)(base >> 32))
                     : "memory");
}
