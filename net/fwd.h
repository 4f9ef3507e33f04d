/*
 * fwd.h - which port forwards to which, and how it goes
 *
 * Topology as testpmd's "paired": ports of the list go in twos, 0<->1, 2<->3;
 * the last of an odd number sends to itself. Settings may change while
 * forwarding runs and hold from the next round.
 *
 * Streams are spread over the cores that may forward. Without any, the control
 * core does it between its own work.
 *
 * Context: control core. Changes reach cores that run at a quiet point.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>
#include <millrace/status.h>

#include "net/lcore.h"

#define FWD_STREAMS_MAX 1024

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

/* ---- cores ---- */

/*
 * The cores that may forward, the best first; none: control. Forgets nb_cores
 * and places.
 *
 * Returns  E_STATE while running; E_NOENT for one that takes no work; E_EXIST
 *          for one named twice; E_RANGE for too many. The old list stays then.
 */
must_use enum status fwd_cores_set(const uint16_t lcores[], unsigned count);
unsigned fwd_core_count(void); /* at least 1 */

/*
 * Use the first @count of them; 0: as many as there are streams.
 * E_STATE while running, E_RANGE for more than there are.
 */
must_use enum status fwd_nb_cores_set(unsigned count);

/* A receive queue and the core that polls it. */
struct fwd_place {
    uint8_t port;
    uint16_t queue;
    uint16_t lcore;
};

/*
 * Name the core of every queue; none: spread them evenly.
 *
 * Returns  E_STATE while running; E_RANGE for an unknown port or too many;
 *          E_NOENT for a core that may not forward; E_EXIST for a queue named
 *          twice. The log has the place, and the old ones stay.
 */
must_use enum status fwd_places_set(const struct fwd_place places[],
                                    unsigned count);

/* Where packets will go, and who moves them. */
struct fwd_route {
    uint8_t rx_port, tx_port;
    uint16_t rx_queue, tx_queue;
    uint16_t lcore; /* FWD_NOWHERE: the places leave it out */
};
#define FWD_NOWHERE UINT16_MAX

/*
 * What fwd_start() would do if all ports were started, cores one after the
 * other. @out has room for FWD_STREAMS_MAX. Returns how many there are.
 */
unsigned fwd_plan(struct fwd_route out[]);

/* A slice of rounds that takes longer than @us is a gap; 1 .. FWD_GAP_US_MAX. */
#define FWD_GAP_US_DEFAULT 50
#define FWD_GAP_US_MAX     1000000
must_use enum status fwd_gap_set(unsigned us);
unsigned fwd_gap_get(void);

/* ---- running ---- */

/*
 * Start forwarding.
 *
 * Returns  OK; E_EXIST when it runs already; E_NOENT without ports; E_NOBUF
 *          without a pool; E_STATE when no two ports that belong together are
 *          started; E_INVALID when the places leave out a queue; what core_run()
 *          says of a core. Nothing runs then that did not run before.
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
 * read next are whole. E_STATE when it does not run; E_TIMEOUT when a core does
 * not stop, with its number in the log: then it counts as running, for what that
 * core holds is not ours.
 */
#define FWD_LEAVE_US 10000
#define FWD_STOP_US  1000000
must_use enum status fwd_stop(void);
bool fwd_is_running(void);

/*
 * A core that forwards and finishes no round for FWD_STILL_US is named in the
 * log, and again when it goes on. Call it every 10 ms or so while control works.
 */
#define FWD_STILL_US 5000000
void fwd_watch(void);

/* Does the calling core forward? */
bool fwd_is_ours(void);

/* @rounds (1 or more) rounds of the calling core's own; at once when none. */
void fwd_run(unsigned rounds);

/* The streams of the current or last run; NULL from the end on. */
const struct stream *fwd_stream(unsigned index);
unsigned fwd_stream_count(void);
const struct lcore *fwd_lcore(unsigned index); /* in order; NULL at the end */
unsigned fwd_lcore_count(void);

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
