/*
 * pci_space.h - PCI functions that exist only as configuration space
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/plat.h>

#define FAKE_PCI_PM   0x40 /* where fake_pci_endpoint() puts capabilities */
#define FAKE_PCI_PCIE 0x60

struct fake_pci {
    struct pci_addr at;
    uint8_t space[4096];
    bool ignores_command;    /* the command register reads 0 for ever */
    bool answers_everywhere; /* for every device number of its bus */
    uint64_t reset_ns;       /* away this long after a function reset */
    bool never_returns;
    uint64_t away_until_ns;
    unsigned resets;
    unsigned writes;
    uint16_t command_at_reset;
};

/* No functions, hooks installed. */
void fake_pci_reset(void);

/* The functions stay until the next fake_pci_reset(). */
struct fake_pci *fake_pci_endpoint(struct pci_addr at, uint16_t vendor,
                                   uint16_t device);
struct fake_pci *fake_pci_bridge(struct pci_addr at, uint8_t secondary);

/* Give @f a PCI Express capability of port type @kind, with or without FLR. */
void fake_pci_add_pcie(struct fake_pci *f, unsigned kind, bool flr);

/* Reads so far, to bound the cost of a scan. */
uint64_t fake_pci_reads(void);
