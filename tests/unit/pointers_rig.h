/*
 * pointers_rig.h - every number of pointers at every place, once for each width
 * of registers; for pointers_*test.c
 */
#pragma once

#include "mm/pointers.h"
#include "tests/unit/test.h"

enum { POINTERS_MOST = 133, POINTERS_PLACES = 8 };

static void *pointers_from[POINTERS_MOST + 2 * POINTERS_PLACES];
static void *pointers_to[POINTERS_MOST + 2 * POINTERS_PLACES];

static inline void pointers_fill(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(pointers_from); i++) {
        pointers_from[i] = (void *)(uintptr_t)(1000 + i);
        pointers_to[i] = NULL;
    }
}

/* What pointer @i of @n is after a move from @at, or NULL outside. */
static inline void *pointers_expected(unsigned i, unsigned n, unsigned at,
                                      bool is_pop)
{
    if (i >= n)
        return NULL;
    return pointers_from[is_pop ? at + n - 1 - i : at + i];
}

static inline bool pointers_right(unsigned n, unsigned from, unsigned to,
                                  bool is_pop)
{
    for (unsigned i = 0; i < ARRAY_SIZE(pointers_to); i++)
        if (pointers_to[i] != pointers_expected(i - to, n, from, is_pop))
            return false;
    return true;
}

static inline void pointers_try_all(void)
{
    for (unsigned n = 0; n <= POINTERS_MOST; n++) {
        const unsigned from = n % POINTERS_PLACES, to = n * 5 % POINTERS_PLACES;

        pointers_fill();
        pointers_copy(&pointers_to[to], &pointers_from[from], n);
        CHECK(pointers_right(n, from, to, false));
        pointers_fill();
        pointers_pop(&pointers_to[to], &pointers_from[from + n], n);
        CHECK(pointers_right(n, from, to, true));
    }
}

#define POINTERS_TRY(n)                                                        \
    do {                                                                       \
        pointers_fill();                                                       \
        pointers_copy(&pointers_to[1], &pointers_from[3], n);                  \
        CHECK(pointers_right(n, 3, 1, false));                                 \
        pointers_fill();                                                       \
        pointers_pop(&pointers_to[1], &pointers_from[3 + (n)], n);             \
        CHECK(pointers_right(n, 3, 1, true));                                  \
    } while (0)

/* Numbers that the compiler knows take other ways. */
static inline void pointers_try_constants(void)
{
    POINTERS_TRY(1);
    POINTERS_TRY(2);
    POINTERS_TRY(3);
    POINTERS_TRY(4);
    POINTERS_TRY(5);
    POINTERS_TRY(7);
    POINTERS_TRY(8);
    POINTERS_TRY(9);
    POINTERS_TRY(15);
    POINTERS_TRY(16);
    POINTERS_TRY(31);
    POINTERS_TRY(32);
    POINTERS_TRY(63);
    POINTERS_TRY(64);
}
