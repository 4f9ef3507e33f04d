/* The model's queue contexts: host memory cache and on-chip copies. */
#include "tests/unit/chip_bench.h"

#include "chip/chip_impl.h"

/* The bench's places again, as the HMC's. */
#define AT_SEGMENT (AT_FREE + 0x0000u)
#define AT_PAGES   (AT_FREE + 0x40000u) /* page descriptors */
#define AT_PAGE    (AT_FREE + 0x50000u)
#define TX_COUNT   64u
#define RX_BASE    (TX_COUNT * 128u)

enum {
    SDCMD = 0xC0000,
    SDLOW = 0xC0100,
    SDHIGH = 0xC0200,
    PDINV = 0xC0300,
    ERRINFO = 0xC0400,
    ERRDATA = 0xC0500,
    LANTXBASE = 0xC6200,
    LANTXCNT = 0xC6300,
    LANRXBASE = 0xC6400,
    LANRXCNT = 0xC6500,
    CTXDATA = 0x10C100,
    CTXCTL = 0x10C300,
    CTXSTAT = 0x10C380,
};

static void segment(unsigned index, uint64_t addr, bool direct)
{
    wr(SDHIGH, (uint32_t)(addr >> 32));
    wr(SDLOW, (uint32_t)addr | 512 << 2 | (direct ? 2 : 0) | 1);
    wr(SDCMD, index | 1u << 31);
}

static void objects(void)
{
    const unsigned p = 4 * bench.pf;

    wr(LANTXBASE + p, 0);
    wr(LANTXCNT + p, TX_COUNT);
    wr(LANRXBASE + p, RX_BASE / 512);
    wr(LANRXCNT + p, TX_COUNT);
}

static bool context(bool is_tx, unsigned q, uint8_t *buf)
{
    return hmc_context_read(bench.chip, &bench.chip->pf[bench.pf], is_tx, q,
                            buf);
}

static void fill(uint32_t at, unsigned len, uint8_t first)
{
    for (unsigned i = 0; i < len; i++)
        bench.mem[at + i] = (uint8_t)(first + i);
}

TEST(hmc, direct_segments_hold_contexts_one_after_the_other)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_SEGMENT, true);
    objects();
    fill(AT_SEGMENT + 3 * 128, 128, 0x40);
    fill(AT_SEGMENT + RX_BASE + 5 * 32, 32, 0x90);
    CHECK(context(true, 3, buf));
    CHECK_BYTES(buf, bench.mem + AT_SEGMENT + 3 * 128, 128);
    CHECK(context(false, 5, buf));
    CHECK_BYTES(buf, bench.mem + AT_SEGMENT + RX_BASE + 5 * 32, 32);
    CHECK_EQ(bench.complaints, 0);
    CHECK_EQ(rd(ERRINFO), 0);
    bench_close();
}

/* OpenBSD ixl maps pages. */
TEST(hmc, paged_segments_go_through_page_descriptors)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_PAGES, false);
    objects();
    /* Private memory 0x2000 is page 2: RX_BASE. */
    put32(bench.mem + AT_PAGES + 2 * 8, (uint32_t)(BUS + AT_PAGE) | 1);
    put32(bench.mem + AT_PAGES + 2 * 8 + 4, (uint32_t)((BUS + AT_PAGE) >> 32));
    fill(AT_PAGE + 7 * 32, 32, 0x11);
    CHECK(context(false, 7, buf));
    CHECK_BYTES(buf, bench.mem + AT_PAGE + 7 * 32, 32);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(hmc, a_page_without_valid_bit_is_an_error)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_PAGES, false);
    objects();
    CHECK(!context(true, 0, buf));
    CHECK_STR(bench.rule, "hmc-pd-invalid");
    CHECK_EQ(rd(ERRINFO) >> 31, 1);
    bench_close();
}

TEST(hmc, no_segment_is_an_error_that_latches_and_interrupts)
{
    uint8_t buf[128];

    bench_open();
    wr(B_ICR0_ENA, 1u << 26);
    objects();
    CHECK(!context(false, 9, buf));
    CHECK_STR(bench.rule, "hmc-sd-invalid");
    CHECK_EQ(rd(ERRINFO) >> 31, 1);
    CHECK_EQ(rd(ERRDATA), 9);
    CHECK(rd(B_ICR0) & 1u << 26);
    /* The first error stays until it is cleared. */
    CHECK(!context(false, 10, buf));
    CHECK_EQ(rd(ERRDATA), 9);
    wr(ERRINFO, 1u << 31);
    CHECK_EQ(rd(ERRINFO), 0);
    CHECK_EQ(rd(ERRDATA), 0);
    bench_close();
}

TEST(hmc, a_segment_taken_down_is_gone)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_SEGMENT, true);
    objects();
    CHECK(context(true, 0, buf));
    wr(SDLOW, 512 << 2 | 2); /* Linux clears it so: no valid bit */
    wr(SDCMD, 0 | 1u << 31);
    CHECK(!context(true, 0, buf));
    CHECK_EQ(bench.complaints, 1);
    bench_close();
}

TEST(hmc, a_queue_beyond_the_count_is_an_error)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_SEGMENT, true);
    objects();
    CHECK(!context(true, TX_COUNT, buf));
    CHECK_STR(bench.rule, "hmc-range");
    CHECK(!context(true, 5000, buf));
    bench_close();
}

TEST(hmc, a_segment_outside_memory_is_an_error)
{
    uint8_t buf[128];

    bench_open();
    segment(0, 0x1000, true);
    objects();
    CHECK(!context(true, 0, buf));
    CHECK_STR(bench.rule, "hmc-no-memory");
    bench_close();
}

TEST(hmc, objects_of_two_functions_do_not_meet)
{
    uint8_t buf[128];

    bench_open();
    segment(0, BUS + AT_SEGMENT, true);
    objects();
    fill(AT_SEGMENT, 128, 1);
    bench.pf = 1;
    CHECK(!context(true, 0, buf));
    segment(0, BUS + AT_PAGE, true);
    objects();
    fill(AT_PAGE, 128, 0x77);
    CHECK(context(true, 0, buf));
    CHECK_EQ(buf[0], 0x77);
    bench.pf = 0;
    CHECK(context(true, 0, buf));
    CHECK_EQ(buf[0], 1);
    bench_close();
}

TEST(hmc, invalidating_a_page_of_a_direct_segment_is_told)
{
    bench_open();
    segment(0, BUS + AT_SEGMENT, true);
    wr(PDINV, 0);
    CHECK_STR(bench.rule, "hmc-pd-invalid");
    bench_close();
}

/* ---- iPXE's way: lines of 16 bytes, absolute queue numbers ---- */

static void line(unsigned queue, unsigned n, bool is_tx, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        wr(CTXDATA + 0x80 * i, v + i);
    wr(CTXCTL, queue | n << 12 | (is_tx ? 1u : 0) << 15 | 1u << 17);
    CHECK_EQ(rd(CTXSTAT) & 1, 1);
}

TEST(hmc, on_chip_contexts_need_no_host_memory)
{
    uint8_t buf[128];

    bench_open();
    bench.pf = 1; /* its queue 0 is number 128 */
    for (unsigned n = 0; n < 8; n++)
        line(128, n, true, 0x1000 * n);
    for (unsigned n = 0; n < 2; n++)
        line(128, n, false, 0x100 * n);
    CHECK(context(true, 0, buf));
    CHECK_EQ(get32(buf + 7 * 16 + 4), 0x7001);
    CHECK(context(false, 0, buf));
    CHECK_EQ(get32(buf + 16), 0x100);
    CHECK_EQ(bench.complaints, 0);
    /* Read back through the same registers. */
    wr(CTXCTL, 128 | 3 << 12 | 1 << 15);
    CHECK_EQ(rd(CTXDATA + 0x80), 0x3001);
    bench_close();
}

TEST(hmc, on_chip_contexts_go_with_a_reset)
{
    uint8_t buf[128];

    bench_open();
    line(0, 0, true, 1);
    wr(B_PFGEN_CTRL, 1);
    CHECK(!context(true, 0, buf));
    bench_close();
}

TEST(hmc, a_foreign_or_impossible_on_chip_context_is_told)
{
    bench_open();
    wr(CTXCTL, 128 | 1u << 17); /* the other function's queue */
    CHECK_STR(bench.rule, "pfcm-range");
    CHECK_EQ(rd(CTXSTAT), 3);
    wr(CTXCTL, 2u << 12 | 1u << 17); /* a receive context has two lines */
    CHECK_EQ(bench.complaints, 2);
    bench_close();
}
