/*
 * acpi_tables.c - decodes MCFG, SPCR and HPET
 *
 * Each gets a table whose bytes are all readable (A2 of acpi.c) and looks at
 * none beyond its length.
 */
#include <string.h>

#include <millrace/endian.h>
#include <millrace/log.h>

#include "kernel/acpi_table.h"

#define PHYS(p) ((unsigned long long)(p))

/* ---- MCFG: where configuration space is ---- */

#define MCFG_ENTRIES     44
#define MCFG_ENTRY_BYTES 16
#define BUS_SHIFT        20 /* 32 devices of 8 functions of 4 KiB */
#define PHYS_LIMIT       (UINT64_C(1) << 52)

static bool ecam_overlaps(const struct acpi *acpi, const struct acpi_ecam *e)
{
    for (unsigned i = 0; i < acpi->ecam_count; i++) {
        const struct acpi_ecam *o = &acpi->ecam[i];

        if (o->segment == e->segment && e->first_bus <= o->last_bus &&
            o->first_bus <= e->last_bus)
            return true;
    }
    return false;
}

static const char *ecam_fault(const struct acpi *acpi,
                              const struct acpi_ecam *e)
{
    if (e->last_bus < e->first_bus)
        return "its last bus is before its first";
    if (e->base == 0 || (e->base & ((UINT64_C(1) << BUS_SHIFT) - 1)) != 0)
        return "its base is not a multiple of 1 MiB";
    if (e->base >= PHYS_LIMIT - (UINT64_C(256) << BUS_SHIFT))
        return "its base is beyond any physical address";
    if (ecam_overlaps(acpi, e))
        return "its buses are listed twice";
    if (acpi->ecam_count == ACPI_ECAM_MAX)
        return "the list is full";
    return NULL;
}

void acpi_mcfg(const struct acpi_table *t, struct acpi *out)
{
    unsigned ignored = 0;

    if (t->len < MCFG_ENTRIES) {
        log_warning("acpi: MCFG has %zu bytes, at least %u expected; ignored",
                    t->len, MCFG_ENTRIES);
        return;
    }
    const size_t n = (t->len - MCFG_ENTRIES) / MCFG_ENTRY_BYTES;

    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = t->bytes + MCFG_ENTRIES + i * MCFG_ENTRY_BYTES;
        const struct acpi_ecam e = { .base = get_le64(p),
                                     .segment = get_le16(p + 8),
                                     .first_bus = p[10],
                                     .last_bus = p[11] };
        const char *fault = ecam_fault(out, &e);

        if (fault == NULL)
            out->ecam[out->ecam_count++] = e;
        else if (ignored++ == 0)
            log_warning("acpi: MCFG entry %zu (base 0x%llx, segment %u, buses "
                        "%u to %u): %s; ignored",
                        i, PHYS(e.base), e.segment, e.first_bus, e.last_bus,
                        fault);
    }
    if (ignored > 1)
        log_warning("acpi: %u MCFG entries ignored in all", ignored);
    if ((t->len - MCFG_ENTRIES) % MCFG_ENTRY_BYTES != 0)
        log_warning("acpi: MCFG ends within an entry");
}

/* ---- SPCR: the firmware's console ---- */

#define SPCR_BYTES        80
#define SPCR_CLOCK_SINCE  3 /* revisions */
#define SPCR_BAUD32_SINCE 4

void acpi_spcr(const struct acpi_table *t, struct acpi *out)
{
    static const uint32_t rate[] = {
        [3] = 9600, [4] = 19200, [6] = 57600, [7] = 115200
    };
    const uint8_t *p = t->bytes;

    if (t->len < SPCR_BYTES) {
        log_warning("acpi: SPCR has %zu bytes, at least %u expected; ignored",
                    t->len, SPCR_BYTES);
        return;
    }
    const uint8_t revision = p[8], code = p[58];
    struct acpi_spcr *s = &out->spcr;

    s->base = acpi_address_get(p + 40);
    s->interface = p[36];
    if (revision >= SPCR_CLOCK_SINCE)
        s->clock_hz = get_le32(p + 76);
    if (code < sizeof(rate) / sizeof(rate[0]))
        s->baud = rate[code];
    if (revision >= SPCR_BAUD32_SINCE && t->len >= 84 && get_le32(p + 80) != 0)
        s->baud = get_le32(p + 80);
    if (s->baud == 0 && code != 0)
        log_warning("acpi: SPCR baud code %u is unknown; the rate is left as "
                    "it is",
                    code);
    out->has_spcr = true;
}

/* ---- HPET ---- */

#define HPET_BYTES 56

void acpi_hpet(const struct acpi_table *t, struct acpi *out)
{
    if (t->len < HPET_BYTES) {
        log_warning("acpi: HPET has %zu bytes, at least %u expected; ignored",
                    t->len, HPET_BYTES);
        return;
    }
    const struct acpi_address a = acpi_address_get(t->bytes + 40);

    if (a.space != ACPI_SPACE_MEMORY || a.address == 0 ||
        a.address >= PHYS_LIMIT) {
        log_warning("acpi: HPET at 0x%llx in address space %u; ignored",
                    PHYS(a.address), a.space);
        return;
    }
    out->hpet = a;
}
