/*
 * acpi_memory.c - firmware memory, built table by table
 *
 * Layouts are typed here from the ACPI specification, not shared with the
 * parser.
 */
#include <stdlib.h>
#include <string.h>

#include <millrace/endian.h>

#include "tests/fake/acpi_memory.h"

#define COPIES_MAX 65536

static uint8_t memory[FAKE_ACPI_BYTES];
static size_t used;
static size_t table; /* offset of the one being built */
static void *copies[COPIES_MAX];
static unsigned copy_count;

void fake_acpi_release(void)
{
    while (copy_count > 0)
        free(copies[--copy_count]);
}

void fake_acpi_reset(void)
{
    fake_acpi_release();
    memset(memory, 0, sizeof(memory));
    used = 0;
}

static const void *at(void *ctx, uint64_t phys, size_t bytes)
{
    const uint64_t offset = phys - FAKE_ACPI_BASE;

    (void)ctx;
    if (phys < FAKE_ACPI_BASE || offset > used || bytes > used - offset)
        return NULL;
    if (copy_count == COPIES_MAX)
        abort();
    void *copy = malloc(bytes);

    memcpy(copy, memory + offset, bytes);
    copies[copy_count++] = copy;
    return copy;
}

struct acpi_memory fake_acpi_memory(void)
{
    return (struct acpi_memory) { .at = at };
}

uint8_t *fake_acpi_byte(uint64_t phys)
{
    return &memory[phys - FAKE_ACPI_BASE];
}

size_t fake_acpi_used(void)
{
    return used;
}

void fake_acpi_cut(size_t to)
{
    used = to;
}

void fake_acpi_put(uint64_t value, unsigned bytes)
{
    if (used + bytes > sizeof(memory))
        abort();
    for (unsigned i = 0; i < bytes; i++)
        memory[used++] = (uint8_t)(value >> 8 * i);
}

void fake_acpi_put_address(uint8_t space, uint8_t bits, uint8_t access,
                           uint64_t address)
{
    fake_acpi_put(space, 1);
    fake_acpi_put(bits, 1);
    fake_acpi_put(0, 1);
    fake_acpi_put(access, 1);
    fake_acpi_put(address, 8);
}

void fake_acpi_zeros(unsigned bytes)
{
    while (bytes-- > 0)
        fake_acpi_put(0, 1);
}

static void text(const char *s, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        fake_acpi_put((uint8_t)s[i], 1);
}

static uint8_t sum(size_t from, size_t bytes)
{
    uint8_t s = 0;

    for (size_t i = 0; i < bytes; i++)
        s = (uint8_t)(s + memory[from + i]);
    return s;
}

void fake_acpi_begin(const char *signature, uint8_t revision)
{
    used = (used + 15) & ~(size_t)15;
    table = used;
    text(signature, 4);
    fake_acpi_put(0, 4); /* length */
    fake_acpi_put(revision, 1);
    fake_acpi_put(0, 1); /* checksum */
    text("MILLRC", 6);
    text("FAKETABL", 8);
    fake_acpi_put(1, 4);
    text("TEST", 4);
    fake_acpi_put(1, 4);
}

void fake_acpi_fix(uint64_t phys)
{
    const size_t from = phys - FAKE_ACPI_BASE;
    const size_t bytes = get_le32(&memory[from + 4]);

    memory[from + 9] = 0;
    memory[from + 9] = (uint8_t)-sum(from, bytes);
}

uint64_t fake_acpi_end(void)
{
    put_le32(&memory[table + 4], (uint32_t)(used - table));
    fake_acpi_fix(FAKE_ACPI_BASE + table);
    return FAKE_ACPI_BASE + table;
}

static uint64_t root_table(const char *signature, unsigned width,
                           const uint64_t *tables, unsigned n)
{
    fake_acpi_begin(signature, 1);
    for (unsigned i = 0; i < n; i++)
        fake_acpi_put(tables[i], width);
    return fake_acpi_end();
}

uint64_t fake_acpi_xsdt(const uint64_t *tables, unsigned n)
{
    return root_table("XSDT", 8, tables, n);
}

uint64_t fake_acpi_rsdt(const uint64_t *tables, unsigned n)
{
    return root_table("RSDT", 4, tables, n);
}

uint64_t fake_acpi_rsdp(uint8_t revision, uint64_t rsdt, uint64_t xsdt)
{
    used = (used + 15) & ~(size_t)15;
    const size_t start = used;

    text("RSD PTR ", 8);
    fake_acpi_put(0, 1); /* checksum */
    text("MILLRC", 6);
    fake_acpi_put(revision, 1);
    fake_acpi_put(rsdt, 4);
    memory[start + 8] = (uint8_t)-sum(start, 20);
    if (revision >= 2) {
        fake_acpi_put(36, 4);
        fake_acpi_put(xsdt, 8);
        fake_acpi_put(0, 4); /* checksum of all, reserved */
        memory[start + 32] = (uint8_t)-sum(start, 36);
    }
    return FAKE_ACPI_BASE + start;
}

uint64_t fake_acpi_root(const uint64_t *tables, unsigned n)
{
    return fake_acpi_rsdp(2, 0, fake_acpi_xsdt(tables, n));
}
