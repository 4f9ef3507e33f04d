/*
 * paging.c - the page tables that the kernel starts on
 *
 *   G1  the kernel's segments have their own rights, in 4 KiB pages; only text
 *       is executable, and no page is both writable and executable
 *   G2  memory is mapped at its own address, not executable; the pages behind
 *       the kernel's text and read-only data are read-only there as well
 *   G3  page 0, device registers and reserved ranges are not mapped
 *
 * Physical addresses are used as pointers: the firmware identity-maps all
 * memory (UEFI 2.10, 2.3.4).
 *
 * Layout after Intel's manual, volume 3, 4.5.
 */
#include <string.h>

#include <millrace/bits.h>

#include "boot/paging.h"

#define ENTRIES    512
#define PRESENT    BIT64(0)
#define WRITABLE   BIT64(1)
#define LARGE      BIT64(7)
#define NO_RUN     BIT64(63)
#define ADDRESS    UINT64_C(0x000ffffffffff000)
#define PAGE_BITS  12
#define TABLE_BITS 9

/* Address bits below one entry of a table at @level (1 = page table). */
static unsigned shift_of(unsigned level)
{
    return PAGE_BITS + TABLE_BITS * (level - 1);
}

static uint64_t *new_table(struct boot_paging *p)
{
    if (p->used == p->room)
        return NULL;
    return p->pool + ENTRIES * (uint64_t)p->used++;
}

static bool is_table(uint64_t entry, unsigned level)
{
    return (entry & PRESENT) != 0 && (level == 1 || (entry & LARGE) == 0);
}

/* The highest level whose single entry can map the start of the range. */
static unsigned best_level(const struct boot_paging *p, uint64_t virt,
                           uint64_t phys, uint64_t bytes)
{
    for (unsigned level = p->has_1g ? 3 : 2; level > 1; level--) {
        const uint64_t size = BIT64(shift_of(level));

        if (((virt | phys) & (size - 1)) == 0 && bytes >= size)
            return level;
    }
    return 1;
}

static enum status map_one(struct boot_paging *p, uint64_t virt, uint64_t leaf,
                           unsigned to_level)
{
    uint64_t *table = p->pool;

    for (unsigned level = p->levels;; level--) {
        uint64_t *e = &table[virt >> shift_of(level) & (ENTRIES - 1)];

        if (level == to_level) {
            if (*e != 0)
                return E_EXIST;
            *e = leaf;
            return OK;
        }
        if (*e == 0) {
            uint64_t *next = new_table(p);

            if (next == NULL)
                return E_NOMEM;
            *e = (uint64_t)(uintptr_t)next | PRESENT | WRITABLE;
        } else if (!is_table(*e, level)) {
            return E_EXIST;
        }
        table = (uint64_t *)(uintptr_t)(*e & ADDRESS);
    }
}

enum status boot_paging_map(struct boot_paging *p, uint64_t virt, uint64_t phys,
                            uint64_t bytes, enum boot_access access)
{
    const uint64_t rights = PRESENT |
                            ((access & BOOT_WRITE) != 0 ? WRITABLE : 0) |
                            ((access & BOOT_RUN) != 0 ? 0 : NO_RUN);

    if (p->used == 0 && new_table(p) == NULL)
        return E_NOMEM;
    while (bytes != 0) {
        const unsigned level = best_level(p, virt, phys, bytes);
        const uint64_t size = BIT64(shift_of(level));
        const enum status status =
            map_one(p, virt, phys | rights | (level > 1 ? LARGE : 0), level);

        if (status != OK)
            return status;
        virt += size;
        phys += size;
        bytes -= size;
    }
    return OK;
}

static bool is_memory(const struct boot_mem *m)
{
    return m->type < BOOT_MEM_MMIO;
}

/*
 * The next span of memory at or after info->mem[*i], whatever its owners, in
 * whole pages and without page 0; false when there is none.
 */
static bool next_span(const struct boot_info *info, unsigned *i, uint64_t *base,
                      uint64_t *end)
{
    while (*i < info->mem_count) {
        const struct boot_mem *m = &info->mem[(*i)++];

        if (!is_memory(m))
            continue;
        *base = m->base == 0 ? BOOT_PAGE : align_up(m->base, BOOT_PAGE);
        *end = m->base + m->bytes;
        for (; *i < info->mem_count; (*i)++) {
            m = &info->mem[*i];
            if (!is_memory(m) || m->base != *end)
                break;
            *end += m->bytes;
        }
        *end = align_down(*end, BOOT_PAGE);
        if (*base < *end)
            return true;
    }
    return false;
}

/*
 * Tables for one mapping: at each level those for both ends, and all between
 * where no larger page can stand for them.
 */
static unsigned span_bound(uint64_t bytes, unsigned levels, bool has_1g)
{
    const unsigned directories = has_1g ? 0 : (unsigned)(bytes >> 30);

    return 2 * (levels - 1) + directories + (unsigned)(bytes >> 39);
}

unsigned boot_paging_bound(const struct boot_info *info,
                           const struct boot_elf *kernel, unsigned levels,
                           bool has_1g)
{
    unsigned n = 1, i = 0;
    uint64_t base, end;

    while (next_span(info, &i, &base, &end))
        n += span_bound(end - base, levels, has_1g);
    /* The read-only cut in one span makes three; and two firmware tables. */
    n += 4 * span_bound(0, levels, has_1g);
    /* 4 KiB pages all through the kernel, and perhaps a reserved boundary. */
    n += 2 * (levels - 1) + (unsigned)(kernel->bytes >> 21) + 2;
    return n;
}

static enum status map_kernel(struct boot_paging *p,
                              const struct boot_info *info,
                              const struct boot_elf *kernel)
{
    for (unsigned i = 0; i < kernel->count; i++) {
        const struct boot_segment *s = &kernel->segment[i];
        const enum boot_access access = s->can_run     ? BOOT_RUN
                                        : s->can_write ? BOOT_WRITE
                                                       : BOOT_READ;
        const uint64_t phys = info->kernel_base + (s->virt - kernel->base);
        const uint64_t bytes = align_up(s->mem_bytes, BOOT_PAGE);
        enum status status = OK;

        for (uint64_t at = 0; at < bytes && status == OK; at += BOOT_PAGE)
            status =
                boot_paging_map(p, s->virt + at, phys + at, BOOT_PAGE, access);
        if (status != OK)
            return status;
    }
    return OK;
}

/* Physical [base, end) of the segments that nobody may write (G2). */
static void read_only_part(const struct boot_info *info,
                           const struct boot_elf *kernel, uint64_t *base,
                           uint64_t *end)
{
    *base = info->kernel_base;
    *end = info->kernel_base;
    for (unsigned i = 0; i < kernel->count; i++) {
        const struct boot_segment *s = &kernel->segment[i];

        if (s->can_write)
            break;
        *end = info->kernel_base +
               (align_up(s->virt + s->mem_bytes, BOOT_PAGE) - kernel->base);
    }
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static enum status map_identity(struct boot_paging *p, uint64_t base,
                                uint64_t end, enum boot_access access)
{
    if (base >= end)
        return OK;
    return boot_paging_map(p, base, base, end - base, access);
}

static enum status map_memory(struct boot_paging *p,
                              const struct boot_info *info,
                              const struct boot_elf *kernel)
{
    uint64_t base, end, ro_base, ro_end;
    unsigned i = 0;

    read_only_part(info, kernel, &ro_base, &ro_end);
    while (next_span(info, &i, &base, &end)) {
        const uint64_t cut = min_of(max_of(ro_base, base), end);
        const uint64_t resume = max_of(min_of(ro_end, end), cut);
        enum status status;

        status = map_identity(p, base, cut, BOOT_WRITE);
        if (status == OK)
            status = map_identity(p, cut, resume, BOOT_READ);
        if (status == OK)
            status = map_identity(p, resume, end, BOOT_WRITE);
        if (status != OK)
            return status;
    }
    return OK;
}

/* A table the firmware keeps in a reserved range: read-only, two pages in case
 * it crosses a boundary. Usually it is in memory and mapped already. */
static enum status map_table(struct boot_paging *p, uint64_t table)
{
    const uint64_t page = align_down(table, BOOT_PAGE);

    if (table == 0)
        return OK;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t at = page + i * BOOT_PAGE;
        const enum status status =
            at == 0 ? OK : map_identity(p, at, at + BOOT_PAGE, BOOT_READ);

        if (status != OK && status != E_EXIST)
            return status;
    }
    return OK;
}

enum status boot_paging_build(struct boot_paging *p,
                              const struct boot_info *info,
                              const struct boot_elf *kernel)
{
    enum status status;

    status = map_kernel(p, info, kernel);
    if (status == OK)
        status = map_memory(p, info, kernel);
    if (status == OK)
        status = map_table(p, info->rsdp);
    if (status == OK)
        status = map_table(p, info->smbios);
    return status;
}
