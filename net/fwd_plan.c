/*
 * fwd_plan.c - which stream on which core
 *
 *   P1  the plan follows from settings and ports alone; it changes nothing
 *   P2  streams of one core are neighbours, and in order of queue, then port
 *   P3  a transmit queue serves one stream: pairs are symmetric, and what comes
 *       in by queue q of one port leaves by queue q of the other
 */
#include <millrace/compiler.h>
#include <millrace/core.h>

#include "net/fwd_impl.h"

static unsigned queues_of(unsigned port)
{
    struct port_info info;

    if (port_info_get(port, &info) != OK || info.rx_queues == 0)
        return 1;
    return info.rx_queues;
}

static unsigned list(struct fwd_route out[])
{
    unsigned n = 0, most = 1;

    for (unsigned i = 0; i < fwd.port_count; i++)
        if (queues_of(fwd.ports[i]) > most)
            most = queues_of(fwd.ports[i]);
    for (unsigned q = 0; q < most; q++)
        for (unsigned i = 0; i < fwd.port_count; i++)
            if (q < queues_of(fwd.ports[i]) && n < FWD_STREAMS_MAX)
                out[n++] = (struct fwd_route) {
                    .rx_port = fwd.ports[i],
                    .tx_port = fwd.ports[fwd_paired_with(i)],
                    .rx_queue = (uint16_t)q,
                    .tx_queue = (uint16_t)q,
                };
    return n;
}

/* As testpmd does: the same number for each, the last ones get one more. */
static void spread(struct fwd_route routes[], unsigned n)
{
    unsigned cores = fwd.nb_cores != 0 ? fwd.nb_cores : fwd_core_count();
    unsigned at = 0;

    if (cores > n)
        cores = n;
    for (unsigned c = 0; c < cores; c++) {
        const unsigned more = c >= cores - n % cores;

        for (unsigned k = 0; k < n / cores + more; k++)
            routes[at++].lcore =
                fwd.core_count == 0 ? core_control() : fwd.cores[c];
    }
}

static uint16_t place_of(const struct fwd_route *r)
{
    for (unsigned i = 0; i < fwd.place_count; i++)
        if (fwd.places[i].port == r->rx_port &&
            fwd.places[i].queue == r->rx_queue)
            return fwd.places[i].lcore;
    return FWD_NOWHERE;
}

/* P2; few enough to be moved one by one, and stable. */
static void sort(struct fwd_route routes[], unsigned n)
{
    for (unsigned i = 1; i < n; i++) {
        const struct fwd_route r = routes[i];
        unsigned at = i;

        for (; at > 0 && routes[at - 1].lcore > r.lcore; at--)
            routes[at] = routes[at - 1];
        routes[at] = r;
    }
}

unsigned fwd_plan(struct fwd_route out[])
{
    const unsigned n = list(out);

    if (fwd.place_count == 0) {
        spread(out, n);
        return n;
    }
    for (unsigned i = 0; i < n; i++)
        out[i].lcore = place_of(&out[i]);
    sort(out, n);
    return n;
}
