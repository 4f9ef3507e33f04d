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

#define HEADER_WORDS (PCI_HEADER_BYTES / 4)

_Static_assert(sizeof(((struct pci_reset *)0)->header) == PCI_HEADER_BYTES,
               "the whole header is saved");

static void save(struct pci_addr at, unsigned pcie, struct pci_reset *s)
{
    for (unsigned i = 0; i < HEADER_WORDS; i++)
        s->header[i] = pci_get32(at, i * 4);
    s->is_saved = true;
    if (pcie == 0)
        return;
    s->device_control = pci_get16(at, pcie + PCIE_DEVICE_CONTROL);
    s->link_control = pci_get16(at, pcie + PCIE_LINK_CONTROL);
    s->device_control_2 = pci_get16(at, pcie + PCIE_DEVICE_CONTROL_2);
}

static void restore(struct pci_addr at, unsigned pcie,
                    const struct pci_reset *s)
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
    struct pci_reset s;

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

static uint64_t us_since(const struct pci_reset *r)
{
    return clock_cycles_to_us(plat_cycles() - r->since_cycles);
}

/* DMA under way may end before the reset is asked for. */
static void ask_when_quiet(const struct pci_device *dev, unsigned pcie,
                           struct pci_reset *r)
{
    if (pci_get16(dev->at, pcie + PCIE_DEVICE_STATUS) & PCIE_DEVICE_PENDING) {
        if (us_since(r) < PENDING_US)
            return;
        log_warning("pci: " PCI_ADDR_FMT " still has transactions under way; "
                    "resetting it all the same",
                    PCI_ADDR_ARGS(dev->at));
    }
    pci_put16(dev->at, pcie + PCIE_DEVICE_CONTROL,
              r->device_control | PCIE_DEVICE_RESET);
    r->is_asked = true;
    r->since_cycles = plat_cycles();
}

enum status pci_reset_begin(const struct pci_device *dev, struct pci_reset *r)
{
    const uint16_t vendor = pci_get16(dev->at, PCI_VENDOR_ID);
    const unsigned pcie = pci_capability_at(dev->at, PCI_CAP_PCIE);

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
    if (!r->is_saved)
        save(dev->at, pcie, r);
    pci_put16(dev->at, PCI_COMMAND, PCI_COMMAND_INTX_OFF);
    r->is_asked = false;
    r->since_cycles = plat_cycles();
    ask_when_quiet(dev, pcie, r);
    return OK;
}

enum status pci_reset_poll(const struct pci_device *dev, struct pci_reset *r)
{
    unsigned pcie;
    uint16_t vendor;

    if (r->is_asked && us_since(r) < RESET_US)
        return E_BUSY; /* a function in reset is not spoken to */
    if (!r->is_asked) {
        ask_when_quiet(dev, pci_capability_at(dev->at, PCI_CAP_PCIE), r);
        return E_BUSY;
    }
    vendor = pci_get16(dev->at, PCI_VENDOR_ID);
    if (vendor == dev->vendor) {
        pcie = pci_capability_at(dev->at, PCI_CAP_PCIE);
        restore(dev->at, pcie, r);
        return OK;
    }
    if (us_since(r) < RESET_US + RETURN_US)
        return E_BUSY;
    log_error("pci: " PCI_ADDR_FMT " did not come back from a reset within %u "
              "ms: vendor id reads %04x, %04x expected",
              PCI_ADDR_ARGS(dev->at), (RESET_US + RETURN_US) / 1000, vendor,
              dev->vendor);
    return E_GONE;
}

enum status pci_function_reset(const struct pci_device *dev)
{
    struct pci_reset r = { .is_saved = false };
    enum status s = pci_reset_begin(dev, &r);

    while (s == OK) {
        s = pci_reset_poll(dev, &r);
        if (s != E_BUSY)
            return s;
        plat_pause();
        s = OK;
    }
    return s;
}
