/*
 * paging.h - the page tables that the kernel starts on
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/status.h>

#include "boot/boot_info.h"
#include "boot/elf.h"

struct boot_paging {
    uint64_t *pool;  /* zeroed pages, page-aligned, identity-mapped */
    unsigned room;   /* pages in the pool */
    unsigned used;   /* the first one is the root */
    unsigned levels; /* 4, or 5 when CR4.LA57 is set */
    bool has_1g;     /* CPUID.80000001H:EDX.Page1GB */
};

enum boot_access {
    BOOT_READ = 0,
    BOOT_WRITE = 1,
    BOOT_RUN = 2,
};

/* Pages of pool that are surely enough for all that boot_paging_build maps. */
unsigned boot_paging_bound(const struct boot_info *info,
                           const struct boot_elf *kernel, unsigned levels,
                           bool has_1g);

/*
 * Map [virt, virt + bytes) to phys with the largest pages that fit.
 *
 * @virt, @phys, @bytes   multiples of 4096
 * Returns  OK; E_NOMEM when the pool is used up; E_EXIST when a part is mapped
 *          already (what was mapped so far stays)
 */
must_use enum status boot_paging_map(struct boot_paging *p, uint64_t virt,
                                     uint64_t phys, uint64_t bytes,
                                     enum boot_access access);

/*
 * Map the kernel's segments where it was linked, and all memory of info->mem
 * at its own address, never executable.
 *
 * @p       pool, room, levels and has_1g set, used 0
 * @info    mem, kernel_base, kernel_bytes, rsdp and smbios set
 * Returns  OK, E_NOMEM or E_EXIST as above
 */
must_use enum status boot_paging_build(struct boot_paging *p,
                                       const struct boot_info *info,
                                       const struct boot_elf *kernel);
