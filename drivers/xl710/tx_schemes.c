/*
 * tx_schemes.c - three ways to give sent buffers back, for benchmarks
 */
#include <millrace/log.h>

#include "drivers/xl710/tx_free.h"
#include "mm/dma.h"

#define RIG_BURST 32

const char *tx_scheme_text(enum tx_scheme scheme)
{
    static const char *const text[TX_SCHEMES] = {
        [TX_PUT_EACH] = "single",
        [TX_PUT_CHUNKS] = "chunks of 64",
        [TX_PUT_ALL] = "one put",
    };

    return text[scheme];
}

struct port_txq *tx_rig_open(unsigned n, unsigned rs, bool fast_free)
{
    const char *rule = tx_ring_rule(n, rs, rs);
    struct port_txq *q;

    if (rule != NULL) {
        log_error("xl710: a ring of %u in buckets of %u: %s", n, rs, rule);
        return NULL;
    }
    q = dma_alloc(sizeof(*q), CACHE_LINE, "xl710 tx rig");
    if (q == NULL)
        return NULL;
    *q = (struct port_txq) { .fast_free = fast_free };
    if (tx_ring_alloc(q, n, rs, rs) != OK) {
        dma_free(q);
        return NULL;
    }
    return q;
}

/* Slots [tail, tail + count), of which none wraps. */
static enum status take(struct port_txq *q, struct mempool *pool,
                        unsigned count)
{
    for (unsigned i = 0; i < count; i += RIG_BURST) {
        const unsigned left = count - i;
        const unsigned step = left < RIG_BURST ? left : RIG_BURST;

        if (mempool_get_bulk(pool, &q->sw[q->tail + i], step) == OK)
            continue;
        if (i > 0)
            mempool_put_bulk(pool, &q->sw[q->tail], i);
        return E_NOBUF;
    }
    return OK;
}

enum status tx_rig_fill(struct port_txq *q, struct mempool *pool,
                        unsigned count)
{
    if (count == 0 || count % q->rs != 0 || count > q->n - q->rs ||
        tx_in_flight(q) != 0)
        return E_INVALID;
    if (count > q->n - q->tail)
        q->tail = q->clean = 0; /* nothing is in flight */
    if (take(q, pool, count) != OK)
        return E_NOBUF;
    q->pool = pool;
    for (unsigned i = 1; i <= count / q->rs; i++)
        q->ring[q->tail + i * q->rs - 1].qw1 = TXD_TYPE_DONE;
    q->next_done = q->tail + q->rs - 1;
    q->tail = (q->tail + count) % q->n;
    q->free -= count;
    return OK;
}

unsigned tx_rig_reclaim(struct port_txq *q, enum tx_scheme scheme)
{
    switch (scheme) {
    case TX_PUT_EACH:
        return tx_reclaim_by(q, TX_PUT_EACH);
    case TX_PUT_CHUNKS:
        return tx_reclaim_by(q, TX_PUT_CHUNKS);
    case TX_PUT_ALL:
        return tx_reclaim_by(q, TX_PUT_ALL);
    case TX_SCHEMES:
        break;
    }
    return 0;
}

void tx_rig_close(struct port_txq *q)
{
    tx_ring_drain(q);
    tx_ring_free(q);
    dma_free(q);
}
