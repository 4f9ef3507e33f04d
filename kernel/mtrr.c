/*
 * mtrr.c - the memory types of one core, to be compared with another's or copied
 */
#include "kernel/mtrr.h"

#include <millrace/compiler.h>

#include "kernel/io.h"

#define EDX_MTRR     (1u << 12)
#define CAP          0x0FE
#define CAP_VARIABLE 0xFF
#define CAP_FIXED    0x100
#define VARIABLE     0x200 /* pairs of base and mask */
#define DEFAULT_TYPE 0x2FF
#define VARIABLE_MAX 32

#define DEFAULT_TYPE_ON UINT64_C(0x800)
#define CR0_CD          UINT64_C(0x40000000)

static const uint32_t fixed[] = { 0x250, 0x258, 0x259, 0x268, 0x269, 0x26A,
                                  0x26B, 0x26C, 0x26D, 0x26E, 0x26F };

_Static_assert(2 + 2 * VARIABLE_MAX + sizeof(fixed) / sizeof(fixed[0]) <=
                   MTRR_MAX,
               "all that a processor can have");

static void add(struct mtrr *m, uint32_t msr)
{
    m->row[m->count].msr = msr;
    m->row[m->count++].value = cpu_msr_read(msr);
}

void mtrr_read(struct mtrr *out)
{
    uint32_t variable;

    out->count = 0;
    if (!(cpu_id(1, 0).edx & EDX_MTRR))
        return;
    add(out, CAP);
    add(out, DEFAULT_TYPE);
    variable = out->row[0].value & CAP_VARIABLE;
    if (variable > VARIABLE_MAX)
        variable = VARIABLE_MAX;
    for (uint32_t i = 0; i < 2 * variable; i++)
        add(out, VARIABLE + i);
    if (out->row[0].value & CAP_FIXED)
        for (unsigned i = 0; i < ARRAY_SIZE(fixed); i++)
            add(out, fixed[i]);
}

bool mtrr_equal(const struct mtrr *a, const struct mtrr *b, uint32_t *msr)
{
    for (unsigned i = 0; i < a->count && i < b->count; i++)
        if (a->row[i].msr != b->row[i].msr ||
            a->row[i].value != b->row[i].value) {
            *msr = a->row[i].msr;
            return false;
        }
    *msr = CAP;
    return a->count == b->count;
}

static void control_0_write(uint64_t v)
{
    __asm__ volatile("mov %0, %%cr0" : : "r"(v) : "memory");
}

/* Neither cache nor TLB keeps what was read under the old types. */
static void forget(void)
{
    __asm__ volatile("wbinvd\n\t"
                     "mov %%cr3, %%rax\n\t"
                     "mov %%rax, %%cr3"
                     :
                     :
                     : "rax", "memory");
}

void mtrr_load(const struct mtrr *m)
{
    const uint64_t control = CPU_CONTROL_READ(cr0);

    control_0_write(control | CR0_CD);
    forget();
    cpu_msr_write(DEFAULT_TYPE, cpu_msr_read(DEFAULT_TYPE) & ~DEFAULT_TYPE_ON);
    for (unsigned i = 0; i < m->count; i++)
        if (m->row[i].msr != CAP && m->row[i].msr != DEFAULT_TYPE)
            cpu_msr_write(m->row[i].msr, m->row[i].value);
    if (m->count > 0)
        cpu_msr_write(DEFAULT_TYPE, mtrr_value(m, DEFAULT_TYPE));
    forget();
    control_0_write(control);
}

uint64_t mtrr_value(const struct mtrr *m, uint32_t msr)
{
    for (unsigned i = 0; i < m->count; i++)
        if (m->row[i].msr == msr)
            return m->row[i].value;
    return 0;
}
