/*
 * memmap.h - the firmware's memory map, made into boot_info's
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/status.h>

#include "boot/boot_info.h"

/*
 * Enter [base, base + bytes) as @type. Where ranges overlap, the type that
 * comes later in enum boot_mem_type, the more cautious one, wins.
 *
 * Returns  OK; E_RANGE when the range is empty or ends beyond 2^64, nothing
 *          changed; E_OVERFLOW when the table is full, the rest of the range
 *          is then missing
 */
must_use enum status boot_mem_add(struct boot_info *info, uint64_t base,
                                  uint64_t bytes, enum boot_mem_type type);

/*
 * Fill info->mem from a UEFI memory map.
 *
 * @raw     @bytes of descriptors, one each @stride bytes (what GetMemoryMap
 *          returned, not the size of a struct)
 * @bad     descriptors that were left out because they make no sense
 * Returns  OK; E_CORRUPT when @stride is too small for a descriptor;
 *          E_OVERFLOW when more ranges remain than boot_info has room for
 * Source   UEFI 2.10, 7.2.3 GetMemoryMap and table 7.10
 */
must_use enum status boot_mem_convert(struct boot_info *info, const void *raw,
                                      size_t bytes, size_t stride,
                                      unsigned *bad);
