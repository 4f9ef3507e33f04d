/* The model's resets: what goes, what stays, how long it takes. */
#include "tests/unit/chip_bench.h"

#define QTX_ENA0  0x100000
#define QTX_CTL0  0x104000
#define QRX_TAIL0 0x128000
#define RQCTL0    0x3A000
#define ITRN0     0x30000
#define LNKLSTN0  0x35000
#define LANTXBASE 0xC6200
#define HKEY0     0x244800
#define SDLOW     0xC0100
#define SAH       0x1E2140
#define GLINT     0x3F800

/* A value in a register of each domain. */
static void dirty(void)
{
    wr(ITRN0, 0x111);
    wr(LNKLSTN0, 0x7FF);
    wr(SDLOW, 0x12345000);
    wr(QTX_CTL0, 2);
    wr(QRX_TAIL0, 3);
    wr(RQCTL0, 5);
    wr(LANTXBASE, 6);
    wr(HKEY0, 7);
    wr(GLINT, 7);
    wr(SAH, 0x06000000);
    wr(B_ATQLEN, 32 | AQ_ENABLE);
}

TEST(reset, a_pf_reset_clears_its_domain_and_no_other)
{
    bench_open();
    dirty();
    wr(B_PFGEN_CTRL, 1);
    CHECK_EQ(rd(ITRN0), 0);
    CHECK_EQ(rd(LNKLSTN0), 0);
    CHECK_EQ(rd(SDLOW), 0);
    CHECK_EQ(rd(QTX_CTL0), 2);
    CHECK_EQ(rd(QRX_TAIL0), 3);
    CHECK_EQ(rd(RQCTL0), 5);
    CHECK_EQ(rd(LANTXBASE), 6);
    CHECK_EQ(rd(HKEY0), 7);
    CHECK_EQ(rd(GLINT), 7);
    CHECK_EQ(rd(B_ATQLEN), 32 | AQ_ENABLE);
    bench_close();
}

TEST(reset, pfswr_reads_one_until_the_reset_is_over)
{
    bench_open();
    wr(B_PFGEN_CTRL, 1);
    CHECK_EQ(rd(B_PFGEN_CTRL), 1);
    pass_us(1000); /* the drivers poll each millisecond, a second long */
    CHECK_EQ(rd(B_PFGEN_CTRL), 0);
    wr(B_PFGEN_CTRL, 0);
    CHECK_EQ(rd(B_PFGEN_CTRL), 0);
    bench_close();
}

TEST(reset, a_pf_reset_leaves_the_other_function_alone)
{
    bench_open();
    bench.pf = 1;
    dirty();
    bench.pf = 0;
    wr(B_PFGEN_CTRL, 1);
    bench.pf = 1;
    CHECK_EQ(rd(ITRN0), 0x111);
    bench_close();
}

TEST(reset, the_admin_queue_survives_a_pf_reset)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    wr(B_PFGEN_CTRL, 1);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    bench_close();
}

TEST(reset, link_events_are_off_after_a_pf_reset)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    wr(B_PFGEN_CTRL, 1);
    chip_link_set(bench.chip, 0, false);
    CHECK_EQ(rd(B_ARQH), 0);
    CHECK_EQ(aq16(0x0607, 0, 0), 0);
    CHECK_EQ(bench.params[0] & 1, 0);
    bench_close();
}

TEST(reset, a_pf_reset_brings_pxe_mode_and_the_main_vsi_back)
{
    uint8_t p[16] = { 0 };
    unsigned seid;

    bench_open();
    aq_open(32);
    CHECK_EQ(aq16(0x0110, 2, 0), 0);
    seid = main_seid();
    put16(p, 0x17);
    put16(p + 2, 0x17);
    put16(p + 4, seid);
    CHECK_EQ(aq(0x0254, 0, 0, p), 0);
    wr(B_PFGEN_CTRL, 1);
    CHECK_EQ(aq16(0x0110, 2, 0), 0);
    CHECK_EQ(main_seid(), seid);
    bench_close();
}

TEST(reset, flr_takes_the_admin_queue_and_the_pci_side)
{
    bench_open();
    dirty();
    chip_cfg_write(bench.chip, 0, 0x10, 4, 0xFE000000);
    chip_cfg_write(bench.chip, 0, 0x72, 2, 0x8000);
    chip_cfg_write(bench.chip, 0, 0xA8, 2,
                   chip_cfg_read(bench.chip, 0, 0xA8, 2) | 0x8000);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 0xA8, 2) & 0x8000, 0);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 0x10, 4), 0x0000000C);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 0x72, 2), 128);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 4, 2), 0);
    CHECK_EQ(rd(B_ATQLEN), 0);
    CHECK_EQ(rd(ITRN0), 0);
    CHECK_EQ(rd(QTX_CTL0), 0);
    CHECK_EQ(rd(QRX_TAIL0), 0);
    CHECK_EQ(rd(RQCTL0), 0);
    CHECK_EQ(rd(GLINT), 7); /* the chip's, not the function's */
    bench_close();
}

/* Request, announcement to both functions, work, end. */
static void global(uint32_t trigger, uint32_t type, uint64_t limit_us)
{
    bench_open();
    dirty();
    wr(B_RTRIG, trigger);
    CHECK_EQ(rd(B_RSTAT) & 3, 1);
    CHECK_EQ(rd(B_RSTAT) >> 2 & 3, type);
    CHECK(rd(B_ICR0) & 1u << 20);
    CHECK_EQ(rd(ITRN0), 0x111); /* not yet */
    pass_us(6000);
    CHECK_EQ(rd(B_RSTAT) & 3, 2);
    CHECK_EQ(rd(B_ULD) & 0x18, 0);
    CHECK_EQ(rd(ITRN0), 0);
    bench.pf = 1;
    CHECK(rd(B_ICR0) & 1u << 20); /* outlives the reset until it is read */
    CHECK_EQ(rd(B_ICR0), 0);
    pass_us(limit_us);
    CHECK_EQ(rd(B_RSTAT) & 3, 0);
    CHECK_EQ(rd(B_RSTAT) >> 2 & 3, type);
    CHECK_EQ(rd(B_RSTAT) >> (2 + 2 * type) & 3, 1);
    CHECK_EQ(rd(B_ULD) & 0x18, 0x18);
    CHECK_EQ(rd(LANTXBASE), 0);
    CHECK_EQ(rd(GLINT), 0);
    bench.pf = 0;
    CHECK_EQ(rd(HKEY0), 0);
}

TEST(reset, a_core_reset_keeps_mac_link_and_firmware)
{
    global(1, 1, 1000000);
    CHECK_EQ(rd(SAH), 0x06000000);
    CHECK_EQ(rd(B_ATQLEN), 32 | AQ_ENABLE);
    CHECK_EQ(rd(B_LINKSTA) & 0x40000080, 0x40000080);
    bench_close();
}

TEST(reset, a_global_reset_takes_the_mac_and_drops_the_link)
{
    global(2, 2, 1000000);
    CHECK_EQ(rd(SAH) >> 16, 0x2600);
    CHECK_EQ(rd(B_ATQLEN), 32 | AQ_ENABLE);
    CHECK_EQ(rd(0x1E2440), 1); /* the link went down once since */
    CHECK_EQ(rd(B_LINKSTA) & 0x40000080, 0x40000080);
    bench_close();
}

TEST(reset, a_firmware_reset_takes_the_admin_queue_too)
{
    global(4, 3, 1000000);
    CHECK_EQ(rd(B_ATQLEN), 0);
    bench_close();
}

TEST(reset, the_link_is_down_while_the_mac_resets)
{
    bench_open();
    wr(B_RTRIG, 2);
    pass_us(6000);
    CHECK_EQ(rd(B_LINKSTA), 0);
    CHECK(!chip_link_get(bench.chip, 0));
    pass_us(1000000);
    CHECK(chip_link_get(bench.chip, 0));
    bench_close();
}

TEST(reset, the_firmware_does_not_answer_while_it_is_away)
{
    bench_open();
    aq_open(32);
    wr(B_RTRIG, 1);
    pass_us(6000);
    (void)aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    CHECK_EQ(rd(B_ATQH), 0);
    pass_us(1000000);
    aq_open(32);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    bench_close();
}

TEST(reset, a_stronger_request_replaces_a_waiting_weaker_one)
{
    bench_open();
    wr(B_RTRIG, 1);
    wr(B_RTRIG, 4);
    CHECK_EQ(rd(B_RSTAT) >> 2 & 3, 3);
    wr(B_RTRIG, 1);
    CHECK_EQ(rd(B_RSTAT) >> 2 & 3, 3);
    bench_close();
}

TEST(reset, the_chip_can_reset_itself_on_request)
{
    struct chip_fault_args args = { .value = 2, .count = 1 };

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_GLOBAL_RESET, &args);
    CHECK_EQ(rd(B_RSTAT) & 3, 1);
    CHECK_EQ(rd(B_RSTAT) >> 2 & 3, 2);
    bench_close();
}

/* X4: between a look and the next write there is always time for a reset. */
TEST(reset, a_driver_is_not_blamed_for_a_reset_it_cannot_know_of)
{
    struct chip_fault_args args = { .value = 1, .count = 1 };
    unsigned before;

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_GLOBAL_RESET, &args);
    pass_us(100000);
    before = bench.complaints;
    wr(QTX_ENA0, 1); /* its context went with the reset */
    CHECK_EQ(bench.complaints, before);
    bench.pf = 1;
    (void)rd(B_RSTAT); /* the other function's look */
    bench.pf = 0;
    wr(QTX_ENA0, 0);
    wr(QTX_ENA0, 1);
    CHECK_EQ(bench.complaints, before);
    CHECK_EQ(rd(B_RSTAT) & 3, 0);
    wr(QTX_ENA0, 0);
    wr(QTX_ENA0, 1);
    CHECK(bench.complaints > before);
    bench_close();
}

TEST(reset, who_never_looks_is_blamed_after_two_seconds)
{
    struct chip_fault_args args = { .value = 1, .count = 1 };
    unsigned before;

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_GLOBAL_RESET, &args);
    pass_us(3000000);
    before = bench.complaints;
    wr(QTX_ENA0, 1);
    CHECK(bench.complaints > before);
    bench_close();
}

/* A machine that restarts finds the shared registers as at power-on too. */
TEST(reset, power_on_of_all_used_functions_resets_what_they_share)
{
    bench_open();
    wr(GLINT, 7);
    bench.pf = 1;
    wr(ITRN0, 1);
    chip_power_on(bench.chip, 0);
    CHECK_EQ(rd(GLINT), 7);
    chip_power_on(bench.chip, 1);
    CHECK_EQ(rd(GLINT), 0);
    CHECK_EQ(chip_cfg_read(bench.chip, 1, 4, 2), 0);
    bench_close();
}

TEST(reset, power_on_returns_the_permanent_address)
{
    uint8_t p[16] = { 0 };

    bench_open();
    aq_open(32);
    put16(p + 2, 0x0212);
    put32(p + 4, 0x3456789A);
    CHECK_EQ(aq(0x0108, 0, 0, p), 0);
    chip_power_on(bench.chip, 0);
    chip_cfg_write(bench.chip, 0, 4, 2, 0x0006);
    aq_open(32);
    CHECK_EQ(aq(0x0107, F_BUF, 24, NULL), 0);
    CHECK_EQ(aq_buf()[5], 0x10);
    bench_close();
}
