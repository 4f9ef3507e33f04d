/*
 * rx.h - one receive queue: a ring of 16-byte descriptors, 2 KiB buffers
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/port.h>
#include <millrace/status.h>

struct mbuf;
struct mempool;
struct port_rxq;

#define RX_DESC_MIN      64
#define RX_DESC_MAX      8160
#define RX_DESC_MULTIPLE 32
#define RX_BUFFER_BYTES  2048
#define RX_SEGMENTS_MAX  5 /* buffers the chip uses for one frame */

/* As the driver writes it: buffer and header address. Read back: status. */
struct rx_desc {
    uint64_t qw0, qw1;
};

_Static_assert(sizeof(struct rx_desc) == 16, "RXCTX_DSIZE says 16 bytes");

/*
 * Counted by the owning core, read by control: a reason for each drop. Names
 * are ethdev's where it has one, and ours with a prefix.
 */
#define RX_COUNTERS(C)                                                         \
    C(nombuf, "rx_mbuf_allocation_errors")                                     \
    C(packets, "rx_q0_packets")                                                \
    C(bytes, "rx_q0_bytes")                                                    \
    C(damaged, "millrace_rx_q0_damaged")       /* RXE: the MAC says so */      \
    C(oversize, "millrace_rx_q0_oversize")     /* longer than we allow */      \
    C(bad_length, "millrace_rx_q0_bad_length") /* 0, or beyond the buffer */   \
    C(endless, "millrace_rx_q0_endless")       /* no end after 5 buffers */    \
    C(unexpected, "millrace_rx_q0_unexpected") /* no packet descriptor */

struct rx_counters {
#define RX_COUNTER(name, text) uint64_t name;
    RX_COUNTERS(RX_COUNTER)
#undef RX_COUNTER
};

/* Takes a burst, as port_rx_burst() says. */
typedef unsigned rx_burst_function(struct port_rxq *q, struct mbuf *pkts[],
                                   unsigned max);

/* Takes and sends, as port_forward() says. */
typedef unsigned forward_function(struct port_rxq *rxq, struct port_txq *txq,
                                  unsigned max, port_edit *edit,
                                  const void *context);

struct port_rxq {
    rx_burst_function *burst;
    forward_function *forward;
    struct rx_desc *ring;
    struct mbuf **sw;        /* buffer of each slot the NIC owns */
    volatile void *tail_reg; /* QRX_TAIL */
    struct mempool *pool;
    uint64_t to_bus;  /* bus address of a buffer's data - where its mbuf is */
    uint64_t to_data; /* the same of its pointer */
    uint64_t rearm;   /* what a fresh packet's rearm word is */
    unsigned n;       /* descriptors */
    unsigned next;    /* the next one the NIC completes */
    unsigned post;    /* the next one we fill; multiple of 8 */
    unsigned owned;   /* from next on, by the NIC */
    uint16_t port;
    bool is_off;        /* taken away by control: port_quiet in port.h */
    bool is_skipping;   /* the rest of a dropped frame */
    struct mbuf *first; /* frame under construction, or NULL */
    struct mbuf *last;
    struct rx_counters stats;
} cache_aligned; /* its core's own */

/* Asked once a burst, before anything of the queue is looked at. */
static inline bool rxq_is_off(const struct port_rxq *q)
{
    return unlikely(__atomic_load_n(&q->is_off, __ATOMIC_ACQUIRE));
}

/* Ring memory for @n descriptors. E_NOMEM. */
must_use enum status rx_ring_alloc(struct port_rxq *q, unsigned n);
void rx_ring_free(struct port_rxq *q);

/* Why @n descriptors cannot be, or NULL when they can. */
const char *rx_ring_rule(unsigned n);

/*
 * Empty ring, filled from @pool; the tail register is not touched.
 * E_NOBUF, logged, when the pool cannot fill it.
 */
must_use enum status rx_ring_fill(struct port_rxq *q, struct mempool *pool);

/* The queue is off: every buffer back to the pool. */
void rx_ring_drain(struct port_rxq *q);

/* The path that every CPU has, and the reference of the others. */
rx_burst_function rx_burst_scalar;
/* For CPUs that have what path.c asks for. */
rx_burst_function rx_burst_sse, rx_burst_avx2, rx_burst_avx512;

forward_function forward_scalar, forward_avx2;
