/* The model's registers: where they are, what they keep, who is told. */
#include "tests/unit/chip_bench.h"

#include "chip/regs.h"

TEST(regs, table_is_in_order_inside_the_bar_without_overlap)
{
    uint32_t end = 0;

    for (unsigned i = 0; i < CHIP_REG_COUNT; i++) {
        const struct chip_reg_row *row = &chip_reg_table[i];

        CHECK_EQ(row->offset % 4, 0);
        CHECK_EQ(row->step % 4, 0);
        CHECK(row->count >= 1 && row->step >= 4);
        CHECK(row->offset >= end);
        end = row->offset + (row->count - 1) * row->step + 4;
        CHECK(end <= CHIP_BAR0_BYTES);
        CHECK_EQ(row->reset & ~row->mask, 0);
    }
}

TEST(regs, every_row_is_found_at_both_ends_and_not_between)
{
    for (unsigned i = 0; i < CHIP_REG_COUNT; i++) {
        const struct chip_reg_row *row = &chip_reg_table[i];
        uint32_t index = 99999;

        CHECK(chip_reg_find(row->offset, &index) == row);
        CHECK_EQ(index, 0);
        CHECK(chip_reg_find(row->offset + (row->count - 1) * row->step,
                            &index) == row);
        CHECK_EQ(index, row->count - 1);
        if (row->step > 4)
            CHECK(chip_reg_find(row->offset + 4, &index) == NULL);
    }
    CHECK(chip_reg_find(0, &(uint32_t) { 0 }) == NULL);
}

/* Linux i40e_register.h: first and last of the arrays a driver indexes. */
TEST(regs, arrays_lie_where_the_public_header_has_them)
{
    static const struct {
        const char *name;
        uint32_t first, last;
    } known[] = {
        { "QTX_ENA", 0x100000, 0x1017FC },
        { "QRX_TAIL", 0x128000, 0x1297FC },
        { "QTX_HEAD", 0x0E4000, 0x0E57FC },
        { "QINT_TQCTL", 0x03C000, 0x03D7FC },
        { "PFINT_DYN_CTLN", 0x034800, 0x034FFC },
        { "PFINT_ITRN", 0x030000, 0x0317FC },
        { "PFQF_HLUT", 0x240000, 0x243F80 },
        { "PFQF_HKEY", 0x244800, 0x244E00 },
        { "PFQF_HENA", 0x245900, 0x245980 },
        { "GLLAN_TXPRE_QDIS", 0x0E6500, 0x0E652C },
        { "PFCM_LANCTXDATA", 0x10C100, 0x10C280 },
        { "GLHMC_LANRXCNT", 0x0C6500, 0x0C653C },
        { "GLQF_HASH_INSET", 0x267600, 0x2677FC },
        { "PRTQF_FD_INSET", 0x250000, 0x250FE0 },
    };

    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        uint32_t index;
        const struct chip_reg_row *row = chip_reg_find(known[i].first, &index);

        CHECK(row != NULL);
        CHECK_STR(row->name, known[i].name);
        CHECK_EQ(index, 0);
        CHECK(chip_reg_find(known[i].last, &index) == row);
        CHECK_EQ(index, row->count - 1);
    }
}

/* What the public drivers insist on at power-on. */
TEST(regs, power_on_values_let_the_drivers_probe)
{
    bench_open();
    CHECK_EQ(rd(0x83048), 0);                /* GL_FWSTS: no recovery */
    CHECK_EQ(rd(0xB6108) & 0x40, 0x40);      /* GLNVM_FLA.LOCKED */
    CHECK_EQ(rd(0xB6008) & 0x18, 0x18);      /* GLNVM_ULD */
    CHECK_EQ(rd(0xB6110) >> 31, 1);          /* SRCTL.DONE before use */
    CHECK_EQ(rd(0xB6100) >> 5 & 7, 2);       /* 4 KiB of shadow RAM */
    CHECK(rd(0xB8180) & 0x3F);               /* GRSTDEL */
    CHECK_EQ(rd(B_RSTAT) & 3, 0);            /* DEVSTATE */
    CHECK_EQ(rd(0xC2004), 7);                /* LANTXOBJSZ */
    CHECK_EQ(rd(0xC200C), 5);                /* LANRXOBJSZ */
    CHECK_EQ(rd(0xC2008), 1536);             /* LANQMAX */
    CHECK((rd(0xC20D0) & 0xFFFF) >= 1536);   /* FCOEFMAX */
    CHECK((rd(0xBE494) >> 2 & 0x7FF) >= 2);  /* CNF2: vectors of a PF */
    CHECK((rd(0xBE494) >> 13 & 0x7FF) >= 2); /* ... and of a VF */
    CHECK(rd(0x1E2140) >> 16 >= 9728);       /* PRTGL_SAH.MFS */
    CHECK_EQ(rd(B_LINKSTA) & 0x78000080, 0x58000080); /* up, 40G */
    CHECK_EQ(rd(0x1E4200) >> 8 & 0xF, 0xF); /* time stamping is nobody's */
    CHECK_EQ(rd(0xB8120) & 1, 0);           /* PRTGEN_CNF: port is there */
    CHECK_EQ(rd(0x1C0480), 0);              /* PFGEN_PORTNUM */
    bench.pf = 1;
    CHECK_EQ(rd(0x1C0480), 1);
    CHECK_EQ(rd(0x9C000) & 7, 1); /* PF_FUNC_RID */
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

/* ethtool's offline test, Linux i40e_diag.c: pattern and mask. */
TEST(regs, patterns_of_the_public_self_test_read_back)
{
    static const uint32_t pattern[] = { 0x5A5A5A5A, 0xA5A5A5A5, 0, 0xFFFFFFFF };
    static const struct {
        uint32_t offset, mask, step, count;
    } tested[] = {
        { 0x104000, 0x0000FFBF, 4, 64 }, { 0x038000, 0xFFF, 128, 3 },
        { 0x030000, 0xFFF, 4, 64 },      { 0x038400, 0xC, 4, 1 },
        { 0x038500, 0x1FFF, 4, 1 },      { 0x035000, 0x7FF, 4, 64 },
        { 0x03C000, 0xFF, 4, 64 },       { 0x03A000, 0xFF, 4, 64 },
        { 0x038800, 0xF7F20000, 4, 1 },
    };

    bench_open();
    for (unsigned i = 0; i < sizeof(tested) / sizeof(tested[0]); i++)
        for (unsigned n = 0; n < tested[i].count; n++)
            for (unsigned p = 0; p < 4; p++) {
                const uint32_t at = tested[i].offset + n * tested[i].step;
                const uint32_t v = pattern[p] & tested[i].mask;

                wr(at, v);
                CHECK_EQ(rd(at) & tested[i].mask, v);
            }
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(regs, functions_keep_their_own_and_share_the_chips)
{
    bench_open();
    wr(0x3A000, 5); /* QINT_RQCTL(0): of the function */
    wr(0x3F800, 7); /* GLINT_CTL: of the chip */
    bench.pf = 1;
    CHECK_EQ(rd(0x3A000), 0);
    CHECK_EQ(rd(0x3F800), 7);
    bench_close();
}

TEST(regs, unknown_offsets_read_zero_and_are_told)
{
    bench_open();
    CHECK_EQ(rd(0x7FFFFC), 0);
    CHECK_STR(bench.rule, "reg-unknown");
    CHECK_CONTAINS(bench.text, "0x7ffffc");
    wr(0x7FFFFC, 1);
    CHECK_EQ(bench.complaints, 2);
    CHECK_EQ(rd(0x7FFFFC), 0);
    bench_close();
}

TEST(regs, writes_to_read_only_registers_change_nothing_and_are_told)
{
    bench_open();
    wr(0xC2008, 1);
    CHECK_STR(bench.rule, "reg-read-only");
    CHECK_CONTAINS(bench.text, "GLHMC_LANQMAX");
    CHECK_EQ(rd(0xC2008), 1536);
    bench_close();
}

/* Linux i40e_ethtool.c i40e_set_ringparam fills rings without a tail so. */
TEST(regs, linux_may_use_the_port_status_as_a_tail_that_does_nothing)
{
    unsigned status;

    bench_open();
    status = rd(0xB8100);
    wr(0xB8100, 0x1FF);
    CHECK_EQ(rd(0xB8100), status);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(regs, reserved_bits_are_not_kept_and_are_told)
{
    bench_open();
    wr(0x3F800, 0xF8);
    CHECK_STR(bench.rule, "reg-reserved");
    CHECK_EQ(rd(0x3F800), 0);
    bench_close();
}

TEST(regs, a_silent_examiner_changes_no_behaviour)
{
    bench_open();
    chip_strict_set(bench.chip, false);
    wr(0x3F800, 0xFF);
    CHECK_EQ(rd(0x3F800), 7);
    CHECK_EQ(rd(0x7FFFFC), 0);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(regs, narrow_reads_are_cut_out_and_narrow_writes_refused)
{
    bench_open();
    wr(0x3A000, 0x11223344);
    CHECK_EQ(chip_reg_read(bench.chip, 0, 0x3A001, 1), 0x33);
    CHECK_EQ(chip_reg_read(bench.chip, 0, 0x3A002, 2), 0x1122);
    CHECK_STR(bench.rule, "reg-size");
    chip_reg_write(bench.chip, 0, 0x3A000, 1, 0xFF);
    CHECK_EQ(rd(0x3A000), 0x11223344);
    CHECK_EQ(chip_reg_read(bench.chip, 0, 0x3A003, 2), 0x11);
    bench_close();
}

TEST(regs, accesses_outside_the_bar_or_the_chip_do_nothing)
{
    bench_open();
    CHECK_EQ(chip_reg_read(bench.chip, 0, CHIP_BAR0_BYTES, 4), 0);
    CHECK_EQ(chip_reg_read(bench.chip, 9, 0, 4), 0);
    CHECK_EQ(chip_reg_read(bench.chip, 0, CHIP_BAR0_BYTES - 2, 8), 0);
    chip_reg_write(bench.chip, 0, 0xFFFFFFFC, 8, 1);
    chip_reg_write(bench.chip, 9, B_PFGEN_CTRL, 4, 1);
    bench_close();
}

TEST(regs, wide_accesses_are_two_dwords)
{
    bench_open();
    chip_reg_write(bench.chip, 0, 0x3A000, 8, UINT64_C(0x0000000200000001));
    CHECK_EQ(rd(0x3A000), 1);
    CHECK_EQ(rd(0x3A004), 2);
    CHECK_EQ(chip_reg_read(bench.chip, 0, 0x3A000, 8), 0x0000000200000001u);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(regs, the_timer_counts_microseconds)
{
    bench_open();
    pass_us(12345);
    CHECK_EQ(rd(0x881BC), 12345);
    bench_close();
}

TEST(regs, pre_disable_actions_read_back_as_zero)
{
    bench_open();
    wr(0xE6500, 5 | 1u << 30);
    CHECK_EQ(rd(0xE6500), 5);
    /* Linux reads, replaces the index and sets the next action. */
    wr(0xE6500, (rd(0xE6500) & ~0x7FFu) | 6 | 1u << 30);
    CHECK_EQ(rd(0xE6500), 6);
    CHECK_EQ(bench.complaints, 0);
    wr(0xE6504, 5 | 1u << 30); /* queue 133 is the other function's */
    CHECK_STR(bench.rule, "reg-range");
    bench_close();
}

TEST(regs, a_queue_beyond_the_function_is_told)
{
    bench_open();
    wr(0x100000 + 4 * 128, 1);
    CHECK_STR(bench.rule, "reg-range");
    CHECK_EQ(rd(0x100000 + 4 * 128), 0);
    wr(0x128000 + 4 * 128, 7);
    CHECK_EQ(bench.complaints, 2);
    bench_close();
}

TEST(regs, a_queue_without_context_does_not_start)
{
    bench_open();
    wr(0x104000, 2);
    wr(0x100000, 1);
    CHECK_EQ(rd(0x100000) & 4, 0);
    CHECK_STR(bench.rule, "queue-no-context");
    wr(0x120000, 1);
    CHECK_EQ(rd(0x120000) & 4, 0);
    bench_close();
}

/* Doorbell memory and registers are the same thing seen from two sides. */
TEST(regs, doorbell_memory_follows_writes_and_feeds_reads)
{
    static uint32_t tx[2048], rx[2048];

    bench_open();
    wr(0x128000 + 4 * 3, 9);
    chip_doorbells_set(bench.chip, 0, tx, rx);
    CHECK_EQ(rx[3], 9);
    wr(0x128000 + 4 * 3, 11);
    CHECK_EQ(rx[3], 11);
    rx[3] = 13; /* the guest's store, not trapped */
    CHECK_EQ(rd(0x128000 + 4 * 3), 13);
    wr(B_PFGEN_CTRL, 1); /* QRX_TAIL survives it */
    CHECK_EQ(rx[3], 13);
    chip_power_on(bench.chip, 0);
    CHECK_EQ(rx[3], 0);
    chip_doorbells_set(bench.chip, 0, NULL, NULL);
    bench_close();
}

TEST(regs, a_forced_register_lies_until_cleared)
{
    struct chip_fault_args args = { .opcode = B_RSTAT, .value = 3, .count = 1 };

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_REG_FORCE, &args);
    CHECK_EQ(rd(B_RSTAT), 3);
    CHECK_EQ(rd(B_RSTAT), 3);
    chip_fault(bench.chip, CHIP_FAULT_CLEAR, NULL);
    CHECK_EQ(rd(B_RSTAT), 0);
    bench_close();
}

TEST(regs, recovery_mode_shows_in_the_firmware_status)
{
    struct chip_fault_args args = { .count = 0xFFFFFFFF };

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_RECOVERY, &args);
    CHECK_EQ(rd(0x83048) >> 16 & 0xF0, 0x30);
    chip_fault(bench.chip, CHIP_FAULT_CLEAR, NULL);
    CHECK_EQ(rd(0x83048), 0);
    bench_close();
}

TEST(regs, a_malicious_driver_event_latches_and_clears_by_writing_ones)
{
    struct chip_fault_args args = { .pf = 1, .value = 5, .count = 1 };

    bench_open();
    chip_fault(bench.chip, CHIP_FAULT_MDD_TX, &args);
    CHECK_EQ(rd(0xE6480) & 0xFFF, 128 + 5); /* absolute queue */
    CHECK_EQ(rd(0xE6480) >> 21 & 0xF, 1);
    CHECK_EQ(rd(0xE6480) >> 31, 1);
    CHECK_EQ(rd(0xE6400), 0);
    bench.pf = 1;
    CHECK_EQ(rd(0xE6400), 1);
    CHECK(rd(B_ICR0) & 1u << 19);
    wr(0xE6480, 0xFFFFFFFF);
    wr(0xE6400, 0xFFFF);
    CHECK_EQ(rd(0xE6480), 0);
    CHECK_EQ(rd(0xE6400), 0);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

/* Linux i40e_register.h; each must at least be readable without complaint. */
TEST(regs, counters_read_wide_and_narrow)
{
    static const uint32_t port[] = { 0x300000, 0x300680, 0x3005A0, 0x3009C0,
                                     0x300480, 0x3006A0, 0x300600, 0x300A20 };
    static const uint32_t vsi[] = { 0x358000, 0x328000, 0x36C000,
                                    0x33C000, 0x310000, 0x344000 };

    bench_open();
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(chip_reg_read(bench.chip, 0, port[i] + 8, 8), 0);
    for (unsigned i = 0; i < 6; i++) {
        CHECK_EQ(chip_reg_read(bench.chip, 0, vsi[i] + 8 * 383, 8), 0);
        CHECK_EQ(rd(vsi[i]), 0);
    }
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(regs, impossible_configurations_make_no_chip)
{
    static const struct chip_host host = { .dma = bench_dma };
    struct chip_config c = {
        .device_id = 0x1583, .ports = 1, .queues_per_pf = 1, .sr_kib = 64
    };
    struct chip *chip = chip_create(&c, &host);

    CHECK(chip != NULL);
    chip_destroy(chip);
    c.ports = 0;
    CHECK(chip_create(&c, &host) == NULL);
    c.ports = 5;
    CHECK(chip_create(&c, &host) == NULL);
    c.ports = 4;
    c.queues_per_pf = 385;
    CHECK(chip_create(&c, &host) == NULL);
    c.queues_per_pf = 384;
    c.sr_kib = 5;
    CHECK(chip_create(&c, &host) == NULL);
    chip_destroy(NULL);
}

/* Any access anywhere: the chip survives and answers. */
TEST(regs, random_accesses_do_no_harm)
{
    static const unsigned sizes[] = { 1, 2, 4, 8 };
    uint32_t seed = 7;

    bench_open();
    aq_open(32);
    chip_strict_set(bench.chip, false);
    for (unsigned n = 0; n < 200000; n++) {
        uint32_t index, at;

        seed = seed * 1664525 + 1013904223;
        index = (seed >> 16) % CHIP_REG_COUNT;
        seed = seed * 1664525 + 1013904223;
        at = chip_reg_table[index].offset +
             (seed >> 8) % (chip_reg_table[index].count + 2) *
                 chip_reg_table[index].step;
        seed = seed * 1664525 + 1013904223;
        if (seed & 0x100000)
            (void)chip_reg_read(bench.chip, seed >> 30 & 1, at,
                                sizes[seed >> 28 & 3]);
        else
            chip_reg_write(bench.chip, seed >> 30 & 1, at, 4,
                           seed & 0x200000 ? seed >> 22 : seed * 2654435761u);
        if (n % 512 == 0)
            pass_us(100000);
    }
    bench_close();
}
