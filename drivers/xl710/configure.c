/*
 * configure.c - what a stopped port is told before it starts
 *
 *   C1  a configuration that fails leaves the old one, and its memory, in place
 */
#include <string.h>

#include <millrace/log.h>

#include "drivers/xl710/nic.h"
#include "drivers/xl710/path.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"

static enum status check_config(const struct nic *nic,
                                const struct port_config *c)
{
    const char *rule = rx_ring_rule(c->rx_desc);

    if (c->queues > nic->queues_max) {
        log_error(
            "xl710 port %u: %u queue pairs: expected 1..%u, what chip and "
            "firmware grant (%u queues, %u contexts, %u vectors)",
            nic->index, c->queues, nic->queues_max, nic->queue_count,
            nic->hmc.pairs, nic->caps.vectors);
        return E_RANGE;
    }
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

/* Queues that are to be; control only, and large for a stack. */
static struct port_rxq new_rxq[XL710_PAIRS_MAX];
static struct port_txq new_txq[XL710_PAIRS_MAX];

static void rings_free(struct port_rxq *rx, struct port_txq *tx, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        rx_ring_free(&rx[i]);
        tx_ring_free(&tx[i]);
    }
}

void nic_rings_free(struct nic *nic)
{
    rings_free(nic->rxq, nic->txq, nic_queues(nic));
}

static enum status rings_alloc(const struct port_config *c)
{
    const struct path *path = path_choose(c->max_simd_bits);
    enum status s = OK;

    memset(new_rxq, 0, sizeof(new_rxq));
    memset(new_txq, 0, sizeof(new_txq));
    for (unsigned i = 0; s == OK && i < c->queues; i++) {
        new_txq[i].fast_free = c->tx_fast_free;
        s = rx_ring_alloc(&new_rxq[i], c->rx_desc);
        if (s == OK)
            s = tx_ring_alloc(&new_txq[i], c->tx_desc, c->tx_rs_thresh,
                              c->tx_free_thresh);
        if (s == OK)
            path_set(path, &new_rxq[i], &new_txq[i]);
    }
    return s;
}

/* Counters outlive the rings they were counted on, and the queue itself. */
static void adopt(struct nic *nic, unsigned queues)
{
    nic_rings_free(nic);
    for (unsigned i = 0; i < queues; i++) {
        new_rxq[i].stats = nic->rxq[i].stats;
        new_txq[i].stats = nic->txq[i].stats;
        nic->rxq[i] = new_rxq[i];
        nic->txq[i] = new_txq[i];
    }
}

static enum status configure(struct nic *nic, const struct port_config *c)
{
    enum status s = check_config(nic, c);

    if (s != OK)
        return s;
    s = rings_alloc(c);
    if (s == OK && c->promiscuous != nic->promiscuous)
        s = vsi_promiscuous_set(nic, c->promiscuous);
    if (s != OK) {
        rings_free(new_rxq, new_txq, c->queues);
        return s;
    }
    adopt(nic, c->queues);
    nic->config = *c;
    nic->is_configured = true;
    rss_queues_changed(nic);
    return OK;
}

enum status port_configure(unsigned port, const struct port_config *config)
{
    struct nic *nic = nic_of(port);
    struct port_config c = *config;

    if (nic == NULL)
        return E_NOENT;
    if (nic->state != PORT_STOPPED)
        return E_STATE;
    if (c.queues == 0)
        c.queues = 1;
    return configure(nic, &c);
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
