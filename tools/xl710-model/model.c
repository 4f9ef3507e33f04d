/*
 * model.c - builds the model from its options, and what the chip asks of it
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "model.h"
#include "server/listen.h"

uint64_t model_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- what the chip asks of the world ---- */

static void *host_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                      bool write, size_t *got)
{
    struct model *m = ctx;

    return device_dma(&m->port[pf].device, addr, len, write, got);
}

static void host_msix(void *ctx, unsigned pf, unsigned vector)
{
    struct model *m = ctx;

    device_msix(&m->port[pf].device, vector);
}

static void host_intx(void *ctx, unsigned pf, bool asserted)
{
    struct model *m = ctx;

    device_intx(&m->port[pf].device, asserted);
}

static void host_wire_tx(void *ctx, unsigned port, const uint8_t *frame,
                         size_t len)
{
    struct model *m = ctx;

    wire_transmit(m->port[port].wire, frame, len);
}

static bool host_wire_ready(void *ctx, unsigned port)
{
    struct model *m = ctx;

    return wire_ready(m->port[port].wire);
}

/* What is known of rule @rule, from its first breach on; NULL: no room. */
static struct complaint *complaint_of(struct model *m, unsigned pf,
                                      const char *rule)
{
    struct complaint *c;

    for (unsigned i = 0; i < m->complaint_kinds; i++)
        if (m->complaints[i].pf == pf &&
            strncmp(m->complaints[i].rule, rule, sizeof(c->rule) - 1) == 0)
            return &m->complaints[i];
    if (m->complaint_kinds == COMPLAINTS_MAX)
        return NULL;
    c = &m->complaints[m->complaint_kinds++];
    c->pf = pf;
    snprintf(c->rule, sizeof(c->rule), "%s", rule);
    return c;
}

static void host_complain(void *ctx, unsigned pf, const char *rule,
                          const char *text)
{
    struct model *m = ctx;
    struct complaint *c = complaint_of(m, pf, rule);

    m->complaints_total++;
    if (m->options->strict == STRICT_FATAL)
        m->quit = true;
    if (c == NULL)
        return;
    if (c->count == 0)
        snprintf(c->text, sizeof(c->text), "%s", text);
    /* Often broken rules are logged ever more rarely. */
    if ((c->count & (c->count + 1)) == 0)
        model_log("pf %u: complaint %llu: %s: %s", pf,
                  (unsigned long long)c->count + 1, rule, text);
    c->count++;
}

/* ---- what a wire asks of the model ---- */

static bool wire_host_deliver(void *ctx, unsigned port, const uint8_t *frame,
                              size_t len, bool may_wait)
{
    struct model *m = ctx;

    return chip_wire_rx(m->chip, port, frame, len, may_wait);
}

static struct wire *wire_host_other(void *ctx, unsigned port)
{
    struct model *m = ctx;

    return port < m->ports ? m->port[port].wire : NULL;
}

/* ---- small services ---- */

void model_link_set(struct model *m, unsigned port, bool up)
{
    m->port[port].device.config.cable_down = !up;
    chip_link_set(m->chip, port, up);
    m->port[port].device.queues_touched = true;
}

bool model_queue_is_on(struct model *m, unsigned pf, uint32_t base, unsigned q)
{
    return chip_reg_read(m->chip, pf, base + 4 * q, 4) >> 2 & 1;
}

/* ---- building ---- */

static bool make_chip(struct model *m)
{
    const struct chip_host host = {
        .ctx = m,
        .dma = host_dma,
        .msix = host_msix,
        .intx = host_intx,
        .wire_tx = host_wire_tx,
        .wire_ready = host_wire_ready,
        .complain = host_complain,
    };

    m->chip = chip_create(&m->options->chip, &host);
    if (m->chip == NULL) {
        model_log("no memory for the chip");
        return false;
    }
    chip_strict_set(m->chip, m->options->strict != STRICT_OFF);
    chip_advance(m->chip, model_now_ns());
    return true;
}

static bool make_wire(struct model *m, unsigned port)
{
    const struct port_options *o = &m->options->port[port];
    struct wire *w = wire_create(o->wire, port, &m->wire_host);

    m->port[port].wire = w;
    if (w == NULL) {
        model_log("port %u: no wire is called \"%s\"; --help lists them", port,
                  o->wire);
        return false;
    }
    for (char *s = o->settings; *s != '\0'; s += strlen(s) + 1) {
        char pair[1024];
        char *eq;

        snprintf(pair, sizeof(pair), "%s", s);
        eq = strchr(pair, '=');
        *eq = '\0';
        if (!wire_set(w, pair, eq + 1)) {
            model_log("port %u: %s", port, w->error);
            return false;
        }
    }
    return true;
}

/* Wires may ask for each other, so they open when all exist. */
static bool make_wires(struct model *m)
{
    m->wire_host = (struct wire_host) { .ctx = m,
                                        .deliver = wire_host_deliver,
                                        .other = wire_host_other };
    for (unsigned i = 0; i < m->ports; i++)
        if (!make_wire(m, i))
            return false;
    for (unsigned i = 0; i < m->ports; i++) {
        struct wire *w = m->port[i].wire;
        const bool ok = wire_open(w);

        if (w->error[0] != '\0')
            model_log("port %u: %s", i, w->error);
        if (!ok)
            return false;
    }
    return true;
}

static bool make_devices(struct model *m)
{
    for (unsigned i = 0; i < m->ports; i++) {
        const struct device_config config = {
            .chip = m->chip,
            .pf = i,
            .shared_doorbells = m->options->shared_doorbells,
            .cable_down = m->options->port[i].link_down,
        };

        if (!device_open(&m->port[i].device, &config))
            return false;
        device_power_on(&m->port[i].device);
    }
    return true;
}

static bool make_sockets(struct model *m)
{
    const char *dir = m->options->socket_dir;
    char path[PATH_ROOM];

    if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
        model_log("cannot make %s: %s", dir, strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < m->ports; i++) {
        struct model_port *p = &m->port[i];

        snprintf(p->path, sizeof(p->path), "%s/pf%u.sock", dir, i);
        p->listener = listen_open(p->path);
        if (p->listener < 0)
            return false;
    }
    snprintf(path, sizeof(path), "%s/ctl.sock", dir);
    return ctl_open(&m->ctl, path);
}

struct model *model_open(const struct options *options, int *status)
{
    struct model *m = calloc(1, sizeof(*m));

    *status = MODEL_EXIT_FAILED;
    if (m == NULL)
        return NULL;
    m->options = options;
    m->ports = options->chip.ports;
    ctl_init(&m->ctl);
    for (unsigned i = 0; i < CHIP_PF_MAX; i++) {
        m->port[i].listener = -1;
        m->port[i].conn.fd = -1;
    }
    if (!make_wires(m))
        *status = MODEL_EXIT_USAGE;
    else if (make_chip(m) && make_devices(m) && make_sockets(m))
        return m;
    model_close(m);
    return NULL;
}

static void port_close(struct model_port *p)
{
    if (p->conn.fd >= 0)
        conn_close(&p->conn);
    if (p->device.config.chip != NULL)
        device_close(&p->device);
    if (p->listener >= 0) {
        close(p->listener);
        unlink(p->path);
    }
}

void model_close(struct model *m)
{
    ctl_close(&m->ctl);
    for (unsigned i = 0; i < m->ports; i++)
        port_close(&m->port[i]);
    if (m->chip != NULL)
        chip_destroy(m->chip);
    for (unsigned i = 0; i < m->ports; i++)
        wire_destroy(m->port[i].wire);
    free(m);
}
