/*
 * boot_elf_test.c - images that the loader takes, and those it must refuse
 *
 * Offsets after the System V ABI: Elf64_Ehdr is 64 bytes, Elf64_Phdr 56.
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include <millrace/endian.h>

#include "boot/elf.h"

#define TOP UINT64_C(0xffffffff80000000)

#define PHDR(n) (64 + 56 * (n))

static uint8_t file[0x3000];
static struct boot_elf elf;
static const char *why;

static void segment(unsigned n, uint32_t flags, uint64_t offset, uint64_t virt,
                    uint64_t file_bytes, uint64_t mem_bytes)
{
    uint8_t *p = file + PHDR(n);

    put_le32(p, 1); /* PT_LOAD */
    put_le32(p + 4, flags);
    put_le64(p + 8, offset);
    put_le64(p + 16, virt);
    put_le64(p + 24, virt);
    put_le64(p + 32, file_bytes);
    put_le64(p + 40, mem_bytes);
    put_le64(p + 48, 4096);
}

/* Text, read-only data, data with bss: as linker.ld makes them. */
static void good_file(void)
{
    memset(file, 0, sizeof(file));
    memcpy(file,
           "\x7f"
           "ELF\x02\x01\x01",
           7);
    put_le16(file + 16, 2);  /* ET_EXEC */
    put_le16(file + 18, 62); /* EM_X86_64 */
    put_le64(file + 24, TOP + 0x10);
    put_le64(file + 32, 64); /* e_phoff */
    put_le16(file + 54, 56);
    put_le16(file + 56, 3);
    segment(0, 5, 0x1000, TOP, 0x1000, 0x1000);
    segment(1, 4, 0x2000, TOP + 0x1000, 0x800, 0x800);
    segment(2, 6, 0x2800, TOP + 0x3000, 0x100, 0x2100);
    memset(file + 0x1000, 'T', 0x1000);
    memset(file + 0x2000, 'R', 0x800);
    memset(file + 0x2800, 'D', 0x100);
}

static enum status check(size_t bytes)
{
    return boot_elf_check(file, bytes, &elf, &why);
}

#define REFUSED(part)                                                          \
    do {                                                                       \
        CHECK_EQ(check(sizeof(file)), E_CORRUPT);                              \
        CHECK_CONTAINS(why, part);                                             \
    } while (0)

TEST(boot_elf, a_good_image_is_measured)
{
    good_file();
    CHECK_EQ(check(sizeof(file)), OK);
    CHECK_EQ(elf.count, 3);
    CHECK_EQ(elf.base, TOP);
    CHECK_EQ(elf.bytes, 0x6000); /* 0x3000 + 0x2100, to whole pages */
    CHECK_EQ(elf.entry, TOP + 0x10);
    CHECK(elf.segment[0].can_run && !elf.segment[0].can_write);
    CHECK(!elf.segment[1].can_run && !elf.segment[1].can_write);
    CHECK(!elf.segment[2].can_run && elf.segment[2].can_write);
}

TEST(boot_elf, segments_are_placed_and_the_rest_is_zero)
{
    uint8_t *to = malloc(0x6000);

    good_file();
    memset(to, 0xff, 0x6000);
    CHECK_EQ(check(sizeof(file)), OK);
    boot_elf_place(file, &elf, to);
    for (unsigned i = 0; i < 0x6000; i++) {
        const uint8_t want = i < 0x1000                  ? 'T'
                             : i < 0x1800                ? 'R'
                             : i >= 0x3000 && i < 0x3100 ? 'D'
                                                         : 0;

        CHECK_EQ(to[i], want);
    }
    free(to);
}

TEST(boot_elf, other_program_headers_are_passed_over)
{
    good_file();
    put_le16(file + 56, 4);
    segment(3, 6, UINT64_MAX, 0, UINT64_MAX, 0);
    put_le32(file + PHDR(3), 0x6474e551); /* PT_GNU_STACK */
    CHECK_EQ(check(sizeof(file)), OK);
    CHECK_EQ(elf.count, 3);
}

TEST(boot_elf, other_kinds_of_file_are_refused)
{
    good_file();
    file[4] = 1; /* 32-bit */
    REFUSED("not a 64-bit");
    good_file();
    file[0] = 'M';
    REFUSED("not a 64-bit");
    good_file();
    put_le16(file + 18, 183); /* AArch64 */
    REFUSED("not for x86-64");
    good_file();
    put_le16(file + 16, 3); /* ET_DYN */
    REFUSED("not a static");
    good_file();
    put_le16(file + 54, 32);
    REFUSED("unknown size");
    good_file();
    put_le16(file + 56, 0);
    REFUSED("nothing to load");
}

/* K1: a file cut anywhere is refused or still whole, and never overread. */
TEST(boot_elf, a_file_cut_anywhere_is_refused)
{
    good_file();
    for (size_t bytes = 0; bytes < 0x2900; bytes += bytes < 300 ? 1 : 61) {
        uint8_t *cut = malloc(bytes + 1);

        memcpy(cut, file, bytes);
        CHECK_EQ(boot_elf_check(cut, bytes, &elf, &why), E_CORRUPT);
        free(cut);
    }
    CHECK_EQ(check(0x2900), OK);
}

TEST(boot_elf, headers_that_point_outside_are_refused)
{
    good_file();
    put_le64(file + 32, UINT64_MAX - 8);
    REFUSED("program headers outside");
    good_file();
    put_le16(file + 56, UINT16_MAX);
    REFUSED("program headers outside");
    good_file();
    put_le64(file + PHDR(1) + 8, UINT64_MAX - 0x100);
    REFUSED("segment outside");
    good_file();
    put_le64(file + PHDR(1) + 32, UINT64_MAX);
    REFUSED("segment outside");
}

/* K2 */
TEST(boot_elf, segments_that_share_a_page_or_descend_are_refused)
{
    good_file();
    put_le64(file + PHDR(1) + 16, TOP);
    REFUSED("out of order");
    good_file();
    put_le64(file + PHDR(0) + 40, 0x1001);
    REFUSED("out of order");
    good_file();
    put_le64(file + PHDR(0) + 16, TOP - 0x1000);
    REFUSED("out of order");
    good_file();
    put_le64(file + PHDR(1) + 16, TOP + 0x1800);
    REFUSED("start on a page");
}

TEST(boot_elf, a_segment_both_writable_and_executable_is_refused)
{
    good_file();
    put_le32(file + PHDR(2) + 4, 7);
    REFUSED("both writable and executable");
}

TEST(boot_elf, impossible_sizes_are_refused)
{
    good_file();
    put_le64(file + PHDR(2) + 40, 0x80);
    REFUSED("impossible size");
    good_file();
    put_le64(file + PHDR(2) + 40, UINT64_MAX);
    REFUSED("impossible size");
    good_file();
    put_le64(file + PHDR(2) + 40, 0);
    put_le64(file + PHDR(2) + 32, 0);
    REFUSED("impossible size");
    good_file();
    put_le64(file + PHDR(2) + 16, UINT64_MAX - 0xfff);
    put_le64(file + PHDR(2) + 40, 0x1000);
    REFUSED("beyond the end");
    good_file();
    put_le64(file + PHDR(2) + 16, TOP + (65u << 20));
    REFUSED("too large");
}

/* K3 */
TEST(boot_elf, an_entry_point_that_cannot_run_is_refused)
{
    good_file();
    put_le64(file + 24, TOP + 0x1000);
    REFUSED("entry point");
    good_file();
    put_le64(file + 24, TOP - 1);
    REFUSED("entry point");
    good_file();
    put_le64(file + 24, 0);
    REFUSED("entry point");
}

TEST(boot_elf, more_segments_than_there_is_room_for_are_refused)
{
    good_file();
    put_le16(file + 56, BOOT_ELF_SEGMENTS + 1);
    for (unsigned i = 0; i <= BOOT_ELF_SEGMENTS; i++)
        segment(i, i == 0 ? 5 : 4, 0x2000, TOP + 0x1000 * i, 0x100, 0x100);
    REFUSED("more segments");
    put_le16(file + 56, BOOT_ELF_SEGMENTS);
    CHECK_EQ(check(sizeof(file)), OK);
}
