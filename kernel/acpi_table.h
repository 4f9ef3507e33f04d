/*
 * acpi_table.h - one checked table, and who decodes which
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/acpi.h"

#define ACPI_HEADER_BYTES 36

/* [bytes, bytes + len) is readable and sums to 0; len >= ACPI_HEADER_BYTES. */
struct acpi_table {
    uint64_t phys;
    const uint8_t *bytes;
    size_t len;
};

/*
 * Check the table at @phys: readable, length believable, checksum right.
 *
 * @signature  four characters it must have, or NULL for any
 * Returns     false, with the reason in the log
 */
bool acpi_table_open(const struct acpi_memory *memory, uint64_t phys,
                     const char *signature, struct acpi_table *out);

/* The generic address structure at @p, 12 bytes. */
struct acpi_address acpi_address_get(const uint8_t *p);

void acpi_madt(const struct acpi_table *t, struct acpi *out);
void acpi_srat(const struct acpi_table *t, struct acpi *out);
void acpi_dmar(const struct acpi_table *t, struct acpi *out);
void acpi_mcfg(const struct acpi_table *t, struct acpi *out);
void acpi_spcr(const struct acpi_table *t, struct acpi *out);
void acpi_hpet(const struct acpi_table *t, struct acpi *out);

/* @return  physical address of the DSDT, 0 = none */
uint64_t acpi_fadt(const struct acpi_table *t, struct acpi *out);

/* Look for the soft-off package in a DSDT or SSDT. */
void acpi_find_s5(const struct acpi_table *t, struct acpi *out);
