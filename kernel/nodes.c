/*
 * nodes.c - what SRAT says about nodes goes to those who use it
 */
#include "kernel/nodes.h"

#include <millrace/pci.h>

#include "mm/node.h"

void nodes_take_memory(const struct acpi *acpi)
{
    struct node_range ranges[NODE_RANGES_MAX];
    unsigned n = 0;

    for (; n < acpi->node_memory_count && n < NODE_RANGES_MAX; n++)
        ranges[n] = (struct node_range) { acpi->node_memory[n].base,
                                          acpi->node_memory[n].bytes,
                                          acpi->node_memory[n].node };
    node_ranges_set(ranges, n);
}

/* What is said of a bridge holds for what is behind it. */
static void find_node(const struct acpi *acpi, struct pci_device *dev)
{
    for (const struct pci_device *at = dev; at != NULL && !dev->has_node;
         at = at->bridge)
        dev->has_node = acpi_pci_node(acpi, &at->at, &dev->node);
}

void nodes_take_pci(const struct acpi *acpi)
{
    for (unsigned i = 0; i < pci_count(); i++)
        find_node(acpi, pci_get(i));
}
