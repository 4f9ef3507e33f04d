/*
 * acpi_cpu.c - decodes MADT and SRAT: processors, and which memory is near
 *
 * Both are rows of entries that begin with kind and length. Each table's bytes
 * are all readable (A2 of acpi.c); none beyond its length is looked at.
 */
#include <millrace/endian.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/acpi_table.h"

/* Returns false when the entry is too short for its kind. */
typedef bool entry_read(const uint8_t *p, size_t len, struct acpi *out);

/* Give each entry from byte @at on to @read; damage ends the walk. */
static void walk(const struct acpi_table *t, const char *name, size_t at,
                 entry_read *read, struct acpi *out)
{
    unsigned too_short = 0;

    while (t->len - at >= 2) {
        const size_t len = t->bytes[at + 1];

        if (len < 2 || len > t->len - at)
            break;
        too_short += !read(t->bytes + at, len, out);
        at += len;
    }
    if (at != t->len)
        log_warning("acpi: %s is damaged at byte %zu of %zu; the rest is "
                    "ignored",
                    name, at, t->len);
    if (too_short != 0)
        log_warning("acpi: %s has %u entries too short for their kind; "
                    "ignored",
                    name, too_short);
}

static bool is_long_enough(const struct acpi_table *t, const char *name,
                           size_t bytes)
{
    if (t->len >= bytes)
        return true;
    log_warning("acpi: %s has %zu bytes, at least %zu expected; ignored", name,
                t->len, bytes);
    return false;
}

/* ---- MADT: processors ---- */

enum madt_entry {
    MADT_LAPIC = 0,
    MADT_LAPIC_ADDRESS = 5,
    MADT_X2APIC = 9,
};

#define MADT_ENTRIES 44
#define CPU_ENABLED  1u

/* Identifiers that mean "everybody" name no processor. */
#define APIC_ID_ALL   UINT32_C(0xFF)
#define X2APIC_ID_ALL UINT32_C(0xFFFFFFFF)

static bool known_cpu(const struct acpi *acpi, uint32_t id)
{
    for (unsigned i = 0; i < acpi->cpu_count; i++)
        if (acpi->apic_id[i] == id)
            return true;
    return false;
}

/* One that may be plugged in later ("online capable") is not there. */
static void add_cpu(struct acpi *out, uint32_t id, uint32_t flags)
{
    if (!(flags & CPU_ENABLED) || known_cpu(out, id))
        return;
    if (out->cpu_count == ACPI_CPU_MAX) {
        out->cpu_ignored++;
        return;
    }
    out->apic_id[out->cpu_count++] = id;
}

static bool madt_entry(const uint8_t *p, size_t len, struct acpi *out)
{
    switch (p[0]) {
    case MADT_LAPIC:
        if (len < 8)
            return false;
        if (p[3] != APIC_ID_ALL)
            add_cpu(out, p[3], get_le32(p + 4));
        return true;
    case MADT_X2APIC:
        if (len < 16)
            return false;
        if (get_le32(p + 4) != X2APIC_ID_ALL)
            add_cpu(out, get_le32(p + 4), get_le32(p + 8));
        return true;
    case MADT_LAPIC_ADDRESS:
        if (len < 12)
            return false;
        out->lapic_base = get_le64(p + 4);
        return true;
    default:
        return true;
    }
}

void acpi_madt(const struct acpi_table *t, struct acpi *out)
{
    if (!is_long_enough(t, "MADT", MADT_ENTRIES))
        return;
    out->lapic_base = get_le32(t->bytes + 36);
    walk(t, "MADT", MADT_ENTRIES, madt_entry, out);
    if (out->cpu_ignored != 0)
        log_warning("acpi: %u processors beyond the first %u are ignored",
                    out->cpu_ignored, ACPI_CPU_MAX);
}

/* ---- SRAT: which processor and which memory belong together ---- */

enum srat_entry {
    SRAT_LAPIC = 0,
    SRAT_MEMORY = 1,
    SRAT_X2APIC = 2,
    SRAT_INITIATOR = 5, /* something else that reads and writes memory */
};

#define SRAT_ENTRIES  48
#define SRAT_ENABLED  1u
#define SRAT_VOLATILE 4u /* set: it is not */
#define HANDLE_PCI    1

static void add_affinity(struct acpi *out, uint32_t id, uint32_t node,
                         uint32_t flags)
{
    if (!(flags & SRAT_ENABLED))
        return;
    if (out->affinity_count == ACPI_CPU_MAX) {
        out->srat_ignored++;
        return;
    }
    out->affinity[out->affinity_count++] =
        (struct acpi_affinity) { .apic_id = id, .node = node };
}

static void add_memory(struct acpi *out, const uint8_t *p)
{
    const struct acpi_node_memory m = { .base = get_le64(p + 8),
                                        .bytes = get_le64(p + 16),
                                        .node = get_le32(p + 2) };
    const uint32_t flags = get_le32(p + 28);

    if (!(flags & SRAT_ENABLED) || (flags & SRAT_VOLATILE) || m.bytes == 0)
        return;
    if (out->node_memory_count == ACPI_NODE_MEMORY_MAX ||
        m.base + m.bytes < m.base) {
        out->srat_ignored++;
        return;
    }
    out->node_memory[out->node_memory_count++] = m;
}

/* Bits 7:3 of the last byte are the device, 2:0 its function. */
static void add_initiator(struct acpi *out, const uint8_t *p)
{
    if (!(get_le32(p + 24) & SRAT_ENABLED) || p[3] != HANDLE_PCI)
        return;
    if (out->node_pci_count == ACPI_NODE_PCI_MAX) {
        out->srat_ignored++;
        return;
    }
    out->node_pci[out->node_pci_count++] =
        (struct acpi_pci_affinity) { .segment = get_le16(p + 8),
                                     .bus = p[10],
                                     .device = p[11] >> 3,
                                     .function = p[11] & 7,
                                     .node = get_le32(p + 4) };
}

static bool srat_entry(const uint8_t *p, size_t len, struct acpi *out)
{
    switch (p[0]) {
    case SRAT_LAPIC:
        if (len < 16)
            return false;
        add_affinity(out, p[3],
                     p[2] | (uint32_t)p[9] << 8 | (uint32_t)p[10] << 16 |
                         (uint32_t)p[11] << 24,
                     get_le32(p + 4));
        return true;
    case SRAT_MEMORY:
        if (len < 40)
            return false;
        add_memory(out, p);
        return true;
    case SRAT_X2APIC:
        if (len < 24)
            return false;
        add_affinity(out, get_le32(p + 8), get_le32(p + 4), get_le32(p + 12));
        return true;
    case SRAT_INITIATOR:
        if (len < 32)
            return false;
        add_initiator(out, p);
        return true;
    default:
        return true;
    }
}

void acpi_srat(const struct acpi_table *t, struct acpi *out)
{
    if (!is_long_enough(t, "SRAT", SRAT_ENTRIES))
        return;
    walk(t, "SRAT", SRAT_ENTRIES, srat_entry, out);
    if (out->srat_ignored != 0)
        log_warning("acpi: %u entries of SRAT are one too many or impossible; "
                    "ignored",
                    out->srat_ignored);
}

uint32_t acpi_node_of(const struct acpi *acpi, uint32_t apic_id)
{
    for (unsigned i = 0; i < acpi->affinity_count; i++)
        if (acpi->affinity[i].apic_id == apic_id)
            return acpi->affinity[i].node;
    return 0;
}

bool acpi_pci_node(const struct acpi *acpi, const struct pci_addr *at,
                   uint32_t *node)
{
    for (unsigned i = 0; i < acpi->node_pci_count; i++) {
        const struct acpi_pci_affinity *p = &acpi->node_pci[i];

        if (p->segment != at->segment || p->bus != at->bus ||
            p->device != at->device || p->function != at->function)
            continue;
        *node = p->node;
        return true;
    }
    return false;
}

/* ---- DMAR: what matters to us of it ---- */

#define DMAR_FLAGS          37
#define DMAR_BYTES          48
#define DMAR_X2APIC_OPT_OUT 2u

void acpi_dmar(const struct acpi_table *t, struct acpi *out)
{
    if (is_long_enough(t, "DMAR", DMAR_BYTES))
        out->x2apic_opt_out = t->bytes[DMAR_FLAGS] & DMAR_X2APIC_OPT_OUT;
}
