/*
 * reset.c - from any left-over state to a silent function
 *
 * Whoever had the function before us, firmware, a boot loader or another
 * kernel, may have left queues running into memory that is now ours. A
 * function-level reset ends all of it at once. Where the function has none, we
 * stop everything by hand and ask for a software reset, which alone would leave
 * the admin queue, interrupt causes and receive tails as they were.
 *
 * The software path follows i40e_clear_hw() and i40e_pf_reset() of Intel's
 * i40e_common.c, with bounds of our own: the counts come from registers.
 */
#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define LIST_END          0x7FF
#define GLOBAL_UNIT_US    100000 /* of GRSTDEL */
#define GLOBAL_FACTOR     20     /* as Intel's driver allows */
#define GLOBAL_MIN_US     1000000
#define GLOBAL_MAX_US     16000000
#define NVM_LOAD_US       10000000
#define PF_RESET_US       1000000
#define TX_NOTICE_US      400
#define QUEUES_OFF_US     50
#define QUEUES_PER_NOTICE 128

/* Vectors n+1 that exist: vector 0 and the last are not in the array. */
static unsigned vectors_in_array(uint32_t count, unsigned limit)
{
    const unsigned n = count < 2 ? 0 : count - 2;

    return n < limit ? n : limit;
}

static void silence_interrupts(struct nic *nic)
{
    const uint32_t counts = reg_read(nic, GLPCI_CNF2, 0);
    const uint32_t vfs = reg_read(nic, PF_VT_PFALLOC, 0);
    const unsigned pf_vectors =
        vectors_in_array(field_of(GLPCI_CNF2_MSI_X_PF_N, counts), 512);
    const unsigned vf_vectors =
        vectors_in_array(field_of(GLPCI_CNF2_MSI_X_VF_N, counts), 512);
    const unsigned first = field_of(PF_VT_PFALLOC_FIRSTVF, vfs);
    const unsigned last = field_of(PF_VT_PFALLOC_LASTVF, vfs);

    reg_write(nic, PFINT_ICR0_ENA, 0, 0);
    reg_write(nic, PFINT_DYN_CTL0, 0, 0);
    for (unsigned i = 0; i < pf_vectors; i++)
        reg_write(nic, PFINT_DYN_CTLN, i, field_is(PFINT_DYN_CTLN_ITR_INDX, 3));
    reg_write(nic, PFINT_LNKLST0, 0, field_is(PFINT_LNKLST0_FIRSTQ, LIST_END));
    for (unsigned i = 0; i < pf_vectors; i++)
        reg_write(nic, PFINT_LNKLSTN, i, LIST_END);
    if (field_of(PF_VT_PFALLOC_VALID, vfs) == 0)
        return;
    for (unsigned i = 0; i <= last - first && last >= first && i < 128; i++)
        reg_write(nic, VPINT_LNKLST0, i, LIST_END);
    for (unsigned i = 0; i < vf_vectors; i++)
        reg_write(nic, VPINT_LNKLSTN, i, LIST_END);
}

/* Transmit queues want to be told before they are switched off. */
static void stop_queues(struct nic *nic)
{
    const uint32_t own = reg_read(nic, PFLAN_QALLOC, 0);
    const unsigned first = field_of(PFLAN_QALLOC_FIRSTQ, own);
    const unsigned last = field_of(PFLAN_QALLOC_LASTQ, own);

    if (field_of(PFLAN_QALLOC_VALID, own) == 0 || last < first ||
        last >= XL710_QUEUES_MAX)
        return;
    for (unsigned q = first; q <= last; q++)
        reg_write(nic, GLLAN_TXPRE_QDIS, q / QUEUES_PER_NOTICE,
                  field_is(GLLAN_TXPRE_QDIS_QINDX, q % QUEUES_PER_NOTICE) |
                      field_is(GLLAN_TXPRE_QDIS_SET_QDIS, 1));
    chip_wait(TX_NOTICE_US);
    for (unsigned q = 0; q <= last - first; q++) {
        reg_write(nic, QINT_TQCTL, q, 0);
        reg_write(nic, QTX_ENA, q, 0);
        reg_write(nic, QINT_RQCTL, q, 0);
        reg_write(nic, QRX_ENA, q, 0);
    }
    reg_flush(nic);
    chip_wait(QUEUES_OFF_US);
}

/* A reset outlives neither queue of the admin pair, but firmware keeps them. */
static void stop_left_over_adminq(struct nic *nic)
{
    if (reg_get(nic, PF_ATQLEN_ENABLE, 0) == 0 &&
        reg_get(nic, PF_ARQLEN_ENABLE, 0) == 0)
        return;
    log_notice("xl710 %s: an earlier driver left its admin queue running",
               nic->name);
    reg_write(nic, PF_ATQLEN, 0, 0);
    reg_write(nic, PF_ARQLEN, 0, 0);
    reg_flush(nic);
}

bool nic_reset_in_progress(const struct nic *nic)
{
    return reg_get(nic, GLGEN_RSTAT_DEVSTATE, 0) != 0;
}

uint64_t nic_chip_reset_us(const struct nic *nic)
{
    const uint64_t us = GLOBAL_FACTOR * GLOBAL_UNIT_US *
                        (uint64_t)reg_get(nic, GLGEN_RSTCTL_GRSTDEL, 0);

    if (us < GLOBAL_MIN_US)
        return GLOBAL_MIN_US;
    return us > GLOBAL_MAX_US ? GLOBAL_MAX_US : us;
}

/* Another port, or firmware, may be resetting the whole chip right now. */
enum status nic_chip_ready(struct nic *nic)
{
    enum status s =
        reg_poll(nic, GLGEN_RSTAT_DEVSTATE, 0, 0, nic_chip_reset_us(nic));

    if (s == OK)
        s = reg_poll(nic, GLNVM_ULD_DONE, 0, 3, NVM_LOAD_US);
    if (s == OK)
        nic->reset_counts = reg_get(nic, GLGEN_RSTAT_RESET_COUNTS, 0);
    return s;
}

/* A chip reset that begins meanwhile does the same and more. */
static enum status software_reset(struct nic *nic)
{
    const struct deadline end = deadline_in_us(PF_RESET_US);

    reg_write(nic, PFGEN_CTRL, 0, field_is(PFGEN_CTRL_PFSWR, 1));
    while (!deadline_passed(&end)) {
        if (reg_get(nic, PFGEN_CTRL_PFSWR, 0) == 0)
            break;
        if (nic_reset_in_progress(nic))
            return nic_chip_ready(nic);
        nic_wait_turn();
    }
    chip_wait_add(clock_cycles_to_us(plat_cycles() - end.start));
    return reg_poll(nic, PFGEN_CTRL_PFSWR, 0, 0, 0);
}

enum status nic_reset_by_hand(struct nic *nic)
{
    enum status s;

    /* Nothing we do not own yet may be written to while we clear up. */
    pci_disable_dma(nic->dev);
    s = nic_chip_ready(nic);
    if (s != OK)
        return s;
    silence_interrupts(nic);
    stop_queues(nic);
    stop_left_over_adminq(nic);
    s = software_reset(nic);
    if (s == OK)
        s = nic_chip_ready(nic);
    if (s == OK)
        pci_enable(nic->dev);
    return s;
}

/* ---- resets that began before their device was attached ---- */

static struct early {
    const struct pci_device *dev; /* NULL: none */
    struct pci_reset reset;
} early[PORT_MAX];

void xl710_reset_begin(const struct pci_device *dev)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        if (early[i].dev != NULL)
            continue;
        early[i].reset.is_saved = false;
        /* A refusal is met again, and told, when the device is attached. */
        if (pci_reset_begin(dev, &early[i].reset) == OK)
            early[i].dev = dev;
        return;
    }
}

static bool take_early(const struct pci_device *dev, struct pci_reset *reset)
{
    for (unsigned i = 0; i < PORT_MAX; i++) {
        if (early[i].dev != dev)
            continue;
        *reset = early[i].reset;
        early[i].dev = NULL;
        return true;
    }
    return false;
}

enum status nic_reset(struct nic *nic)
{
    const uint64_t start = plat_cycles();
    enum status s = take_early(nic->dev, &nic->flr)
                        ? OK
                        : pci_reset_begin(nic->dev, &nic->flr);

    if (s == OK)
        while ((s = pci_reset_poll(nic->dev, &nic->flr)) == E_BUSY)
            nic_wait_turn();
    pci_enable(nic->dev);
    if (s == E_UNSUPPORTED) {
        log_notice("xl710 %s: no function-level reset; clearing by hand",
                   nic->name);
        return nic_reset_by_hand(nic);
    }
    if (s != OK)
        return s;
    chip_wait_add(clock_cycles_to_us(plat_cycles() - start));
    return nic_chip_ready(nic);
}

void nic_leave_quiet(struct nic *nic)
{
    if (reg_read(nic, PFGEN_CTRL, 0) == UINT32_MAX)
        return;
    if (software_reset(nic) != OK)
        log_error("xl710 %s: not reset on the way out", nic->name);
}
