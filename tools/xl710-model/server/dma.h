/*
 * dma.h - the guest memory one function may reach
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dma_file;

struct dma_range {
    uint64_t addr;
    uint64_t size;
    uint8_t *host; /* NULL: announced without a file, out of our reach */
    struct dma_file *file;
    bool readable;
    bool writable;
};

struct dma_space {
    struct dma_range *ranges; /* sorted by addr, disjoint */
    unsigned count;
    unsigned room;
    unsigned last_hit;
    uint64_t generation; /* counts unmaps: older pointers are void */
    struct dma_file *files;
};

/*
 * Make [@addr, @addr + @size) reachable: @offset bytes into the file behind
 * @fd, or out of reach when @fd is negative. @fd stays the caller's.
 * Returns  0, or an errno with nothing changed: EEXIST over an existing range,
 *          EINVAL for an impossible range, one beyond the end of its file, or
 *          one that lies differently in its pages than in the file's;
 *          ENOSPC when VFU_DMA_RANGES exist, or what mmap said
 */
int dma_space_map(struct dma_space *space, uint64_t addr, uint64_t size,
                  bool readable, bool writable, int fd, uint64_t offset);

/*
 * Forget every range that lies inside [@addr, @addr + @size), if any.
 * Returns  0, or EINVAL with nothing changed when one lies partly inside
 */
int dma_space_unmap(struct dma_space *space, uint64_t addr, uint64_t size);

/* Forget all ranges and close all files. */
void dma_space_clear(struct dma_space *space);

/*
 * Did somebody shorten a file that ranges point into? It reads as zeros then,
 * and what is written to it is lost.
 */
bool dma_space_is_lost(const struct dma_space *space);

/*
 * The pointer behind bus address @addr, valid until generation changes.
 * @got     how many of @len bytes lie behind it; the rest may be elsewhere
 * Returns  NULL when not reachable, or not in this direction
 */
void *dma_space_translate(struct dma_space *space, uint64_t addr, size_t len,
                          bool write, size_t *got);
