/*
 * smbios.c - the machine's own name out of SMBIOS
 *
 * After DMTF DSP0134 3.7: 5.2 entry points, 6.1 structures, 7.2.1 the UUID,
 * whose first three fields are little-endian since version 2.6.
 *
 *   B1  nothing is read beyond the stated size of the table
 */
#include <string.h>

#include <millrace/endian.h>

#include "boot/smbios.h"

#define ENTRY2_BYTES 0x1f
#define ENTRY3_BYTES 0x18
#define ENTRY_MAX    32

#define TYPE_SYSTEM 1
#define TYPE_END    127
#define HEAD        4
#define UUID_AT     8
#define UUID_BYTES  16

static bool sums_to_zero(const uint8_t *p, size_t bytes)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + p[i]);
    return sum == 0;
}

static bool entry3(const uint8_t *e, struct boot_smbios *s)
{
    if (e[6] < ENTRY3_BYTES || e[6] > ENTRY_MAX || !sums_to_zero(e, e[6]))
        return false;
    s->bytes = get_le32(e + 0x0c);
    s->table = get_le64(e + 0x10);
    s->has_old_uuid = false;
    return true;
}

/* SMBIOS 2.1 states a length of 0x1e by mistake of its specification. */
static bool entry2(const uint8_t *e, struct boot_smbios *s)
{
    if (e[5] < ENTRY2_BYTES - 1 || e[5] > ENTRY_MAX || !sums_to_zero(e, e[5]))
        return false;
    s->bytes = get_le16(e + 0x16);
    s->table = get_le32(e + 0x18);
    s->has_old_uuid = e[6] < 2 || (e[6] == 2 && e[7] < 6);
    return true;
}

bool boot_smbios_entry(const void *entry, struct boot_smbios *smbios)
{
    if (memcmp(entry, "_SM3_", 5) == 0)
        return entry3(entry, smbios);
    return memcmp(entry, "_SM_", 4) == 0 && entry2(entry, smbios);
}

/* Behind the texts of a structure, which end with two zeros; 0 at the end. */
static size_t next_structure(const uint8_t *table, size_t bytes, size_t at)
{
    for (at += table[at + 1]; at + 1 < bytes; at++)
        if (table[at] == 0 && table[at + 1] == 0)
            return at + 2;
    return 0;
}

static bool is_placeholder(const uint8_t *uuid)
{
    for (unsigned i = 1; i < UUID_BYTES; i++)
        if (uuid[i] != uuid[0])
            return false;
    return uuid[0] == 0x00 || uuid[0] == 0xff;
}

static void copy_uuid(uint8_t *to, const uint8_t *from, bool as_it_is)
{
    memcpy(to, from, UUID_BYTES);
    if (as_it_is)
        return;
    put_be32(to, get_le32(from));
    put_be16(to + 4, get_le16(from + 4));
    put_be16(to + 6, get_le16(from + 6));
}

bool boot_smbios_uuid(const struct boot_smbios *smbios, const void *table,
                      uint8_t uuid[16])
{
    const uint8_t *t = table;
    const size_t bytes = smbios->bytes;
    size_t at = 0;

    while (at + HEAD <= bytes && t[at] != TYPE_END) {
        const uint8_t length = t[at + 1];

        if (length < HEAD || at + length > bytes)
            return false;
        if (t[at] == TYPE_SYSTEM) {
            if (length < UUID_AT + UUID_BYTES ||
                is_placeholder(t + at + UUID_AT))
                return false;
            copy_uuid(uuid, t + at + UUID_AT, smbios->has_old_uuid);
            return true;
        }
        at = next_structure(t, bytes, at);
        if (at == 0)
            return false;
    }
    return false;
}
