/*
 * dma.h - memory that devices may read and write
 *
 * Physically contiguous, zeroed, mapped like all RAM. On metal bus address and
 * pointer are equal; always convert with plat_bus_addr() all the same.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>

/*
 * @bytes   at least 1
 * @align   power of two, at most 2 MiB
 * @owner   static text for `show memory`: "mbuf pool", "port 0 rx ring"
 * Returns  zeroed memory, or NULL when no range is large enough
 * Context  control core
 */
must_use void *dma_alloc(size_t bytes, size_t align, const char *owner);

/* Give back what dma_alloc returned; NULL is ignored. */
void dma_free(void *memory);
