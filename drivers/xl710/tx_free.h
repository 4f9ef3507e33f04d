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

#define TX_CHUNK   64
#define TX_USUAL   32 /* a bucket, and a burst */
#define TX_RUN_MIN 4  /* fewer are not worth a put of their own */

/* The product's. The pool moves whole groups, so it need not be fed in bites. */
#define TX_SCHEME TX_PUT_ALL

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
    if (likely(n == TX_USUAL)) /* a constant: no loop is left of it */
        mempool_put_bulk(pool, m, TX_USUAL);
    else if (n > 0)
        mempool_put_bulk(pool, m, n);
}

/* May @m enter @pool as it is? The count is read with acquire order. */
static always_inline bool tx_goes_home(const struct mbuf *m,
                                       const struct mempool *pool)
{
    const uint64_t single = UINT64_C(1) << 32 | UINT64_C(1) << 16;
    const uint64_t mask = UINT64_C(0xFFFF) << 32 | UINT64_C(0xFFFF) << 16;
    const uint64_t rearm = __atomic_load_n(&m->rearm, __ATOMIC_ACQUIRE);

    return (((rearm ^ single) & mask) | (uintptr_t)m->next |
            (m->ol_flags & (MBUF_F_INDIRECT | MBUF_F_EXTERNAL)) |
            ((uintptr_t)m->pool ^ (uintptr_t)pool)) == 0;
}

/* 16 bytes of a header; every x86-64 processor has registers for them. */
typedef uint64_t tx_pair __attribute__((vector_size(16), may_alias));

static always_inline tx_pair tx_pair_at(const struct mbuf *m, unsigned offset)
{
    return *(const tx_pair *)(const void *)((const char *)m + offset);
}

/*
 * Do all @n go to @pool as they are? What all headers have in common is told by
 * their OR and AND, so nothing is compared before the end.
 */
static always_inline bool tx_all_go_home(struct mbuf *const slot[], unsigned n,
                                         const struct mempool *pool)
{
    const uint64_t single = UINT64_C(1) << 32 | UINT64_C(1) << 16;
    const uint64_t counts = UINT64_C(0xFFFF) << 32 | UINT64_C(0xFFFF) << 16;
    tx_pair next = { 0, 0 }, rearm_or = next, pool_or = next;
    tx_pair rearm_and = ~next, pool_and = ~next;
    uint64_t odd;

#ifdef __SANITIZE_THREAD__ /* takes a pair for one plain access, never atomic */
    return false;          /* so each header is asked by itself */
#endif
    for (unsigned i = 0; i < n; i++) {
        const struct mbuf *m = slot[i];

        if (unlikely(m == NULL))
            return false;
        next |= tx_pair_at(m, offsetof(struct mbuf, next) & ~15u);
        rearm_or |= tx_pair_at(m, offsetof(struct mbuf, rearm));
        rearm_and &= tx_pair_at(m, offsetof(struct mbuf, rearm));
        pool_or |= tx_pair_at(m, offsetof(struct mbuf, pool) - 8);
        pool_and &= tx_pair_at(m, offsetof(struct mbuf, pool) - 8);
    }
    /*
     * The reads of "count is 1" are an acquire, as in tx_goes_home(): x86 reads
     * each aligned half of a pair whole, and the compiler moves nothing up here.
     */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    odd = ((rearm_or[0] ^ single) | (rearm_and[0] ^ single)) & counts;
    odd |= rearm_or[1] & (MBUF_F_INDIRECT | MBUF_F_EXTERNAL);
    odd |= (pool_or[1] ^ (uintptr_t)pool) | (pool_and[1] ^ (uintptr_t)pool);
    return (odd | next[offsetof(struct mbuf, next) / 8 % 2]) == 0;
}

_Static_assert(offsetof(struct mbuf, ol_flags) ==
                   offsetof(struct mbuf, rearm) + 8,
               "one pair");

/* How many from the first on go to its pool as they are. */
static always_inline unsigned tx_home_run(struct mbuf *const slot[], unsigned n)
{
    const struct mempool *pool;
    unsigned i;

    if (unlikely(slot[0] == NULL))
        return 0;
    pool = slot[0]->pool;
    if (likely(tx_all_go_home(slot, n, pool)))
        return n;
    for (i = 0; i < n; i++)
        if (unlikely(slot[i] == NULL || !tx_goes_home(slot[i], pool)))
            break;
    return i;
}

/* Buffers on their way back, kept in the slots [first, end) they came from. */
struct tx_going_home {
    unsigned first, end;
};

static always_inline void tx_home_put(struct mbuf *const slot[],
                                      struct tx_going_home *h,
                                      enum tx_scheme scheme)
{
    if (h->end > h->first)
        tx_put(slot[h->first]->pool, &slot[h->first], h->end - h->first,
               scheme);
    h->first = h->end;
}

/*
 * @n slots without a promise: drop a reference each, and return what is ours
 * alone in runs of one pool. What cannot go as it is is collected in the slots
 * themselves: never more come out than went in, whatever the size of a bucket.
 */
static always_inline void tx_free_mixed(struct mbuf *slot[], unsigned n,
                                        enum tx_scheme scheme)
{
    struct tx_going_home h = { 0, 0 };

    for (unsigned i = 0; i < n;) {
        const unsigned run = tx_home_run(&slot[i], n - i);
        struct mbuf *m = slot[i];

        if (likely(run >= TX_RUN_MIN)) {
            tx_home_put(slot, &h, scheme); /* the order stays */
            tx_put(m->pool, &slot[i], run, scheme);
            i += run;
            continue;
        }
        i++;
        m = m == NULL ? NULL : mbuf_prefree(m);
        if (m == NULL)
            continue; /* no buffer of its own, or others hold it */
        if (h.end > h.first && slot[h.first]->pool != m->pool)
            tx_home_put(slot, &h, scheme);
        slot[h.end++] = m;
    }
    tx_home_put(slot, &h, scheme);
}

/* The buffers of @count slots from clean on have gone their way. */
static always_inline void tx_cleaned(struct port_txq *q, unsigned count)
{
    const unsigned at = q->clean + count;

    q->free += count;
    q->clean = at < q->n ? at : at - q->n;
    q->next_done = q->clean | (q->rs - 1); /* end of the bucket clean is in */
}

/* T4: slots [clean, clean + count) are finished. */
static always_inline void tx_free_slots(struct port_txq *q, unsigned count,
                                        enum tx_scheme scheme)
{
    while (count > 0) {
        const unsigned to_end = q->n - q->clean;
        const unsigned run = count < to_end ? count : to_end;

        if (likely(q->frees_fast))
            tx_put(q->pool, &q->sw[q->clean], run, scheme);
        else
            tx_free_mixed(&q->sw[q->clean], run, scheme);
        tx_cleaned(q, run);
        count -= run;
    }
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
