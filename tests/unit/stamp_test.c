/*
 * stamp_test.c - when each part of the start was done
 */
#include <stdio.h>

#include "kernel/stamp.h"
#include "tests/unit/test.h"

TEST(stamp, marks_are_microseconds_since_entry)
{
    host_advance_us(1000);
    stamp_start(plat_cycles());
    stamp_mark("entry");
    host_advance_us(812);
    stamp_mark("memory");
    host_advance_us(100000);
    stamp_mark("nic");
    CHECK_EQ(stamp_get_us("entry"), 0);
    CHECK_EQ(stamp_get_us("memory"), 812);
    CHECK_EQ(stamp_get_us("nic"), 100812);
    CHECK_EQ(stamp_get_us("link"), UINT64_MAX);
    CHECK_EQ(stamp_elapsed_us(), 100812);
}

TEST(stamp, the_first_time_counts)
{
    stamp_start(plat_cycles());
    host_advance_us(5);
    stamp_mark("forwarding");
    host_advance_us(5);
    stamp_mark("forwarding");
    CHECK_EQ(stamp_get_us("forwarding"), 5);
}

TEST(stamp, prints_all_marks_and_the_share_of_the_chip)
{
    stamp_start(plat_cycles());
    stamp_mark("entry");
    host_advance_us(250);
    stamp_mark("pci");
    host_advance_us(1000);
    stamp_mark("forwarding");
    host_advance_us(77777);
    stamp_print(900);
    CHECK_CONTAINS(host_console_text(), " entry 0 pci 250 forwarding 1250;");
    CHECK_CONTAINS(host_console_text(),
                   "the chip asked for 900 of 1250, 350 are ours\n");
}

TEST(stamp, a_share_larger_than_the_whole_is_the_whole)
{
    stamp_start(plat_cycles());
    host_advance_us(10);
    stamp_mark("forwarding");
    stamp_print(UINT64_MAX);
    CHECK_CONTAINS(host_console_text(), "asked for 10 of 10, 0 are ours");
}

TEST(stamp, nothing_marked_prints_all_the_same)
{
    stamp_start(plat_cycles());
    stamp_print(0);
    CHECK_CONTAINS(host_console_text(), "asked for 0 of 0, 0 are ours");
}

TEST(stamp, more_marks_than_fit_are_not_kept)
{
    static char name[STAMP_MAX + 4][48];

    stamp_start(plat_cycles());
    for (unsigned i = 0; i < STAMP_MAX + 4; i++) {
        snprintf(name[i], sizeof(name[i]),
                 "a-mark-with-a-name-of-quite-some-length-%u", i);
        stamp_mark(name[i]);
    }
    CHECK_EQ(stamp_get_us(name[STAMP_MAX - 1]), 0);
    CHECK_EQ(stamp_get_us(name[STAMP_MAX]), UINT64_MAX);
    stamp_print(0); /* and the line is cut, not overrun */
}
