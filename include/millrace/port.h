/*
 * port.h - what packet code sees of a network port
 *
 * net/ and console/ call it; the driver linked into the image implements it.
 * The per-packet calls are plain functions that link-time optimisation inlines:
 * there is no function pointer per packet.
 *
 * Context of the control calls: control core. Of the burst calls: the one lcore
 * that owns the queue.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/pci.h>
#include <millrace/status.h>

struct mbuf;
struct mempool;
struct port_rxq;
struct port_txq;

#define PORT_MAX       32
#define PORT_QUEUE_MAX 64   /* pairs of a port; it may have fewer */
#define PORT_FRAME_MAX 9728 /* bytes without FCS */
#define PORT_FRAME_MIN 60   /* shorter frames are padded on the way out */

/* Descriptors of one ring. */
#define PORT_DESC_MIN   64
#define PORT_DESC_MAX   8160
#define PORT_DESC_ALIGN 32

enum port_state {
    PORT_CLOSED,     /* the NIC is quiet */
    PORT_STOPPED,    /* brought up, queues off */
    PORT_STARTED,    /* queues on */
    PORT_FAILED,     /* the log says why */
    PORT_RECOVERING, /* its chip is being brought up again; queues off */
};

struct port_config {
    uint16_t queues;       /* pairs, 1 .. rx_queues_max; 0 stands for 1 */
    uint16_t rx_desc;      /* multiple of 32, 64 .. 8160 */
    uint16_t tx_desc;      /* same */
    uint16_t tx_rs_thresh; /* see drivers/xl710/tx.h for the rules */
    uint16_t tx_free_thresh;
    uint16_t max_simd_bits; /* of vector registers; 64 = none, 0 = no limit */
    /*
     * A promise: what is sent comes from one pool, with one holder each and
     * data of its own. Saves a look at each buffer that comes back. Broken, it
     * is counted and named, and no longer relied on until the next start.
     */
    bool tx_fast_free;
    bool promiscuous;
    struct mempool *pool; /* where receive buffers come from */
};

struct port_info {
    char name[32]; /* "0000:01:00.0" */
    char driver[16];
    char product[48];  /* "XL710 40GbE QSFP+" */
    char firmware[64]; /* "6.1 api 1.7 nvm 6.01 0x80003fa1" */
    char rx_path[24];  /* "scalar", "sse", "avx2", "avx512" */
    char tx_path[24];
    struct pci_addr at;
    uint16_t vendor, device, subvendor, subdevice;
    uint8_t mac[6];
    enum port_state state;
    bool promiscuous;
    uint16_t rx_desc, tx_desc;
    uint16_t rx_queues, tx_queues;
    uint16_t rx_queues_max, tx_queues_max;
    uint16_t max_frame; /* bytes without FCS */
    uint16_t mtu;
    uint32_t recoveries; /* resets at run time it came back from */
    struct pci_link pcie;
};

struct port_link {
    bool up;
    bool autoneg;
    uint32_t speed_mbps;     /* 0 when down or unknown */
    uint32_t changes;        /* transitions seen since start */
    uint64_t changed_cycles; /* plat_cycles() of the last one */
};

/* Since start or the last clear. Byte counts exclude the FCS. */
struct port_stats {
    uint64_t ipackets, opackets;
    uint64_t ibytes, obytes;
    uint64_t imissed;   /* dropped by the NIC: no descriptor was free */
    uint64_t ierrors;   /* damaged frames and impossible descriptors */
    uint64_t oerrors;   /* frames the NIC would not send */
    uint64_t rx_nombuf; /* refills that found the pool empty */
};

struct port_xstat {
    const char *name; /* ethdev's name where it has one */
    uint64_t value;
};

unsigned port_count(void);

/* Fill @info; E_NOENT for an unknown port. Never touches the device. */
must_use enum status port_info_get(unsigned port, struct port_info *info);

/*
 * Set ring sizes and pool of a stopped port.
 *
 * Returns  OK; E_INVALID with the broken rule in the log; E_STATE when started;
 *          E_NOMEM. On failure the old configuration stays.
 */
must_use enum status port_configure(unsigned port,
                                    const struct port_config *config);

/*
 * Queues on. OK when started already. A failed start leaves it stopped. A port
 * that recovers is started as soon as it is back, and one that has failed
 * recovers first: then OK says that it is on its way (port_info_get()).
 */
must_use enum status port_start(unsigned port);

/* Queues off; every buffer is back in its pool when it returns. */
must_use enum status port_stop(unsigned port);

/*
 * One queue of a started port off, and on again, while the others run. What
 * arrives for a receive queue that is off is dropped and counted in imissed; a
 * transmit queue that is off takes nothing, and what it had not sent is dropped.
 * A queue that is off stays so until it or the port is started.
 *
 * Returns  OK, also when it is so already; E_NOENT for a queue that is not
 *          there; E_STATE when the port is not started; E_NOBUF when the pool
 *          cannot fill the ring (it stays off); E_TIMEOUT when the chip or a
 *          core does not let go of it: the port recovers
 * Cost     a stop takes 50 ms, during which port_meanwhile_set()'s turns run
 */
must_use enum status port_rxq_stop(unsigned port, unsigned queue);
must_use enum status port_rxq_start(unsigned port, unsigned queue);
must_use enum status port_txq_stop(unsigned port, unsigned queue);
must_use enum status port_txq_start(unsigned port, unsigned queue);

enum port_queue_state { PORT_QUEUE_STOPPED, PORT_QUEUE_STARTED };

/* Of one queue pair, since start or the last clear; names as in ethdev. */
struct port_queue_stats {
    enum port_queue_state rx_state, tx_state;
    uint64_t q_ipackets, q_ibytes;
    uint64_t q_opackets, q_obytes;
    uint64_t q_errors;  /* received frames it dropped, whatever the reason */
    uint64_t q_oerrors; /* frames given to it that it would not send */
    uint32_t restarts;  /* because it stood still; of both halves */
};

/* E_NOENT for a queue that is not configured. */
must_use enum status port_queue_stats_get(unsigned port, unsigned queue,
                                          struct port_queue_stats *stats);

/* Stop, and leave the NIC as its next owner wants it: quiet, no DMA. */
void port_close(unsigned port);

/* Last known link state; never waits. */
void port_link_get(unsigned port, struct port_link *link);

must_use enum status port_promiscuous_set(unsigned port, bool on);

/* Counters relative to the baseline; clear moves the baseline only. */
void port_stats_get(unsigned port, struct port_stats *stats);
void port_stats_clear(unsigned port);

/*
 * Copy up to @max extended statistics.
 * Returns  how many exist (may be more than @max)
 */
unsigned port_xstats_get(unsigned port, struct port_xstat *out, unsigned max);
void port_xstats_clear(unsigned port);

/* ---- spreading over queues (RSS) ---- */

#define PORT_RSS_KEY_BYTES 52
#define PORT_RETA_MAX      512

/*
 * Kinds of packets whose flow is hashed, by testpmd's names. TCP, UDP and SCTP:
 * addresses and ports (and SCTP's verification tag); frag and other: addresses;
 * l2-payload: the ethertype of what is no IP.
 */
#define PORT_RSS_TYPES(T)                                                      \
    T(IPV4_FRAG, "ipv4-frag")                                                  \
    T(IPV4_TCP, "ipv4-tcp")                                                    \
    T(IPV4_UDP, "ipv4-udp")                                                    \
    T(IPV4_SCTP, "ipv4-sctp")                                                  \
    T(IPV4_OTHER, "ipv4-other")                                                \
    T(IPV6_FRAG, "ipv6-frag")                                                  \
    T(IPV6_TCP, "ipv6-tcp")                                                    \
    T(IPV6_UDP, "ipv6-udp")                                                    \
    T(IPV6_SCTP, "ipv6-sctp")                                                  \
    T(IPV6_OTHER, "ipv6-other")                                                \
    T(L2_PAYLOAD, "l2-payload")

enum port_rss_type {
#define PORT_RSS_ENUM(name, text) PORT_RSS_##name,
    PORT_RSS_TYPES(PORT_RSS_ENUM)
#undef PORT_RSS_ENUM
        PORT_RSS_TYPE_COUNT
};

#define PORT_RSS_ALL ((1u << PORT_RSS_TYPE_COUNT) - 1)

/*
 * A packet of a kind in @types goes to the queue that the table has for its
 * hash: Toeplitz of its flow with @key (<millrace/toeplitz.h>), modulo the size
 * of the table. All others go to queue 0.
 */
struct port_rss {
    uint32_t types; /* bit n: enum port_rss_type n */
    uint8_t key[PORT_RSS_KEY_BYTES];
};

/*
 * As configured. With one queue pair nothing is hashed, whatever it says.
 * E_NOENT for an unknown port.
 */
must_use enum status port_rss_hash_conf_get(unsigned port,
                                            struct port_rss *rss);

/*
 * Change it, also while packets flow; a flow whose queue changes may be
 * reordered once. What is not in effect yet is remembered.
 *
 * Returns  OK; E_NOENT; E_INVALID for unknown types or a key of zeroes; E_IO
 *          when the chip does not read back what was written, with both in the
 *          log. The old settings stay then.
 */
must_use enum status port_rss_hash_update(unsigned port,
                                          const struct port_rss *rss);

/* The key that a port begins with, or one that is symmetric (toeplitz.h). */
const uint8_t *port_rss_key_default(bool symmetric);

/* Queue of each hash; room for PORT_RETA_MAX. Returns how many there are. */
unsigned port_reta_query(unsigned port, uint8_t table[PORT_RETA_MAX]);

/*
 * Replace the table, also while packets flow. It is lost when the number of
 * queues changes: then hash i goes to queue i modulo their number.
 *
 * Returns  OK; E_NOENT; E_STATE before the port is configured; E_INVALID for a
 *          wrong number of @entries; E_RANGE for a queue that is not there; E_IO
 *          as above
 */
must_use enum status port_reta_update(unsigned port, const uint8_t table[],
                                      unsigned entries);

/*
 * Where a port keeps buffers: @in_rx those of the receive rings, parts of an
 * unfinished frame included; @in_tx those given to the transmit rings and not
 * back yet (port_tx_idle() takes back what has left). Both 0 while its queues
 * are off. Exact between bursts.
 */
void port_buffers_get(unsigned port, unsigned *in_rx, unsigned *in_tx);

/*
 * Housekeeping of every port: events, link, counter extension, watchdogs.
 * Call every 10 ms or so from the control core; bounded time.
 */
void port_poll_all(void);

/*
 * Quiet points: how the driver takes a queue from a core that polls it. It
 * marks the queue off (from then on a burst returns 0 and touches neither ring
 * nor device), asks for a ticket, and frees nothing before the ticket's point
 * is reached: every core that calls bursts was between two of them after ask()
 * was called, with acquire and release order on both sides.
 *
 * NULL (at start): bursts are called by the core that calls port_poll_all(), so
 * every moment at which that one runs is quiet. @quiet stays with the caller.
 */
struct port_quiet {
    uint64_t (*ask)(void);
    bool (*reached)(uint64_t ticket); /* does not wait */
};
void port_quiet_set(const struct port_quiet *quiet);

/*
 * What to do while a control call waits for its chip: called again and again,
 * so that one port's reset does not stand in the way of another's packets.
 * @turn may call bursts, takes a bounded time, and makes no control call. NULL
 * (at start) = nothing.
 */
void port_meanwhile_set(void (*turn)(void));

/* Microseconds spent so far in waits that the chip itself demands. */
uint64_t port_chip_wait_us(void);

/*
 * Queue handles of a started port; NULL when there is none. They stay valid
 * until port_stop(): while the port recovers its queues are off.
 */
struct port_rxq *port_rxq_get(unsigned port, unsigned queue);
struct port_txq *port_txq_get(unsigned port, unsigned queue);

/*
 * Take up to @max received packets.
 *
 * @pkts    room for @max pointers; the caller owns what is returned
 * Returns  how many were taken
 * Cost     at most one tail write
 */
unsigned port_rx_burst(struct port_rxq *rxq, struct mbuf *pkts[], unsigned max);

/*
 * Send up to @n packets.
 *
 * Returns  how many were taken; the caller still owns pkts[returned .. n). A
 *          packet the chip cannot send is taken, freed and counted in oerrors.
 * Cost     one tail write for the whole burst
 */
unsigned port_tx_burst(struct port_txq *txq, struct mbuf *pkts[], unsigned n);

/*
 * Change the first bytes of @n frames: that of frame i is at @at[i] + @offset,
 * with PORT_EDIT_BYTES behind it. All of them go out.
 */
#define PORT_EDIT_BYTES 16
typedef void port_edit(const void *context, struct mbuf *const at[],
                       size_t offset, unsigned n);

/*
 * Receive and send up to @max frames at once, without the headers of their
 * buffers, and with the results and counters of a receive burst and a transmit
 * burst of these frames.
 *
 * @edit    NULL, or called for each of them before they leave
 * Returns  how many went through. The next one, if there is any, takes the
 *          bursts: not a frame for this, nor a queue pair or pool, or no room
 *          for @max.
 * Context  the lcore that owns both queues
 */
unsigned port_forward(struct port_rxq *rxq, struct port_txq *txq, unsigned max,
                      port_edit *edit, const void *context);

/*
 * Give finished buffers back although nothing is being sent; call it when
 * polling found no work.
 */
void port_tx_idle(struct port_txq *txq);
