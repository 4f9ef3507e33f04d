/*
 * mdd.c - malicious driver detection: latch, tell, stop the queue
 *
 * Register layout: Linux i40e_register.h, GL_MDET_TX and GL_MDET_RX. Which
 * event has which number no public source says.
 */
#include "chip/control.h"

static void latch_tx(struct chip *chip, struct chip_pf *pf, unsigned q,
                     unsigned event)
{
    uint32_t *reg = &chip->regs.GL_MDET_TX[0];

    /* The first event stays until software has seen it. */
    if (!(*reg >> 31))
        *reg = (pf->first_q + q) | pf->index << 21 | (event & 0x1F) << 25 |
               1u << 31;
    pf->regs.PF_MDET_TX[0] = 1;
}

static void latch_rx(struct chip *chip, struct chip_pf *pf, unsigned q,
                     unsigned event)
{
    uint32_t *reg = &chip->regs.GL_MDET_RX[0];

    if (!(*reg >> 31))
        *reg = pf->index | (event & 0x1FF) << 8 | (pf->first_q + q) << 17 |
               1u << 31;
    pf->regs.PF_MDET_RX[0] = 1;
}

void mdd_raise(struct chip *chip, struct chip_pf *pf, bool is_tx, unsigned q,
               unsigned event)
{
    if (q >= pf->queues)
        return;
    if (is_tx) {
        latch_tx(chip, pf, q, event);
        pf->txq[q].stopped = true;
    } else {
        latch_rx(chip, pf, q, event);
        pf->rxq[q].stopped = true;
    }
    intr_other(chip, pf, ICR0_MAL_DETECT);
}
