/*
 * acpi_fuzz.c - firmware tables of any content
 *
 * Tables: signature index (1), revision (1), length of the body (2), body.
 * Checksums are right unless bit 7 of the signature index is set, so that the
 * readers behind them are reached; in the end the input may damage any byte.
 */
#include "kernel/acpi.h"
#include "kernel/topology.h"
#include "tests/fake/acpi_memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"

#define TABLES_MAX 16

static struct acpi acpi;

static uint64_t table(struct fuzz_in *in)
{
    static const char *const signatures[] = {
        "APIC", "MCFG", "SPCR", "HPET", "FACP", "DSDT", "SSDT", "ABCD",
        "SRAT", "DMAR", "APIC", "SRAT", "APIC", "SRAT", "APIC", "SRAT",
    };
    const unsigned what = (unsigned)fuzz_take(in, 1);
    const uint8_t revision = (uint8_t)fuzz_take(in, 1);
    size_t n = fuzz_take(in, 2) % 4096;
    uint64_t at;

    fake_acpi_begin(signatures[what & 15], revision);
    for (n = n < in->left ? n : in->left; n > 0; n--)
        fake_acpi_put(fuzz_take(in, 1), 1);
    at = fake_acpi_end();
    if (what & 0x80)
        (*fake_acpi_byte(at + 9))++;
    /* FADT: DSDT is the next table, when there is one. */
    if ((what & 15) == 4 && fake_acpi_used() > at - FAKE_ACPI_BASE + 44) {
        const uint64_t next =
            FAKE_ACPI_BASE + ((fake_acpi_used() + 15) & ~(size_t)15);

        for (unsigned i = 0; i < 4; i++)
            *fake_acpi_byte(at + 40 + i) = (uint8_t)(next >> 8 * i);
        fake_acpi_fix(at);
    }
    return at;
}

/* Cores 1 and up ascend, whatever the list. */
static void check_topology(void)
{
    static struct topology t;

    topology_build(&acpi, acpi.cpu_count > 0 ? acpi.apic_id[0] : 0,
                   (struct topology_bits) { 1, 6 }, &t);
    FUZZ_CHECK(t.count >= 1 && t.count <= LCORE_MAX);
    for (unsigned i = 2; i < t.count; i++)
        FUZZ_CHECK(t.core[i - 1].apic_id < t.core[i].apic_id);
}

static void check_result(void)
{
    FUZZ_CHECK(acpi.cpu_count <= ACPI_CPU_MAX);
    FUZZ_CHECK(acpi.affinity_count <= ACPI_CPU_MAX);
    FUZZ_CHECK(acpi.node_memory_count <= ACPI_NODE_MEMORY_MAX);
    for (unsigned i = 0; i < acpi.node_memory_count; i++)
        FUZZ_CHECK(acpi.node_memory[i].base + acpi.node_memory[i].bytes >=
                   acpi.node_memory[i].base);
    check_topology();
    FUZZ_CHECK(acpi.ecam_count <= ACPI_ECAM_MAX);
    for (unsigned i = 0; i < acpi.ecam_count; i++)
        FUZZ_CHECK(acpi.ecam[i].first_bus <= acpi.ecam[i].last_bus);
    FUZZ_CHECK(acpi.power.s5_type_a <= 7 && acpi.power.s5_type_b <= 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned damage = (unsigned)fuzz_take(&in, 1);
    const struct acpi_memory memory = fake_acpi_memory();
    uint64_t tables[TABLES_MAX], rsdp;
    unsigned n = 0;

    host_reset();
    fake_acpi_reset();
    while (n < TABLES_MAX && in.left > 8)
        tables[n++] = table(&in);
    rsdp = damage & 1 ? fake_acpi_rsdp(0, fake_acpi_rsdt(tables, n), 0)
                      : fake_acpi_root(tables, n);
    if (damage & 2 && fake_acpi_used() > 0)
        (*fake_acpi_byte(FAKE_ACPI_BASE +
                         fuzz_take(&in, 3) % fake_acpi_used()))++;
    if (damage & 4)
        fake_acpi_cut(fuzz_take(&in, 3) % (fake_acpi_used() + 1));
    (void)!acpi_read(&memory, rsdp, &acpi);
    check_result();
    fake_acpi_release();
    return 0;
}
