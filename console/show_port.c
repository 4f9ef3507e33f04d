/*
 * show_port.c - blocks about one port
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/clock.h>
#include <millrace/port.h>

#include "console/numa.h"
#include "console/out.h"
#include "console/text.h"

#define STATS_BORDER "########################"
#define INFO_BORDER  "*********************"
#define XSTATS_MAX   256

static void show_speed(const struct port_link *link)
{
    const uint32_t mbps = link->speed_mbps;

    if (!link->up || mbps == 0)
        out("Link speed: None\n");
    else if (mbps % 1000 == 0)
        out("Link speed: %" PRIu32 " Gbps\n", mbps / 1000);
    else if (mbps > 1000)
        out("Link speed: %" PRIu32 ".%" PRIu32 " Gbps\n", mbps / 1000,
            mbps % 1000 / 100);
    else
        out("Link speed: %" PRIu32 " Mbps\n", mbps);
}

static void show_queues(const char *rx, unsigned now, unsigned max)
{
    out("Current number of %s queues: %u\n", rx, now);
    out("Max possible %s queues: %u\n", rx, max);
    out("Max possible number of %sDs per queue: %u\n", rx, PORT_DESC_MAX);
    out("Min possible number of %sDs per queue: %u\n", rx, PORT_DESC_MIN);
    out("%sDs number alignment: %u\n", rx, PORT_DESC_ALIGN);
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

/* What testpmd does not know. */
static void show_private(const struct port_info *info,
                         const struct port_link *link)
{
    out("Device private info:\n");
    out("  Product: %s\n", info->product);
    out("  PCI id: %04x:%04x, subsystem %04x:%04x\n", info->vendor,
        info->device, info->subvendor, info->subdevice);
    out("  PCIe link: gen%u x%u of gen%u x%u\n", info->pcie.speed,
        info->pcie.width, info->pcie.max_speed, info->pcie.max_width);
    out("  Port state: %s\n", state_name(info->state));
    out("  Rx path: %s, Tx path: %s\n", info->rx_path, info->tx_path);
    out("  Recoveries: %" PRIu32 "\n", info->recoveries);
    out("  Link changes: %" PRIu32 "\n", link->changes);
}

void show_port_info(unsigned port)
{
    struct port_info info;
    struct port_link link;
    char mac[TEXT_MAC_BYTES];

    if (port_info_get(port, &info) != OK)
        return;
    port_link_get(port, &link);
    text_from_mac(mac, info.mac);
    out("\n%s Infos for port %-2u %s\n", INFO_BORDER, port, INFO_BORDER);
    out("MAC address: %s\n", mac);
    out("Device name: %s\n", info.name);
    out("Driver name: %s\n", info.driver);
    out("Firmware-version: %s\n",
        info.firmware[0] != '\0' ? info.firmware : "not available");
    out("Connect to socket: %u\n", numa_socket_shown(port));
    out("Link status: %s\n", link.up ? "up" : "down");
    show_speed(&link);
    out("Link duplex: %s\n", link.up ? "full-duplex" : "half-duplex");
    out("Autoneg status: %s\n", link.autoneg ? "On" : "Off");
    out("MTU: %u\n", info.mtu);
    out("Promiscuous mode: %s\n", info.promiscuous ? "enabled" : "disabled");
    out("Maximum configurable length of RX packet: %u\n", info.max_frame);
    show_queues("RX", info.rx_queues, info.rx_queues_max);
    show_queues("TX", info.tx_queues, info.tx_queues_max);
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

void show_port_stats(unsigned port)
{
    struct port_stats s;

    port_stats_get(port, &s);
    out("\n  %s NIC statistics for port %-2u %s\n", STATS_BORDER, port,
        STATS_BORDER);
    out("  RX-packets: %-10" PRIu64 " RX-missed: %-10" PRIu64
        " RX-bytes:  %" PRIu64 "\n",
        s.ipackets, s.imissed, s.ibytes);
    out("  RX-errors: %" PRIu64 "\n", s.ierrors);
    out("  RX-nombuf:  %-10" PRIu64 "\n", s.rx_nombuf);
    out("  TX-packets: %-10" PRIu64 " TX-errors: %-10" PRIu64
        " TX-bytes:  %" PRIu64 "\n",
        s.opackets, s.oerrors, s.obytes);
    show_throughput(port, &s);
    out("  %s############################%s\n", STATS_BORDER, STATS_BORDER);
}

void show_port_xstats(unsigned port)
{
    static struct port_xstat table[XSTATS_MAX];
    const unsigned n = port_xstats_get(port, table, XSTATS_MAX);

    out("###### NIC extended statistics for port %-2u\n", port);
    for (unsigned i = 0; i < n && i < XSTATS_MAX; i++)
        out("%s: %" PRIu64 "\n", table[i].name, table[i].value);
    if (n > XSTATS_MAX)
        out("(%u more are not shown)\n", n - XSTATS_MAX);
}

void show_all_port_stats(void)
{
    out("\nPort statistics ====================================");
    for (unsigned p = 0; p < port_count(); p++)
        show_port_stats(p);
    out("\n====================================================\n");
}
