/*
 * ram_test.c - which of the loader's memory map the appliance may use
 */
#include "tests/unit/test.h"

#include "kernel/ram.h"

static struct boot_info info;

static void memory(uint64_t base, uint64_t bytes, enum boot_mem_type type)
{
    info.mem[info.mem_count++] =
        (struct boot_mem) { .base = base, .bytes = bytes, .type = type };
}

TEST(ram, only_usable_memory_above_one_megabyte_is_taken)
{
    struct mm_range out[8];

    memset(&info, 0, sizeof(info));
    memory(0, 0xa0000, BOOT_MEM_USABLE);
    memory(0x100000, 0x700000, BOOT_MEM_USABLE);
    memory(0x800000, 0x8000, BOOT_MEM_ACPI);
    memory(0x808000, 0x1000, BOOT_MEM_FIRMWARE);
    memory(0x809000, 0x1000, BOOT_MEM_KERNEL);
    memory(0x80a000, 0x1000, BOOT_MEM_RUNTIME);
    memory(0x80b000, 0x1000, BOOT_MEM_MMIO);
    memory(0x80c000, 0x1000, BOOT_MEM_RESERVED);
    memory(0x80d000, 0x3000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_usable(&info, out, 8), 2);
    CHECK_EQ(out[0].base, 0x100000);
    CHECK_EQ(out[0].bytes, 0x700000);
    CHECK_EQ(out[1].base, 0x80d000);
    CHECK_EQ(out[1].bytes, 0x3000);
    CHECK_EQ(ram_bytes(&info, BOOT_MEM_USABLE), 0xa0000 + 0x703000);
    CHECK_EQ(ram_bytes(&info, BOOT_MEM_RESERVED), 0x1000);
}

TEST(ram, a_range_across_one_megabyte_is_cut_there)
{
    struct mm_range out[1];

    memset(&info, 0, sizeof(info));
    memory(0x1000, 0x1ff000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_usable(&info, out, 1), 1);
    CHECK_EQ(out[0].base, 0x100000);
    CHECK_EQ(out[0].bytes, 0x100000);
}

TEST(ram, parts_of_pages_are_left_out)
{
    struct mm_range out[4];

    memset(&info, 0, sizeof(info));
    memory(0x200001, 0x2fff, BOOT_MEM_USABLE);
    memory(0x300800, 0x1000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_usable(&info, out, 4), 1);
    CHECK_EQ(out[0].base, 0x201000);
    CHECK_EQ(out[0].bytes, 0x2000);
}

TEST(ram, no_more_than_there_is_room_for)
{
    struct mm_range out[2];

    memset(&info, 0, sizeof(info));
    for (unsigned i = 1; i < 5; i++)
        memory(i << 24, 0x1000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_usable(&info, out, 2), 2);
    CHECK_EQ(out[1].base, 2 << 24);
}

TEST(ram, low_memory_is_whole_free_pages_but_the_first)
{
    memset(&info, 0, sizeof(info));
    memory(0, 0x6000, BOOT_MEM_USABLE);
    memory(0x6000, 0x10000, BOOT_MEM_FIRMWARE);
    memory(0x16800, 0x5000, BOOT_MEM_USABLE); /* four whole pages */
    memory(0x80000, 0x20000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_low(&info, 0x5000), 0x1000);
    CHECK_EQ(ram_low(&info, 0x6000), 0x80000);
    info.mem[0].bytes = 0x5000;
    CHECK_EQ(ram_low(&info, 0x5000), 0x80000);
    info.mem[3].type = BOOT_MEM_RUNTIME;
    CHECK_EQ(ram_low(&info, 0x5000), 0);
    CHECK_EQ(ram_low(&info, 0x4000), 0x1000);
}

TEST(ram, low_memory_ends_at_one_megabyte)
{
    memset(&info, 0, sizeof(info));
    memory(0xFC000, 0x100000, BOOT_MEM_USABLE);
    CHECK_EQ(ram_low(&info, 0x4000), 0xFC000);
    CHECK_EQ(ram_low(&info, 0x5000), 0);
}
