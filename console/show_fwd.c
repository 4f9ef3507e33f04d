/*
 * show_fwd.c - blocks about forwarding
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/core.h>

#include "console/app.h"
#include "console/numa.h"
#include "console/report.h"
#include "console/text.h"
#include "net/engine.h"
#include "net/fwd.h"

#define FWD_BORDER "----------------------"
#define ACC_BORDER "+++++++++++++++"

/* Our own lines: why packets were dropped. Nothing when none was. */
static void show_drops(const struct fwd_port_stats *s)
{
    report_object("drops");
    for (unsigned d = 0; d < FWD_DROP_COUNT; d++) {
        if (s->drops[d] == 0 && !report_is_json())
            continue;
        report_text("  Drop %s: ", fwd_drop_names[d]);
        report_u64(fwd_drop_names[d], "%" PRIu64 "\n", s->drops[d]);
    }
    report_close();
    if (s->no_mbuf > 0 || report_is_json())
        report_u64("no_mbuf", "  Bursts without buffers: %" PRIu64 "\n",
                   s->no_mbuf);
}

static void show_sent(const struct fwd_port_stats *s)
{
    report_u64("tx_packets", "  TX-packets: %-14" PRIu64, s->tx_packets);
    report_u64("tx_dropped", " TX-dropped: %-14" PRIu64, s->tx_dropped);
    report_u64("tx_total", "TX-total: %" PRIu64 "\n",
               s->tx_packets + s->tx_dropped);
}

static void show_received(const struct fwd_port_stats *s)
{
    report_u64("rx_packets", "  RX-packets: %-14" PRIu64, s->rx_packets);
    report_u64("rx_dropped", " RX-dropped: %-14" PRIu64, s->rx_dropped);
    report_u64("rx_total", "RX-total: %" PRIu64 "\n",
               s->rx_packets + s->rx_dropped);
}

static void show_one(unsigned port, const struct fwd_port_stats *s)
{
    report_object(NULL);
    report_text("\n  %s Forward statistics for port %-2u %s\n", FWD_BORDER,
                port, FWD_BORDER);
    report_json_u64("port_id", port);
    show_received(s);
    if (s->rx_errors + s->rx_nombuf > 0 || report_is_json()) {
        report_u64("rx_errors", "  RX-error: %" PRIu64 "\n", s->rx_errors);
        report_u64("rx_nombuf", "  RX-nombufs: %-14" PRIu64 "\n", s->rx_nombuf);
    }
    show_sent(s);
    show_drops(s);
    report_text("  %s--------------------------------%s\n", FWD_BORDER,
                FWD_BORDER);
    report_close();
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
    report_text("\n  CPU cycles/packet=%" PRIu64 ".%02" PRIu64,
                hundredths / 100, hundredths % 100);
    report_object("cycles");
    report_u64("busy_cycles", " (busy cycles=%" PRIu64, c.cycles);
    report_u64("rx_packets", " / total RX packets=%" PRIu64, c.packets);
    report_u64("busy_rounds", " / busy rounds=%" PRIu64, c.rounds);
    report_u64("clock_mhz", ") at %" PRIu64 " MHz Clock\n",
               plat_cycles_hz() / 1000000);
    report_close();
}

static void show_accumulated(const struct fwd_port_stats *sum)
{
    report_object("total");
    report_text("\n  %s Accumulated forward statistics for all ports%s\n",
                ACC_BORDER, ACC_BORDER);
    show_received(sum);
    show_sent(sum);
    if (sum->rx_nombuf > 0 || report_is_json())
        report_u64("rx_nombuf", "  RX-nombufs: %-14" PRIu64 "\n",
                   sum->rx_nombuf);
    report_text("  %s++++++++++++++++++++++++++++++++++++++++++++++%s\n",
                ACC_BORDER, ACC_BORDER);
    report_close();
}

void show_fwd_stats(void)
{
    struct fwd_port_stats sum = { 0 };

    report_list("ports");
    for (unsigned i = 0; i < fwd_port_count(); i++) {
        struct fwd_port_stats s;

        fwd_port_stats_get(fwd_port_at(i), &s);
        show_one(fwd_port_at(i), &s);
        accumulate(&sum, &s);
    }
    report_close();
    show_accumulated(&sum);
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
    report_object(NULL);
    if (r->lcore != FWD_NOWHERE)
        report_json_u64("lcore", r->lcore);
    report_uint("rx_port", "\n  RX P=%u", r->rx_port);
    report_uint("rx_queue", "/Q=%u", r->rx_queue);
    report_uint("rx_numa_node", " (socket %u)", numa_socket_shown(r->rx_port));
    report_uint("tx_port", " -> TX P=%u", r->tx_port);
    report_uint("tx_queue", "/Q=%u", r->tx_queue);
    report_uint("tx_numa_node", " (socket %u)", numa_socket_shown(r->tx_port));
    report_string("peer", " peer=%s", text);
    report_close();
}

static void show_core(unsigned lcore, unsigned streams)
{
    if (lcore == FWD_NOWHERE)
        report_text("No core forwards packets on %u streams:", streams);
    else
        report_text("Logical Core %u (socket %u) forwards packets on %u "
                    "streams:",
                    lcore, node_of_core(lcore), streams);
}

void show_config_fwd(void)
{
    const unsigned n = fwd_plan(plan);

    report_string("fwd_mode", "%s packet forwarding", fwd_engine_get()->name);
    report_uint("nb_fwd_ports", " - ports=%u", fwd_port_count());
    report_uint("nb_fwd_lcores", " - cores=%u", cores_in_plan(n));
    report_uint("nb_fwd_streams", " - streams=%u", n);
    report_text(" - NUMA support disabled, MP allocation mode: native\n");
    report_list("streams");
    for (unsigned i = 0, end; i < n; i = end) {
        for (end = i; end < n && plan[end].lcore == plan[i].lcore; end++)
            ;
        show_core(plan[i].lcore, end - i);
        for (unsigned k = i; k < end; k++)
            show_route(&plan[k]);
        report_text("\n");
    }
    report_close();
    report_text("\n");
}

#define TX_OFFLOAD_FAST_FREE 0x10000u /* testpmd's number for the promise */

static void show_port_rxtx(unsigned port)
{
    const struct port_config *config = app_port_config();
    const unsigned offloads = config->tx_fast_free ? TX_OFFLOAD_FAST_FREE : 0;
    struct port_info info;

    if (port_info_get(port, &info) != OK)
        return;
    report_object(NULL);
    report_uint("port_id", "  port %u:", port);
    report_uint("nb_rx_queues", " RX queue number: %u", info.rx_queues);
    report_uint("nb_tx_queues", " Tx queue number: %u\n", info.tx_queues);
    report_json_u64("rx_offloads", 0);
    report_text("    Rx offloads=0x0");
    report_uint("tx_offloads", " Tx offloads=0x%x\n", offloads);
    report_text("    RX queue: 0\n");
    report_uint("nb_rxd", "      RX desc=%u\n", info.rx_desc);
    report_text("    TX queue: 0\n");
    report_uint("nb_txd", "      TX desc=%u", info.tx_desc);
    report_uint("tx_free_thresh", " - TX free threshold=%u\n",
                config->tx_free_thresh);
    report_text("      TX offloads=0x%x", offloads);
    report_uint("tx_rs_thresh", " - TX RS bit threshold=%u\n",
                config->tx_rs_thresh);
    report_string("rx_path", "    Rx path: %s", info.rx_path);
    report_string("tx_path", ", Tx path: %s\n", info.tx_path);
    report_close();
}

void show_config_rxtx(void)
{
    const struct engine *engine = fwd_engine_get();

    report_string("fwd_mode", "  %s packet forwarding", engine->name);
    report_uint("nb_pkt_per_burst", " packets/burst=%u\n", fwd_burst_get());
    if (engine->makes_packets)
        report_uint("tx_pkt_length", "  packet len=%u - nb packet segments=1\n",
                    fwd_txpkts_get());
    report_uint("nb_fwd_lcores", "  nb forwarding cores=%u",
                cores_in_plan(fwd_plan(plan)));
    report_uint("nb_fwd_ports", " - nb forwarding ports=%u\n",
                fwd_port_count());
    report_list("ports");
    for (unsigned p = 0; p < port_count(); p++)
        show_port_rxtx(p);
    report_close();
}

void show_config_cores(void)
{
    const unsigned n = fwd_plan(plan);

    report_text("List of forwarding lcores:");
    report_list("lcores");
    for (unsigned i = 0; i < n; i++)
        if (i == 0 || plan[i].lcore != plan[i - 1].lcore)
            report_uint(NULL, " %2u", plan[i].lcore);
    report_close();
    report_text("\n");
}
