/*
 * app.c - from options to a forwarding appliance, and the loop that keeps it so
 *
 *   A1  app_open() is a list of steps; the first that fails ends it, and ports
 *       that were started before stay as they are for the console to look at;
 *       a step about ports fails only when no port is left
 *   A2  forwarding never waits for the loop's other work longer than one bounded
 *       call of each takes
 */
#include "console/app.h"

#include <millrace/bits.h>
#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/log.h>

#include "console/app_impl.h"
#include "console/config.h"
#include "console/console.h"
#include "console/numa.h"
#include "console/out.h"
#include "console/show.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "net/engine.h"
#include "net/fwd.h"

#define ROUNDS_PER_TURN 64
#define HOUSEKEEPING_US 10000

static struct {
    struct port_config port; /* of every port */
    uint32_t good_ports;     /* bitmap; the others' troubles are in the log */
    struct deadline housekeeping;
    struct deadline stats;
    uint32_t stats_period_s;
} app;

const struct port_config *app_port_config(void)
{
    return &app.port;
}

/* ---- opening ---- */

static bool in_mask(const struct options *o, unsigned port)
{
    return o->portmask == 0 || (o->portmask >> port & 1) != 0;
}

static enum status check_options(const struct app_setup *setup)
{
    const struct options *o = setup->options;

    if (o->ignored[0] != '\0')
        log_notice("options: ignored: %s", o->ignored);
    if (setup->options_status == OK)
        return OK;
    log_error("options: column %u: %s; nothing is configured", o->error_column,
              o->error);
    return setup->options_status;
}

/* ---- cores ---- */

/* What is wrong with core @lcore of -l, or NULL. */
static const char *core_fault(unsigned lcore)
{
    if (lcore >= core_count())
        return "there is none of that number";
    if (lcore != core_control() && !core_takes_work(lcore))
        return "it did not answer";
    return NULL;
}

/* The start has handed over to the main lcore, if that was there. */
static enum status check_main_core(const struct options *o)
{
    const unsigned lcore = options_main_lcore(o);

    if (lcore == core_control())
        return OK;
    log_error("options: core %u cannot be the main lcore: %s", lcore,
              core_fault(lcore) != NULL ? core_fault(lcore)
                                        : "the start did not hand over to it");
    return E_NOENT;
}

static enum status check_cores(const struct options *o)
{
    for (unsigned i = 0; i < LCORE_MAX; i++) {
        const char *fault = options_lcore_given(o, i) ? core_fault(i) : NULL;

        if (fault == NULL)
            continue;
        log_error("options: -l names core %u: %s; expected cores of 0..%u that "
                  "answered",
                  i, fault, core_count() - 1);
        return E_NOENT;
    }
    return check_main_core(o);
}

/* Does the control core, or one of a smaller number, share execution units? */
static bool is_sibling(unsigned lcore)
{
    const struct core_info *me = core_info_get(lcore);

    for (unsigned i = 0; i < core_count(); i++) {
        const struct core_info *other = core_info_get(i);

        if ((i < lcore || i == core_control()) &&
            other->package == me->package && other->core == me->core)
            return true;
    }
    return false;
}

/*
 * The cores of -l by number; without it all, those that share nothing first, so
 * that no stream waits for a sibling while a whole core sleeps.
 */
static unsigned list_cores(const struct options *o, uint16_t list[])
{
    const bool given = options_lcores_given(o);
    unsigned n = 0;

    for (unsigned siblings = 0; siblings < (given ? 1 : 2); siblings++)
        for (unsigned i = 0; i < core_count(); i++) {
            const bool wanted =
                given ? options_lcore_given(o, i) : is_sibling(i) == siblings;

            if (core_takes_work(i) && wanted)
                list[n++] = (uint16_t)i;
        }
    return n;
}

static enum status choose_cores(const struct app_setup *setup)
{
    const struct options *o = setup->options;
    uint16_t list[LCORE_MAX];
    enum status s = check_cores(o);

    if (s == OK)
        s = fwd_cores_set(list, list_cores(o, list));
    if (s == OK && o->place_count > 0)
        s = fwd_places_set(o->place, o->place_count);
    if (s != OK || o->nb_cores == 0)
        return s;
    s = fwd_nb_cores_set(o->nb_cores);
    if (s != OK)
        log_error("options: --nb-cores=%u: expected 1..%u, the cores that may "
                  "forward",
                  (unsigned)o->nb_cores, fwd_core_count());
    return s;
}

static enum status set_forwarding(const struct app_setup *setup)
{
    const struct options *o = setup->options;
    uint8_t list[PORT_MAX];
    unsigned n = 0;
    enum status s = fwd_burst_set(o->burst);

    fwd_engine_set(o->engine);
    if (s == OK)
        s = fwd_txpkts_set(o->txpkts);
    for (unsigned p = 0; p < PORT_MAX && s == OK; p++)
        if ((o->peer_given >> p & 1) != 0)
            s = fwd_peer_set(p, o->peer[p]);
    if (s != OK || o->portmask == 0)
        return s;
    for (unsigned p = 0; p < PORT_MAX; p++)
        if (in_mask(o, p))
            list[n++] = (uint8_t)p;
    s = fwd_ports_set(list, n);
    if (s != OK)
        log_error("options: --portmask=%x names a port that is not there; "
                  "expected ports of 0..%u",
                  (unsigned)o->portmask, port_count() - 1);
    return s;
}

static enum status build_pool(const struct app_setup *setup)
{
    enum status s;

    numa_prefer(numa_main_node());
    s = app_pool_build(setup->options, &app.port);
    numa_done("packet buffers");
    return s;
}

/*
 * @run for every port in @ports; one that fails is named and leaves the others
 * alone.
 *
 * Returns  OK when one port or more is well, else the first one's trouble
 */
static enum status each_port(uint32_t *ports, const char *what,
                             enum status (*run)(unsigned port))
{
    enum status first = OK;

    for (unsigned p = 0; p < port_count(); p++) {
        const unsigned errors = log_errors();
        const enum status s = (*ports >> p & 1) != 0 ? run(p) : OK;

        if (s == OK)
            continue;
        log_write(log_level_after(errors), "port %u: cannot be %s: %s", p, what,
                  status_text(s));
        *ports &= ~(UINT32_C(1) << p);
        first = first == OK ? s : first;
    }
    return *ports != 0 ? OK : first;
}

/* The rings of a port are near it. */
static enum status configure_one(unsigned port)
{
    enum status s;

    numa_prefer(numa_port_node(port));
    s = port_configure(port, &app.port);
    numa_done("the rings of a port");
    return s;
}

static enum status find_nodes(const struct app_setup *setup)
{
    return numa_open(setup->options);
}

static enum status configure_ports(const struct app_setup *setup)
{
    (void)setup;
    return each_port(&app.good_ports, "configured", configure_one);
}

static enum status start_ports(const struct app_setup *setup)
{
    if (setup->options->disable_device_start)
        return OK;
    return each_port(&app.good_ports, "started", port_start);
}

static enum status apply_config(const struct app_setup *setup)
{
    if (setup->config_bytes == 0)
        return OK;
    return config_apply(setup->config, setup->config_bytes,
                        setup->config_source);
}

static enum status auto_start(const struct app_setup *setup)
{
    enum status s;

    if (!setup->options->auto_start || fwd_is_running())
        return OK;
    s = app_forward();
    if (s != OK)
        log_error("forwarding: cannot start: %s", status_text(s));
    return s;
}

static enum status tell_state(const struct app_setup *setup)
{
    (void)setup;
    if (!fwd_is_running())
        out("Forwarding is stopped; `start` begins it.\n");
    return OK;
}

static enum status need_ports(const struct app_setup *setup)
{
    if (port_count() > 0)
        return OK;
    if (setup->nics_failed > 0)
        log_notice("no port: what was there did not come up; the console stays "
                   "open");
    else
        log_error("no port: expected an XL710 or X710 that may be used, found "
                  "none; the console stays open");
    return E_NOENT;
}

/* From options to forwarding, in this order. Each says in the log why not. */
static enum status (*const steps[])(const struct app_setup *setup) = {
    check_options,  need_ports, find_nodes,      choose_cores,
    set_forwarding, build_pool, configure_ports, start_ports,
    apply_config,   auto_start, tell_state,
};

/* What a port's chip makes its driver wait for holds up no other port (A2). */
static void forward_meanwhile(void)
{
    fwd_run(1);
}

enum status app_open(const struct app_setup *setup)
{
    const struct options *o = setup->options;

    fwd_init();
    port_meanwhile_set(forward_meanwhile);
    app.good_ports = (uint32_t)((UINT64_C(1) << port_count()) - 1);
    app.port =
        (struct port_config) { .queues = (uint16_t)o->rxq,
                               .rx_desc = (uint16_t)o->rxd,
                               .tx_desc = (uint16_t)o->txd,
                               .tx_rs_thresh = (uint16_t)o->txrst,
                               .tx_free_thresh = (uint16_t)o->txfreet,
                               .max_simd_bits = (uint16_t)o->max_simd_bits,
                               .tx_fast_free = true, /* one pool */
                               .promiscuous = true };
    app.stats_period_s = o->stats_period;
    app.housekeeping = deadline_in_us(HOUSEKEEPING_US);
    app.stats = deadline_in_us(o->stats_period * UINT64_C(1000000));
    for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
        const enum status s = steps[i](setup);

        if (s != OK)
            return s;
    }
    return OK;
}

/* ---- running ---- */

/*
 * A transmit ring takes a full receive ring after a pause when there is room
 * for one bucket that waits for its report and one that is not full yet, too.
 */
static void check_rings(void)
{
    const struct port_config *c = &app.port;
    const unsigned fits = c->rx_desc + 2u * c->tx_rs_thresh;

    if (fwd_engine_get()->makes_packets || fwd_engine_get() == &engine_rxonly ||
        c->tx_desc >= fits)
        return;
    log_notice("forwarding: a full receive ring of %u wants a transmit ring of "
               "%u, found %u; after a pause packets may be dropped as tx_full",
               c->rx_desc, fits, c->tx_desc);
}

bool app_ports_are_stopped(void)
{
    for (unsigned p = 0; p < port_count(); p++) {
        struct port_info info;

        if (port_info_get(p, &info) == OK &&
            (info.state == PORT_STARTED || info.state == PORT_RECOVERING))
            return false;
    }
    return true;
}

static enum status set_queues(unsigned port, unsigned queues)
{
    struct port_config c = app.port;
    struct port_info info;
    enum status s;

    if (port_info_get(port, &info) != OK || info.state != PORT_STOPPED)
        return OK;
    c.queues = (uint16_t)queues;
    c.promiscuous = info.promiscuous;
    numa_prefer(numa_port_node(port));
    s = port_configure(port, &c);
    numa_done("the rings of a port");
    return s;
}

enum status app_queues_set(unsigned queues)
{
    enum status s = E_STATE;

    if (app_ports_are_stopped())
        s = app_queues_check(queues);
    if (s != OK)
        return s;
    for (unsigned p = 0; s == OK && p < port_count(); p++)
        s = set_queues(p, queues);
    if (s == OK)
        app.port.queues = (uint16_t)queues;
    else
        for (unsigned p = 0; p < port_count(); p++)
            (void)!set_queues(p, app.port.queues);
    return s;
}

enum status app_forward(void)
{
    const enum status s = fwd_start();

    if (s != OK)
        return s;
    show_config_fwd();
    show_config_rxtx();
    check_rings();
    numa_check_cores();
    return OK;
}

static void print_periodic_stats(void)
{
    app.stats = deadline_in_us(app.stats_period_s * UINT64_C(1000000));
    show_all_port_stats();
    console_reprompt();
}

void app_housekeeping(void)
{
    if (!deadline_passed(&app.housekeeping))
        return;
    app.housekeeping = deadline_in_us(HOUSEKEEPING_US);
    port_poll_all();
    fwd_watch();
}

void app_poll(void)
{
    fwd_run(ROUNDS_PER_TURN);
    if (!fwd_is_ours())
        plat_pause();
    app_housekeeping();
    if (app.stats_period_s > 0 && deadline_passed(&app.stats))
        print_periodic_stats();
    console_poll();
}

void app_close(void)
{
    if (fwd_is_running())
        (void)!fwd_stop();
    for (unsigned p = 0; p < port_count(); p++) {
        out("Stopping port %u...\n", p);
        port_close(p);
        out("Port %u is closed\n", p);
    }
}
