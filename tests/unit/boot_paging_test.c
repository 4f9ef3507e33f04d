/*
 * boot_paging_test.c - page tables, walked as the processor walks them
 *
 * The walk below is written from Intel's manual, volume 3, 4.5, and shares
 * nothing with the code under test.
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "boot/memmap.h"
#include "boot/paging.h"

#define TOP UINT64_C(0xffffffff80000000)
#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)

static struct boot_info info;
static struct boot_paging paging;

/* Text, rodata, data, a hole of one page, stack. Placed at 6 MiB + 4 KiB. */
static const struct boot_elf kernel = {
    .base = TOP,
    .bytes = 0x8000,
    .entry = TOP,
    .count = 4,
    .segment = {
        { .virt = TOP, .mem_bytes = 0x2000, .can_run = true },
        { .virt = TOP + 0x2000, .mem_bytes = 0xfff },
        { .virt = TOP + 0x3000, .mem_bytes = 0x2001, .can_write = true },
        { .virt = TOP + 0x7000, .mem_bytes = 0x1000, .can_write = true },
    },
};
#define KERNEL_PHYS (6 * MIB + 4 * KIB)

struct walked {
    bool is_mapped, can_write, can_run;
    uint64_t phys, page;
};

static struct walked walk(uint64_t virt)
{
    struct walked w = { .can_write = true, .can_run = true };
    const uint64_t *table = paging.pool;

    for (int shift = 12 + 9 * ((int)paging.levels - 1); shift >= 12;
         shift -= 9) {
        const uint64_t e = table[(virt >> shift) & 511];

        if ((e & 1) == 0)
            return (struct walked) { .is_mapped = false };
        w.can_write = w.can_write && (e & 2) != 0;
        w.can_run = w.can_run && (e >> 63) == 0;
        if (shift == 12 || (e & 0x80) != 0) {
            w.page = 1ull << shift;
            w.phys = (e & 0x000ffffffffff000 & ~(w.page - 1)) |
                     (virt & (w.page - 1));
            w.is_mapped = true;
            return w;
        }
        table = (const uint64_t *)(uintptr_t)(e & 0x000ffffffffff000);
    }
    return w;
}

static void memory(uint64_t base, uint64_t bytes, enum boot_mem_type type)
{
    CHECK_EQ(boot_mem_add(&info, base, bytes, type), OK);
}

static void start(unsigned levels, bool has_1g, unsigned room)
{
    memset(&info, 0, sizeof(info));
    free(paging.pool);
    paging = (struct boot_paging) {
        .pool = aligned_alloc(4096, room * 4096ull),
        .room = room,
        .levels = levels,
        .has_1g = has_1g,
    };
    memset(paging.pool, 0, room * 4096ull);
}

/* A machine of @bytes with the usual holes; tables with the promised room. */
static enum status build(unsigned levels, bool has_1g, uint64_t bytes)
{
    start(levels, has_1g, 1);
    memory(0, 640 * KIB, BOOT_MEM_USABLE);
    memory(MIB, 32 * MIB, BOOT_MEM_USABLE);
    memory(33 * MIB, 3 * MIB, BOOT_MEM_FIRMWARE);
    memory(36 * MIB, 20 * KIB, BOOT_MEM_ACPI);
    memory(36 * MIB + 20 * KIB, MIB, BOOT_MEM_RESERVED);
    memory(48 * MIB, 64 * KIB, BOOT_MEM_RUNTIME);
    memory(0xb0000000, 256 * MIB, BOOT_MEM_MMIO);
    memory(4 * GIB, bytes, BOOT_MEM_USABLE);
    memory(KERNEL_PHYS, kernel.bytes, BOOT_MEM_KERNEL);
    info.kernel_base = KERNEL_PHYS;
    info.kernel_bytes = kernel.bytes;
    info.rsdp = 36 * MIB + 64;
    info.smbios = 0xf0010;
    const unsigned room = boot_paging_bound(&info, &kernel, levels, has_1g);

    free(paging.pool);
    paging.pool = aligned_alloc(4096, room * 4096ull);
    memset(paging.pool, 0, room * 4096ull);
    paging.room = room;
    return boot_paging_build(&paging, &info, &kernel);
}

/* G1 */
TEST(boot_paging, kernel_segments_have_the_rights_they_ask_for)
{
    static const struct {
        uint64_t offset;
        bool is_mapped, can_write, can_run;
    } want[] = {
        { 0x0000, true, false, true },  { 0x1000, true, false, true },
        { 0x2000, true, false, false }, { 0x3000, true, true, false },
        { 0x5000, true, true, false },  { 0x6000, false, false, false },
        { 0x7000, true, true, false },  { 0x8000, false, false, false },
    };

    CHECK_EQ(build(4, true, GIB), OK);
    for (unsigned i = 0; i < ARRAY_SIZE(want); i++) {
        const struct walked w = walk(TOP + want[i].offset);

        CHECK_EQ(w.is_mapped, want[i].is_mapped);
        CHECK_EQ(w.can_write, want[i].can_write);
        CHECK_EQ(w.can_run, want[i].can_run);
        if (w.is_mapped)
            CHECK_EQ(w.phys, KERNEL_PHYS + want[i].offset);
    }
}

/* G2 and G3, for every page of the lower 64 MiB and beyond. */
TEST(boot_paging, memory_is_mapped_at_its_own_address_and_nothing_else_is)
{
    CHECK_EQ(build(4, true, GIB), OK);
    for (uint64_t at = 0; at < 64 * MIB; at += 4 * KIB) {
        const struct walked w = walk(at);
        const bool is_memory = (at >= 4 * KIB && at < 640 * KIB) ||
                               (at >= MIB && at < 36 * MIB + 20 * KIB) ||
                               (at >= 48 * MIB && at < 48 * MIB + 64 * KIB) ||
                               at == 0xf0000 ||
                               at == 0xf1000; /* SMBIOS, in reserved memory */

        CHECK_EQ(w.is_mapped, is_memory);
        if (!is_memory)
            continue;
        CHECK_EQ(w.phys, at);
        CHECK(!w.can_run);
    }
    CHECK(!walk(0xb0000000).is_mapped);
    CHECK(walk(4 * GIB).is_mapped);
    CHECK(!walk(5 * GIB).is_mapped);
}

/* G2: no way around the kernel's read-only pages. */
TEST(boot_paging, kernel_text_is_read_only_at_its_own_address_too)
{
    CHECK_EQ(build(4, true, GIB), OK);
    CHECK(walk(KERNEL_PHYS - 1).can_write);
    CHECK(!walk(KERNEL_PHYS).can_write);
    CHECK(!walk(KERNEL_PHYS + 0x2fff).can_write);
    CHECK(walk(KERNEL_PHYS + 0x3000).can_write);
}

TEST(boot_paging, large_memory_uses_the_largest_pages_there_are)
{
    CHECK_EQ(build(4, true, 64 * GIB), OK);
    CHECK_EQ(walk(40 * GIB).page, GIB);
    CHECK_EQ(build(4, false, 64 * GIB), OK);
    CHECK_EQ(walk(40 * GIB).page, 2 * MIB);
    CHECK_EQ(walk(40 * GIB + 123).phys, 40 * GIB + 123);
}

TEST(boot_paging, five_levels_map_the_same)
{
    CHECK_EQ(build(5, false, 8 * GIB), OK);
    CHECK(walk(TOP).can_run);
    CHECK_EQ(walk(TOP + 0x2000).phys, KERNEL_PHYS + 0x2000);
    CHECK_EQ(walk(11 * GIB).phys, 11 * GIB);
    CHECK(!walk(0).is_mapped);
}

/* Odd edges and sizes up to terabytes: the bound must hold for each. */
TEST(boot_paging, the_bound_is_never_too_small)
{
    static const uint64_t sizes[] = {
        4 * KIB,       2 * MIB,
        GIB - 4 * KIB, GIB,
        GIB + 4 * KIB, 511 * GIB,
        512 * GIB,     513 * GIB + 4 * KIB,
        1024 * GIB,    2048 * GIB + 2 * MIB,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        CHECK_EQ(build(4, true, sizes[i]), OK);
        CHECK_EQ(build(4, false, sizes[i]), OK);
        CHECK_EQ(build(5, true, sizes[i]), OK);
        CHECK(paging.used <= paging.room);
        CHECK(walk(4 * GIB + sizes[i] - 1).is_mapped);
        CHECK(!walk(4 * GIB + sizes[i]).is_mapped);
    }
}

/* One table per 512 GiB adds up where everything else fits one page each. */
TEST(boot_paging, the_bound_counts_what_very_much_memory_needs)
{
    CHECK_EQ(build(4, true, 64 * 1024 * GIB), OK);
    CHECK_EQ(walk(60 * 1024 * GIB).page, GIB);
}

TEST(boot_paging, scattered_memory_stays_within_the_bound)
{
    start(4, false, 1);
    for (unsigned i = 0; i < 500; i++)
        memory(i * 3 * GIB + 4 * KIB, GIB + 8 * KIB, BOOT_MEM_USABLE);
    const unsigned room = boot_paging_bound(&info, &kernel, 4, false);

    free(paging.pool);
    paging.pool = aligned_alloc(4096, room * 4096ull);
    memset(paging.pool, 0, room * 4096ull);
    paging.room = room;
    info.kernel_base = 4 * KIB;
    CHECK_EQ(boot_paging_build(&paging, &info, &kernel), OK);
}

TEST(boot_paging, an_empty_pool_is_told_and_not_overrun)
{
    start(4, true, 3);
    CHECK_EQ(boot_paging_map(&paging, 0x1000, 0x1000, 0x1000, BOOT_WRITE),
             E_NOMEM);
    CHECK_EQ(paging.used, 3);
}

TEST(boot_paging, nothing_is_mapped_twice)
{
    start(4, true, 8);
    CHECK_EQ(boot_paging_map(&paging, 2 * MIB, 2 * MIB, 2 * MIB, BOOT_WRITE),
             OK);
    CHECK_EQ(boot_paging_map(&paging, 2 * MIB, 2 * MIB, 2 * MIB, BOOT_READ),
             E_EXIST);
    CHECK_EQ(boot_paging_map(&paging, 3 * MIB, 3 * MIB, 4 * KIB, BOOT_READ),
             E_EXIST);
    CHECK(walk(3 * MIB).can_write);
}
