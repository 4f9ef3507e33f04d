/*
 * pci_reset.c - function-level reset and power states
 *
 * Both make a function forget its configuration, so both put it back.
 *
 *   R1  a function that does not answer costs RESET_US + RETURN_US, no more
 *   R2  the command register is written last: no decode before the BARs are
 *       right
 */
#include <millrace/clock.h>
#include <millrace/log.h>

#include "kernel/pci_config.h"

#define PENDING_US (100 * 1000)  /* DMA under way may end */
#define RESET_US   (100 * 1000)  /* PCI Express Base 4.0, 6.6.2 */
#define RETURN_US  (1000 * 1000) /* ours, after that */
#define WAKE_US    (10 * 1000)   /* PCI Power Management 1.2, 5.6.1 */
#define POLL_US    1000

#define HEADER_WORDS (PCI_HEADER_BYTES / 4)

struct saved {
    uint32_t header[HEADER_WORDS];
    uint16_t device_control, device_control_2, link_control;
};

static void save(struct pci_addr at, unsigned pcie, struct saved *s)
{
    for (unsigned i = 0; i < HEADER_WORDS; i++)
        s->header[i] = pci_get32(at, i * 4);
    if (pcie == 0)
        return;
    s->device_control = pci_get16(at, pcie + PCIE_DEVICE_CONTROL);
    s->link_control = pci_get16(at, pcie + PCIE_LINK_CONTROL);
    s->device_control_2 = pci_get16(at, pcie + PCIE_DEVICE_CONTROL_2);
}

static void restore(struct pci_addr at, unsigned pcie, const struct saved *s)
{
    if (pcie != 0) {
        pci_put16(at, pcie + PCIE_DEVICE_CONTROL, s->device_control);
        pci_put16(at, pcie + PCIE_LINK_CONTROL, s->link_control);
        pci_put16(at, pcie + PCIE_DEVICE_CONTROL_2, s->device_control_2);
    }
    for (unsigned i = HEADER_WORDS - 1; i > PCI_COMMAND / 4; i--)
        pci_put32(at, i * 4, s->header[i]);
    /* R2; the upper half is status, where a 1 would clear a bit. */
    pci_put16(at, PCI_COMMAND, (uint16_t)s->header[PCI_COMMAND / 4]);
}

void pci_wake(struct pci_addr at)
{
    const unsigned pm = pci_capability_at(at, PCI_CAP_PM);
    struct saved s;

    if (pm == 0)
        return;
    const uint16_t control = pci_get16(at, pm + PCI_PM_CONTROL);
    const unsigned pcie = pci_capability_at(at, PCI_CAP_PCIE);

    if ((control & PCI_PM_STATE) == 0)
        return;
    save(at, pcie, &s);
    pci_put16(at, pm + PCI_PM_CONTROL, control & (uint16_t)~PCI_PM_STATE);
    clock_delay_us(WAKE_US);
    if (!(control & PCI_PM_NO_SOFT_RESET))
        restore(at, pcie, &s);
    log_info("pci: " PCI_ADDR_FMT " woken from D%u", PCI_ADDR_ARGS(at),
             control & PCI_PM_STATE);
}

static void quiesce(struct pci_addr at, unsigned pcie)
{
    const struct deadline d = deadline_in_us(PENDING_US);

    pci_put16(at, PCI_COMMAND, PCI_COMMAND_INTX_OFF);
    while (pci_get16(at, pcie + PCIE_DEVICE_STATUS) & PCIE_DEVICE_PENDING) {
        if (deadline_passed(&d)) {
            log_warning("pci: " PCI_ADDR_FMT " still has transactions under "
                        "way; resetting it all the same",
                        PCI_ADDR_ARGS(at));
            return;
        }
        plat_pause();
    }
}

static enum status wait_for_return(const struct pci_device *dev)
{
    const struct deadline d = deadline_in_us(RETURN_US);
    uint16_t vendor;

    while ((vendor = pci_get16(dev->at, PCI_VENDOR_ID)) != dev->vendor) {
        if (deadline_passed(&d)) {
            log_error("pci: " PCI_ADDR_FMT " did not come back from a reset "
                      "within %u ms: vendor id reads %04x, %04x expected",
                      PCI_ADDR_ARGS(dev->at), (RESET_US + RETURN_US) / 1000,
                      vendor, dev->vendor);
            return E_GONE;
        }
        clock_delay_us(POLL_US);
    }
    return OK;
}

enum status pci_function_reset(const struct pci_device *dev)
{
    const uint16_t vendor = pci_get16(dev->at, PCI_VENDOR_ID);
    const unsigned pcie = pci_capability_at(dev->at, PCI_CAP_PCIE);
    struct saved s;

    if (vendor != dev->vendor) {
        log_error("pci: " PCI_ADDR_FMT " is gone: vendor id reads %04x, %04x "
                  "expected",
                  PCI_ADDR_ARGS(dev->at), vendor, dev->vendor);
        return E_GONE;
    }
    if (pcie == 0 ||
        !(pci_get32(dev->at, pcie + PCIE_DEVICE_CAP) & PCIE_DEVICE_CAP_FLR)) {
        log_info("pci: " PCI_ADDR_FMT " offers no function-level reset",
                 PCI_ADDR_ARGS(dev->at));
        return E_UNSUPPORTED;
    }
    save(dev->at, pcie, &s);
    quiesce(dev->at, pcie);
    pci_put16(dev->at, pcie + PCIE_DEVICE_CONTROL,
              s.device_control | PCIE_DEVICE_RESET);
    clock_delay_us(RESET_US);
    if (wait_for_return(dev) != OK)
        return E_GONE;
    restore(dev->at, pcie, &s);
    return OK;
}
