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
#include <millrace/status.h>

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
#define CPU_IST_BYTES   16384
#define CPU_GUARD_BYTES 4096 /* below every stack; mapped nowhere */

struct cpu_tss {
    uint32_t words[26]; /* the IST pointers are unaligned quadwords */
};

struct cpu_ist_stack {
    uint8_t guard[CPU_GUARD_BYTES];
    uint8_t room[CPU_IST_BYTES];
} __attribute__((aligned(CPU_GUARD_BYTES)));

struct cpu {
    uint64_t gdt[5]; /* null, code, data, the two halves of the TSS */
    struct cpu_tss tss;
    uintptr_t stack_bottom, stack_top; /* of normal execution */
    struct percore *percore;
    struct cpu_ist_stack ist[CPU_IST_END - 1];
};

/*
 * Give the calling core its tables; @cpu must stay. Needs %gs, nothing else.
 * The boot core's area is static.
 */
void cpu_init(struct cpu *cpu, uintptr_t stack_bottom, uintptr_t stack_top);
void cpu_init_boot(void);

/*
 * From now on what outgrows one of @cpu's fault stacks traps; cpu_guard_boot()
 * is for the boot core. After vm_init(), before another core uses @cpu.
 */
must_use enum status cpu_guard(struct cpu *cpu);
must_use enum status cpu_guard_boot(void);

/*
 * Look in the page tables: is the page below every stack, of all cores that
 * called cpu_init(), mapped nowhere?
 *
 * Returns  OK; E_CORRUPT with the first that is mapped in the log
 */
must_use enum status cpu_check_guards(void);

/* The upper end of one of the calling core's fault stacks. */
uintptr_t cpu_ist_top(enum cpu_ist ist);

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
