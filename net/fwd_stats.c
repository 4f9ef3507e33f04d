/*
 * fwd_stats.c - counting what was forwarded
 *
 *   F2  lcore counters are never written here while running: a clear moves a
 *       baseline
 *   F3  differences to a baseline are taken modulo 2^64, so a baseline may lie
 *       "before" zero after the port's own counters were cleared
 */
#include "net/fwd.h"

#include "net/fwd_impl.h"

static struct stream_stats stream_base[FWD_STREAMS_MAX];

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
    const struct stream_stats *base = &stream_base[index];
    struct stream_stats now;

    stream_stats_read(&fwd_streams[index], &now);
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
    for (unsigned i = 0; i < fwd_streams_count; i++)
        if (fwd_streams[i].tx_port == port)
            stream_stats_add(i, stats);
}

static void cycles_read(struct fwd_cycles *c)
{
    *c = (struct fwd_cycles) { 0 };
    for (unsigned i = 0; i < fwd_lcores_count; i++) {
        c->cycles += counter_read(&fwd_lcores[i].busy_cycles);
        c->packets += counter_read(&fwd_lcores[i].busy_packets);
        c->rounds += counter_read(&fwd_lcores[i].busy_rounds);
    }
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
    for (unsigned i = 0; i < fwd_streams_count; i++)
        stream_stats_read(&fwd_streams[i], &stream_base[i]);
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
