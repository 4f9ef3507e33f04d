/*
 * fwd.h - which port forwards to which, and how it goes
 *
 * Topology as testpmd's "paired": ports of the list go in twos, 0<->1, 2<->3;
 * the last of an odd number sends to itself. Settings may change while
 * forwarding runs and hold from the next round.
 *
 * Context: control core, which is also the one that forwards: no packet is in
 * flight inside a burst when any of this is called.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>
#include <millrace/status.h>

#include "net/lcore.h"

struct engine;
struct mempool;

/* Everything to defaults: all ports, engine io, burst 32; not running. */
void fwd_init(void);

/* Where packet-making engines take buffers from; NULL until there is a pool. */
void fwd_pool_set(struct mempool *pool);

void fwd_engine_set(const struct engine *engine);
const struct engine *fwd_engine_get(void);

/* @burst 1 .. FWD_BURST_MAX, else E_RANGE. */
must_use enum status fwd_burst_set(unsigned burst);
unsigned fwd_burst_get(void);

/* Length of made packets, TXONLY_LEN_MIN .. TXONLY_LEN_MAX, else E_RANGE. */
must_use enum status fwd_txpkts_set(unsigned bytes);
unsigned fwd_txpkts_get(void);

/* Whom packets leaving @port are addressed to; E_RANGE from PORT_MAX on. */
must_use enum status fwd_peer_set(unsigned port,
                                  const uint8_t mac[ETHER_ADDR_BYTES]);
void fwd_peer_get(unsigned port, uint8_t mac[ETHER_ADDR_BYTES]);

/*
 * The ports that take part, in order.
 *
 * Returns  E_STATE while running; E_NOENT for an unknown port; E_EXIST for one
 *          named twice; E_RANGE for none. The old list stays then.
 */
must_use enum status fwd_ports_set(const uint8_t ports[], unsigned count);
unsigned fwd_port_count(void);
unsigned fwd_port_at(unsigned index);
bool fwd_port_used(unsigned port);
/* Position in the list that what comes in at @index is sent to. */
unsigned fwd_paired_with(unsigned index);

/*
 * Start forwarding.
 *
 * Returns  OK; E_EXIST when it runs already; E_NOENT without ports; E_NOBUF
 *          without a pool; E_STATE when no two ports that belong together are
 *          started. Nothing runs then that did not run before.
 *
 * A port that is not started, and the one paired with it, take no part; the
 * log names them.
 */
must_use enum status fwd_start(void);

/*
 * The next fwd_start() sends @bursts bursts of txonly's packets from every
 * stream before the engine runs, as testpmd's `start tx_first`: where a cable
 * leads back, they circulate.
 */
void fwd_tx_first_set(unsigned bursts);

/*
 * What was sent gets FWD_LEAVE_US to leave the transmit rings, so that counters
 * read next are whole. E_STATE when it does not run.
 */
#define FWD_LEAVE_US 10000
must_use enum status fwd_stop(void);
bool fwd_is_running(void);

/* @rounds (1 or more) rounds; returns at once when not running. */
void fwd_run(unsigned rounds);

/* The streams of the current or last run; NULL from the end on. */
const struct stream *fwd_stream(unsigned index);
unsigned fwd_stream_count(void);
const struct lcore *fwd_lcore(void);

/* Since start or the last clear. */
struct fwd_port_stats {
    uint64_t rx_packets, rx_dropped, rx_errors, rx_nombuf;
    uint64_t tx_packets;
    uint64_t tx_dropped;            /* all of drops, and what the NIC refused */
    uint64_t drops[FWD_DROP_COUNT]; /* of streams that leave by this port */
    uint64_t no_mbuf;
};
void fwd_port_stats_get(unsigned port, struct fwd_port_stats *stats);
void fwd_stats_clear(void);

/*
 * What forwarding costs: cycles of rounds that found packets, from before their
 * first receive burst to the end of the round. Two clock reads a round while it
 * is on; off at first.
 */
struct fwd_cycles {
    uint64_t cycles, packets, rounds; /* since start or the last clear */
};
void fwd_record_cycles_set(bool on);
bool fwd_record_cycles_get(void);
void fwd_cycles_get(struct fwd_cycles *c);

/*
 * port_stats_clear() for a port that may be forwarding: forward statistics go
 * on as if it had not happened.
 */
void fwd_clear_port_stats(unsigned port);
