/*
 * pci_config.c - capability lists, and what is read from them
 *
 *   C1  a walk takes at most CAPABILITIES_MAX steps, so a list that loops ends
 *   C2  unknown capabilities are stepped over
 */
#include "kernel/pci_config.h"

/* What fits between the header and byte 256 when each has four bytes. */
#define CAPABILITIES_MAX 48

unsigned pci_capability_at(struct pci_addr at, uint8_t id)
{
    if (!(pci_get16(at, PCI_STATUS) & PCI_STATUS_CAP_LIST))
        return 0;
    unsigned offset = pci_get8(at, PCI_CAPABILITIES) & 0xFC;

    for (unsigned i = 0; i < CAPABILITIES_MAX; i++) {
        if (offset < PCI_HEADER_BYTES)
            return 0;
        const uint16_t head = pci_get16(at, offset);

        if (head == 0xFFFF) /* the device is gone */
            return 0;
        if ((head & 0xFF) == id)
            return offset;
        offset = head >> 8 & 0xFC;
    }
    return 0;
}

unsigned pci_find_capability(const struct pci_device *dev, uint8_t id)
{
    return pci_capability_at(dev->at, id);
}

void pci_link_get(const struct pci_device *dev, struct pci_link *link)
{
    const unsigned pcie = pci_capability_at(dev->at, PCI_CAP_PCIE);

    *link = (struct pci_link) { 0 };
    if (pcie == 0)
        return;
    const uint32_t cap = pci_get32(dev->at, pcie + PCIE_LINK_CAP);
    const uint16_t now = pci_get16(dev->at, pcie + PCIE_LINK_STATUS);

    link->max_speed = cap & 0xF;
    link->max_width = cap >> 4 & 0x3F;
    link->speed = now & 0xF;
    link->width = now >> 4 & 0x3F;
}
