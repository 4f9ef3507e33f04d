/*
 * topology.c - which cores there are, and what they share
 */
#include "kernel/topology.h"

#include <string.h>

#define LEAF_BASIC      1
#define LEAF_CACHE      4
#define LEAF_TOPOLOGY   0x0B
#define LEAF_TOPOLOGY_2 0x1F
#define LEAF_EXTENDED   0x80000000
#define LEAF_FEATURES   0x80000001
#define LEAF_SIZES      0x80000008
#define LEAF_AMD_CORE   0x8000001E

#define EDX_HTT          (1u << 28)
#define ECX_AMD_TOPOLOGY (1u << 22)
#define LEVEL_END        0
#define LEVEL_THREAD     1
#define LEVELS_MAX       8

static unsigned bits_for(uint32_t n)
{
    unsigned bits = 0;

    while (bits < 31 && (UINT32_C(1) << bits) < n)
        bits++;
    return bits;
}

static bool has_leaf(topology_cpuid *cpuid, uint32_t leaf)
{
    return cpuid(leaf & LEAF_EXTENDED, 0).eax >= leaf;
}

/* A leaf of levels: each says how far to shift to get to the next. */
static bool from_levels(topology_cpuid *cpuid, uint32_t leaf,
                        struct topology_bits *out)
{
    struct topology_bits b = { 0, 0 };

    if (!has_leaf(cpuid, leaf) || cpuid(leaf, 0).ebx == 0)
        return false;
    for (uint32_t i = 0; i < LEVELS_MAX; i++) {
        const struct topology_regs r = cpuid(leaf, i);
        const unsigned level = r.ecx >> 8 & 0xFF, shift = r.eax & 0x1F;

        if (level == LEVEL_END)
            break;
        if (level == LEVEL_THREAD)
            b.thread = shift;
        if (shift < b.package)
            return false; /* levels do not shrink: not to be believed */
        b.package = shift;
    }
    if (b.thread > b.package)
        return false;
    *out = b;
    return true;
}

static bool from_amd(topology_cpuid *cpuid, struct topology_bits *out)
{
    struct topology_bits b = { 0, 0 };

    if (!has_leaf(cpuid, LEAF_SIZES))
        return false;
    const uint32_t sizes = cpuid(LEAF_SIZES, 0).ecx;

    b.package = sizes >> 12 & 0xF;
    if (b.package == 0)
        b.package = bits_for((sizes & 0xFF) + 1);
    if (b.package == 0)
        return false; /* Intel's is 0, and so is that of a single core */
    if (has_leaf(cpuid, LEAF_AMD_CORE) &&
        (cpuid(LEAF_FEATURES, 0).ecx & ECX_AMD_TOPOLOGY))
        b.thread = bits_for((cpuid(LEAF_AMD_CORE, 0).ebx >> 8 & 0xFF) + 1);
    if (b.thread > b.package)
        b.thread = b.package;
    *out = b;
    return true;
}

static struct topology_bits from_old_leaves(topology_cpuid *cpuid)
{
    const struct topology_regs basic = cpuid(LEAF_BASIC, 0);
    struct topology_bits b = { 0, 0 };
    unsigned cores = 0;

    if (basic.edx & EDX_HTT)
        b.package = bits_for(basic.ebx >> 16 & 0xFF);
    if (has_leaf(cpuid, LEAF_CACHE))
        cores = bits_for((cpuid(LEAF_CACHE, 0).eax >> 26) + 1);
    b.thread = b.package > cores ? b.package - cores : 0;
    return b;
}

struct topology_bits topology_bits_get(topology_cpuid *cpuid)
{
    struct topology_bits b;

    if (from_levels(cpuid, LEAF_TOPOLOGY_2, &b) ||
        from_levels(cpuid, LEAF_TOPOLOGY, &b) || from_amd(cpuid, &b))
        return b;
    return from_old_leaves(cpuid);
}

uint32_t topology_own_id(topology_cpuid *cpuid)
{
    if (has_leaf(cpuid, LEAF_TOPOLOGY)) {
        const struct topology_regs r = cpuid(LEAF_TOPOLOGY, 0);

        if (r.ebx != 0)
            return r.edx;
    }
    return cpuid(LEAF_BASIC, 0).ebx >> 24;
}

/* ---- numbering ---- */

static struct core_info describe(const struct acpi *acpi, uint32_t id,
                                 struct topology_bits bits)
{
    const uint32_t threads = UINT32_C(1) << bits.thread;
    const uint32_t in_package =
        bits.package == 0 ? 0 : id & (UINT32_MAX >> (32 - bits.package));

    return (struct core_info) {
        .apic_id = id,
        .package = id >> bits.package,
        .core = in_package >> bits.thread,
        .thread = id & (threads - 1),
        .node = acpi_node_of(acpi, id),
    };
}

/* Keep cores 1 .. count - 1 in order of their ids. */
static void insert(struct topology *t, const struct core_info *info)
{
    unsigned at = t->count;

    while (at > 1 && t->core[at - 1].apic_id > info->apic_id)
        at--;
    if (t->count == LCORE_MAX) {
        t->left_out++;
        if (at == LCORE_MAX)
            return;
        t->count--; /* the largest id makes room */
    }
    memmove(&t->core[at + 1], &t->core[at],
            (t->count - at) * sizeof(t->core[0]));
    t->core[at] = *info;
    t->count++;
}

void topology_build(const struct acpi *acpi, uint32_t boot_id,
                    struct topology_bits bits, struct topology *out)
{
    memset(out, 0, sizeof(*out));
    out->core[0] = describe(acpi, boot_id, bits);
    out->count = 1;
    for (unsigned i = 0; i < acpi->cpu_count; i++) {
        const struct core_info info = describe(acpi, acpi->apic_id[i], bits);

        if (info.apic_id == boot_id)
            out->boot_is_listed = true;
        else
            insert(out, &info);
    }
}
