/*
 * rx_burst.h - one burst of packets from a receive ring; for rx*.c
 *
 *   R1  the NIC owns slots [next, next + owned); those have a buffer in sw, in
 *       all others it means nothing
 *   R2  owned <= n - 8, so the tail never catches up with the head
 *   R3  the tail moves in steps of 8: the chip fetches descriptors in groups
 *   R4  a posted header address is 0: an odd one would read as "done"
 *   R5  a frame that cannot be is dropped with its own counter and its buffers
 *       go back; slots the pool cannot fill stay empty and are filled later
 *   R6  of a packet's header receive writes the 32 bytes from the rearm word
 *       on, and nothing else; hash.high and vlan_tci_outer mean nothing
 *       without a flag that says so
 *
 * Nearly all frames are plain: whole, undamaged, in one buffer. Those are taken
 * by a run function, of which each CPU's vector set has its own; it stops at
 * the first descriptor that is anything else, which rx_odd() takes.
 */
#pragma once

#include <string.h>

#include <millrace/bits.h>
#include <millrace/plat.h>
#include <millrace/port.h>

#include "drivers/xl710/rx.h"
#include "mm/mbuf.h"

#define RX_GROUP     8u  /* descriptors fetched together */
#define RX_REFILL_AT 32u /* empty slots worth a tail write */
#define RX_USUAL     32u /* buffers taken at once after a full burst */
#define RX_GET_MAX   64u /* buffers taken from the pool at once */

#define RX_LINES_AHEAD 8 /* of descriptors, a burst of 32 */

#define RXD_DD        BIT64(0)
#define RXD_EOP       BIT64(1)
#define RXD_RXE       BIT64(19)
#define RXD_OVERSIZE  BIT64(25)
#define RXD_FLTSTAT   (UINT64_C(3) << 12) /* 3: qw0 holds the RSS hash */
#define RXD_SPH       BIT64(63)
#define RXD_LEN_SHIFT 38
#define RXD_LEN_MASK  0x3FFFu
#define RXD_LEN(qw1)  ((unsigned)((qw1) >> RXD_LEN_SHIFT) & RXD_LEN_MASK)

/*
 * Plain in one comparison: with 1 taken from the length, lengths of 1 to 2048
 * leave the upper bits of its field 0, and all others do not.
 */
#define RXD_LEN_ONE BIT64(RXD_LEN_SHIFT)
#define RXD_PLAIN   (RXD_DD | RXD_EOP)
#define RXD_PLAIN_MASK                                                         \
    (RXD_DD | RXD_EOP | RXD_RXE | RXD_OVERSIZE | RXD_SPH |                     \
     (UINT64_C(7) << (RXD_LEN_SHIFT + 11)))

_Static_assert(RX_BUFFER_BYTES == 1 << 11, "what RXD_PLAIN_MASK says");

/*
 * Take the plain frames that the ring begins with, from next on.
 *
 * @n       at most the slots the NIC owns, and those up to the ring's end
 * @bytes   their lengths are added
 * Returns  how many
 */
typedef unsigned rx_run_function(const struct port_rxq *q, struct mbuf *pkts[],
                                 unsigned n, uint64_t *bytes);

/* Write @n descriptors for the buffers in the slots from post on. */
typedef void rx_post_function(struct port_rxq *q, unsigned n);

/*
 * Everything but a whole frame in one buffer: one part of a longer frame, the
 * rest of one that was dropped, or something that should not be.
 *
 * Returns  the frame that this descriptor completes, or NULL
 */
struct mbuf *rx_odd(struct port_rxq *q, uint64_t qw0, uint64_t qw1);

static always_inline void rx_advance(struct port_rxq *q, unsigned count)
{
    q->next += count;
    if (unlikely(q->next == q->n))
        q->next = 0;
    q->owned -= count;
}

typedef uint64_t rx_word __attribute__((may_alias));

/* R6, but for the rearm word and ol_flags. */
static always_inline void rx_describe(struct mbuf *m, uint32_t packet_bytes,
                                      uint16_t bytes, uint64_t qw0,
                                      uint64_t qw1)
{
    const bool has_hash = (qw1 & RXD_FLTSTAT) == RXD_FLTSTAT;
    const uint64_t hash = has_hash ? qw0 >> 32 << 32 : 0;

    /* packet_type and pkt_len; data_len, vlan_tci and hash.rss */
    *(rx_word *)(void *)&m->packet_type = (uint64_t)packet_bytes << 32;
    *(rx_word *)(void *)&m->data_len = hash | bytes;
}

_Static_assert(offsetof(struct mbuf, pkt_len) ==
                       offsetof(struct mbuf, packet_type) + 4 &&
                   offsetof(struct mbuf, hash) ==
                       offsetof(struct mbuf, data_len) + 4,
               "two words for five members");

/*
 * The lines behind the one that is looked at, all at once: the NIC wrote them
 * to memory or to another level of cache, and one after the other each would
 * cost its own wait. Past the ring's end it is of no use and does no harm.
 */
static always_inline void rx_prefetch(const struct rx_desc *d)
{
    const unsigned in_line = CACHE_LINE / sizeof(*d);

    for (unsigned i = 1; i < RX_LINES_AHEAD; i++)
        __builtin_prefetch(d + i * in_line);
}

/*
 * DD and the length share a quadword, so one load sees both; the other quadword
 * is loaded only after. From the @i-th on.
 */
static always_inline unsigned rx_run_rest(const struct port_rxq *q,
                                          struct mbuf *pkts[], size_t i,
                                          unsigned n, uint64_t *bytes)
{
    const struct rx_desc *d = &q->ring[q->next];
    struct mbuf *const *sw = &q->sw[q->next];
    const uint64_t rearm = q->rearm;
    uint64_t sum = 0;

    for (; i < n; i++) {
        const uint64_t qw1 = __atomic_load_n(&d[i].qw1, __ATOMIC_RELAXED);
        const unsigned len = RXD_LEN(qw1);
        struct mbuf *m = sw[i];

        if (unlikely(((qw1 - RXD_LEN_ONE) & RXD_PLAIN_MASK) != RXD_PLAIN))
            break;
        plat_dma_rmb();
        m->rearm = rearm;
        m->ol_flags = 0;
        rx_describe(m, len, (uint16_t)len, d[i].qw0, qw1);
        pkts[i] = m;
        sum += len;
    }
    *bytes += sum;
    return (unsigned)i;
}

static always_inline unsigned rx_run_scalar(const struct port_rxq *q,
                                            struct mbuf *pkts[], unsigned n,
                                            uint64_t *bytes)
{
    rx_prefetch(&q->ring[q->next]);
    return rx_run_rest(q, pkts, 0, n, bytes);
}

/* The descriptors from post on were written. */
static always_inline void rx_posted(struct port_rxq *q, unsigned n)
{
    q->post = q->post + n == q->n ? 0 : q->post + n;
    q->owned += n;
}

static always_inline void rx_post_scalar(struct port_rxq *q, unsigned n)
{
    struct rx_desc *d = &q->ring[q->post];
    struct mbuf *const *sw = &q->sw[q->post];

    for (unsigned i = 0; i < n; i++)
        d[i] = (struct rx_desc) { (uintptr_t)sw[i] + q->to_bus, 0 }; /* R4 */
    rx_posted(q, n);
}

/* Up to @n buffers to the slots from post on, none behind the ring's end. */
static always_inline unsigned rx_get(struct port_rxq *q, unsigned n)
{
    const unsigned to_end = q->n - q->post;
    const unsigned most = n < to_end ? n : to_end;

    if (likely(most == RX_USUAL)) { /* a constant: no loop is left of it */
        if (likely(mempool_get_bulk(q->pool, &q->sw[q->post], RX_USUAL) == OK))
            return RX_USUAL;
    } else if (mempool_get_bulk(q->pool, &q->sw[q->post], most) == OK) {
        return most;
    }
    if (mempool_get_bulk(q->pool, &q->sw[q->post], RX_GROUP) == OK)
        return RX_GROUP;
    return 0;
}

/* Slots that may be filled. */
static always_inline unsigned rx_room(const struct port_rxq *q)
{
    return (q->n - RX_GROUP - q->owned) & ~(RX_GROUP - 1);
}

/*
 * Runs on every poll, also when nothing came: a ring that ran empty for want of
 * buffers has no packet to wake it. The NIC knows of slots up to @before.
 */
static always_inline void rx_refill_since(struct port_rxq *q, unsigned before,
                                          rx_post_function *post)
{
    unsigned room = rx_room(q);

    if (room < RX_REFILL_AT)
        room = 0;
    while (room > 0) {
        const unsigned got = rx_get(q, room < RX_GET_MAX ? room : RX_GET_MAX);

        if (unlikely(got == 0)) {
            q->stats.nombuf++;
            break;
        }
        post(q, got);
        room -= got;
    }
    if (unlikely(q->post == before))
        return;
    plat_dma_wmb();
    plat_write32(q->tail_reg, q->post);
}

static always_inline void rx_refill_by(struct port_rxq *q,
                                       rx_post_function *post)
{
    rx_refill_since(q, q->post, post);
}

static always_inline unsigned rx_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static always_inline unsigned rx_burst_by(struct port_rxq *q,
                                          struct mbuf *pkts[], unsigned max,
                                          rx_run_function *run,
                                          rx_post_function *post)
{
    uint64_t bytes = 0;
    unsigned kept = 0;

    while (kept < max && q->owned > 0) {
        const unsigned room =
            rx_min(rx_min(max - kept, q->owned), q->n - q->next);
        const bool is_between = q->first == NULL && !q->is_skipping;
        const unsigned done =
            likely(is_between) ? run(q, &pkts[kept], room, &bytes) : 0;
        const struct rx_desc *d;
        uint64_t qw1;
        struct mbuf *m;

        rx_advance(q, done);
        kept += done;
        if (likely(done == room))
            continue; /* all, or up to the ring's end */
        d = &q->ring[q->next];
        qw1 = __atomic_load_n(&d->qw1, __ATOMIC_RELAXED);
        if ((qw1 & RXD_DD) == 0)
            break;
        plat_dma_rmb();
        m = rx_odd(q, d->qw0, qw1);
        if (m == NULL)
            continue;
        bytes += m->pkt_len;
        pkts[kept++] = m;
    }
    if (kept > 0) {
        q->stats.packets += kept;
        q->stats.bytes += bytes;
    }
    rx_refill_by(q, post);
    return kept;
}
