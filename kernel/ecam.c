/*
 * ecam.c - the way to PCI configuration space on metal
 *
 *   E1  a bus in no range, or an offset the way there does not have, reads as
 *       all ones and swallows writes
 *
 * Source: PCI Firmware specification 3.3, 4.1.2; PCI Local Bus 3.0, 3.2.2.3.2.
 */
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/ecam.h"
#include "kernel/io.h"
#include "kernel/pci.h"

#define FUNCTION_BYTES   4096
#define BUS_BYTES        (UINT64_C(1) << 20)
#define PORT_SPACE_BYTES 256
#define PORT_ADDRESS     0xCF8
#define PORT_DATA        0xCFC
#define PORT_ENABLE      0x80000000u

struct range {
    struct pci_range buses;
    volatile uint8_t *base; /* of first_bus */
};

static struct range ranges[ACPI_ECAM_MAX];
static unsigned count;

void ecam_init(const struct acpi *acpi)
{
    struct pci_range buses[ACPI_ECAM_MAX];

    count = 0;
    for (unsigned i = 0; i < acpi->ecam_count; i++) {
        const struct acpi_ecam *e = &acpi->ecam[i];
        const uint64_t phys = e->base + e->first_bus * BUS_BYTES;
        const uint64_t bytes = (e->last_bus - e->first_bus + 1u) * BUS_BYTES;
        volatile uint8_t *base = plat_map_device(phys, bytes);

        if (base == NULL) {
            log_warning("pci: configuration space of segment %u at 0x%llx "
                        "cannot be mapped; left out",
                        e->segment, (unsigned long long)phys);
            continue;
        }
        buses[count] =
            (struct pci_range) { e->segment, e->first_bus, e->last_bus };
        ranges[count] = (struct range) { buses[count], base };
        count++;
    }
    if (count == 0)
        log_warning("pci: no usable MCFG; segment 0 is reached through port "
                    "0x%x",
                    PORT_ADDRESS);
    pci_ranges_set(buses, count);
}

static volatile void *find(struct pci_addr at, unsigned offset)
{
    for (unsigned i = 0; i < count; i++) {
        const struct range *r = &ranges[i];

        if (at.segment == r->buses.segment && at.bus >= r->buses.first_bus &&
            at.bus <= r->buses.last_bus)
            return r->base +
                   ((uint64_t)(at.bus - r->buses.first_bus) * BUS_BYTES |
                    (uint64_t)(at.device & 31) << 15 |
                    (uint64_t)(at.function & 7) << 12 | offset);
    }
    return NULL;
}

static bool through_ports(struct pci_addr at, unsigned offset)
{
    if (count != 0 || at.segment != 0 || offset >= PORT_SPACE_BYTES)
        return false;
    io_out32(PORT_ADDRESS, PORT_ENABLE | (uint32_t)at.bus << 16 |
                               (at.device & 31u) << 11 |
                               (at.function & 7u) << 8 | (offset & 0xFC));
    return true;
}

uint32_t plat_pci_read(struct pci_addr at, unsigned offset, unsigned bytes)
{
    const volatile void *reg =
        offset < FUNCTION_BYTES ? find(at, offset) : NULL;
    const uint16_t port = (uint16_t)(PORT_DATA + (offset & 3));

    if (reg != NULL)
        return bytes == 1   ? plat_read8(reg)
               : bytes == 2 ? plat_read16(reg)
                            : plat_read32(reg);
    if (!through_ports(at, offset))
        return UINT32_MAX >> (32 - 8 * bytes);
    return bytes == 1   ? io_in8(port)
           : bytes == 2 ? io_in16(port)
                        : io_in32(port);
}

static void memory_write(volatile void *reg, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        plat_write8(reg, (uint8_t)value);
    else if (bytes == 2)
        plat_write16(reg, (uint16_t)value);
    else
        plat_write32(reg, value);
}

void plat_pci_write(struct pci_addr at, unsigned offset, unsigned bytes,
                    uint32_t value)
{
    volatile void *reg = offset < FUNCTION_BYTES ? find(at, offset) : NULL;
    const uint16_t port = (uint16_t)(PORT_DATA + (offset & 3));

    if (reg != NULL)
        memory_write(reg, bytes, value);
    else if (!through_ports(at, offset))
        return;
    else if (bytes == 1)
        io_out8(port, (uint8_t)value);
    else if (bytes == 2)
        io_out16(port, (uint16_t)value);
    else
        io_out32(port, value);
}
