/*
 * cpu.h - segments, the task state, and the stacks that a core keeps for faults
 *
 * What %gs reaches is in kernel/plat/percore.h; entry.S sets it up. Here is the
 * rest that each core needs of its own.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

#define CPU_SELECTOR_CODE 0x08
#define CPU_SELECTOR_DATA 0x10
#define CPU_SELECTOR_TSS  0x18

/* Stacks for the faults that cannot trust the current one. */
enum cpu_ist {
    CPU_IST_NONE,
    CPU_IST_NMI,
    CPU_IST_DOUBLE_FAULT,
    CPU_IST_MACHINE_CHECK,
    CPU_IST_END,
};
#define CPU_IST_BYTES 16384

struct cpu_tss {
    uint32_t words[26]; /* the IST pointers are unaligned quadwords */
};

struct cpu {
    uint64_t gdt[5]; /* null, code, data, the two halves of the TSS */
    struct cpu_tss tss;
    uintptr_t stack_bottom, stack_top; /* of normal execution */
    struct percore *percore;
    uint8_t ist[CPU_IST_END - 1][CPU_IST_BYTES] __attribute__((aligned(16)));
};

/*
 * Give the calling core its tables; @cpu must stay. Needs %gs, nothing else.
 * The boot core's area is static.
 */
void cpu_init(struct cpu *cpu, uintptr_t stack_bottom, uintptr_t stack_top);
void cpu_init_boot(void);

/* Cores that called cpu_init(). */
unsigned cpu_count(void);

struct topology;

/* Whom cpu_stop_others() is to reach. @cores stays. */
void cpu_cores_set(const struct topology *cores);

/*
 * The stack that @sp belongs to. An @sp in the page below, where it stands after
 * an overflow, counts.
 */
bool cpu_stack_find(uintptr_t sp, uintptr_t *bottom, uintptr_t *top);

/*
 * Send every other core that called cpu_init() a non-maskable interrupt, on
 * which it halts, and give them a moment to do so.
 *
 * Returns  how many there are; trap_stopped_count() tells how many did
 */
unsigned cpu_stop_others(void);

/* Interrupts off, and stay. */
noreturn void cpu_halt(void);
