/*
 * fwd_run.c - binding ports to streams and streams to cores, starting, stopping
 *
 *   F1  while running, every stream's queues belong to ports that were started
 *       when forwarding was, and there is a pool
 *   F4  what control changes of a running lcore, it changes while every core
 *       stands at a quiet point
 */
#include "net/fwd.h"

#include <string.h>

#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "mm/mempool.h"
#include "net/engine.h"
#include "net/fwd_impl.h"
#include "net/txonly.h"

struct stream fwd_streams[FWD_STREAMS_MAX];
unsigned fwd_streams_count;
struct lcore fwd_lcores[LCORE_MAX];
unsigned fwd_lcores_count;
static struct lcore *own; /* the calling core's, or NULL */

void fwd_run_init(void)
{
    static const struct port_quiet quiet = {
        .ask = core_quiet_ask,
        .reached = core_quiet_reached,
    };

    fwd_streams_count = 0;
    fwd_lcores_count = 0;
    own = NULL;
    port_quiet_set(&quiet);
}

/* ---- settings that change while cores run ---- */

static void refresh_lcore(struct lcore *lcore)
{
    lcore->burst = fwd.burst;
    lcore->engine = fwd.engine;
    lcore->record_cycles = fwd.record_cycles;
    lcore->gap_cycles = clock_us_to_cycles(fwd.gap_us);
    lcore->ns_scale = (UINT64_C(1000000000) << 32) / plat_cycles_hz();
    lcore->changed_round = lcore->rounds;
}

void fwd_refresh(void)
{
    if (core_hold(CORE_HOLD_US) != OK)
        return; /* the log has the core; it holds with the next change */
    for (unsigned i = 0; i < fwd_streams_count; i++) {
        struct stream *s = &fwd_streams[i];

        s->pool = fwd.pool;
        s->tx_len = fwd.tx_len;
        memcpy(s->peer, fwd.peer[s->tx_port], sizeof(s->peer));
    }
    for (unsigned i = 0; i < fwd_lcores_count; i++)
        refresh_lcore(&fwd_lcores[i]);
    core_release();
}

/* ---- binding ---- */

static enum status stream_bind(struct stream *s, const struct fwd_route *r)
{
    struct port_info info;

    memset(s, 0, sizeof(*s));
    s->lcore = r->lcore;
    s->rx_port = r->rx_port;
    s->tx_port = r->tx_port;
    s->rx_queue = r->rx_queue;
    s->tx_queue = r->tx_queue;
    s->rxq = port_rxq_get(r->rx_port, r->rx_queue);
    s->txq = port_txq_get(r->tx_port, r->tx_queue);
    if (port_info_get(r->tx_port, &info) != OK || s->rxq == NULL ||
        s->txq == NULL)
        return E_STATE;
    memcpy(s->own, info.mac, sizeof(s->own));
    return OK;
}

/* Has queues; those of a port that recovers come to life by themselves. */
static bool is_ready(unsigned port)
{
    struct port_info info;

    return port_info_get(port, &info) == OK &&
           (info.state == PORT_STARTED || info.state == PORT_RECOVERING) &&
           port_rxq_get(port, 0) != NULL;
}

/* What comes in at @index of the list can be taken and sent on. */
static bool pair_is_ready(unsigned index)
{
    return is_ready(fwd.ports[index]) &&
           is_ready(fwd.ports[fwd_paired_with(index)]);
}

static enum status ports_check(void)
{
    if (fwd.port_count == 0)
        return E_NOENT;
    if (fwd.pool == NULL)
        return E_NOBUF;
    for (unsigned i = 0; i < fwd.port_count; i++)
        if (pair_is_ready(i))
            return OK;
    return E_STATE;
}

/* Nothing is sent elsewhere instead: a cable's other end would be surprised. */
static void tell_left_out(unsigned index)
{
    const unsigned port = fwd.ports[index];
    const unsigned other = fwd.ports[fwd_paired_with(index)];

    log_warning("forwarding: port %u takes no part: port %u is not started",
                port, is_ready(port) ? other : port);
}

static void send_first(void)
{
    for (unsigned i = 0; i < fwd_streams_count; i++)
        for (unsigned b = 0; b < fwd.tx_first; b++)
            txonly_burst(&fwd_streams[i], fwd.burst);
    fwd.tx_first = 0;
}

/* Room for a plan; large for a stack. */
static struct fwd_route plan[FWD_STREAMS_MAX];

/* Every stream of the plan whose ports are ready. */
static enum status bind_all(void)
{
    const unsigned n = fwd_plan(plan);

    fwd_streams_count = 0;
    for (unsigned i = 0; i < fwd.port_count; i++)
        if (!pair_is_ready(i))
            tell_left_out(i);
    for (unsigned i = 0; i < n; i++) {
        const struct fwd_route *r = &plan[i];

        if (!is_ready(r->rx_port) || !is_ready(r->tx_port))
            continue;
        if (r->lcore == FWD_NOWHERE) {
            log_error("forwarding: no core polls port %u queue %u; expected it "
                      "in --config",
                      r->rx_port, r->rx_queue);
            return E_INVALID;
        }
        if (stream_bind(&fwd_streams[fwd_streams_count++], r) != OK) {
            log_error("forwarding: port %u is started but has no queue %u",
                      r->rx_port, r->rx_queue);
            return E_STATE;
        }
    }
    return OK;
}

/* Neighbours on one core make an lcore. */
static void make_lcores(void)
{
    memset(fwd_lcores, 0, sizeof(fwd_lcores));
    fwd_lcores_count = 0;
    own = NULL;
    for (unsigned i = 0, end; i < fwd_streams_count; i = end) {
        struct lcore *lcore = &fwd_lcores[fwd_lcores_count++];

        lcore->id = fwd_streams[i].lcore;
        for (end = i; end < fwd_streams_count; end++)
            if (fwd_streams[end].lcore != lcore->id)
                break;
        lcore_assign(lcore, &fwd_streams[i], end - i, fwd.engine);
        if (lcore->id == plat_lcore_id())
            own = lcore;
    }
}

static bool is_own(const struct lcore *lcore)
{
    return lcore == own;
}

/* ---- who stands still ---- */

/* Control's notes about fwd_lcores[]. */
static struct {
    uint64_t rounds; /* when they changed last */
    uint64_t since;  /* plat_cycles() then */
    bool is_still;   /* and the log has it */
} beats[LCORE_MAX];

static void watch_begin(void)
{
    for (unsigned i = 0; i < fwd_lcores_count; i++) {
        beats[i].rounds = 0;
        beats[i].since = plat_cycles();
        beats[i].is_still = false;
    }
}

static void watch_one(unsigned i)
{
    const uint64_t rounds = counter_read(&fwd_lcores[i].rounds);
    const uint64_t us = clock_cycles_to_us(plat_cycles() - beats[i].since);

    if (rounds == beats[i].rounds) {
        if (us < FWD_STILL_US || beats[i].is_still)
            return;
        log_error("forwarding: core %u stands still at round %llu; its queues "
                  "wait",
                  fwd_lcores[i].id, (unsigned long long)rounds);
        beats[i].is_still = true;
        return;
    }
    if (beats[i].is_still)
        log_notice("forwarding: core %u goes on after %llu ms",
                   fwd_lcores[i].id, (unsigned long long)(us / 1000));
    beats[i].rounds = rounds;
    beats[i].since = plat_cycles();
    beats[i].is_still = false;
}

void fwd_watch(void)
{
    if (!fwd.running)
        return;
    for (unsigned i = 0; i < fwd_lcores_count; i++)
        if (!is_own(&fwd_lcores[i]))
            watch_one(i);
}

/* ---- running ---- */

/*
 * Wait for all lcores but our own to have stopped, and let none of them keep
 * buffers: it may never forward again.
 */
static enum status collect(void)
{
    enum status first = OK;

    for (unsigned i = 0; i < fwd_lcores_count; i++) {
        const struct lcore *lcore = &fwd_lcores[i];
        enum status s;

        if (is_own(lcore))
            continue;
        s = core_wait(lcore->id, FWD_STOP_US);
        if (s == OK)
            mempool_cache_flush(fwd.pool, lcore->id);
        else
            log_error("forwarding: core %u does not stop: %s", lcore->id,
                      status_text(s));
        if (first == OK)
            first = s;
    }
    return first;
}

static void stop_all(void)
{
    for (unsigned i = 0; i < fwd_lcores_count; i++)
        lcore_stop(&fwd_lcores[i]);
}

static enum status launch(void)
{
    for (unsigned i = 0; i < fwd_lcores_count; i++) {
        struct lcore *lcore = &fwd_lcores[i];
        const enum status s =
            is_own(lcore) ? OK : core_run(lcore->id, lcore_step, lcore);

        if (s == OK)
            continue;
        log_error("forwarding: core %u cannot begin: %s", lcore->id,
                  status_text(s));
        stop_all();
        (void)!collect();
        return s;
    }
    return OK;
}

enum status fwd_start(void)
{
    enum status s;

    if (fwd.running)
        return E_EXIST;
    s = ports_check();
    if (s == OK)
        s = bind_all();
    if (s != OK)
        return s;
    make_lcores();
    fwd_refresh();
    fwd_stats_clear();
    send_first();
    watch_begin();
    s = launch();
    fwd.running = s == OK;
    return s;
}

/* Take back what has left; true when nothing is in the transmit rings. */
static bool all_have_left(void)
{
    unsigned waiting = 0;

    for (unsigned i = 0; i < fwd_streams_count; i++) {
        unsigned in_rx, in_tx;

        port_tx_idle(fwd_streams[i].txq);
        port_buffers_get(fwd_streams[i].tx_port, &in_rx, &in_tx);
        waiting += in_tx;
    }
    return waiting == 0;
}

/* Without a link nothing leaves: not for ever. */
static void let_leave(void)
{
    const struct deadline d = deadline_in_us(FWD_LEAVE_US);

    while (!all_have_left() && !deadline_passed(&d))
        plat_pause();
}

enum status fwd_stop(void)
{
    enum status s;

    if (!fwd.running)
        return E_STATE;
    stop_all();
    s = collect();
    if (s != OK)
        return s; /* what a lost core holds is nobody's to touch */
    fwd.running = false;
    let_leave();
    return OK;
}

bool fwd_is_running(void)
{
    return fwd.running;
}

bool fwd_is_ours(void)
{
    return fwd.running && own != NULL;
}

void fwd_run(unsigned rounds)
{
    if (fwd_is_ours())
        lcore_run(own, rounds);
}

/* ---- what runs ---- */

const struct stream *fwd_stream(unsigned index)
{
    return index < fwd_streams_count ? &fwd_streams[index] : NULL;
}

unsigned fwd_stream_count(void)
{
    return fwd_streams_count;
}

const struct lcore *fwd_lcore(unsigned index)
{
    return index < fwd_lcores_count ? &fwd_lcores[index] : NULL;
}

unsigned fwd_lcore_count(void)
{
    return fwd_lcores_count;
}
