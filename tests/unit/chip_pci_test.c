/* The model's configuration space, read as bus code and drivers read it. */
#include "tests/unit/chip_bench.h"

static uint32_t cfg(unsigned offset, unsigned bytes)
{
    return chip_cfg_read(bench.chip, bench.pf, offset, bytes);
}

static void cfg_write(unsigned offset, unsigned bytes, uint32_t value)
{
    chip_cfg_write(bench.chip, bench.pf, offset, bytes, value);
}

TEST(pci, identity_is_an_xl710_of_the_public_lists)
{
    bench_open();
    CHECK_EQ(cfg(0, 2), 0x8086);
    CHECK_EQ(cfg(2, 2), 0x1583);
    CHECK_EQ(cfg(8, 4) >> 8, 0x020000);
    CHECK(cfg(8, 1) >= 1); /* Linux calls revision 0 pre-production */
    CHECK_EQ(cfg(0x0E, 1) & 0x80, 0x80); /* two functions */
    CHECK(cfg(0x2E, 2) != 0);
    CHECK_EQ(cfg(0x3D, 1), 1);
    bench.pf = 1;
    CHECK_EQ(cfg(0x3D, 1), 2);
    bench_close();
}

static uint64_t bar_size(unsigned offset)
{
    uint64_t size;

    CHECK_EQ(cfg(offset, 4) & 0xF, 0xC); /* 64 bits, prefetchable */
    cfg_write(offset, 4, 0xFFFFFFFF);
    cfg_write(offset + 4, 4, 0xFFFFFFFF);
    size = (uint64_t)cfg(offset + 4, 4) << 32 | (cfg(offset, 4) & ~0xFu);
    return ~size + 1;
}

TEST(pci, bars_size_as_the_drivers_need)
{
    bench_open();
    CHECK_EQ(bar_size(0x10), 8u << 20); /* Linux: at least 0x390004 */
    CHECK_EQ(bar_size(0x1C), 32u << 10);
    for (unsigned at = 0x18; at <= 0x24; at += 12) { /* BAR2, BAR5: none */
        cfg_write(at, 4, 0xFFFFFFFF);
        CHECK_EQ(cfg(at, 4), 0);
    }
    cfg_write(0x30, 4, 0xFFFFFFFF); /* no ROM */
    CHECK_EQ(cfg(0x30, 4), 0);
    bench_close();
}

TEST(pci, a_bar_keeps_an_address_above_4_gib)
{
    bench_open();
    cfg_write(0x10, 4, 0xFE800000);
    cfg_write(0x14, 4, 0x00000038);
    CHECK_EQ(cfg(0x10, 4), 0xFE80000C);
    CHECK_EQ(cfg(0x14, 4), 0x38);
    bench_close();
}

static unsigned find_cap(unsigned id)
{
    unsigned at = cfg(0x34, 1);

    CHECK_EQ(cfg(6, 2) & 0x10, 0x10);
    for (unsigned n = 0; at != 0; n++) {
        CHECK(n < 48 && at >= 0x40 && at % 4 == 0);
        if (cfg(at, 1) == id)
            return at;
        at = cfg(at + 1, 1);
    }
    return 0;
}

TEST(pci, capabilities_are_where_public_dumps_have_them)
{
    bench_open();
    CHECK_EQ(find_cap(0x01), 0x40);
    CHECK_EQ(find_cap(0x05), 0x50);
    CHECK_EQ(find_cap(0x11), 0x70);
    CHECK_EQ(find_cap(0x10), 0xA0); /* DPDK counts on it */
    CHECK_EQ(find_cap(0x77), 0);    /* the list ends */
    CHECK_EQ((cfg(0x72, 2) & 0x7FF) + 1, 129);
    CHECK_EQ(cfg(0x74, 4), 3);
    CHECK_EQ(cfg(0x78, 4), 0x1003);
    CHECK_EQ(cfg(0xA4, 4) >> 28 & 1, 1);  /* FLR */
    CHECK_EQ(cfg(0xA4, 4) >> 5 & 1, 1);   /* extended tags */
    CHECK_EQ(cfg(0xB2, 2) & 0x3FF, 0x83); /* x8 at 8 GT/s */
    bench_close();
}

TEST(pci, extended_capabilities_end)
{
    unsigned at = 0x100, n = 0;

    bench_open();
    while (at != 0) {
        const uint32_t header = cfg(at, 4);

        CHECK((header & 0xFFFF) != 0);
        CHECK(at >= 0x100 && at % 4 == 0 && ++n < 64);
        at = header >> 20;
    }
    CHECK(n >= 2);
    bench_close();
}

TEST(pci, read_only_fields_stay)
{
    static const unsigned at[] = { 0x00, 0x08, 0x2C, 0x34, 0x40, 0x74,
                                   0x78, 0xA0, 0xA4, 0xAC, 0x100 };

    bench_open();
    for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
        const uint32_t was = cfg(at[i], 4);

        cfg_write(at[i], 4, ~was);
        CHECK_EQ(cfg(at[i], 4), was);
    }
    bench_close();
}

TEST(pci, every_byte_survives_all_ones_and_zeros)
{
    bench_open();
    for (unsigned at = 0; at < 4096; at++) {
        if (at == 0xA9)
            continue; /* would be a reset */
        cfg_write(at, 1, 0xFF);
        cfg_write(at, 1, 0x00);
    }
    CHECK_EQ(cfg(0, 4), 0x15838086);
    CHECK_EQ(find_cap(0x10), 0xA0);
    bench_close();
}

TEST(pci, status_errors_clear_by_writing_ones)
{
    bench_open();
    CHECK_EQ(cfg(6, 2) & 0xF900, 0);
    cfg_write(6, 2, 0xF900);
    CHECK_EQ(cfg(6, 2) & 0x10, 0x10);
    bench_close();
}

TEST(pci, accesses_that_leave_the_space_are_ignored)
{
    bench_open();
    CHECK_EQ(cfg(4096, 4), 0xFFFFFFFF);
    CHECK_EQ(cfg(4094, 4), 0xFFFFFFFF);
    CHECK_EQ(cfg(0, 3), 0xFFFFFFFF);
    CHECK_EQ(chip_cfg_read(bench.chip, 7, 0, 4), 0xFFFFFFFF);
    cfg_write(4094, 4, 1);
    chip_cfg_write(bench.chip, 7, 4, 2, 4);
    bench_close();
}

/* DPDK i40e_ethdev.c turns extended tags on by read, or, write. */
TEST(pci, device_control_keeps_what_is_written)
{
    bench_open();
    cfg_write(0xA8, 2, cfg(0xA8, 2) | 0x100);
    CHECK_EQ(cfg(0xA8, 2) & 0x100, 0x100);
    bench_close();
}

/* iPXE pciextra.c: set the bit, wait, put the saved space back. */
TEST(pci, flr_bit_resets_and_reads_zero)
{
    uint32_t command;

    bench_open();
    command = cfg(4, 2);
    wr(0x3A000, 5);
    cfg_write(0xA8, 2, cfg(0xA8, 2) | 0x8000);
    CHECK_EQ(cfg(0xA8, 2) & 0x8000, 0);
    CHECK_EQ(cfg(4, 2), 0);
    CHECK_EQ(rd(0x3A000), 0);
    cfg_write(4, 2, command);
    CHECK_EQ(cfg(4, 2), command);
    bench_close();
}
