/*
 * slot_ring.c - creation, and the consumer's side; R1..R4 are in the header
 */
#include "mm/slot_ring.h"

#include <stdint.h>

#include "mm/dma.h"

struct slot_ring *slot_ring_create(unsigned size, const char *owner)
{
    /* One guard line behind: the prefetcher may look, nobody writes. */
    const size_t bytes =
        sizeof(struct slot_ring) + (size_t)size * sizeof(void *) + CACHE_LINE;
    struct slot_ring *r = dma_alloc(bytes, 2 * CACHE_LINE, owner);

    if (r == NULL)
        return NULL;
    r->slots = (void **)(r + 1);
    r->size = size;
    r->batch = SLOT_RING_BATCH > size / 2 ? 1 : SLOT_RING_BATCH;
    return r;
}

void slot_ring_destroy(struct slot_ring *r)
{
    dma_free(r);
}

/* Clear [tail, head), upwards (R3); @head is not wrapped yet. */
static unsigned clear(struct slot_ring *r, unsigned head)
{
    const unsigned freed = head - r->tail;

    for (unsigned i = r->tail; i < head; i++)
        __atomic_store_n(&r->slots[i], NULL, __ATOMIC_RELEASE);
    r->tail = head == r->size ? 0 : head;
    return freed;
}

/* Step over the slot at head. */
static inline unsigned step(struct slot_ring *r)
{
    const unsigned head = r->head + 1;
    const bool at_end = head == r->size;
    unsigned freed = 0;

    if (at_end || head - r->tail >= r->batch)
        freed = clear(r, head);
    __atomic_store_n(&r->head, at_end ? 0 : head, __ATOMIC_RELEASE); /* R4 */
    return freed;
}

void *slot_ring_consume(struct slot_ring *r, unsigned *freed)
{
    void *pointer = slot_ring_peek(r);

    if (pointer != NULL)
        *freed += step(r);
    return pointer;
}

unsigned slot_ring_consume_bulk(struct slot_ring *r, void *out[], unsigned max,
                                unsigned *freed)
{
    unsigned n = 0;

    while (n < max && (out[n] = slot_ring_consume(r, freed)) != NULL)
        n++;
    return n;
}

unsigned slot_ring_flush(struct slot_ring *r)
{
    return clear(r, r->head);
}

bool slot_ring_is_empty(const struct slot_ring *r)
{
    const unsigned head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

    return r->size == 0 ||
           __atomic_load_n(&r->slots[head], __ATOMIC_ACQUIRE) == NULL;
}
