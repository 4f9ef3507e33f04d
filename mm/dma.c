/*
 * dma.c - zeroed frames under the name of who asked
 */
#include "mm/dma.h"

#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>

#include "mm/frame.h"

void *dma_alloc(size_t bytes, size_t align, const char *owner)
{
    void *memory;

    if (bytes == 0 || !is_power_of_2(align) || align > FRAME_BYTES)
        panic("dma: %zu bytes at a multiple of %zu asked by %s", bytes, align,
              owner);
    memory = frame_alloc(bytes, align, owner);
    if (memory != NULL)
        memset(memory, 0, frame_block_bytes(memory));
    return memory;
}

void dma_free(void *memory)
{
    if (memory != NULL)
        frame_free(memory);
}
