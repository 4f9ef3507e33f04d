/*
 * ours.c - our transmit ring and pool
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "drivers/xl710/tx_free.h"
#include "mm/mm.h"
#include "tests/bench/txfree/sides.h"

#define ARENA (UINT64_C(64) << 20)

static struct mempool *pool;
static struct port_txq *q;
static char *arena;

static void need(bool is_there, const char *what)
{
    if (is_there)
        return;
    fprintf(stderr, "txfree: ours: %s\n", what);
    exit(2);
}

void txfree_ours_start(void)
{
    arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(arena != MAP_FAILED, "no memory");
}

static void ours_open(unsigned rs)
{
    const struct mm_range range = { (uintptr_t)arena, ARENA };
    const struct mempool_config config = { .name = "txfree",
                                           .count = TXFREE_POOL,
                                           .cache = TXFREE_CACHE,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = 1 };

    need(mm_init(&range, 1) == OK, "no memory");
    pool = mempool_create(&config);
    q = tx_rig_open(TXFREE_RING, rs, true);
    need(pool != NULL && q != NULL, "no pool or ring");
}

/* The rig reports all at once; here each bucket is to be found by itself. */
static void ours_fill(void)
{
    need(tx_rig_fill(q, pool, TXFREE_FLIGHT) == OK, "no buffers");
    for (unsigned i = 0; i < q->n; i++)
        q->ring[i].qw1 = 0;
}

static always_inline void reclaim_by(enum tx_scheme scheme)
{
    for (unsigned n = 0; n < TXFREE_FLIGHT; n += q->rs) {
        q->ring[q->next_done].qw1 = TXD_TYPE_DONE;
        need(tx_reclaim_by(q, scheme) == q->rs, "a bucket stayed");
    }
}

static void ours_reclaim(enum txfree_scheme scheme)
{
    switch (scheme) {
    case TXFREE_EACH:
        reclaim_by(TX_PUT_EACH);
        break;
    case TXFREE_CHUNKS:
        reclaim_by(TX_PUT_CHUNKS);
        break;
    default:
        reclaim_by(TX_PUT_ALL);
    }
}

static void ours_close(void)
{
    need(mempool_available(pool) == TXFREE_POOL, "a buffer is missing");
    tx_rig_close(q);
    mm_close();
}

const struct txfree_side txfree_ours = { ours_open, ours_fill, ours_reclaim,
                                         ours_close };
