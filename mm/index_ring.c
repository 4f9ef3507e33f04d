/*
 * index_ring.c - creation, and the waits; I1..I4 are in the header
 */
#include "mm/index_ring.h"

#include <millrace/log.h>

#include "mm/dma.h"

/* Slots for @count; 0, with the reason logged, when there can be no such ring. */
static unsigned slots_for(unsigned count, unsigned flags)
{
    unsigned slots = count;

    if (flags & INDEX_RING_EXACT) {
        slots = 2;
        while (slots <= count && slots < INDEX_RING_SLOTS_MAX)
            slots *= 2;
        if (count == 0 || slots <= count)
            slots = 0;
    } else if (count < 2 || count > INDEX_RING_SLOTS_MAX ||
               (count & (count - 1)) != 0) {
        slots = 0;
    }
    if (slots == 0)
        log_error("index ring: cannot hold %s%u: want %s, at most %u",
                  flags & INDEX_RING_EXACT ? "exactly " : "", count,
                  flags & INDEX_RING_EXACT ? "1 or more"
                                           : "a power of two from 2 on",
                  INDEX_RING_SLOTS_MAX - (flags & INDEX_RING_EXACT ? 1 : 0));
    return slots;
}

enum status index_ring_create(struct index_ring **ring, unsigned count,
                              unsigned flags, const char *owner)
{
    const unsigned slots = slots_for(count, flags);
    struct index_ring *r;

    *ring = NULL;
    if (slots == 0)
        return E_RANGE;
    /* One guard line behind: the prefetcher may look, nobody writes. */
    r = dma_alloc(sizeof(*r) + (size_t)slots * sizeof(void *) + CACHE_LINE,
                  2 * CACHE_LINE, owner);
    if (r == NULL)
        return E_NOMEM;
    r->mask = slots - 1;
    r->capacity = flags & INDEX_RING_EXACT ? count : slots - 1;
    r->producer.users =
        flags & INDEX_RING_MANY_PRODUCERS ? INDEX_RING_MANY : INDEX_RING_ONE;
    r->consumer.users =
        flags & INDEX_RING_MANY_CONSUMERS ? INDEX_RING_MANY : INDEX_RING_ONE;
    *ring = r;
    return OK;
}

void index_ring_destroy(struct index_ring *r)
{
    dma_free(r);
}

void index_ring_wait_turn(const uint32_t *tail, uint32_t at)
{
    unsigned turns = 0;

    while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) != at) {
        if (++turns == INDEX_RING_WAIT_MAX)
            panic("index ring: a core stopped between claim %u and ours, %u",
                  __atomic_load_n(tail, __ATOMIC_RELAXED), at);
        __builtin_ia32_pause();
    }
}

unsigned index_ring_count(const struct index_ring *r)
{
    /* In this order: the second is then never behind the first (I2). */
    const uint32_t out = __atomic_load_n(&r->consumer.tail, __ATOMIC_ACQUIRE);
    const uint32_t in = __atomic_load_n(&r->producer.tail, __ATOMIC_ACQUIRE);

    /* Between the loads, both sides may have gone on. */
    return in - out <= r->capacity ? in - out : r->capacity;
}
