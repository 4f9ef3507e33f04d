/*
 * frame.h - who owns which physical memory
 *
 * All of it is handed out here: whole frames of 2 MiB for what is large, and
 * 4 KiB pages, taken where they break the fewest frames, for what is small.
 */
#pragma once

#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>
#include "mm/mm.h"

#define PAGE_BYTES  UINT64_C(4096)
#define FRAME_BYTES (UINT64_C(2) << 20)

/* mm_init() and mm_close() call these. */
must_use enum status frame_init(const struct mm_range *ranges, unsigned count);
void frame_close(void);

/*
 * Contiguous memory, contents unspecified.
 *
 * @bytes   at least 1, rounded up to pages; from FRAME_BYTES on it starts at a
 *          frame
 * @align   power of two, at most 1 GiB; 0 = a page
 * @owner   static text for `show memory`
 * Returns  NULL when no gap is large enough
 * Cost     one walk over all blocks; for start-up
 * Context  control core
 */
must_use void *frame_alloc(uint64_t bytes, uint64_t align, const char *owner);

/* Panics when @memory is not the start of an allocated block. */
void frame_free(void *memory);

/* Bytes of the block that starts at @memory, 0 when there is none. */
uint64_t frame_block_bytes(const void *memory);

struct frame_stats {
    uint64_t total; /* bytes: used + free */
    uint64_t used;
    uint64_t free;
    uint64_t largest_free; /* the largest gap */
    unsigned ranges;       /* that we were given and that were not empty */
};
void frame_stats_get(struct frame_stats *stats);

struct frame_owner {
    const char *name;
    uint64_t bytes;
    unsigned blocks;
    uint32_t node; /* of all blocks; NODE_ANY when nobody says, or of several */
};

/*
 * Sum up by owner, in the order of addresses.
 *
 * Returns  how many owners exist; at most @max are written
 */
unsigned frame_owners_get(struct frame_owner *out, unsigned max);
