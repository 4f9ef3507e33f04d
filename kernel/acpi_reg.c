/*
 * acpi_reg.c - registers that ACPI describes, wherever they are
 */
#include <millrace/plat.h>

#include "kernel/acpi_reg.h"
#include "kernel/io.h"

bool acpi_reg_open(const struct acpi_address *where, struct acpi_reg *out)
{
    *out = (struct acpi_reg) { .where = *where };
    if (where->address == 0)
        return false;
    switch (where->space) {
    case ACPI_SPACE_IO:
        return where->address <= UINT16_MAX;
    case ACPI_SPACE_PCI:
        return true;
    case ACPI_SPACE_MEMORY:
        out->memory = plat_map_device(where->address, 4);
        return out->memory != NULL;
    default:
        return false;
    }
}

/* "Device, function and offset on bus 0": ACPI 6.5, 5.2.3.2. */
static struct pci_addr pci_of(const struct acpi_reg *reg, unsigned *offset)
{
    const uint64_t a = reg->where.address;

    *offset = a & 0xFFF;
    return (struct pci_addr) { .device = a >> 32 & 31,
                               .function = a >> 16 & 7 };
}

uint32_t acpi_reg_read(const struct acpi_reg *reg, unsigned bytes)
{
    const uint16_t port = (uint16_t)reg->where.address;
    unsigned offset;

    switch (reg->where.space) {
    case ACPI_SPACE_IO:
        return bytes == 1   ? io_in8(port)
               : bytes == 2 ? io_in16(port)
                            : io_in32(port);
    case ACPI_SPACE_PCI: {
        const struct pci_addr at = pci_of(reg, &offset);

        return plat_pci_read(at, offset, bytes);
    }
    default:
        return bytes == 1   ? plat_read8(reg->memory)
               : bytes == 2 ? plat_read16(reg->memory)
                            : plat_read32(reg->memory);
    }
}

static void port_write(uint16_t port, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        io_out8(port, (uint8_t)value);
    else if (bytes == 2)
        io_out16(port, (uint16_t)value);
    else
        io_out32(port, value);
}

static void memory_write(volatile void *at, unsigned bytes, uint32_t value)
{
    if (bytes == 1)
        plat_write8(at, (uint8_t)value);
    else if (bytes == 2)
        plat_write16(at, (uint16_t)value);
    else
        plat_write32(at, value);
}

void acpi_reg_write(const struct acpi_reg *reg, unsigned bytes, uint32_t value)
{
    unsigned offset;

    switch (reg->where.space) {
    case ACPI_SPACE_IO:
        port_write((uint16_t)reg->where.address, bytes, value);
        break;
    case ACPI_SPACE_PCI: {
        const struct pci_addr at = pci_of(reg, &offset);

        plat_pci_write(at, offset, bytes, value);
        break;
    }
    default:
        memory_write(reg->memory, bytes, value);
    }
}
