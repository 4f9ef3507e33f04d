/*
 * slot_ring.c - creation, and what is not done per element; R1..R5 are in the
 * header
 */
#include "mm/slot_ring.h"

#include <stdint.h>

#include <millrace/log.h>

#include "mm/dma.h"

/* One guard line behind: the prefetcher may look, nobody writes. */
static size_t slots_bytes(unsigned size)
{
    return (size_t)size * sizeof(void *) + CACHE_LINE;
}

static bool size_is_legal(unsigned size)
{
    if (size <= SLOT_RING_MAX)
        return true;
    log_error("slot ring: cannot have %u slots, at most %u", size,
              SLOT_RING_MAX);
    return false;
}

/* The empty array @slots of @size is the ring's now. */
static void install(struct slot_ring *r, void **slots, unsigned size)
{
    r->slots = slots;
    r->size = size;
    r->batch = SLOT_RING_BATCH > size / 2 ? 1 : SLOT_RING_BATCH;
    r->probe = size > SLOT_RING_PROBE ? SLOT_RING_PROBE : 1;
}

/* The array that came with the ring, as opposed to a later one's. */
static void **first_slots(struct slot_ring *r)
{
    return (void **)(r + 1);
}

struct slot_ring *slot_ring_create(unsigned size, const char *owner)
{
    struct slot_ring *r;

    if (!size_is_legal(size))
        return NULL;
    r = dma_alloc(sizeof(*r) + slots_bytes(size), 2 * CACHE_LINE, owner);
    if (r == NULL)
        return NULL;
    r->producer_kind = LOCK_NONE;
    r->consumer_kind = LOCK_NONE;
    install(r, first_slots(r), size);
    return r;
}

void slot_ring_destroy(struct slot_ring *r)
{
    if (r != NULL && r->slots != first_slots(r))
        dma_free(r->slots);
    dma_free(r);
}

void slot_ring_locks_set(struct slot_ring *r, enum lock_kind producer,
                         enum lock_kind consumer)
{
    r->producer_lock = (struct lock) { { { 0, 0 } } };
    r->consumer_lock = (struct lock) { { { 0, 0 } } };
    r->producer_kind = producer;
    r->consumer_kind = consumer;
}

/* Both sides, in the one order that all use. */
struct both {
    struct queue_node consumer, producer;
};

static void enter_both(struct slot_ring *r, struct both *us)
{
    lock_enter(&r->consumer_lock, r->consumer_kind, &us->consumer);
    lock_enter(&r->producer_lock, r->producer_kind, &us->producer);
}

static void leave_both(struct slot_ring *r, struct both *us)
{
    lock_leave(&r->producer_lock, r->producer_kind, &us->producer);
    lock_leave(&r->consumer_lock, r->consumer_kind, &us->consumer);
}

enum status slot_ring_resize(struct slot_ring *r, unsigned size,
                             slot_ring_drop *drop, void *context)
{
    void **old = r->slots, **slots, *element;
    struct both us;
    unsigned kept = 0, freed = 0;

    if (!size_is_legal(size))
        return E_RANGE;
    slots = dma_alloc(slots_bytes(size), 2 * CACHE_LINE, "slot ring");
    if (slots == NULL)
        return E_NOMEM;
    enter_both(r, &us);
    while (slot_ring_take(r, &element, 1, &freed) != 0)
        if (kept < size)
            slots[kept++] = element;
        else
            drop(element, context);
    install(r, slots, size);
    plain_store(&r->next, kept == size ? 0 : kept);
    plain_store(&r->known_free, 0);
    plain_store(&r->tail, 0);
    __atomic_store_n(&r->head, 0, __ATOMIC_RELEASE);
    leave_both(r, &us);
    if (old != first_slots(r))
        dma_free(old);
    return OK;
}

unsigned slot_ring_flush(struct slot_ring *r)
{
    struct queue_node me;
    unsigned freed;

    lock_enter(&r->consumer_lock, r->consumer_kind, &me);
    freed = slot_ring_clear(r, __atomic_load_n(&r->head, __ATOMIC_RELAXED));
    lock_leave(&r->consumer_lock, r->consumer_kind, &me);
    return freed;
}

/* One element back in front of head; false when that slot is taken. */
static bool prepend(struct slot_ring *r, void *element)
{
    const unsigned head = __atomic_load_n(&r->head, __ATOMIC_RELAXED);
    const unsigned at = (head == 0 ? r->size : head) - 1;

    if (r->size == 0 ||
        __atomic_load_n(&r->slots[at], __ATOMIC_RELAXED) != NULL)
        return false;
    __atomic_store_n(&r->slots[at], element, __ATOMIC_RELEASE);
    plain_store(&r->tail, at);
    __atomic_store_n(&r->head, at, __ATOMIC_RELEASE);
    return true;
}

void slot_ring_unconsume(struct slot_ring *r, void *const batch[], unsigned n,
                         slot_ring_drop *drop, void *context)
{
    struct both us;

    enter_both(r, &us);
    slot_ring_clear(r, __atomic_load_n(&r->head, __ATOMIC_RELAXED));
    plain_store(&r->known_free, 0); /* R5: we take from the far end */
    while (n != 0 && prepend(r, batch[n - 1]))
        n--;
    for (unsigned i = 0; i < n; i++)
        drop(batch[i], context);
    leave_both(r, &us);
}

bool slot_ring_is_empty(const struct slot_ring *r)
{
    const unsigned head = __atomic_load_n(&r->head, __ATOMIC_ACQUIRE);

    if (r->size == 0)
        return true;
    /* A slot that was cleared after we read head says nothing. */
    return __atomic_load_n(&r->slots[head], __ATOMIC_ACQUIRE) == NULL &&
           __atomic_load_n(&r->head, __ATOMIC_RELAXED) == head;
}
