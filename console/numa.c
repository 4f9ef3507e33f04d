/*
 * numa.c - which memory is near which port
 */
#include "console/numa.h"

#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/pci.h>
#include <millrace/port.h>

#include "net/fwd.h"

static struct {
    uint32_t node[PORT_MAX];
    unsigned missed; /* node_missed() when numa_prefer() was called */
} numa;

/* ---- who says what ---- */

/* A machine that says nothing of nodes has one, and that is number 0. */
static bool exists(uint32_t node)
{
    return node_count() == 0 ? node == 0 : node_has_memory(node);
}

static const struct pci_device *device_of(unsigned port)
{
    struct port_info info;

    if (port_info_get(port, &info) != OK)
        return NULL;
    for (unsigned i = 0; i < pci_count(); i++) {
        const struct pci_device *d = pci_get(i);

        if (d->at.segment == info.at.segment && d->at.bus == info.at.bus &&
            d->at.device == info.at.device &&
            d->at.function == info.at.function)
            return d;
    }
    return NULL;
}

static uint32_t firmware_node(unsigned port)
{
    const struct pci_device *d = device_of(port);

    return d != NULL && d->has_node && exists(d->node) ? d->node : NODE_ANY;
}

static uint32_t find_node(const struct options *o, unsigned port,
                          const char **who)
{
    const uint32_t node = firmware_node(port);

    if (o->port_node_given >> port & 1) {
        *who = "--port-numa-config";
        return o->port_node[port];
    }
    *who = node != NODE_ANY ? "the firmware" : "--socket-num";
    return node != NODE_ANY ? node : o->socket_num;
}

/* ---- opening ---- */

static enum status check_options(const struct options *o)
{
    for (unsigned p = 0; p < PORT_MAX; p++) {
        if (!(o->port_node_given >> p & 1))
            continue;
        if (p < port_count() && exists(o->port_node[p]))
            continue;
        log_error("options: --port-numa-config=(%u,%u): expected a port that "
                  "is there, and a node that has memory",
                  p, (unsigned)o->port_node[p]);
        return E_NOENT;
    }
    if (o->socket_num == NODE_ANY || exists(o->socket_num))
        return OK;
    log_error("options: --socket-num=%u: expected a node that has memory",
              (unsigned)o->socket_num);
    return E_NOENT;
}

static void tell(unsigned port, const char *who)
{
    if (numa.node[port] != NODE_ANY)
        log_info("numa: port %u is near node %u, says %s", port,
                 (unsigned)numa.node[port], who);
    else
        log_notice("numa: nobody says which node port %u is near; its memory "
                   "may be far. --port-numa-config=(%u,<node>) tells",
                   port, port);
}

enum status numa_open(const struct options *o)
{
    const enum status s = check_options(o);

    for (unsigned p = 0; p < PORT_MAX; p++)
        numa.node[p] = NODE_ANY;
    if (s != OK || node_count() < 2)
        return s;
    for (unsigned p = 0; p < port_count(); p++) {
        const char *who;

        numa.node[p] = find_node(o, p, &who);
        tell(p, who);
    }
    return OK;
}

/* ---- what follows ---- */

uint32_t numa_port_node(unsigned port)
{
    return port < PORT_MAX ? numa.node[port] : NODE_ANY;
}

unsigned numa_socket_shown(unsigned port)
{
    const uint32_t node = numa_port_node(port);

    return node == NODE_ANY ? 0 : node;
}

static unsigned ports_at(uint32_t node)
{
    unsigned n = 0;

    for (unsigned p = 0; p < port_count(); p++)
        n += numa.node[p] == node;
    return n;
}

uint32_t numa_main_node(void)
{
    uint32_t best = NODE_ANY;
    unsigned most = 0;

    for (unsigned p = 0; p < port_count(); p++) {
        const uint32_t node = numa.node[p];
        const unsigned n = node == NODE_ANY ? 0 : ports_at(node);

        if (n > most || (n == most && n > 0 && node < best)) {
            most = n;
            best = node;
        }
    }
    return best;
}

void numa_prefer(uint32_t node)
{
    node_prefer(node);
    numa.missed = node_missed();
}

void numa_done(const char *what)
{
    const uint32_t node = node_preferred();

    node_prefer(NODE_ANY);
    if (node_missed() != numa.missed)
        log_warning("numa: node %u has too little memory for %s; some is at "
                    "another node",
                    (unsigned)node, what);
}

static void check_route(const struct fwd_route *r)
{
    const struct core_info *core = core_info_get(r->lcore);
    const uint32_t node = numa_port_node(r->rx_port);

    if (core == NULL || node == NODE_ANY || core->node == node)
        return;
    log_warning(
        "numa: core %u of node %u polls port %u queue %u, which is near "
        "node %u: each packet crosses between them",
        r->lcore, (unsigned)core->node, r->rx_port, r->rx_queue,
        (unsigned)node);
}

void numa_check_cores(void)
{
    static struct fwd_route plan[FWD_STREAMS_MAX]; /* large for a stack */
    const unsigned n = fwd_plan(plan);

    for (unsigned i = 0; i < n; i++)
        check_route(&plan[i]);
}
