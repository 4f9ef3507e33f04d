/*
 * qregs.c - queue enables, doorbells, pre-disable
 *
 *   Q1  QENA_STAT is 1 exactly while the data half runs the queue
 *   Q2  a doorbell is remembered whether its queue runs or not
 *   Q3  doorbell memory, where the host program has some, equals the registers
 *       after each trapped write and each reset
 *   Q4  a trapped write that stores to doorbell memory have overtaken on its way
 *       here takes no tail back
 */
#include "chip/control.h"
#include "chip/data.h"

#define QENA_REQ  1u
#define QENA_FAST 2u
#define QENA_STAT 4u

static bool in_range(struct chip *chip, struct chip_pf *pf, uint32_t q,
                     const char *name)
{
    if (q < pf->queues)
        return true;
    chip_complain(chip, pf, "reg-range", "%s(%u), the function has %u queues",
                  name, q, pf->queues);
    return false;
}

static void tx_start_checks(struct chip *chip, struct chip_pf *pf, uint32_t q)
{
    const uint32_t ctl = pf->regs.QTX_CTL[q];

    if ((ctl & 3) != 2 || (ctl >> 2 & 0xF) != pf->index)
        chip_complain(chip, pf, "queue-owner",
                      "QTX_CTL(%u) = 0x%04x, expected type 2, function %u", q,
                      ctl, pf->index);
    if (chip->tx_predisabled[pf->first_q + q])
        chip_complain(chip, pf, "queue-predisable",
                      "QTX_ENA(%u) without CLEAR_QDIS of queue %u", q,
                      pf->first_q + q);
}

void qregs_tx_ena(struct chip *chip, struct chip_pf *pf, uint32_t q,
                  uint32_t value)
{
    uint32_t *reg;

    if (!in_range(chip, pf, q, "QTX_ENA"))
        return;
    reg = &pf->regs.QTX_ENA[q];
    value &= QENA_REQ | QENA_FAST;
    if ((value & QENA_REQ) && !(*reg & QENA_STAT)) {
        tx_start_checks(chip, pf, q);
        *reg = value | (queue_tx_enable(chip, pf, q) ? QENA_STAT : 0);
        return;
    }
    if (!(value & QENA_REQ) && (*reg & QENA_STAT)) {
        if (!chip->tx_predisabled[pf->first_q + q])
            chip_complain(chip, pf, "queue-disable",
                          "QTX_ENA(%u) off without SET_QDIS of queue %u", q,
                          pf->first_q + q);
        queue_tx_disable(chip, pf, q);
        *reg = value;
        return;
    }
    *reg = value | (*reg & QENA_STAT);
}

void qregs_rx_ena(struct chip *chip, struct chip_pf *pf, uint32_t q,
                  uint32_t value)
{
    uint32_t *reg;

    if (!in_range(chip, pf, q, "QRX_ENA"))
        return;
    reg = &pf->regs.QRX_ENA[q];
    value &= QENA_REQ | QENA_FAST;
    if ((value & QENA_REQ) && !(*reg & QENA_STAT)) {
        *reg = value | (queue_rx_enable(chip, pf, q) ? QENA_STAT : 0);
        return;
    }
    if (!(value & QENA_REQ) && (*reg & QENA_STAT)) {
        queue_rx_disable(chip, pf, q);
        *reg = value;
        return;
    }
    *reg = value | (*reg & QENA_STAT);
}

/*
 * While a guest uses INTx, QEMU traps accesses for a second after an interrupt
 * (hw/vfio/pci.c, vfio_intx_mmap_enable), and it does not wait for the writes
 * that it passes on. The first direct store may then be here before the last of
 * them. Rings only go forward: what lies a little behind @direct is older.
 */
static bool is_overtaken(uint32_t direct, uint32_t trapped, unsigned qlen)
{
    return direct < qlen && trapped < qlen &&
           ring_span(trapped, direct, qlen) < qlen / 4;
}

static bool stored_since(const uint32_t *memory, uint32_t q, uint32_t known,
                         uint32_t *direct)
{
    if (memory == NULL)
        return false;
    *direct = __atomic_load_n(&memory[q], __ATOMIC_ACQUIRE);
    return *direct != known;
}

void qregs_tx_tail(struct chip *chip, struct chip_pf *pf, uint32_t q,
                   uint32_t value)
{
    uint32_t direct;

    if (!in_range(chip, pf, q, "QTX_TAIL"))
        return;
    if (pf->txq[q].on &&
        stored_since(pf->qtx_tail, q, pf->regs.QTX_TAIL[q], &direct) &&
        is_overtaken(direct, value, pf->txq[q].ctx.qlen))
        return;
    pf->regs.QTX_TAIL[q] = value;
    if (pf->qtx_tail != NULL)
        __atomic_store_n(&pf->qtx_tail[q], value, __ATOMIC_RELEASE);
    tx_doorbell(chip, pf, q, value);
}

void qregs_rx_tail(struct chip *chip, struct chip_pf *pf, uint32_t q,
                   uint32_t value)
{
    const struct chip_rxq *rxq = &pf->rxq[q];
    uint32_t direct;

    if (!in_range(chip, pf, q, "QRX_TAIL"))
        return;
    /* The first tail of all may be the slot behind the head. */
    if (rxq->on && rxq->tail != rxq->head &&
        stored_since(pf->qrx_tail, q, pf->regs.QRX_TAIL[q], &direct) &&
        is_overtaken(direct, value, rxq->ctx.qlen))
        return;
    pf->regs.QRX_TAIL[q] = value;
    if (pf->qrx_tail != NULL)
        __atomic_store_n(&pf->qrx_tail[q], value, __ATOMIC_RELEASE);
    rx_doorbell(chip, pf, q, value);
}

/*
 * The index in the register picks the block of 128, QINDX the queue in it;
 * iPXE writes the absolute number, of which the low seven bits are the same.
 */
void qregs_pre_disable(struct chip *chip, struct chip_pf *pf, uint32_t block,
                       uint32_t value)
{
    const uint32_t absolute = block * 128 + (value & 0x7F);
    const bool set = (value & 1u << 30) != 0, clear = (value & 1u << 31) != 0;

    /* SET and CLEAR are actions: they read back as 0. */
    chip->regs.GLLAN_TXPRE_QDIS[block] = value & 0x7FF;
    if (!set && !clear)
        return;
    if (absolute < pf->first_q || absolute >= pf->first_q + pf->queues) {
        chip_complain(chip, pf, "reg-range",
                      "GLLAN_TXPRE_QDIS(%u) names queue %u, the function has "
                      "%u .. %u",
                      block, absolute, pf->first_q,
                      pf->first_q + pf->queues - 1);
        return;
    }
    chip->tx_predisabled[absolute] = set && !clear;
}

void qregs_doorbells_fetch(struct chip_pf *pf)
{
    for (unsigned q = 0; q < pf->queues; q++) {
        if (pf->qtx_tail != NULL)
            pf->regs.QTX_TAIL[q] =
                __atomic_load_n(&pf->qtx_tail[q], __ATOMIC_ACQUIRE) & 0x1FFF;
        if (pf->qrx_tail != NULL)
            pf->regs.QRX_TAIL[q] =
                __atomic_load_n(&pf->qrx_tail[q], __ATOMIC_ACQUIRE) & 0x1FFF;
    }
}

void qregs_doorbells_sync(struct chip_pf *pf)
{
    for (unsigned q = 0; q < pf->queues; q++) {
        if (pf->qtx_tail != NULL)
            __atomic_store_n(&pf->qtx_tail[q], pf->regs.QTX_TAIL[q],
                             __ATOMIC_RELEASE);
        if (pf->qrx_tail != NULL)
            __atomic_store_n(&pf->qrx_tail[q], pf->regs.QRX_TAIL[q],
                             __ATOMIC_RELEASE);
    }
}
