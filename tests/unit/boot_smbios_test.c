/*
 * boot_smbios_test.c - the machine's UUID, and tables that must not be believed
 *
 * Layouts and the worked example of a UUID's bytes: DMTF DSP0134 3.7, 5.2 and
 * 7.2.1.
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "boot/smbios.h"

static uint8_t entry[32];
static uint8_t table[256];
static size_t used;
static struct boot_smbios smbios;
static uint8_t uuid[16];

/* {00112233-4455-6677-8899-AABBCCDDEEFF} as the standard lays it out. */
static const uint8_t wire[16] = { 0x33, 0x22, 0x11, 0x00, 0x55, 0x44,
                                  0x77, 0x66, 0x88, 0x99, 0xaa, 0xbb,
                                  0xcc, 0xdd, 0xee, 0xff };
static const uint8_t digits[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
                                    0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb,
                                    0xcc, 0xdd, 0xee, 0xff };

static void seal(unsigned at, size_t bytes)
{
    uint8_t sum = 0;

    entry[at] = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + entry[i]);
    entry[at] = (uint8_t)-sum;
}

static void entry3_make(void)
{
    memset(entry, 0, sizeof(entry));
    memcpy(entry, "_SM3_", 5);
    entry[6] = 0x18;
    entry[7] = 3;
    memcpy(entry + 0x0c, "\x78\x56\x34\x12", 4);
    memcpy(entry + 0x10, "\x88\x77\x66\x55\x44\x33\x22\x11", 8);
    seal(5, 0x18);
}

static void entry2_make(uint8_t major, uint8_t minor, uint8_t length)
{
    memset(entry, 0, sizeof(entry));
    memcpy(entry, "_SM_", 4);
    entry[5] = length;
    entry[6] = major;
    entry[7] = minor;
    memcpy(entry + 0x10, "_DMI_", 5);
    memcpy(entry + 0x16, "\x34\x12", 2);
    memcpy(entry + 0x18, "\x44\x33\x22\x11", 4);
    seal(4, length);
}

static void structure(uint8_t type, uint8_t length, const void *uuid_bytes,
                      const char *texts, size_t text_bytes)
{
    memset(table + used, 0, length);
    table[used] = type;
    table[used + 1] = length;
    if (uuid_bytes != NULL)
        memcpy(table + used + 8, uuid_bytes, 16);
    memcpy(table + used + length, texts, text_bytes);
    used += length + text_bytes;
}

/* From a heap copy of exactly the table, so that ASan sees one too many. */
static bool find(bool is_old)
{
    struct boot_smbios s = { .bytes = (uint32_t)used, .has_old_uuid = is_old };
    uint8_t *copy = malloc(used + 1);
    bool found;

    memcpy(copy + 1, table, used);
    found = boot_smbios_uuid(&s, copy + 1, uuid);
    free(copy);
    used = 0;
    return found;
}

TEST(boot_smbios, the_64_bit_entry_point)
{
    entry3_make();
    CHECK(boot_smbios_entry(entry, &smbios));
    CHECK_EQ(smbios.table, UINT64_C(0x1122334455667788));
    CHECK_EQ(smbios.bytes, 0x12345678);
    CHECK(!smbios.has_old_uuid);
}

TEST(boot_smbios, the_32_bit_entry_point)
{
    entry2_make(2, 8, 0x1f);
    CHECK(boot_smbios_entry(entry, &smbios));
    CHECK_EQ(smbios.table, 0x11223344);
    CHECK_EQ(smbios.bytes, 0x1234);
    CHECK(!smbios.has_old_uuid);
    entry2_make(2, 5, 0x1f);
    CHECK(boot_smbios_entry(entry, &smbios) && smbios.has_old_uuid);
    /* 2.1 says 1eh by a mistake that the standard tells to tolerate. */
    entry2_make(2, 1, 0x1e);
    CHECK(boot_smbios_entry(entry, &smbios) && smbios.has_old_uuid);
}

TEST(boot_smbios, an_entry_point_that_is_none_is_refused)
{
    memset(entry, 0, sizeof(entry));
    CHECK(!boot_smbios_entry(entry, &smbios));
    entry3_make();
    entry[0x11]++;
    CHECK(!boot_smbios_entry(entry, &smbios));
    entry3_make();
    entry[6] = 0x17;
    CHECK(!boot_smbios_entry(entry, &smbios));
    entry[6] = 0xff;
    CHECK(!boot_smbios_entry(entry, &smbios));
    entry2_make(2, 8, 0x1f);
    entry[0x16]++;
    CHECK(!boot_smbios_entry(entry, &smbios));
    entry2_make(2, 8, 0x1d);
    CHECK(!boot_smbios_entry(entry, &smbios));
}

TEST(boot_smbios, the_uuid_is_in_the_order_of_its_digits)
{
    structure(0, 24, NULL, "SeaBIOS\0some date\0", 19);
    structure(1, 27, wire, "QEMU\0", 6);
    structure(127, 4, NULL, "\0", 2);
    CHECK(find(false));
    CHECK_BYTES(uuid, digits, 16);
}

TEST(boot_smbios, before_version_2_6_its_bytes_are_the_digits)
{
    structure(1, 25, digits, "\0", 2);
    CHECK(find(true));
    CHECK_BYTES(uuid, digits, 16);
}

TEST(boot_smbios, a_placeholder_is_no_uuid)
{
    static const uint8_t ones[16] = { 255, 255, 255, 255, 255, 255, 255, 255,
                                      255, 255, 255, 255, 255, 255, 255, 255 };
    static const uint8_t zeros[16] = { 0 };

    structure(1, 27, ones, "\0", 2);
    CHECK(!find(false));
    structure(1, 27, zeros, "\0", 2);
    CHECK(!find(false));
}

TEST(boot_smbios, a_structure_of_version_2_0_has_none)
{
    structure(1, 8, NULL, "\0", 2);
    CHECK(!find(false));
}

TEST(boot_smbios, nothing_counts_behind_the_end)
{
    structure(127, 4, NULL, "\0", 2);
    structure(1, 27, wire, "\0", 2);
    CHECK(!find(false));
    CHECK(!find(false)); /* an empty table */
}

/* B1 */
TEST(boot_smbios, a_table_that_breaks_off_is_not_read_on)
{
    for (size_t cut = 0; cut < 24 + 2 + 27; cut++) {
        structure(0, 24, NULL, "\0", 2);
        structure(1, 27, wire, "\0", 2);
        used = cut;
        CHECK(!find(false));
    }
}

TEST(boot_smbios, an_impossible_length_ends_the_search)
{
    for (uint8_t length = 0; length < 4; length++) {
        structure(1, 27, wire, "\0", 2);
        table[1] = length;
        CHECK(!find(false));
    }
}
