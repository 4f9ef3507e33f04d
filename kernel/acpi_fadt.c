/*
 * acpi_fadt.c - decodes the FADT, and finds soft-off in the AML
 *
 * The FADT grew with each revision, so its length decides which fields exist.
 * There is no AML interpreter here: the one object we need, _S5_, is a constant
 * package in every DSDT and is found by its bytes.
 */
#include <string.h>

#include <millrace/endian.h>
#include <millrace/log.h>

#include "kernel/acpi_table.h"

/* Offsets, in the order of the specification (table "FADT Format"). */
enum fadt {
    FADT_DSDT = 40,
    FADT_SMI_CMD = 48,
    FADT_ACPI_ENABLE = 52,
    FADT_PM1A_CNT = 64,
    FADT_PM1B_CNT = 68,
    FADT_PM_TMR = 76,
    FADT_PM_TMR_LEN = 91,
    FADT_FLAGS = 112,
    FADT_V1_BYTES = 116,
    FADT_RESET_REG = 116,
    FADT_RESET_VALUE = 128,
    FADT_X_DSDT = 140,
    FADT_X_PM1A_CNT = 172,
    FADT_X_PM1B_CNT = 184,
    FADT_X_PM_TMR = 208,
    FADT_SLEEP_CONTROL = 244,
};

#define FLAG_TMR_VAL_EXT   (1u << 8)
#define FLAG_RESET_REG_SUP (1u << 10)
#define FLAG_HW_REDUCED    (1u << 20)

#define ADDRESS_BYTES 12

static struct acpi_address address_at(const struct acpi_table *t, size_t at)
{
    if (t->len < at + ADDRESS_BYTES)
        return (struct acpi_address) { 0 };
    return acpi_address_get(t->bytes + at);
}

/* The 64-bit form when it is there, else the port of the 32-bit form. */
static struct acpi_address register_at(const struct acpi_table *t, size_t x_at,
                                       size_t port_at, uint8_t bits)
{
    const struct acpi_address x = address_at(t, x_at);

    if (x.address != 0)
        return x;
    return (struct acpi_address) { .space = ACPI_SPACE_IO,
                                   .bits = bits,
                                   .address = get_le32(t->bytes + port_at) };
}

/* A port above 64 Ki cannot be: such a register is none. */
static struct acpi_address reachable(struct acpi_address a, const char *name)
{
    const bool ok = a.space == ACPI_SPACE_MEMORY ||
                    (a.space == ACPI_SPACE_IO && a.address <= UINT16_MAX) ||
                    (a.space == ACPI_SPACE_PCI && a.address >> 48 == 0);

    if (a.address == 0 || ok)
        return a;
    log_warning("acpi: FADT %s at 0x%llx in address space %u; ignored", name,
                (unsigned long long)a.address, a.space);
    return (struct acpi_address) { 0 };
}

uint64_t acpi_fadt(const struct acpi_table *t, struct acpi *out)
{
    struct acpi_power *w = &out->power;

    if (t->len < FADT_V1_BYTES) {
        log_warning("acpi: FADT has %zu bytes, at least %u expected; ignored",
                    t->len, FADT_V1_BYTES);
        return 0;
    }
    const uint32_t flags = get_le32(t->bytes + FADT_FLAGS);
    const uint32_t smi = get_le32(t->bytes + FADT_SMI_CMD);

    w->present = true;
    w->hw_reduced = flags & FLAG_HW_REDUCED;
    w->pm_timer_is_32bit = flags & FLAG_TMR_VAL_EXT;
    w->smi_command = smi <= UINT16_MAX ? (uint16_t)smi : 0;
    w->acpi_enable = t->bytes[FADT_ACPI_ENABLE];
    if (t->bytes[FADT_PM_TMR_LEN] == 4)
        w->pm_timer =
            reachable(register_at(t, FADT_X_PM_TMR, FADT_PM_TMR, 32), "timer");
    w->pm1a_control = reachable(
        register_at(t, FADT_X_PM1A_CNT, FADT_PM1A_CNT, 16), "PM1a control");
    w->pm1b_control = reachable(
        register_at(t, FADT_X_PM1B_CNT, FADT_PM1B_CNT, 16), "PM1b control");
    w->sleep_control =
        reachable(address_at(t, FADT_SLEEP_CONTROL), "sleep control");
    if ((flags & FLAG_RESET_REG_SUP) && t->len > FADT_RESET_VALUE) {
        w->reset = reachable(address_at(t, FADT_RESET_REG), "reset register");
        w->reset_value = t->bytes[FADT_RESET_VALUE];
    }
    if (t->len >= FADT_X_DSDT + 8 && get_le64(t->bytes + FADT_X_DSDT) != 0)
        return get_le64(t->bytes + FADT_X_DSDT);
    return get_le32(t->bytes + FADT_DSDT);
}

/* ---- \_S5 = Package { SLP_TYPa, SLP_TYPb, ... } ---- */

enum aml {
    AML_ZERO = 0x00,
    AML_ONE = 0x01,
    AML_NAME = 0x08,
    AML_BYTE = 0x0A,
    AML_WORD = 0x0B,
    AML_DWORD = 0x0C,
    AML_PACKAGE = 0x12,
    AML_ROOT = 0x5C,
};

struct cursor {
    const uint8_t *p;
    const uint8_t *end;
};

static bool take(struct cursor *c, size_t n)
{
    if ((size_t)(c->end - c->p) < n)
        return false;
    c->p += n;
    return true;
}

/* A constant integer; false for anything else or at the end. */
static bool integer(struct cursor *c, uint32_t *out)
{
    const uint8_t *p = c->p;

    if (!take(c, 1))
        return false;
    switch (*p) {
    case AML_ZERO:
    case AML_ONE:
        *out = *p;
        return true;
    case AML_BYTE:
        *out = take(c, 1) ? p[1] : UINT32_MAX;
        return *out != UINT32_MAX;
    case AML_WORD:
        if (!take(c, 2))
            return false;
        *out = get_le16(p + 1);
        return true;
    case AML_DWORD:
        if (!take(c, 4))
            return false;
        *out = get_le32(p + 1);
        return true;
    default:
        return false;
    }
}

/* @c is behind the name. True when two sleep types follow. */
static bool s5_package(struct cursor c, uint32_t *a, uint32_t *b)
{
    const uint8_t *p = c.p;

    if (!take(&c, 2) || p[0] != AML_PACKAGE)
        return false;
    /* The package length's first byte says how many more it has; then comes
     * the number of elements. */
    if (!take(&c, p[1] >> 6) || !take(&c, 1) || c.p[-1] < 1)
        return false;
    const uint8_t elements = c.p[-1];

    if (!integer(&c, a))
        return false;
    *b = *a;
    return elements < 2 || integer(&c, b);
}

void acpi_find_s5(const struct acpi_table *t, struct acpi *out)
{
    const uint8_t *end = t->bytes + t->len;
    uint32_t a, b;

    for (const uint8_t *p = t->bytes + ACPI_HEADER_BYTES + 1; end - p >= 4;
         p++) {
        const struct cursor behind = { p + 4, end };

        if (memcmp(p, "_S5_", 4) != 0)
            continue;
        if (p[-1] != AML_NAME && (p[-1] != AML_ROOT || p[-2] != AML_NAME))
            continue;
        if (!s5_package(behind, &a, &b) || a > 7 || b > 7)
            continue;
        out->power.has_s5 = true;
        out->power.s5_type_a = (uint8_t)a;
        out->power.s5_type_b = (uint8_t)b;
        return;
    }
}
