/*
 * acpi_tables_test.c - what each table's fields come to
 */
#include <stdio.h>

#include <millrace/endian.h>

#include "kernel/acpi.h"
#include "tests/fake/acpi_memory.h"
#include "tests/unit/test.h"

static struct acpi acpi;

/* Read a machine that has just the table at @at. */
static void read_only(uint64_t at)
{
    const struct acpi_memory memory = fake_acpi_memory();

    CHECK_EQ(acpi_read(&memory, fake_acpi_root(&at, 1), &acpi), OK);
    fake_acpi_release();
}

/* ---- MADT ---- */

static void madt_begin(void)
{
    fake_acpi_reset();
    fake_acpi_begin("APIC", 4);
    fake_acpi_put(0xFEE00000, 4);
    fake_acpi_put(0, 4);
}

static void lapic(uint8_t id, uint32_t flags)
{
    fake_acpi_put(0, 1);
    fake_acpi_put(8, 1);
    fake_acpi_put(0, 1);
    fake_acpi_put(id, 1);
    fake_acpi_put(flags, 4);
}

static void x2apic(uint32_t id, uint32_t flags)
{
    fake_acpi_put(9, 1);
    fake_acpi_put(16, 1);
    fake_acpi_put(0, 2);
    fake_acpi_put(id, 4);
    fake_acpi_put(flags, 4);
    fake_acpi_put(7, 4);
}

TEST(madt, both_kinds_of_processor_count_once)
{
    madt_begin();
    lapic(0, 1);
    lapic(2, 1);
    x2apic(2, 1); /* the same processor again */
    x2apic(0x100, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 3);
    CHECK_EQ(acpi.apic_id[0], 0);
    CHECK_EQ(acpi.apic_id[1], 2);
    CHECK_EQ(acpi.apic_id[2], 0x100);
    CHECK_STR(host_console_text(), "");
}

TEST(madt, disabled_and_broadcast_entries_are_no_processors)
{
    madt_begin();
    lapic(1, 0);    /* not there */
    lapic(3, 2);    /* may be plugged in later */
    lapic(0xFF, 1); /* everybody */
    x2apic(UINT32_MAX, 1);
    lapic(5, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1);
    CHECK_EQ(acpi.apic_id[0], 5);
}

TEST(madt, an_address_override_replaces_the_32_bit_one)
{
    madt_begin();
    fake_acpi_put(5, 1);
    fake_acpi_put(12, 1);
    fake_acpi_put(0, 2);
    fake_acpi_put(0x1FEE00000, 8);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.lapic_base, 0x1FEE00000);
}

TEST(madt, unknown_kinds_are_stepped_over)
{
    madt_begin();
    fake_acpi_put(0x7F, 1);
    fake_acpi_put(5, 1);
    fake_acpi_zeros(3);
    lapic(9, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1);
    CHECK_STR(host_console_text(), "");
}

static void check_bad_entry(unsigned length)
{
    madt_begin();
    lapic(4, 1);
    fake_acpi_put(0, 1);
    fake_acpi_put(length, 1);
    fake_acpi_zeros(10);
    host_console_clear();
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1); /* what came before stays */
    CHECK_CONTAINS(host_console_text(), "MADT is damaged at byte 52 of 64");
}

TEST(madt, entries_of_length_0_or_1_or_beyond_the_end_stop_the_walk)
{
    check_bad_entry(0);
    check_bad_entry(1);
    check_bad_entry(13);
    check_bad_entry(255);
}

TEST(madt, entries_too_short_for_their_kind_are_ignored)
{
    madt_begin();
    fake_acpi_put(0, 1);
    fake_acpi_put(7, 1);
    fake_acpi_put(0xFFFFFFFFFF, 5);
    fake_acpi_put(9, 1);
    fake_acpi_put(15, 1);
    fake_acpi_put(UINT64_MAX, 8);
    fake_acpi_put(UINT64_MAX, 5);
    lapic(4, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1);
    CHECK_CONTAINS(host_console_text(), "2 entries too short");
}

/* Each id twice, in both kinds, with gaps; and more than there is room for. */
TEST(madt, a_thousand_ids_with_gaps_and_duplicates)
{
    madt_begin();
    for (unsigned i = 0; i < 85; i++)
        lapic((uint8_t)(3 * i), 1);
    for (unsigned i = 0; i < ACPI_CPU_MAX; i++)
        x2apic(3 * i, 1);
    for (unsigned i = 0; i < ACPI_CPU_MAX; i++)
        x2apic(3 * i + 1, i % 2 == 0 ? 0 : 2); /* absent, or not yet there */
    read_only(fake_acpi_end());
    CHECK_STR(host_console_text(), "");
    CHECK_EQ(acpi.cpu_count, ACPI_CPU_MAX);
    CHECK_EQ(acpi.cpu_ignored, 0);
    for (unsigned i = 0; i < ACPI_CPU_MAX; i++)
        CHECK_EQ(acpi.apic_id[i], 3 * i);
}

TEST(madt, processors_beyond_the_limit_are_counted_and_named)
{
    madt_begin();
    for (unsigned i = 0; i < ACPI_CPU_MAX + 5; i++)
        x2apic(2 * i, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, ACPI_CPU_MAX);
    CHECK_EQ(acpi.cpu_ignored, 5);
    CHECK_CONTAINS(host_console_text(), "5 processors beyond the first 1024");
}

TEST(madt, of_several_the_one_asked_for)
{
    struct acpi_memory memory = fake_acpi_memory();
    uint64_t tables[2];

    madt_begin();
    lapic(1, 1);
    tables[0] = fake_acpi_end();
    fake_acpi_begin("APIC", 4);
    fake_acpi_put(0xFEE00000, 4);
    fake_acpi_put(0, 4);
    lapic(2, 1);
    lapic(3, 1);
    tables[1] = fake_acpi_end();
    const uint64_t root = fake_acpi_root(tables, 2);

    for (unsigned wanted = 0; wanted < 4; wanted++) {
        static const unsigned cpus[] = { 1, 1, 2, 0 };

        memory.madt_instance = wanted;
        CHECK_EQ(acpi_read(&memory, root, &acpi), OK);
        CHECK_EQ(acpi.cpu_count, cpus[wanted]);
        fake_acpi_release();
    }
    CHECK_CONTAINS(host_console_text(), "MADT number 3 is asked for, found 2");
}

TEST(madt, one_byte_at_the_end_is_named)
{
    madt_begin();
    lapic(4, 1);
    fake_acpi_put(0, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1);
    CHECK_CONTAINS(host_console_text(), "damaged at byte 52 of 53");
}

TEST(madt, without_its_fixed_part_it_is_ignored)
{
    fake_acpi_reset();
    fake_acpi_begin("APIC", 4);
    fake_acpi_put(0, 7);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.lapic_base, 0);
    CHECK_CONTAINS(host_console_text(), "MADT has 43 bytes");
}

TEST(madt, holds_1024_processors_and_counts_the_rest)
{
    madt_begin();
    for (unsigned i = 0; i < 1030; i++)
        x2apic(i * 2, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.cpu_count, 1024);
    CHECK_EQ(acpi.apic_id[1023], 2046);
    CHECK_EQ(acpi.cpu_ignored, 6);
    CHECK_CONTAINS(host_console_text(), "6 processors beyond the first 1024");
}

/* ---- SRAT ---- */

static void srat_begin(void)
{
    fake_acpi_reset();
    fake_acpi_begin("SRAT", 3);
    fake_acpi_put(1, 4);
    fake_acpi_zeros(8);
}

static void near_lapic(uint8_t id, uint32_t node, uint32_t flags)
{
    fake_acpi_put(0, 1);
    fake_acpi_put(16, 1);
    fake_acpi_put(node & 0xFF, 1);
    fake_acpi_put(id, 1);
    fake_acpi_put(flags, 4);
    fake_acpi_zeros(1);
    fake_acpi_put(node >> 8, 3);
    fake_acpi_zeros(4);
}

static void near_x2apic(uint32_t id, uint32_t node, uint32_t flags)
{
    fake_acpi_put(2, 1);
    fake_acpi_put(24, 1);
    fake_acpi_zeros(2);
    fake_acpi_put(node, 4);
    fake_acpi_put(id, 4);
    fake_acpi_put(flags, 4);
    fake_acpi_zeros(8);
}

static void near_memory(uint64_t base, uint64_t bytes, uint32_t node,
                        uint32_t flags)
{
    fake_acpi_put(1, 1);
    fake_acpi_put(40, 1);
    fake_acpi_put(node, 4);
    fake_acpi_zeros(2);
    fake_acpi_put(base, 8);
    fake_acpi_put(bytes, 8);
    fake_acpi_zeros(4);
    fake_acpi_put(flags, 4);
    fake_acpi_zeros(8);
}

/* A generic initiator; kind 1 is a PCI function. */
static void near_pci(uint16_t segment, uint8_t bus, unsigned device,
                     unsigned function, uint32_t node, uint32_t flags,
                     uint8_t kind)
{
    fake_acpi_put(5, 1);
    fake_acpi_put(32, 1);
    fake_acpi_zeros(1);
    fake_acpi_put(kind, 1);
    fake_acpi_put(node, 4);
    fake_acpi_put(segment, 2);
    fake_acpi_put(bus, 1);
    fake_acpi_put(device << 3 | function, 1);
    fake_acpi_zeros(12);
    fake_acpi_put(flags, 4);
    fake_acpi_zeros(4);
}

TEST(srat, pci_functions_have_nodes_where_the_firmware_says_so)
{
    static const struct pci_addr nic = { 2, 0x3B, 17, 1 };
    struct pci_addr other = nic;
    uint32_t node = 99;

    srat_begin();
    near_pci(2, 0x3B, 17, 1, 0x10002, 1, 1);
    near_pci(2, 0x3B, 17, 2, 5, 0, 1); /* off */
    near_pci(2, 0x3B, 17, 3, 6, 1, 0); /* the handle is ACPI's */
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.node_pci_count, 1);
    CHECK(acpi_pci_node(&acpi, &nic, &node));
    CHECK_EQ(node, 0x10002);
    for (other.function = 2; other.function < 4; other.function++)
        CHECK(!acpi_pci_node(&acpi, &other, &node));
    other = nic;
    other.segment = 0;
    CHECK(!acpi_pci_node(&acpi, &other, &node));
    CHECK_EQ(acpi.srat_ignored, 0);

    srat_begin();
    for (unsigned i = 0; i < ACPI_NODE_PCI_MAX + 3; i++)
        near_pci(0, (uint8_t)i, 0, 0, 1, 1, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.node_pci_count, ACPI_NODE_PCI_MAX);
    CHECK_EQ(acpi.srat_ignored, 3);
}

TEST(srat, processors_and_memory_have_nodes)
{
    srat_begin();
    near_lapic(2, 0x01020304, 1);
    near_x2apic(0x1234, 5, 1);
    near_memory(0x100000000, 0x40000000, 5, 1);
    read_only(fake_acpi_end());
    CHECK_STR(host_console_text(), "");
    CHECK_EQ(acpi_node_of(&acpi, 2), 0x01020304);
    CHECK_EQ(acpi_node_of(&acpi, 0x1234), 5);
    CHECK_EQ(acpi_node_of(&acpi, 3), 0); /* nobody says */
    CHECK_EQ(acpi.node_memory_count, 1);
    CHECK_EQ(acpi.node_memory[0].base, 0x100000000);
    CHECK_EQ(acpi.node_memory[0].bytes, 0x40000000);
    CHECK_EQ(acpi.node_memory[0].node, 5);
}

TEST(srat, what_is_switched_off_or_no_working_memory_is_left_out)
{
    srat_begin();
    near_lapic(1, 4, 0);
    near_x2apic(2, 4, 0);
    near_memory(0x1000, 0x1000, 1, 0);
    near_memory(0x2000, 0x1000, 1, 5); /* keeps its contents */
    near_memory(0x3000, 0, 1, 1);
    near_memory(0x4000, 0x1000, 2, 3); /* may be unplugged */
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.affinity_count, 0);
    CHECK_EQ(acpi.node_memory_count, 1);
    CHECK_EQ(acpi.node_memory[0].base, 0x4000);
}

TEST(srat, too_many_and_impossible_entries_are_counted)
{
    srat_begin();
    for (unsigned i = 0; i < ACPI_CPU_MAX + 2; i++)
        near_x2apic(i, 1, 1);
    for (unsigned i = 0; i < ACPI_NODE_MEMORY_MAX + 3; i++)
        near_memory(i << 20, 1 << 20, 1, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.affinity_count, ACPI_CPU_MAX);
    CHECK_EQ(acpi.node_memory_count, ACPI_NODE_MEMORY_MAX);
    CHECK_CONTAINS(host_console_text(), "5 entries of SRAT");
    host_console_clear();
    srat_begin();
    near_memory(UINT64_MAX - 4095, 8192, 1, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.node_memory_count, 0);
    CHECK_CONTAINS(host_console_text(), "1 entries of SRAT");
}

TEST(srat, damage_ends_the_walk_and_is_named)
{
    srat_begin();
    near_lapic(1, 4, 1);
    fake_acpi_put(2, 1);
    fake_acpi_put(0, 1); /* a length of 0 */
    fake_acpi_zeros(22);
    near_lapic(2, 4, 1);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.affinity_count, 1);
    CHECK_CONTAINS(host_console_text(), "SRAT is damaged at byte 64 of 104");
}

static void check_short_entry(unsigned kind, unsigned bytes)
{
    srat_begin();
    fake_acpi_put(kind, 1);
    fake_acpi_put(bytes, 1);
    fake_acpi_zeros(bytes - 2);
    near_lapic(2, 4, 1);
    host_console_clear();
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.affinity_count, 1);
    CHECK_CONTAINS(host_console_text(), "SRAT has 1 entries too short");
}

TEST(srat, entries_too_short_for_their_kind_are_ignored)
{
    check_short_entry(0, 15);
    check_short_entry(1, 39);
    check_short_entry(2, 23);
}

TEST(srat, a_table_without_room_for_entries_is_ignored)
{
    fake_acpi_reset();
    fake_acpi_begin("SRAT", 3);
    fake_acpi_zeros(11);
    read_only(fake_acpi_end());
    CHECK_CONTAINS(host_console_text(), "SRAT has 47 bytes, at least 48");
}

/* ---- DMAR ---- */

static void read_dmar(uint8_t flags, unsigned bytes)
{
    fake_acpi_reset();
    fake_acpi_begin("DMAR", 1);
    fake_acpi_put(38, 1);
    fake_acpi_put(flags, 1);
    fake_acpi_zeros(bytes - 38);
    read_only(fake_acpi_end());
}

TEST(dmar, firmware_may_want_the_older_apic_mode)
{
    read_dmar(1, 48);
    CHECK(!acpi.x2apic_opt_out);
    read_dmar(3, 48);
    CHECK(acpi.x2apic_opt_out);
    read_dmar(3, 47);
    CHECK(!acpi.x2apic_opt_out);
}

/* ---- MCFG ---- */

static void mcfg_begin(void)
{
    fake_acpi_reset();
    fake_acpi_begin("MCFG", 1);
    fake_acpi_zeros(8);
}

static void ecam(uint64_t base, uint16_t segment, uint8_t first, uint8_t last)
{
    fake_acpi_put(base, 8);
    fake_acpi_put(segment, 2);
    fake_acpi_put(first, 1);
    fake_acpi_put(last, 1);
    fake_acpi_put(0, 4);
}

TEST(mcfg, several_segments_and_a_first_bus_that_is_not_0)
{
    mcfg_begin();
    ecam(0x80000000, 0, 0, 0x7F);
    ecam(0x80000000, 0, 0x80, 0xFF);
    ecam(0x3FFFC0000000, 0xFFFE, 0x20, 0x20);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.ecam_count, 3);
    CHECK_EQ(acpi.ecam[1].first_bus, 0x80);
    CHECK_EQ(acpi.ecam[1].last_bus, 0xFF);
    CHECK_EQ(acpi.ecam[2].segment, 0xFFFE);
    CHECK_EQ(acpi.ecam[2].base, 0x3FFFC0000000);
    CHECK_STR(host_console_text(), "");
}

TEST(mcfg, impossible_entries_are_ignored)
{
    mcfg_begin();
    ecam(0x80000000, 0, 5, 4);           /* ends before it starts */
    ecam(0, 0, 0, 255);                  /* nowhere */
    ecam(0x80001000, 0, 0, 255);         /* not aligned */
    ecam(0xFFFFFFFFF0000000, 0, 0, 255); /* beyond any address */
    ecam(0x80000000, 0, 0, 10);          /* good */
    ecam(0x90000000, 0, 10, 20);         /* bus 10 again */
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.ecam_count, 1);
    CHECK_EQ(acpi.ecam[0].last_bus, 10);
    CHECK_CONTAINS(host_console_text(), "its last bus is before its first");
    CHECK_CONTAINS(host_console_text(), "5 MCFG entries ignored");
}

TEST(mcfg, ranges_that_share_one_bus_overlap_in_either_order)
{
    mcfg_begin();
    ecam(0x80000000, 0, 5, 10);
    ecam(0x90000000, 0, 0, 5);
    ecam(0x90000000, 0, 10, 11);
    ecam(0x90000000, 0, 0, 4);
    ecam(0x90000000, 1, 5, 10); /* another segment */
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.ecam_count, 3);
    CHECK_EQ(acpi.ecam[1].last_bus, 4);
    CHECK_EQ(acpi.ecam[2].segment, 1);
}

TEST(mcfg, a_broken_last_entry_is_not_read)
{
    mcfg_begin();
    ecam(0x80000000, 0, 0, 10);
    fake_acpi_put(0x90000000, 8);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.ecam_count, 1);
    CHECK_CONTAINS(host_console_text(), "ends within an entry");
}

TEST(mcfg, more_entries_than_the_list_holds_are_named)
{
    mcfg_begin();
    for (unsigned i = 0; i < ACPI_ECAM_MAX + 3; i++)
        ecam(0x80000000, (uint16_t)i, 0, 255);
    read_only(fake_acpi_end());
    CHECK_EQ(acpi.ecam_count, ACPI_ECAM_MAX);
    CHECK_CONTAINS(host_console_text(), "the list is full");
}

/* ---- SPCR ---- */

struct spcr_fields {
    uint8_t revision, interface, baud_code;
    uint32_t clock_hz, precise_baud;
    unsigned extra; /* bytes after the 80 of revision 2 */
};

static void spcr(struct spcr_fields f)
{
    fake_acpi_reset();
    fake_acpi_begin("SPCR", f.revision);
    fake_acpi_put(f.interface, 1);
    fake_acpi_zeros(3);
    fake_acpi_put_address(0, 32, 3, 0xFE034000);
    fake_acpi_zeros(6);
    fake_acpi_put(f.baud_code, 1);
    fake_acpi_zeros(17);
    fake_acpi_put(f.clock_hz, 4);
    if (f.extra != 0)
        fake_acpi_put(f.precise_baud, 4);
    host_console_clear();
    read_only(fake_acpi_end());
}

TEST(spcr, baud_codes_mean_what_microsoft_says)
{
    static const uint32_t rate[] = { 0, 0, 0, 9600, 19200, 0, 57600, 115200 };

    for (uint8_t code = 0; code < 8; code++) {
        spcr((struct spcr_fields) { .revision = 2, .baud_code = code });
        CHECK(acpi.has_spcr);
        CHECK_EQ(acpi.spcr.baud, rate[code]);
        CHECK_EQ(acpi.spcr.base.address, 0xFE034000);
        CHECK_EQ(acpi.spcr.base.bits, 32);
    }
}

TEST(spcr, an_unknown_code_leaves_the_rate_and_says_so)
{
    spcr((struct spcr_fields) { .revision = 2, .baud_code = 200 });
    CHECK_EQ(acpi.spcr.baud, 0);
    CHECK_CONTAINS(host_console_text(), "baud code 200 is unknown");
}

TEST(spcr, later_revisions_add_clock_and_precise_rate)
{
    spcr((struct spcr_fields) { .revision = 2,
                                .baud_code = 7,
                                .clock_hz = 48000000,
                                .precise_baud = 1500000,
                                .extra = 4 });
    CHECK_EQ(acpi.spcr.clock_hz, 0);
    CHECK_EQ(acpi.spcr.baud, 115200);
    spcr((struct spcr_fields) { .revision = 4,
                                .baud_code = 0,
                                .clock_hz = 48000000,
                                .precise_baud = 1500000,
                                .extra = 4 });
    CHECK_EQ(acpi.spcr.clock_hz, 48000000);
    CHECK_EQ(acpi.spcr.baud, 1500000);
    spcr((struct spcr_fields) { .revision = 4, .baud_code = 7 });
    CHECK_EQ(acpi.spcr.baud, 115200); /* cut before the precise rate */
}

TEST(spcr, a_short_table_is_ignored)
{
    fake_acpi_reset();
    fake_acpi_begin("SPCR", 2);
    fake_acpi_zeros(43);
    read_only(fake_acpi_end());
    CHECK(!acpi.has_spcr);
    CHECK_CONTAINS(host_console_text(), "SPCR has 79 bytes");
}

/* ---- HPET ---- */

static void hpet(uint8_t space, uint64_t address, unsigned tail)
{
    fake_acpi_reset();
    fake_acpi_begin("HPET", 1);
    fake_acpi_put(0, 4);
    fake_acpi_put_address(space, 64, 0, address);
    fake_acpi_zeros(tail);
    read_only(fake_acpi_end());
}

TEST(hpet, must_be_memory_and_complete)
{
    hpet(0, 0xFED00000, 4);
    CHECK_EQ(acpi.hpet.address, 0xFED00000);
    hpet(1, 0xFED00000, 4);
    CHECK_EQ(acpi.hpet.address, 0);
    hpet(0, 0, 4);
    CHECK_EQ(acpi.hpet.address, 0);
    hpet(0, 0xFED00000, 3);
    CHECK_EQ(acpi.hpet.address, 0);
    CHECK_CONTAINS(host_console_text(), "HPET has 55 bytes");
}

/* ---- FADT ---- */

static uint64_t fadt(unsigned bytes)
{
    fake_acpi_begin("FACP", 6);
    fake_acpi_zeros(bytes - 36);
    return fake_acpi_end();
}

TEST(fadt, revision_1_gives_ports)
{
    fake_acpi_reset();
    const uint64_t at = fadt(116);

    put_le32(fake_acpi_byte(at + 48), 0xB2);
    *fake_acpi_byte(at + 52) = 2;
    put_le32(fake_acpi_byte(at + 64), 0x604);
    put_le32(fake_acpi_byte(at + 68), 0x614);
    put_le32(fake_acpi_byte(at + 76), 0x608);
    *fake_acpi_byte(at + 91) = 4;
    fake_acpi_fix(at);
    read_only(at);
    CHECK(acpi.power.present);
    CHECK_EQ(acpi.power.pm1a_control.space, ACPI_SPACE_IO);
    CHECK_EQ(acpi.power.pm1a_control.address, 0x604);
    CHECK_EQ(acpi.power.pm1b_control.address, 0x614);
    CHECK_EQ(acpi.power.pm_timer.address, 0x608);
    CHECK(!acpi.power.pm_timer_is_32bit);
    CHECK_EQ(acpi.power.smi_command, 0xB2);
    CHECK_EQ(acpi.power.acpi_enable, 2);
    CHECK_EQ(acpi.power.reset.address, 0);
    CHECK(!acpi.power.has_s5);
}

TEST(fadt, the_64_bit_form_of_a_register_wins)
{
    fake_acpi_reset();
    const uint64_t at = fadt(244);

    put_le32(fake_acpi_byte(at + 76), 0x608);
    *fake_acpi_byte(at + 91) = 4;
    put_le32(fake_acpi_byte(at + 112), 1u << 8);
    *fake_acpi_byte(at + 208) = ACPI_SPACE_MEMORY;
    put_le64(fake_acpi_byte(at + 212), 0xFED81000);
    fake_acpi_fix(at);
    read_only(at);
    CHECK_EQ(acpi.power.pm_timer.space, ACPI_SPACE_MEMORY);
    CHECK_EQ(acpi.power.pm_timer.address, 0xFED81000);
    CHECK(acpi.power.pm_timer_is_32bit);
}

TEST(fadt, a_timer_of_no_bytes_is_none)
{
    fake_acpi_reset();
    const uint64_t at = fadt(116);

    put_le32(fake_acpi_byte(at + 76), 0x608);
    fake_acpi_fix(at);
    read_only(at);
    CHECK_EQ(acpi.power.pm_timer.address, 0);
}

static uint64_t with_reset(uint32_t flags, uint8_t space, uint64_t address)
{
    fake_acpi_reset();
    const uint64_t at = fadt(244);

    put_le32(fake_acpi_byte(at + 112), flags);
    *fake_acpi_byte(at + 116) = space;
    put_le64(fake_acpi_byte(at + 120), address);
    *fake_acpi_byte(at + 128) = 6;
    fake_acpi_fix(at);
    read_only(at);
    return at;
}

TEST(fadt, the_reset_register_needs_its_flag_and_a_reachable_place)
{
    with_reset(1u << 10, ACPI_SPACE_IO, 0xCF9);
    CHECK_EQ(acpi.power.reset.address, 0xCF9);
    CHECK_EQ(acpi.power.reset_value, 6);
    with_reset(0, ACPI_SPACE_IO, 0xCF9);
    CHECK_EQ(acpi.power.reset.address, 0);
    with_reset(1u << 10, ACPI_SPACE_IO, 0x10000);
    CHECK_EQ(acpi.power.reset.address, 0);
    with_reset(1u << 10, 0x7F, 0xCF9);
    CHECK_EQ(acpi.power.reset.address, 0);
    CHECK_CONTAINS(host_console_text(), "FADT reset register");
}

TEST(fadt, hardware_reduced_machines_have_a_sleep_control_register)
{
    fake_acpi_reset();
    const uint64_t at = fadt(268);

    put_le32(fake_acpi_byte(at + 112), 1u << 20);
    *fake_acpi_byte(at + 244) = ACPI_SPACE_MEMORY;
    put_le64(fake_acpi_byte(at + 248), 0xFED40000);
    fake_acpi_fix(at);
    read_only(at);
    CHECK(acpi.power.hw_reduced);
    CHECK_EQ(acpi.power.sleep_control.address, 0xFED40000);
}

TEST(fadt, every_length_is_read_within_bounds)
{
    for (unsigned bytes = 36; bytes <= 276; bytes++) {
        fake_acpi_reset();
        read_only(fadt(bytes));
        CHECK_EQ(acpi.power.present, bytes >= 116);
    }
}

/* ---- \_S5 ---- */

/* A DSDT whose body is @aml, found through a FADT. */
static void read_aml(const uint8_t *aml, unsigned bytes)
{
    fake_acpi_reset();
    fake_acpi_begin("DSDT", 2);
    for (unsigned i = 0; i < bytes; i++)
        fake_acpi_put(aml[i], 1);
    const uint64_t dsdt = fake_acpi_end();
    const uint64_t at = fadt(244);

    put_le64(fake_acpi_byte(at + 140), dsdt);
    fake_acpi_fix(at);
    read_only(at);
}

#define READ_AML(...)                                                          \
    do {                                                                       \
        static const uint8_t aml[] = { __VA_ARGS__ };                          \
        read_aml(aml, sizeof(aml));                                            \
    } while (0)

TEST(s5, forms_that_compilers_write_are_understood)
{
    /* Name (_S5, Package (4) { 0x07, 0x03, 0, 0 }) */
    READ_AML(0x08, '_', 'S', '5', '_', 0x12, 0x08, 4, 0x0A, 7, 0x0A, 3, 0, 0);
    CHECK(acpi.power.has_s5);
    CHECK_EQ(acpi.power.s5_type_a, 7);
    CHECK_EQ(acpi.power.s5_type_b, 3);
    /* Name (\_S5, Package (2) { One, Zero }) */
    READ_AML(1, 2, 0x08, 0x5C, '_', 'S', '5', '_', 0x12, 0x04, 2, 1, 0);
    CHECK(acpi.power.has_s5);
    CHECK_EQ(acpi.power.s5_type_a, 1);
    CHECK_EQ(acpi.power.s5_type_b, 0);
    /* two bytes of package length; word and dword constants */
    READ_AML(0x08, '_', 'S', '5', '_', 0x12, 0x4B, 0, 2, 0x0B, 5, 0, 0x0C, 6, 0,
             0, 0);
    CHECK(acpi.power.has_s5);
    CHECK_EQ(acpi.power.s5_type_a, 5);
    CHECK_EQ(acpi.power.s5_type_b, 6);
}

TEST(s5, one_element_serves_both_registers)
{
    READ_AML(0x08, '_', 'S', '5', '_', 0x12, 0x04, 1, 0x0A, 5);
    CHECK(acpi.power.has_s5);
    CHECK_EQ(acpi.power.s5_type_b, 5);
}

TEST(s5, a_mere_mention_is_no_definition)
{
    READ_AML('_', 'S', '5', '_', 0x12, 0x06, 4, 1, 1, 0, 0);
    CHECK(!acpi.power.has_s5);
    /* the mention first, the definition later */
    READ_AML('X', '_', 'S', '5', '_', 'X', 0x08, '_', 'S', '5', '_', 0x12, 0x04,
             2, 1, 1);
    CHECK(acpi.power.has_s5);
}

TEST(s5, values_that_do_not_fit_the_register_are_refused)
{
    READ_AML(0x08, '_', 'S', '5', '_', 0x12, 0x06, 4, 0x0A, 8, 1, 0, 0);
    CHECK(!acpi.power.has_s5);
    READ_AML(0x08, '_', 'S', '5', '_', 0x12, 0x02, 0, 1, 1);
    CHECK(!acpi.power.has_s5);
}

TEST(s5, a_definition_cut_anywhere_is_not_overrun)
{
    static const uint8_t aml[] = {
        0x08, '_', 'S',  '5', '_',  0x12, 0xC8, 0, 0,
        0,    4,   0x0A, 7,   0x0C, 3,    0,    0, 0
    };

    for (unsigned bytes = 0; bytes < sizeof(aml); bytes++) {
        read_aml(aml, bytes);
        CHECK(!acpi.power.has_s5);
    }
    read_aml(aml, sizeof(aml));
    CHECK(acpi.power.has_s5);
}
