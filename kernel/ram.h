/*
 * ram.h - which of the loader's memory map the appliance may use
 */
#pragma once

#include <stdint.h>

#include "boot/boot_info.h"
#include "mm/mm.h"

/* Below it the PC keeps what other cores and old firmware need to start. */
#define RAM_LOWEST (UINT64_C(1) << 20)

/*
 * Free memory from RAM_LOWEST on, as mm_init() wants it: whole pages, ascending.
 * What belonged to boot services is left out: a device that the firmware did
 * not stop may still write there.
 *
 * @out     room for @max ranges
 * Returns  how many were written; what does not fit is left out
 */
unsigned ram_usable(const struct boot_info *info, struct mm_range out[],
                    unsigned max);

/*
 * The lowest @bytes of free whole pages below RAM_LOWEST, page 0 left out. They
 * are nobody else's.
 *
 * Returns  their address; 0 when there are none
 */
uint64_t ram_low(const struct boot_info *info, uint64_t bytes);

/* Bytes of @type in the map. */
uint64_t ram_bytes(const struct boot_info *info, enum boot_mem_type type);
