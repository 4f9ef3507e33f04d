/*
 * smp.c - the other cores: found, started, asleep until they get work
 *
 *   S1  the trampoline lies in memory below 1 MiB that the map calls free and
 *       nobody else gets (RAM_LOWEST); it is run with tables of its own, and no
 *       page of them is both writable and executable
 *   S2  a row is WANTED, then TAKEN by the core itself or GIVEN_UP by us, never
 *       both: a core that comes late touches nothing
 *   S3  a core whose memory types differ from the boot core's does no work:
 *       what it sees through them is not what the others see
 *
 * Source: Intel SDM volume 3A, 9.4 (MP initialization), 11.11.8 (MTRRs of
 * several processors).
 */
#include "kernel/smp.h"

#include <string.h>

#include <millrace/bits.h>
#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/apic.h"
#include "kernel/cpu.h"
#include "kernel/io.h"
#include "kernel/mtrr.h"
#include "kernel/park.h"
#include "kernel/ram.h"
#include "kernel/topology.h"
#include "kernel/traps.h"
#include "kernel/vm.h"
#include "kernel/work.h"
#include "mm/frame.h"

#define RESET_US    10000
#define START_US    200
#define STACK_BYTES UINT64_C(65536)
#define TABLE_PAGES 5 /* of at most five levels: root, two or three, last */
#define LOW_PAGES   (1 + TABLE_PAGES)
#define ENTRIES     512
#define PRESENT     UINT64_C(1)
#define WRITABLE    UINT64_C(2)
#define CR3_ROOT    UINT64_C(0x000FFFFFFFFFF000)
#define CR4_PAE     UINT64_C(0x20)
#define CR4_LA57    UINT64_C(0x1000)
#define CR4_OSXSAVE UINT64_C(0x40000)

/* What a core has of its own; the row's stack ends where it begins. */
struct area {
    struct percore percore; /* %gs */
    struct cpu cpu;
    struct mtrr mtrr;
    bool has_loaded_mtrr; /* it came with others */
};

enum row_state { FREE, WANTED, TAKEN, READY, GIVEN_UP };

struct smp_row {
    uint32_t apic_id;
    uint32_t state; /* enum row_state */
    uint64_t stack; /* its upper end */
    struct area *area;
    uint64_t zero;
};

_Static_assert(sizeof(struct smp_row) == 32 &&
                   offsetof(struct smp_row, stack) == 8 &&
                   offsetof(struct smp_row, area) == 16 && TAKEN == 2,
               "smp_entry.S knows it");

/* What smp_entry.S wants filled into the copy of the trampoline. */
struct smp_values {
    uint32_t base, cr4, root;
    uint32_t far32, code32, far64, code64;
    uint16_t gdt_limit;
    uint32_t gdt_base;
    uint16_t zero;
    uint64_t entry;
} packed;

extern const char smp_trampoline[], smp_trampoline_end[];
extern const char smp_trampoline_values[];
extern const char smp_entry[];
noreturn void smp_main(struct area *area); /* called by smp_entry.S */

/* Read by smp_entry.S. */
struct smp_row smp_rows[LCORE_MAX];
uint32_t smp_row_count;
uint64_t smp_root, smp_cr0, smp_cr4, smp_xcr0;

static struct topology topology;
static struct park park;
static struct mtrr boot_mtrr;

/* ---- on the other core ---- */

static struct smp_row *row_of(unsigned lcore)
{
    return &smp_rows[lcore - 1];
}

static enum row_state state_get(const struct smp_row *row)
{
    return (enum row_state)__atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
}

/* A reset may have left it without any (S3). */
static void take_memory_types(struct area *area)
{
    uint32_t msr;

    mtrr_read(&area->mtrr);
    if (mtrr_equal(&boot_mtrr, &area->mtrr, &msr))
        return;
    mtrr_load(&boot_mtrr);
    mtrr_read(&area->mtrr);
    area->has_loaded_mtrr = true;
}

void smp_main(struct area *area)
{
    const unsigned lcore = area->percore.lcore;
    struct smp_row *row = row_of(lcore);

    cpu_init(&area->cpu, row->stack - STACK_BYTES, row->stack);
    traps_init();
    apic_enable();
    take_memory_types(area);
    __atomic_store_n(&row->state, READY, __ATOMIC_RELEASE);
    work_for_ever(lcore);
}

/* ---- below 1 MiB ---- */

/*
 * Tables in which the page at @low can be run, and the kernel's half of the
 * address space is as in ours (S1).
 */
static void build_tables(uint64_t low)
{
    const uint64_t *ours = (const uint64_t *)(uintptr_t)smp_root;
    const unsigned levels = smp_cr4 & CR4_LA57 ? 5 : 4;
    uint64_t *table = (uint64_t *)(uintptr_t)(low + PAGE_BYTES);

    memset(table, 0, TABLE_PAGES * PAGE_BYTES);
    table[ENTRIES - 1] = ours[ENTRIES - 1];
    for (unsigned i = 1; i < levels; i++, table += ENTRIES)
        table[0] = (uint64_t)(uintptr_t)(table + ENTRIES) | PRESENT | WRITABLE;
    table[low / PAGE_BYTES] = low | PRESENT;
}

static void place_trampoline(uint64_t low)
{
    const size_t bytes = (size_t)(smp_trampoline_end - smp_trampoline);
    struct smp_values *v =
        (struct smp_values *)(uintptr_t)(low +
                                         (uint64_t)(smp_trampoline_values -
                                                    smp_trampoline));

    memcpy((void *)(uintptr_t)low, smp_trampoline, bytes);
    v->base = (uint32_t)low;
    v->cr4 = (uint32_t)(CR4_PAE | (smp_cr4 & CR4_LA57));
    v->root = (uint32_t)(low + PAGE_BYTES);
    v->far32 += (uint32_t)low;
    v->far64 += (uint32_t)low;
    v->gdt_base += (uint32_t)low;
    v->entry = (uint64_t)(uintptr_t)smp_entry;
    build_tables(low);
}

static uint64_t xcr0_read(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static void save_boot_state(void)
{
    smp_root = CPU_CONTROL_READ(cr3) & CR3_ROOT;
    smp_cr0 = CPU_CONTROL_READ(cr0);
    smp_cr4 = CPU_CONTROL_READ(cr4);
    if (smp_cr4 & CR4_OSXSAVE)
        smp_xcr0 = xcr0_read();
    mtrr_read(&boot_mtrr);
}

/* ---- rows ---- */

/*
 * For each core: a page that traps, its stack, its area with a page that traps
 * below each fault stack. One block for all, so that few large pages are split.
 */
static enum status fill_rows(void)
{
    const uint64_t own =
        PAGE_BYTES + STACK_BYTES + align_up(sizeof(struct area), PAGE_BYTES);
    const unsigned n = topology.count - 1;
    char *at = frame_alloc(n * own, PAGE_BYTES, "cores");

    if (at == NULL)
        return E_NOMEM;
    memset(at, 0, n * own);
    for (unsigned lcore = 1; lcore <= n; lcore++, at += own) {
        struct smp_row *row = row_of(lcore);
        enum status s = vm_guard((uint64_t)(uintptr_t)at);

        row->stack = (uint64_t)(uintptr_t)at + PAGE_BYTES + STACK_BYTES;
        row->area = (struct area *)(uintptr_t)row->stack;
        if (s == OK)
            s = cpu_guard(&row->area->cpu);
        if (s != OK)
            return s;
        row->apic_id = topology.core[lcore].apic_id;
        row->area->percore.lcore = lcore;
        row->state = apic_reaches(row->apic_id) ? WANTED : FREE;
    }
    smp_row_count = n;
    return OK;
}

static bool is_waited_for(const struct smp_row *row)
{
    const enum row_state s = state_get(row);

    return s == WANTED || s == TAKEN;
}

static unsigned waited_for(void)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < smp_row_count; i++)
        n += is_waited_for(&smp_rows[i]);
    return n;
}

/* ---- the signals ---- */

static void start_all(uint32_t page)
{
    for (uint32_t i = 0; i < smp_row_count; i++)
        if (state_get(&smp_rows[i]) == WANTED)
            apic_send_start(smp_rows[i].apic_id, page);
}

/* To each by its own id: others than those listed are none of ours. */
static void send_signals(uint64_t low)
{
    const struct deadline d = deadline_in_us(SMP_ANSWER_US);

    for (uint32_t i = 0; i < smp_row_count; i++)
        if (state_get(&smp_rows[i]) == WANTED)
            apic_send_init(smp_rows[i].apic_id);
    clock_delay_us(RESET_US);
    start_all((uint32_t)(low / PAGE_BYTES));
    clock_delay_us(START_US);
    start_all((uint32_t)(low / PAGE_BYTES)); /* to who missed the first */
    while (waited_for() != 0 && !deadline_passed(&d))
        plat_pause();
}

/* ---- the result ---- */

static void tell_left_out(unsigned lcore, const char *why)
{
    log_error("smp: core %u (APIC id %u): %s; it is left out", lcore,
              topology.core[lcore].apic_id, why);
}

static bool has_same_memory_types(unsigned lcore)
{
    const struct area *area = row_of(lcore)->area;
    const struct mtrr *mine = &area->mtrr;
    uint32_t msr;

    if (area->has_loaded_mtrr)
        log_debug("smp: core %u came with other memory types", lcore);
    if (mtrr_equal(&boot_mtrr, mine, &msr))
        return true;
    log_warning("smp: core %u: MSR 0x%x says 0x%llx, the boot core's 0x%llx",
                lcore, msr, (unsigned long long)mtrr_value(mine, msr),
                (unsigned long long)mtrr_value(&boot_mtrr, msr));
    return false;
}

/* Take in who is ready, give up the others (S2). */
static unsigned settle(void)
{
    unsigned ready = 0;

    for (unsigned lcore = 1; lcore < topology.count; lcore++) {
        struct smp_row *row = row_of(lcore);
        uint32_t wanted = WANTED;

        (void)!core_add(lcore, &topology.core[lcore]);
        if (state_get(row) == FREE)
            tell_left_out(lcore, "no signal can be addressed to it in this "
                                 "APIC mode");
        else if (__atomic_compare_exchange_n(&row->state, &wanted, GIVEN_UP,
                                             false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
            tell_left_out(lcore, "expected an answer to INIT and two start "
                                 "signals, found none");
        else if (state_get(row) != READY)
            tell_left_out(lcore, "it came and got no further");
        else if (!has_same_memory_types(lcore))
            tell_left_out(lcore, "its memory types differ");
        else {
            core_set_ready(lcore);
            ready++;
        }
    }
    return ready;
}

static void tell_topology(const struct acpi *acpi, struct topology_bits bits)
{
    log_info("smp: %u cores listed, APIC ids of %u bits for threads and %u "
             "for packages, %u ranges of memory in nodes, %s",
             topology.count, bits.thread, bits.package, acpi->node_memory_count,
             apic_mode_text());
    if (!topology.boot_is_listed && acpi->lapic_base != 0)
        log_warning("smp: the boot core (APIC id %u) is not listed",
                    topology.core[0].apic_id);
    if (topology.left_out != 0)
        log_warning("smp: %u cores beyond the first %u are left out",
                    topology.left_out, LCORE_MAX);
}

static struct topology_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    const struct cpuid r = cpu_id(leaf, subleaf);

    return (struct topology_regs) { r.eax, r.ebx, r.ecx, r.edx };
}

static enum status start_listed(const struct boot_info *boot)
{
    const uint64_t low = ram_low(boot, LOW_PAGES * PAGE_BYTES);
    enum status s;

    if (low == 0) {
        log_error("smp: expected %u free pages in a row below 1 MiB, found "
                  "none; core 0 works alone",
                  LOW_PAGES);
        return E_NOMEM;
    }
    save_boot_state();
    s = fill_rows();
    if (s != OK)
        return s;
    place_trampoline(low);
    cpu_cores_set(&topology);
    send_signals(low);
    log_info("smp: %u of %u other cores are ready and sleep in %s: %s",
             settle(), topology.count - 1, park.in_mwait ? "mwait" : "hlt",
             park.why);
    return OK;
}

enum status smp_start(const struct acpi *acpi, const struct boot_info *boot,
                      enum core_idle idle)
{
    const struct topology_bits bits = topology_bits_get(cpuid);
    enum status s;

    core_init();
    park = park_choose(cpuid, idle);
    work_init(park.in_mwait);
    topology_build(acpi, topology_own_id(cpuid), bits, &topology);
    (void)!core_add(0, &topology.core[0]);
    s = apic_open(!acpi->x2apic_opt_out);
    tell_topology(acpi, bits);
    if (s != OK || topology.count == 1)
        return topology.count == 1 ? OK : s;
    return start_listed(boot);
}
