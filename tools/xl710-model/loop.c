/*
 * loop.c - one thread for everything
 *
 * Shared doorbells ring in silence, so somebody has to look. The loop spins
 * while there is work and a little longer, then sleeps in short steps; with no
 * queue enabled nothing can ring, and it only keeps the chip's timers going.
 *
 *   L1  time is told to the chip before each message and each round of work
 *   L2  a busy data path does not keep a guest waiting that reads a register:
 *       each round looks at every socket
 *   L3  transmit drains faster than receive fills: with equal shares a backlog
 *       in a transmit ring, however it came about, would never shrink, and a
 *       forwarder would have to drop
 *   L4  with trapped doorbells a guest that goes on after a write finds all
 *       that came of it: frames have crossed the cable, too
 *   L5  who takes guest memory away from under us is no client any more
 */
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/log.h"
#include "model.h"
#include "server/listen.h"

enum {
    INJECT = 32,          /* frames a wire in one round */
    TRIPS = 64,           /* such rounds after one message: no endless ones */
    SEND = 256,           /* packets a queue: see L3 */
    MESSAGES = 64,        /* of one client in one round */
    SPIN_NS = 60000,      /* after the last work */
    NAP_NS = 50000,       /* while queues are on, */
    LONG_NAP_NS = 100000, /* and when nothing came for long */
    LONG_AFTER_NS = 5000000,
    TICK_NS = 1000000,  /* no queue on: timers only */
    IDLE_NS = 50000000, /* no client at all */
    LOOK_NS = 200000,   /* queue states, when touched and all off */
    LOOK_ANYWAY_NS = 20000000,
    FLUSH_NS = 2000000,
};

static volatile sig_atomic_t signalled;

static void on_signal(int number)
{
    signalled = number;
}

static void before_message(void *ctx)
{
    struct model *m = ctx;

    chip_advance(m->chip, model_now_ns());
}

static unsigned wires_pump(struct model *m, uint64_t now)
{
    unsigned done = 0;

    for (unsigned i = 0; i < m->ports; i++)
        done += wire_pump(m->port[i].wire,
                          m->port[i].rx_is_on && chip_link_get(m->chip, i),
                          INJECT, now);
    return done;
}

/* L4: what the message sent is where it goes to. */
static void after_message(void *ctx)
{
    struct model *m = ctx;
    const uint64_t now = model_now_ns();

    if (m->options->shared_doorbells)
        return;
    for (unsigned i = 0; i < TRIPS; i++)
        if (wires_pump(m, now) == 0)
            break;
}

/* ---- sockets ---- */

static void port_disconnect(struct model_port *p)
{
    model_log("pf %u: client gone after %llu messages", p->device.config.pf,
              (unsigned long long)p->device.messages);
    conn_close(&p->conn);
    device_disconnect(&p->device);
}

/* L5 */
static void ports_check(struct model *m)
{
    for (unsigned i = 0; i < m->ports; i++) {
        if (!dma_space_is_lost(&m->port[i].device.dma))
            continue;
        model_log("pf %u: a file with guest memory was shortened", i);
        port_disconnect(&m->port[i]);
    }
}

static void port_accept(struct model_port *p)
{
    const unsigned pf = p->device.config.pf;
    const int fd = listen_accept(p->listener);

    if (fd < 0)
        return;
    if (p->conn.fd >= 0) {
        model_log("pf %u: already has a client, second one refused", pf);
        close(fd);
        return;
    }
    p->device.messages = 0;
    if (!device_connect(&p->device)) {
        close(fd);
        return;
    }
    conn_open(&p->conn, fd);
    model_log("pf %u: client connected", pf);
}

/* Returns  messages handled */
static unsigned port_serve(struct model *m, struct model_port *p, short events,
                           bool knocks)
{
    int done = 0;

    if (p->conn.fd >= 0 && events != 0) {
        const struct conn_hooks hooks = { m, before_message, after_message };

        done = conn_pump(&p->conn, &p->device, MESSAGES, &hooks);
        /* A client that hung up has nobody to answer to: what it left unread
         * no longer matters, and the next one may be knocking. */
        if (done < 0 || (events & POLLHUP))
            port_disconnect(p);
    }
    if (knocks)
        port_accept(p);
    return done > 0 ? (unsigned)done : 0;
}

static unsigned pollfds_fill(struct model *m, struct pollfd *fds)
{
    unsigned n = 0;

    for (unsigned i = 0; i < m->ports; i++) {
        struct model_port *p = &m->port[i];

        /* The listener first: who knocks after the old client hung up is then
         * never seen without that hang-up. */
        fds[n++] = (struct pollfd) { .fd = p->listener, .events = POLLIN };
        fds[n++] = (struct pollfd) {
            .fd = p->conn.fd, /* negative: ignored by poll */
            .events = conn_wants_to_write(&p->conn) ? POLLOUT : POLLIN,
        };
    }
    for (unsigned i = 0; i < m->ports; i++)
        fds[n++] = (struct pollfd) { .fd = wire_watch(m->port[i].wire),
                                     .events = POLLIN };
    return n + ctl_pollfds(&m->ctl, fds + n);
}

static unsigned ports_serve(struct model *m, const struct pollfd *fds)
{
    unsigned done = 0;

    for (unsigned i = 0; i < m->ports; i++)
        done += port_serve(m, &m->port[i], fds[2 * i + 1].revents,
                           fds[2 * i].revents != 0);
    return done;
}

static void ctl_look(struct model *m, const struct pollfd *fds, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (fds[i].revents == 0)
            continue;
        chip_advance(m->chip, model_now_ns());
        ctl_serve(&m->ctl, m);
        break;
    }
}

/* Wires have things to do without news too. Returns  wires that moved */
static unsigned wires_serve(struct model *m, const struct pollfd *fds)
{
    const uint64_t now = model_now_ns();
    unsigned moved = 0;

    for (unsigned i = 0; i < m->ports; i++)
        moved += wire_serve(m->port[i].wire, fds[i].revents != 0, now);
    return moved;
}

/* Wait until something has news, at most @wait_ns. Returns  how much was done */
static unsigned sockets_serve(struct model *m, uint64_t wait_ns,
                              const sigset_t *signals)
{
    struct pollfd fds[3 * CHIP_PF_MAX + 1 + CTL_CLIENTS_MAX] = { 0 };
    const unsigned n = pollfds_fill(m, fds);
    const unsigned wires = 2 * m->ports, ctl = 3 * m->ports;
    const struct timespec wait = { .tv_nsec = (long)wait_ns };
    unsigned done = 0;

    if (ppoll(fds, n, &wait, signals) > 0) {
        done = ports_serve(m, fds);
        ctl_look(m, fds + ctl, n - ctl);
    }
    return done + wires_serve(m, fds + wires);
}

/* ---- the data path ---- */

static bool any_queue_on(struct model *m, unsigned pf, uint32_t base)
{
    for (unsigned q = 0; q < m->options->chip.queues_per_pf; q++)
        if (model_queue_is_on(m, pf, base, q))
            return true;
    return false;
}

/*
 * Look at the queues again: at once when a write may have stopped a running
 * one, soon when it may have started one (drivers write to hundreds of idle
 * queues as they begin), and by and by.
 */
static void queues_look(struct model *m, uint64_t now)
{
    const uint64_t soon = m->queues_on ? 0 : LOOK_NS;
    bool touched = false;

    for (unsigned i = 0; i < m->ports; i++)
        touched |= m->port[i].device.queues_touched;
    if (now - m->queues_seen_ns < (touched ? soon : LOOK_ANYWAY_NS))
        return;
    m->queues_seen_ns = now;
    m->queues_on = false;
    for (unsigned i = 0; i < m->ports; i++) {
        struct model_port *p = &m->port[i];

        p->device.queues_touched = false;
        p->rx_is_on = any_queue_on(m, i, MODEL_QRX_ENA);
        m->queues_on |= p->rx_is_on || any_queue_on(m, i, MODEL_QTX_ENA);
    }
}

static unsigned data_path(struct model *m, uint64_t now)
{
    unsigned done = 0;

    if (!m->queues_on)
        return 0;
    done += chip_poll(m->chip, SEND);
    return done + wires_pump(m, now);
}

static void wires_flush(struct model *m)
{
    for (unsigned i = 0; i < m->ports; i++)
        wire_flush(m->port[i].wire);
}

/* ---- pace ---- */

static uint64_t nap_ns(const struct model *m, uint64_t idle_ns)
{
    bool client = false;

    if (idle_ns < SPIN_NS)
        return 0;
    for (unsigned i = 0; i < m->ports; i++)
        client |= m->port[i].conn.fd >= 0;
    if (!client)
        return IDLE_NS;
    if (!m->queues_on)
        return TICK_NS;
    return idle_ns < LONG_AFTER_NS ? NAP_NS : LONG_NAP_NS;
}

static sigset_t signals_take(void)
{
    const struct sigaction end = { .sa_handler = on_signal };
    sigset_t blocked, before;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    signal(SIGPIPE, SIG_IGN);
    return before;
}

void model_run(struct model *m)
{
    const sigset_t signals = signals_take();
    uint64_t last_work = model_now_ns(), last_flush = 0;

    /* The kernel may otherwise add 50 us to each nap. */
    prctl(PR_SET_TIMERSLACK, 1000);
    while (!m->quit && !signalled) {
        uint64_t now = model_now_ns();
        unsigned done;

        chip_advance(m->chip, now);
        queues_look(m, now);
        done = data_path(m, now);
        if (done > 0)
            last_work = now;
        done += sockets_serve(m, nap_ns(m, now - last_work), &signals);
        ports_check(m);
        if (done > 0)
            last_work = now;
        else if (now - last_work > FLUSH_NS && now - last_flush > FLUSH_NS) {
            wires_flush(m);
            last_flush = now;
        }
    }
    if (signalled)
        model_log("ended by signal %d", (int)signalled);
}
