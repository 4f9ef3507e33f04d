/*
 * acpi_test.c - root pointer, root tables, and what damage does to them
 */
#include <stdlib.h>

#include <millrace/endian.h>
#include <millrace/log.h>

#include "kernel/acpi.h"
#include "tests/fake/acpi_memory.h"
#include "tests/unit/test.h"

static struct acpi acpi;

static enum status read_at(uint64_t rsdp)
{
    const struct acpi_memory memory = fake_acpi_memory();
    const enum status status = acpi_read(&memory, rsdp, &acpi);

    fake_acpi_release();
    return status;
}

static uint64_t madt_of(unsigned cpus)
{
    fake_acpi_begin("APIC", 4);
    fake_acpi_put(0xFEE00000, 4);
    fake_acpi_put(1, 4);
    for (unsigned i = 0; i < cpus; i++) {
        fake_acpi_put(0, 1); /* local APIC */
        fake_acpi_put(8, 1);
        fake_acpi_put(i, 1);
        fake_acpi_put(2 * i, 1);
        fake_acpi_put(1, 4);
    }
    return fake_acpi_end();
}

static uint64_t mcfg(void)
{
    fake_acpi_begin("MCFG", 1);
    fake_acpi_zeros(8);
    fake_acpi_put(0xB0000000, 8);
    fake_acpi_put(0, 2);
    fake_acpi_put(0, 1);
    fake_acpi_put(255, 1);
    fake_acpi_put(0, 4);
    return fake_acpi_end();
}

static uint64_t hpet(void)
{
    fake_acpi_begin("HPET", 1);
    fake_acpi_put(0x8086A201, 4);
    fake_acpi_put_address(0, 64, 0, 0xFED00000);
    fake_acpi_zeros(4);
    return fake_acpi_end();
}

static uint64_t spcr(void)
{
    fake_acpi_begin("SPCR", 2);
    fake_acpi_put(0, 4);
    fake_acpi_put_address(1, 8, 1, 0x3F8);
    fake_acpi_zeros(6);
    fake_acpi_put(7, 1); /* 115200 */
    fake_acpi_zeros(21);
    return fake_acpi_end();
}

static uint64_t dsdt(void)
{
    static const uint8_t s5[] = { 0x08, '_',  'S',  '5',  '_',  0x12, 0x06,
                                  0x04, 0x0A, 0x05, 0x0A, 0x06, 0x00, 0x00 };

    fake_acpi_begin("DSDT", 2);
    fake_acpi_zeros(20);
    for (unsigned i = 0; i < sizeof(s5); i++)
        fake_acpi_put(s5[i], 1);
    fake_acpi_zeros(5);
    return fake_acpi_end();
}

static uint64_t fadt(uint64_t dsdt_at)
{
    fake_acpi_begin("FACP", 6);
    fake_acpi_zeros(4);
    fake_acpi_put(dsdt_at, 4);
    fake_acpi_zeros(276 - 44);
    const uint64_t at = fake_acpi_end();

    put_le32(fake_acpi_byte(at + 64), 0x604); /* PM1a control */
    put_le32(fake_acpi_byte(at + 76), 0x608); /* timer */
    *fake_acpi_byte(at + 91) = 4;             /* its length */
    put_le32(fake_acpi_byte(at + 112), 1u << 10 | 1u << 8);
    *fake_acpi_byte(at + 116) = 1; /* reset register: I/O 0xCF9 */
    *fake_acpi_byte(at + 117) = 8;
    put_le64(fake_acpi_byte(at + 120), 0xCF9);
    *fake_acpi_byte(at + 128) = 0x0F;
    put_le64(fake_acpi_byte(at + 140), dsdt_at);
    fake_acpi_fix(at);
    return at;
}

/* A complete machine; returns the RSDP. */
static uint64_t machine(void)
{
    uint64_t tables[5];

    fake_acpi_reset();
    tables[0] = madt_of(4);
    tables[1] = mcfg();
    tables[2] = hpet();
    tables[3] = spcr();
    tables[4] = fadt(dsdt());
    return fake_acpi_root(tables, 5);
}

TEST(acpi, reads_a_complete_machine)
{
    const uint64_t rsdp = machine();

    CHECK_EQ(read_at(rsdp), OK);
    CHECK_STR(host_console_text(), "");
    CHECK_EQ(acpi.cpu_count, 4);
    CHECK_EQ(acpi.apic_id[3], 6);
    CHECK_EQ(acpi.lapic_base, 0xFEE00000);
    CHECK_EQ(acpi.ecam_count, 1);
    CHECK_EQ(acpi.ecam[0].base, 0xB0000000);
    CHECK_EQ(acpi.ecam[0].last_bus, 255);
    CHECK_EQ(acpi.hpet.address, 0xFED00000);
    CHECK(acpi.has_spcr);
    CHECK_EQ(acpi.spcr.baud, 115200);
    CHECK(acpi.power.present);
    CHECK(acpi.power.has_s5);
    CHECK_EQ(acpi.power.s5_type_a, 5);
    CHECK_EQ(acpi.power.s5_type_b, 6);
}

TEST(acpi, no_root_pointer_is_an_error_with_a_line)
{
    fake_acpi_reset();
    CHECK_EQ(read_at(0), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "no root pointer");
    host_console_clear();
    CHECK_EQ(read_at(FAKE_ACPI_BASE), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "no root pointer at 0x7f000000");
}

TEST(acpi, root_pointer_checksum_is_checked)
{
    const uint64_t rsdp = machine();

    *fake_acpi_byte(rsdp + 9) ^= 1;
    CHECK_EQ(read_at(rsdp), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "wrong checksum");
}

TEST(acpi, xsdt_is_preferred)
{
    fake_acpi_reset();
    const uint64_t two = madt_of(2), three = madt_of(3);
    const uint64_t xsdt = fake_acpi_xsdt(&three, 1);
    const uint64_t rsdt = fake_acpi_rsdt(&two, 1);

    CHECK_EQ(read_at(fake_acpi_rsdp(2, rsdt, xsdt)), OK);
    CHECK_EQ(acpi.cpu_count, 3);
}

TEST(acpi, rsdt_serves_when_the_xsdt_is_damaged)
{
    fake_acpi_reset();
    const uint64_t two = madt_of(2), three = madt_of(3);
    const uint64_t xsdt = fake_acpi_xsdt(&three, 1);
    const uint64_t rsdt = fake_acpi_rsdt(&two, 1);
    const uint64_t rsdp = fake_acpi_rsdp(2, rsdt, xsdt);

    *fake_acpi_byte(xsdt + 20) ^= 0x40;
    CHECK_EQ(read_at(rsdp), OK);
    CHECK_EQ(acpi.cpu_count, 2);
    CHECK_CONTAINS(host_console_text(), "XSDT at");
}

TEST(acpi, rsdt_serves_when_the_extended_checksum_is_wrong)
{
    fake_acpi_reset();
    const uint64_t two = madt_of(2), three = madt_of(3);
    const uint64_t xsdt = fake_acpi_xsdt(&three, 1);
    const uint64_t rsdt = fake_acpi_rsdt(&two, 1);
    const uint64_t rsdp = fake_acpi_rsdp(2, rsdt, xsdt);

    *fake_acpi_byte(rsdp + 33) ^= 1;
    CHECK_EQ(read_at(rsdp), OK);
    CHECK_EQ(acpi.cpu_count, 2);
}

TEST(acpi, revision_0_has_only_an_rsdt)
{
    fake_acpi_reset();
    const uint64_t two = madt_of(2);

    CHECK_EQ(read_at(fake_acpi_rsdp(0, fake_acpi_rsdt(&two, 1), 0)), OK);
    CHECK_EQ(acpi.cpu_count, 2);
}

TEST(acpi, neither_root_table_is_an_error)
{
    fake_acpi_reset();
    CHECK_EQ(read_at(fake_acpi_rsdp(2, 0x1234, 0xFFFFFFFFFFFFF000)), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "neither XSDT nor RSDT");
    CHECK_EQ(acpi.cpu_count, 0);
}

TEST(acpi, a_table_that_is_not_in_memory_is_ignored)
{
    fake_acpi_reset();
    const uint64_t tables[] = { 0xFFFFFFFFFFFFFFF0, 16, madt_of(1) };

    CHECK_EQ(read_at(fake_acpi_root(tables, 3)), OK);
    CHECK_EQ(acpi.cpu_count, 1);
    CHECK_CONTAINS(host_console_text(), "0xfffffffffffffff0 is not in memory");
}

TEST(acpi, a_second_table_of_a_kind_is_ignored)
{
    fake_acpi_reset();
    const uint64_t tables[] = { madt_of(2), madt_of(3) };

    CHECK_EQ(read_at(fake_acpi_root(tables, 2)), OK);
    CHECK_EQ(acpi.cpu_count, 2);
    CHECK_CONTAINS(host_console_text(), "MADT number 2");
}

static unsigned lines(void)
{
    unsigned n = 0;

    for (const char *p = host_console_text(); *p != '\0'; p++)
        n += *p == '\n';
    return n;
}

/* A root table that lists itself a thousand times neither loops nor floods. */
TEST(acpi, a_long_list_of_tables_is_bounded)
{
    uint64_t tables[1000];

    fake_acpi_reset();
    for (unsigned i = 0; i < 1000; i++)
        tables[i] = FAKE_ACPI_BASE; /* where the XSDT itself will be */
    CHECK_EQ(read_at(fake_acpi_root(tables, 1000)), OK);
    CHECK_CONTAINS(host_console_text(), "1000 tables listed");
    CHECK(lines() <= 2);
}

static void check_length_lie(uint32_t length, bool fix)
{
    fake_acpi_reset();
    const uint64_t madt = madt_of(2);
    const uint64_t rsdp = fake_acpi_root(&madt, 1);
    const size_t used = fake_acpi_used();

    put_le32(fake_acpi_byte(madt + 4), length);
    if (fix && length <= used)
        fake_acpi_fix(madt);
    CHECK_EQ(read_at(rsdp), OK);
    CHECK(acpi.cpu_count <= 2);
}

TEST(acpi, a_lying_length_costs_the_table)
{
    static const uint32_t lies[] = { 0,      1,          35,        4u << 20,
                                     100000, UINT32_MAX, 0x80000000 };

    for (unsigned i = 0; i < ARRAY_SIZE(lies); i++) {
        host_console_clear();
        check_length_lie(lies[i], false);
        CHECK_EQ(acpi.cpu_count, 0);
        CHECK_CONTAINS(host_console_text(), "ignored");
    }
}

/* So large a table is refused before anybody looks whether it is in memory. */
TEST(acpi, a_table_above_4_mib_is_not_believed)
{
    check_length_lie((4u << 20) + 1, false);
    CHECK_CONTAINS(host_console_text(), "APIC at 0x7f000000 says it has "
                                        "4194305 bytes");
}

/* With a matching checksum, each length up to the true one is honest. */
TEST(acpi, a_table_truncated_at_any_length_is_read_within_bounds)
{
    for (uint32_t length = 36; length <= 60; length++)
        check_length_lie(length, true);
    CHECK_EQ(acpi.cpu_count, 2);
}

/* Memory that ends anywhere: everything up to there, nothing beyond. */
TEST(acpi, memory_that_ends_early_is_not_overrun)
{
    const uint64_t rsdp = machine();

    log_set_level(LOG_EMERG);
    for (size_t used = fake_acpi_used(); used-- > 0;) {
        fake_acpi_cut(used);
        (void)!read_at(rsdp);
    }
    log_set_level(LOG_INFO);
    CHECK_EQ(acpi.cpu_count, 0);
}

/* xorshift64: the same damage in each run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void damage(uint64_t *seed, size_t used)
{
    const unsigned n = 1 + next_random(seed) % 8;

    for (unsigned i = 0; i < n; i++)
        *fake_acpi_byte(FAKE_ACPI_BASE + next_random(seed) % used) =
            (uint8_t)next_random(seed);
}

static void check_believable(void)
{
    CHECK(acpi.cpu_count <= ACPI_CPU_MAX);
    CHECK(acpi.ecam_count <= ACPI_ECAM_MAX);
    for (unsigned i = 0; i < acpi.ecam_count; i++)
        CHECK(acpi.ecam[i].first_bus <= acpi.ecam[i].last_bus);
    CHECK(acpi.power.s5_type_a <= 7 && acpi.power.s5_type_b <= 7);
}

/* Damaged bytes with checksums made right again, so that decoders see them. */
TEST(acpi, random_damage_never_leads_out_of_bounds)
{
    uint64_t seed = 0x9E3779B97F4A7C15;

    log_set_level(LOG_EMERG);
    for (unsigned round = 0; round < 20000; round++) {
        const uint64_t rsdp = machine();
        const size_t used = fake_acpi_used();

        damage(&seed, used);
        if (round % 4 != 0)
            for (size_t at = 0; at + 36 <= used; at += 16) {
                const uint64_t phys = FAKE_ACPI_BASE + at;
                const uint32_t len = get_le32(fake_acpi_byte(phys + 4));

                if (phys != rsdp && len >= 36 && len <= used - at)
                    fake_acpi_fix(phys);
            }
        (void)!read_at(rsdp);
        check_believable();
    }
    log_set_level(LOG_INFO);
}
