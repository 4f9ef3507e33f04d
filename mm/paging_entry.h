/*
 * paging_entry.h - one 64-bit entry of a page table; for mm/paging*.c
 *
 * Levels count from the pages: 0 maps 4 KiB, 1 2 MiB, 2 1 GiB, 3 and 4 are
 * always tables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ENTRIES 512u

#define ENTRY_PRESENT  (UINT64_C(1) << 0)
#define ENTRY_WRITE    (UINT64_C(1) << 1)
#define ENTRY_USER     (UINT64_C(1) << 2)
#define ENTRY_PWT      (UINT64_C(1) << 3)
#define ENTRY_PCD      (UINT64_C(1) << 4)
#define ENTRY_ACCESSED (UINT64_C(1) << 5)
#define ENTRY_DIRTY    (UINT64_C(1) << 6)
#define ENTRY_LARGE    (UINT64_C(1) << 7)
#define ENTRY_GUARD    (UINT64_C(1) << 9) /* ours; alone, so not present */
#define ENTRY_NX       (UINT64_C(1) << 63)
#define ENTRY_ADDRESS  UINT64_C(0x000ffffffffff000)

static inline uint64_t level_bytes(unsigned level)
{
    return UINT64_C(1) << (12 + 9 * level);
}

static inline unsigned entry_index(uint64_t virt, unsigned level)
{
    return (unsigned)(virt >> (12 + 9 * level)) % ENTRIES;
}

static inline bool entry_is_page(uint64_t entry, unsigned level)
{
    return (entry & ENTRY_PRESENT) != 0 &&
           (level == 0 || (entry & ENTRY_LARGE) != 0);
}

static inline bool entry_is_table(uint64_t entry, unsigned level)
{
    return (entry & ENTRY_PRESENT) != 0 && level != 0 &&
           (entry & ENTRY_LARGE) == 0;
}

static inline uint64_t entry_phys(uint64_t entry)
{
    return entry & ENTRY_ADDRESS;
}

static inline uint64_t *entry_table(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)entry_phys(entry);
}
