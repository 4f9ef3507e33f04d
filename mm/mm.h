/*
 * mm.h - memory from power-on: tell us what there is, then use the rest of mm/
 *
 *     const struct mm_range ram[] = { { (uintptr_t)host_arena(64 << 20),
 *                                       64 << 20 } };
 *     status = mm_init(ram, 1);
 *     ... dma_alloc, mempool_create ...
 *     mm_close();
 */
#pragma once

#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/* Physical memory [base, base + bytes); readable at the same address. */
struct mm_range {
    uint64_t base;
    uint64_t bytes;
};

/* Less than this is refused: one frame, and room for our own records. */
#define MM_BYTES_MIN (UINT64_C(4) << 20)

/*
 * Take over free memory. Ranges are multiples of 4 KiB, ascending, and do not
 * overlap; they may touch, and may be empty. Page 0 is never handed out.
 *
 * Returns  OK; E_INVALID, E_NOMEM (less than MM_BYTES_MIN), E_STATE (already
 *          open), each with one line in the log and nothing taken
 * Context  control core, before other cores run
 */
must_use enum status mm_init(const struct mm_range *ranges, unsigned count);

/*
 * Forget everything: pools, DMA memory, frames. Pointers into them are dead.
 * For tests and for a warm restart; nothing happens when not open.
 */
void mm_close(void);
