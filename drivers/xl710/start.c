/*
 * start.c - a port's queues on and off, all of them or one alone
 *
 *   O1  a queue that was stopped alone stays so, through recoveries of the port,
 *       until it or the port is started
 *   O2  it is taken from the core that polls it before its ring is touched
 *       (port_quiet in port.h); the other queues do not notice
 */
#include <string.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define QUIET_US 1000000 /* a burst takes microseconds */

/* A port that failed is brought up once more; it starts when it is back. */
static enum status start_failed(struct nic *nic)
{
    nic_recover(nic, "it had failed and is started");
    nic->recovery.wants_queues = true;
    return OK;
}

enum status port_start(unsigned port)
{
    struct nic *nic = nic_of(port);
    enum status s;

    if (nic == NULL)
        return E_NOENT;
    if (nic->state == PORT_STARTED)
        return OK;
    if (nic->is_configured && nic->state == PORT_FAILED)
        return start_failed(nic);
    if (nic->is_configured && nic->state == PORT_RECOVERING) {
        nic->recovery.wants_queues = true;
        return OK;
    }
    if (nic->state != PORT_STOPPED || !nic->is_configured) {
        log_error("xl710 port %u: start before %s", port,
                  nic->state == PORT_STOPPED ? "it is configured"
                                             : "it is brought up");
        return E_STATE;
    }
    memset(nic->rx_stopped, 0, sizeof(nic->rx_stopped));
    memset(nic->tx_stopped, 0, sizeof(nic->tx_stopped));
    s = queues_start(nic);
    nic->queues_on = s == OK;
    if (s != OK)
        return s;
    nic->state = PORT_STARTED;
    nic_watch_open(nic);
    nic_dry_open(nic);
    queues_give(nic);
    return OK;
}

enum status port_stop(unsigned port)
{
    struct nic *nic = nic_of(port);
    enum status s;

    if (nic == NULL)
        return E_NOENT;
    if (nic->recovery.stage != RECOVERY_NONE) {
        nic_recover_without_queues(nic);
        return OK;
    }
    if (!nic->queues_on)
        return OK;
    s = queues_stop(nic);
    nic->queues_on = false;
    if (nic->state == PORT_STARTED)
        nic->state = s == OK ? PORT_STOPPED : PORT_FAILED;
    return s;
}

void port_close(unsigned port)
{
    struct nic *nic = nic_of(port);

    if (nic == NULL || nic->state == PORT_CLOSED)
        return;
    nic_recover_end(nic);
    if (port_stop(port) != OK)
        log_error("xl710 port %u: closed although its queues ran on", port);
    nic_take_down(nic);
    nic_rings_free(nic);
    nic->config.queues = 0;
    nic->is_configured = false;
    nic->state = PORT_CLOSED;
}

/* ---- one queue alone ---- */

enum kind { RX, TX };

static const char *const kind_names[] = { "receive", "transmit" };

static bool *stopped_flag(struct nic *nic, enum kind kind, unsigned queue)
{
    return kind == RX ? &nic->rx_stopped[queue] : &nic->tx_stopped[queue];
}

static struct queue_watch *watch_of(struct nic *nic, enum kind kind,
                                    unsigned queue)
{
    return kind == RX ? &nic->rx_watch[queue] : &nic->tx_watch[queue];
}

static void take(struct nic *nic, enum kind kind, unsigned queue)
{
    if (kind == RX)
        rxq_take(nic, queue);
    else
        txq_take(nic, queue);
}

static enum status halt(struct nic *nic, enum kind kind, unsigned queue)
{
    return kind == RX ? rxq_halt(nic, queue) : txq_halt(nic, queue);
}

static enum status go(struct nic *nic, enum kind kind, unsigned queue)
{
    return kind == RX ? rxq_go(nic, queue) : txq_go(nic, queue);
}

static enum status check(const struct nic *nic, unsigned queue)
{
    if (nic == NULL || queue >= nic_queues(nic))
        return E_NOENT;
    return nic->state == PORT_STARTED ? OK : E_STATE;
}

/* No core is in a burst on the queue any more. */
static enum status wait_for_quiet(void)
{
    const uint64_t ticket = nic_quiet_ask();
    const struct deadline d = deadline_in_us(QUIET_US);

    while (!nic_quiet_reached(ticket)) {
        if (deadline_passed(&d))
            return E_TIMEOUT;
        nic_wait_turn();
    }
    return OK;
}

/*
 * What cannot be undone here, a reset undoes. A core that stands in its burst
 * may be writing to what the queue holds: then nothing is freed now.
 */
static enum status queue_stop(struct nic *nic, enum kind kind, unsigned queue)
{
    enum status s = check(nic, queue);

    if (s != OK || *stopped_flag(nic, kind, queue))
        return s;
    take(nic, kind, queue);
    *stopped_flag(nic, kind, queue) = true;
    s = wait_for_quiet();
    if (s == OK)
        s = halt(nic, kind, queue);
    if (s == OK) {
        queue_watch_open(watch_of(nic, kind, queue));
        log_info("xl710 %s: %s queue %u is stopped", nic->name,
                 kind_names[kind], queue);
    } else {
        nic_recover(nic, "a queue does not stop");
    }
    return s;
}

static enum status queue_start(struct nic *nic, enum kind kind, unsigned queue)
{
    enum status s = check(nic, queue);

    if (s != OK || !*stopped_flag(nic, kind, queue))
        return s;
    s = go(nic, kind, queue);
    if (s != OK) {
        log_error("xl710 %s: %s queue %u does not start: %s", nic->name,
                  kind_names[kind], queue, status_text(s));
        hmc_error_log(nic);
        if (halt(nic, kind, queue) != OK)
            nic_recover(nic, "a queue does not stop");
        return s;
    }
    *stopped_flag(nic, kind, queue) = false;
    queue_watch_open(watch_of(nic, kind, queue));
    log_info("xl710 %s: %s queue %u is started", nic->name, kind_names[kind],
             queue);
    return OK;
}

enum status port_rxq_stop(unsigned port, unsigned queue)
{
    return queue_stop(nic_of(port), RX, queue);
}

enum status port_txq_stop(unsigned port, unsigned queue)
{
    return queue_stop(nic_of(port), TX, queue);
}

enum status port_rxq_start(unsigned port, unsigned queue)
{
    return queue_start(nic_of(port), RX, queue);
}

enum status port_txq_start(unsigned port, unsigned queue)
{
    return queue_start(nic_of(port), TX, queue);
}
