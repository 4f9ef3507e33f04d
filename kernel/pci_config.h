/*
 * pci_config.h - configuration registers by name
 *
 * Source: PCI Local Bus 3.0, PCI-to-PCI Bridge 1.2, PCI Express Base 4.0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/pci.h>

enum pci_register {
    PCI_VENDOR_ID = 0x00,
    PCI_DEVICE_ID = 0x02,
    PCI_COMMAND = 0x04,
    PCI_STATUS = 0x06,
    PCI_REVISION_CLASS = 0x08,
    PCI_HEADER_TYPE = 0x0E,
    PCI_BAR0 = 0x10,
    PCI_SECONDARY_BUS = 0x19, /* bridges */
    PCI_SUBVENDOR_ID = 0x2C,  /* functions that are no bridge */
    PCI_SUBDEVICE_ID = 0x2E,
    PCI_CAPABILITIES = 0x34,
    PCI_HEADER_BYTES = 0x40,
};

#define PCI_COMMAND_MEMORY    0x0002
#define PCI_COMMAND_MASTER    0x0004
#define PCI_COMMAND_INTX_OFF  0x0400
#define PCI_STATUS_CAP_LIST   0x0010
#define PCI_HEADER_MULTI      0x80
#define PCI_HEADER_KIND       0x7F
#define PCI_HEADER_BRIDGE     0x01
#define PCI_VENDOR_NOBODY     0xFFFF
#define PCI_PM_CONTROL        4 /* from the capability */
#define PCI_PM_STATE          0x0003
#define PCI_PM_NO_SOFT_RESET  0x0008
#define PCIE_FLAGS            2 /* from the capability, as all below */
#define PCIE_DEVICE_CAP       4
#define PCIE_DEVICE_CAP_FLR   (1u << 28)
#define PCIE_DEVICE_CONTROL   8
#define PCIE_DEVICE_RESET     0x8000
#define PCIE_DEVICE_STATUS    10
#define PCIE_DEVICE_PENDING   0x0020
#define PCIE_LINK_CAP         12
#define PCIE_LINK_CONTROL     16
#define PCIE_LINK_STATUS      18
#define PCIE_DEVICE_CONTROL_2 40
#define PCIE_DEVICE_ARI       0x0020

/* Kinds of PCI Express port whose link has one device at the other end. */
#define PCIE_KIND_ROOT_PORT  4
#define PCIE_KIND_DOWNSTREAM 6

static inline uint8_t pci_get8(struct pci_addr at, unsigned offset)
{
    return (uint8_t)plat_pci_read(at, offset, 1);
}

static inline uint16_t pci_get16(struct pci_addr at, unsigned offset)
{
    return (uint16_t)plat_pci_read(at, offset, 2);
}

static inline uint32_t pci_get32(struct pci_addr at, unsigned offset)
{
    return plat_pci_read(at, offset, 4);
}

static inline void pci_put16(struct pci_addr at, unsigned offset, uint16_t v)
{
    plat_pci_write(at, offset, 2, v);
}

static inline void pci_put32(struct pci_addr at, unsigned offset, uint32_t v)
{
    plat_pci_write(at, offset, 4, v);
}

/* Offset of capability @id at @at, or 0. */
unsigned pci_capability_at(struct pci_addr at, uint8_t id);

/* Bring the function to power state D0; its registers keep their values. */
void pci_wake(struct pci_addr at);
