/*
 * peer.c - a ring that is reclaimed as DPDK's i40e does it, with DPDK's pool
 *
 * The driver's function is not exported, so its work is written down here: find
 * the bucket's done mark, gather its buffers in an array on the stack, put them
 * into the pool of the first. In chunks of 64 with the slots cleared, as the
 * scalar path does it since 2021; in one put with the slots left as they are,
 * as the vector paths of 22.11 do; and one by one, as before 2021.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_eal.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "tests/bench/txfree/sides.h"

#define DONE  UINT64_C(0xF)
#define CHUNK 64

static struct {
    volatile uint64_t *qw1; /* of each descriptor; 16 bytes apart */
    struct rte_mbuf **sw;
    unsigned rs, clean;
    struct rte_mempool *pool;
} ring;

static void need(int is_there, const char *what)
{
    if (is_there)
        return;
    fprintf(stderr, "txfree: dpdk: %s\n", what);
    exit(2);
}

void txfree_peer_start(unsigned core)
{
    char cores[16];
    char *args[] = {
        "dpdk", "-l",  cores,         "--no-huge",      "--no-pci",
        "-m",   "256", "--no-shconf", "--no-telemetry", "--log-level=error"
    };

    snprintf(cores, sizeof(cores), "%u", core);
    need(rte_eal_init(sizeof(args) / sizeof(args[0]), args) >= 0, "no EAL");
}

static void peer_open(unsigned rs)
{
    ring.pool = rte_pktmbuf_pool_create("txfree", TXFREE_POOL, TXFREE_CACHE, 0,
                                        RTE_MBUF_DEFAULT_BUF_SIZE, 0);
    ring.qw1 = rte_zmalloc(NULL, TXFREE_RING * 16, 128);
    ring.sw = rte_zmalloc(NULL, TXFREE_RING * sizeof(*ring.sw), 64);
    ring.rs = rs;
    ring.clean = 0;
    need(ring.pool != NULL && ring.qw1 != NULL && ring.sw != NULL,
         "no pool or ring");
}

static void peer_fill(void)
{
    for (unsigned i = 0; i < TXFREE_FLIGHT; i += 32) {
        const unsigned at = (ring.clean + i) % TXFREE_RING;

        need(rte_mempool_get_bulk(ring.pool, (void **)&ring.sw[at], 32) == 0,
             "no buffers");
    }
    for (unsigned i = 0; i < TXFREE_RING; i++)
        ring.qw1[2 * i + 1] = 0;
}

static void put_each(struct rte_mbuf **sw, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        rte_mempool_put(sw[i]->pool, sw[i]);
        sw[i] = NULL;
    }
}

static void put_chunks(struct rte_mbuf **sw, unsigned n)
{
    struct rte_mbuf *out[CHUNK];

    while (n > 0) {
        const unsigned k = n < CHUNK ? n : CHUNK;

        for (unsigned i = 0; i < k; i++) {
            out[i] = sw[i];
            sw[i] = NULL;
        }
        rte_mempool_put_bulk(out[0]->pool, (void **)out, k);
        sw += k;
        n -= k;
    }
}

static void put_all(struct rte_mbuf **sw, unsigned n)
{
    struct rte_mbuf *out[TXFREE_FLIGHT];

    for (unsigned i = 0; i < n; i++)
        out[i] = sw[i];
    rte_mempool_put_bulk(out[0]->pool, (void **)out, n);
}

static inline void reclaim_by(void (*put)(struct rte_mbuf **sw, unsigned n))
{
    for (unsigned n = 0; n < TXFREE_FLIGHT; n += ring.rs) {
        volatile uint64_t *done = &ring.qw1[2 * (ring.clean + ring.rs - 1) + 1];

        *done = DONE;
        need((*done & DONE) == DONE, "a bucket stayed");
        put(&ring.sw[ring.clean], ring.rs);
        ring.clean = (ring.clean + ring.rs) % TXFREE_RING;
    }
}

static void peer_reclaim(enum txfree_scheme scheme)
{
    switch (scheme) {
    case TXFREE_EACH:
        reclaim_by(put_each);
        break;
    case TXFREE_CHUNKS:
        reclaim_by(put_chunks);
        break;
    default:
        reclaim_by(put_all);
    }
}

static void peer_close(void)
{
    need(rte_mempool_avail_count(ring.pool) == TXFREE_POOL,
         "a buffer is missing");
    rte_mempool_free(ring.pool);
    rte_free((void *)(uintptr_t)ring.qw1);
    rte_free(ring.sw);
}

const struct txfree_side txfree_peer = { peer_open, peer_fill, peer_reclaim,
                                         peer_close };
