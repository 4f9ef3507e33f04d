/*
 * chip_writeback_test.c - when the driver gets to see what the queues did
 */
#include "chip/control.h"
#include "tests/unit/chip_rig.h"

static uint8_t f[256];

static void receive(unsigned n)
{
    memset(f, 0, sizeof(f));
    put_eth(f, 0x9000);
    while (n-- > 0)
        CHECK(chip_wire_rx(rig.chip, 0, f, 60, false));
}

static void rx_ready_unarmed(unsigned desc_bytes)
{
    rig_open();
    rig_promisc(PROMISC_UNICAST);
    rig_rx_default(0, desc_bytes, 2048);
    CHECK(rig_rx_on(0));
    rx_post(0, 32);
}

static unsigned done(void)
{
    unsigned n = 0;

    while (n < RING && rx_is_done(0, n))
        n++;
    return n;
}

static void check_lines(unsigned desc_bytes, bool lines_are_long,
                        unsigned per_line)
{
    rx_ready_unarmed(desc_bytes);
    if (lines_are_long)
        rig.chip->regs.GLPCI_CNF2[0] |= 2; /* CACHELINE_SIZE */
    for (unsigned i = 1; i <= 24; i++) {
        receive(1);
        rig_advance(1000000000);
        chip_poll(rig.chip, 8);
        CHECK_EQ(done(), i / per_line * per_line);
    }
}

TEST(writeback, unarmed_only_full_lines_of_32_byte_descriptors_appear)
{
    check_lines(32, false, 2);
    check_lines(32, true, 4);
}

TEST(writeback, unarmed_only_full_lines_of_16_byte_descriptors_appear)
{
    check_lines(16, false, 4);
    check_lines(16, true, 8);
}

TEST(writeback, arming_the_interrupt_lets_a_lone_packet_out)
{
    rx_ready_unarmed(32);
    receive(1);
    rig_advance(1000000);
    CHECK_EQ(done(), 0);
    rx_arm(0, 1);
    rig_advance(1);
    CHECK_EQ(done(), 1);
    CHECK_EQ(rig.vectors[1], 1);
}

TEST(writeback, a_cause_that_is_off_lets_nothing_out)
{
    rx_ready_unarmed(32);
    rx_arm(0, 1);
    reg_w(R_QINT_RQCTL, 1 | 3 << 11); /* CAUSE_ENA 0 */
    receive(1);
    rig_advance(1000000000);
    CHECK_EQ(done(), 0);
    CHECK_EQ(rig.vectors[1], 0);
}

/* Interrupt 1 on throttle 0 of @units x 2 us. */
static void arm_throttled(unsigned units, unsigned dyn)
{
    reg_w(0x3F800, 7);
    reg_w(R_QINT_RQCTL, 1 | 1u << 30);
    reg_w(R_ITRN, units);
    reg_w(R_DYN_CTLN, dyn | 3 << 3);
}

/* What iPXE lives on: it arms, never reads ICR0, and looks at its ring. */
TEST(writeback, an_interrupt_for_any_cause_lets_out_what_its_queues_hold)
{
    rx_ready_unarmed(32);
    reg_w(0x38800, 1u << 30);      /* ICR0_ENA: ADMINQ */
    reg_w(R_QINT_RQCTL, 1u << 30); /* vector 0, ITR 0 */
    for (unsigned i = 1; i <= 5; i++) {
        intr_other(rig.chip, &rig.chip->pf[0], ICR0_ADMINQ);
        reg_w(0x38480, 1); /* DYN_CTL0: fires at once, and is off again */
        receive(1);
        rig_advance(1000000);
        CHECK_EQ(done(), i / 2 * 2);
        reg_w(0x38480, 1);
        CHECK_EQ(done(), i);
    }
}

TEST(writeback, in_pxe_mode_each_descriptor_is_stored_at_once)
{
    rx_ready_unarmed(16);
    rig.chip->regs.GLLAN_RCTL_0[0] = 1;
    for (unsigned i = 1; i <= 5; i++) {
        receive(1);
        CHECK_EQ(done(), i);
    }
    reg_w(0x12a500, 1);
    receive(1);
    CHECK_EQ(done(), 5);
}

TEST(writeback, the_throttle_interval_paces_partial_lines)
{
    rx_ready_unarmed(32);
    arm_throttled(16, 1); /* 32 us, as DPDK sets it */
    receive(1);
    rig_advance(1);
    CHECK_EQ(done(), 1); /* the timer had run out long ago */
    receive(2);
    rig_advance(1);
    CHECK_EQ(done(), 2); /* slot 1 filled a line; slot 2 waits */
    rig_advance(31000);
    CHECK_EQ(done(), 2);
    rig_advance(1000);
    CHECK_EQ(done(), 3);
    CHECK_EQ(rig.vectors[1], 2);
}

TEST(writeback, wb_on_itr_lets_out_without_an_interrupt)
{
    rx_ready_unarmed(32);
    arm_throttled(16, 1u << 30);
    receive(1);
    rig_advance(32000);
    CHECK_EQ(done(), 1);
    CHECK_EQ(rig.vectors[1], 0);
}

TEST(writeback, auto_mask_holds_back_until_the_driver_arms_again)
{
    rx_ready_unarmed(32);
    rx_arm(0, 1);
    reg_w(0x3F800, 0); /* auto-mask, as Linux leaves it */
    receive(1);
    rig_advance(1);
    CHECK_EQ(done(), 1);
    CHECK_EQ(rig.vectors[1], 1);
    CHECK_EQ(reg_r(R_DYN_CTLN) & 1, 0);
    receive(2);
    rig_advance(1000000);
    CHECK_EQ(done(), 2);
    CHECK_EQ(rig.vectors[1], 1);
    reg_w(R_DYN_CTLN, 1 | 3 << 3);
    rig_advance(1);
    CHECK_EQ(done(), 3);
    CHECK_EQ(rig.vectors[1], 2);
}

TEST(writeback, stopping_a_queue_lets_out_what_it_held)
{
    rx_ready_unarmed(32);
    receive(1);
    CHECK_EQ(done(), 0);
    reg_w(R_QRX_ENA, 0);
    CHECK_EQ(done(), 1);
    memset(rx_desc_of(0, 0), 0, 64 * 32);
    receive(4);
    rig_advance(1000000);
    CHECK_EQ(done(), 0);
}

TEST(writeback, a_line_at_the_end_of_the_ring_is_not_held_over)
{
    rx_ready_unarmed(32);
    for (unsigned i = 0; i < RING - 1; i++) {
        rig.rx_tail = i;
        rx_post(0, 2); /* tail stays ahead of head */
        receive(1);
    }
    rig.rx_tail = RING - 1;
    rx_post(0, 2);
    receive(1);
    CHECK(rx_is_done(0, RING - 1));
}

/* ---- transmit ---- */

static uint32_t head_word(void)
{
    return le32(rig.mem + AT_HEAD_WB);
}

static void tx_ready_head_wb(void)
{
    uint8_t *raw;

    rig_open();
    raw = rig_tx_default(0);
    context_bits(raw, 160, 1, 1);
    context_bits(raw, 192, 64, BUS(AT_HEAD_WB));
    CHECK(rig_tx_on(0));
    put_le32(rig.mem + AT_HEAD_WB, 0xFFFF);
}

static void send_one(uint64_t bits)
{
    memset(f, 0, sizeof(f));
    tx_put_data(f, 64, bits);
    tx_ring();
}

TEST(writeback, the_head_word_follows_rs_and_descriptors_stay_as_they_were)
{
    tx_ready_head_wb();
    send_one(D_LAST);
    CHECK_EQ(head_word(), 1);
    CHECK(!tx_is_done(0));
}

TEST(writeback, a_lone_packet_without_rs_is_reported_by_time)
{
    tx_ready_head_wb();
    reg_w(0x3F800, 7);
    reg_w(R_QINT_TQCTL, 2 | 1 << 11 | 1u << 30);
    reg_w(R_ITRN + 0x800 + 4, 25); /* throttle 1 of vector 2: 50 us */
    reg_w(R_DYN_CTLN + 4, 1 | 3 << 3);
    send_one(D_EOP | D_ICRC);
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(head_word(), 0xFFFF);
    rig_advance(49000);
    CHECK_EQ(head_word(), 0xFFFF);
    rig_advance(1000);
    CHECK_EQ(head_word(), 1);
    CHECK_EQ(rig.vectors[2], 1);
}

TEST(writeback, a_report_by_time_needs_no_armed_interrupt)
{
    tx_ready_head_wb();
    send_one(D_EOP | D_ICRC);
    rig_advance(1000000);
    CHECK_EQ(head_word(), 1);
}

TEST(writeback, a_transmit_report_raises_the_cause)
{
    rig_tx_ready();
    reg_w(0x3F800, 7);
    reg_w(R_QINT_TQCTL, 2 | 3 << 11 | 1u << 30);
    reg_w(R_DYN_CTLN + 4, 1 | 3 << 3);
    send_one(D_EOP | D_ICRC);
    rig_advance(1000000);
    CHECK_EQ(rig.vectors[2], 0); /* nothing to see in the descriptors */
    send_one(D_LAST);
    CHECK_EQ(rig.vectors[2], 1);
}
