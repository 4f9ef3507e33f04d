/*
 * engine.h - what is done to packets, and the loop it is inlined into
 *
 * An engine is one burst function: take up to max packets of a stream, work,
 * pass them on, return how many there were. ENGINE() gives it its own copy of
 * the loop, so there is one indirect call per lcore_run() and none per packet.
 *
 *   N1  a packet taken from a queue is sent, freed or counted before the burst
 *       function returns
 *   N2  what the transmit queue does not take is still ours: it is freed in
 *       bulk and counted as tx_full, and not tried again (as testpmd does)
 *   N3  a burst that found nothing calls port_tx_idle(), so the last buffers
 *       come back without new traffic
 *   N4  only the first segment's header is touched, and only when it is there
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/plat.h>
#include <millrace/port.h>

#include "mm/mbuf.h"
#include "net/headers.h"
#include "net/lcore.h"

struct engine {
    const char *name; /* as in `set fwd` */
    const char *help;
    bool makes_packets; /* `set txpkts` matters */
    unsigned (*burst)(struct stream *s, unsigned max);
    void (*run)(struct lcore *lcore, unsigned rounds); /* burst is inlined */
};

/* All engines, NULL at the end; the first is the default. */
extern const struct engine *const engines[];

extern const struct engine engine_io, engine_mac, engine_macswap, engine_rxonly,
    engine_txonly;

/* The engine called @name, or NULL. */
const struct engine *engine_find(const char *name);

/*
 * May packets go from ring to ring, past mbufs, where ports can (port_forward)?
 * On at first; off, to see what that is worth. Any core; from the next burst.
 */
extern bool engine_fused;

static always_inline bool engine_fused_get(void)
{
    return __atomic_load_n(&engine_fused, __ATOMIC_RELAXED);
}

void engine_fused_set(bool on);

typedef unsigned engine_burst(struct stream *s, unsigned max);

static inline void engine_record(struct lcore *lcore, uint64_t since,
                                 unsigned found)
{
    counter_add(&lcore->busy_cycles, plat_cycles() - since);
    counter_add(&lcore->busy_packets, found);
    counter_add(&lcore->busy_rounds, 1);
}

static always_inline void engine_count_burst(struct lcore *lcore, unsigned n)
{
    counter_add(&lcore->bursts[lcore_burst_size(n)], 1);
}

/* @since is when the round began, where it is recorded. */
static always_inline void engine_count_round(struct lcore *lcore, bool record,
                                             uint64_t since, unsigned found)
{
    counter_add(&lcore->rounds, 1);
    counter_add(&lcore->packets, found);
    if (found == 0)
        counter_add(&lcore->idle_rounds, 1);
    else if (unlikely(record))
        engine_record(lcore, since, found);
}

/* The loop. @burst is a constant at each call, so it is inlined. */
static always_inline void engine_rounds(struct lcore *lcore, unsigned rounds,
                                        engine_burst *burst)
{
    for (unsigned r = 0; rounds == 0 || r < rounds; r++) {
        const unsigned max = lcore->burst;
        const bool record = lcore->record_cycles;
        const uint64_t since = unlikely(record) ? plat_cycles() : 0;
        unsigned found = 0;

        if (unlikely(lcore_requested(lcore) != LCORE_RUN))
            return;
        for (unsigned i = 0; i < lcore->stream_count; i++) {
            const unsigned n = burst(&lcore->streams[i], max);

            engine_count_burst(lcore, n);
            found += n;
        }
        engine_count_round(lcore, record, since, found);
    }
}

/* The same, slower: each burst is timed (L5 of lcore.h). */
void engine_rounds_timed(struct lcore *lcore, unsigned rounds);

#define ENGINE(id, burst_function, makes, text)                                \
    static void id##_run(struct lcore *l, unsigned rounds)                     \
    {                                                                          \
        engine_rounds(l, rounds, burst_function);                              \
    }                                                                          \
    const struct engine engine_##id = { .name = #id,                           \
                                        .help = text,                          \
                                        .makes_packets = makes,                \
                                        .burst = burst_function,               \
                                        .run = id##_run }

/* ---- stages ---- */

/* Where the burst that is being timed is; see enum lcore_stage. */
struct stage_clock {
    uint64_t since; /* it entered @stage */
    enum lcore_stage stage;
    uint64_t cycles[LCORE_STAGE_COUNT];
};

void stage_enter(struct stage_clock *clock, enum lcore_stage stage);

/*
 * The three calls of a port, timed. A burst that is not timed pays for one
 * comparison each.
 */
unsigned stage_forward(struct stream *s, unsigned max, port_edit *edit,
                       const void *context);
unsigned stage_receive(struct stream *s, struct mbuf *pkts[], unsigned max);
unsigned stage_send(struct stream *s, struct mbuf *pkts[], unsigned n);

/* ---- steps that engines are made of ---- */

static inline void stream_drop(struct stream *s, enum fwd_drop why,
                               struct mbuf *const pkts[], unsigned n)
{
    counter_add(&s->stats.drops[why], n);
    mbuf_free_bulk(pkts, n);
}

/* Receive; gives finished transmit buffers back when there was nothing (N3). */
static always_inline unsigned stream_receive(struct stream *s,
                                             struct mbuf *pkts[], unsigned max)
{
    const unsigned n = unlikely(s->clock != NULL)
                           ? stage_receive(s, pkts, max)
                           : port_rx_burst(s->rxq, pkts, max);

    if (n == 0)
        port_tx_idle(s->txq);
    else
        counter_add(&s->stats.rx_packets, n);
    return n;
}

/* Send; what does not fit is dropped (N2). */
static always_inline void stream_send(struct stream *s, struct mbuf *pkts[],
                                      unsigned n)
{
    const unsigned sent = unlikely(s->clock != NULL)
                              ? stage_send(s, pkts, n)
                              : port_tx_burst(s->txq, pkts, n);

    counter_add(&s->stats.tx_packets, sent);
    if (unlikely(sent < n))
        stream_drop(s, FWD_DROP_TX_FULL, pkts + sent, n - sent);
}

/*
 * From ring to ring, where nothing but the first bytes of a frame matters. What
 * remains of @max is for stream_receive() and stream_send(): so a burst is made
 * of the same packets either way, and a full ring drops the same ones.
 */
static always_inline unsigned stream_pass(struct stream *s, unsigned max,
                                          port_edit *edit, const void *context)
{
    unsigned n;

    if (unlikely(!engine_fused_get()))
        return 0;
    n = unlikely(s->clock != NULL)
            ? stage_forward(s, max, edit, context)
            : port_forward(s->rxq, s->txq, max, edit, context);
    if (likely(n > 0)) {
        counter_add(&s->stats.rx_packets, n);
        counter_add(&s->stats.tx_packets, n);
    }
    return n;
}

/* ---- editing Ethernet headers: edit.c ---- */

/*
 * An edit changes the first 14 bytes of a frame and may read, and write back
 * unchanged, up to EDIT_BYTES: the width of one vector store.
 */
#define EDIT_BYTES 16

/* What goes over both addresses; prepared once a burst. */
struct edit_addresses {
    uint64_t head; /* bytes 0 .. 7 */
    uint32_t rest; /* bytes 8 .. 11 */
};
_Static_assert(2 * ETHER_ADDR_BYTES == 12, "head and rest");

typedef void engine_edit(const struct edit_addresses *to, uint8_t *frame);

/*
 * The packets of a burst among which some are shorter than EDIT_BYTES: those
 * are edited in a copy of their header, or dropped when they have none (N4).
 *
 * Returns  how many are left, at the front of @pkts
 */
unsigned stream_edit_odd(struct stream *s, struct mbuf *pkts[], unsigned n,
                         const struct edit_addresses *to, engine_edit *edit);

static always_inline bool edit_is_plain(const struct mbuf *m)
{
    return likely(m->data_len >= EDIT_BYTES);
}

/* How many of the first packets were plain, and edited. */
static always_inline unsigned edit_plain(struct mbuf *const pkts[], unsigned n,
                                         const struct edit_addresses *to,
                                         engine_edit *edit)
{
    unsigned i = 0;

    for (; n - i >= 4; i += 4) {
        struct mbuf *const a = pkts[i], *const b = pkts[i + 1];
        struct mbuf *const c = pkts[i + 2], *const d = pkts[i + 3];

        if (!edit_is_plain(a) || !edit_is_plain(b) || !edit_is_plain(c) ||
            !edit_is_plain(d))
            break;
        edit(to, mbuf_data(a));
        edit(to, mbuf_data(b));
        edit(to, mbuf_data(c));
        edit(to, mbuf_data(d));
    }
    for (; i < n && edit_is_plain(pkts[i]); i++)
        edit(to, mbuf_data(pkts[i]));
    return i;
}

_Static_assert(EDIT_BYTES <= PORT_EDIT_BYTES, "what port_forward() promises");

/* The same for frames on their way from ring to ring. @edit is inlined. */
static always_inline void edit_frames(const void *to, struct mbuf *const at[],
                                      size_t offset, unsigned n,
                                      engine_edit *edit)
{
    unsigned i = 0;

    for (; n - i >= 4; i += 4) {
        edit(to, (uint8_t *)at[i] + offset);
        edit(to, (uint8_t *)at[i + 1] + offset);
        edit(to, (uint8_t *)at[i + 2] + offset);
        edit(to, (uint8_t *)at[i + 3] + offset);
    }
    for (; i < n; i++)
        edit(to, (uint8_t *)at[i] + offset);
}

/*
 * Receive, edit each packet's Ethernet header, send. @edit is inlined, and so
 * is it in @edit_all, which is edit_frames() with it.
 */
static always_inline unsigned stream_edit(struct stream *s, unsigned max,
                                          const struct edit_addresses *to,
                                          engine_edit *edit,
                                          port_edit *edit_all)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    const unsigned passed = stream_pass(s, max, edit_all, to);
    unsigned n, kept;

    if (likely(passed == max))
        return max;
    n = stream_receive(s, pkts, max - passed);
    if (n == 0)
        return passed;
    kept = edit_plain(pkts, n, to, edit);
    if (unlikely(kept < n))
        kept += stream_edit_odd(s, pkts + kept, n - kept, to, edit);
    if (likely(kept > 0))
        stream_send(s, pkts, kept);
    return passed + n;
}
