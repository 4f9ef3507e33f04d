/*
 * fwd.c - binding ports to streams, starting, stopping, counting
 *
 *   F1  while running, every stream's queues belong to ports that were started
 *       when forwarding was, and there is a pool
 *   F2  lcore counters are never written here while running: a clear moves a
 *       baseline
 *   F3  differences to a baseline are taken modulo 2^64, so a baseline may lie
 *       "before" zero after the port's own counters were cleared
 */
#include "net/fwd.h"

#include <string.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "net/engine.h"
#include "net/txonly.h"

static struct {
    const struct engine *engine;
    struct mempool *pool;
    unsigned burst;
    uint16_t tx_len;
    unsigned tx_first; /* bursts, at the next start */
    bool record_cycles;
    bool running;

    uint8_t ports[PORT_MAX];
    unsigned port_count;
    uint8_t peer[PORT_MAX][ETHER_ADDR_BYTES];

    struct port_stats port_base[PORT_MAX];
    struct stream_stats stream_base[PORT_MAX];
    struct fwd_cycles cycles_base;
} fwd;

static struct stream streams[PORT_MAX];
static unsigned stream_count;
static struct lcore lcore;

void fwd_init(void)
{
    memset(&fwd, 0, sizeof(fwd));
    memset(streams, 0, sizeof(streams));
    memset(&lcore, 0, sizeof(lcore));
    stream_count = 0;
    fwd.engine = engines[0];
    fwd.burst = FWD_BURST_DEFAULT;
    fwd.tx_len = TXONLY_LEN_DEFAULT;
    fwd.port_count = port_count();
    for (unsigned p = 0; p < PORT_MAX; p++) {
        fwd.ports[p] = (uint8_t)p;
        fwd.peer[p][0] = 0x02; /* locally administered, as testpmd's peers */
        fwd.peer[p][5] = (uint8_t)p;
    }
}

/* ---- settings ---- */

/* Bring what streams copied from the settings up to date. */
static void streams_refresh(void)
{
    for (unsigned i = 0; i < stream_count; i++) {
        struct stream *s = &streams[i];

        s->pool = fwd.pool;
        s->tx_len = fwd.tx_len;
        memcpy(s->peer, fwd.peer[s->tx_port], sizeof(s->peer));
    }
    lcore.burst = fwd.burst;
    lcore.engine = fwd.engine;
    lcore.record_cycles = fwd.record_cycles;
}

void fwd_pool_set(struct mempool *pool)
{
    fwd.pool = pool;
    streams_refresh();
}

void fwd_engine_set(const struct engine *engine)
{
    fwd.engine = engine;
    streams_refresh();
}

const struct engine *fwd_engine_get(void)
{
    return fwd.engine;
}

enum status fwd_burst_set(unsigned burst)
{
    if (burst == 0 || burst > FWD_BURST_MAX)
        return E_RANGE;
    fwd.burst = burst;
    streams_refresh();
    return OK;
}

unsigned fwd_burst_get(void)
{
    return fwd.burst;
}

enum status fwd_txpkts_set(unsigned bytes)
{
    if (bytes < TXONLY_LEN_MIN || bytes > TXONLY_LEN_MAX)
        return E_RANGE;
    fwd.tx_len = (uint16_t)bytes;
    streams_refresh();
    return OK;
}

unsigned fwd_txpkts_get(void)
{
    return fwd.tx_len;
}

enum status fwd_peer_set(unsigned port, const uint8_t mac[ETHER_ADDR_BYTES])
{
    if (port >= PORT_MAX)
        return E_RANGE;
    memcpy(fwd.peer[port], mac, ETHER_ADDR_BYTES);
    streams_refresh();
    return OK;
}

void fwd_peer_get(unsigned port, uint8_t mac[ETHER_ADDR_BYTES])
{
    memcpy(mac, fwd.peer[port], ETHER_ADDR_BYTES);
}

enum status fwd_ports_set(const uint8_t ports[], unsigned count)
{
    bool seen[PORT_MAX] = { false };

    if (fwd.running)
        return E_STATE;
    if (count == 0 || count > PORT_MAX)
        return E_RANGE;
    for (unsigned i = 0; i < count; i++) {
        if (ports[i] >= port_count())
            return E_NOENT;
        if (seen[ports[i]])
            return E_EXIST;
        seen[ports[i]] = true;
    }
    memcpy(fwd.ports, ports, count);
    fwd.port_count = count;
    return OK;
}

unsigned fwd_port_count(void)
{
    return fwd.port_count;
}

unsigned fwd_port_at(unsigned index)
{
    return fwd.ports[index];
}

bool fwd_port_used(unsigned port)
{
    for (unsigned i = 0; i < fwd.port_count; i++)
        if (fwd.ports[i] == port)
            return true;
    return false;
}

unsigned fwd_paired_with(unsigned index)
{
    if (index % 2 == 1)
        return index - 1;
    return index + 1 < fwd.port_count ? index + 1 : index;
}

void fwd_tx_first_set(unsigned bursts)
{
    fwd.tx_first = bursts;
}

void fwd_record_cycles_set(bool on)
{
    fwd.record_cycles = on;
    streams_refresh();
}

bool fwd_record_cycles_get(void)
{
    return fwd.record_cycles;
}

/* ---- running ---- */

static enum status stream_bind(struct stream *s, unsigned rx, unsigned tx)
{
    struct port_info info;

    memset(s, 0, sizeof(*s));
    s->rx_port = (uint8_t)rx;
    s->tx_port = (uint8_t)tx;
    s->rxq = port_rxq_get(rx, 0);
    s->txq = port_txq_get(tx, 0);
    if (port_info_get(tx, &info) != OK || s->rxq == NULL || s->txq == NULL)
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
    for (unsigned i = 0; i < stream_count; i++)
        for (unsigned b = 0; b < fwd.tx_first; b++)
            txonly_burst(&streams[i], fwd.burst);
    fwd.tx_first = 0;
}

enum status fwd_start(void)
{
    unsigned n = 0;
    enum status s;

    if (fwd.running)
        return E_EXIST;
    s = ports_check();
    if (s != OK)
        return s;
    stream_count = 0;
    for (unsigned i = 0; i < fwd.port_count; i++) {
        if (!pair_is_ready(i)) {
            tell_left_out(i);
            continue;
        }
        s = stream_bind(&streams[n], fwd.ports[i],
                        fwd.ports[fwd_paired_with(i)]);
        if (s != OK) {
            log_error("fwd: port %u is started but has no queue", fwd.ports[i]);
            return s;
        }
        n++;
    }
    stream_count = n;
    lcore.id = plat_lcore_id();
    lcore_assign(&lcore, streams, stream_count, fwd.engine);
    streams_refresh();
    fwd_stats_clear();
    send_first();
    fwd.running = true;
    return OK;
}

/* Take back what has left; true when nothing is in the transmit rings. */
static bool all_have_left(void)
{
    unsigned waiting = 0;

    for (unsigned i = 0; i < stream_count; i++) {
        unsigned in_rx, in_tx;

        port_tx_idle(streams[i].txq);
        port_buffers_get(streams[i].tx_port, &in_rx, &in_tx);
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
    if (!fwd.running)
        return E_STATE;
    lcore_stop(&lcore);
    fwd.running = false;
    let_leave();
    return OK;
}

bool fwd_is_running(void)
{
    return fwd.running;
}

void fwd_run(unsigned rounds)
{
    if (fwd.running)
        lcore_run(&lcore, rounds);
}

const struct stream *fwd_stream(unsigned index)
{
    return index < stream_count ? &streams[index] : NULL;
}

unsigned fwd_stream_count(void)
{
    return stream_count;
}

const struct lcore *fwd_lcore(void)
{
    return &lcore;
}

/* ---- statistics ---- */

static void stream_stats_read(const struct stream *s, struct stream_stats *out)
{
    out->rx_packets = counter_read(&s->stats.rx_packets);
    out->tx_packets = counter_read(&s->stats.tx_packets);
    out->no_mbuf = counter_read(&s->stats.no_mbuf);
    for (unsigned d = 0; d < FWD_DROP_COUNT; d++)
        out->drops[d] = counter_read(&s->stats.drops[d]);
}

static void stream_stats_add(unsigned index, struct fwd_port_stats *stats)
{
    const struct stream_stats *base = &fwd.stream_base[index];
    struct stream_stats now;

    stream_stats_read(&streams[index], &now);
    stats->no_mbuf += now.no_mbuf - base->no_mbuf;
    for (unsigned d = 0; d < FWD_DROP_COUNT; d++) {
        const uint64_t n = now.drops[d] - base->drops[d];

        stats->drops[d] += n;
        stats->tx_dropped += n;
    }
}

void fwd_port_stats_get(unsigned port, struct fwd_port_stats *stats)
{
    const struct port_stats *base = &fwd.port_base[port];
    struct port_stats now;

    port_stats_get(port, &now);
    *stats = (struct fwd_port_stats) {
        .rx_packets = now.ipackets - base->ipackets,
        .rx_dropped = now.imissed - base->imissed,
        .rx_errors = now.ierrors - base->ierrors,
        .rx_nombuf = now.rx_nombuf - base->rx_nombuf,
        .tx_packets = now.opackets - base->opackets,
        .tx_dropped = now.oerrors - base->oerrors,
    };
    for (unsigned i = 0; i < stream_count; i++)
        if (streams[i].tx_port == port)
            stream_stats_add(i, stats);
}

static void cycles_read(struct fwd_cycles *c)
{
    c->cycles = counter_read(&lcore.busy_cycles);
    c->packets = counter_read(&lcore.busy_packets);
    c->rounds = counter_read(&lcore.busy_rounds);
}

void fwd_cycles_get(struct fwd_cycles *c)
{
    cycles_read(c);
    c->cycles -= fwd.cycles_base.cycles;
    c->packets -= fwd.cycles_base.packets;
    c->rounds -= fwd.cycles_base.rounds;
}

void fwd_stats_clear(void)
{
    cycles_read(&fwd.cycles_base);
    for (unsigned p = 0; p < port_count(); p++)
        port_stats_get(p, &fwd.port_base[p]);
    for (unsigned i = 0; i < stream_count; i++)
        stream_stats_read(&streams[i], &fwd.stream_base[i]);
}

void fwd_clear_port_stats(unsigned port)
{
    struct port_stats *base = &fwd.port_base[port];
    struct port_stats now;

    port_stats_get(port, &now);
    base->ipackets -= now.ipackets;
    base->opackets -= now.opackets;
    base->ibytes -= now.ibytes;
    base->obytes -= now.obytes;
    base->imissed -= now.imissed;
    base->ierrors -= now.ierrors;
    base->oerrors -= now.oerrors;
    base->rx_nombuf -= now.rx_nombuf;
    port_stats_clear(port);
}
