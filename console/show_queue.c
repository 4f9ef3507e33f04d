/*
 * show_queue.c - blocks about the queues of a port
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/port.h>

#include "console/cmd.h"
#include "console/out.h"
#include "console/rss_text.h"

/* ---- counters ---- */

static const char *state_of(enum port_queue_state state)
{
    return state == PORT_QUEUE_STARTED ? "on" : "off";
}

void show_port_queues(unsigned port)
{
    struct port_queue_stats s;

    out("\n  Queues of port %u\n", port);
    out("  queue  Rx  Tx        RX-packets    RX-errors        TX-packets    "
        "TX-errors restarts\n");
    for (unsigned q = 0; port_queue_stats_get(port, q, &s) == OK; q++)
        out("  %5u %3s %3s %17" PRIu64 " %12" PRIu64 " %17" PRIu64 " %12" PRIu64
            " %8" PRIu32 "\n",
            q, state_of(s.rx_state), state_of(s.tx_state), s.q_ipackets,
            s.q_errors, s.q_opackets, s.q_oerrors, s.restarts);
}

static unsigned json_count;

static void json_port(unsigned port)
{
    struct port_queue_stats s;

    for (unsigned q = 0; port_queue_stats_get(port, q, &s) == OK; q++) {
        out("%s\n{\"port\":%u,\"queue\":%u,\"rx\":\"%s\",\"tx\":\"%s\",",
            json_count++ == 0 ? "" : ",", port, q, state_of(s.rx_state),
            state_of(s.tx_state));
        out("\"q_ipackets\":%" PRIu64 ",\"q_ibytes\":%" PRIu64
            ",\"q_errors\":%" PRIu64 ",",
            s.q_ipackets, s.q_ibytes, s.q_errors);
        out("\"q_opackets\":%" PRIu64 ",\"q_obytes\":%" PRIu64
            ",\"q_oerrors\":%" PRIu64 ",\"restarts\":%" PRIu32 "}",
            s.q_opackets, s.q_obytes, s.q_oerrors, s.restarts);
    }
}

void show_port_queues_json(const struct token_value *ports)
{
    json_count = 0;
    out("{\"queues\":[");
    cmd_for_ports(ports, json_port);
    out("\n]}\n");
}

/* ---- spreading: as testpmd prints it ---- */

void show_rss_hash(unsigned port, bool with_key)
{
    struct port_info info;
    struct port_rss rss;

    if (port_rss_hash_conf_get(port, &rss) != OK ||
        port_info_get(port, &info) != OK)
        return;
    if (rss.types == 0 || info.rx_queues < 2) {
        out("RSS disabled\n");
        return;
    }
    out("RSS functions:\n ");
    for (unsigned t = 0; t < PORT_RSS_TYPE_COUNT; t++)
        if ((rss.types >> t & 1) != 0)
            out("%s ", rss_type_name(t));
    out("\n");
    if (!with_key)
        return;
    out("RSS key:\n");
    for (unsigned i = 0; i < sizeof(rss.key); i++)
        out("%02X", rss.key[i]);
    out("\n");
}

void show_rss_reta(unsigned port)
{
    uint8_t table[PORT_RETA_MAX];
    const unsigned entries = port_reta_query(port, table);

    if (entries == 0)
        out("Port %u has no table before it is configured\n", port);
    for (unsigned i = 0; i < entries; i++)
        out("RSS RETA configuration: hash index=%u, queue=%u\n", i, table[i]);
}
