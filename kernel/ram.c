/*
 * ram.c - which of the loader's memory map the appliance may use
 */
#include <millrace/bits.h>

#include "kernel/ram.h"
#include "mm/frame.h"

unsigned ram_usable(const struct boot_info *info, struct mm_range out[],
                    unsigned max)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < info->mem_count && n < max; i++) {
        const struct boot_mem *m = &info->mem[i];
        const uint64_t end = align_down(m->base + m->bytes, PAGE_BYTES);
        uint64_t base = align_up(m->base, PAGE_BYTES);

        if (base < RAM_LOWEST)
            base = RAM_LOWEST;
        if (m->type != BOOT_MEM_USABLE || base >= end)
            continue;
        out[n++] = (struct mm_range) { .base = base, .bytes = end - base };
    }
    return n;
}

uint64_t ram_low(const struct boot_info *info, uint64_t bytes)
{
    for (uint32_t i = 0; i < info->mem_count; i++) {
        const struct boot_mem *m = &info->mem[i];
        const uint64_t end = m->base + m->bytes;
        uint64_t base = align_up(m->base, PAGE_BYTES);

        if (base == 0)
            base = PAGE_BYTES; /* mapped nowhere */
        if (m->type == BOOT_MEM_USABLE && base < end && end - base >= bytes &&
            base + bytes <= RAM_LOWEST)
            return base;
    }
    return 0;
}

uint64_t ram_bytes(const struct boot_info *info, enum boot_mem_type type)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < info->mem_count; i++) {
        if (info->mem[i].type == type)
            sum += info->mem[i].bytes;
    }
    return sum;
}
