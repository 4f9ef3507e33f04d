/*
 * topology_test.c - what CPUID says of an id, and how cores get their numbers
 */
#include "kernel/topology.h"
#include "tests/unit/test.h"

/* ---- what CPUID says ---- */

struct answer {
    uint32_t leaf, subleaf;
    struct topology_regs regs;
};

static const struct answer *answers;
static unsigned answer_count, asked;

static struct topology_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    asked++;
    for (unsigned i = 0; i < answer_count; i++)
        if (answers[i].leaf == leaf && answers[i].subleaf == subleaf)
            return answers[i].regs;
    return (struct topology_regs) { 0, 0, 0, 0 };
}

#define ASK(table)                                                             \
    (answers = (table), answer_count = ARRAY_SIZE(table), asked = 0,           \
     topology_bits_get(cpuid))

/* A Xeon of two threads a core, 64 ids a package (leaf 0BH). */
TEST(topology, levels_of_leaf_0b)
{
    static const struct answer a[] = {
        { 0, 0, { 0x16, 0, 0, 0 } },
        { 0x0B, 0, { 1, 2, 0x100, 0x45 } },
        { 0x0B, 1, { 6, 48, 0x201, 0x45 } },
        { 0x0B, 2, { 0, 0, 2, 0x45 } },
    };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 1);
    CHECK_EQ(b.package, 6);
    CHECK_EQ(topology_own_id(cpuid), 0x45);
}

/* Leaf 1FH has dies between core and package; it comes before 0BH. */
TEST(topology, the_last_level_of_leaf_1f_ends_below_the_package)
{
    static const struct answer a[] = {
        { 0, 0, { 0x20, 0, 0, 0 } },     { 0x0B, 0, { 1, 2, 0x100, 9 } },
        { 0x0B, 1, { 4, 8, 0x201, 9 } }, { 0x1F, 0, { 1, 2, 0x100, 9 } },
        { 0x1F, 1, { 4, 8, 0x201, 9 } }, { 0x1F, 2, { 5, 16, 0x502, 9 } },
    };

    CHECK_EQ(ASK(a).package, 5);
}

/* QEMU with one thread a core: the first level shifts by 0. */
TEST(topology, one_thread_a_core)
{
    static const struct answer a[] = {
        { 0, 0, { 0x0D, 0, 0, 0 } },
        { 0x0B, 0, { 0, 1, 0x100, 3 } },
        { 0x0B, 1, { 2, 4, 0x201, 3 } },
    };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 0);
    CHECK_EQ(b.package, 2);
}

/* A Zen 2 of 64 cores and 128 threads. */
TEST(topology, amd_without_leaf_0b)
{
    static const struct answer a[] = {
        { 0, 0, { 1, 0, 0, 0 } },
        { 1, 0, { 0, 0x11800800, 0, 1u << 28 } },
        { 0x80000000, 0, { 0x80000020, 0, 0, 0 } },
        { 0x80000001, 0, { 0, 0, 1u << 22, 0 } },
        { 0x80000008, 0, { 0, 0, 0x707F, 0 } },
        { 0x8000001E, 0, { 0, 0x0100, 0, 0 } },
    };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 1);
    CHECK_EQ(b.package, 7);
    CHECK_EQ(topology_own_id(cpuid), 0x11);
}

TEST(topology, amd_that_counts_cores_only)
{
    static const struct answer a[] = {
        { 0, 0, { 1, 0, 0, 0 } },
        { 0x80000000, 0, { 0x80000008, 0, 0, 0 } },
        { 0x80000008, 0, { 0, 0, 0x0005, 0 } }, /* six: three bits */
    };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 0);
    CHECK_EQ(b.package, 3);
}

/* An old Intel: 16 ids a package, 8 of them cores. */
TEST(topology, leaves_1_and_4)
{
    static const struct answer a[] = {
        { 0, 0, { 4, 0, 0, 0 } },
        { 1, 0, { 0, 16u << 16, 0, 1u << 28 } },
        { 4, 0, { 7u << 26, 0, 0, 0 } },
    };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 1);
    CHECK_EQ(b.package, 4);
}

TEST(topology, nothing_said_is_one_package_an_id)
{
    static const struct answer a[] = { { 0, 0, { 0, 0, 0, 0 } } };
    const struct topology_bits b = ASK(a);

    CHECK_EQ(b.thread, 0);
    CHECK_EQ(b.package, 0);
}

/* Levels without end, or that shrink, are no levels. */
static struct topology_regs endless(uint32_t leaf, uint32_t subleaf)
{
    asked++;
    if (leaf == 0)
        return (struct topology_regs) { 0x1F, 0, 0, 0 };
    return (struct topology_regs) { 0x1F, 1, 0x200 | subleaf, 7 };
}

static struct topology_regs shrinking(uint32_t leaf, uint32_t subleaf)
{
    if (leaf == 0)
        return (struct topology_regs) { 0x1F, 0, 0, 0 };
    if (leaf != 0x0B && leaf != 0x1F)
        return (struct topology_regs) { 0, 0, 0, 0 };
    return (struct topology_regs) { 9 - subleaf, 1, 0x200, 7 };
}

TEST(topology, answers_that_make_no_sense_are_bounded)
{
    struct topology_bits b;

    asked = 0;
    b = topology_bits_get(endless);
    CHECK(asked < 64);
    CHECK(b.package <= 31 && b.thread <= b.package);
    b = topology_bits_get(shrinking);
    CHECK_EQ(b.package, 0);
}

/* ---- numbering ---- */

static struct acpi acpi;
static struct topology t;

static void list(const uint32_t ids[], unsigned n)
{
    memset(&acpi, 0, sizeof(acpi));
    if (n > 0)
        memcpy(acpi.apic_id, ids, n * sizeof(ids[0]));
    acpi.cpu_count = n;
}

TEST(topology, the_boot_core_is_0_and_the_others_follow_by_id)
{
    static const uint32_t ids[] = { 6, 0, 4, 2, 0x100 };
    static const uint32_t order[] = { 4, 0, 2, 6, 0x100 };
    const struct topology_bits bits = { .thread = 1, .package = 4 };

    list(ids, 5);
    topology_build(&acpi, 4, bits, &t);
    CHECK_EQ(t.count, 5);
    CHECK(t.boot_is_listed);
    for (unsigned i = 0; i < 5; i++)
        CHECK_EQ(t.core[i].apic_id, order[i]);
    CHECK_EQ(t.core[3].core, 3);
    CHECK_EQ(t.core[3].thread, 0);
    CHECK_EQ(t.core[4].package, 16);
    CHECK_EQ(t.left_out, 0);
}

TEST(topology, an_id_is_package_core_thread)
{
    static const uint32_t ids[] = { 0x5B };
    const struct topology_bits bits = { .thread = 1, .package = 5 };

    list(ids, 1);
    topology_build(&acpi, 0x5B, bits, &t);
    CHECK_EQ(t.core[0].package, 2);
    CHECK_EQ(t.core[0].core, 13);
    CHECK_EQ(t.core[0].thread, 1);
}

TEST(topology, a_boot_core_that_is_not_listed_is_there_all_the_same)
{
    static const uint32_t ids[] = { 1, 2 };

    list(ids, 2);
    topology_build(&acpi, 9, (struct topology_bits) { 0, 2 }, &t);
    CHECK_EQ(t.count, 3);
    CHECK(!t.boot_is_listed);
    CHECK_EQ(t.core[0].apic_id, 9);
}

TEST(topology, without_a_list_the_boot_core_is_alone)
{
    list(NULL, 0);
    topology_build(&acpi, 3, (struct topology_bits) { 0, 0 }, &t);
    CHECK_EQ(t.count, 1);
    CHECK_EQ(t.core[0].package, 3);
}

/* 1024 ids in falling order with gaps: the lowest 256 get a number. */
TEST(topology, more_cores_than_numbers)
{
    memset(&acpi, 0, sizeof(acpi));
    acpi.cpu_count = ACPI_CPU_MAX;
    for (unsigned i = 0; i < ACPI_CPU_MAX; i++)
        acpi.apic_id[i] = 3 * (ACPI_CPU_MAX - i);
    topology_build(&acpi, 3000, (struct topology_bits) { 1, 12 }, &t);
    CHECK_EQ(t.count, LCORE_MAX);
    CHECK_EQ(t.left_out, ACPI_CPU_MAX - LCORE_MAX);
    CHECK_EQ(t.core[0].apic_id, 3000);
    for (unsigned i = 1; i < LCORE_MAX; i++)
        CHECK_EQ(t.core[i].apic_id, 3 * i);
}

TEST(topology, ids_in_rising_order_keep_the_lowest_too)
{
    memset(&acpi, 0, sizeof(acpi));
    acpi.cpu_count = ACPI_CPU_MAX;
    for (unsigned i = 0; i < ACPI_CPU_MAX; i++)
        acpi.apic_id[i] = 2 * i;
    topology_build(&acpi, 0, (struct topology_bits) { 1, 12 }, &t);
    CHECK_EQ(t.count, LCORE_MAX);
    CHECK_EQ(t.core[LCORE_MAX - 1].apic_id, 2 * (LCORE_MAX - 1));
    CHECK_EQ(t.left_out, ACPI_CPU_MAX - LCORE_MAX);
}

TEST(topology, the_node_comes_from_the_affinity_list)
{
    static const uint32_t ids[] = { 0, 1, 2 };

    list(ids, 3);
    acpi.affinity_count = 2;
    acpi.affinity[0] = (struct acpi_affinity) { .apic_id = 0, .node = 3 };
    acpi.affinity[1] = (struct acpi_affinity) { .apic_id = 2, .node = 7 };
    topology_build(&acpi, 0, (struct topology_bits) { 0, 2 }, &t);
    CHECK_EQ(t.core[0].node, 3);
    CHECK_EQ(t.core[1].node, 0);
    CHECK_EQ(t.core[2].node, 7);
}
