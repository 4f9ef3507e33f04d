/*
 * tx.h - one transmit queue
 *
 * Rules for ring and thresholds (all of them, checked by tx_ring_rule):
 *
 *   descriptors  64 .. 8160, a multiple of 32
 *   report (rs)  a power of two; divides the descriptors; at most free; below
 *                descriptors - 2
 *   free         1 .. below descriptors - 3
 *   both         rs + free <= descriptors
 *
 * The ring is cut into buckets of rs descriptors. The last descriptor of a
 * bucket asks for a report, and so does the last of a burst; a bucket's buffers
 * go back together once its report came. Each burst looks whether the oldest
 * bucket is finished and then takes all that are: buffers in flight are cache
 * lines in use. With fewer than `free` descriptors left it looks for part of a
 * bucket, too.
 *
 * A queue may be told that its packets come from one pool, with one holder and
 * data of their own (fast_free). Then finished buffers go back without a look
 * at their headers, and what is promised is verified when a descriptor is
 * written, where the header is at hand. Chains are allowed: their links are cut
 * there. A packet that breaks the promise is counted, sent and freed properly;
 * from then on, until the queue restarts, it frees as one without the promise.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct mbuf;
struct mempool;
struct port_txq;

#define TX_DESC_MIN      64
#define TX_DESC_MAX      8160
#define TX_DESC_MULTIPLE 32
#define TX_SEGMENTS_MAX  8  /* descriptors the chip takes for one packet */
#define TX_CHIP_MIN      17 /* bytes below which the chip calls it malicious */

struct tx_desc {
    uint64_t address; /* of the data */
    uint64_t qw1;     /* type, command, offsets, size, tag */
};

_Static_assert(sizeof(struct tx_desc) == 16, "fixed by the chip");

#define TXD_TYPE       UINT64_C(0xF)
#define TXD_TYPE_DONE  UINT64_C(0xF) /* written by the NIC */
#define TXD_EOP        (UINT64_C(1) << 4)
#define TXD_RS         (UINT64_C(2) << 4)
#define TXD_ICRC       (UINT64_C(4) << 4) /* must be set, or it never leaves */
#define TXD_SIZE_SHIFT 34
#define TXD_SIZE(n)    ((uint64_t)(n) << TXD_SIZE_SHIFT)

#define TX_COUNTERS(C)                                                         \
    C(packets, "tx_q0_packets")                                                \
    C(bytes, "tx_q0_bytes")                                                    \
    C(padded, "millrace_tx_q0_padded")                                         \
    C(copied, "millrace_tx_q0_linearized")                                     \
    C(oversize, "millrace_tx_q0_oversize")   /* above 9728 bytes */            \
    C(malformed, "millrace_tx_q0_malformed") /* lengths disagree, or empty */  \
    C(nombuf, "millrace_tx_q0_nombuf")       /* no buffer for a copy */        \
    C(not_fast, "millrace_tx_q0_not_fast")   /* fast_free was no true word */

struct tx_counters {
#define TX_COUNTER(name, text) uint64_t name;
    TX_COUNTERS(TX_COUNTER)
#undef TX_COUNTER
};

/* Sends a burst, as port_tx_burst() says. */
typedef unsigned tx_burst_function(struct port_txq *q, struct mbuf *pkts[],
                                   unsigned n);

struct port_txq {
    tx_burst_function *burst;
    struct tx_desc *ring;
    struct mbuf **sw;        /* segment of each descriptor in flight */
    uint16_t *report;        /* per bucket: the descriptor that reports it */
    volatile void *tail_reg; /* QTX_TAIL */
    struct mempool *pool;    /* of the first packet since the start, or NULL */
    unsigned n;              /* descriptors */
    unsigned tail;           /* the next to write; 0 .. n - 1 */
    unsigned clean;          /* the first not yet reclaimed */
    unsigned free;           /* n - 1 - those in flight */
    unsigned next_rs;        /* last descriptor of the bucket being filled */
    unsigned next_done;      /* last descriptor of the oldest bucket */
    unsigned rs, rs_shift, free_thresh; /* rs = 1 << rs_shift */
    uint16_t port;
    bool is_off;        /* taken away by control: port_quiet in port.h */
    bool report_bursts; /* the last descriptor of a burst reports, too */
    bool fast_free;     /* what was promised */
    bool frees_fast;    /* and still holds: see tx_free.h */
    struct tx_counters stats;
} cache_aligned; /* its core's own */

/* Why these cannot be, or NULL when they can. */
const char *tx_ring_rule(unsigned n, unsigned rs, unsigned free_thresh);

/* Asked once a burst, before anything of the queue is looked at. */
static inline bool txq_is_off(const struct port_txq *q)
{
    return unlikely(__atomic_load_n(&q->is_off, __ATOMIC_ACQUIRE));
}

/*
 * Memory for @n descriptors in buckets of @rs; q->fast_free is the caller's to
 * set before. E_NOMEM.
 */
must_use enum status tx_ring_alloc(struct port_txq *q, unsigned n, unsigned rs,
                                   unsigned free_thresh);
void tx_ring_free(struct port_txq *q);

/* Power-on state: nothing in flight, every descriptor "done", no pool known. */
void tx_ring_reset(struct port_txq *q);

/* Give back what finished buckets hold. Returns how many descriptors. */
unsigned tx_reclaim(struct port_txq *q);

/* The queue is off: every buffer back to its pool. */
void tx_ring_drain(struct port_txq *q);

/*
 * tx_fix.c: turn a packet that the chip cannot send as it is into one it can.
 *
 * Returns  the packet to send, @m or a copy (then @m is freed); NULL when there
 *          is none: @m is freed and counted
 */
must_use struct mbuf *tx_fix(struct port_txq *q, struct mbuf *m);

/* Descriptors @m takes; 0 when it must go through tx_fix first. */
unsigned tx_descriptors(const struct mbuf *m);

/* The path that every CPU has, and the reference of the others. */
tx_burst_function tx_burst_scalar;
/* For CPUs that have what path.c asks for. */
tx_burst_function tx_burst_sse, tx_burst_avx2, tx_burst_avx512;
