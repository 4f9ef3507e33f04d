/*
 * pci.h - which buses to search; the rest is <millrace/pci.h>
 */
#pragma once

#include <stdint.h>

#include <millrace/pci.h>

#define PCI_RANGES_MAX    64
#define PCI_FUNCTIONS_MAX 1024

/* Buses first_bus .. last_bus of one segment, both included. */
struct pci_range {
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

/*
 * Where pci_scan() looks; without a call, or with @n 0, every bus of segment 0.
 *
 * @n  0 .. PCI_RANGES_MAX; ranges of one segment do not overlap
 */
void pci_ranges_set(const struct pci_range *ranges, unsigned n);

/* One log line per function, at level debug. */
void pci_print(void);
