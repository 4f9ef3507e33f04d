/*
 * tx_free.h - sent buffers on their way back; for tx*.c
 *
 *   T3  a descriptor's "done" means something only after it was written in this
 *       lap: a bucket is looked at only when all of it is in flight
 *   T4  a buffer goes back exactly once, when the report that covers it came or
 *       when the queue is off; slots outside [clean, tail) mean nothing
 *   T6  while frees_fast, every slot in flight holds a buffer of q->pool that
 *       may enter it as it is; seen to when its descriptor was written
 *
 * How many go back in one call is a constant at each use, so that benchmarks
 * can compare schemes without costing the product a branch.
 */
#pragma once

#include "drivers/xl710/tx.h"
#include "drivers/xl710/tx_schemes.h"
#include "mm/mbuf.h"

#define TX_CHUNK 64

/* The product's: the pool is told seldom, and a chunk fits its cache. */
#define TX_SCHEME TX_PUT_CHUNKS

static inline unsigned tx_in_flight(const struct port_txq *q)
{
    return q->n - 1 - q->free;
}

static always_inline bool tx_is_done(const struct port_txq *q, unsigned slot)
{
    /* Only the type: what else the NIC leaves in the word is not stated. */
    return (__atomic_load_n(&q->ring[slot].qw1, __ATOMIC_ACQUIRE) & TXD_TYPE) ==
           TXD_TYPE_DONE;
}

/* @n buffers of @pool, ready for it. */
static always_inline void tx_put(struct mempool *pool, struct mbuf *const m[],
                                 unsigned n, enum tx_scheme scheme)
{
    if (scheme == TX_PUT_EACH) {
        for (unsigned i = 0; i < n; i++)
            mempool_put_bulk(pool, &m[i], 1);
        return;
    }
    if (scheme == TX_PUT_CHUNKS) {
        for (; n > TX_CHUNK; n -= TX_CHUNK, m += TX_CHUNK)
            mempool_put_bulk(pool, m, TX_CHUNK);
    }
    if (n > 0)
        mempool_put_bulk(pool, m, n);
}

/*
 * @n slots without a promise: drop a reference each, and return what is ours
 * alone in runs of one pool. The runs are collected in the slots themselves:
 * never more come out than went in, whatever the size of a bucket.
 */
static always_inline void tx_free_mixed(struct mbuf *slot[], unsigned n,
                                        enum tx_scheme scheme)
{
    struct mempool *pool = NULL;
    unsigned first = 0, end = 0;

    for (unsigned i = 0; i < n; i++) {
        struct mbuf *m = slot[i];

        if (unlikely(m == NULL))
            continue; /* a descriptor without a buffer of its own */
        if (unlikely(!mbuf_is_plain(m))) {
            m = mbuf_prefree(m);
            if (m == NULL)
                continue; /* others hold it */
        }
        if (unlikely(m->pool != pool)) {
            tx_put(pool, &slot[first], end - first, scheme);
            first = end;
            pool = m->pool;
        }
        slot[end++] = m;
    }
    tx_put(pool, &slot[first], end - first, scheme);
}

/* T4: slots [clean, clean + count) are finished. */
static always_inline void tx_free_slots(struct port_txq *q, unsigned count,
                                        enum tx_scheme scheme)
{
    unsigned at = q->clean;

    q->free += count;
    while (count > 0) {
        const unsigned to_end = q->n - at;
        const unsigned run = count < to_end ? count : to_end;

        if (likely(q->frees_fast))
            tx_put(q->pool, &q->sw[at], run, scheme);
        else
            tx_free_mixed(&q->sw[at], run, scheme);
        at += run;
        if (at == q->n)
            at = 0;
        count -= run;
    }
    q->clean = at;
    q->next_done = at | (q->rs - 1); /* end of the bucket clean is in */
}

/* Descriptors of finished buckets, from clean on. */
static always_inline unsigned tx_done_count(const struct port_txq *q)
{
    const unsigned flying = tx_in_flight(q);
    unsigned last = q->next_done;
    unsigned done = last + 1 - q->clean; /* of a bucket reclaimed in part */

    /* T3 */
    if (flying < done || !tx_is_done(q, q->report[last >> q->rs_shift]))
        return 0;
    for (;;) {
        last = last + q->rs < q->n ? last + q->rs : q->rs - 1;
        if (flying < done + q->rs ||
            !tx_is_done(q, q->report[last >> q->rs_shift]))
            return done;
        done += q->rs;
    }
}

/* Give back what finished buckets hold. Returns how many descriptors. */
static always_inline unsigned tx_reclaim_by(struct port_txq *q,
                                            enum tx_scheme scheme)
{
    const unsigned done = tx_done_count(q);

    if (done > 0)
        tx_free_slots(q, done, scheme);
    return done;
}
