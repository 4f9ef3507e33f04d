/*
 * nodes.h - what SRAT says about nodes goes to those who use it
 */
#pragma once

#include "kernel/acpi.h"

/* Memory: to mm/node.h. After mm_init(). */
void nodes_take_memory(const struct acpi *acpi);

/* PCI functions: to their struct pci_device. After pci_scan(). */
void nodes_take_pci(const struct acpi *acpi);
