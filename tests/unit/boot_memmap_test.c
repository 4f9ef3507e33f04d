/*
 * boot_memmap_test.c - firmware's memory maps, orderly and otherwise
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include <millrace/endian.h>

#include "boot/memmap.h"

static struct boot_info info;

/* One descriptor of 40 bytes at @at: UEFI 2.10, 7.2.3. */
static void descriptor(uint8_t *at, uint32_t type, uint64_t base,
                       uint64_t pages, uint64_t attribute)
{
    put_le32(at, type);
    put_le32(at + 4, 0xdeadbeef); /* padding: firmware leaves rubbish here */
    put_le64(at + 8, base);
    put_le64(at + 16, 0);
    put_le64(at + 24, pages);
    put_le64(at + 32, attribute);
}

static void check_range(unsigned i, uint64_t base, uint64_t bytes,
                        uint32_t type)
{
    CHECK(i < info.mem_count);
    CHECK_EQ(info.mem[i].base, base);
    CHECK_EQ(info.mem[i].bytes, bytes);
    CHECK_EQ(info.mem[i].type, type);
}

static void check_order(void)
{
    for (unsigned i = 0; i < info.mem_count; i++) {
        CHECK(info.mem[i].bytes > 0);
        if (i == 0)
            continue;
        const struct boot_mem *below = &info.mem[i - 1];

        CHECK(below->base + below->bytes <= info.mem[i].base);
        CHECK(below->base + below->bytes < info.mem[i].base ||
              below->type != info.mem[i].type);
    }
}

static void start(void)
{
    memset(&info, 0, sizeof(info));
}

TEST(boot_memmap, ranges_come_out_sorted_and_joined)
{
    start();
    CHECK_EQ(boot_mem_add(&info, 0x5000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(boot_mem_add(&info, 0x1000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(boot_mem_add(&info, 0x3000, 0x1000, BOOT_MEM_ACPI), OK);
    CHECK_EQ(boot_mem_add(&info, 0x2000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(info.mem_count, 3);
    check_range(0, 0x1000, 0x2000, BOOT_MEM_USABLE);
    check_range(1, 0x3000, 0x1000, BOOT_MEM_ACPI);
    check_range(2, 0x5000, 0x1000, BOOT_MEM_USABLE);
}

TEST(boot_memmap, ranges_that_touch_but_differ_stay_apart)
{
    start();
    CHECK_EQ(boot_mem_add(&info, 0x1000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(boot_mem_add(&info, 0x2000, 0x1000, BOOT_MEM_RUNTIME), OK);
    CHECK_EQ(info.mem_count, 2);
}

/* P3, in both orders of entry. */
TEST(boot_memmap, an_overlap_has_the_more_cautious_type)
{
    for (unsigned turn = 0; turn < 2; turn++) {
        start();
        for (unsigned i = 0; i < 2; i++) {
            if (i == turn)
                CHECK_EQ(boot_mem_add(&info, 0x1000, 0x9000, BOOT_MEM_USABLE),
                         OK);
            else
                CHECK_EQ(boot_mem_add(&info, 0x4000, 0x2000, BOOT_MEM_RESERVED),
                         OK);
        }
        CHECK_EQ(info.mem_count, 3);
        check_range(0, 0x1000, 0x3000, BOOT_MEM_USABLE);
        check_range(1, 0x4000, 0x2000, BOOT_MEM_RESERVED);
        check_range(2, 0x6000, 0x4000, BOOT_MEM_USABLE);
    }
}

TEST(boot_memmap, one_range_may_cover_several_and_the_gaps_between)
{
    start();
    CHECK_EQ(boot_mem_add(&info, 0x2000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(boot_mem_add(&info, 0x5000, 0x1000, BOOT_MEM_MMIO), OK);
    CHECK_EQ(boot_mem_add(&info, 0x8000, 0x1000, BOOT_MEM_USABLE), OK);
    CHECK_EQ(boot_mem_add(&info, 0x1000, 0x7800, BOOT_MEM_KERNEL), OK);
    CHECK_EQ(info.mem_count, 4);
    check_range(0, 0x1000, 0x4000, BOOT_MEM_KERNEL);
    check_range(1, 0x5000, 0x1000, BOOT_MEM_MMIO);
    check_range(2, 0x6000, 0x2800, BOOT_MEM_KERNEL);
    check_range(3, 0x8800, 0x0800, BOOT_MEM_USABLE);
}

TEST(boot_memmap, the_end_of_the_address_space_is_a_border)
{
    start();
    CHECK_EQ(boot_mem_add(&info, UINT64_MAX - 0xfff, 0xfff, BOOT_MEM_MMIO), OK);
    CHECK_EQ(boot_mem_add(&info, UINT64_MAX - 0xfff, 0x1000, BOOT_MEM_MMIO),
             E_RANGE);
    CHECK_EQ(boot_mem_add(&info, 0x1000, 0, BOOT_MEM_MMIO), E_RANGE);
    CHECK_EQ(info.mem_count, 1);
}

TEST(boot_memmap, a_full_table_is_told)
{
    start();
    for (unsigned i = 0; i < BOOT_MEM_MAX; i++)
        CHECK_EQ(boot_mem_add(&info, 0x2000ull * i, 0x1000, BOOT_MEM_ACPI), OK);
    CHECK_EQ(boot_mem_add(&info, 0x10000000, 0x1000, BOOT_MEM_ACPI),
             E_OVERFLOW);
    /* What a split would need is missing as well. */
    CHECK_EQ(boot_mem_add(&info, 0x2400, 0x100, BOOT_MEM_MMIO), E_OVERFLOW);
    CHECK_EQ(info.mem_count, BOOT_MEM_MAX);
    /* Filling a gap makes room instead. */
    CHECK_EQ(boot_mem_add(&info, 0x1000, 0x1000, BOOT_MEM_ACPI), E_OVERFLOW);
    check_order();
}

/* Types: UEFI 2.10, tables 7.6 and 7.10. */
TEST(boot_memmap, each_firmware_type_has_its_meaning)
{
    static const uint32_t want[] = {
        BOOT_MEM_RESERVED, BOOT_MEM_FIRMWARE, BOOT_MEM_FIRMWARE,
        BOOT_MEM_FIRMWARE, BOOT_MEM_FIRMWARE, BOOT_MEM_RUNTIME,
        BOOT_MEM_RUNTIME,  BOOT_MEM_USABLE,   BOOT_MEM_RESERVED,
        BOOT_MEM_ACPI,     BOOT_MEM_ACPI,     BOOT_MEM_MMIO,
        BOOT_MEM_MMIO,     BOOT_MEM_RESERVED, BOOT_MEM_RESERVED,
        BOOT_MEM_RESERVED, BOOT_MEM_RESERVED,
    };
    uint8_t raw[ARRAY_SIZE(want)][40];
    unsigned bad;

    for (uint32_t i = 0; i < ARRAY_SIZE(want); i++)
        descriptor(raw[i], i, 0x10000ull * (i + 1), 1, 0xf);
    start();
    CHECK_EQ(boot_mem_convert(&info, raw, sizeof(raw), 40, &bad), OK);
    CHECK_EQ(bad, 0);
    CHECK_EQ(info.mem_count, ARRAY_SIZE(want));
    for (unsigned i = 0; i < ARRAY_SIZE(want); i++)
        check_range(i, 0x10000ull * (i + 1), 0x1000, want[i]);
}

TEST(boot_memmap, special_purpose_memory_is_left_alone)
{
    uint8_t raw[40];
    unsigned bad;

    descriptor(raw, 7, 0x100000, 16, 0xf | 1ull << 18);
    start();
    CHECK_EQ(boot_mem_convert(&info, raw, sizeof(raw), 40, &bad), OK);
    check_range(0, 0x100000, 0x10000, BOOT_MEM_RESERVED);
}

/* The stride is what GetMemoryMap says: 48 on EDK2, more on others. */
TEST(boot_memmap, descriptors_are_walked_with_the_stated_stride)
{
    static const size_t strides[] = { 40, 48, 56, 64, 104 };

    for (unsigned s = 0; s < ARRAY_SIZE(strides); s++) {
        /* Exactly as long as stated, so that ASan sees a step beyond. */
        const size_t bytes = 3 * strides[s];
        uint8_t *raw = malloc(bytes);
        unsigned bad;

        memset(raw, 0xa5, bytes);
        descriptor(raw, 7, 0x1000, 1, 0);
        descriptor(raw + strides[s], 9, 0x2000, 2, 0);
        descriptor(raw + 2 * strides[s], 7, 0x4000, 1, 0);
        start();
        CHECK_EQ(boot_mem_convert(&info, raw, bytes, strides[s], &bad), OK);
        free(raw);
        CHECK_EQ(info.mem_count, 3);
        check_range(1, 0x2000, 0x2000, BOOT_MEM_ACPI);
    }
}

TEST(boot_memmap, a_stride_too_small_for_a_descriptor_is_refused)
{
    uint8_t raw[40] = { 0 };
    unsigned bad;

    CHECK_EQ(boot_mem_convert(&info, raw, sizeof(raw), 39, &bad), E_CORRUPT);
    CHECK_EQ(boot_mem_convert(&info, raw, sizeof(raw), 0, &bad), E_CORRUPT);
}

TEST(boot_memmap, impossible_descriptors_are_left_out_and_counted)
{
    uint8_t raw[4][40];
    unsigned bad;

    descriptor(raw[0], 7, 0x1000, 0, 0);
    descriptor(raw[1], 7, 0x1000, UINT64_MAX, 0);
    descriptor(raw[2], 7, UINT64_MAX - 0xfff, 2, 0);
    descriptor(raw[3], 7, 0x8000, 1, 0);
    start();
    CHECK_EQ(boot_mem_convert(&info, raw, sizeof(raw), 40, &bad), OK);
    CHECK_EQ(bad, 3);
    CHECK_EQ(info.mem_count, 1);
    check_range(0, 0x8000, 0x1000, BOOT_MEM_USABLE);
}

TEST(boot_memmap, a_map_of_many_alternating_types_overflows_with_a_status)
{
    const unsigned n = BOOT_MEM_MAX + 1;
    uint8_t *raw = malloc(n * 48);
    unsigned bad;

    memset(raw, 0, n * 48);
    for (unsigned i = 0; i < n; i++)
        descriptor(raw + i * 48, i % 2 == 0 ? 7 : 9, 0x1000ull * i, 1, 0);
    start();
    CHECK_EQ(boot_mem_convert(&info, raw, n * 48, 48, &bad), E_OVERFLOW);
    start();
    CHECK_EQ(boot_mem_convert(&info, raw, (n - 1) * 48, 48, &bad), OK);
    CHECK_EQ(info.mem_count, BOOT_MEM_MAX);
    free(raw);
}

/* Paint at random; a byte map, coloured the slow way, says what is right. */
TEST(boot_memmap, any_order_of_any_ranges_matches_a_byte_map)
{
    enum { SPAN = 200 };
    uint32_t seed = 1;

    for (unsigned round = 0; round < 300; round++) {
        uint8_t map[SPAN] = { 0 };

        start();
        for (unsigned i = 0; i < 12; i++) {
            seed = seed * 1664525 + 1013904223;
            const unsigned base = (seed >> 8) % SPAN;
            const unsigned bytes = 1 + (seed >> 16) % (SPAN - base);
            const unsigned type = (seed >> 28) % (BOOT_MEM_RESERVED + 1);

            CHECK_EQ(boot_mem_add(&info, base, bytes, type), OK);
            for (unsigned b = base; b < base + bytes; b++) {
                if (map[b] < type + 1)
                    map[b] = (uint8_t)(type + 1);
            }
        }
        check_order();
        for (unsigned i = 0; i < info.mem_count; i++) {
            for (unsigned b = 0; b < info.mem[i].bytes; b++) {
                CHECK_EQ(map[info.mem[i].base + b], info.mem[i].type + 1);
                map[info.mem[i].base + b] = 0;
            }
        }
        for (unsigned b = 0; b < SPAN; b++)
            CHECK_EQ(map[b], 0);
    }
}
