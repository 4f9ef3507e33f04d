/*
 * cmd_queue.c - queues of a port, and what is spread over them
 */
#include "console/command.h"

#include <string.h>

#include "console/app.h"
#include "console/cmd.h"
#include "console/out.h"
#include "console/report.h"
#include "console/rss_text.h"
#include "console/show.h"
#include "net/fwd.h"

#define CHOICE_RX        0 /* in "rxq|txq" */
#define CHOICE_START     0 /* in "start|stop" */
#define CHOICE_SYMMETRIC 2 /* in "default|toeplitz|symmetric_toeplitz" */

/* ---- one queue ---- */

static enum status cmd_queue(const struct command_call *call)
{
    const unsigned port = (unsigned)call->word[1].number;
    const unsigned queue = (unsigned)call->word[3].number;
    const bool rx = call->word[2].choice == CHOICE_RX;
    const bool start = call->word[4].choice == CHOICE_START;
    struct port_info info;
    enum status s;

    if (rx)
        s = start ? port_rxq_start(port, queue) : port_rxq_stop(port, queue);
    else
        s = start ? port_txq_start(port, queue) : port_txq_stop(port, queue);
    if (s == E_NOENT && port_info_get(port, &info) == OK)
        out("Port %u has no queue %u; expected 0..%d\n", port, queue,
            (int)info.rx_queues - 1);
    else if (s == E_STATE)
        out("Please start port %u first.\n", port);
    else if (s != OK)
        out("Fail to %s %s queue %u of port %u: %s\n", start ? "start" : "stop",
            rx ? "Rx" : "Tx", queue, port, status_text(s));
    return s;
}

/* ---- how many ---- */

/* As asked for last; they hold once both are the same. */
static unsigned wanted[2];

static enum status cmd_queues(const struct command_call *call)
{
    const unsigned half = call->word[3].choice;
    const unsigned now = app_port_config()->queues;
    enum status s;

    if (fwd_is_running()) {
        out("Please stop forwarding first.\n");
        return E_STATE;
    }
    if (!app_ports_are_stopped()) {
        out("Please stop all ports first.\n");
        return E_STATE;
    }
    if (wanted[!half] == 0)
        wanted[!half] = now;
    wanted[half] = (unsigned)call->word[4].number;
    if (wanted[0] != wanted[1]) {
        out("rxq is %u and txq %u; queues go in pairs: ports keep %u until both "
            "are the same\n",
            wanted[0], wanted[1], now);
        return OK;
    }
    s = app_queues_set(wanted[0]);
    if (s != OK)
        out("Ports keep %u queue pairs: %s\n", now, status_text(s));
    wanted[0] = wanted[1] = 0;
    return s;
}

/* ---- spreading ---- */

static enum status update(unsigned port, const struct port_rss *rss)
{
    const enum status s = port_rss_hash_update(port, rss);

    if (s != OK)
        out("Configuration of RSS hash at ethernet port %u failed: %s\n", port,
            status_text(s));
    return s;
}

static enum status set_types(unsigned port, uint32_t types)
{
    struct port_rss rss;
    enum status s = port_rss_hash_conf_get(port, &rss);

    if (s != OK)
        return s;
    rss.types = types;
    return update(port, &rss);
}

static enum status cmd_types(const struct command_call *call)
{
    enum status first = OK;
    uint32_t types;

    if (!text_to_rss_types(call->word[4].text, &types))
        return E_INVALID;
    for (unsigned p = 0; p < port_count(); p++) {
        const enum status s = set_types(p, types);

        first = first == OK ? s : first;
    }
    return first;
}

/* One key serves all types of packets, whichever is named. */
static enum status cmd_key(const struct command_call *call)
{
    const unsigned port = (unsigned)call->word[2].number;
    struct port_rss rss;
    enum status s = port_rss_hash_conf_get(port, &rss);

    if (s != OK || !text_to_rss_key(call->word[5].text, rss.key))
        return s == OK ? E_INVALID : s;
    return update(port, &rss);
}

static enum status set_key(unsigned port, bool symmetric)
{
    struct port_rss rss;
    enum status s = port_rss_hash_conf_get(port, &rss);

    if (s != OK)
        return s;
    memcpy(rss.key, port_rss_key_default(symmetric), sizeof(rss.key));
    return update(port, &rss);
}

static enum status toeplitz(unsigned port)
{
    return set_key(port, false);
}

static enum status symmetric(unsigned port)
{
    return set_key(port, true);
}

static enum status cmd_algorithm(const struct command_call *call)
{
    return cmd_try_ports(&call->word[2],
                         call->word[4].choice == CHOICE_SYMMETRIC ? symmetric
                                                                  : toeplitz);
}

static enum status cmd_reta(const struct command_call *call)
{
    const unsigned port = (unsigned)call->word[2].number;
    struct reta_pair pairs[RETA_PAIRS_MAX];
    uint8_t table[PORT_RETA_MAX];
    const unsigned entries = port_reta_query(port, table);
    unsigned count;

    if (!text_to_reta(call->word[5].text, pairs, &count))
        return E_INVALID;
    for (unsigned i = 0; i < count; i++) {
        if (pairs[i].hash >= entries) {
            out("Hash %u is not in the table of port %u; expected 0..%d\n",
                pairs[i].hash, port, (int)entries - 1);
            return E_RANGE;
        }
        table[pairs[i].hash] = pairs[i].queue;
    }
    return cmd_report("RETA of the port stays as it was",
                      port_reta_update(port, table, entries));
}

/* ---- show ---- */

/* As JSON always with the key. */
static enum status cmd_show_hash(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    show_rss_hash((unsigned)call->word[2].number, call->count > 4);
    report_end();
    return OK;
}

static enum status cmd_show_reta(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    show_rss_reta((unsigned)call->word[2].number);
    report_end();
    return OK;
}

static enum status cmd_show_queues(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    cmd_report_ports(&call->word[3], show_port_queues);
    report_end();
    return OK;
}

const struct command commands_queue[] = {
    { "port <port> rxq|txq <0..63> start|stop", SECTION_PORTS, 0, cmd_queue,
      "one queue on or off while the others forward" },
    { "port config all rxq|txq <1..64>", SECTION_PORTS, 0, cmd_queues,
      "queues of each port from its next start on; both to the same number" },
    { "port config all rss <rss-types>", SECTION_PORTS, 0, cmd_types,
      "packets whose flow picks the queue; others go to queue 0" },
    { "port config <port> rss-hash-key <rss-types> <rss-key>", SECTION_PORTS, 0,
      cmd_key, "the key of the hash; one serves all types" },
    { "port config <port>|all rss-hash-algo "
      "default|toeplitz|symmetric_toeplitz",
      SECTION_PORTS, 0, cmd_algorithm,
      "the default key, or one with which both directions meet in one queue" },
    { "port config <port> rss reta <reta>", SECTION_PORTS, 0, cmd_reta,
      "queues of some hashes, modulo the size of the table" },
    { "show port <port> rss-hash [key|json]", SECTION_DISPLAY, 0, cmd_show_hash,
      "types of packets that are spread, and by which key" },
    { "show port <port> rss reta [json]", SECTION_DISPLAY, 0, cmd_show_reta,
      "the queue of each hash" },
    { "show port queues <port>|all [json]", SECTION_DISPLAY, 0, cmd_show_queues,
      "each queue: is it on, and what it counted" },
    { 0 },
};
