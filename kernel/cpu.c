/*
 * cpu.c - segments, the task state, and the stacks that a core keeps for faults
 *
 * Source: Intel SDM volume 3A, 3.4.5 (descriptors), 8.7 (TSS).
 */
#include <string.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/apic.h"
#include "kernel/cpu.h"
#include "kernel/image.h"
#include "kernel/io.h"
#include "kernel/topology.h"
#include "kernel/traps.h"
#include "kernel/vm.h"

#define GDT_CODE UINT64_C(0x00209A0000000000) /* 64-bit, present, run, read */
#define GDT_DATA UINT64_C(0x0000920000000000) /* present, read, write */

#define TSS_LIMIT   (sizeof(struct cpu_tss) - 1)
#define TSS_TYPE    UINT64_C(0x89) /* available 64-bit TSS, present */
#define TSS_IST1    9              /* word of the first IST pointer */
#define TSS_IO_BASE 25             /* its upper half: offset of the I/O map */
#define CR4_MCE     (UINT64_C(1) << 6)

/* Memory types by entry: WB, WC, UC-, UC, and as after reset WB, WT, UC-, UC;
 * mm/paging.h counts on it. No page in use selects the entry that changes. */
#define MSR_PAT   0x277
#define PAT_TYPES UINT64_C(0x0007040600070106)

#define STOP_POLLS                                                             \
    2000000 /* some 10 ms or more: one that an SMI keeps is late */

_Static_assert(sizeof(struct cpu_tss) == 104, "the architecture's size");

static struct cpu boot_cpu;
static struct cpu *cpus[LCORE_MAX];
static unsigned count;
static const struct topology *cores;

struct table_register {
    uint16_t limit;
    uint64_t base;
} packed;

static struct cpu *cpu_of(unsigned lcore)
{
    return lcore < LCORE_MAX ? __atomic_load_n(&cpus[lcore], __ATOMIC_ACQUIRE)
                             : NULL;
}

static struct percore *percore_self(void)
{
    struct percore *self;

    __asm__("movq %%gs:0, %0" : "=r"(self));
    return self;
}

static uintptr_t ist_top(const struct cpu *cpu, unsigned ist)
{
    return (uintptr_t)cpu->ist[ist - 1].room + CPU_IST_BYTES;
}

static void set_ist(struct cpu *cpu, unsigned ist)
{
    const uint64_t top = ist_top(cpu, ist);

    memcpy(&cpu->tss.words[TSS_IST1 + 2 * (ist - 1)], &top, sizeof(top));
}

static void set_descriptors(struct cpu *cpu)
{
    const uint64_t tss = (uint64_t)(uintptr_t)&cpu->tss;

    cpu->gdt[0] = 0;
    cpu->gdt[1] = GDT_CODE;
    cpu->gdt[2] = GDT_DATA;
    cpu->gdt[3] = TSS_LIMIT | (tss & 0xFFFFFF) << 16 | TSS_TYPE << 40 |
                  (tss >> 24 & 0xFF) << 56;
    cpu->gdt[4] = tss >> 32;
}

/* FS and GS are left alone: loading GS would clear the per-core base. */
static void load(const struct cpu *cpu)
{
    const struct table_register gdtr = { .limit = sizeof(cpu->gdt) - 1,
                                         .base =
                                             (uint64_t)(uintptr_t)cpu->gdt };

    __asm__ volatile("lgdt %0\n\t"
                     "pushq %1\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\n\t"
                     "movl %2, %%eax\n\t"
                     "movl %%eax, %%ss\n\t"
                     "movl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\t"
                     "movl %3, %%eax\n\t"
                     "ltr %%ax"
                     :
                     : "m"(gdtr), "i"(CPU_SELECTOR_CODE),
                       "i"(CPU_SELECTOR_DATA), "i"(CPU_SELECTOR_TSS)
                     : "rax", "memory");
}

void cpu_init(struct cpu *cpu, uintptr_t stack_bottom, uintptr_t stack_top)
{
    memset(&cpu->tss, 0, sizeof(cpu->tss));
    cpu->tss.words[TSS_IO_BASE] = sizeof(cpu->tss) << 16; /* no I/O map */
    for (unsigned ist = CPU_IST_NMI; ist < CPU_IST_END; ist++)
        set_ist(cpu, ist);
    cpu->stack_bottom = stack_bottom;
    cpu->stack_top = stack_top;
    set_descriptors(cpu);
    load(cpu);
    /* Without it a machine check shuts the core down instead of telling us. */
    __asm__ volatile("mov %0, %%cr4"
                     :
                     : "r"(CPU_CONTROL_READ(cr4) | CR4_MCE)
                     : "memory");
    cpu_msr_write(MSR_PAT, PAT_TYPES);
    cpu->percore = percore_self();
    __atomic_store_n(&cpus[plat_lcore_id()], cpu, __ATOMIC_RELEASE);
    __atomic_add_fetch(&count, 1, __ATOMIC_RELEASE);
}

void cpu_init_boot(void)
{
    cpu_init(&boot_cpu, (uintptr_t)boot_stack_bottom,
             (uintptr_t)boot_stack_top);
}

/* ---- guard pages ---- */

enum status cpu_guard(struct cpu *cpu)
{
    enum status s = OK;

    for (unsigned i = 0; i < CPU_IST_END - 1 && s == OK; i++)
        s = vm_guard((uint64_t)(uintptr_t)cpu->ist[i].guard);
    return s;
}

enum status cpu_guard_boot(void)
{
    return cpu_guard(&boot_cpu);
}

static enum status check_below(unsigned lcore, uintptr_t bottom)
{
    if (!vm_is_mapped((uint64_t)bottom - CPU_GUARD_BYTES) &&
        !vm_is_mapped((uint64_t)bottom - 1))
        return OK;
    log_error("cpu: core %u: expected the page below the stack at 0x%llx to be "
              "mapped nowhere",
              lcore, (unsigned long long)bottom);
    return E_CORRUPT;
}

static enum status check_guards_of(unsigned lcore, const struct cpu *cpu)
{
    enum status s = check_below(lcore, cpu->stack_bottom);

    for (unsigned i = 0; i < CPU_IST_END - 1 && s == OK; i++)
        s = check_below(lcore, (uintptr_t)cpu->ist[i].room);
    return s;
}

enum status cpu_check_guards(void)
{
    enum status s = OK;

    for (unsigned i = 0; i < LCORE_MAX && s == OK; i++)
        if (cpu_of(i) != NULL)
            s = check_guards_of(i, cpu_of(i));
    return s;
}

uintptr_t cpu_ist_top(enum cpu_ist ist)
{
    return ist_top(cpu_of(plat_lcore_id()), ist);
}

/* ---- all cores ---- */

unsigned cpu_count(void)
{
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

static bool stack_has(uintptr_t sp, uintptr_t bottom, uintptr_t top)
{
    return sp >= bottom - CPU_GUARD_BYTES && sp <= top;
}

bool cpu_stack_find(uintptr_t sp, uintptr_t *bottom, uintptr_t *top)
{
    for (unsigned i = 0; i < LCORE_MAX; i++) {
        const struct cpu *cpu = cpu_of(i);

        if (cpu == NULL)
            continue;
        for (unsigned ist = 0; ist < CPU_IST_END - 1; ist++) {
            *bottom = (uintptr_t)cpu->ist[ist].room;
            *top = *bottom + CPU_IST_BYTES;
            if (stack_has(sp, *bottom, *top))
                return true;
        }
        *bottom = cpu->stack_bottom;
        *top = cpu->stack_top;
        if (stack_has(sp, *bottom, *top))
            return true;
    }
    return false;
}

void cpu_cores_set(const struct topology *t)
{
    cores = t;
}

unsigned cpu_stop_others(void)
{
    const unsigned others = cpu_count() - 1;

    if (cores == NULL)
        return 0;
    for (unsigned i = 0; i < cores->count; i++)
        if (i != plat_lcore_id() && cpu_of(i) != NULL)
            apic_send_nmi(cores->core[i].apic_id);
    for (unsigned i = 0; i < STOP_POLLS && trap_stopped_count() < others; i++)
        plat_pause();
    return others;
}

uint64_t plat_interrupts(unsigned lcore)
{
    const struct cpu *cpu = cpu_of(lcore);

    return cpu == NULL
               ? 0
               : __atomic_load_n(&cpu->percore->interrupts, __ATOMIC_RELAXED);
}

void cpu_halt(void)
{
    for (;;)
        __asm__ volatile("cli; hlt" ::: "memory");
}
