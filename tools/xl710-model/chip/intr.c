/*
 * intr.c - causes, vectors, moderation, and the way out
 *
 *   N1  a cause is never lost: while its vector is disabled, moderated, masked
 *       or without a way out, it stays pending
 *   N2  sending clears pending and, unless GLINT_CTL says otherwise, the
 *       vector's INTENA (auto-mask)
 *   N3  ICR0 keeps a cause although ICR0_ENA hides it; enabling it later
 *       raises vector 0; reading ICR0 clears it all
 *   N4  the linked lists (PFINT_LNKLST*) are storage: a queue finds its vector
 *       by MSIX_INDX, and one on no list has its CAUSE_ENA off
 *
 * Layouts: Linux i40e_register.h. Behaviour: Linux i40e_main.c i40e_intr,
 * i40e_txrx.c i40e_buildreg_itr; illumos i40e_intr.c.
 */
#include "chip/control.h"
#include "chip/data.h"

#include <string.h>

#define DYN_INTENA      (1u << 0)
#define DYN_CLEARPBA    (1u << 1)
#define DYN_SWINT       (1u << 2)
#define DYN_ITR(v)      ((v) >> 3 & 3)
#define DYN_INTERVAL(v) ((v) >> 5 & 0xFFF)
#define DYN_WB_ON_ITR   (1u << 30)
#define DYN_INTENA_MSK  (1u << 31)
#define ITR_NONE        3u
#define ITR_UNIT_NS     UINT64_C(2000)

#define QCTL_VECTOR(v) ((v)&0xFF)
#define QCTL_ITR(v)    ((v) >> 11 & 3)
#define QCTL_MSIX0(v)  ((v) >> 13 & 7)
#define QCTL_CAUSE_ENA (1u << 30)
#define QCTL_INTEVENT  (1u << 31)

/* Causes of ICR0 that ICR0_ENA gates; QUEUE_n and SWINT have no enable. */
#define ICR0_GATED   0x7FFF0000u
#define ICR0_UNGATED (ICR0_SWINT | 0x1FEu)

static uint32_t *dyn_ctl(struct chip_pf *pf, unsigned vector)
{
    return vector == 0 ? &pf->regs.PFINT_DYN_CTL0[0]
                       : &pf->regs.PFINT_DYN_CTLN[vector - 1];
}

static uint32_t *itr_reg(struct chip_pf *pf, unsigned vector, unsigned index)
{
    return vector == 0 ? &pf->regs.PFINT_ITR0[index]
                       : &pf->regs.PFINT_ITRN[index * 512 + vector - 1];
}

static uint64_t itr_ns(struct chip_pf *pf, unsigned vector, unsigned index)
{
    return index == ITR_NONE ? 0 : *itr_reg(pf, vector, index) * ITR_UNIT_NS;
}

/* ---- the way out ---- */

static void intx_level(struct chip *chip, struct chip_pf *pf, bool level)
{
    if (pf->intr.intx == level)
        return;
    pf->intr.intx = level;
    pf->cfg[PCI_STATUS] = (uint8_t)((pf->cfg[PCI_STATUS] & ~PCI_STATUS_INTX) |
                                    (level ? PCI_STATUS_INTX : 0));
    if (chip->host.intx != NULL)
        chip->host.intx(chip->host.ctx, pf->index, level);
}

/* Returns whether the message left. */
static bool send(struct chip *chip, struct chip_pf *pf, unsigned vector)
{
    if (pci_msix_enabled(pf)) {
        if (pci_msix_masked(pf))
            return false;
        if (chip->host.msix != NULL)
            chip->host.msix(chip->host.ctx, pf->index, vector);
        return true;
    }
    if (vector != 0)
        return false;
    if (pci_msi_enabled(pf)) {
        if (pci_msi_masked(pf))
            return false;
        if (chip->host.msix != NULL)
            chip->host.msix(chip->host.ctx, pf->index, 0);
        return true;
    }
    if (le16(&pf->cfg[PCI_COMMAND]) & PCI_CMD_INTX_OFF)
        return false;
    intx_level(chip, pf, true);
    return true;
}

static void clear_pending(struct chip_pf *pf, unsigned vector)
{
    if (!pf->intr.pending[vector])
        return;
    pf->intr.pending[vector] = false;
    pf->intr.waiting--;
}

static void try_vector(struct chip *chip, struct chip_pf *pf, unsigned vector)
{
    struct chip_intr *in = &pf->intr;
    uint32_t *ctl = dyn_ctl(pf, vector);
    const uint32_t keep = vector == 0 ? 1u << 0 : 1u << 2;

    if (!in->pending[vector] || !(*ctl & DYN_INTENA) ||
        chip->now_ns < in->due_ns[vector])
        return;
    writeback_vector(chip, pf, vector);
    if (!send(chip, pf, vector))
        return;
    clear_pending(pf, vector);
    in->fired_ns[vector] = chip->now_ns;
    if (!(chip->regs.GLINT_CTL[0] & keep))
        *ctl &= ~DYN_INTENA;
}

static void raise(struct chip *chip, struct chip_pf *pf, unsigned vector,
                  uint64_t interval_ns)
{
    struct chip_intr *in = &pf->intr;
    const uint64_t due = in->fired_ns[vector] + interval_ns;

    if (!in->pending[vector]) {
        in->pending[vector] = true;
        in->waiting++;
        in->due_ns[vector] = due;
    } else if (due < in->due_ns[vector]) {
        in->due_ns[vector] = due;
    }
    try_vector(chip, pf, vector);
}

/* ---- causes ---- */

static uint32_t *queue_ctl(struct chip_pf *pf, bool is_tx, unsigned q)
{
    return is_tx ? &pf->regs.QINT_TQCTL[q] : &pf->regs.QINT_RQCTL[q];
}

void intr_cause(struct chip *chip, struct chip_pf *pf, bool is_tx, unsigned q)
{
    if (q >= pf->queues)
        return;

    uint32_t *ctl = queue_ctl(pf, is_tx, q);
    const unsigned vector = QCTL_VECTOR(*ctl);

    *ctl |= QCTL_INTEVENT;
    if (!(*ctl & QCTL_CAUSE_ENA) || vector >= CHIP_VECTORS)
        return;
    if (vector == 0)
        pf->intr.icr0 |= ICR0_QUEUE(QCTL_MSIX0(*ctl));
    raise(chip, pf, vector, itr_ns(pf, vector, QCTL_ITR(*ctl)));
}

bool intr_queue_armed(struct chip *chip, struct chip_pf *pf, bool is_tx,
                      unsigned q, uint64_t *itr_out)
{
    (void)chip;
    *itr_out = 0;
    if (q >= pf->queues)
        return false;

    const uint32_t ctl = *queue_ctl(pf, is_tx, q);
    const unsigned vector = QCTL_VECTOR(ctl);

    if (!(ctl & QCTL_CAUSE_ENA) || vector >= CHIP_VECTORS)
        return false;
    *itr_out = itr_ns(pf, vector, QCTL_ITR(ctl));
    return (*dyn_ctl(pf, vector) & DYN_INTENA) != 0;
}

static uint32_t other_causes(const struct chip_pf *pf)
{
    return (pf->intr.icr0 & pf->regs.PFINT_ICR0_ENA[0] & ICR0_GATED) |
           (pf->intr.icr0 & ICR0_UNGATED);
}

static void raise_other(struct chip *chip, struct chip_pf *pf)
{
    const unsigned itr = pf->regs.PFINT_STAT_CTL0[0] >> 2 & 3;

    raise(chip, pf, 0, itr_ns(pf, 0, itr));
}

void intr_other(struct chip *chip, struct chip_pf *pf, uint32_t icr0_bits)
{
    pf->intr.icr0 |= icr0_bits;
    if (icr0_bits & (pf->regs.PFINT_ICR0_ENA[0] | ICR0_SWINT))
        raise_other(chip, pf);
}

/* ---- registers ---- */

uint32_t intr_icr0_read(struct chip *chip, struct chip_pf *pf)
{
    uint32_t v = pf->intr.icr0;

    if (v != 0)
        v |= ICR0_INTEVENT;
    pf->intr.icr0 = 0;
    clear_pending(pf, 0);
    intx_level(chip, pf, false);
    return v;
}

void intr_icr0_ena(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const uint32_t fresh = value & ~pf->regs.PFINT_ICR0_ENA[0];

    pf->regs.PFINT_ICR0_ENA[0] = value;
    if (pf->intr.icr0 & fresh & ICR0_GATED)
        raise_other(chip, pf);
}

void intr_dyn_ctl(struct chip *chip, struct chip_pf *pf, unsigned vector,
                  uint32_t value)
{
    uint32_t *ctl;

    if (vector >= CHIP_VECTORS)
        return; /* the registers exist, the vectors do not */
    ctl = dyn_ctl(pf, vector);
    if (value & DYN_CLEARPBA)
        clear_pending(pf, vector);
    if (DYN_ITR(value) != ITR_NONE)
        *itr_reg(pf, vector, DYN_ITR(value)) = DYN_INTERVAL(value);
    if (value & DYN_INTENA_MSK)
        value = (value & ~DYN_INTENA) | (*ctl & DYN_INTENA);
    *ctl = value & (DYN_INTENA | DYN_WB_ON_ITR);
    if (value & DYN_SWINT) {
        if (vector == 0)
            pf->intr.icr0 |= ICR0_SWINT;
        raise(chip, pf, vector, 0);
    }
    /* What ICR0 still holds has not been seen: it interrupts again. */
    if (vector == 0 && other_causes(pf) != 0 && !pf->intr.intx)
        raise_other(chip, pf);
    try_vector(chip, pf, vector);
}

void intr_route_changed(struct chip *chip, struct chip_pf *pf)
{
    if (pci_msix_enabled(pf) || pci_msi_enabled(pf) ||
        (le16(&pf->cfg[PCI_COMMAND]) & PCI_CMD_INTX_OFF))
        intx_level(chip, pf, false);
    for (unsigned v = 0; v < CHIP_VECTORS; v++)
        try_vector(chip, pf, v);
}

void intr_advance(struct chip *chip, struct chip_pf *pf)
{
    for (unsigned v = 0; pf->intr.waiting != 0 && v < CHIP_VECTORS; v++)
        try_vector(chip, pf, v);
}

void intr_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset)
{
    uint32_t icr0 = pf->intr.icr0;

    intx_level(chip, pf, false);
    /* The announcement of a global reset outlives it. */
    if (reset >= CHIP_RESET_CORER && reset < CHIP_RESET_POR)
        icr0 &= ICR0_GRST;
    else if (reset != CHIP_RESET_PFR)
        icr0 = 0;
    memset(&pf->intr, 0, sizeof(pf->intr));
    pf->intr.icr0 = icr0;
}
