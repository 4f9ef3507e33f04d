/*
 * chip_tx_test.c - transmit: descriptors in, frames and reports out
 */
#include "tests/unit/chip_rig.h"

static uint8_t f[16384];

static size_t some_frame(size_t len)
{
    for (size_t i = 0; i < len; i++)
        f[i] = (uint8_t)(i * 7 + (i >> 8));
    if (len >= 14)
        put_eth(f, 0x9000);
    return len;
}

static void send_one(size_t len)
{
    some_frame(len);
    tx_put_data(f, len, D_LAST);
    tx_ring();
}

TEST(tx, one_frame_goes_out_unchanged_and_is_reported)
{
    rig_tx_ready();
    send_one(100);
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(rig.frame[0].port, 0);
    CHECK_EQ(rig.frame[0].len, 100);
    CHECK_BYTES(rig.frame[0].bytes, f, 100);
    CHECK(tx_is_done(0));
    CHECK_EQ(reg_r(R_QTX_HEAD), 1);
    CHECK_STR(rig.rules, "");
}

TEST(tx, short_frames_are_padded_with_zeros_to_60)
{
    rig_tx_ready();
    send_one(17);
    CHECK_EQ(rig.frame[0].len, 60);
    CHECK_BYTES(rig.frame[0].bytes, f, 17);
    for (unsigned i = 17; i < 60; i++)
        CHECK_EQ(rig.frame[0].bytes[i], 0);
}

TEST(tx, the_largest_frame_goes_out)
{
    rig_tx_ready();
    send_one(9728);
    CHECK_EQ(rig.frame[0].len, 9728);
    CHECK_BYTES(rig.frame[0].bytes, f, 9728);
    CHECK_STR(rig.rules, "");
}

TEST(tx, buffers_of_a_frame_are_joined_up_to_eight)
{
    rig_tx_ready();
    some_frame(800);
    for (unsigned i = 0; i < 8; i++)
        tx_put_data(f + i * 100, 100, i == 7 ? D_LAST : D_ICRC);
    tx_ring();
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(rig.frame[0].len, 800);
    CHECK_BYTES(rig.frame[0].bytes, f, 800);
    CHECK(tx_is_done(7));
    CHECK(!tx_is_done(0));
    CHECK_STR(rig.rules, "");
}

TEST(tx, the_ring_wraps)
{
    rig_tx_ready();
    for (unsigned i = 0; i < 5 * RING; i++)
        send_one(60 + i % 100);
    CHECK_EQ(rig.frames, 5 * RING);
    CHECK_STR(rig.rules, "");
}

TEST(tx, only_descriptors_with_rs_are_marked)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 64, D_EOP | D_ICRC);
    tx_put_data(f, 64, D_LAST);
    tx_ring();
    CHECK_EQ(rig.frames, 2);
    CHECK(!tx_is_done(0));
    CHECK(tx_is_done(1));
}

TEST(tx, marking_done_keeps_the_other_bits)
{
    rig_tx_ready();
    send_one(64);
    CHECK_EQ(le64(tx_desc_of(0, 0) + 8), D_LAST | D_SIZE(64) | 0xF);
}

TEST(tx, doorbell_memory_is_polled_not_trapped)
{
    static uint32_t tails[2048];

    rig_tx_ready();
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, tails, NULL);
    some_frame(64);
    tx_put_data(f, 64, D_LAST);
    tails[0] = 1;
    CHECK_EQ(rig.frames, 0);
    CHECK_EQ(chip_poll(rig.chip, 32), 1);
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(chip_poll(rig.chip, 32), 0);
}

/* Q4 of qregs.c */
TEST(tx, a_trapped_doorbell_that_was_overtaken_takes_no_tail_back)
{
    static uint32_t tails[2048];

    rig_tx_ready();
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, tails, NULL);
    some_frame(64);
    for (unsigned i = 0; i < 3; i++)
        tx_put_data(f, 64, D_LAST);
    tails[0] = 3;
    reg_w(R_QTX_TAIL, 1); /* was written before, and comes after */
    CHECK_EQ(reg_r(R_QTX_TAIL), 3);
    CHECK_EQ(chip_poll(rig.chip, 32), 3);
    reg_w(R_QTX_TAIL, 2);
    CHECK_EQ(chip_poll(rig.chip, 32), 0);
    for (unsigned i = 0; i < 2; i++)
        tx_put_data(f, 64, D_LAST);
    reg_w(R_QTX_TAIL, 5); /* this one is newer */
    CHECK_EQ(chip_poll(rig.chip, 32), 2);
    CHECK_EQ(rig.frames, 5);
    CHECK_STR(rig.rules, "");
    for (unsigned i = 0; i < 2; i++)
        tx_put_data(f, 64, D_LAST);
    reg_w(R_QTX_TAIL, 7);
    reg_w(R_QTX_TAIL, 6); /* nobody stored anything since */
    CHECK_STR(rig.rule, "tx-tail-backward");
}

TEST(tx, a_poll_handles_no_more_than_its_budget)
{
    static uint32_t tails[2048];

    rig_tx_ready();
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, tails, NULL);
    some_frame(64);
    for (unsigned i = 0; i < 10; i++)
        tx_put_data(f, 64, D_LAST);
    tails[0] = 10;
    CHECK_EQ(chip_poll(rig.chip, 4), 4);
    CHECK_EQ(chip_poll(rig.chip, 4), 4);
    CHECK_EQ(chip_poll(rig.chip, 4), 2);
}

TEST(tx, a_queue_starts_empty_whatever_the_tail_register_holds)
{
    rig_tx_ready();
    send_one(64);
    reg_w(0xE6500, 1u << 30); /* pre-disable */
    reg_w(R_QTX_ENA, 0);
    CHECK_EQ(reg_r(R_QTX_ENA), 0);
    reg_w(0xE6500, 1u << 31);
    rig_quiet();
    CHECK(rig_tx_on(0));
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(reg_r(R_QTX_TAIL), 0);
    CHECK_STR(rig.rules, "");
}

TEST(tx, a_stopped_queue_sends_nothing)
{
    rig_tx_ready();
    reg_w(0xE6500, 1u << 30);
    reg_w(R_QTX_ENA, 0);
    rig_quiet();
    send_one(64);
    CHECK_EQ(rig.frames, 0);
    CHECK_STR(rig.rule, "tx-tail-off");
}

TEST(tx, stopping_a_queue_sends_what_was_rung_before)
{
    static uint32_t tails[2048];

    rig_tx_ready();
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, tails, NULL);
    some_frame(64);
    tx_put_data(f, 64, D_LAST);
    tails[0] = 1;
    reg_w(0xE6500, 1u << 30);
    reg_w(R_QTX_ENA, 0);
    CHECK_EQ(rig.frames, 1);
    CHECK(tx_is_done(0));
    CHECK_STR(rig.rules, "");
}

TEST(tx, a_nop_is_passed_over)
{
    rig_tx_ready();
    tx_put(0, 1);
    tx_ring();
    CHECK_EQ(reg_r(R_QTX_TAIL), 1);
    send_one(64);
    CHECK_EQ(rig.frames, 1);
    CHECK_STR(rig.rules, "");
}

TEST(tx, a_dummy_is_done_but_not_sent)
{
    rig_tx_ready();
    context_bits(rig_tx_default(1), 91, 1, 1);
    some_frame(64);
    tx_put_data(f, 64, D_LAST | D_DUMMY);
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    CHECK(tx_is_done(0));
}

TEST(tx, filter_programming_is_consumed_on_a_queue_that_allows_it)
{
    rig_open();
    context_bits(rig_tx_default(0), 91, 1, 1);
    CHECK(rig_tx_on(0));
    tx_put(0, 8 | 1 << 4);
    send_one(64);
    CHECK_EQ(rig.frames, 1);
    CHECK_STR(rig.rules, "");
}

TEST(tx, counters_tell_frames_by_cast_and_size_with_fcs)
{
    struct chip_port_stats *s;

    rig_tx_ready();
    s = rig_port_stats();
    send_one(60);
    some_frame(61);
    memset(f, 0xFF, 6);
    tx_put_data(f, 61, D_LAST);
    some_frame(1518);
    f[0] = 1;
    tx_put_data(f, 1518, D_LAST);
    send_one(1519);
    CHECK_EQ(s->UPTC[0], 2);
    CHECK_EQ(s->BPTC[0], 1);
    CHECK_EQ(s->MPTC[0], 1);
    CHECK_EQ(s->PTC64[0], 1);
    CHECK_EQ(s->PTC127[0], 1);
    CHECK_EQ(s->PTC1522[0], 1);
    CHECK_EQ(s->PTC9522[0], 1);
    CHECK_EQ(s->GOTC[0], 64 + 65 + 1522 + 1523);
    CHECK_EQ(rig_vsi_stats()->GOTC, 64 + 65 + 1522 + 1523);
    CHECK_EQ(rig_vsi_stats()->UPTC, 2);
}

TEST(tx, frames_for_a_dead_link_are_dropped_and_counted)
{
    rig_tx_ready();
    chip_link_set(rig.chip, 0, false);
    rig_advance(2000000000);
    send_one(64);
    CHECK_EQ(rig.frames, 0);
    CHECK(tx_is_done(0));
    CHECK_EQ(rig_port_stats()->TDOLD[0], 1);
}

TEST(tx, a_control_packet_filter_stops_pause_frames_of_the_driver)
{
    rig_tx_ready();
    rig.chip->ctlfilter[0] = (struct chip_ctlfilter) {
        .used = true,
        .etype = 0x8808,
        .flags = CTLF_DROP | CTLF_IGNORE_MAC | CTLF_TX,
    };
    rig.chip->switch_gen++;
    some_frame(64);
    w16(f + 12, 0x8808);
    tx_put_data(f, 64, D_LAST);
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    CHECK(tx_is_done(0));
    send_one(64);
    CHECK_EQ(rig.frames, 1);
}

TEST(tx, a_vsi_with_a_port_vlan_tags_what_is_untagged)
{
    rig_tx_ready();
    rig_vsi()->props[VSI_PORT_VLAN_FLAGS] |= VSI_VLAN_INS_PVID;
    put_le16(rig_vsi()->props + VSI_PVID, 0x0055);
    rig.chip->switch_gen++;
    send_one(64);
    CHECK_EQ(rig.frame[0].len, 68);
    CHECK_EQ(r32(rig.frame[0].bytes + 12), 0x81000055);
}

TEST(tx, a_port_in_loopback_hears_itself)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    rig_tx_default(0);
    CHECK(rig_tx_on(0));
    rig_pf()->link.loopback = 1;
    send_one(64);
    rig_advance(1);
    CHECK_EQ(rig.frames, 0);
    CHECK(rx_is_done(0, 0));
    CHECK_BYTES(rx_buf_of(0), f, 64);
}

/* ---- the examiner ---- */

/* What was written breaks @rule and is malicious: the queue stops. */
static void check_stops(const char *rule)
{
    CHECK_CONTAINS(rig.rules, rule);
    CHECK_EQ(reg_r(R_PF_MDET_TX), 1);
    CHECK(reg_r(R_GL_MDET_TX) >> 31);
    CHECK_EQ(reg_r(R_GL_MDET_TX) & 0xFFF, 0); /* the queue */
    rig.frames = 0;
    send_one(64);
    CHECK_EQ(rig.frames, 0);
}

TEST(tx_examiner, a_tail_beyond_the_ring_stops_the_queue)
{
    rig_tx_ready();
    reg_w(R_QTX_TAIL, RING);
    check_stops("tx-tail-range");
}

TEST(tx_examiner, an_empty_buffer_stops_the_queue)
{
    rig_tx_ready();
    tx_put(BUS(AT_TX_BUF), D_LAST);
    tx_ring();
    check_stops("tx-size-zero");
}

TEST(tx_examiner, a_frame_of_16_bytes_stops_the_queue)
{
    rig_tx_ready();
    send_one(16);
    check_stops("tx-size");
}

TEST(tx_examiner, a_frame_of_9729_bytes_stops_the_queue)
{
    rig_tx_ready();
    send_one(9729);
    check_stops("tx-size");
}

TEST(tx_examiner, a_ninth_buffer_stops_the_queue)
{
    rig_tx_ready();
    some_frame(900);
    for (unsigned i = 0; i < 9; i++)
        tx_put_data(f + i * 100, 100, i == 8 ? D_LAST : D_ICRC);
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    check_stops("tx-buffers");
}

TEST(tx_examiner, a_finished_descriptor_stops_the_queue)
{
    rig_tx_ready();
    tx_put(BUS(AT_TX_BUF), D_LAST | D_SIZE(64) | 0xF);
    tx_ring();
    check_stops("tx-dtype");
}

TEST(tx_examiner, checksums_without_header_lengths_stop_the_queue)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 64, D_LAST | D_IPV4 | D_TCP);
    tx_ring();
    check_stops("tx-offload-headers");
}

TEST(tx_examiner, without_icrc_a_frame_is_counted_but_lost)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 64, D_EOP | D_RS);
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    CHECK_EQ(rig_port_stats()->UPTC[0], 1);
    CHECK(tx_is_done(0));
    CHECK_STR(rig.rule, "tx-icrc");
}

TEST(tx_examiner, descriptors_that_disagree_are_told)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 32, D_ICRC | D_TAG1);
    tx_put_data(f + 32, 32, D_LAST);
    tx_ring();
    CHECK_STR(rig.rule, "tx-desc-differs");
}

TEST(tx_examiner, rs_before_the_end_is_told)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 32, D_ICRC | D_RS);
    tx_put_data(f + 32, 32, D_LAST);
    tx_ring();
    CHECK_STR(rig.rule, "tx-rs-not-last");
}

TEST(tx_examiner, reserved_bits_are_told)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 64, D_LAST | UINT64_C(1) << 14);
    tx_ring();
    CHECK_STR(rig.rule, "tx-desc-reserved");
    tx_put(UINT64_C(1) << 50, 1 | UINT64_C(4) << 4);
    tx_put_data(f, 64, D_LAST);
    tx_ring();
    CHECK_STR(rig.rule, "tx-ctx-desc-reserved");
}

TEST(tx_examiner, a_context_descriptor_in_the_middle_is_told)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 32, D_ICRC);
    tx_put(0, 1 | UINT64_C(4) << 4);
    tx_put_data(f + 32, 32, D_LAST);
    tx_ring();
    CHECK_STR(rig.rule, "tx-ctx-desc-place");
}

TEST(tx_examiner, a_tail_inside_a_packet_is_told_once_and_the_packet_waits)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 32, D_ICRC);
    tx_ring();
    chip_poll(rig.chip, 8);
    CHECK_STR(rig.rules, "tx-tail-mid-packet ");
    tx_put_data(f + 32, 32, D_LAST);
    tx_ring();
    CHECK_EQ(rig.frames, 1);
    CHECK_EQ(rig.frame[0].len, 64);
}

TEST(tx_examiner, a_tail_that_goes_back_is_told)
{
    rig_tx_ready();
    some_frame(64);
    tx_put_data(f, 32, D_ICRC); /* stays pending */
    tx_put_data(f, 32, D_ICRC);
    tx_ring();
    rig_quiet();
    reg_w(R_QTX_TAIL, 1);
    CHECK_STR(rig.rule, "tx-tail-backward");
}

TEST(tx_examiner, a_buffer_outside_memory_is_told)
{
    rig_tx_ready();
    tx_put(0x1000, D_LAST | D_SIZE(64));
    tx_ring();
    CHECK_CONTAINS(rig.rules, "dma-unmapped");
}

TEST(tx_examiner, a_ring_without_any_rs_is_told)
{
    rig_tx_ready();
    some_frame(64);
    for (unsigned i = 0; i < RING; i++) {
        tx_put_data(f, 64, D_EOP | D_ICRC);
        tx_ring();
    }
    CHECK_STR(rig.rules, "tx-no-rs ");
}

TEST(tx_examiner, filter_programming_without_fd_ena_is_told)
{
    rig_tx_ready();
    tx_put(0, 8 | 1 << 4);
    send_one(64);
    CHECK_STR(rig.rule, "tx-fd-off");
}

/* Random descriptors: whatever comes, the chip survives and returns. */
TEST(tx, random_descriptors_do_no_harm)
{
    uint64_t x = 88172645463325252u;

    rig_tx_ready();
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < 8; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            tx_put(x & 1 ? BUS(x >> 8 & 0x3FFFFF) : x,
                   (x * 0x9E3779B97F4A7C15u & ~(x & 2 ? 15u : 14u)) |
                       (x & 4 ? D_EOP : 0));
        }
        tx_ring();
        chip_poll(rig.chip, 64);
        if (rig_pf()->txq[0].stopped) {
            reg_w(R_QTX_ENA, 0);
            rig.tx_tail = 0;
            CHECK(rig_tx_on(0));
        }
    }
}
