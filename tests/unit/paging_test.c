/*
 * paging_test.c - page tables against the words of the SDM
 *
 * Bits of an entry (SDM volume 3A, tables 4-15 to 4-20): 0 present, 1 write,
 * 3 PWT, 4 PCD, 7 page size, 63 execute disable.
 */
#include "tests/unit/paging_rig.h"

/* The raw entry that translates @virt, found as the processor would. */
static uint64_t raw_entry(const struct paging *pg, uint64_t virt)
{
    const uint64_t *table = pg->root;

    for (unsigned shift = 12 + 9 * (pg->config.levels - 1);; shift -= 9) {
        const uint64_t entry = table[(virt >> shift) & 511];

        if ((entry & 1) == 0 || shift == 12 || (entry & 0x80) != 0)
            return entry;
        table = (const uint64_t *)(uintptr_t)(entry & 0x000ffffffffff000);
    }
}

TEST(paging, empty_tables_map_nothing)
{
    const struct paging pg = tables(4, true);

    CHECK(!is_mapped(&pg, 0));
    CHECK(!is_mapped(&pg, 0x1000));
    CHECK(!is_mapped(&pg, UINT64_MAX));
    CHECK(!is_mapped(&pg, UINT64_C(0x0000900000000000))); /* the hole */
}

TEST(paging, entry_bits_are_those_of_the_manual)
{
    struct paging pg = tables(4, false);

    CHECK_EQ(map(&pg, 0x1000, 0x5000, 0x1000, PAGING_WRITE), OK);
    CHECK_EQ(map(&pg, 0x2000, 0x6000, 0x1000, PAGING_EXEC), OK);
    CHECK_EQ(map(&pg, 0x3000, 0x7000, 0x1000, 0), OK);
    CHECK_EQ(map(&pg, 0x4000, 0x8000, 0x1000, PAGING_WRITE | PAGING_UNCACHED),
             OK);
    CHECK_EQ(map(&pg, MIB(2), MIB(4), MIB(2), PAGING_WRITE), OK);
    /* accessed and dirty, bits 5 and 6, are set before the CPU has to */
    CHECK_EQ(raw_entry(&pg, 0x1000), UINT64_C(0x8000000000005063));
    CHECK_EQ(raw_entry(&pg, 0x2000), UINT64_C(0x0000000000006061));
    CHECK_EQ(raw_entry(&pg, 0x3000), UINT64_C(0x8000000000007061));
    CHECK_EQ(raw_entry(&pg, 0x4000), UINT64_C(0x800000000000807b));
    CHECK_EQ(raw_entry(&pg, MIB(2)), UINT64_C(0x80000000004000e3));
}

TEST(paging, largest_pages_that_fit_are_used)
{
    struct paging pg = tables(4, true);

    /* 4 KiB up to 2 MiB, 2 MiB up to 1 GiB, then a 1 GiB page, and back */
    CHECK_EQ(map(&pg, MIB(2) - 4096, MIB(2) - 4096,
                 GIB(2) + MIB(2) + 4096 - (MIB(2) - 4096), PAGING_WRITE),
             OK);
    check_page(&pg, MIB(2) - 1, MIB(2) - 1, KIB(4), PAGING_WRITE);
    check_page(&pg, MIB(2), MIB(2), MIB(2), PAGING_WRITE);
    check_page(&pg, GIB(1) - 1, GIB(1) - 1, MIB(2), PAGING_WRITE);
    check_page(&pg, GIB(1) + 5, GIB(1) + 5, GIB(1), PAGING_WRITE);
    check_page(&pg, GIB(2), GIB(2), MIB(2), PAGING_WRITE);
    check_page(&pg, GIB(2) + MIB(2), GIB(2) + MIB(2), KIB(4), PAGING_WRITE);
    CHECK(!is_mapped(&pg, GIB(2) + MIB(2) + 4096));
    CHECK(!is_mapped(&pg, MIB(2) - 4097));
}

TEST(paging, without_1g_pages_2m_pages_are_used)
{
    struct paging pg = tables(4, false);

    CHECK_EQ(map(&pg, GIB(4), GIB(4), GIB(1), PAGING_WRITE), OK);
    check_page(&pg, GIB(4), GIB(4), MIB(2), PAGING_WRITE);
}

TEST(paging, virtual_and_physical_must_both_be_aligned_for_a_large_page)
{
    struct paging pg = tables(4, true);

    CHECK_EQ(map(&pg, MIB(2), MIB(2) + 4096, MIB(2), 0), OK);
    check_page(&pg, MIB(2), MIB(2) + 4096, KIB(4), 0);
    check_page(&pg, MIB(4) - 1, MIB(4) + 4095, KIB(4), 0);
}

TEST(paging, upper_half_up_to_the_last_byte)
{
    struct paging pg = tables(4, true);
    const uint64_t last = UINT64_C(0xffffffffffe00000);

    CHECK_EQ(map(&pg, last, MIB(16), MIB(2), PAGING_EXEC), OK);
    check_page(&pg, UINT64_MAX, MIB(18) - 1, MIB(2), PAGING_EXEC);
}

TEST(paging, five_levels_reach_beyond_47_bits)
{
    struct paging pg = tables(5, true);
    const uint64_t far = TIB(512); /* 2^49 */

    CHECK_EQ(map(&pg, far, far, GIB(1), PAGING_WRITE), OK);
    check_page(&pg, far, far, GIB(1), PAGING_WRITE);
}

TEST(paging, bad_regions_are_refused_with_a_reason)
{
    struct paging pg = tables(4, true);

    CHECK_EQ(map(&pg, 0x1001, 0x1000, 0x1000, 0), E_INVALID);
    CHECK_EQ(map(&pg, 0x1000, 0x1800, 0x1000, 0), E_INVALID);
    CHECK_EQ(map(&pg, 0x1000, 0x1000, 0x100, 0), E_INVALID);
    CHECK_EQ(map(&pg, 0x1000, 0x1000, 0, 0), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "not made of pages");
    CHECK_EQ(map(&pg, 0x1000, 0x1000, 0x1000, PAGING_WRITE | PAGING_EXEC),
             E_INVALID);
    CHECK_CONTAINS(host_console_text(), "writable and executable");
    CHECK(!is_mapped(&pg, 0x1000));
}

TEST(paging, address_widths_are_respected)
{
    struct paging_config config = config_of(4, true);
    struct paging pg;

    config.phys_bits = 39;
    CHECK_EQ(paging_init(&pg, &config), OK);
    CHECK_EQ(map(&pg, GIB(1), GIB(512) - 4096, 4096, 0), OK);
    CHECK_EQ(map(&pg, GIB(2), GIB(512) - 4096, 8192, 0), E_RANGE);
    CHECK_EQ(map(&pg, GIB(2), UINT64_C(0xfffffffffffff000), 8192, 0), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "leaves 39 bits");
    /* the last page below the hole, one across, one inside, one at its end */
    CHECK_EQ(map(&pg, TIB(128) - 4096, GIB(1), 4096, 0), OK);
    CHECK_EQ(map(&pg, TIB(128) - 8192, GIB(1), 12288, 0), E_RANGE);
    CHECK_EQ(map(&pg, TIB(128), GIB(1), 4096, 0), E_RANGE);
    CHECK_EQ(map(&pg, 0 - TIB(128) - 4096, GIB(1), 8192, 0), E_RANGE);
    CHECK_EQ(map(&pg, 0 - TIB(128), GIB(1), 4096, 0), OK);
    CHECK_EQ(map(&pg, UINT64_C(0xfffffffffffff000), GIB(1), 8192, 0), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "leaves 48 bits");
}

TEST(paging, impossible_machines_are_refused)
{
    struct paging_config config = config_of(3, true);
    struct paging pg;

    CHECK_EQ(paging_init(&pg, &config), E_INVALID);
    config = config_of(4, true);
    config.phys_bits = 53;
    CHECK_EQ(paging_init(&pg, &config), E_INVALID);
    config.phys_bits = 0;
    CHECK_EQ(paging_init(&pg, &config), E_INVALID);
}

TEST(paging, same_mapping_twice_is_fine)
{
    struct paging pg = tables(4, true);
    unsigned used;

    CHECK_EQ(map(&pg, GIB(1), GIB(1), GIB(2), PAGING_WRITE), OK);
    used = pg.tables;
    CHECK_EQ(map(&pg, GIB(1), GIB(1), GIB(2), PAGING_WRITE), OK);
    CHECK_EQ(map(&pg, GIB(1) + 4096, GIB(1) + 4096, 4096, PAGING_WRITE), OK);
    CHECK_EQ(pg.tables, used);
    check_page(&pg, GIB(1) + 4096, GIB(1) + 4096, GIB(1), PAGING_WRITE);
}

TEST(paging, conflicts_are_refused_and_change_nothing)
{
    struct paging pg = tables(4, true);

    CHECK_EQ(map(&pg, MIB(4), MIB(4), MIB(2), PAGING_WRITE), OK);
    /* other rights, other type, other address; also as the tail of a range */
    CHECK_EQ(map(&pg, MIB(4), MIB(4), MIB(2), 0), E_EXIST);
    CHECK_EQ(map(&pg, MIB(4) + 4096, MIB(4) + 4096, 4096,
                 PAGING_WRITE | PAGING_UNCACHED),
             E_EXIST);
    CHECK_EQ(map(&pg, MIB(4), MIB(6), MIB(2), PAGING_WRITE), E_EXIST);
    CHECK_EQ(map(&pg, MIB(2), MIB(12), MIB(4), PAGING_WRITE), E_EXIST);
    CHECK_CONTAINS(host_console_text(), "mapped otherwise");
    CHECK(!is_mapped(&pg, MIB(2)));
    check_page(&pg, MIB(4), MIB(4), MIB(2), PAGING_WRITE);
}

TEST(paging, page_0_can_never_be_mapped)
{
    struct paging pg = tables(4, true);

    CHECK_EQ(map(&pg, 0, 0, MIB(2), PAGING_WRITE), E_EXIST);
    CHECK_CONTAINS(host_console_text(), "guard page");
    CHECK(!is_mapped(&pg, 0));
    CHECK_EQ(map(&pg, 4096, 4096, MIB(2) - 4096, PAGING_WRITE), OK);
    CHECK(is_mapped(&pg, 4096));
}

TEST(paging, guard_splits_a_1g_page_around_one_page)
{
    struct paging pg = tables(4, true);
    const uint64_t guard = GIB(5) + MIB(100) + KIB(12);

    CHECK_EQ(map(&pg, GIB(5), GIB(5), GIB(1), PAGING_WRITE), OK);
    CHECK_EQ(paging_guard(&pg, guard), OK);
    CHECK(!is_mapped(&pg, guard));
    CHECK(!is_mapped(&pg, guard + 4095));
    check_page(&pg, guard - 1, guard - 1, KIB(4), PAGING_WRITE);
    check_page(&pg, guard + 4096, guard + 4096, KIB(4), PAGING_WRITE);
    check_page(&pg, GIB(5), GIB(5), MIB(2), PAGING_WRITE);
    check_page(&pg, GIB(6) - 1, GIB(6) - 1, MIB(2), PAGING_WRITE);
    CHECK_EQ(map(&pg, guard, guard, 4096, PAGING_WRITE), E_EXIST);
}

TEST(paging, split_keeps_type_and_rights)
{
    struct paging pg = tables(4, true);
    const unsigned flags = PAGING_WRITE | PAGING_UNCACHED;

    CHECK_EQ(map(&pg, GIB(5), GIB(7), GIB(1), flags), OK);
    CHECK_EQ(paging_guard(&pg, GIB(5)), OK);
    check_page(&pg, GIB(5) + 4096, GIB(7) + 4096, KIB(4), flags);
    check_page(&pg, GIB(5) + MIB(2), GIB(7) + MIB(2), MIB(2), flags);
    /* bit 7 is the page size above, but the PAT in a 4 KiB entry */
    CHECK_EQ(raw_entry(&pg, GIB(5) + 4096) & 0x80, 0);
}

TEST(paging, guard_before_the_map_holds_too)
{
    struct paging pg = tables(4, true);

    CHECK_EQ(paging_guard(&pg, MIB(8)), OK);
    CHECK_EQ(map(&pg, MIB(8), MIB(8), MIB(2), PAGING_WRITE), E_EXIST);
    CHECK_EQ(paging_guard(&pg, MIB(8) + 1), E_INVALID);
    CHECK_EQ(paging_guard(&pg, TIB(128)), E_RANGE);
}

TEST(paging, devices_are_uncached_and_found_at_any_alignment)
{
    struct paging pg = tables(4, true);
    const uint64_t bar = UINT64_C(0x380000000100); /* beyond 45 bits */
    uint64_t virt;

    CHECK_EQ(paging_map_device(&pg, bar, MIB(8), &virt), OK);
    CHECK_EQ(virt, bar);
    check_page(&pg, virt, bar, MIB(2), PAGING_WRITE | PAGING_UNCACHED);
    /* the last byte lies in one more page */
    check_page(&pg, virt + MIB(8) - 1, bar + MIB(8) - 1, KIB(4),
               PAGING_WRITE | PAGING_UNCACHED);
    /* a neighbour in the same page */
    CHECK_EQ(paging_map_device(&pg, bar - 0x100, 16, &virt), OK);
    CHECK_EQ(virt, bar - 0x100);
}

/* Entry 1 of the PAT: PWT alone. */
TEST(paging, combined_memory_has_a_type_of_its_own)
{
    struct paging pg = tables(4, true);
    const uint64_t screen = GIB(2);
    uint64_t virt;

    CHECK_EQ(paging_map_combined(&pg, screen, MIB(4) + 1, &virt), OK);
    CHECK_EQ(virt, screen);
    check_page(&pg, virt, screen, MIB(2), PAGING_WRITE | PAGING_COMBINED);
    CHECK_EQ(raw_entry(&pg, virt) & 0x18, 0x08);
    CHECK_EQ(raw_entry(&pg, virt + MIB(4)) & 0x18, 0x08);
    CHECK_EQ(paging_map_device(&pg, screen, 4096, &virt), E_EXIST);
}

TEST(paging, devices_beyond_identity_get_a_window)
{
    struct paging pg = tables(4, true);
    const uint64_t far = TIB(2048) + 0x40; /* 2^51 */
    uint64_t first, second;

    CHECK_EQ(paging_map_device(&pg, far, 8192, &first), OK);
    CHECK_EQ(paging_map_device(&pg, TIB(256), 4096, &second), OK);
    CHECK(first >= 0 - TIB(128));
    CHECK(second >= 0 - TIB(128));
    check_page(&pg, first, far, KIB(4), PAGING_WRITE | PAGING_UNCACHED);
    check_page(&pg, second, TIB(256), KIB(4), PAGING_WRITE | PAGING_UNCACHED);
    CHECK_EQ(paging_map_device(&pg, TIB(4096), 4096, &first), E_RANGE);
    CHECK_EQ(paging_map_device(&pg, TIB(4096) - 1, 2, &first), E_RANGE);
    CHECK_EQ(paging_map_device(&pg, TIB(1), 0, &first), E_RANGE);
}

TEST(paging, device_inside_ram_is_refused)
{
    struct paging pg = tables(4, true);
    uint64_t virt = 7;

    CHECK_EQ(map(&pg, GIB(1), GIB(1), GIB(1), PAGING_WRITE), OK);
    CHECK_EQ(paging_map_device(&pg, GIB(1) + MIB(1), 4096, &virt), E_EXIST);
    CHECK_EQ(virt, 7);
}

/* Each page the source refuses: an error, never a crash or a lost mapping. */
TEST(paging, running_out_of_tables_is_reported_at_every_step)
{
    struct paging_config config = config_of(4, true);
    struct paging pg;
    unsigned needed;

    CHECK_EQ(paging_init(&pg, &config), OK);
    CHECK_EQ(map(&pg, GIB(600), GIB(600), MIB(2) + 4096, 0), OK);
    CHECK_EQ(map(&pg, GIB(700), GIB(700), GIB(1), PAGING_WRITE), OK);
    CHECK_EQ(paging_guard(&pg, GIB(700) + 4096), OK);
    needed = pages_used;
    for (unsigned limit = 0; limit < needed; limit++) {
        config = config_of(4, true);
        pages_limit = limit;
        if (paging_init(&pg, &config) != OK)
            continue;
        if (map(&pg, GIB(600), GIB(600), MIB(2) + 4096, 0) != OK ||
            map(&pg, GIB(700), GIB(700), GIB(1), PAGING_WRITE) != OK)
            continue;
        CHECK_EQ(paging_guard(&pg, GIB(700) + 4096), E_NOMEM);
        CHECK(is_mapped(&pg, GIB(700) + 4096));
    }
    CHECK_CONTAINS(host_console_text(), "no memory for a table");
}

/* Tables of another maker: accessed and dirty bits as the CPU left them. */
TEST(paging, adopted_tables_are_extended)
{
    struct paging theirs = tables(4, true), ours;
    const struct paging_config config = theirs.config;
    uint64_t *below;

    CHECK_EQ(map(&theirs, GIB(1), GIB(1), GIB(1), PAGING_WRITE), OK);
    below = (uint64_t *)(uintptr_t)(theirs.root[0] & 0x000ffffffffff000);
    below[1] &= ~UINT64_C(0x60); /* neither accessed nor dirty */

    CHECK_EQ(paging_adopt(&ours, &config, theirs.root), OK);
    CHECK_EQ(ours.tables, 0);
    CHECK_EQ(map(&ours, GIB(1), GIB(1), GIB(1), PAGING_WRITE), OK);
    CHECK_EQ(map(&ours, GIB(1), GIB(1), GIB(1), 0), E_EXIST);
    CHECK_EQ(map(&ours, GIB(2), GIB(2), MIB(2), PAGING_WRITE), OK);
    CHECK_EQ(ours.tables, 1);
    CHECK(is_mapped(&theirs, GIB(2)));
}

/* A loader that mapped page 0 does not get away with it. */
TEST(paging, adopting_takes_page_0_away)
{
    struct paging theirs = tables(4, true), ours;
    const struct paging_config config = theirs.config;
    uint64_t *low = theirs.root;

    for (unsigned level = 3; level > 0; level--)
        low = (uint64_t *)(uintptr_t)(low[0] & 0x000ffffffffff000);
    low[0] = 3; /* present, writable, at 0 */
    CHECK(is_mapped(&theirs, 0));
    CHECK_EQ(paging_adopt(&ours, &config, theirs.root), OK);
    CHECK(!is_mapped(&ours, 0));
}
