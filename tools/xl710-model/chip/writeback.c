/*
 * writeback.c - when the driver gets to see what the queues did
 *
 * Receive: finished descriptors are stored a cache line at a time: 64 bytes, or
 * 128 when GLPCI_CNF2.CACHELINE_SIZE says so.
 * A partial line waits until the line is full, or until the queue's vector
 * interrupts, whatever for, or until the throttle interval of the queue's
 * interrupt runs out while that interrupt is armed, or, with WB_ON_ITR, without
 * an interrupt. A lone packet on a queue that has neither stays invisible, as
 * on silicon: iPXE intelxl.c re-arms on every poll because it saw four packets
 * of 32 bytes wait for each other, a line of 128. In PXE mode, which the chip
 * begins in, each descriptor is stored at once (iPXE commit 92b46b785).
 *
 * Transmit with head write-back: the head word goes out with each batch that
 * held an RS, and by time otherwise. Linux leaves RS off most packets and
 * relies on the latter.
 *
 *   I1  write-backs reach memory in ring order, the quadword with DD last
 *   I2  a queue's timer is its own: the interval restarts when it fires
 *   I3  a receive cause is raised together with the partial line, so that one
 *       interrupt shows the driver everything there is
 */
#include "chip/chip_impl.h"

#define CNF2_CACHELINE_SIZE (1u << 1)
#define RCTL_0_PXE_MODE     (1u << 0)

/* Without a throttle of its own a head report waits this long. */
#define TX_REPORT_NS 20000

#define QCTL_MSIX(ctl)    ((ctl)&0xFF)
#define QCTL_CAUSE_ENA    (1u << 30)
#define QCTL_ITR(ctl)     (((ctl) >> 11) & 3)
#define ITR_NONE          3
#define ITR_UNIT_NS       2000
#define DYN_CTL_WB_ON_ITR (1u << 30)

static void store_one(uint8_t *desc, const struct chip_rx_wb *wb,
                      unsigned desc_bytes)
{
    if (desc_bytes == 32) {
        put_le64(desc + 16, wb->qw[2]);
        put_le64(desc + 24, wb->qw[3]);
    }
    put_le64(desc, wb->qw[0]);
    __atomic_store_n((uint64_t *)(void *)(desc + 8), wb->qw[1],
                     __ATOMIC_RELEASE);
}

void writeback_rx_flush(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_rxq *rxq = &pf->rxq[q];
    const unsigned bytes = rxq->ctx.desc_bytes;
    const unsigned first = ring_span(rxq->held, rxq->head, rxq->ctx.qlen);
    uint64_t addr = rxq->ctx.base + (uint64_t)first * bytes;

    for (unsigned i = 0; i < rxq->held;) {
        size_t got = 0;
        uint8_t *desc =
            chip_dma_map(chip, pf, addr, (rxq->held - i) * bytes, true, &got);

        if (desc == NULL || got < bytes)
            break; /* complained about; the driver will never see these */
        for (; got >= bytes && i < rxq->held; i++, got -= bytes) {
            store_one(desc, &rxq->wb[i], bytes);
            desc += bytes;
            addr += bytes;
        }
    }
    rxq->held = 0;
}

static unsigned line_bytes(const struct chip *chip)
{
    return chip->regs.GLPCI_CNF2[0] & CNF2_CACHELINE_SIZE ? 128 : 64;
}

/* Both the admin command and the register lead out of it. */
static bool in_pxe_mode(const struct chip *chip, const struct chip_pf *pf)
{
    return pf->pxe_mode && chip->regs.GLLAN_RCTL_0[0] & RCTL_0_PXE_MODE;
}

void writeback_rx_push(struct chip *chip, struct chip_pf *pf, unsigned q,
                       const struct chip_rx_wb *wb)
{
    struct chip_rxq *rxq = &pf->rxq[q];
    const unsigned in_line = line_bytes(chip) / rxq->ctx.desc_bytes;

    rxq->wb[rxq->held++] = *wb;
    rxq->head = (uint16_t)ring_next(rxq->head, rxq->ctx.qlen);
    rxq->event_due = true; /* raised with the next partial line */
    if (rxq->head % in_line == 0 || in_pxe_mode(chip, pf))
        writeback_rx_flush(chip, pf, q);
}

/* Is the vector told to write back by time, without an interrupt? */
static bool wb_on_itr(const struct chip_pf *pf, unsigned q, uint64_t *itr_ns)
{
    const uint32_t ctl = pf->regs.QINT_RQCTL[q];
    const unsigned vector = QCTL_MSIX(ctl), itr = QCTL_ITR(ctl);
    const uint32_t dyn = vector == 0 ? pf->regs.PFINT_DYN_CTL0[0]
                                     : pf->regs.PFINT_DYN_CTLN[vector - 1];

    *itr_ns = 0;
    if (itr != ITR_NONE)
        *itr_ns = ITR_UNIT_NS *
                  (uint64_t)(vector == 0
                                 ? pf->regs.PFINT_ITR0[itr]
                                 : pf->regs.PFINT_ITRN[itr * 512 + vector - 1]);
    return dyn & DYN_CTL_WB_ON_ITR;
}

static void run_rx(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_rxq *rxq = &pf->rxq[q];
    uint64_t itr_ns;

    if ((rxq->held == 0 && !rxq->event_due) || chip->now_ns < rxq->event_at)
        return;
    if (intr_queue_armed(chip, pf, false, q, &itr_ns)) {
        writeback_rx_flush(chip, pf, q);
        rxq->event_due = false;
        rxq->event_at = chip->now_ns + itr_ns;
        intr_cause(chip, pf, false, q);
    } else if (rxq->held != 0 && wb_on_itr(pf, q, &itr_ns)) {
        writeback_rx_flush(chip, pf, q);
        rxq->event_at = chip->now_ns + itr_ns;
    }
}

void writeback_vector(struct chip *chip, struct chip_pf *pf, unsigned vector)
{
    for (unsigned i = 0; i < pf->data.rx_on.n; i++) {
        const unsigned q = pf->data.rx_on.q[i];
        const uint32_t ctl = pf->regs.QINT_RQCTL[q];

        if (!(ctl & QCTL_CAUSE_ENA) || QCTL_MSIX(ctl) != vector ||
            pf->rxq[q].held == 0)
            continue;
        writeback_rx_flush(chip, pf, q);
        pf->rxq[q].event_due = false;
    }
}

static void report_tx(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_txq *txq = &pf->txq[q];

    txq->report_due = false;
    if (txq->ctx.head_wb) {
        size_t got;
        void *word =
            chip_dma_map(chip, pf, txq->ctx.head_wb_addr, 4, true, &got);

        if (word != NULL && got >= 4)
            __atomic_store_n((uint32_t *)word, txq->head, __ATOMIC_RELEASE);
    }
    intr_cause(chip, pf, true, q);
}

void writeback_tx(struct chip *chip, struct chip_pf *pf, unsigned q, bool rs)
{
    struct chip_txq *txq = &pf->txq[q];
    uint64_t itr_ns = 0;

    pf->regs.QTX_HEAD[q] = txq->head;
    if (rs) {
        report_tx(chip, pf, q);
        return;
    }
    /* In the descriptors there is nothing to report without RS. */
    if (!txq->ctx.head_wb || txq->report_due)
        return;
    (void)intr_queue_armed(chip, pf, true, q, &itr_ns);
    txq->report_due = true;
    txq->report_at = chip->now_ns + (itr_ns != 0 ? itr_ns : TX_REPORT_NS);
}

void writeback_run(struct chip *chip, struct chip_pf *pf)
{
    for (unsigned i = 0; i < pf->data.rx_on.n; i++)
        run_rx(chip, pf, pf->data.rx_on.q[i]);
    for (unsigned i = 0; i < pf->data.tx_on.n; i++) {
        const unsigned q = pf->data.tx_on.q[i];

        if (pf->txq[q].report_due && chip->now_ns >= pf->txq[q].report_at)
            report_tx(chip, pf, q);
    }
}
