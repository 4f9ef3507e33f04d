/*
 * lock.h - a spin lock for a few dozen instructions at a time
 *
 * Nothing that can wait, log or trap runs under it, so the wait is bounded by
 * the other cores' few dozen instructions.
 */
#pragma once

#include <stdint.h>

struct spinlock {
    uint32_t held;
};

static inline void spin_lock(struct spinlock *lock)
{
    /* Wait on a load, so that the line moves once per hand-over. */
    while (__atomic_exchange_n(&lock->held, 1, __ATOMIC_ACQUIRE) != 0)
        while (__atomic_load_n(&lock->held, __ATOMIC_RELAXED) != 0)
            __builtin_ia32_pause();
}

static inline void spin_unlock(struct spinlock *lock)
{
    __atomic_store_n(&lock->held, 0, __ATOMIC_RELEASE);
}
