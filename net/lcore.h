/*
 * lcore.h - a core that forwards: its streams, its engine, its counters
 *
 *   L1  an lcore and its streams are written by the core that runs it; others
 *       read counters as single 64-bit loads, and change the rest only while
 *       the lcore is not running
 *   L2  between two bursts the lcore holds no packet: a stop taken there leaves
 *       every buffer in a ring or in the pool
 *   L3  requests are looked at between rounds, never inside a burst
 *   L4  time is taken once every LCORE_SLICE rounds: cheap enough to be always
 *       on, often enough to see who took the core away
 *   L5  one slice in LCORE_SAMPLED is timed burst by burst and stage by stage
 *       (timing.c); it does and counts what any other does
 *
 * Where control and forwarding share one core, lcore_run() is given a number of
 * rounds and returns; a core of its own calls lcore_step() until stopped.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/port.h>

#include "net/headers.h"

#define FWD_BURST_DEFAULT 32
#define FWD_BURST_MAX     512

/* Packets that came in and did not go out, by reason. The names are API. */
#define FWD_DROPS(D)                                                           \
    D(TX_FULL, "tx_full")     /* the transmit ring took no more */             \
    D(TOO_SHORT, "too_short") /* no Ethernet header to work on */

enum fwd_drop {
#define FWD_DROP_ENUM(id, name) FWD_DROP_##id,
    FWD_DROPS(FWD_DROP_ENUM)
#undef FWD_DROP_ENUM
        FWD_DROP_COUNT
};

extern const char *const fwd_drop_names[FWD_DROP_COUNT];

struct stream_stats {
    uint64_t rx_packets; /* taken from the receive queue */
    uint64_t tx_packets; /* taken by the transmit queue */
    uint64_t no_mbuf;    /* bursts not built because the pool was empty */
    uint64_t drops[FWD_DROP_COUNT];
};

struct stage_clock;

/* One receive queue and where its packets go. */
struct stream {
    struct port_rxq *rxq;
    struct port_txq *txq;
    struct mempool *pool;      /* for engines that make packets */
    struct stage_clock *clock; /* while its burst is timed, else NULL */
    uint16_t tx_len;           /* length of those, bytes without FCS */
    uint8_t rx_port, tx_port;
    uint16_t rx_queue, tx_queue;
    uint16_t lcore;                 /* who runs it */
    uint8_t own[ETHER_ADDR_BYTES];  /* address of the transmitting port */
    uint8_t peer[ETHER_ADDR_BYTES]; /* who hears it there */

    struct stream_stats stats cache_aligned;
} cache_aligned;

/* What control asks of a running lcore. */
enum lcore_request {
    LCORE_RUN,
    LCORE_STOP, /* return after the round in progress */
};

/* Bursts by size: [0] found nothing, [b] 2^(b-1) .. 2^b - 1 packets. */
#define LCORE_BURST_SIZES 11
_Static_assert(FWD_BURST_MAX < 1 << (LCORE_BURST_SIZES - 1), "the last one");

/*
 * Slices that took longer than their work explains: somebody else had the core.
 * sizes[b] counts those of 2^b .. 2^(b+1) times the threshold.
 */
#define LCORE_GAP_SIZES 8
struct lcore_gaps {
    uint64_t count;
    uint64_t cycles; /* of all */
    uint64_t longest;
    uint64_t last;     /* plat_cycles() at the end of the last one */
    uint64_t with_smi; /* in these the firmware had the core */
    uint64_t smis;     /* SMIs seen at gaps since the start */
    uint64_t sizes[LCORE_GAP_SIZES];
};

/* Times by size: [0] none, [b] 2^(b-1) .. 2^b - 1 ns, the last one all longer. */
#define LCORE_TIME_SIZES 24

/* What the time of a burst goes to. */
#define LCORE_STAGES(S)                                                        \
    S(FORWARD, "forward") /* from ring to ring (port_forward) */               \
    S(RX, "rx")           /* the receive burst */                              \
    S(ENGINE, "engine")   /* what the engine does to packets, and the loop */  \
    S(TX, "tx")           /* the transmit burst */

enum lcore_stage {
#define LCORE_STAGE_ENUM(id, name) LCORE_STAGE_##id,
    LCORE_STAGES(LCORE_STAGE_ENUM)
#undef LCORE_STAGE_ENUM
        LCORE_STAGE_COUNT
};

extern const char *const lcore_stage_names[LCORE_STAGE_COUNT];

/*
 * Of bursts of sampled slices that had packets. A burst's time is from the look
 * that finds its packets to the return from the doorbell that sends them. One
 * that took longer than a gap is in times[] only.
 */
struct lcore_sample {
    uint64_t bursts, packets;
    uint64_t cycles[LCORE_STAGE_COUNT];
    uint64_t times[LCORE_TIME_SIZES];
};

struct engine;

struct lcore {
    unsigned id;
    unsigned burst; /* 1 .. FWD_BURST_MAX */
    unsigned stream_count;
    struct stream *streams;
    const struct engine *engine;
    bool record_cycles;     /* count the busy_ members below */
    uint64_t gap_cycles;    /* a longer slice is a gap; 0 = none is */
    uint64_t ns_scale;      /* 2^32 ns in a cycle; 0 = all times are none */
    uint64_t changed_round; /* what control set last holds from this one on */

    /* Written by control. */
    enum lcore_request request cache_aligned;

    /* Written by this lcore only. */
    uint64_t rounds cache_aligned;
    uint64_t idle_rounds; /* no stream had anything to do */

    /* Of recorded rounds that found packets: with the loop, without control */
    uint64_t busy_cycles, busy_packets, busy_rounds;

    /*
     * All cycles of its slices but gaps. A slice that found packets in some rounds only
     * is shared out by what a round that finds nothing costs.
     */
    uint64_t work_cycles, idle_cycles;
    uint64_t packets; /* found by all bursts */
    uint64_t bursts[LCORE_BURST_SIZES];

    uint64_t idle_round_cycles; /* as seen last */
    uint32_t smis;              /* the core's own count */
    bool knows_smis;
    struct lcore_gaps gaps;

    uint64_t slices;
    uint64_t slice_times[LCORE_TIME_SIZES]; /* slices, by their mean round */
    struct lcore_sample sample;
};

/* Add to a counter that one core writes and others read (L1). */
static always_inline void counter_add(uint64_t *counter, uint64_t n)
{
    __atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

static inline void counter_set(uint64_t *counter, uint64_t value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELAXED);
}

static inline uint64_t counter_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static inline enum lcore_request lcore_requested(const struct lcore *lcore)
{
    return __atomic_load_n(&lcore->request, __ATOMIC_ACQUIRE);
}

static always_inline unsigned lcore_burst_size(unsigned n)
{
    return n == 0 ? 0 : 1 + (31 ^ (unsigned)__builtin_clz(n)); /* one bsr */
}

/* Take @streams, @count of them, to forward with @engine from the next run. */
void lcore_assign(struct lcore *lcore, struct stream *streams, unsigned count,
                  const struct engine *engine);

/* Class of a time (LCORE_TIME_SIZES). */
static inline unsigned lcore_time_size(const struct lcore *lcore,
                                       uint64_t cycles)
{
    const uint64_t ns =
        (uint64_t)(((unsigned __int128)cycles * lcore->ns_scale) >> 32);
    const unsigned size = ns == 0 ? 0 : 64 - (unsigned)__builtin_clzll(ns);

    return size < LCORE_TIME_SIZES ? size : LCORE_TIME_SIZES - 1;
}

/* Rounds between two looks at the clock, and slices between two sampled ones. */
#define LCORE_SLICE   8
#define LCORE_SAMPLED 64

/*
 * Run the engine.
 *
 * @rounds  one burst from every stream each; 0 = until stopped
 * Context  the core that @lcore stands for
 */
void lcore_run(struct lcore *lcore, unsigned rounds);

/* Any core. The lcore returns from lcore_run() within one round. */
void lcore_stop(struct lcore *lcore);

/*
 * Some rounds, as a step for a core of its own (<millrace/core.h>); @lcore is a
 * struct lcore. Returns false once it is stopped.
 */
#define LCORE_STEP_ROUNDS 64
bool lcore_step(void *lcore);
