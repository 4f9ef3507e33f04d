/*
 * slot_ring.h - a queue of pointers whose slots say themselves whether they are
 * taken: NULL is free
 *
 *   R1  each side has its own index and never reads the other's
 *   R2  slots [tail, head) of the consumer are taken but not yet cleared; they
 *       are fewer than a batch
 *   R3  clearing goes upwards, so a free slot has only free ones between it and
 *       the producer
 *   R4  an index is stored only after it was wrapped into the array
 *
 * The consumer clears a batch of slots (two cache lines) at a time, so the two
 * cores do not fight over one line. Free space appears at clearing only: that
 * something was consumed does not mean that something can be produced. Each
 * consuming call says how many slots it freed; wake a producer by that number.
 *
 * One producer and one consumer, on any two cores or on one. For more, hold a
 * lock per side.
 *
 * Source   the idea is that of ptr_ring, Linux include/linux/ptr_ring.h
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <millrace/compiler.h>

#define SLOT_RING_BATCH (2 * CACHE_LINE / sizeof(void *))

struct slot_ring {
    /* producer's */
    unsigned next __attribute__((aligned(2 * CACHE_LINE)));
    /* consumer's */
    unsigned head __attribute__((aligned(2 * CACHE_LINE)));
    unsigned tail;
    /* nobody writes these */
    void **slots __attribute__((aligned(2 * CACHE_LINE)));
    unsigned size;
    unsigned batch;
} __attribute__((aligned(2 * CACHE_LINE)));

_Static_assert(offsetof(struct slot_ring, head) == 2 * CACHE_LINE &&
                   offsetof(struct slot_ring, slots) == 4 * CACHE_LINE,
               "each side, and what both read, in a line pair of its own");

/*
 * A ring of @size slots, a count of any size; 0 is legal, always full and
 * always empty.
 *
 * @owner   static text for `show memory`
 * Returns  NULL when memory is short
 * Context  control core
 */
must_use struct slot_ring *slot_ring_create(unsigned size, const char *owner);

/* Both sides are quiet. What is still inside stays the caller's. */
void slot_ring_destroy(struct slot_ring *r);

/* ---- producer ---- */

/* Would slot_ring_produce() refuse now? */
static inline bool slot_ring_is_full(const struct slot_ring *r)
{
    return r->size == 0 ||
           __atomic_load_n(&r->slots[r->next], __ATOMIC_RELAXED) != NULL;
}

/*
 * Append @pointer. False, with nothing changed, when it is NULL or no slot is
 * free.
 *
 * Order    whoever consumes it sees all that was stored before
 */
must_use static inline bool slot_ring_produce(struct slot_ring *r,
                                              void *pointer)
{
    const unsigned at = r->next;

    /* Acquire: the store below comes after the consumer's clearing. */
    if (unlikely(pointer == NULL || r->size == 0 ||
                 __atomic_load_n(&r->slots[at], __ATOMIC_ACQUIRE) != NULL))
        return false;
    __atomic_store_n(&r->slots[at], pointer, __ATOMIC_RELEASE);
    r->next = at + 1 == r->size ? 0 : at + 1; /* R4 */
    return true;
}

/* ---- consumer ---- */

/* The oldest pointer, which stays; NULL when empty. */
static inline void *slot_ring_peek(const struct slot_ring *r)
{
    if (unlikely(r->size == 0))
        return NULL;
    return __atomic_load_n(&r->slots[r->head], __ATOMIC_ACQUIRE);
}

/*
 * Take the oldest pointer; NULL when empty.
 *
 * @freed   increased by the slots that the producer can use again
 */
void *slot_ring_consume(struct slot_ring *r, unsigned *freed);

/* Take up to @max, oldest first. Returns how many. */
unsigned slot_ring_consume_bulk(struct slot_ring *r, void *out[], unsigned max,
                                unsigned *freed);

/* Clear what is due; call it when idle. Returns the slots freed. */
unsigned slot_ring_flush(struct slot_ring *r);

/* ---- anybody ---- */

/* A snapshot; never a read outside the array. */
bool slot_ring_is_empty(const struct slot_ring *r);
