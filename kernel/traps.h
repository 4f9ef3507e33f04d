/*
 * traps.h - what a core does when it cannot go on as it was
 *
 * Every exception ends in a dump and stops the machine. Interrupts are enabled
 * only while a core sleeps, to be woken; any other that comes is counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TRAP_EXCEPTIONS 32
#define TRAP_VECTORS    256

enum trap_vector {
    TRAP_NMI = 2,
    TRAP_DOUBLE_FAULT = 8,
    TRAP_PAGE_FAULT = 14,
    TRAP_MACHINE_CHECK = 18,
    TRAP_WAKE = 0xF0,          /* a core that sleeps is to look for work */
    TRAP_SPURIOUS = 0xFF,      /* the APIC had an interrupt and lost it */
    TRAP_PANIC = TRAP_VECTORS, /* panic() was called: no vector at all */
};

/* All registers, as traps.S stores them. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss; /* pushed by the CPU */
};

#define TRAP_FRAME_BYTES 176
_Static_assert(sizeof(struct trap_frame) == TRAP_FRAME_BYTES, "see traps.S");

/*
 * Load the vector table on the calling core; the first call fills it. Works
 * right after cpu_init(), before anything else is up.
 */
void traps_init(void);

/* "page fault"; static text. @vector is 0 .. TRAP_EXCEPTIONS - 1. */
const char *trap_name(unsigned vector);

/* Interrupts that nobody should have sent, on all cores. */
uint64_t trap_unexpected_count(void);

/* Cores that an NMI has stopped because another one panics. */
unsigned trap_stopped_count(void);
