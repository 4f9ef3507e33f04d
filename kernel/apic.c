/*
 * apic.c - the local APIC: who we are, and signals to other cores
 *
 *   L1  before apic_open(), and without a local APIC, every call does nothing
 */
#include "kernel/apic.h"

#include <millrace/plat.h>

#include "kernel/io.h"
#include "kernel/traps.h"

#define PAGE_BYTES 4096

#define LEAF_BASIC 1
#define EDX_APIC   (1u << 9)
#define ECX_X2APIC (1u << 21)

#define MSR_APIC_BASE UINT32_C(0x1B)
#define BASE_X2       (UINT64_C(1) << 10)
#define BASE_ON       (UINT64_C(1) << 11)
#define BASE_PAGE     UINT64_C(0x000FFFFFFFFFF000)
#define MSR_X2        UINT32_C(0x800) /* and a register's offset / 16 */

#define REG_PRIORITY 0x080
#define REG_EOI      0x0B0
#define REG_SPURIOUS 0x0F0
#define REG_ICR_LOW  0x300
#define REG_ICR_HIGH 0x310
#define REG_LINT0    0x350

#define SPURIOUS_ON  0x100
#define OURS_ONLY    (TRAP_WAKE - 0x10) /* classes up to this one wait */
#define LINT_MASKED  0x00010000         /* the older controller's pin */
#define ICR_NMI      0x00004400         /* assert, NMI */
#define ICR_INIT     0x00004500
#define ICR_START    0x00004600
#define ICR_FIXED    0x00004000
#define ICR_PENDING  0x00001000
#define ID_EVERYBODY 0xFF /* in the older mode */
#define SEND_POLLS   1000000

static enum { NONE, X, X2 } mode;
static volatile uint8_t *page;

static void write_register(unsigned offset, uint32_t v)
{
    if (mode == X2)
        cpu_msr_write(MSR_X2 + offset / 16, v);
    else if (mode == X)
        plat_write32(page + offset, v);
}

void apic_enable(void)
{
    uint64_t base;

    if (mode == NONE)
        return;
    base = cpu_msr_read(MSR_APIC_BASE);
    if (!(base & BASE_ON)) {
        base |= BASE_ON;
        cpu_msr_write(MSR_APIC_BASE, base);
    }
    /* The way from off to x2APIC leads through on. */
    if (mode == X2 && !(base & BASE_X2))
        cpu_msr_write(MSR_APIC_BASE, base | BASE_X2);
    write_register(REG_SPURIOUS, SPURIOUS_ON | TRAP_SPURIOUS);
    write_register(REG_PRIORITY, OURS_ONLY);
    write_register(REG_LINT0, LINT_MASKED);
}

enum status apic_open(bool may_x2)
{
    const struct cpuid basic = cpu_id(LEAF_BASIC, 0);
    uint64_t base;

    if (!(basic.edx & EDX_APIC))
        return E_UNSUPPORTED;
    base = cpu_msr_read(MSR_APIC_BASE);
    /* Once in x2APIC mode there is no direct way back, and none is needed. */
    if ((basic.ecx & ECX_X2APIC) && (may_x2 || (base & BASE_X2))) {
        mode = X2;
    } else {
        page = plat_map_device(base & BASE_PAGE, PAGE_BYTES);
        if (page == NULL)
            return E_NOMEM;
        mode = X;
    }
    apic_enable();
    return OK;
}

const char *apic_mode_text(void)
{
    static const char *const names[] = { "none", "xAPIC", "x2APIC" };

    return names[mode];
}

bool apic_reaches(uint32_t id)
{
    return mode == X2 || (mode == X && id < ID_EVERYBODY);
}

static void send(uint32_t id, uint32_t command)
{
    if (mode == X2) {
        /* This register write waits for no store by itself. */
        __asm__ volatile("mfence; lfence" ::: "memory");
        cpu_msr_write(MSR_X2 + REG_ICR_LOW / 16, (uint64_t)id << 32 | command);
    } else if (mode == X) {
        for (unsigned i = 0; i < SEND_POLLS; i++) {
            if (!(plat_read32(page + REG_ICR_LOW) & ICR_PENDING))
                break;
            plat_pause();
        }
        plat_write32(page + REG_ICR_HIGH, id << 24);
        plat_write32(page + REG_ICR_LOW, command);
    }
}

void apic_send_init(uint32_t id)
{
    send(id, ICR_INIT);
}

void apic_send_start(uint32_t id, uint32_t at)
{
    send(id, ICR_START | at);
}

void apic_send_nmi(uint32_t id)
{
    send(id, ICR_NMI);
}

void apic_send_wake(uint32_t id)
{
    send(id, ICR_FIXED | TRAP_WAKE);
}

void apic_done(void)
{
    write_register(REG_EOI, 0);
}
