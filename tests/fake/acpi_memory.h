/*
 * acpi_memory.h - firmware memory, built table by table
 *
 * What the parser gets is a fresh heap copy of exactly the bytes it asked for,
 * so AddressSanitizer sees each read beyond them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/acpi.h"

#define FAKE_ACPI_BASE  UINT64_C(0x7f000000)
#define FAKE_ACPI_BYTES (256u << 10)

/* Empty memory; forgets everything built before. */
void fake_acpi_reset(void);

/* The accessor for acpi_read(). */
struct acpi_memory fake_acpi_memory(void);

/* Give back all copies handed out so far. */
void fake_acpi_release(void);

/*
 * Start a table: signature, revision, header. Append to it with fake_acpi_put.
 * fake_acpi_end() writes length and checksum and returns its address.
 */
void fake_acpi_begin(const char *signature, uint8_t revision);
void fake_acpi_put(uint64_t value, unsigned bytes);
void fake_acpi_put_address(uint8_t space, uint8_t bits, uint8_t access,
                           uint64_t address);
void fake_acpi_zeros(unsigned bytes);
uint64_t fake_acpi_end(void);

/* Root tables over @n tables, and an RSDP of @revision over both (0 = none). */
uint64_t fake_acpi_xsdt(const uint64_t *tables, unsigned n);
uint64_t fake_acpi_rsdt(const uint64_t *tables, unsigned n);
uint64_t fake_acpi_rsdp(uint8_t revision, uint64_t rsdt, uint64_t xsdt);

/* Revision 2 RSDP and XSDT over @n tables. */
uint64_t fake_acpi_root(const uint64_t *tables, unsigned n);

/* The byte at physical @at, to be damaged at will. */
uint8_t *fake_acpi_byte(uint64_t at);

/* Make the table at @at sum to 0 again; its length field is not checked. */
void fake_acpi_fix(uint64_t at);

/* Bytes in use from FAKE_ACPI_BASE on. Addresses beyond are not memory. */
size_t fake_acpi_used(void);
void fake_acpi_cut(size_t used);
