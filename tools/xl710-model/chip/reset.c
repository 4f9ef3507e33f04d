/*
 * reset.c - what each reset takes away, and how long it takes
 *
 *   X1  a weaker reset never clears what only a stronger one may (regs.h names
 *       each register's domain): the admin queue registers survive a PF reset
 *   X2  a global reset is announced to every function (DEVSTATE 1, ICR0.GRST),
 *       then happens (DEVSTATE 2, core and global done bits gone), then is
 *       over (DEVSTATE 0); each phase ends in chip_advance
 *   X3  counters survive a PF reset, and go with a core reset
 *   X4  what a function does to a chip that was reset behind its back is no
 *       fault of its driver, until it read GLGEN_RSTAT, was reset itself, or
 *       had the time that no driver would let pass without a look
 *
 * Times: RSTCTL.GRSTDEL promises at most one second between request and end.
 */
#include "chip/control.h"

#include <string.h>

#define PFSWR_NS    (100 * CHIP_US_NS)
#define ANNOUNCE_NS (5 * CHIP_MS_NS)
#define CORER_NS    (10 * CHIP_MS_NS)
#define GLOBR_NS    (50 * CHIP_MS_NS)
#define EMPR_NS     (500 * CHIP_MS_NS)
#define UNAWARE_NS  (2000 * CHIP_MS_NS)

#define RSTAT_STATE     0x3u
#define RSTAT_TYPE      0xCu
#define ULD_CORE_GLOBAL 0x18u

/* The function's share of the state that is not in registers. */
static void forget(struct chip *chip, struct chip_pf *pf, enum chip_reset reset)
{
    hmc_reset(chip, pf);
    fdir_clear(chip, pf);
    switch_reset(chip, pf);
    intr_reset(chip, pf, reset);
    nvm_release(chip, pf);
    pf->pxe_mode = true;
    if (reset >= CHIP_RESET_EMPR || reset == CHIP_RESET_FLR)
        adminq_reset(pf);
    if (reset >= CHIP_RESET_CORER)
        for (unsigned q = 0; q < pf->queues; q++)
            chip->tx_predisabled[pf->first_q + q] = false;
    if (reset < CHIP_RESET_EMPR && reset != CHIP_RESET_FLR)
        return;
    pf->lldp_on = false;
    memcpy(pf->mac_lan, pf->mac_factory, sizeof(pf->mac_lan));
}

/* Registers a function-level reset takes although a PF reset does not. */
static void clear_for_flr(struct chip_pf *pf)
{
    struct chip_regs *r = &pf->regs;

    r->PF_ATQBAL[0] = r->PF_ATQBAH[0] = r->PF_ATQLEN[0] = 0;
    r->PF_ATQH[0] = r->PF_ATQT[0] = 0;
    r->PF_ARQBAL[0] = r->PF_ARQBAH[0] = r->PF_ARQLEN[0] = 0;
    r->PF_ARQH[0] = r->PF_ARQT[0] = 0;
    r->PFINT_ICR0_ENA[0] = r->PFINT_STAT_CTL0[0] = 0;
    for (unsigned q = 0; q < CHIP_QUEUES_MAX; q++) {
        r->QRX_TAIL[q] = r->QTX_HEAD[q] = r->QTX_CTL[q] = 0;
        r->QINT_RQCTL[q] = r->QINT_TQCTL[q] = 0;
    }
}

void reset_function(struct chip *chip, struct chip_pf *pf,
                    enum chip_reset reset)
{
    qregs_doorbells_fetch(pf);
    data_reset(chip, pf, reset);
    regs_reset(&pf->regs, CHIP_SCOPE_PF, reset);
    if (reset == CHIP_RESET_FLR)
        clear_for_flr(pf);
    if (reset == CHIP_RESET_FLR || reset == CHIP_RESET_POR)
        pci_reset(chip, pf);
    forget(chip, pf, reset);
    link_reset(chip, pf, reset);
    regs_fill_pf(chip, pf);
    qregs_doorbells_sync(pf);
    pf->pfswr_until_ns = 0;
    pf->unaware_until_ns = 0;
    if (reset == CHIP_RESET_POR)
        pf->intr.icr0 = 0; /* the link that comes with power is no news */
}

void reset_pfgen_ctrl(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    if (!(value & 1))
        return;
    reset_function(chip, pf, CHIP_RESET_PFR);
    pf->pfswr_until_ns = chip->now_ns + PFSWR_NS;
}

/* ---- global resets ---- */

static void show_state(struct chip *chip, uint32_t state)
{
    uint32_t *rstat = &chip->regs.GLGEN_RSTAT[0];

    *rstat = (*rstat & ~RSTAT_STATE) | state;
}

static uint32_t type_of(enum chip_reset reset)
{
    return reset == CHIP_RESET_CORER ? 1 : reset == CHIP_RESET_GLOBR ? 2 : 3;
}

static uint64_t time_of(enum chip_reset reset)
{
    return reset == CHIP_RESET_CORER   ? CORER_NS
           : reset == CHIP_RESET_GLOBR ? GLOBR_NS
                                       : EMPR_NS;
}

void reset_request(struct chip *chip, enum chip_reset reset)
{
    uint32_t *rstat = &chip->regs.GLGEN_RSTAT[0];

    if (reset == CHIP_RESET_NONE)
        return;
    /* A stronger request while a weaker one waits takes its place. */
    if (chip->resetting != CHIP_RESET_NONE &&
        (chip->reset_done || reset <= chip->resetting))
        return;
    chip->resetting = reset;
    chip->reset_done = false;
    chip->reset_at_ns = chip->now_ns + ANNOUNCE_NS;
    *rstat = (*rstat & ~RSTAT_TYPE) | type_of(reset) << 2;
    show_state(chip, 1);
    for (unsigned p = 0; p < chip->ports; p++)
        intr_other(chip, &chip->pf[p], ICR0_GRST);
}

/* CORERCNT, GLOBRCNT, EMPRCNT: two bits each, wrapping. */
static void count_reset(struct chip *chip, enum chip_reset reset)
{
    const unsigned lsb = 2 + 2 * type_of(reset);
    uint32_t *rstat = &chip->regs.GLGEN_RSTAT[0];
    const uint32_t count = (*rstat >> lsb) + 1;

    *rstat = (*rstat & ~(3u << lsb)) | (count & 3) << lsb;
}

static void global_reset(struct chip *chip, enum chip_reset reset)
{
    regs_reset(&chip->regs, CHIP_SCOPE_GL, reset);
    for (unsigned i = 0; i < CHIP_TUNNELS_MAX; i++)
        chip->tunnel[i].used = false;
    stats_reset(chip);
    regs_fill_chip(chip, reset);
    for (unsigned p = 0; p < chip->ports; p++)
        reset_function(chip, &chip->pf[p], reset);
}

void reset_advance(struct chip *chip)
{
    const enum chip_reset reset = chip->resetting;

    if (reset == CHIP_RESET_NONE)
        return;
    if (!chip->reset_done && chip->now_ns >= chip->reset_at_ns) {
        global_reset(chip, reset);
        count_reset(chip, reset);
        for (unsigned p = 0; p < chip->ports; p++)
            chip->pf[p].unaware_until_ns = chip->reset_at_ns + UNAWARE_NS;
        chip->regs.GLNVM_ULD[0] &= ~ULD_CORE_GLOBAL;
        show_state(chip, 2);
        chip->reset_done = true;
        chip->ready_at_ns = chip->reset_at_ns + time_of(reset);
    }
    if (chip->reset_done && chip->now_ns >= chip->ready_at_ns) {
        chip->regs.GLNVM_ULD[0] |= ULD_CORE_GLOBAL;
        show_state(chip, 0);
        chip->resetting = CHIP_RESET_NONE;
        for (unsigned p = 0; p < chip->ports; p++)
            link_update(chip, &chip->pf[p]);
    }
}

bool reset_is_running(const struct chip *chip)
{
    return chip->resetting != CHIP_RESET_NONE && chip->reset_done;
}

/* ---- power ---- */

void reset_power_on(struct chip *chip)
{
    chip->resetting = CHIP_RESET_NONE;
    chip->reset_done = false;
    global_reset(chip, CHIP_RESET_POR);
    for (unsigned p = 0; p < chip->ports; p++)
        chip->pf[p].touched = false;
}

/*
 * A virtual machine that restarts powers on one function after the other. What
 * the functions share returns to its reset values when the last one that had
 * been used is done.
 */
void chip_power_on(struct chip *chip, unsigned pf_index)
{
    if (pf_index >= chip->ports)
        return;

    struct chip_pf *pf = &chip->pf[pf_index];

    reset_function(chip, pf, CHIP_RESET_POR);
    pf->touched = false;
    for (unsigned p = 0; p < chip->ports; p++)
        if (chip->pf[p].touched)
            return;
    reset_power_on(chip);
}
