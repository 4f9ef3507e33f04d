/*
 * watch.c - a queue that stands still is restarted, alone
 *
 * Transmit: the oldest descriptor is not done although the link is up. Either
 * firmware found fault with a packet and blocked the queue (malicious-driver
 * detection), or a pause frame of the other side holds it back, or it hangs.
 * Receive: the chip counts frames for us that no queue got, descriptors are
 * there, and none is written back. Both are known of silicon; what cures them is
 * to switch the queue off and on. Its neighbours and the port go on.
 *
 *   W1  a queue that nobody polls does not stand still: then finished
 *       descriptors wait in the ring
 *   W2  a look is a handful of loads; registers are read when they say more
 *   W3  restarts shortly after another are spaced, each time by more; three
 *       that did not help end in a recovery of the port (recover.c)
 *   W4  the chip counts frames for all queues together: a receive queue is only
 *       blamed for more than the others may hold unseen, and for nothing while
 *       another one is off or full. Nothing tells one that stands still from
 *       one that is dry, so both are restarted; and where there are several, a
 *       restart that did not help is no reason to recover the port
 *
 * The cursors belong to the core that polls. They are read here as single
 * words, while it moves them: an old value makes a look late, no more.
 */
#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

#define TX_HANG_US   1000000
#define RX_WINDOW_US 500000
#define RX_WINDOWS   2  /* in which frames came and none was written back */
#define RX_ENOUGH    32 /* descriptors; the chip fetches them in groups */
#define SPACE_US     1000000  /* before the second restart, then doubled */
#define SPACE_MAX_US 64000000 /* later restarts are not in a row */
#define FUTILE       3
#define RXD_DONE     1

static uint64_t us_since(uint64_t cycles)
{
    return clock_cycles_to_us(plat_cycles() - cycles);
}

static void moved(struct queue_watch *w, unsigned mark)
{
    w->has_moved |= mark != w->mark;
    w->mark = mark;
    w->windows = 0;
    w->since_cycles = plat_cycles();
}

/* ---- restarts ---- */

void nic_watch_ask(struct queue_watch *w)
{
    w->is_asked = true;
}

static uint64_t space_us(const struct queue_watch *w)
{
    uint64_t us = w->in_a_row == 0 ? 0 : SPACE_US;

    for (unsigned i = 1; i < w->in_a_row && us < SPACE_MAX_US; i++)
        us *= 2;
    return us;
}

/* W3: true when a restart that is asked for may be done now. */
static bool may_restart(struct queue_watch *w)
{
    const uint64_t us = us_since(w->restarted_cycles);

    if (!w->is_asked || w->is_taken)
        return false;
    if (w->restarts > 0 && us >= SPACE_MAX_US)
        w->in_a_row = 0;
    return us >= space_us(w);
}

static void taken(struct queue_watch *w)
{
    w->is_asked = false;
    w->is_taken = true;
    w->ticket = nic_quiet_ask();
}

static void restarted(struct queue_watch *w)
{
    w->is_taken = false;
    w->restarts++;
    w->in_a_row++;
    w->restarted_cycles = plat_cycles();
    w->has_moved = false;
    w->windows = 0;
    w->mark = 0;
    w->since_cycles = plat_cycles();
}

static void tell_restart(struct nic *nic, enum status s, const char *kind,
                         unsigned queue, unsigned buffers)
{
    if (s == OK)
        log_notice("xl710 %s: %s queue %u restarted, %u buffers went back to "
                   "their pools",
                   nic->name, kind, queue, buffers);
    else
        nic_recover(nic, "a queue does not restart");
}

/* A restart is under way, or was begun now; true when it ends the look. */
static bool tx_restarts(struct nic *nic, unsigned queue)
{
    struct queue_watch *w = &nic->tx_watch[queue];
    const struct port_txq *q = &nic->txq[queue];
    unsigned buffers;
    enum status s;

    if (may_restart(w)) {
        txq_take(nic, queue);
        taken(w);
    }
    if (!w->is_taken)
        return w->is_asked;
    if (nic_quiet_reached(w->ticket)) {
        buffers = q->n - 1 - q->free;
        restarted(w);
        s = txq_halt(nic, queue);
        tell_restart(nic, s == OK ? txq_go(nic, queue) : s, "transmit", queue,
                     buffers);
    }
    return true;
}

static bool rx_restarts(struct nic *nic, unsigned queue)
{
    struct queue_watch *w = &nic->rx_watch[queue];
    unsigned buffers;
    enum status s;

    if (may_restart(w)) {
        rxq_take(nic, queue);
        taken(w);
    }
    if (!w->is_taken)
        return w->is_asked;
    if (nic_quiet_reached(w->ticket)) {
        buffers = nic->rxq[queue].owned;
        restarted(w);
        s = rxq_halt(nic, queue);
        tell_restart(nic, s == OK ? rxq_go(nic, queue) : s, "receive", queue,
                     buffers);
    }
    return true;
}

static bool is_futile(const struct queue_watch *w)
{
    return w->in_a_row >= FUTILE && !w->has_moved;
}

static void ask_restart(struct nic *nic, struct queue_watch *w)
{
    if (is_futile(w))
        nic_recover(nic, "restarts of the queue do not help");
    else
        nic_watch_ask(w);
}

/* ---- transmit ---- */

/* W1: each descriptor in flight was written as "not done". */
static bool any_is_done(const struct port_txq *q, unsigned clean, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned slot = clean + i < q->n ? clean + i : clean + i - q->n;

        if ((LOAD(q->ring[slot].qw1) & TXD_TYPE) == TXD_TYPE_DONE)
            return true;
    }
    return false;
}

static void tell_tx_hang(struct nic *nic, unsigned queue, uint64_t pauses)
{
    const struct port_txq *q = &nic->txq[queue];

    log_error("xl710 %s: transmit queue %u hangs: no descriptor done for %u "
              "ms; head %u, tail %u, oldest %u, its bucket ends at %u, link "
              "up at %u Mb/s, %llu pause frames received; the queue restarts",
              nic->name, queue, TX_HANG_US / 1000,
              (unsigned)reg_read(nic, QTX_HEAD, queue), LOAD(q->tail),
              LOAD(q->clean), LOAD(q->next_done), nic->link.speed_mbps,
              (unsigned long long)pauses);
}

static void tx_look(struct nic *nic, unsigned queue)
{
    struct queue_watch *w = &nic->tx_watch[queue];
    const struct port_txq *q = &nic->txq[queue];
    const unsigned clean = LOAD(q->clean), flying = q->n - 1 - LOAD(q->free);
    uint64_t pauses;

    if (tx_restarts(nic, queue))
        return;
    if (clean != w->mark || flying == 0 || !nic->link.is_up) {
        moved(w, clean);
        return;
    }
    if (w->windows == 0 && us_since(w->since_cycles) >= TX_HANG_US / 2) {
        w->counted = stats_counter(nic, GLPRT_LXOFFRXC);
        w->windows = 1;
    }
    if (us_since(w->since_cycles) < TX_HANG_US)
        return;
    if (any_is_done(q, clean, flying)) {
        moved(w, clean);
        return;
    }
    pauses = stats_counter(nic, GLPRT_LXOFFRXC);
    if (pauses != w->counted) {
        log_warning("xl710 %s: transmit queue %u is held back by pause frames "
                    "of the other side (%llu so far)",
                    nic->name, queue, (unsigned long long)pauses);
        moved(w, clean);
        return;
    }
    mdd_poll(nic); /* the cause may be known */
    if (!w->is_asked) {
        tell_tx_hang(nic, queue, pauses);
        ask_restart(nic, w);
    }
}

/* ---- receive ---- */

/* Frames that one of our queues should have got: damaged ones do not count. */
static uint64_t frames_for_us(struct nic *nic)
{
    static const enum counter arrived[] = { GLV_UPRC, GLV_MPRC, GLV_BPRC,
                                            GLV_RDPC, GLPRT_RDPC };
    uint64_t n = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(arrived); i++)
        n += stats_counter(nic, arrived[i]);
    return n - stats_counter(nic, GL_RXERR1L);
}

/* ... and those that one of them got. */
static uint64_t frames_seen(const struct nic *nic)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < nic_queues(nic); i++) {
        const struct rx_counters *c = &nic->rxq[i].stats;

        n += LOAD(c->packets) + LOAD(c->damaged) + LOAD(c->oversize) +
             LOAD(c->bad_length) + LOAD(c->endless);
    }
    return n;
}

/* Hardly a descriptor is left for the chip, or its core takes nothing. */
static void note_full(struct queue_watch *w, const struct port_rxq *q)
{
    const unsigned next = LOAD(q->next), owned = LOAD(q->owned);
    unsigned last = next + owned - RX_ENOUGH;

    if (last >= q->n)
        last -= q->n;
    if (owned < RX_ENOUGH || (LOAD(q->ring[last].qw1) & RXD_DONE) != 0)
        w->full_cycles = plat_cycles();
}

static bool was_full(const struct queue_watch *w)
{
    return w->full_cycles != 0 && us_since(w->full_cycles) < 2 * RX_WINDOW_US;
}

/*
 * W4: descriptors of the other queues, in which frames may wait that nobody has
 * seen; UINT64_MAX when one of them drops frames for reasons of its own.
 */
static uint64_t others_may_hide(const struct nic *nic, unsigned queue)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < nic_queues(nic); i++) {
        if (i == queue)
            continue;
        if (nic->rx_stopped[i] || nic->rx_watch[i].is_taken ||
            was_full(&nic->rx_watch[i]))
            return UINT64_MAX;
        n += nic->rxq[i].n;
    }
    return n;
}

static void tell_rx_stall(struct nic *nic, unsigned queue, uint64_t frames)
{
    const struct port_rxq *q = &nic->rxq[queue];

    log_error(
        "xl710 %s: receive queue %u stands still: the chip counted %llu "
        "frames in %u ms that no queue got, %u descriptors wait at %u and "
        "none is done; the queue restarts",
        nic->name, queue, (unsigned long long)frames,
        RX_WINDOWS * RX_WINDOW_US / 1000, LOAD(q->owned), LOAD(q->next));
}

/*
 * Frames that came in this window and that no queue got. The first window may
 * have begun with traffic, so its frames are not held against the queue.
 */
static void rx_window(struct nic *nic, unsigned queue)
{
    struct queue_watch *w = &nic->rx_watch[queue];
    const uint64_t lost = frames_for_us(nic) - frames_seen(nic);
    const int64_t more = (int64_t)(lost - w->counted);

    w->since_cycles = plat_cycles();
    w->counted = lost;
    if (more <= 0 || others_may_hide(nic, queue) == UINT64_MAX) {
        w->windows = 0;
        return;
    }
    w->lost = w->windows == 0 ? 0 : w->lost + (uint64_t)more;
    w->windows++;
}

static void rx_look(struct nic *nic, unsigned queue)
{
    struct queue_watch *w = &nic->rx_watch[queue];
    const struct port_rxq *q = &nic->rxq[queue];
    const unsigned next = LOAD(q->next);

    note_full(w, q);
    if (rx_restarts(nic, queue))
        return;
    if (next != w->mark || LOAD(q->owned) < RX_ENOUGH ||
        (LOAD(q->ring[next].qw1) & RXD_DONE) != 0) {
        moved(w, next);
        return;
    }
    if (us_since(w->since_cycles) < RX_WINDOW_US)
        return;
    rx_window(nic, queue);
    if (w->windows <= RX_WINDOWS || w->lost <= others_may_hide(nic, queue))
        return;
    w->windows = 0;
    if (nic_queues(nic) > 1 && is_futile(w))
        return;
    mdd_poll(nic);
    if (!w->is_asked) {
        tell_rx_stall(nic, queue, w->lost);
        ask_restart(nic, w);
    }
}

/* ---- the rounds ---- */

void queue_watch_open(struct queue_watch *w)
{
    w->is_asked = w->is_taken = false;
    moved(w, 0);
}

void nic_watch_open(struct nic *nic)
{
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        queue_watch_open(&nic->tx_watch[i]);
        queue_watch_open(&nic->rx_watch[i]);
    }
}

void nic_watch_poll(struct nic *nic)
{
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        if (nic->state == PORT_STARTED && !nic->tx_stopped[i])
            tx_look(nic, i);
        if (nic->state == PORT_STARTED && !nic->rx_stopped[i])
            rx_look(nic, i);
    }
}
