/*
 * port.c - port.h on top of this driver: facts, counters and the rounds
 *
 * attach.c gives ports their numbers, configure.c their rings; start.c switches
 * queues on and off.
 */
#include <stdio.h>
#include <string.h>

#include "drivers/xl710/nic.h"
#include "drivers/xl710/path.h"
#include "mm/mbuf.h"

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
    info->rx_queues = info->tx_queues = (uint16_t)nic_queues(nic);
    info->rx_queues_max = info->tx_queues_max = (uint16_t)nic->queues_max;
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

enum status port_queue_stats_get(unsigned port, unsigned queue,
                                 struct port_queue_stats *stats)
{
    const struct nic *nic = nic_of(port);

    if (nic == NULL || queue >= nic_queues(nic))
        return E_NOENT;
    memset(stats, 0, sizeof(*stats));
    stats_of_queue(nic, queue, stats);
    if (nic->state == PORT_STARTED && !nic->rx_stopped[queue])
        stats->rx_state = PORT_QUEUE_STARTED;
    if (nic->state == PORT_STARTED && !nic->tx_stopped[queue])
        stats->tx_state = PORT_QUEUE_STARTED;
    return OK;
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

/* ---- queues ---- */

/* On, or off for as long as the port recovers. */
static bool has_queue(const struct nic *nic, unsigned queue)
{
    return nic != NULL && queue < nic_queues(nic) &&
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
    for (unsigned q = 0; q < nic_queues(nic); q++) {
        const struct port_rxq *rx = &nic->rxq[q];
        const struct port_txq *tx = &nic->txq[q];

        *in_rx += rx->owned + (rx->first == NULL ? 0 : rx->first->nb_segs);
        *in_tx += tx->n - 1 - tx->free;
    }
}

/* ---- the rounds ---- */

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
    nic_dry_poll(nic);
}

void port_poll_all(void)
{
    for (unsigned i = 0; i < port_count(); i++)
        poll_port(nic_of(i));
}
