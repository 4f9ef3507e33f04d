/*
 * show_port.c - blocks about one port
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/clock.h>
#include <millrace/port.h>

#include "console/numa.h"
#include "console/out.h"
#include "console/report.h"
#include "console/text.h"

#define STATS_BORDER "########################"
#define INFO_BORDER  "*********************"
#define XSTATS_MAX   256

static void show_speed(const struct port_link *link)
{
    const uint32_t mbps = link->speed_mbps;

    report_json_u64("speed", link->up ? mbps : 0);
    if (!link->up || mbps == 0)
        report_text("Link speed: None\n");
    else if (mbps % 1000 == 0)
        report_text("Link speed: %" PRIu32 " Gbps\n", mbps / 1000);
    else if (mbps > 1000)
        report_text("Link speed: %" PRIu32 ".%" PRIu32 " Gbps\n", mbps / 1000,
                    mbps % 1000 / 100);
    else
        report_text("Link speed: %" PRIu32 " Mbps\n", mbps);
}

/* Keys as in `/ethdev/link_status`. */
static void show_link(const struct port_link *link)
{
    report_object("link");
    report_json_string("status", link->up ? "UP" : "DOWN");
    report_text("Link status: %s\n", link->up ? "up" : "down");
    show_speed(link);
    report_string("duplex", "Link duplex: %s\n",
                  link->up ? "full-duplex" : "half-duplex");
    report_json_bool("autoneg", link->autoneg);
    report_text("Autoneg status: %s\n", link->autoneg ? "On" : "Off");
    report_json_u64("changes", link->changes);
    report_close();
}

static void show_limits(const char *rx)
{
    report_text("Max possible number of %sDs per queue: %u\n", rx,
                PORT_DESC_MAX);
    report_text("Min possible number of %sDs per queue: %u\n", rx,
                PORT_DESC_MIN);
    report_text("%sDs number alignment: %u\n", rx, PORT_DESC_ALIGN);
}

static void show_queues(const struct port_info *info)
{
    report_uint("nb_rx_queues", "Current number of RX queues: %u\n",
                info->rx_queues);
    report_uint("max_rx_queues", "Max possible RX queues: %u\n",
                info->rx_queues_max);
    show_limits("RX");
    report_uint("nb_tx_queues", "Current number of TX queues: %u\n",
                info->tx_queues);
    report_uint("max_tx_queues", "Max possible TX queues: %u\n",
                info->tx_queues_max);
    show_limits("TX");
    report_json_u64("desc_max", PORT_DESC_MAX);
    report_json_u64("desc_min", PORT_DESC_MIN);
    report_json_u64("desc_align", PORT_DESC_ALIGN);
}

static const char *state_name(enum port_state state)
{
    static const char *const names[] = {
        [PORT_CLOSED] = "closed",         [PORT_STOPPED] = "stopped",
        [PORT_STARTED] = "started",       [PORT_FAILED] = "failed",
        [PORT_RECOVERING] = "recovering",
    };

    return (unsigned)state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static void show_ids(const struct port_info *info)
{
    report_text("  PCI id: %04x:%04x, subsystem %04x:%04x\n", info->vendor,
                info->device, info->subvendor, info->subdevice);
    report_json_u64("vendor_id", info->vendor);
    report_json_u64("device_id", info->device);
    report_json_u64("subsystem_vendor_id", info->subvendor);
    report_json_u64("subsystem_device_id", info->subdevice);
}

static void show_pcie(const struct pci_link *pcie)
{
    report_object("pcie");
    report_uint("gen", "  PCIe link: gen%u", pcie->speed);
    report_uint("width", " x%u", pcie->width);
    report_uint("max_gen", " of gen%u", pcie->max_speed);
    report_uint("max_width", " x%u\n", pcie->max_width);
    report_close();
}

/* What testpmd does not know. */
static void show_private(const struct port_info *info,
                         const struct port_link *link)
{
    report_text("Device private info:\n");
    report_string("product", "  Product: %s\n", info->product);
    show_ids(info);
    show_pcie(&info->pcie);
    report_string("port_state", "  Port state: %s\n", state_name(info->state));
    report_string("rx_path", "  Rx path: %s", info->rx_path);
    report_string("tx_path", ", Tx path: %s\n", info->tx_path);
    report_uint("recoveries", "  Recoveries: %u\n", info->recoveries);
    report_text("  Link changes: %" PRIu32 "\n", link->changes);
}

static void show_identity(unsigned port, const struct port_info *info)
{
    char mac[TEXT_MAC_BYTES];

    text_from_mac(mac, info->mac);
    report_text("\n%s Infos for port %-2u %s\n", INFO_BORDER, port,
                INFO_BORDER);
    report_json_u64("port_id", port);
    report_string("mac_addr", "MAC address: %s\n", mac);
    report_string("name", "Device name: %s\n", info->name);
    report_string("driver", "Driver name: %s\n", info->driver);
    report_string("firmware", "Firmware-version: %s\n",
                  info->firmware[0] != '\0' ? info->firmware : "not available");
    report_uint("numa_node", "Connect to socket: %u\n",
                numa_socket_shown(port));
}

/* Keys as in `/ethdev/info`, and more. */
void show_port_info(unsigned port)
{
    struct port_info info;
    struct port_link link;

    if (port_info_get(port, &info) != OK)
        return;
    port_link_get(port, &link);
    show_identity(port, &info);
    show_link(&link);
    report_uint("mtu", "MTU: %u\n", info.mtu);
    report_json_u64("promiscuous", info.promiscuous);
    report_text("Promiscuous mode: %s\n",
                info.promiscuous ? "enabled" : "disabled");
    report_json_u64("dev_started", info.state == PORT_STARTED);
    report_uint("max_rx_pktlen",
                "Maximum configurable length of RX packet: %u\n",
                info.max_frame);
    show_queues(&info);
    show_private(&info, &link);
}

/* ---- statistics ---- */

/* Counters at the last show, for the throughput. */
static struct {
    uint64_t cycles; /* 0: not shown yet */
    struct port_stats stats;
} last[PORT_MAX];

/* Units a second; 0 when time or counter did not go forward. */
static uint64_t rate(uint64_t now, uint64_t before, uint64_t us)
{
    if (us == 0 || now <= before)
        return 0;
    now -= before;
    if (now > UINT64_MAX / 1000000)
        return now / us * 1000000;
    return now * 1000000 / us;
}

static void show_throughput(unsigned port, const struct port_stats *now)
{
    const struct port_stats *was = &last[port].stats;
    const uint64_t cycles = plat_cycles();
    uint64_t us = 0;

    if (last[port].cycles != 0)
        us = clock_cycles_to_us(cycles - last[port].cycles);
    out("\n  Throughput (since last show)\n");
    out("  Rx-pps: %12" PRIu64 "          Rx-bps: %12" PRIu64 "\n",
        rate(now->ipackets, was->ipackets, us),
        rate(now->ibytes, was->ibytes, us) * 8);
    out("  Tx-pps: %12" PRIu64 "          Tx-bps: %12" PRIu64 "\n",
        rate(now->opackets, was->opackets, us),
        rate(now->obytes, was->obytes, us) * 8);
    last[port].cycles = cycles;
    last[port].stats = *now;
}

/* Keys as in `/ethdev/stats`. */
void show_port_stats(unsigned port)
{
    struct port_stats s;

    port_stats_get(port, &s);
    report_text("\n  %s NIC statistics for port %-2u %s\n", STATS_BORDER, port,
                STATS_BORDER);
    report_json_u64("port_id", port);
    report_u64("ipackets", "  RX-packets: %-10" PRIu64, s.ipackets);
    report_u64("imissed", " RX-missed: %-10" PRIu64, s.imissed);
    report_u64("ibytes", " RX-bytes:  %" PRIu64 "\n", s.ibytes);
    report_u64("ierrors", "  RX-errors: %" PRIu64 "\n", s.ierrors);
    report_u64("rx_nombuf", "  RX-nombuf:  %-10" PRIu64 "\n", s.rx_nombuf);
    report_u64("opackets", "  TX-packets: %-10" PRIu64, s.opackets);
    report_u64("oerrors", " TX-errors: %-10" PRIu64, s.oerrors);
    report_u64("obytes", " TX-bytes:  %" PRIu64 "\n", s.obytes);
    if (report_is_json())
        return; /* programs take differences: no rate, and its base stays */
    show_throughput(port, &s);
    out("  %s############################%s\n", STATS_BORDER, STATS_BORDER);
}

/* Keys as in `/ethdev/xstats`. */
void show_port_xstats(unsigned port)
{
    static struct port_xstat table[XSTATS_MAX];
    const unsigned n = port_xstats_get(port, table, XSTATS_MAX);

    report_text("###### NIC extended statistics for port %-2u\n", port);
    report_json_u64("port_id", port);
    for (unsigned i = 0; i < n && i < XSTATS_MAX; i++) {
        report_text("%s: ", table[i].name);
        report_u64(table[i].name, "%" PRIu64 "\n", table[i].value);
    }
    if (n > XSTATS_MAX)
        report_uint("left_out", "(%u more are not shown)\n", n - XSTATS_MAX);
}

void show_all_port_stats(void)
{
    out("\nPort statistics ====================================");
    for (unsigned p = 0; p < port_count(); p++)
        show_port_stats(p);
    out("\n====================================================\n");
}
