/*
 * forward.h - frames from a receive to a transmit ring, past their headers
 *
 *   X1  what moves is what both bursts would have moved: frames that are plain
 *       for receive and for transmit, on queues that would let them pass
 *   X2  a frame that is not plain stops the move before it; the bursts take it
 *   X3  nothing moves unless the transmit ring has room for all that may come,
 *       so that a full ring drops what the bursts would drop
 *   X4  a buffer moves as its pool made it: one holder, one segment, direct
 *       (rx.h posts no others), and its header is neither read nor written
 *
 * A run function reads receive descriptors and writes transmit descriptors; of
 * it each CPU's vector set has its own.
 */
#pragma once

#include "drivers/xl710/rx_burst.h"
#include "drivers/xl710/tx_burst.h"
#include "mm/pointers.h"

/*
 * Write descriptors and slots of the plain frames that the receive ring begins
 * with, without report bits.
 *
 * @n       at most what the NIC owns, what is free, and up to the end of either
 * @bytes   their lengths are added
 * Returns  how many
 */
typedef unsigned forward_run_function(const struct port_rxq *rx,
                                      const struct port_txq *tx, unsigned n,
                                      uint64_t *bytes);

/* The size of a transmit descriptor lies this far below a received length. */
#define FORWARD_SHIFT     (RXD_LEN_SHIFT - TXD_SIZE_SHIFT)
#define FORWARD_SIZE_MASK TXD_SIZE(RXD_LEN_MASK)

/* A run from its @i-th frame on. */
static always_inline unsigned forward_run_rest(const struct port_rxq *rx,
                                               const struct port_txq *tx,
                                               size_t i, unsigned n,
                                               uint64_t *bytes)
{
    const struct rx_desc *from = &rx->ring[rx->next];
    struct mbuf *const *sw = &rx->sw[rx->next];
    struct tx_desc *to = &tx->ring[tx->tail];
    struct mbuf **sw_to = &tx->sw[tx->tail];
    uint64_t sum = 0;

    for (; i < n; i++) {
        const uint64_t qw1 = __atomic_load_n(&from[i].qw1, __ATOMIC_RELAXED);

        if (unlikely(((qw1 - RXD_LEN_ONE) & RXD_PLAIN_MASK) != RXD_PLAIN ||
                     RXD_LEN(qw1) < TX_CHIP_MIN))
            break;
        to[i].address = (uintptr_t)sw[i] + rx->to_bus;
        to[i].qw1 = TXD_PLAIN | (qw1 >> FORWARD_SHIFT & FORWARD_SIZE_MASK);
        sw_to[i] = sw[i];
        sum += RXD_LEN(qw1);
    }
    *bytes += sum;
    return (unsigned)i;
}

static always_inline unsigned forward_run_scalar(const struct port_rxq *rx,
                                                 const struct port_txq *tx,
                                                 unsigned n, uint64_t *bytes)
{
    rx_prefetch(&rx->ring[rx->next]);
    return forward_run_rest(rx, tx, 0, n, bytes);
}

/* X1, X3: may these two queues do without headers now? */
static always_inline bool forward_is_possible(const struct port_rxq *rx,
                                              struct port_txq *tx, unsigned max)
{
    if (unlikely(rx->first != NULL || rx->is_skipping || tx->free < max))
        return false;
    if (likely(tx->pool == rx->pool || !tx->frees_fast))
        return true;
    if (tx->pool != NULL)
        return false;
    tx->pool = rx->pool;
    return true;
}

/*
 * Finished buffers of the transmit ring straight into empty slots of the receive
 * ring, in their order: with the promise they are of the pool that would get
 * them and give them back (T6). The receive ring takes multiples of 8 (R3).
 *
 * Returns  how many finished ones are left for the pool
 */
static always_inline unsigned forward_recycle(struct port_rxq *rx,
                                              struct port_txq *tx,
                                              rx_post_function *post)
{
    unsigned left = tx_done_count(tx);

    if (unlikely(!tx->frees_fast || tx->pool != rx->pool))
        return left;
    while (left > 0) {
        const unsigned most = rx_min(rx_room(rx), rx->n - rx->post);
        const unsigned n =
            rx_min(rx_min(left, most), tx->n - tx->clean) & ~(RX_GROUP - 1);

        if (n == 0)
            break;
        if (likely(n == TX_USUAL)) /* a constant: no loop is left of it */
            pointers_copy(&rx->sw[rx->post], &tx->sw[tx->clean], TX_USUAL);
        else
            pointers_copy(&rx->sw[rx->post], &tx->sw[tx->clean], n);
        tx_cleaned(tx, n);
        post(rx, n);
        left -= n;
    }
    return left;
}

static always_inline unsigned forward_by(struct port_rxq *rx,
                                         struct port_txq *tx, unsigned max,
                                         port_edit *edit, const void *context,
                                         forward_run_function *run,
                                         rx_post_function *post)
{
    const unsigned start = tx->tail, posted = rx->post;
    uint64_t bytes = 0;
    unsigned moved = 0, left;

    if (unlikely(tx->free < tx->free_thresh || tx->free < max))
        port_tx_idle(tx);
    if (unlikely(!forward_is_possible(rx, tx, max)))
        return 0;
    tx_prefetch(tx);
    while (moved < max && rx->owned > 0) {
        const unsigned here = rx_min(max - moved, rx->owned);
        const unsigned room =
            rx_min(here, rx_min(rx->n - rx->next, tx->n - tx->tail));
        const unsigned done = run(rx, tx, room, &bytes);

        if (edit != NULL && done > 0)
            edit(context, &rx->sw[rx->next], rx->to_data, done);
        rx_advance(rx, done);
        tx_advance(tx, done);
        moved += done;
        if (done < room)
            break; /* X2 */
    }
    if (moved == 0)
        return 0;
    tx_ring_bell(tx, start);
    left = forward_recycle(rx, tx, post);
    if (unlikely(left > 0))
        tx_free_slots(tx, left, TX_SCHEME);
    rx->stats.packets += moved;
    rx->stats.bytes += bytes;
    tx->stats.packets += moved;
    tx->stats.bytes += bytes;
    rx_refill_since(rx, posted, post);
    return moved;
}
