/*
 * show_fwd.c - blocks about forwarding
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/core.h>

#include "console/app.h"
#include "console/numa.h"
#include "console/out.h"
#include "console/text.h"
#include "net/engine.h"
#include "net/fwd.h"

#define FWD_BORDER "----------------------"
#define ACC_BORDER "+++++++++++++++"

/* Our own line: why packets were dropped. Nothing when none was. */
static void show_drops(const struct fwd_port_stats *s)
{
    for (unsigned d = 0; d < FWD_DROP_COUNT; d++)
        if (s->drops[d] > 0)
            out("  Drop %s: %" PRIu64 "\n", fwd_drop_names[d], s->drops[d]);
    if (s->no_mbuf > 0)
        out("  Bursts without buffers: %" PRIu64 "\n", s->no_mbuf);
}

static void show_totals(const struct fwd_port_stats *s)
{
    out("  TX-packets: %-14" PRIu64 " TX-dropped: %-14" PRIu64
        "TX-total: %" PRIu64 "\n",
        s->tx_packets, s->tx_dropped, s->tx_packets + s->tx_dropped);
}

static void show_received(const struct fwd_port_stats *s)
{
    out("  RX-packets: %-14" PRIu64 " RX-dropped: %-14" PRIu64
        "RX-total: %" PRIu64 "\n",
        s->rx_packets, s->rx_dropped, s->rx_packets + s->rx_dropped);
}

static void show_one(unsigned port, const struct fwd_port_stats *s)
{
    out("\n  %s Forward statistics for port %-2u %s\n", FWD_BORDER, port,
        FWD_BORDER);
    show_received(s);
    if (s->rx_errors + s->rx_nombuf > 0) {
        out("  RX-error: %" PRIu64 "\n", s->rx_errors);
        out("  RX-nombufs: %-14" PRIu64 "\n", s->rx_nombuf);
    }
    show_totals(s);
    show_drops(s);
    out("  %s--------------------------------%s\n", FWD_BORDER, FWD_BORDER);
}

static void accumulate(struct fwd_port_stats *sum,
                       const struct fwd_port_stats *s)
{
    sum->rx_packets += s->rx_packets;
    sum->rx_dropped += s->rx_dropped;
    sum->rx_nombuf += s->rx_nombuf;
    sum->tx_packets += s->tx_packets;
    sum->tx_dropped += s->tx_dropped;
}

/*
 * As testpmd's line. The rounds are ours: packets divided by rounds and streams
 * are what a burst had.
 */
static void show_core_cycles(void)
{
    struct fwd_cycles c;
    uint64_t hundredths;

    fwd_cycles_get(&c);
    if (!fwd_record_cycles_get() || c.packets == 0)
        return;
    hundredths = c.cycles * 100 / c.packets;
    out("\n  CPU cycles/packet=%" PRIu64 ".%02" PRIu64 " (busy cycles=%" PRIu64
        " / total RX packets=%" PRIu64 " / busy rounds=%" PRIu64 ") at %" PRIu64
        " MHz Clock\n",
        hundredths / 100, hundredths % 100, c.cycles, c.packets, c.rounds,
        plat_cycles_hz() / 1000000);
}

void show_fwd_stats(void)
{
    struct fwd_port_stats sum = { 0 };

    for (unsigned i = 0; i < fwd_port_count(); i++) {
        struct fwd_port_stats s;

        fwd_port_stats_get(fwd_port_at(i), &s);
        show_one(fwd_port_at(i), &s);
        accumulate(&sum, &s);
    }
    out("\n  %s Accumulated forward statistics for all ports%s\n", ACC_BORDER,
        ACC_BORDER);
    show_received(&sum);
    show_totals(&sum);
    if (sum.rx_nombuf > 0)
        out("  RX-nombufs: %-14" PRIu64 "\n", sum.rx_nombuf);
    out("  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n", ACC_BORDER,
        ACC_BORDER);
    show_core_cycles();
}

/* ---- configuration ---- */

static struct fwd_route plan[FWD_STREAMS_MAX]; /* large for a stack */

static unsigned cores_in_plan(unsigned n)
{
    unsigned cores = 0;

    for (unsigned i = 0; i < n; i++)
        cores += i == 0 || plan[i].lcore != plan[i - 1].lcore;
    return cores;
}

static unsigned node_of_core(unsigned lcore)
{
    const struct core_info *info = core_info_get(lcore);

    return info == NULL ? 0 : info->node;
}

static void show_route(const struct fwd_route *r)
{
    uint8_t peer[ETHER_ADDR_BYTES];
    char text[TEXT_MAC_BYTES];

    fwd_peer_get(r->tx_port, peer);
    text_from_mac(text, peer);
    out("\n  RX P=%u/Q=%u (socket %u) -> TX P=%u/Q=%u (socket %u) peer=%s",
        r->rx_port, r->rx_queue, numa_socket_shown(r->rx_port), r->tx_port,
        r->tx_queue, numa_socket_shown(r->tx_port), text);
}

void show_config_fwd(void)
{
    const unsigned n = fwd_plan(plan);

    out("%s packet forwarding - ports=%u - cores=%u - streams=%u - "
        "NUMA support disabled, MP allocation mode: native\n",
        fwd_engine_get()->name, fwd_port_count(), cores_in_plan(n), n);
    for (unsigned i = 0, end; i < n; i = end) {
        for (end = i; end < n && plan[end].lcore == plan[i].lcore; end++)
            ;
        if (plan[i].lcore == FWD_NOWHERE)
            out("No core forwards packets on %u streams:", end - i);
        else
            out("Logical Core %u (socket %u) forwards packets on %u streams:",
                plan[i].lcore, node_of_core(plan[i].lcore), end - i);
        for (unsigned k = i; k < end; k++)
            show_route(&plan[k]);
        out("\n");
    }
    out("\n");
}

#define TX_OFFLOAD_FAST_FREE 0x10000u /* testpmd's number for the promise */

static void show_port_rxtx(unsigned port)
{
    const struct port_config *config = app_port_config();
    const unsigned offloads = config->tx_fast_free ? TX_OFFLOAD_FAST_FREE : 0;
    struct port_info info;

    if (port_info_get(port, &info) != OK)
        return;
    out("  port %u: RX queue number: %u Tx queue number: %u\n", port,
        info.rx_queues, info.tx_queues);
    out("    Rx offloads=0x0 Tx offloads=0x%x\n", offloads);
    out("    RX queue: 0\n");
    out("      RX desc=%u\n", info.rx_desc);
    out("    TX queue: 0\n");
    out("      TX desc=%u - TX free threshold=%u\n", info.tx_desc,
        config->tx_free_thresh);
    out("      TX offloads=0x%x - TX RS bit threshold=%u\n", offloads,
        config->tx_rs_thresh);
    out("    Rx path: %s, Tx path: %s\n", info.rx_path, info.tx_path);
}

void show_config_rxtx(void)
{
    const struct engine *engine = fwd_engine_get();

    out("  %s packet forwarding packets/burst=%u\n", engine->name,
        fwd_burst_get());
    if (engine->makes_packets)
        out("  packet len=%u - nb packet segments=1\n", fwd_txpkts_get());
    out("  nb forwarding cores=%u - nb forwarding ports=%u\n",
        cores_in_plan(fwd_plan(plan)), fwd_port_count());
    for (unsigned p = 0; p < port_count(); p++)
        show_port_rxtx(p);
}

void show_config_cores(void)
{
    const unsigned n = fwd_plan(plan);

    out("List of forwarding lcores:");
    for (unsigned i = 0; i < n; i++)
        if (i == 0 || plan[i].lcore != plan[i - 1].lcore)
            out(" %2u", plan[i].lcore);
    out("\n");
}
