/*
 * machine.h - what a measurement must know about the machine under it
 *
 * Part of plat.h's seam: kernel/ answers on metal, tests/ on Linux. Nothing here
 * is for the data path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct machine_facts {
    char cpu[52];        /* brand text, NUL-terminated */
    char vendor[13];     /* "GenuineIntel" */
    char hypervisor[13]; /* its signature; "" = none, or none that tells */
    bool is_virtual;     /* a hypervisor is present */
    bool is_emulated;    /* instructions are translated: times mean nothing */
    bool tsc_is_invariant;
    unsigned family, model, stepping;
    uint32_t microcode;  /* 0 = not available */
    uint64_t image_hash; /* FNV-1a of the code and constants that run */
    const char *text;    /* more for the report, static; NULL = nothing */
};
void plat_machine_get(struct machine_facts *facts);

/* What may happen behind a measurement's back, as counts that only grow. */
#define MACHINE_EVENTS(E)                                                      \
    E(SMI, "smi")             /* firmware took the cores */                    \
    E(THROTTLE, "throttle")   /* too hot, or too much power */                 \
    E(CHECK, "machine-check") /* an error of memory or bus, corrected */       \
    E(PREEMPTED, "preempted") /* an operating system took the core */

enum machine_event {
#define MACHINE_EVENT_ENUM(id, name) MACHINE_##id,
    MACHINE_EVENTS(MACHINE_EVENT_ENUM)
#undef MACHINE_EVENT_ENUM
        MACHINE_EVENT_COUNT
};

/* False when this machine does not tell. Of the calling core. */
must_use bool plat_event_count(enum machine_event event, uint64_t *count);

/*
 * Cycles that the calling core really ran; with the time-stamp counter they tell
 * its frequency. False when this machine does not tell.
 */
must_use bool plat_core_cycles(uint64_t *cycles);
