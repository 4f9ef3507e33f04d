/*
 * index_ring.h - a queue of pointers between any number of cores, kept by
 * counters
 *
 *   I1  heads and tails run freely through 32 bits; slot = counter & mask
 *   I2  consumers' tail <= producers' tail <= consumers' tail + capacity, as
 *       differences, in whatever order a core sees the two
 *   I3  slots between the consumers' tail and the producers' tail hold elements;
 *       the others belong to the producers
 *   I4  a tail moves in the order in which the work was claimed
 *
 * A side with one user moves its tail, and remembers the other side's: it looks
 * again only when what it remembers is not enough, so a line changes cores once
 * per lap of a nearly empty or nearly full ring rather than once per element.
 *
 * A side with many users claims slots by moving the head, works on them, and
 * moves the tail when all earlier claims are done (I4). That is the weak point:
 * a core stopped between the two (SMI, a hypervisor) stops its peers, which wait
 * INDEX_RING_WAIT_MAX turns and then panic with the counters. Cores that may be
 * stopped for long want a slot ring each (slot_ring.h).
 *
 * Orders, on each of which the interleaving test insists:
 *
 *   tail, stored     release   the slots were written, or read, before
 *   other's tail     acquire   before the slots are touched
 *   head, loaded     acquire   who sees a claim sees the other tail on which it
 *   head, swapped    release   rests; an older one would break I2
 *   own tail, waited acquire   what earlier claims did is released with ours
 *
 * Bulk means all or nothing, burst as many as possible. Elements may be NULL.
 *
 * Source   the claims are those of DPDK's rte_ring; on the orders see its
 *          commits 9bc2cbb007 and a4ad0eba9d
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/order.h>
#include <millrace/status.h>

#include "mm/pointers.h"

#define INDEX_RING_SLOTS_MAX (1U << 30)

#ifndef INDEX_RING_WAIT_MAX            /* a test may be less patient */
#define INDEX_RING_WAIT_MAX (1U << 28) /* pauses; many seconds */
#endif

enum index_ring_flags {
    INDEX_RING_EXACT = 1, /* the count is the capacity, not the slots */
    INDEX_RING_MANY_PRODUCERS = 2,
    INDEX_RING_MANY_CONSUMERS = 4,
};

enum index_ring_users { INDEX_RING_ONE, INDEX_RING_MANY };
enum index_ring_amount { INDEX_RING_ALL, INDEX_RING_SOME };

struct index_ring_side {
    uint32_t tail; /* finished up to here */
    uint32_t head; /* MANY: claimed up to here */
    uint32_t seen; /* ONE: the other side's tail, last time we looked */
    enum index_ring_users users;
} __attribute__((aligned(2 * CACHE_LINE)));

struct index_ring {
    struct index_ring_side producer;
    struct index_ring_side consumer;
    /* nobody writes these */
    uint32_t mask __attribute__((aligned(2 * CACHE_LINE)));
    uint32_t capacity;
    void *slots[] __attribute__((aligned(2 * CACHE_LINE)));
};

_Static_assert(offsetof(struct index_ring, consumer) == 2 * CACHE_LINE &&
                   offsetof(struct index_ring, mask) == 4 * CACHE_LINE &&
                   offsetof(struct index_ring, slots) == 6 * CACHE_LINE,
               "each side, and what both read, in a line pair of its own");

/*
 * A ring of @count slots, a power of two, that holds one element less; with
 * INDEX_RING_EXACT one that holds @count, in the next larger power of two.
 *
 * @flags   enum index_ring_flags
 * @owner   static text for `show memory`
 * Returns  E_RANGE with the reason in the log when the count is none of these,
 *          the capacity would be 0 or the slots more than INDEX_RING_SLOTS_MAX;
 *          E_NOMEM; *ring is NULL then
 * Context  control core
 */
must_use enum status index_ring_create(struct index_ring **ring, unsigned count,
                                       unsigned flags, const char *owner);

/* All sides are quiet. What is still inside stays the caller's; NULL is fine. */
void index_ring_destroy(struct index_ring *r);

/* Wait until *@tail is @at (I4); panics after INDEX_RING_WAIT_MAX pauses. */
void index_ring_wait_turn(const uint32_t *tail, uint32_t at);

/* ---- the parts of a push and of a pop ---- */

static always_inline unsigned index_ring_take(uint32_t ready, unsigned n,
                                              enum index_ring_amount amount)
{
    if (likely(n <= ready))
        return n;
    return amount == INDEX_RING_ALL ? 0 : ready;
}

/* One user: nobody else moves our tail, so claiming is looking. */
static always_inline unsigned index_ring_claim_alone(
    struct index_ring_side *mine, const uint32_t *other, uint32_t extra,
    unsigned n, enum index_ring_amount amount, uint32_t *at, unsigned *ready)
{
    *at = __atomic_load_n(&mine->tail, __ATOMIC_RELAXED);
    *ready = extra + plain_load(&mine->seen) - *at;
    if (*ready < n) {
        const uint32_t seen = __atomic_load_n(other, __ATOMIC_ACQUIRE);

        plain_store(&mine->seen, seen);
        *ready = extra + seen - *at;
    }
    return index_ring_take(*ready, n, amount);
}

/* Many users: the head is ours from the old value on when the swap succeeds. */
static always_inline unsigned index_ring_claim_among(
    struct index_ring_side *mine, const uint32_t *other, uint32_t extra,
    unsigned n, enum index_ring_amount amount, uint32_t *at, unsigned *ready)
{
    for (;;) {
        uint32_t head = __atomic_load_n(&mine->head, __ATOMIC_ACQUIRE);
        unsigned taken;

        *at = head;
        *ready = extra + __atomic_load_n(other, __ATOMIC_ACQUIRE) - head;
        taken = index_ring_take(*ready, n, amount);
        /* What a failed swap saw is of no use; using it would cost more. */
        if (taken == 0 || likely(__atomic_compare_exchange_n(
                              &mine->head, &head, head + taken, false,
                              __ATOMIC_RELEASE, __ATOMIC_RELAXED)))
            return taken;
    }
}

/*
 * Up to @n slots for one side: a producer's @extra is the capacity, a consumer's
 * 0. Returns how many, from counter *@at on; *@ready of them are known.
 */
static always_inline unsigned index_ring_claim(struct index_ring_side *mine,
                                               const uint32_t *other,
                                               uint32_t extra, unsigned n,
                                               enum index_ring_amount amount,
                                               enum index_ring_users users,
                                               uint32_t *at, unsigned *ready)
{
    if (users == INDEX_RING_ONE)
        return index_ring_claim_alone(mine, other, extra, n, amount, at, ready);
    return index_ring_claim_among(mine, other, extra, n, amount, at, ready);
}

/* The slots [at, at + n) are finished: the other side may have them. */
static always_inline void index_ring_publish(struct index_ring_side *mine,
                                             uint32_t at, unsigned n,
                                             enum index_ring_users users)
{
    if (users == INDEX_RING_MANY &&
        unlikely(__atomic_load_n(&mine->tail, __ATOMIC_ACQUIRE) != at))
        index_ring_wait_turn(&mine->tail, at);
    __atomic_store_n(&mine->tail, at + n, __ATOMIC_RELEASE);
}

#ifdef plain_is_watched /* one access for each element, then */
static always_inline void index_ring_store(void **slot, void *const from[],
                                           unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        plain_store(&slot[i], from[i]);
}

static always_inline void index_ring_load(void *const *slot, void *to[],
                                          unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = plain_load(&slot[i]);
}
#else
static always_inline void index_ring_store(void **slot, void *const from[],
                                           unsigned n)
{
    pointers_copy(slot, from, n);
}

static always_inline void index_ring_load(void *const *slot, void *to[],
                                          unsigned n)
{
    pointers_copy(to, slot, n);
}
#endif

/* Slots from @at up to the end of the array. */
static always_inline unsigned index_ring_run(const struct index_ring *r,
                                             uint32_t at)
{
    return r->mask + 1 - (at & r->mask);
}

/*
 * Push with what is known about the caller; @users must be what the ring was
 * made for. index_ring_push_bulk and index_ring_push_burst find out themselves.
 */
static always_inline unsigned index_ring_push_as(struct index_ring *r,
                                                 void *const from[], unsigned n,
                                                 enum index_ring_amount amount,
                                                 enum index_ring_users users,
                                                 unsigned *left)
{
    uint32_t at;
    unsigned ready, run;
    const unsigned taken =
        index_ring_claim(&r->producer, &r->consumer.tail, r->capacity, n,
                         amount, users, &at, &ready);

    if (left != NULL)
        *left = ready - taken;
    if (unlikely(taken == 0))
        return 0;
    if (amount == INDEX_RING_SOME)
        n = taken; /* else it is n, perhaps known to the compiler */
    run = index_ring_run(r, at);
    if (likely(n <= run)) {
        index_ring_store(&r->slots[at & r->mask], from, n);
    } else {
        index_ring_store(&r->slots[at & r->mask], from, run);
        index_ring_store(r->slots, from + run, n - run);
    }
    index_ring_publish(&r->producer, at, n, users);
    return n;
}

static always_inline unsigned index_ring_pop_as(struct index_ring *r,
                                                void *to[], unsigned n,
                                                enum index_ring_amount amount,
                                                enum index_ring_users users,
                                                unsigned *left)
{
    uint32_t at;
    unsigned ready, run;
    const unsigned taken = index_ring_claim(&r->consumer, &r->producer.tail, 0,
                                            n, amount, users, &at, &ready);

    if (left != NULL)
        *left = ready - taken;
    if (unlikely(taken == 0))
        return 0;
    if (amount == INDEX_RING_SOME)
        n = taken;
    run = index_ring_run(r, at);
    if (likely(n <= run)) {
        index_ring_load(&r->slots[at & r->mask], to, n);
    } else {
        index_ring_load(&r->slots[at & r->mask], to, run);
        index_ring_load(r->slots, to + run, n - run);
    }
    index_ring_publish(&r->consumer, at, n, users);
    return n;
}

/* ---- producers ---- */

/*
 * Append @n elements, or none when there is no room for all.
 *
 * @left    room that is left; NULL when nobody asks. One user: so much at least;
 *          many: a snapshot
 * Returns  @n or 0
 * Order    whoever pops them sees all that was stored before
 * Cost     many users: one atomic operation for any @n
 */
must_use static always_inline unsigned index_ring_push_bulk(
    struct index_ring *r, void *const from[], unsigned n, unsigned *left)
{
    if (likely(r->producer.users == INDEX_RING_ONE))
        return index_ring_push_as(r, from, n, INDEX_RING_ALL, INDEX_RING_ONE,
                                  left);
    return index_ring_push_as(r, from, n, INDEX_RING_ALL, INDEX_RING_MANY,
                              left);
}

/* The same with as many of @n as there is room for. */
must_use static always_inline unsigned index_ring_push_burst(
    struct index_ring *r, void *const from[], unsigned n, unsigned *left)
{
    if (likely(r->producer.users == INDEX_RING_ONE))
        return index_ring_push_as(r, from, n, INDEX_RING_SOME, INDEX_RING_ONE,
                                  left);
    return index_ring_push_as(r, from, n, INDEX_RING_SOME, INDEX_RING_MANY,
                              left);
}

/* Append one element; false when full. */
must_use static always_inline bool index_ring_push(struct index_ring *r,
                                                   void *element)
{
    return index_ring_push_bulk(r, &element, 1, NULL) != 0;
}

/* ---- consumers ---- */

/*
 * Take the @n oldest elements, or none when there are fewer.
 *
 * @left    elements that are left, in the same sense; NULL when nobody asks
 * Returns  @n or 0
 */
must_use static always_inline unsigned index_ring_pop_bulk(struct index_ring *r,
                                                           void *to[],
                                                           unsigned n,
                                                           unsigned *left)
{
    if (likely(r->consumer.users == INDEX_RING_ONE))
        return index_ring_pop_as(r, to, n, INDEX_RING_ALL, INDEX_RING_ONE,
                                 left);
    return index_ring_pop_as(r, to, n, INDEX_RING_ALL, INDEX_RING_MANY, left);
}

/* The same with as many of @n as there are. */
must_use static always_inline unsigned index_ring_pop_burst(
    struct index_ring *r, void *to[], unsigned n, unsigned *left)
{
    if (likely(r->consumer.users == INDEX_RING_ONE))
        return index_ring_pop_as(r, to, n, INDEX_RING_SOME, INDEX_RING_ONE,
                                 left);
    return index_ring_pop_as(r, to, n, INDEX_RING_SOME, INDEX_RING_MANY, left);
}

/* Take the oldest element; false when empty. */
must_use static always_inline bool index_ring_pop(struct index_ring *r,
                                                  void **element)
{
    return index_ring_pop_bulk(r, element, 1, NULL) != 0;
}

/* ---- anybody ---- */

/* Elements inside, 0 .. capacity; a snapshot. */
unsigned index_ring_count(const struct index_ring *r);

static inline unsigned index_ring_room(const struct index_ring *r)
{
    return r->capacity - index_ring_count(r);
}
