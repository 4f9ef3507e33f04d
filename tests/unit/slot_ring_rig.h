/*
 * slot_ring_rig.h - a ring on memory of its own, and elements that are numbers
 */
#pragma once

#include <stdint.h>

#include "mm/mm.h"
#include "mm/slot_ring.h"
#include "tests/unit/test.h"

#define ARENA ((size_t)16 << 20)

static inline struct slot_ring *ring_of(unsigned size)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    struct slot_ring *r;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    r = slot_ring_create(size, "test");
    CHECK(r != NULL);
    return r;
}

/* Element @i; never NULL. */
static inline void *element(uint64_t i)
{
    return (void *)(uintptr_t)(i + 1);
}

static uint64_t produced; /* so far, since the ring was made */

/* Produce until refused; returns how many fitted. */
static inline unsigned fill(struct slot_ring *r)
{
    unsigned n = 0;

    while (slot_ring_produce(r, element(produced))) {
        produced++;
        n++;
    }
    CHECK(slot_ring_is_full(r));
    return n;
}

static inline struct slot_ring *full_ring(unsigned size)
{
    struct slot_ring *r = ring_of(size);

    produced = 0;
    CHECK_EQ(fill(r), size); /* RQ-01: capacity is the size */
    return r;
}
