/*
 * boot_format_test.c - the loader's printf
 */
#include "tests/unit/test.h"

#include "boot/format.h"

static char out[64];

TEST(boot_format, knows_text_and_numbers)
{
    CHECK_EQ(
        boot_format(out, sizeof(out), "%s: %u of %x, 100%%", "step", 10u, 255u),
        20);
    CHECK_STR(out, "step: 10 of ff, 100%");
}

TEST(boot_format, holds_the_largest_and_the_smallest)
{
    boot_format(out, sizeof(out), "%u %llu %llx %u", UINT32_MAX,
                (unsigned long long)UINT64_MAX, (unsigned long long)UINT64_MAX,
                0u);
    CHECK_STR(out, "4294967295 18446744073709551615 ffffffffffffffff 0");
}

TEST(boot_format, cuts_at_the_room_and_ends_in_nul)
{
    memset(out, 'x', sizeof(out));
    CHECK_EQ(boot_format(out, 5, "%s", "abcdef"), 4);
    CHECK_STR(out, "abcd");
    CHECK_EQ(out[5], 'x');
    CHECK_EQ(boot_format(out, 1, "%s", "abcdef"), 0);
    CHECK_STR(out, "");
}

#pragma GCC diagnostic ignored "-Wformat"
#pragma GCC diagnostic ignored "-Wformat-extra-args"

TEST(boot_format, shows_what_it_does_not_know)
{
    boot_format(out, sizeof(out), "%d %ll %", 1);
    CHECK_STR(out, "%d %ll %");
}
