/*
 * rows.h - what is compared, once for both sides
 *
 * One table per kind of work. Both sides expand them to functions of their own,
 * with the same loops around the calls (work.inc), so that neither does more,
 * less or other work than the other.
 */
#pragma once

/*
 * Take @flight buffers, @n at a time, and give them back, as often as makes
 * @objects; pools of POOL_COUNT. @store is DPDK's behind its cache; we have one.
 */
#define POOL_COUNT 4095
/*    name                   n  flight cache store         objects */
#define POOL_ROWS(R)                                                           \
    R(pool_single, 1, 32, 512, "ring_mp_mc", 16384)                            \
    R(pool_bulk_8, 8, 512, 512, "ring_mp_mc", 65536)                           \
    R(pool_bulk_16, 16, 512, 512, "ring_mp_mc", 65536)                         \
    R(pool_bulk_32, 32, 32, 512, "ring_mp_mc", 65536)                          \
    R(pool_bulk_32_of_512, 32, 512, 512, "ring_mp_mc", 65536)                  \
    R(pool_bulk_32_of_2048, 32, 2048, 512, "ring_mp_mc", 65536)                \
    R(pool_bulk_32_of_2048s, 32, 2048, 512, "stack", 65536)                    \
    R(pool_bulk_32_cache_32, 32, 32, 32, "ring_mp_mc", 65536)

/*
 * Gets and puts of 1..64 in random order, at most WALK_HELD in hand; see
 * walk.h.
 */
#define WALK_ROWS(R)                                                           \
    R(pool_walk_64, 64, WALK_HELD, 256, "ring_mp_mc", WALK_OBJECTS)

/* The same as the first with fresh packets, of usual size. */
#define MBUF_COUNT 2047
#define MBUF_CACHE 512
/*    name           n   flight objects */
#define MBUF_ROWS(R)                                                           \
    R(mbuf_bulk_32, 32, 32, 8192)                                              \
    R(mbuf_single, 1, 32, 8192)

/* Push @n, pop @n; a ring of RING_SLOTS. */
#define RING_SLOTS 1024
/*    name               users n  objects */
#define RING_ROWS(R)                                                           \
    R(ring_sp_sc_single, ONE, 1, 16384)                                        \
    R(ring_sp_sc_8, ONE, 8, 32768)                                             \
    R(ring_sp_sc_32, ONE, 32, 65536)                                           \
    R(ring_mp_mc_single, MANY, 1, 8192)                                        \
    R(ring_mp_mc_8, MANY, 8, 32768)                                            \
    R(ring_mp_mc_32, MANY, 32, 65536)

/*
 * One core pushes, another pops, @n at a time. @ring is ours, INDEX or SLOT;
 * DPDK has one for both.
 */
/*    name                 ring   n   objects */
#define PAIR_ROWS(R)                                                           \
    R(ring_1p1c_single, INDEX, 1, 8192)                                        \
    R(ring_1p1c_8, INDEX, 8, 16384)                                            \
    R(ring_1p1c_32, INDEX, 32, 32768)                                          \
    R(slot_ring_1p1c_single, SLOT, 1, 8192)                                    \
    R(slot_ring_1p1c_8, SLOT, 8, 16384)                                        \
    R(slot_ring_1p1c_32, SLOT, 32, 32768)

#define ALL_ROWS(R)                                                            \
    POOL_ROWS(R) WALK_ROWS(R) MBUF_ROWS(R) RING_ROWS(R) PAIR_ROWS(R)
