/*
 * show_queue.c - blocks about the queues of a port
 */
#include "console/show.h"

#include <inttypes.h>

#include <millrace/port.h>

#include "console/report.h"
#include "console/rss_text.h"
#include "console/text.h"

/* ---- counters ---- */

static const char *state_of(enum port_queue_state state)
{
    return state == PORT_QUEUE_STARTED ? "on" : "off";
}

/* Keys are the members of struct port_queue_stats. */
static void show_queue(unsigned queue, const struct port_queue_stats *s)
{
    report_object(NULL);
    report_uint("queue", "  %5u", queue);
    report_string("rx", " %3s", state_of(s->rx_state));
    report_string("tx", " %3s", state_of(s->tx_state));
    report_u64("q_ipackets", " %17" PRIu64, s->q_ipackets);
    report_json_u64("q_ibytes", s->q_ibytes);
    report_u64("q_errors", " %12" PRIu64, s->q_errors);
    report_u64("q_opackets", " %17" PRIu64, s->q_opackets);
    report_json_u64("q_obytes", s->q_obytes);
    report_u64("q_oerrors", " %12" PRIu64, s->q_oerrors);
    report_uint("restarts", " %8" PRIu32, s->restarts);
    report_text("\n");
    report_close();
}

void show_port_queues(unsigned port)
{
    struct port_queue_stats s;

    report_text("\n  Queues of port %u\n", port);
    report_text("  queue  Rx  Tx        RX-packets    RX-errors        "
                "TX-packets    TX-errors restarts\n");
    report_json_u64("port_id", port);
    report_list("queues");
    for (unsigned q = 0; port_queue_stats_get(port, q, &s) == OK; q++)
        show_queue(q, &s);
    report_close();
}

/* ---- spreading: as testpmd prints it ---- */

static void show_type(unsigned type)
{
    report_string(NULL, "%s", rss_type_name(type));
    report_text(" ");
}

static void show_key(const struct port_rss *rss)
{
    char digits[2 * sizeof(rss->key) + 1];
    struct text t;

    text_init(&t, digits, sizeof(digits));
    for (unsigned i = 0; i < sizeof(rss->key); i++)
        text_add(&t, "%02X", rss->key[i]);
    report_text("RSS key:\n");
    report_string("rss_key", "%s", digits);
    report_text("\n");
}

void show_rss_hash(unsigned port, bool with_key)
{
    struct port_info info;
    struct port_rss rss;
    bool on;

    if (port_rss_hash_conf_get(port, &rss) != OK ||
        port_info_get(port, &info) != OK)
        return;
    on = rss.types != 0 && info.rx_queues > 1;
    report_json_u64("port_id", port);
    report_json_bool("enabled", on);
    if (!on) {
        report_text("RSS disabled\n");
        return;
    }
    report_text("RSS functions:\n ");
    report_list("rss_types");
    for (unsigned t = 0; t < PORT_RSS_TYPE_COUNT; t++)
        if ((rss.types >> t & 1) != 0)
            show_type(t);
    report_close();
    report_text("\n");
    if (with_key)
        show_key(&rss);
}

void show_rss_reta(unsigned port)
{
    uint8_t table[PORT_RETA_MAX];
    const unsigned entries = port_reta_query(port, table);

    report_json_u64("port_id", port);
    report_json_u64("reta_size", entries);
    if (entries == 0)
        report_text("Port %u has no table before it is configured\n", port);
    report_list("queues");
    for (unsigned i = 0; i < entries; i++) {
        report_text("RSS RETA configuration: hash index=%u, queue=", i);
        report_uint(NULL, "%u", table[i]);
        report_text("\n");
    }
    report_close();
}
