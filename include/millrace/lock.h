/*
 * lock.h - spin locks for a few dozen instructions at a time
 *
 * Nothing that can wait, log or trap runs under one, so the wait is bounded by
 * the other cores' few dozen instructions. A core that is stopped while it holds
 * one (SMI, a hypervisor) stops those that want it; with the ticket and the
 * queue lock also a core that is stopped while it waits.
 *
 *   spinlock     compare-and-swap; unfair, cheapest where nobody competes
 *   ticket_lock  first come, first served; all wait on one line
 *   queue_lock   first come, first served; each waits on a line of its own, so
 *                a hand-over costs the same with any number of cores
 *
 * What one holder stored, the next one sees.
 *
 * Source   J. Mellor-Crummey, M. Scott, "Algorithms for scalable synchronization
 *          on shared-memory multiprocessors", 1991: ticket and queue lock
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>

/* ---- compare-and-swap ---- */

struct spinlock {
    uint32_t held;
};

must_use static inline bool spin_trylock(struct spinlock *lock)
{
    uint32_t nobody = 0; /* what was seen instead is of no use */

    return __atomic_compare_exchange_n(&lock->held, &nobody, 1, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void spin_lock(struct spinlock *lock)
{
    /* Wait on a load, so that the line moves once per hand-over. */
    while (!spin_trylock(lock))
        while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED) != 0)
            __builtin_ia32_pause();
}

static inline void spin_unlock(struct spinlock *lock)
{
    __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}

/* ---- ticket ---- */

struct ticket_lock {
    uint32_t next;    /* ticket of who comes next */
    uint32_t serving; /* ticket of the holder; both wrap */
};

static inline void ticket_lock(struct ticket_lock *lock)
{
    const uint32_t mine = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != mine)
        __builtin_ia32_pause();
}

static inline void ticket_unlock(struct ticket_lock *lock)
{
    /* Only the holder writes it. */
    const uint32_t mine = __atomic_load_n(&lock->serving, __ATOMIC_RELAXED);

    __atomic_store_n(&lock->serving, mine + 1, __ATOMIC_RELEASE);
}

/* ---- queue ---- */

/* One core's place in the queue; on its stack from lock to unlock. */
struct queue_node {
    struct queue_node *next;
    uint32_t waiting;
};

struct queue_lock {
    struct queue_node *last; /* NULL = free */
};

static inline void queue_lock(struct queue_lock *lock, struct queue_node *me)
{
    struct queue_node *before;

    __atomic_store_n(&me->next, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&me->waiting, 1, __ATOMIC_RELAXED);
    before = __atomic_exchange_n(&lock->last, me, __ATOMIC_ACQ_REL);
    if (before == NULL)
        return;
    __atomic_store_n(&before->next, me, __ATOMIC_RELEASE);
    while (__atomic_load_n(&me->waiting, __ATOMIC_ACQUIRE) != 0)
        __builtin_ia32_pause();
}

static inline void queue_unlock(struct queue_lock *lock, struct queue_node *me)
{
    struct queue_node *next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE);

    if (next == NULL) {
        struct queue_node *last = me;

        if (__atomic_compare_exchange_n(&lock->last, &last, NULL, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            return;
        /* Somebody is between the two steps of queueing behind us. */
        while ((next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)) == NULL)
            __builtin_ia32_pause();
    }
    __atomic_store_n(&next->waiting, 0, __ATOMIC_RELEASE);
}

/* ---- any of them, or none ---- */

enum lock_kind {
    LOCK_NONE, /* the caller knows to be alone */
    LOCK_TICKET,
    LOCK_CAS,
    LOCK_QUEUE,
};

/* All zeros is free, whatever the kind. */
struct lock {
    union {
        struct ticket_lock ticket;
        struct spinlock cas;
        struct queue_lock queue;
    };
};

/*
 * Where @kind is a constant, what remains is the one lock.
 *
 * @me      used by LOCK_QUEUE only; lives until lock_leave
 */
static always_inline void lock_enter(struct lock *lock, enum lock_kind kind,
                                     struct queue_node *me)
{
    if (likely(kind == LOCK_NONE))
        return;
    if (kind == LOCK_TICKET)
        ticket_lock(&lock->ticket);
    else if (kind == LOCK_CAS)
        spin_lock(&lock->cas);
    else
        queue_lock(&lock->queue, me);
}

static always_inline void lock_leave(struct lock *lock, enum lock_kind kind,
                                     struct queue_node *me)
{
    if (likely(kind == LOCK_NONE))
        return;
    if (kind == LOCK_TICKET)
        ticket_unlock(&lock->ticket);
    else if (kind == LOCK_CAS)
        spin_unlock(&lock->cas);
    else
        queue_unlock(&lock->queue, me);
}
