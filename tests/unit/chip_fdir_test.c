/*
 * chip_fdir_test.c - flow director: programmed as drivers do, met by packets
 */
#include "tests/unit/chip_rig.h"

/* BAR0 offsets and descriptor bits: Linux i40e_register.h, i40e_type.h. */
enum {
    R_PFQF_CTL_1 = 0x245D80,
    R_FDALLOC = 0x246280,
    R_FDSTAT = 0x246380,
    R_FD_INSET = 0x250000,
    R_PCNT = 0x266800,
    R_FDCNT_0 = 0x269BAC,
    R_PFGEN_CTRL = 0x92400,
};

#define CTL_0_FD_ENA (1u << 17)

#define PCTYPE_UDP4 31u
#define PCTYPE_TCP6 43u
#define P_ADD       (1u << 4)
#define P_REMOVE    (2u << 4)
#define P_TO_QUEUE  (1u << 7)
#define P_AS_OTHERS (2u << 7)
#define P_COUNT(i)  (1u << 11 | (uint32_t)(i) << 20)
#define P_REPORT_ID (1u << 13)

#define RX_FLM          (UINT64_C(1) << 11)
#define RX_FLTSTAT(qw1) ((unsigned)((qw1) >> 12 & 3))

static uint8_t f[512];

/* What the flow's peer would send, or the flow itself, by order of the ends. */
static size_t udp(const char ends[2], unsigned sport, unsigned dport)
{
    uint8_t *ip = f + put_eth(f, 0x0800);
    uint8_t *l4 = ip + put_ipv4(ip, 17, 8 + 30);
    const size_t len = 34 + put_udp(ip, l4, 30);

    ip[15] = (uint8_t)ends[0];
    ip[19] = (uint8_t)ends[1];
    w16(l4, sport);
    w16(l4 + 2, dport);
    return len;
}

/* Ready to receive on queues 0 and 1, and to send filters on queue 0. */
static void ready(unsigned desc_bytes)
{
    rig_rx_ready(desc_bytes, 2048);
    rig_vsi_queues(1);
    rig_rx_default(1, desc_bytes, 2048);
    CHECK(rig_rx_on(1));
    rx_arm(1, 2);
    context_bits(rig_tx_default(0), 91, 1, 1);
    CHECK(rig_tx_on(0));
    rx_post(0, 8);
    rig.rx_tail = 0;
    rx_post(1, 8);
    reg_w(R_PFQF_CTL_0, CTL_0_FD_ENA);
}

static void program(unsigned pctype, unsigned queue, uint32_t cmd, uint32_t id,
                    const uint8_t *sample, size_t len)
{
    tx_put(queue | pctype << 17 | (uint32_t)rig_vsi()->number << 23,
           8 | cmd | (uint64_t)id << 32);
    tx_put_data(sample, len, D_LAST | D_DUMMY);
    tx_ring();
    (void)chip_poll(rig.chip, 64);
    rig_advance(1000000);
}

/* A filter for UDP from 10.0.0.1:1000 to 10.0.0.2:2000. */
static void program_udp(unsigned queue, uint32_t cmd, uint32_t id)
{
    const size_t len = udp("\2\1", 2000, 1000);

    program(PCTYPE_UDP4, queue, cmd, id, f, len);
}

static void receive_udp(const char ends[2], unsigned sport, unsigned dport)
{
    CHECK(rig_receive(f, udp(ends, sport, dport)));
}

TEST(fdir, a_packet_of_the_flow_goes_to_the_filters_queue)
{
    ready(32);
    program_udp(1, P_ADD | P_TO_QUEUE | P_REPORT_ID, 0x1234);
    CHECK(tx_is_done(1));
    CHECK_EQ(rig.frames, 0); /* the sample is for the chip alone */
    receive_udp("\1\2", 1000, 2000);
    CHECK(!rx_is_done(0, 0));
    CHECK(rx_is_done(1, 0));
    CHECK(rx_qw(1, 0, 1) & RX_FLM);
    CHECK_EQ(rx_qw(1, 0, 2) >> 4 & 3, 1); /* FLEXBH: filter ID */
    CHECK_EQ(rx_qw(1, 0, 3) >> 32, 0x1234);
    CHECK_STR(rig.rules, "");
}

TEST(fdir, a_short_descriptor_carries_the_id_where_the_hash_would_be)
{
    ready(16);
    program_udp(1, P_ADD | P_TO_QUEUE | P_REPORT_ID, 7);
    receive_udp("\1\2", 1000, 2000);
    CHECK_EQ(rx_qw(1, 0, 0) >> 32, 7);
    CHECK_EQ(RX_FLTSTAT(rx_qw(1, 0, 1)), 1);
}

/* Linux i40e_txrx.c i40e_create_dummy_packet leaves it out. */
TEST(fdir, a_sample_needs_no_ip_length)
{
    size_t len;

    ready(32);
    len = udp("\2\1", 2000, 1000);
    w16(f + 16, 0);
    program(PCTYPE_UDP4, 1, P_ADD | P_TO_QUEUE, 1, f, len);
    receive_udp("\1\2", 1000, 2000);
    CHECK(rx_is_done(1, 0));
    receive_udp("\1\2", 1000, 2001);
    CHECK(rx_is_done(0, 0));
    CHECK_STR(rig.rules, "");
}

TEST(fdir, other_flows_go_their_way)
{
    ready(32);
    program_udp(1, P_ADD | P_TO_QUEUE, 1);
    receive_udp("\1\2", 1000, 2001);
    receive_udp("\1\2", 1001, 2000);
    receive_udp("\1\3", 1000, 2000);
    receive_udp("\2\1", 2000, 1000); /* as the sample was */
    CHECK(rx_is_done(0, 3));
    CHECK(!rx_is_done(1, 0));
    CHECK(!(rx_qw(0, 0, 1) & RX_FLM));
}

TEST(fdir, nothing_matches_while_it_is_off)
{
    ready(32);
    program_udp(1, P_ADD | P_TO_QUEUE, 1);
    reg_w(R_PFQF_CTL_0, 0);
    receive_udp("\1\2", 1000, 2000);
    CHECK(rx_is_done(0, 0));
}

TEST(fdir, a_flow_can_be_dropped_and_is_counted)
{
    ready(32);
    program_udp(0, P_ADD | P_COUNT(9), 1);
    receive_udp("\1\2", 1000, 2000);
    receive_udp("\1\2", 1000, 2000);
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(reg_r(R_PCNT + 4 * 9), 2);
    reg_w(R_PCNT + 4 * 9, 1);
    CHECK_EQ(reg_r(R_PCNT + 4 * 9), 0);
}

TEST(fdir, a_flow_can_be_marked_only)
{
    ready(32);
    program_udp(1, P_ADD | P_AS_OTHERS | P_REPORT_ID, 5);
    receive_udp("\1\2", 1000, 2000);
    CHECK(rx_is_done(0, 0));
    CHECK_EQ(rx_qw(0, 0, 3) >> 32, 5);
}

TEST(fdir, an_update_replaces_and_a_removal_ends_a_filter)
{
    ready(32);
    program_udp(0, P_ADD | P_TO_QUEUE, 1);
    program_udp(1, P_ADD | P_TO_QUEUE, 2);
    CHECK_EQ(reg_r(R_FDSTAT), 1);
    CHECK_EQ(reg_r(R_FDCNT_0), 1);
    receive_udp("\1\2", 1000, 2000);
    CHECK(rx_is_done(1, 0));
    program_udp(1, P_REMOVE | P_TO_QUEUE, 2);
    CHECK_EQ(reg_r(R_FDSTAT), 0);
    receive_udp("\1\2", 1000, 2000);
    CHECK(rx_is_done(0, 0));
    CHECK(!rx_is_done(1, 1));
}

TEST(fdir, the_input_set_says_what_a_flow_is)
{
    ready(32);
    /* Destination port only (DPDK i40e_ethdev.h, I40E_REG_INSET_L4_DST). */
    reg_w(R_FD_INSET + PCTYPE_UDP4 * 64, 0);
    reg_w(R_FD_INSET + PCTYPE_UDP4 * 64 + 32, 0x2);
    program_udp(1, P_ADD | P_TO_QUEUE, 1);
    receive_udp("\5\6", 77, 2000);
    CHECK(rx_is_done(1, 0));
    receive_udp("\1\2", 1000, 2001);
    CHECK(!rx_is_done(1, 1));
}

TEST(fdir, removing_what_is_not_there_is_told_on_the_paired_queue)
{
    ready(32);
    program_udp(1, P_REMOVE | P_TO_QUEUE, 0x99);
    CHECK(rx_is_done(0, 0));
    CHECK_EQ(rx_qw(0, 0, 0) >> 32, 0x99);
    /* Linux: SPH and no length; PROGID 1; NO_FD_ENTRY */
    CHECK_EQ(rx_qw(0, 0, 1) >> 38, 0x2000000);
    CHECK_EQ(rx_qw(0, 0, 1) >> 2 & 7, 1);
    CHECK_EQ(rx_qw(0, 0, 1) >> 19 & 0x3F, 2);
}

TEST(fdir, a_full_table_is_told)
{
    ready(32);
    for (unsigned i = 0; i < 512 + 7168; i++)
        program(PCTYPE_UDP4, 1, P_ADD | P_TO_QUEUE, i, f,
                udp("\2\1", 1 + i % 60000, 1 + i / 60000));
    CHECK(!rx_is_done(0, 0));
    CHECK_EQ(reg_r(R_FDSTAT), 512 | 7168 << 16);
    CHECK_EQ(reg_r(R_FDCNT_0), 512 | 7168 << 13);
    program(PCTYPE_UDP4, 1, P_ADD | P_TO_QUEUE, 1, f, udp("\2\1", 9, 65000));
    CHECK(rx_is_done(0, 0));
    CHECK_EQ(rx_qw(0, 0, 1) >> 19 & 0x3F, 1);
    reg_w(R_PFQF_CTL_1, 1);
    CHECK_EQ(reg_r(R_PFQF_CTL_1), 0);
    CHECK_EQ(reg_r(R_FDSTAT), 0);
    CHECK_EQ(reg_r(R_FDCNT_0), 0);
}

TEST(fdir, a_function_reset_forgets_its_filters)
{
    ready(32);
    program_udp(1, P_ADD | P_TO_QUEUE, 1);
    reg_w(R_PFGEN_CTRL, 1);
    CHECK_EQ(reg_r(R_FDSTAT), 0);
    CHECK_EQ(reg_r(R_FDALLOC), 16 | 224 << 8);
}

TEST(fdir, ipv6_flows_work_too)
{
    uint8_t *ip = f + put_eth(f, 0x86DD);
    uint8_t *l4 = ip + put_ipv6(ip, 6, 20);
    uint8_t sample[128];
    size_t len;

    ready(32);
    put_tcp(ip, l4, 0);
    len = (size_t)(l4 + 20 - f);
    memcpy(sample, f, len);
    memcpy(sample + 14 + 8, f + 14 + 24, 16);
    memcpy(sample + 14 + 24, f + 14 + 8, 16);
    memcpy(sample + 54, f + 56, 2);
    memcpy(sample + 56, f + 54, 2);
    program(PCTYPE_TCP6, 1, P_ADD | P_TO_QUEUE, 3, sample, len);
    CHECK(rig_receive(f, len));
    CHECK(rx_is_done(1, 0));
}
