/*
 * peer.c - every row by DPDK's calls
 *
 * Memory comes from DPDK's heap; a piece of random size in front of it puts it
 * elsewhere at each opening.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>
#include <rte_version.h>

#undef container_of /* both have it */

#define WORK_POOL            struct rte_mempool
#define WORK_RING            struct rte_ring
#define WORK_HELD(p)         ((struct rte_mbuf **)(void *)(p))
#define WORK_GET(pool, p, n) (rte_mempool_get_bulk(pool, p, n) == 0)
#define WORK_PUT(pool, p, n) rte_mempool_put_bulk(pool, p, n)
#define WORK_ALLOC(pool, p, n)                                                 \
    ((n) == 1 ? (*WORK_HELD(p) = rte_pktmbuf_alloc(pool)) != NULL              \
              : rte_pktmbuf_alloc_bulk(pool, WORK_HELD(p), n) == 0)
#define WORK_FREE(p, n)                                                        \
    ((n) == 1 ? rte_pktmbuf_free(*WORK_HELD(p))                                \
              : rte_pktmbuf_free_bulk(WORK_HELD(p), n))
#define WORK_PUSH(ring, p, n) (rte_ring_enqueue_bulk(ring, p, n, NULL) == (n))
#define WORK_POP(ring, p, n)  (rte_ring_dequeue_bulk(ring, p, n, NULL) == (n))

#include "tests/bench/dpdk/work.inc"

#define SHIFT_MAX (64 << 20)

static void *shift; /* one object at a time */

void peer_start(unsigned core)
{
    char cores[16];
    char *args[] = {
        "dpdk", "-l",  cores,         "--no-huge",      "--no-pci",
        "-m",   "256", "--no-shconf", "--no-telemetry", "--log-level=error"
    };

    snprintf(cores, sizeof(cores), "%u", core);
    if (rte_eal_init(sizeof(args) / sizeof(args[0]), args) < 0)
        give_up("dpdk", "rte_eal_init failed");
}

const char *peer_build(void)
{
    static char build[64];

    snprintf(build, sizeof(build), "debian-%u.%02u.%u", RTE_VER_YEAR,
             RTE_VER_MONTH, RTE_VER_MINOR);
    return build;
}

static void move_about(const char *row, struct stats_random *random)
{
    shift = rte_malloc(NULL, 64 + stats_random_below(random, SHIFT_MAX), 64);
    if (shift == NULL)
        give_up(row, "no memory for DPDK");
}

/* ---- pools ---- */

static void *pool_open(const char *row, unsigned cache, const char *store,
                       struct stats_random *random)
{
    struct rte_mempool *pool;

    move_about(row, random);
    pool = rte_mempool_create_empty("bench", POOL_COUNT, 128, cache, 0,
                                    SOCKET_ID_ANY, 0);
    if (pool == NULL || rte_mempool_set_ops_byname(pool, store, NULL) != 0 ||
        rte_mempool_populate_default(pool) != POOL_COUNT)
        give_up(row, "DPDK made no pool");
    return pool;
}

static void *packets_open(const char *row, struct stats_random *random)
{
    struct rte_mempool *pool;

    move_about(row, random);
    pool = rte_pktmbuf_pool_create("bench", MBUF_COUNT, MBUF_CACHE, 0,
                                   RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
    if (pool == NULL)
        give_up(row, "DPDK made no pool");
    return pool;
}

static void pool_close(const char *row, struct rte_mempool *pool)
{
    if (!rte_mempool_full(pool))
        give_up(row, "DPDK: objects are missing");
    rte_mempool_free(pool);
    rte_free(shift);
}

/* ---- rings ---- */

#define USERS_ONE  (RING_F_SP_ENQ | RING_F_SC_DEQ)
#define USERS_MANY 0

static void *ring_open(const char *row, unsigned flags,
                       struct stats_random *random)
{
    struct rte_ring *ring;

    move_about(row, random);
    ring = rte_ring_create("bench", RING_SLOTS, SOCKET_ID_ANY, flags);
    if (ring == NULL)
        give_up(row, "DPDK made no ring");
    return ring;
}

static void ring_close(const char *row, struct rte_ring *ring)
{
    if (!rte_ring_empty(ring))
        give_up(row, "DPDK: the ring is not empty");
    rte_ring_free(ring);
    rte_free(shift);
}

#define PAIR_OPEN_INDEX  ring_open
#define PAIR_CLOSE_INDEX ring_close
#define PAIR_OPEN_SLOT   ring_open
#define PAIR_CLOSE_SLOT  ring_close
#define work_push_SLOT   work_push_INDEX
#define work_pop_SLOT    work_pop_INDEX

/* ---- rows ---- */

#include "tests/bench/dpdk/expand.inc"

struct side peer_side(const char *row)
{
    return side_find(row);
}
