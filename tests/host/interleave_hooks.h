/*
 * interleave_hooks.h - include it before a product's source: its accesses to
 * shared memory become those of interleave.h
 *
 * Outside interleave_try() they do what they say.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

uint64_t interleave_load(const volatile void *p, unsigned bytes, int order);
void interleave_store(volatile void *p, unsigned bytes, uint64_t value,
                      int order);
/* Returns what was there. */
uint64_t interleave_exchange(volatile void *p, unsigned bytes, uint64_t value,
                             int order);
uint64_t interleave_add(volatile void *p, unsigned bytes, uint64_t value,
                        int order);
bool interleave_swap(volatile void *p, unsigned bytes, uint64_t *expected,
                     uint64_t value, int order, int order_failed);
void interleave_plain_load(const volatile void *p, unsigned bytes);
void interleave_plain_store(volatile void *p, unsigned bytes);
void interleave_pause(void);

/* A statement, so that nobody must use the value. */
#define IL_AS(p, v) ({ (__typeof__(*(p)))(uintptr_t)(v); })

#define __atomic_load_n(p, order)                                              \
    IL_AS(p, interleave_load(p, sizeof(*(p)), order))
#define __atomic_store_n(p, v, order)                                          \
    interleave_store(p, sizeof(*(p)), (uintptr_t)(v), order)
#define __atomic_exchange_n(p, v, order)                                       \
    IL_AS(p, interleave_exchange(p, sizeof(*(p)), (uintptr_t)(v), order))
#define __atomic_fetch_add(p, v, order)                                        \
    IL_AS(p, interleave_add(p, sizeof(*(p)), (uintptr_t)(v), order))
#define __atomic_sub_fetch(p, v, order)                                        \
    IL_AS(p, interleave_add(p, sizeof(*(p)), -(uint64_t)(v), order) - (v))
#define __atomic_compare_exchange_n(p, expected, v, weak, order, failed)       \
    ({                                                                         \
        uint64_t il_seen = (uintptr_t) * (expected);                           \
        const bool il_done = interleave_swap(p, sizeof(*(p)), &il_seen,        \
                                             (uintptr_t)(v), order, failed);   \
        *(expected) = IL_AS(p, il_seen);                                       \
        il_done;                                                               \
    })

#define plain_is_watched
#define plain_load(p) (interleave_plain_load(p, sizeof(*(p))), *(p))
#define plain_store(p, v)                                                      \
    (interleave_plain_store(p, sizeof(*(p))), (void)(*(p) = (v)))

#define __builtin_ia32_pause() interleave_pause()
