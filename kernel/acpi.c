/*
 * acpi.c - finds the ACPI tables and checks them before anyone decodes them
 *
 *   A1  no byte outside what acpi_memory.at() granted is read
 *   A2  a table reaches its decoder with its length and checksum verified
 *   A3  work and log lines are bounded whatever the bytes say
 */
#include <string.h>

#include <millrace/endian.h>
#include <millrace/log.h>

#include "kernel/acpi_table.h"

#define RSDP_V1_BYTES   20
#define RSDP_V2_BYTES   36
#define RSDP_BYTES_MAX  4096
#define TABLE_BYTES_MAX (4u << 20) /* the largest DSDTs are below 1 MiB */
#define ENTRIES_MAX     256

#define PHYS(p) ((unsigned long long)(p))

static uint8_t sum(const uint8_t *p, size_t n)
{
    uint8_t s = 0;

    while (n-- > 0)
        s = (uint8_t)(s + *p++);
    return s;
}

bool acpi_table_open(const struct acpi_memory *memory, uint64_t phys,
                     const char *signature, struct acpi_table *out)
{
    const char *name = signature != NULL ? signature : "a table";
    const uint8_t *p = memory->at(memory->ctx, phys, ACPI_HEADER_BYTES);

    if (p == NULL) {
        log_warning("acpi: %s at 0x%llx is not in memory; ignored", name,
                    PHYS(phys));
        return false;
    }
    const uint32_t len = get_le32(p + 4);

    if (signature != NULL && memcmp(p, signature, 4) != 0) {
        log_warning("acpi: 0x%llx should hold %s and does not; ignored",
                    PHYS(phys), name);
        return false;
    }
    if (len < ACPI_HEADER_BYTES || len > TABLE_BYTES_MAX) {
        log_warning("acpi: %.4s at 0x%llx says it has %u bytes; ignored",
                    (const char *)p, PHYS(phys), len);
        return false;
    }
    p = memory->at(memory->ctx, phys, len);
    if (p == NULL) {
        log_warning("acpi: %s at 0x%llx leaves memory with its %u bytes; "
                    "ignored",
                    name, PHYS(phys), len);
        return false;
    }
    if (sum(p, len) != 0) {
        log_warning("acpi: %.4s at 0x%llx has a wrong checksum; ignored",
                    (const char *)p, PHYS(phys));
        return false;
    }
    *out = (struct acpi_table) { .phys = phys, .bytes = p, .len = len };
    return true;
}

struct acpi_address acpi_address_get(const uint8_t *p)
{
    return (struct acpi_address) { .space = p[0],
                                   .bits = p[1],
                                   .bit_offset = p[2],
                                   .access = p[3],
                                   .address = get_le64(p + 4) };
}

/* Addresses of the two root tables, 0 for one that is not to be used. */
struct roots {
    uint64_t xsdt;
    uint64_t rsdt;
};

/* The part that revision 2 added; it is the only way to the XSDT. */
static uint64_t xsdt_of(const struct acpi_memory *memory, uint64_t rsdp)
{
    const uint8_t *p = memory->at(memory->ctx, rsdp, RSDP_V2_BYTES);
    const uint32_t len = p != NULL ? get_le32(p + 20) : 0;

    if (len >= RSDP_V2_BYTES && len <= RSDP_BYTES_MAX) {
        p = memory->at(memory->ctx, rsdp, len);
        if (p != NULL && sum(p, len) == 0)
            return get_le64(p + 24);
    }
    log_warning("acpi: the extended RSDP (%u bytes) is damaged; trying the "
                "RSDT",
                len);
    return 0;
}

static bool rsdp_read(const struct acpi_memory *memory, uint64_t rsdp,
                      struct roots *out)
{
    const uint8_t *p = memory->at(memory->ctx, rsdp, RSDP_V1_BYTES);

    if (p == NULL || memcmp(p, "RSD PTR ", 8) != 0) {
        log_error("acpi: no root pointer at 0x%llx", PHYS(rsdp));
        return false;
    }
    if (sum(p, RSDP_V1_BYTES) != 0) {
        log_error("acpi: the root pointer at 0x%llx has a wrong checksum",
                  PHYS(rsdp));
        return false;
    }
    out->rsdt = get_le32(p + 16);
    out->xsdt = p[15] >= 2 ? xsdt_of(memory, rsdp) : 0;
    return true;
}

/* What a root table's entries point to is decoded once per kind. */
struct walk {
    const struct acpi_memory *memory;
    struct acpi *out;
    bool seen_mcfg, seen_spcr, seen_hpet, seen_fadt, seen_srat, seen_dmar;
    unsigned madts;
    uint64_t dsdt;
};

static bool first(const struct acpi_table *t, const char *signature, bool *seen)
{
    if (memcmp(t->bytes, signature, 4) != 0)
        return false;
    if (*seen) {
        log_warning("acpi: a second %s at 0x%llx; ignored", signature,
                    PHYS(t->phys));
        return false;
    }
    *seen = true;
    return true;
}

/* Firmware with two MADTs has a right and a wrong one: the user says which. */
static bool wanted_madt(struct walk *w, const struct acpi_table *t)
{
    const unsigned wanted = w->memory->madt_instance;

    if (memcmp(t->bytes, "APIC", 4) != 0)
        return false;
    if (++w->madts == (wanted == 0 ? 1 : wanted))
        return true;
    log_warning("acpi: MADT number %u at 0x%llx; ignored", w->madts,
                PHYS(t->phys));
    return false;
}

static void visit(struct walk *w, uint64_t phys)
{
    struct acpi_table t;

    if (!acpi_table_open(w->memory, phys, NULL, &t))
        return;
    if (wanted_madt(w, &t))
        acpi_madt(&t, w->out);
    else if (first(&t, "SRAT", &w->seen_srat))
        acpi_srat(&t, w->out);
    else if (first(&t, "DMAR", &w->seen_dmar))
        acpi_dmar(&t, w->out);
    else if (first(&t, "MCFG", &w->seen_mcfg))
        acpi_mcfg(&t, w->out);
    else if (first(&t, "SPCR", &w->seen_spcr))
        acpi_spcr(&t, w->out);
    else if (first(&t, "HPET", &w->seen_hpet))
        acpi_hpet(&t, w->out);
    else if (first(&t, "FACP", &w->seen_fadt))
        w->dsdt = acpi_fadt(&t, w->out);
    else if (memcmp(t.bytes, "SSDT", 4) == 0)
        acpi_find_s5(&t, w->out);
}

static void visit_all(struct walk *w, const struct acpi_table *root,
                      unsigned width)
{
    size_t n = (root->len - ACPI_HEADER_BYTES) / width;

    if (n > ENTRIES_MAX) {
        log_warning("acpi: %zu tables listed, the first %u are read", n,
                    ENTRIES_MAX);
        n = ENTRIES_MAX;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = root->bytes + ACPI_HEADER_BYTES + i * width;
        const uint64_t phys = width == 8 ? get_le64(p) : get_le32(p);

        if (phys != 0)
            visit(w, phys);
    }
}

enum status acpi_read(const struct acpi_memory *memory, uint64_t rsdp,
                      struct acpi *out)
{
    struct walk w = { .memory = memory, .out = out };
    struct roots roots;
    struct acpi_table t;

    memset(out, 0, sizeof(*out));
    if (rsdp == 0) {
        log_error("acpi: the loader found no root pointer");
        return E_NOENT;
    }
    if (!rsdp_read(memory, rsdp, &roots))
        return E_NOENT;
    if (roots.xsdt != 0 && acpi_table_open(memory, roots.xsdt, "XSDT", &t)) {
        visit_all(&w, &t, 8);
    } else if (roots.rsdt != 0 &&
               acpi_table_open(memory, roots.rsdt, "RSDT", &t)) {
        visit_all(&w, &t, 4);
    } else {
        log_error("acpi: neither XSDT nor RSDT is usable");
        return E_NOENT;
    }
    if (w.madts < memory->madt_instance)
        log_warning("acpi: MADT number %u is asked for, found %u; only the "
                    "boot core is used",
                    memory->madt_instance, w.madts);
    if (w.dsdt != 0 && acpi_table_open(memory, w.dsdt, "DSDT", &t))
        acpi_find_s5(&t, out);
    return OK;
}
