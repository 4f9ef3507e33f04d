/*
 * chip_rx_test.c - receive: which frames are taken, and what the driver sees
 */
#include "tests/unit/chip_rig.h"

#include "chip/sum.h"

static uint8_t f[16384];
static const uint8_t own_mac[6] = { 2, 0, 0, 0, 0, 0x10 };

static size_t some_frame(size_t len)
{
    for (size_t i = 0; i < len; i++)
        f[i] = (uint8_t)(i * 11 + (i >> 8));
    put_eth(f, 0x9000);
    return len;
}

static size_t udp_frame(unsigned n)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 8 + n);
    return 34 + put_udp(f + 14, f + 34, n);
}

static void check_one_frame(unsigned desc_bytes)
{
    rig_rx_ready(desc_bytes, 2048);
    rx_post(0, 16);
    CHECK(rig_receive(f, udp_frame(30)));
    CHECK(rx_is_done(0, 0));
    CHECK(!rx_is_done(0, 1));
    CHECK_EQ(rx_len(0, 0), 72);
    CHECK_BYTES(rx_buf_of(0), f, 72);
    CHECK_EQ(rx_buf_of(0)[72], 0xEE);
    CHECK_EQ(rx_ptype(0, 0), 24);
    /* DD, EOF, L3L4P, unicast, no errors */
    CHECK_EQ(rx_qw(0, 0, 1) & 0x3FFFFFFF, 0xB);
    CHECK_EQ(rx_qw(0, 0, 0), 0);
    CHECK_STR(rig.rules, "");
}

TEST(rx, one_frame_in_a_16_byte_descriptor)
{
    check_one_frame(16);
}

TEST(rx, one_frame_in_a_32_byte_descriptor)
{
    check_one_frame(32);
}

TEST(rx, short_frames_arrive_padded)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 16);
    rig_receive(f, some_frame(14));
    CHECK_EQ(rx_len(0, 0), 60);
    CHECK_EQ(rx_buf_of(0)[59], 0);
    CHECK_EQ(rig_port_stats()->PRC64[0], 1);
}

TEST(rx, every_size_arrives_intact)
{
    rig_rx_ready(32, 2048);
    for (size_t len = 60; len <= 9728; len += len < 200 ? 1 : 317) {
        unsigned at = rig.rx_tail, got = 0;

        rx_post(0, 5);
        rig_receive(f, some_frame(len));
        for (; got < len; at = (at + 1) % RING) {
            const unsigned n = rx_len(0, at);

            CHECK(rx_is_done(0, at));
            CHECK_BYTES(rx_buf_of(at), f + got, n);
            got += n;
            /* EOF in the last only */
            CHECK_EQ(rx_qw(0, at, 1) >> 1 & 1, got == len);
        }
        CHECK_EQ(got, len);
        /* leave the ring as it was: repost what the frame did not use */
        rig.rx_tail = at;
        rig_pf()->rxq[0].tail = rig_pf()->rxq[0].head;
        rig_pf()->rxq[0].rung = at;
        reg_w(R_QRX_TAIL, at);
    }
}

TEST(rx, a_long_frame_is_scattered_and_only_the_last_part_says_what_it_is)
{
    rig_rx_ready(16, 2048);
    rx_post(0, 16);
    rig_receive(f, some_frame(9728));
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(rx_len(0, i), 2048);
        CHECK_EQ(rx_qw(0, i, 1) & 0x3FFFFFFFFF, 1); /* DD alone */
    }
    CHECK_EQ(rx_len(0, 4), 9728 - 4 * 2048);
    CHECK_EQ(rx_ptype(0, 4), 1);
    CHECK_EQ(rx_qw(0, 4, 1) & 3, 3);
}

TEST(rx, more_than_five_buffers_is_too_long)
{
    rig_rx_ready(16, 1024);
    context_bits(rig_rx_ctx(0), 174, 14, 9728);
    reg_w(R_QRX_ENA, 0);
    rig_quiet();
    rig.rx_tail = 0;
    CHECK(rig_rx_on(0));
    rx_post(0, 32);
    rig_receive(f, some_frame(5121));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(chip_reg_read(rig.chip, 0, 0x318000 + 8 * 128, 8), 1);
    rig_receive(f, some_frame(5120));
    CHECK(rx_is_done(0, 4));
}

TEST(rx, frames_above_rxmax_are_dropped_and_counted)
{
    rig_rx_ready(32, 2048);
    context_bits(rig_rx_ctx(0), 174, 14, 1522);
    reg_w(R_QRX_ENA, 0);
    rig.rx_tail = 0;
    CHECK(rig_rx_on(0));
    rx_post(0, 16);
    rig_receive(f, some_frame(1523));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(chip_reg_read(rig.chip, 0, 0x318000 + 8 * 128, 8), 1);
    rig_receive(f, some_frame(1522));
    CHECK_EQ(rx_len(0, 0), 1522);
}

TEST(rx, frames_above_the_mac_limit_never_get_in)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 16);
    rig_pf()->link.max_frame = 1518;
    rig_receive(f, some_frame(1519));
    CHECK_EQ(rig_port_stats()->ROC[0], 1);
    CHECK_EQ(rig_port_stats()->UPRC[0], 0);
    CHECK(!rx_is_done(0, 0));
    rig_receive(f, some_frame(1518));
    CHECK(rx_is_done(0, 0));
}

TEST(rx, the_fcs_is_stored_when_the_context_keeps_it)
{
    rig_rx_ready(32, 2048);
    context_bits(rig_rx_ctx(0), 117, 1, 0);
    reg_w(R_QRX_ENA, 0);
    rig.rx_tail = 0;
    CHECK(rig_rx_on(0));
    rx_post(0, 16);
    memset(f, 0, 60);
    memcpy(f, own_mac, 6);
    rig_receive(f, 60);
    CHECK_EQ(rx_len(0, 0), 64);
    CHECK_EQ(le32(rx_buf_of(0) + 60), sum_fcs(f, 60));
}

/* ---- no room ---- */

TEST(rx, without_buffers_a_frame_is_lost_and_counted)
{
    rig_rx_ready(32, 2048);
    CHECK(rig_receive(f, some_frame(64)));
    CHECK_EQ(rig_vsi_stats()->RDPC, 1);
    CHECK_EQ(rig_vsi_stats()->UPRC, 1);
    CHECK_EQ(rig_port_stats()->UPRC[0], 1);
}

TEST(rx, a_frame_that_may_wait_is_refused_and_not_counted)
{
    rig_rx_ready(32, 2048);
    CHECK(!chip_wire_rx(rig.chip, 0, f, some_frame(64), true));
    CHECK_EQ(rig_vsi_stats()->RDPC, 0);
    CHECK_EQ(rig_port_stats()->UPRC[0], 0);
    rx_post(0, 8);
    CHECK(chip_wire_rx(rig.chip, 0, f, 64, true));
    CHECK_EQ(rig_port_stats()->UPRC[0], 1);
}

TEST(rx, one_descriptor_short_means_no_part_of_the_frame_is_stored)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 1);
    rig_receive(f, some_frame(4000));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(rx_buf_of(0)[0], 0xEE);
    CHECK_EQ(rig_vsi_stats()->RDPC, 1);
}

TEST(rx, the_ring_wraps_without_loss)
{
    rig_rx_ready(32, 2048);
    for (unsigned i = 0; i < 10 * RING; i++) {
        const unsigned slot = rig.rx_tail;

        rx_post(0, 1);
        some_frame(60 + i % 1000);
        CHECK(rig_receive(f, 60 + i % 1000));
        CHECK(rx_is_done(0, slot));
        CHECK_EQ(rx_len(0, slot), 60 + i % 1000);
    }
    CHECK_STR(rig.rules, "");
}

TEST(rx, a_tail_rung_in_memory_is_seen_when_a_frame_needs_room)
{
    static uint32_t tails[2048];

    rig_rx_ready(32, 2048);
    rx_post(0, 1);
    rig_receive(f, some_frame(64));
    memset(tails, 0, sizeof(tails));
    tails[0] = 1;
    chip_doorbells_set(rig.chip, 0, NULL, tails);
    put_le64(rx_desc_of(0, 1), BUS(AT_RX_BUF));
    put_le64(rx_desc_of(0, 1) + 8, 0);
    tails[0] = 2;
    rig_receive(f, 64);
    CHECK(rx_is_done(0, 1));
}

/* Q4 of qregs.c */
TEST(rx, a_trapped_tail_that_was_overtaken_takes_no_buffer_back)
{
    static uint32_t tails[2048];

    rig_rx_ready(32, 2048);
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, NULL, tails);
    rx_post(0, 4);
    CHECK_EQ(tails[0], 4);
    tails[0] = 6;
    reg_w(R_QRX_TAIL, 5);
    CHECK_EQ(reg_r(R_QRX_TAIL), 6);
    reg_w(R_QRX_TAIL, 8);
    CHECK_EQ(tails[0], 8);
    CHECK_STR(rig.rules, "");
}

TEST(rx, the_first_tail_may_be_the_slot_behind_the_head)
{
    static uint32_t tails[2048];

    rig_rx_ready(32, 2048);
    memset(tails, 0, sizeof(tails));
    chip_doorbells_set(rig.chip, 0, NULL, tails);
    reg_w(R_QRX_ENA, 0);
    reg_w(R_QRX_TAIL, 3); /* of an earlier life */
    tails[0] = 0;
    reg_w(R_QRX_ENA, 1);
    reg_w(R_QRX_TAIL, RING - 1);
    CHECK_EQ(tails[0], RING - 1);
    CHECK_STR(rig.rules, "");
}

static uint64_t random_of(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

/* Random key, table and types, as a mad driver writes them. */
static void rss_words_random(uint64_t *x)
{
    for (unsigned i = 0; i < 13; i++)
        reg_w(R_HKEY + 0x80 * i, (uint32_t)random_of(x));
    reg_w(R_HENA, ~0u);
    reg_w(R_HENA + 0x80, ~0u);
    for (unsigned p = 0; p < 128; p++)
        reg_w(0x267600 + 4 * p, (uint32_t)random_of(x));
}

/* ---- which frames ---- */

static bool is_taken(const uint8_t *dst)
{
    const uint64_t before =
        rig_vsi_stats()->UPRC + rig_vsi_stats()->MPRC + rig_vsi_stats()->BPRC;

    some_frame(64);
    memcpy(f, dst, 6);
    rig_receive(f, 64);
    return rig_vsi_stats()->UPRC + rig_vsi_stats()->MPRC +
               rig_vsi_stats()->BPRC !=
           before;
}

TEST(rx, promiscuous_bits_go_by_cast)
{
    static const uint8_t uni[6] = { 2, 9, 9, 9, 9, 9 };
    static const uint8_t multi[6] = { 1, 0, 0x5E, 9, 9, 9 };
    static const uint8_t broad[6] = { 255, 255, 255, 255, 255, 255 };

    rig_rx_ready(32, 2048);
    rig_promisc(0);
    CHECK(!is_taken(uni) && !is_taken(multi) && !is_taken(broad));
    rig_promisc(PROMISC_UNICAST);
    CHECK(is_taken(uni) && !is_taken(multi) && !is_taken(broad));
    rig_promisc(PROMISC_MULTICAST);
    CHECK(!is_taken(uni) && is_taken(multi) && !is_taken(broad));
    rig_promisc(PROMISC_BROADCAST);
    CHECK(!is_taken(uni) && !is_taken(multi) && is_taken(broad));
    rig_promisc(PROMISC_DEFAULT);
    CHECK(is_taken(uni) && is_taken(multi) && is_taken(broad));
}

/* Give the main VSI one filter, as command 0x0250 would. */
static void one_filter(const uint8_t *mac, unsigned vlan, unsigned flags)
{
    struct chip_filter *flt = &rig.chip->filter[CHIP_FILTERS_MAX - 1];

    *flt = (struct chip_filter) { .used = true,
                                  .next = -1,
                                  .vsi = rig_pf()->main_vsi,
                                  .vlan = (uint16_t)vlan,
                                  .flags = (uint8_t)flags };
    memcpy(flt->mac, mac, 6);
    rig_vsi()->filters = CHIP_FILTERS_MAX - 1;
    rig_promisc(0);
}

static bool tagged_is_taken(const uint8_t *dst, unsigned vid)
{
    const uint64_t before = rig_vsi_stats()->UPRC;

    some_frame(64);
    memcpy(f, dst, 6);
    w16(f + 12, 0x8100);
    w16(f + 14, vid);
    rig_receive(f, 64);
    return rig_vsi_stats()->UPRC != before;
}

TEST(rx, an_exact_filter_takes_its_address_and_vlan_only)
{
    static const uint8_t mac[6] = { 2, 7, 7, 7, 7, 7 };
    static const uint8_t other[6] = { 2, 7, 7, 7, 7, 8 };

    rig_rx_ready(32, 2048);
    one_filter(mac, 0, FILTER_PERFECT);
    CHECK(is_taken(mac));
    CHECK(!is_taken(other));
    CHECK(!tagged_is_taken(mac, 5));
    CHECK(tagged_is_taken(mac, 0)); /* priority-tagged */
    one_filter(mac, 5, FILTER_PERFECT);
    CHECK(!is_taken(mac));
    CHECK(tagged_is_taken(mac, 5));
    CHECK(!tagged_is_taken(mac, 6));
    one_filter(mac, 0, FILTER_PERFECT | FILTER_IGNORE_VLAN);
    CHECK(is_taken(mac));
    CHECK(tagged_is_taken(mac, 6));
}

TEST(rx, a_vsis_own_source_address_is_pruned_unless_local_lb_is_set)
{
    static const uint8_t mac[6] = { 2, 7, 7, 7, 7, 7 };
    uint64_t before;

    rig_rx_ready(32, 2048);
    one_filter(mac, 0, FILTER_PERFECT);
    rig_promisc(PROMISC_UNICAST);
    put_le16(rig_vsi()->props + VSI_SWITCH_ID, 0);
    some_frame(64);
    memcpy(f + 6, mac, 6);
    before = rig_vsi_stats()->UPRC;
    rig_receive(f, 64);
    CHECK_EQ(rig_vsi_stats()->UPRC, before);
    put_le16(rig_vsi()->props + VSI_SWITCH_ID, VSI_SW_LOCAL_LB);
    rig_promisc(PROMISC_UNICAST);
    rig_receive(f, 64);
    CHECK_EQ(rig_vsi_stats()->UPRC, before + 1);
}

TEST(rx, a_filter_may_name_the_queue)
{
    static const uint8_t mac[6] = { 2, 7, 7, 7, 7, 7 };

    rig_rx_ready(32, 2048);
    rig_vsi_queues(1);
    rig_rx_default(1, 32, 2048);
    CHECK(rig_rx_on(1));
    rx_arm(1, 1);
    rx_post(1, 8);
    one_filter(mac, 0, FILTER_PERFECT | FILTER_TO_QUEUE);
    rig.chip->filter[CHIP_FILTERS_MAX - 1].queue = 1;
    CHECK(is_taken(mac));
    CHECK(rx_is_done(1, 0));
}

TEST(rx, pause_frames_are_counted_and_end_in_the_mac_when_it_obeys_them)
{
    static const uint8_t to[6] = { 1, 0x80, 0xC2, 0, 0, 1 };

    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    some_frame(60);
    memcpy(f, to, 6);
    w16(f + 12, 0x8808);
    w16(f + 14, 1);
    w16(f + 16, 100);
    rig_receive(f, 60);
    CHECK(rx_is_done(0, 0));
    reg_w(0x1E2400, 8); /* PRTDCB_MFLCN.RFCE */
    rig_receive(f, 60);
    CHECK(!rx_is_done(0, 1));
    w16(f + 16, 0);
    rig_receive(f, 60);
    CHECK_EQ(rig_port_stats()->LXOFFRXC[0], 2);
    CHECK_EQ(rig_port_stats()->LXONRXC[0], 1);
}

TEST(rx, a_control_packet_filter_drops_by_ethertype)
{
    struct chip_ctlfilter *flt;

    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    flt = &rig.chip->ctlfilter[CHIP_CTLF_MAX - 1];
    *flt = (struct chip_ctlfilter) { .used = true,
                                     .etype = 0x9000,
                                     .flags = CTLF_DROP | CTLF_IGNORE_MAC };
    rig.chip->switch_gen++;
    rig_receive(f, some_frame(60));
    CHECK(!rx_is_done(0, 0));
    w16(f + 12, 0x9001);
    rig_receive(f, 60);
    CHECK(rx_is_done(0, 0));
}

TEST(rx, nothing_arrives_on_a_dead_link)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    chip_link_set(rig.chip, 0, false);
    rig_advance(2000000000);
    rig_receive(f, some_frame(64));
    CHECK_EQ(rig_port_stats()->UPRC[0], 0);
    CHECK(!rx_is_done(0, 0));
}

/* ---- VLAN stripping ---- */

static void receive_tagged(unsigned mode)
{
    rig_rx_ready(32, 2048);
    rig_vlan_egress(mode);
    rx_post(0, 8);
    some_frame(100);
    w16(f + 12, 0x8100);
    w16(f + 14, 0xA123);
    w16(f + 16, 0x9000);
    rig_receive(f, 100);
}

TEST(rx, a_tag_goes_to_the_descriptor_when_the_vsi_strips)
{
    receive_tagged(0);
    CHECK_EQ(rx_len(0, 0), 96);
    CHECK_BYTES(rx_buf_of(0), f, 12);
    CHECK_BYTES(rx_buf_of(0) + 12, f + 16, 84);
    CHECK_EQ(rx_qw(0, 0, 0) >> 16 & 0xFFFF, 0xA123);
    CHECK(rx_qw(0, 0, 1) & 4);
}

TEST(rx, a_tag_stays_in_the_frame_when_the_vsi_does_nothing)
{
    receive_tagged(3);
    CHECK_EQ(rx_len(0, 0), 100);
    CHECK_BYTES(rx_buf_of(0), f, 100);
    CHECK_EQ(rx_qw(0, 0, 0), 0);
    CHECK(!(rx_qw(0, 0, 1) & 4));
}

TEST(rx, a_hidden_tag_is_nowhere)
{
    receive_tagged(2);
    CHECK_EQ(rx_len(0, 0), 96);
    CHECK_EQ(rx_qw(0, 0, 0), 0);
    CHECK(!(rx_qw(0, 0, 1) & 4));
}

/* ---- RSS ---- */

static const uint32_t suite_key[13] = {
    /* Microsoft's key, byte 4i in bits 7:0 of register i */
    0xda565a6d, 0xc20e5b25, 0x3d256741, 0xb08fa343, 0xcb2bcad0,
    0xb4307bae, 0xa32dcb77, 0x0cf23080, 0x3bb7426a, 0xfa01acbe,
};

/* The suite's first TCP vector; hash 51ccc178. */
static size_t suite_frame(void)
{
    static const uint8_t addr[8] = { 66, 9, 149, 187, 161, 142, 100, 80 };

    put_eth(f, 0x0800);
    put_ipv4(f + 14, 6, 20);
    memcpy(f + 26, addr, 8);
    put_tcp(f + 14, f + 34, 0);
    w16(f + 34, 2794);
    w16(f + 36, 1766);
    return 60;
}

static void rss_ready(uint32_t hena_low)
{
    rig_rx_ready(32, 2048);
    rig_vsi_queues(2);
    rig_promisc(PROMISC_UNICAST);
    for (unsigned q = 1; q < 4; q++) {
        rig_rx_default(q, 32, 2048);
        CHECK(rig_rx_on(q));
        rx_arm(q, 1);
    }
    for (unsigned i = 0; i < 13; i++)
        reg_w(R_HKEY + 0x80 * i, suite_key[i]);
    reg_w(R_HENA, hena_low);
    reg_w(R_HENA + 0x80, 2); /* PCTYPE 33, TCP over IPv4 */
    for (unsigned i = 0; i < 128; i++)
        reg_w(R_HLUT + 0x80 * i, 0);
    for (unsigned q = 0; q < 4; q++) {
        rig.rx_tail = 0;
        rx_post(q, 8);
    }
}

TEST(rx, rss_reports_the_published_hash_and_picks_the_queue_of_the_table)
{
    const uint32_t hash = 0x51ccc178;
    const unsigned entry = hash & 127; /* 0x78 */

    rss_ready(0);
    reg_w(R_HLUT + 0x80 * (entry / 4), 3u << entry % 4 * 8);
    rig_receive(f, suite_frame());
    CHECK(rx_is_done(3, 0));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(rx_qw(3, 0, 0) >> 32, hash);
    CHECK_EQ(rx_qw(3, 0, 1) >> 12 & 3, 3);
}

TEST(rx, a_table_of_512_uses_nine_bits)
{
    const unsigned entry = 0x51ccc178 & 511; /* 0x178 */

    rss_ready(0);
    reg_w(R_PFQF_CTL_0, 1u << 16);
    reg_w(R_HLUT + 0x80 * (entry / 4), 2u << entry % 4 * 8);
    rig_receive(f, suite_frame());
    CHECK(rx_is_done(2, 0));
}

TEST(rx, a_type_that_is_not_enabled_goes_to_the_first_queue_unhashed)
{
    rss_ready(0);
    for (unsigned i = 0; i < 128; i++)
        reg_w(R_HLUT + 0x80 * i, 0x01010101);
    rig_receive(f, udp_frame(30));
    CHECK(rx_is_done(0, 0));
    CHECK_EQ(rx_qw(0, 0, 0), 0);
    CHECK_EQ(rx_qw(0, 0, 1) >> 12 & 3, 0);
}

TEST(rx, a_table_entry_beyond_the_vsi_is_told)
{
    rss_ready(0);
    for (unsigned i = 0; i < 128; i++)
        reg_w(R_HLUT + 0x80 * i, 0x3F3F3F3F);
    rig_receive(f, suite_frame());
    CHECK_STR(rig.rule, "rx-lut-range");
}

/* ---- the examiner ---- */

TEST(rx_examiner, a_tail_beyond_the_ring_is_told_and_ignored)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 4);
    reg_w(R_QRX_TAIL, RING);
    CHECK_STR(rig.rule, "rx-tail-range");
    rig_receive(f, some_frame(64));
    CHECK(rx_is_done(0, 0));
}

TEST(rx_examiner, a_tail_that_goes_back_is_told)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    reg_w(R_QRX_TAIL, 4);
    CHECK_STR(rig.rule, "rx-tail-backward");
}

TEST(rx_examiner, a_descriptor_posted_with_dd_set_is_told)
{
    rig_rx_ready(32, 2048);
    put_le64(rx_desc_of(0, 0), BUS(AT_RX_BUF));
    put_le64(rx_desc_of(0, 0) + 8, 1);
    reg_w(R_QRX_TAIL, 4);
    rig_receive(f, some_frame(64));
    CHECK_STR(rig.rule, "rx-desc-dd");
}

TEST(rx_examiner, a_header_address_that_is_not_used_is_fine)
{
    rig_rx_ready(32, 2048);
    put_le64(rx_desc_of(0, 0), BUS(AT_RX_BUF));
    put_le64(rx_desc_of(0, 0) + 8, BUS(AT_RX_BUF));
    reg_w(R_QRX_TAIL, 4);
    rig_receive(f, some_frame(64));
    CHECK(rx_is_done(0, 0));
    CHECK_STR(rig.rules, "");
}

TEST(rx_examiner, a_descriptor_without_buffer_is_told_and_not_used)
{
    rig_rx_ready(32, 2048);
    reg_w(R_QRX_TAIL, 4);
    rig_receive(f, some_frame(64));
    CHECK_STR(rig.rule, "rx-desc-zero");
    CHECK_EQ(rig_vsi_stats()->RDPC, 1);
}

TEST(rx_examiner, a_buffer_outside_memory_is_told)
{
    rig_rx_ready(32, 2048);
    put_le64(rx_desc_of(0, 0), 0x1000);
    reg_w(R_QRX_TAIL, 4);
    rig_receive(f, some_frame(64));
    CHECK_CONTAINS(rig.rules, "dma-unmapped");
}

TEST(rx, counters_tell_frames_by_cast_and_size_with_fcs)
{
    struct chip_port_stats *s;

    rig_rx_ready(32, 2048);
    s = rig_port_stats();
    rx_post(0, 32);
    rig_receive(f, some_frame(60));
    rig_receive(f, some_frame(124));
    some_frame(251);
    f[0] = 1;
    rig_receive(f, 251);
    some_frame(507);
    memset(f, 255, 6);
    rig_receive(f, 507);
    rig_receive(f, some_frame(1019));
    CHECK_EQ(s->PRC64[0], 1);
    CHECK_EQ(s->PRC255[0], 2); /* 128 and 255 */
    CHECK_EQ(s->PRC511[0], 1);
    CHECK_EQ(s->PRC1023[0], 1);
    CHECK_EQ(s->UPRC[0], 3);
    CHECK_EQ(s->MPRC[0], 1);
    CHECK_EQ(s->BPRC[0], 1);
    CHECK_EQ(s->GORC[0], 64 + 128 + 255 + 511 + 1023);
    CHECK_EQ(rig_vsi_stats()->GORC, s->GORC[0]);
}

/* Random rings and frames: whatever comes, the chip survives and returns. */
TEST(rx, random_descriptors_and_frames_do_no_harm)
{
    uint64_t x = 88172645463325252u;

    for (unsigned round = 0; round < 300; round++) {
        uint8_t *raw;

        rig_rx_ready(round % 2 ? 16 : 32, 1024);
        rss_words_random(&x);
        raw = rig_rx_ctx(0);
        reg_w(R_QRX_ENA, 0);
        context_bits(raw, 89, 13,
                     random_of(&x) % 2 ? 32 + random_of(&x) % 100 : 64);
        context_bits(raw, 174, 14, random_of(&x));
        context_bits(raw, 117, 1, random_of(&x));
        CHECK(rig_rx_on(0));
        for (unsigned i = 0; i < 256; i++)
            put_le64(rig.mem + AT_RX_RING + i * 8,
                     random_of(&x) % 4 ? BUS(random_of(&x) % RIG_BYTES)
                                       : random_of(&x));
        for (unsigned i = 0; i < 60; i++) {
            const size_t len = 14 + random_of(&x) % (i % 3 ? 200 : 9715);

            for (size_t b = 0; b < 100; b++)
                f[b] = (uint8_t)random_of(&x);
            w16(f + 12, i % 4 == 0 ? 0x0800 : i % 4 == 1 ? 0x86DD : 0x8100);
            f[14] = i % 4 == 0 ? 0x45 : 0x60;
            reg_w(R_QRX_TAIL, random_of(&x) % 140);
            rig_vlan_egress(i % 4);
            rig_receive(f, len);
        }
    }
}

TEST(rx, queues_of_a_function_under_reset_take_nothing)
{
    rig_rx_ready(32, 2048);
    rx_post(0, 8);
    reg_w(0x92400, 1); /* PF reset */
    rig_advance(2000000000);
    rig_receive(f, some_frame(64));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(reg_r(R_QRX_ENA), 0);
}

/* As a host's reset does it: the command register first, silence after. */
TEST(rx, a_function_that_lost_bus_mastering_holds_its_rings_still)
{
    rig_rx_ready(16, 2048);
    rx_post(0, 16);
    chip_cfg_write(rig.chip, 0, 4, 2, 0x0002);
    CHECK(!chip_wire_rx(rig.chip, 0, f, some_frame(64), true));
    CHECK(chip_wire_rx(rig.chip, 0, f, some_frame(64), false));
    chip_poll(rig.chip, 64);
    CHECK_STR(rig.rules, "");
    chip_cfg_write(rig.chip, 0, 4, 2, 0x0006);
    CHECK(!rx_is_done(0, 0));
    CHECK(rig_receive(f, some_frame(64)));
    CHECK(rx_is_done(0, 0));
    CHECK(!rx_is_done(0, 1));
}
