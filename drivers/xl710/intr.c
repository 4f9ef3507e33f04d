/*
 * intr.c - prompt write-back without interrupts
 *
 * The chip collects received descriptors and writes them back a cache line at a
 * time; a lone packet would wait for company. What flushes a part-filled line
 * is the expiry of an interrupt timer (ITR), so each receive queue is bound to
 * a vector whose timer is short and which stays armed, while no message can
 * leave: MSI-X is on, as the chip wants to see, and all of its vectors are
 * masked. Auto-mask is off, or the first expiry would disarm the vector.
 *
 * DPDK's i40e PMD does the same when it polls (i40e_ethdev.c):
 * i40e_vsi_queues_bind_intr() binds the queues with an ITR of 32 us,
 * i40e_vsi_enable_queues_intr() arms the vector once, i40e_config_automask()
 * keeps it armed.
 *
 * Vector 0 stays untouched: it belongs to firmware events, which we poll.
 */
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define PCI_COMMAND      0x04
#define COMMAND_NO_INTX  0x0400
#define MSIX_CONTROL     2 /* bytes into the capability */
#define MSIX_ENABLE      0x8000
#define MSIX_MASK_ALL    0x4000
#define ITR_UNIT_US      2
#define ITR_US           32
#define ITR_NONE         3 /* DYN_CTL: do not touch a timer */
#define LIST_END         0x7FF
#define KEEP_ARMED       7 /* PF vector 0, VF vector 0, vectors n */
#define VECTOR_OF(queue) ((queue) + 1)

static void config_set(const struct nic *nic, unsigned offset, uint32_t set,
                       uint32_t clear)
{
    const uint32_t v = plat_pci_read(nic->dev->at, offset, 2);

    plat_pci_write(nic->dev->at, offset, 2, (v & ~clear) | set);
}

enum status write_back_timer_open(struct nic *nic)
{
    const unsigned msix = pci_find_capability(nic->dev, PCI_CAP_MSIX);
    const uint32_t keep = field_is(GLINT_CTL_KEEP_ARMED, KEEP_ARMED);
    uint32_t v;

    if (msix == 0) {
        log_error("xl710 %s: no MSI-X capability; single packets would wait "
                  "in the NIC",
                  nic->name);
        return E_UNSUPPORTED;
    }
    config_set(nic, PCI_COMMAND, COMMAND_NO_INTX, 0);
    config_set(nic, msix + MSIX_CONTROL, MSIX_ENABLE | MSIX_MASK_ALL, 0);
    /* A register of the chip: write only what is not there yet. */
    v = reg_read(nic, GLINT_CTL, 0);
    if ((v & keep) != keep)
        reg_write(nic, GLINT_CTL, 0, v | keep);
    return OK;
}

void write_back_timer_close(struct nic *nic)
{
    const unsigned msix = pci_find_capability(nic->dev, PCI_CAP_MSIX);

    config_set(nic, msix + MSIX_CONTROL, 0, MSIX_ENABLE | MSIX_MASK_ALL);
}

void write_back_timer_arm(struct nic *nic, unsigned queue)
{
    const unsigned n = VECTOR_OF(queue) - 1;

    reg_write(nic, QINT_RQCTL, queue,
              field_is(QINT_RQCTL_MSIX_INDX, VECTOR_OF(queue)) |
                  field_is(QINT_RQCTL_ITR_INDX, 0) |
                  field_is(QINT_RQCTL_NEXTQ_INDX, LIST_END) |
                  field_is(QINT_RQCTL_CAUSE_ENA, 1));
    reg_write(nic, QINT_TQCTL, queue, 0);
    reg_write(nic, PFINT_LNKLSTN, n, field_is(PFINT_LNKLSTN_FIRSTQ, queue));
    reg_write(nic, PFINT_ITRN_0, n, ITR_US / ITR_UNIT_US);
    reg_write(nic, PFINT_DYN_CTLN, n,
              field_is(PFINT_DYN_CTLN_INTENA, 1) |
                  field_is(PFINT_DYN_CTLN_CLEARPBA, 1) |
                  field_is(PFINT_DYN_CTLN_ITR_INDX, ITR_NONE));
}

void write_back_timer_disarm(struct nic *nic, unsigned queue)
{
    const unsigned n = VECTOR_OF(queue) - 1;

    reg_write(nic, QINT_RQCTL, queue, 0);
    reg_write(nic, PFINT_LNKLSTN, n, LIST_END);
    reg_write(nic, PFINT_DYN_CTLN, n,
              field_is(PFINT_DYN_CTLN_ITR_INDX, ITR_NONE));
}
