/*
 * queue.c - queue pairs on and off
 *
 * A transmit queue wants notice through GLLAN_TXPRE_QDIS before it is switched
 * either way, or its scheduler node may hang. Received data may still arrive
 * for 50 ms after its queue reports "off". Order and times as in Intel's
 * i40e_vsi_control_rings() and OpenBSD's if_ixl.c.
 */
#include <millrace/bits.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define QUEUE_ENABLE_US    10000
#define QUEUE_DISABLE_US   200000
#define TX_NOTICE_US       400
#define TX_SETTLE_US       10
#define RX_LATE_DATA_US    50000
#define CONTEXT_ADDR_SHIFT 7 /* ring addresses in 128 bytes */
#define OWNER_PF           2
#define QUEUES_PER_NOTICE  128

/* ---- contexts ---- */

static void write_rx_context(struct nic *nic, unsigned queue)
{
    const struct port_rxq *q = &nic->rxq[queue];
    uint8_t *c = hmc_rx_context(nic, queue);

    hmc_put(c, RXCTX_BASE, plat_bus_addr(q->ring) >> CONTEXT_ADDR_SHIFT);
    hmc_put(c, RXCTX_QLEN, q->n);
    hmc_put(c, RXCTX_DBUFF, RX_BUFFER_BYTES / 128);
    hmc_put(c, RXCTX_DSIZE, 0); /* 16 bytes */
    hmc_put(c, RXCTX_CRCSTRIP, 1);
    hmc_put(c, RXCTX_L2TSEL, 1);
    hmc_put(c, RXCTX_RXMAX, PORT_FRAME_MAX);
    hmc_put(c, RXCTX_PREFENA, 1);
}

_Static_assert(PORT_FRAME_MAX <= RX_SEGMENTS_MAX * RX_BUFFER_BYTES,
               "the longest frame fits the buffers the chip may use");

static void write_tx_context(struct nic *nic, unsigned queue)
{
    const struct port_txq *q = &nic->txq[queue];
    uint8_t *c = hmc_tx_context(nic, queue);

    hmc_put(c, TXCTX_NEW, 1);
    hmc_put(c, TXCTX_BASE, plat_bus_addr(q->ring) >> CONTEXT_ADDR_SHIFT);
    hmc_put(c, TXCTX_HEAD_WB, 0);
    hmc_put(c, TXCTX_QLEN, q->n);
    hmc_put(c, TXCTX_RDYLIST, nic->vsi.queue_set);
}

/* ---- on ---- */

static enum status rx_start(struct nic *nic, unsigned queue)
{
    struct port_rxq *q = &nic->rxq[queue];
    enum status s;

    q->port = (uint16_t)nic->index;
    q->tail_reg = reg_address(nic, QRX_TAIL, queue);
    /* The timer first: the first packet may come with the queue. */
    write_back_timer_arm(nic, queue);
    s = rx_ring_fill(q, nic->config.pool);
    if (s != OK)
        return s;
    write_rx_context(nic, queue);
    /* The tail outlives resets: with an old one the queue would run ahead. */
    reg_write(nic, QRX_TAIL, queue, 0);
    plat_dma_wmb();
    reg_write(nic, QRX_ENA, queue, field_is(QRX_ENA_QENA_REQ, 1));
    s = reg_poll(nic, QRX_ENA_QENA_STAT, queue, 1, QUEUE_ENABLE_US);
    if (s == OK)
        reg_write(nic, QRX_TAIL, queue, q->post);
    return s;
}

/* Tell the scheduler what is about to happen to @queue. */
static void tx_notice(struct nic *nic, unsigned queue, enum reg_field what)
{
    const unsigned of_chip = nic->first_queue + queue;

    reg_write(nic, GLLAN_TXPRE_QDIS, of_chip / QUEUES_PER_NOTICE,
              field_is(what, 1) | field_is(GLLAN_TXPRE_QDIS_QINDX,
                                           of_chip % QUEUES_PER_NOTICE));
}

static enum status tx_start(struct nic *nic, unsigned queue)
{
    struct port_txq *q = &nic->txq[queue];

    q->port = (uint16_t)nic->index;
    q->tail_reg = reg_address(nic, QTX_TAIL, queue);
    tx_ring_reset(q);
    write_tx_context(nic, queue);
    tx_notice(nic, queue, GLLAN_TXPRE_QDIS_CLEAR_QDIS);
    chip_wait(TX_SETTLE_US);
    reg_write(nic, QTX_HEAD, queue, 0);
    reg_write(nic, QTX_CTL, queue,
              field_is(QTX_CTL_PFVF_Q, OWNER_PF) |
                  field_is(QTX_CTL_PF_INDX, nic->pf));
    plat_dma_wmb();
    reg_write(nic, QTX_ENA, queue, field_is(QTX_ENA_QENA_REQ, 1));
    return reg_poll(nic, QTX_ENA_QENA_STAT, queue, 1, QUEUE_ENABLE_US);
}

enum status queues_start(struct nic *nic)
{
    enum status s = rss_start(nic);

    for (unsigned i = 0; s == OK && i < nic_queues(nic); i++) {
        if (!nic->tx_stopped[i])
            s = tx_start(nic, i);
        if (s == OK && !nic->rx_stopped[i])
            s = rx_start(nic, i);
    }
    if (s != OK) {
        log_error("xl710 %s: queues do not start: %s", nic->name,
                  status_text(s));
        hmc_error_log(nic);
        if (queues_stop(nic) != OK)
            nic->state = PORT_FAILED;
    }
    return s;
}

/* ---- off ---- */

static enum status switch_off(struct nic *nic)
{
    enum status tx = OK, rx = OK;

    for (unsigned i = 0; i < nic_queues(nic); i++) {
        write_back_timer_disarm(nic, i);
        tx_notice(nic, i, GLLAN_TXPRE_QDIS_SET_QDIS);
    }
    reg_flush(nic);
    chip_wait(TX_NOTICE_US);
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        reg_write(nic, QTX_ENA, i, 0);
        reg_write(nic, QRX_ENA, i, 0);
    }
    for (unsigned i = 0; i < nic_queues(nic) && tx == OK && rx == OK; i++) {
        tx = reg_poll(nic, QTX_ENA_QENA_STAT, i, 0, QUEUE_DISABLE_US);
        rx = reg_poll(nic, QRX_ENA_QENA_STAT, i, 0, QUEUE_DISABLE_US);
    }
    chip_wait(RX_LATE_DATA_US);
    return tx != OK ? tx : rx;
}

/*
 * A queue that does not stop could still write to a buffer we give back, so
 * then the function loses the bus altogether.
 */
enum status queues_stop(struct nic *nic)
{
    const enum status s = switch_off(nic);

    if (s != OK) {
        log_error("xl710 %s: queues do not stop: %s; taking the bus away",
                  nic->name, status_text(s));
        pci_disable_dma(nic->dev);
    }
    (void)queues_drain(nic);
    return s;
}

unsigned queues_drain(struct nic *nic)
{
    unsigned rx = 0, tx = 0;

    port_buffers_get(nic->index, &rx, &tx);
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        rx_ring_drain(&nic->rxq[i]);
        tx_ring_drain(&nic->txq[i]);
    }
    return rx + tx;
}

/* ---- taken from the cores that poll them, and given back ---- */

void rxq_take(struct nic *nic, unsigned queue)
{
    __atomic_store_n(&nic->rxq[queue].is_off, true, __ATOMIC_RELEASE);
}

void txq_take(struct nic *nic, unsigned queue)
{
    __atomic_store_n(&nic->txq[queue].is_off, true, __ATOMIC_RELEASE);
}

static void rxq_give(struct nic *nic, unsigned queue)
{
    __atomic_store_n(&nic->rxq[queue].is_off, false, __ATOMIC_RELEASE);
}

static void txq_give(struct nic *nic, unsigned queue)
{
    __atomic_store_n(&nic->txq[queue].is_off, false, __ATOMIC_RELEASE);
}

void queues_take(struct nic *nic)
{
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        rxq_take(nic, i);
        txq_take(nic, i);
    }
}

void queues_give(struct nic *nic)
{
    for (unsigned i = 0; i < nic_queues(nic); i++) {
        if (!nic->rx_stopped[i])
            rxq_give(nic, i);
        if (!nic->tx_stopped[i])
            txq_give(nic, i);
    }
}

/* ---- one queue alone ---- */

enum status rxq_halt(struct nic *nic, unsigned queue)
{
    enum status s;

    write_back_timer_disarm(nic, queue);
    reg_write(nic, QRX_ENA, queue, 0);
    s = reg_poll(nic, QRX_ENA_QENA_STAT, queue, 0, QUEUE_DISABLE_US);
    if (s != OK)
        return s;
    chip_wait(RX_LATE_DATA_US);
    rx_ring_drain(&nic->rxq[queue]);
    return OK;
}

enum status txq_halt(struct nic *nic, unsigned queue)
{
    enum status s;

    tx_notice(nic, queue, GLLAN_TXPRE_QDIS_SET_QDIS);
    reg_flush(nic);
    chip_wait(TX_NOTICE_US);
    reg_write(nic, QTX_ENA, queue, 0);
    s = reg_poll(nic, QTX_ENA_QENA_STAT, queue, 0, QUEUE_DISABLE_US);
    if (s == OK)
        tx_ring_drain(&nic->txq[queue]);
    return s;
}

enum status rxq_go(struct nic *nic, unsigned queue)
{
    const enum status s = rx_start(nic, queue);

    if (s == OK)
        rxq_give(nic, queue);
    return s;
}

enum status txq_go(struct nic *nic, unsigned queue)
{
    const enum status s = tx_start(nic, queue);

    if (s == OK)
        txq_give(nic, queue);
    return s;
}
