/*
 * port.c - port.h on top of this driver
 */
#include <stdio.h>
#include <string.h>

#include <millrace/log.h>

#include "drivers/xl710/nic.h"
#include "drivers/xl710/path.h"
#include "mm/mempool.h"
#include "mm/mbuf.h"

/* trex-core issue 384 */
#define NVM_SLOW 0x6001

static struct nic nics[PORT_MAX];
static unsigned nic_count;

static struct nic *nic_of(unsigned port)
{
    return port < nic_count ? &nics[port] : NULL;
}

unsigned port_count(void)
{
    return nic_count;
}

/* ---- attach ---- */

bool nic_has_older_sibling(const struct nic *nic)
{
    const struct pci_addr *a = &nic->dev->at;

    for (unsigned i = 0; i < nic->index; i++) {
        const struct pci_addr *b = &nics[i].dev->at;

        if (nics[i].state != PORT_CLOSED && nics[i].state != PORT_FAILED &&
            a->segment == b->segment && a->bus == b->bus &&
            a->device == b->device)
            return true;
    }
    return false;
}

/* Mb/s a lane carries, coding taken off (PCI Express Base 4.0, 4.2). */
static unsigned lane_mbps(unsigned generation)
{
    static const unsigned mbps[] = { 0, 2000, 4000, 7877, 15754, 31508 };

    return generation < ARRAY_SIZE(mbps) ? mbps[generation] : 0;
}

static void look_at_slot(struct nic *nic)
{
    const struct pci_link *l = &nic->pcie;

    pci_link_get(nic->dev, &nic->pcie);
    if (l->width == 0)
        return;
    log_info("xl710 %s: PCI Express gen %u x%u, at most %u Mb/s each way",
             nic->name, l->speed, l->width, l->width * lane_mbps(l->speed));
    if (l->width < l->max_width || l->speed < l->max_speed)
        log_warning("xl710 %s: the card could do gen %u x%u in another slot",
                    nic->name, l->max_speed, l->max_width);
}

static void log_identity(const struct nic *nic)
{
    const struct nic_firmware *f = &nic->firmware;

    log_info("xl710 %s: %s, port %u, MAC %02x:%02x:%02x:%02x:%02x:%02x",
             nic->name, nic->id->product, nic->index, nic->mac[0], nic->mac[1],
             nic->mac[2], nic->mac[3], nic->mac[4], nic->mac[5]);
    log_info("xl710 %s: firmware %u.%u, API %u.%u, NVM %x.%02x, image %#010x",
             nic->name, f->major, f->minor, f->api_major, f->api_minor,
             f->nvm >> 12, f->nvm & 0xFF, f->eetrack);
    if (f->nvm == NVM_SLOW)
        log_warning("xl710 %s: this NVM loses packets above 27 million a "
                    "second; a newer one does not",
                    nic->name);
}

enum status xl710_attach(struct pci_device *dev)
{
    struct nic *nic = &nics[nic_count];
    enum status s;

    if (!xl710_is_ours(dev))
        return E_UNSUPPORTED;
    if (nic_count == PORT_MAX) {
        log_error("xl710: %u ports are the limit", PORT_MAX);
        return E_NOMEM;
    }
    memset(nic, 0, sizeof(*nic));
    nic->dev = dev;
    nic->id = xl710_id_of(dev);
    nic->index = nic_count;
    nic->promiscuous = true;
    snprintf(nic->name, sizeof(nic->name), "%04x:%02x:%02x.%x", dev->at.segment,
             dev->at.bus, dev->at.device & 0x1F, dev->at.function & 7);
    s = nic_bring_up(nic);
    if (s != OK)
        return s;
    nic->state = PORT_STOPPED;
    nic_count++;
    log_identity(nic);
    look_at_slot(nic);
    return OK;
}

void xl710_forget_all(void)
{
    for (unsigned i = 0; i < nic_count; i++)
        port_close(i);
    nic_count = 0;
}

/* ---- facts ---- */

enum status port_info_get(unsigned port, struct port_info *info)
{
    const struct nic *nic = nic_of(port);

    if (nic == NULL)
        return E_NOENT;
    memset(info, 0, sizeof(*info));
    snprintf(info->name, sizeof(info->name), "%s", nic->name);
    snprintf(info->driver, sizeof(info->driver), "xl710");
    snprintf(info->product, sizeof(info->product), "%s", nic->id->product);
    snprintf(info->firmware, sizeof(info->firmware),
             "%u.%u api %u.%u nvm %x.%02x 0x%08x", nic->firmware.major,
             nic->firmware.minor, nic->firmware.api_major,
             nic->firmware.api_minor, nic->firmware.nvm >> 12,
             nic->firmware.nvm & 0xFF, nic->firmware.eetrack);
    snprintf(info->rx_path, sizeof(info->rx_path), "%s",
             path_rx_name(nic->rxq[0].burst));
    snprintf(info->tx_path, sizeof(info->tx_path), "%s",
             path_tx_name(nic->txq[0].burst));
    info->at = nic->dev->at;
    info->vendor = nic->dev->vendor;
    info->device = nic->dev->device;
    info->subvendor = nic->dev->subvendor;
    info->subdevice = nic->dev->subdevice;
    memcpy(info->mac, nic->mac, sizeof(info->mac));
    info->state = nic->state;
    info->promiscuous = nic->promiscuous;
    info->rx_desc = nic->config.rx_desc;
    info->tx_desc = nic->config.tx_desc;
    info->rx_queues = info->tx_queues = XL710_QUEUES;
    info->rx_queues_max = info->tx_queues_max = XL710_QUEUES;
    info->max_frame = PORT_FRAME_MAX;
    info->mtu = PORT_FRAME_MAX - 14 - 4 - 8; /* Ethernet, FCS, two tags */
    info->recoveries = nic->recovery.count;
    info->pcie = nic->pcie;
    return OK;
}

void port_link_get(unsigned port, struct port_link *link)
{
    const struct nic *nic = nic_of(port);

    memset(link, 0, sizeof(*link));
    if (nic == NULL)
        return;
    link->up = nic->link.is_up;
    link->autoneg = nic->link.autoneg_done;
    link->speed_mbps = nic->link.speed_mbps;
    link->changes = nic->link.changes;
    link->changed_cycles = nic->link.changed_cycles;
}

void port_stats_get(unsigned port, struct port_stats *stats)
{
    struct nic *nic = nic_of(port);

    memset(stats, 0, sizeof(*stats));
    if (nic != NULL)
        stats_get(nic, stats);
}

void port_stats_clear(unsigned port)
{
    struct nic *nic = nic_of(port);

    if (nic != NULL)
        stats_clear(nic);
}

unsigned port_xstats_get(unsigned port, struct port_xstat *out, unsigned max)
{
    struct nic *nic = nic_of(port);

    return nic == NULL ? 0 : stats_extended(nic, out, max);
}

void port_xstats_clear(unsigned port)
{
    port_stats_clear(port);
}

/* ---- configuration ---- */

static enum status check_config(const struct nic *nic,
                                const struct port_config *c)
{
    const char *rule = rx_ring_rule(c->rx_desc);

    if (rule != NULL) {
        log_error("xl710 port %u: %u receive descriptors: %s", nic->index,
                  c->rx_desc, rule);
        return E_INVALID;
    }
    rule = tx_ring_rule(c->tx_desc, c->tx_rs_thresh, c->tx_free_thresh);
    if (rule != NULL) {
        log_error("xl710 port %u: %u transmit descriptors, thresholds %u and "
                  "%u: %s",
                  nic->index, c->tx_desc, c->tx_rs_thresh, c->tx_free_thresh,
                  rule);
        return E_INVALID;
    }
    if (c->pool == NULL ||
        mempool_data_room(c->pool) < MBUF_HEADROOM + RX_BUFFER_BYTES) {
        log_error("xl710 port %u: the pool's buffers hold %u bytes, %u are "
                  "needed",
                  nic->index, c->pool == NULL ? 0 : mempool_data_room(c->pool),
                  MBUF_HEADROOM + RX_BUFFER_BYTES);
        return E_INVALID;
    }
    if (mempool_is_pinned(c->pool)) { /* receive rewrites ol_flags */
        log_error("xl710 port %u: buffers of pool \"%s\" are pinned; a receive "
                  "ring needs its own",
                  nic->index, mempool_name(c->pool));
        return E_INVALID;
    }
    return OK;
}

static void free_rings(struct port_rxq *rx, struct port_txq *tx)
{
    rx_ring_free(rx);
    tx_ring_free(tx);
}

/* Counters outlive the rings they were counted on. */
static void adopt(struct nic *nic, struct port_rxq *rx, struct port_txq *tx)
{
    rx->stats = nic->rxq[0].stats;
    tx->stats = nic->txq[0].stats;
    free_rings(&nic->rxq[0], &nic->txq[0]);
    nic->rxq[0] = *rx;
    nic->txq[0] = *tx;
}

enum status port_configure(unsigned port, const struct port_config *config)
{
    struct nic *nic = nic_of(port);
    struct port_rxq rx = { 0 };
    struct port_txq tx = { .fast_free = config->tx_fast_free };
    enum status s;

    if (nic == NULL)
        return E_NOENT;
    if (nic->state != PORT_STOPPED)
        return E_STATE;
    s = check_config(nic, config);
    if (s == OK)
        s = rx_ring_alloc(&rx, config->rx_desc);
    if (s == OK)
        s = tx_ring_alloc(&tx, config->tx_desc, config->tx_rs_thresh,
                          config->tx_free_thresh);
    if (s == OK && config->promiscuous != nic->promiscuous)
        s = vsi_promiscuous_set(nic, config->promiscuous);
    if (s != OK) {
        free_rings(&rx, &tx);
        return s;
    }
    path_set(path_choose(config->max_simd_bits), &rx, &tx);
    adopt(nic, &rx, &tx);
    nic->config = *config;
    nic->is_configured = true;
    return OK;
}

enum status port_promiscuous_set(unsigned port, bool on)
{
    struct nic *nic = nic_of(port);
    enum status s;

    if (nic == NULL)
        return E_NOENT;
    if (nic->state != PORT_STOPPED && nic->state != PORT_STARTED)
        return E_STATE;
    s = vsi_promiscuous_set(nic, on);
    if (s == OK)
        nic->config.promiscuous = on;
    return s;
}

/* ---- start, stop, close ---- */

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
    s = queues_start(nic);
    nic->queues_on = s == OK;
    if (s != OK)
        return s;
    nic->state = PORT_STARTED;
    nic_watch_open(nic);
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
    free_rings(&nic->rxq[0], &nic->txq[0]);
    nic->is_configured = false;
    nic->state = PORT_CLOSED;
}

static void poll_port(struct nic *nic)
{
    if (nic->recovery.stage != RECOVERY_NONE)
        nic_recover_poll(nic);
    else if (nic->state == PORT_STOPPED || nic->state == PORT_STARTED)
        nic_health_poll(nic);
    /* What was seen just now may have ended it. */
    if (nic->state != PORT_STOPPED && nic->state != PORT_STARTED)
        return;
    link_poll(nic);
    stats_poll(nic);
    nic_watch_poll(nic);
}

void port_poll_all(void)
{
    for (unsigned i = 0; i < nic_count; i++)
        poll_port(&nics[i]);
}

/* On, or off for as long as the port recovers. */
static bool has_queue(const struct nic *nic, unsigned queue)
{
    return nic != NULL && queue < XL710_QUEUES &&
           (nic->queues_on ||
            (nic->state == PORT_RECOVERING && nic->recovery.wants_queues));
}

struct port_rxq *port_rxq_get(unsigned port, unsigned queue)
{
    struct nic *nic = nic_of(port);

    if (!has_queue(nic, queue))
        return NULL;
    return &nic->rxq[queue];
}

struct port_txq *port_txq_get(unsigned port, unsigned queue)
{
    struct nic *nic = nic_of(port);

    if (!has_queue(nic, queue))
        return NULL;
    return &nic->txq[queue];
}

void port_buffers_get(unsigned port, unsigned *in_rx, unsigned *in_tx)
{
    const struct nic *nic = nic_of(port);

    *in_rx = *in_tx = 0;
    if (nic == NULL || !nic->queues_on)
        return;
    for (unsigned q = 0; q < XL710_QUEUES; q++) {
        const struct port_rxq *rx = &nic->rxq[q];
        const struct port_txq *tx = &nic->txq[q];

        *in_rx += rx->owned + (rx->first == NULL ? 0 : rx->first->nb_segs);
        *in_tx += tx->n - 1 - tx->free;
    }
}
