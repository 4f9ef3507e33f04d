/*
 * paging_build_test.c - the kernel's own tables, and the walk that judges them
 */
#include "tests/unit/paging_rig.h"

#define IMAGE_PHYS MIB(32)
#define IMAGE_VIRT UINT64_C(0xffffffff80000000)

static struct paging_image image_of(void)
{
    return (struct paging_image) {
        .text = { IMAGE_VIRT, IMAGE_PHYS, KIB(256), 0 },
        .rodata = { IMAGE_VIRT + KIB(256), IMAGE_PHYS + KIB(256), KIB(64), 0 },
        .data = { IMAGE_VIRT + KIB(320), IMAGE_PHYS + KIB(320), KIB(512), 0 },
    };
}

static const struct mm_range machine[] = {
    { 0, KIB(636) },
    { MIB(1), GIB(2) - MIB(1) },
    { GIB(4), GIB(60) },
};

TEST(paging_build, build_gives_sections_and_ram_their_rights)
{
    const struct paging_image image = image_of();
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), OK);
    check_page(&pg, IMAGE_VIRT, IMAGE_PHYS, KIB(4), PAGING_EXEC);
    check_page(&pg, IMAGE_VIRT + KIB(256), IMAGE_PHYS + KIB(256), KIB(4), 0);
    check_page(&pg, IMAGE_VIRT + KIB(320), IMAGE_PHYS + KIB(320), KIB(4),
               PAGING_WRITE);
    /* RAM shows text and rodata too, but read-only */
    check_page(&pg, IMAGE_PHYS, IMAGE_PHYS, KIB(4), 0);
    check_page(&pg, IMAGE_PHYS + KIB(320) - 1, IMAGE_PHYS + KIB(320) - 1,
               KIB(4), 0);
    check_page(&pg, IMAGE_PHYS + KIB(320), IMAGE_PHYS + KIB(320), KIB(4),
               PAGING_WRITE);
    check_page(&pg, IMAGE_PHYS - 1, IMAGE_PHYS - 1, MIB(2), PAGING_WRITE);
    check_page(&pg, GIB(4), GIB(4), GIB(1), PAGING_WRITE);
    CHECK(!is_mapped(&pg, 0));
    CHECK(is_mapped(&pg, 4096));
    CHECK(!is_mapped(&pg, KIB(636)));
    CHECK(!is_mapped(&pg, GIB(2)));
}

TEST(paging_build, ram_behind_the_address_width_is_refused)
{
    const struct paging_image image = image_of();
    const struct mm_range far = { TIB(127), TIB(2) };
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_build(&pg, &image, &far, 1), E_RANGE);
}

TEST(paging_build, wx_check_finds_code_outside_text)
{
    const struct paging_image image = image_of();
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    CHECK_EQ(map(&pg, GIB(300), GIB(3), 4096, PAGING_EXEC), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);
    CHECK_CONTAINS(host_console_text(),
                   "0x4b00000000 is executable, but not kernel text");
}

TEST(paging_build, wx_check_finds_writable_aliases)
{
    const struct paging_image image = image_of();
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    CHECK_EQ(map(&pg, GIB(300), IMAGE_PHYS + KIB(8), 4096, PAGING_WRITE), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);
    CHECK_CONTAINS(host_console_text(), "writable, but shows kernel text");

    pg = tables(4, true);
    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    CHECK_EQ(map(&pg, GIB(300), IMAGE_PHYS, MIB(2), PAGING_WRITE), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);

    pg = tables(4, true);
    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    CHECK_EQ(map(&pg, GIB(300), IMAGE_PHYS + KIB(316), 4096, PAGING_WRITE), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);
    CHECK_CONTAINS(host_console_text(), "writable, but shows kernel rodata");
}

/* Entries that our own calls refuse to make, as a stray write would. */
TEST(paging_build, wx_check_finds_what_was_bent_by_hand)
{
    const struct paging_image image = image_of();
    struct paging pg = tables(4, true);
    uint64_t *top = NULL;

    CHECK_EQ(paging_build(&pg, &image, machine, 3), OK);
    top = (uint64_t *)(uintptr_t)(pg.root[0] & 0x000ffffffffff000);
    CHECK_EQ(top[10] & 0x80, 0x80); /* GiB 10, a 1 GiB page */
    top[10] &= ~(UINT64_C(1) << 63);
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);
    CHECK_CONTAINS(host_console_text(),
                   "0x280000000 is writable and executable");

    top[10] |= UINT64_C(1) << 63 | 4; /* user */
    pg.root[0] |= 4;
    CHECK_EQ(paging_check_wx(&pg, &image), E_CORRUPT);
    CHECK_CONTAINS(host_console_text(), "0x280000000 is open to user mode");
}

TEST(paging_build, two_tib_of_ram_take_few_tables)
{
    const struct paging_image image = image_of();
    const struct mm_range ram[] = { { MIB(1), GIB(2) - MIB(1) },
                                    { GIB(4), TIB(2) } };
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_build(&pg, &image, ram, 2), OK);
    CHECK_EQ(paging_check_wx(&pg, &image), OK);
    CHECK(pg.tables < 20);
    check_page(&pg, TIB(2), TIB(2), GIB(1), PAGING_WRITE);
}
