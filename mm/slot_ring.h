/*
 * slot_ring.h - a queue of pointers whose slots say themselves whether they are
 * taken: NULL is free
 *
 *   R1  each side has its own index and never reads the other's
 *   R2  slots [tail, head) of the consumer are taken but not yet cleared; they
 *       are fewer than a batch whenever a call returns
 *   R3  clearing goes upwards, so a free slot has only free ones between it and
 *       the producer
 *   R4  an index is stored only after it was wrapped into the array
 *   R5  the slots [next, next + known_free) are free
 *
 * The consumer clears a batch of slots (two cache lines) at a time, so the two
 * cores do not fight over one line. Free space appears at clearing only: that
 * something was consumed does not mean that something can be produced. Each
 * consuming call says how many slots it freed; wake a producer by that number.
 *
 * The producer looks SLOT_RING_PROBE slots ahead, and when that one is free it
 * does not look again before it used them all. That is right because of R3 and
 * where the ring is larger than the distance; both are built in, there is
 * nothing to choose.
 *
 * A side is used by one core, or by many under the lock that the ring has for
 * it (slot_ring_locks_set). Calls that need both sides take the consumers' lock
 * first.
 *
 * Source   the idea is that of ptr_ring, Linux include/linux/ptr_ring.h; looking
 *          ahead that of B-Queue (J. Wang et al., 2012), which clears slot by
 *          slot
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <millrace/compiler.h>
#include <millrace/lock.h>
#include <millrace/order.h>
#include <millrace/status.h>

#define SLOT_RING_BATCH (2 * CACHE_LINE / sizeof(void *))
#define SLOT_RING_PROBE 16
#define SLOT_RING_MAX   (1U << 30)

struct slot_ring {
    /* producers' */
    unsigned next __attribute__((aligned(2 * CACHE_LINE)));
    unsigned known_free;
    struct lock producer_lock;
    /* consumers' */
    unsigned head __attribute__((aligned(2 * CACHE_LINE)));
    unsigned tail;
    struct lock consumer_lock;
    /* nobody writes these; slot_ring_resize does, holding both locks */
    void **slots __attribute__((aligned(2 * CACHE_LINE)));
    unsigned size;
    unsigned batch;
    unsigned probe; /* SLOT_RING_PROBE, or 1 where that would reach round */
    enum lock_kind producer_kind;
    enum lock_kind consumer_kind;
} __attribute__((aligned(2 * CACHE_LINE)));

_Static_assert(offsetof(struct slot_ring, head) == 2 * CACHE_LINE &&
                   offsetof(struct slot_ring, slots) == 4 * CACHE_LINE,
               "each side, and what both read, in a line pair of its own");

/*
 * A ring of @size slots, a count of any size up to SLOT_RING_MAX; 0 is legal,
 * always full and always empty. Each side is one core's, without a lock.
 *
 * @owner   static text for `show memory`
 * Returns  NULL when memory is short or @size too large
 * Context  control core
 */
must_use struct slot_ring *slot_ring_create(unsigned size, const char *owner);

/* Both sides are quiet. What is still inside stays the caller's. */
void slot_ring_destroy(struct slot_ring *r);

/* How each side is locked from now on. Both sides are quiet. */
void slot_ring_locks_set(struct slot_ring *r, enum lock_kind producer,
                         enum lock_kind consumer);

/* What becomes of an element that has no place any more. */
typedef void slot_ring_drop(void *element, void *context);

/*
 * Change to @size slots. The oldest elements stay, in order; what does not fit
 * is dropped, oldest first, with both locks held.
 *
 * Returns  E_NOMEM, E_RANGE: nothing changed
 * Context  control core; a side without a lock is quiet, and nobody asks
 *          slot_ring_is_empty
 */
must_use enum status slot_ring_resize(struct slot_ring *r, unsigned size,
                                      slot_ring_drop *drop, void *context);

/* ---- the parts of a call, side locked or alone ---- */

/* How many slots from @next on are seen to be free: 0, 1 or the look-ahead. */
static always_inline unsigned slot_ring_look(const struct slot_ring *r,
                                             unsigned next)
{
    const unsigned far = next + r->probe - 1;

    if (unlikely(r->size == 0))
        return 0;
    /* Acquire: our stores come after the consumer's clearing. */
    if (__atomic_load_n(&r->slots[far < r->size ? far : far - r->size],
                        __ATOMIC_ACQUIRE) == NULL)
        return r->probe; /* R3 */
    return __atomic_load_n(&r->slots[next], __ATOMIC_ACQUIRE) == NULL;
}

static always_inline unsigned slot_ring_append(struct slot_ring *r,
                                               void *const elements[],
                                               unsigned n)
{
    unsigned next = plain_load(&r->next);
    unsigned known_free = plain_load(&r->known_free);
    unsigned done = 0;

    for (; done < n && elements[done] != NULL; done++) {
        if (unlikely(known_free == 0)) {
            known_free = slot_ring_look(r, next);
            if (known_free == 0)
                break;
        }
        __atomic_store_n(&r->slots[next], elements[done], __ATOMIC_RELEASE);
        next = next + 1 == r->size ? 0 : next + 1; /* R4 */
        known_free--;
    }
    plain_store(&r->next, next);
    plain_store(&r->known_free, known_free); /* R5 */
    return done;
}

/* The oldest element; NULL when empty. Only our side stores head. */
static always_inline void *slot_ring_oldest(const struct slot_ring *r)
{
    const unsigned head = __atomic_load_n(&r->head, __ATOMIC_RELAXED);

    if (unlikely(r->size == 0))
        return NULL;
    return __atomic_load_n(&r->slots[head], __ATOMIC_ACQUIRE);
}

/*
 * Head moves to @head, not wrapped yet, and [tail, head) is cleared, upwards
 * (R3). Head moves first: who sees a slot cleared can see that head is past it.
 * Returns the slots freed.
 */
static inline unsigned slot_ring_clear(struct slot_ring *r, unsigned head)
{
    const unsigned tail = plain_load(&r->tail);
    const unsigned wrapped = head == r->size ? 0 : head; /* R4 */

    __atomic_store_n(&r->head, wrapped, __ATOMIC_RELEASE);
    for (unsigned i = tail; i < head; i++)
        __atomic_store_n(&r->slots[i], NULL, __ATOMIC_RELEASE);
    plain_store(&r->tail, wrapped);
    return head - tail;
}

static always_inline unsigned slot_ring_take(struct slot_ring *r, void *out[],
                                             unsigned max, unsigned *freed)
{
    unsigned head = __atomic_load_n(&r->head, __ATOMIC_RELAXED);
    unsigned due = plain_load(&r->tail) + r->batch; /* clear at this head */
    unsigned n = 0;

    if (unlikely(r->size == 0))
        return 0;
    while (n < max) {
        void *element = __atomic_load_n(&r->slots[head], __ATOMIC_ACQUIRE);

        if (element == NULL)
            break;
        out[n++] = element;
        head++;
        if (unlikely(head == due || head == r->size)) {
            *freed += slot_ring_clear(r, head);
            head = head == r->size ? 0 : head;
            due = head + r->batch;
        }
    }
    __atomic_store_n(&r->head, head, __ATOMIC_RELEASE);
    return n;
}

/* ---- the calls, for a lock that the caller knows ---- */

/*
 * @kind must be the ring's kind for that side; as a constant it costs nothing to
 * choose. The calls further down find out themselves.
 */
static always_inline unsigned slot_ring_produce_as(struct slot_ring *r,
                                                   void *const elements[],
                                                   unsigned n,
                                                   enum lock_kind kind)
{
    struct queue_node me;
    unsigned done;

    lock_enter(&r->producer_lock, kind, &me);
    done = slot_ring_append(r, elements, n);
    lock_leave(&r->producer_lock, kind, &me);
    return done;
}

static always_inline unsigned slot_ring_consume_as(struct slot_ring *r,
                                                   void *out[], unsigned max,
                                                   unsigned *freed,
                                                   enum lock_kind kind)
{
    struct queue_node me;
    unsigned n;

    lock_enter(&r->consumer_lock, kind, &me);
    n = slot_ring_take(r, out, max, freed);
    lock_leave(&r->consumer_lock, kind, &me);
    return n;
}

/* ---- producer ---- */

/* Would slot_ring_produce() refuse now? A producer's question. */
must_use static inline bool slot_ring_is_full(struct slot_ring *r)
{
    struct queue_node me;
    bool full;

    lock_enter(&r->producer_lock, r->producer_kind, &me);
    full = plain_load(&r->known_free) == 0 &&
           slot_ring_look(r, plain_load(&r->next)) == 0;
    lock_leave(&r->producer_lock, r->producer_kind, &me);
    return full;
}

/*
 * Append @n elements, or as many as there are free slots; a NULL ends it too.
 * Returns how many.
 *
 * Order    whoever consumes them sees all that was stored before
 */
must_use static always_inline unsigned slot_ring_produce_bulk(
    struct slot_ring *r, void *const elements[], unsigned n)
{
    return slot_ring_produce_as(r, elements, n, r->producer_kind);
}

/*
 * Append @element. False, with nothing changed, when it is NULL or no slot is
 * free.
 */
must_use static always_inline bool slot_ring_produce(struct slot_ring *r,
                                                     void *element)
{
    return slot_ring_produce_as(r, &element, 1, r->producer_kind) != 0;
}

/* ---- consumer ---- */

/* The oldest element, which stays; NULL when empty. */
must_use static inline void *slot_ring_peek(struct slot_ring *r)
{
    struct queue_node me;
    void *element;

    lock_enter(&r->consumer_lock, r->consumer_kind, &me);
    element = slot_ring_oldest(r);
    lock_leave(&r->consumer_lock, r->consumer_kind, &me);
    return element;
}

/*
 * Take up to @max, oldest first. Returns how many.
 *
 * @freed   increased by the slots that producers can use again
 */
must_use static always_inline unsigned slot_ring_consume_bulk(
    struct slot_ring *r, void *out[], unsigned max, unsigned *freed)
{
    return slot_ring_consume_as(r, out, max, freed, r->consumer_kind);
}

/* Take the oldest; NULL when empty. */
must_use static always_inline void *slot_ring_consume(struct slot_ring *r,
                                                      unsigned *freed)
{
    void *element = NULL;

    return slot_ring_consume_as(r, &element, 1, freed, r->consumer_kind) != 0
               ? element
               : NULL;
}

/* Clear what is due; call it when idle. Returns the slots freed. */
unsigned slot_ring_flush(struct slot_ring *r);

/*
 * Put back @n elements that were consumed last, @batch[0] the oldest: the next
 * consume takes them again. Those for which there is no room any more, the
 * oldest, are dropped in order, with both locks held.
 *
 * Context  a consumer; without a lock on their side, producers are quiet
 */
void slot_ring_unconsume(struct slot_ring *r, void *const batch[], unsigned n,
                         slot_ring_drop *drop, void *context);

/* ---- anybody ---- */

/*
 * Was there a moment during this call without an element? Never a read outside
 * the array. Whoever knows of an element that is still inside hears no.
 */
must_use bool slot_ring_is_empty(const struct slot_ring *r);
