/*
 * ours.c - every row by our own calls
 *
 * Memory is an arena somewhere in a large reservation, elsewhere each
 * time; a piece of random size in front puts each object elsewhere in it.
 */
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include "mm/frame.h"
#include "mm/index_ring.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "mm/slot_ring.h"

#define WORK_POOL            struct mempool
#define WORK_RING            struct index_ring
#define WORK_HELD(p)         ((struct mbuf **)(void *)(p))
#define WORK_GET(pool, p, n) (mempool_get_bulk(pool, WORK_HELD(p), n) == OK)
#define WORK_PUT(pool, p, n) mempool_put_bulk(pool, WORK_HELD(p), n)
#define WORK_ALLOC(pool, p, n)                                                 \
    ((n) == 1 ? (*WORK_HELD(p) = mbuf_alloc(pool)) != NULL                     \
              : mbuf_alloc_bulk(pool, WORK_HELD(p), n) == OK)
#define WORK_FREE(p, n)                                                        \
    ((n) == 1 ? mbuf_free(*WORK_HELD(p)) : mbuf_free_bulk(WORK_HELD(p), n))
#define WORK_PUSH(ring, p, n) (index_ring_push_bulk(ring, p, n, NULL) == (n))
#define WORK_POP(ring, p, n)  (index_ring_pop_bulk(ring, p, n, NULL) == (n))

#include "tests/bench/dpdk/work.inc"

#define RESERVED  (UINT64_C(1) << 30)
#define ARENA     (UINT64_C(64) << 20)
#define SHIFT_MAX 512 /* pages */

static char *reserved;
static unsigned opened;

void ours_start(void)
{
    reserved = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED)
        give_up("ours", "no memory");
}

/* The first one gets fresh memory at a fresh address, others live beside it. */
static void arena_open(const char *row, struct stats_random *random)
{
    const unsigned places = (RESERVED - ARENA) / PAGE_BYTES;
    const struct mm_range range = {
        .base = (uintptr_t)reserved +
                stats_random_below(random, places) * PAGE_BYTES,
        .bytes = ARENA,
    };

    if (opened++ == 0) {
        (void)madvise(reserved, RESERVED, MADV_DONTNEED);
        if (mm_init(&range, 1) != OK)
            give_up(row, "mm_init refused");
    }
    if (frame_alloc((1 + stats_random_below(random, SHIFT_MAX)) * PAGE_BYTES, 0,
                    "bench") == NULL)
        give_up(row, "no memory of ours");
}

static void arena_close(void)
{
    if (--opened == 0)
        mm_close();
}

/* ---- pools ---- */

static struct mempool *pool_make(const char *row, unsigned count,
                                 unsigned cache, unsigned data_room,
                                 struct stats_random *random)
{
    const struct mempool_config config = {
        .name = opened == 0 ? "bench" : "bench beside",
        .count = count,
        .cache = cache,
        .data_room = data_room,
    };
    struct mempool *pool;

    arena_open(row, random);
    pool = mempool_create(&config);
    if (pool == NULL)
        give_up(row, "mempool_create refused");
    return pool;
}

static void *pool_open(const char *row, unsigned cache, const char *store,
                       struct stats_random *random)
{
    (void)store;
    return pool_make(row, POOL_COUNT, cache, 0, random);
}

static void *packets_open(const char *row, struct stats_random *random)
{
    return pool_make(row, MBUF_COUNT, MBUF_CACHE, MBUF_DATA_ROOM, random);
}

static void pool_close(const char *row, struct mempool *pool)
{
    struct mempool_stats stats;

    mempool_stats_get(pool, 0, &stats);
    if (stats.get_objects != stats.put_objects || stats.get_objects == 0)
        give_up(row, "ours: the counters differ");
    if (mempool_destroy(pool) != OK)
        give_up(row, "ours: buffers are missing");
    arena_close();
}

/* ---- rings ---- */

#define USERS_ONE  0
#define USERS_MANY (INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS)

static void *ring_open(const char *row, unsigned flags,
                       struct stats_random *random)
{
    struct index_ring *ring;

    arena_open(row, random);
    if (index_ring_create(&ring, RING_SLOTS, flags, "bench") != OK)
        give_up(row, "index_ring_create refused");
    return ring;
}

static void ring_close(const char *row, struct index_ring *ring)
{
    if (index_ring_count(ring) != 0)
        give_up(row, "ours: the ring is not empty");
    index_ring_destroy(ring);
    arena_close();
}

#define PAIR_OPEN_INDEX  ring_open
#define PAIR_CLOSE_INDEX ring_close

/* Takes and gives as many as there are; a pair wants them all. */
static always_inline bool slot_push(struct slot_ring *ring, void *const in[],
                                    unsigned n)
{
    unsigned done = slot_ring_produce_bulk(ring, in, n);

    while (done < n) {
        _mm_pause();
        done += slot_ring_produce_bulk(ring, in + done, n - done);
    }
    return true;
}

static always_inline bool slot_pop(struct slot_ring *ring, void *out[],
                                   unsigned n)
{
    unsigned freed = 0, done = slot_ring_consume_bulk(ring, out, n, &freed);

    while (done < n) {
        _mm_pause();
        done += slot_ring_consume_bulk(ring, out + done, n - done, &freed);
    }
    return true;
}

WORK_PAIR(SLOT, struct slot_ring, slot_push, slot_pop)

static void *slot_open(const char *row, unsigned flags,
                       struct stats_random *random)
{
    struct slot_ring *ring;

    (void)flags;
    arena_open(row, random);
    ring = slot_ring_create(RING_SLOTS, "bench");
    if (ring == NULL)
        give_up(row, "slot_ring_create refused");
    return ring;
}

static void slot_close(const char *row, struct slot_ring *ring)
{
    if (!slot_ring_is_empty(ring))
        give_up(row, "ours: the ring is not empty");
    slot_ring_destroy(ring);
    arena_close();
}

#define PAIR_OPEN_SLOT  slot_open
#define PAIR_CLOSE_SLOT slot_close

/* ---- rows ---- */

#include "tests/bench/dpdk/expand.inc"

struct side ours_side(const char *row)
{
    return side_find(row);
}
