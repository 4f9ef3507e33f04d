/*
 * chip_offload_test.c - checksums, tags and segments on the way out
 *
 * Judged by RFC 1071 arithmetic on what arrives at the wire: a receiver that
 * sums header and pseudo header must get all ones.
 */
#include "tests/unit/chip_rig.h"

#include "chip/sum.h"

static uint8_t f[16384];

#define OUT (rig.frame[0].bytes)

/* Does layer 4 at @l4 of the IP packet at @ip verify? */
static bool l4_is_good(const uint8_t *ip, const uint8_t *l4, unsigned proto,
                       unsigned bytes)
{
    return rfc1071(l4, bytes, pseudo_sum(ip, proto, bytes)) == 0xFFFF;
}

/* A UDP datagram whose checksum is left to the hardware; odd length. */
static size_t udp_to_do(bool is_v6)
{
    const size_t ip = put_eth(f, is_v6 ? 0x86DD : 0x0800);
    const size_t l4 =
        ip + (is_v6 ? put_ipv6(f + ip, 17, 8 + 51) : put_ipv4(f + ip, 17, 59));
    const size_t n = put_udp(f + ip, f + l4, 51);

    w16(f + l4 + 6, pseudo_sum(f + ip, 17, 59));
    return l4 + n;
}

TEST(offload, udp_checksums_are_filled_in)
{
    size_t n;

    rig_tx_ready();
    n = udp_to_do(false);
    tx_put_data(f, n, D_LAST | D_IPV4 | D_UDP | D_LENS(14, 20, 8));
    tx_ring();
    CHECK(l4_is_good(OUT + 14, OUT + 34, 17, 59));
    CHECK_EQ(rfc1071(OUT + 14, 20, 0), 0xFFFF);
    CHECK_BYTES(OUT, f, 40);
    CHECK_BYTES(OUT + 42, f + 42, n - 42);
    rig.frames = 0;
    n = udp_to_do(true);
    tx_put_data(f, n, D_LAST | D_IPV6 | D_UDP | D_LENS(14, 40, 8));
    tx_ring();
    CHECK(l4_is_good(OUT + 14, OUT + 54, 17, 59));
    CHECK_STR(rig.rules, "");
}

TEST(offload, a_udp_checksum_of_zero_is_sent_as_all_ones)
{
    size_t n;

    rig_tx_ready();
    n = udp_to_do(false);
    /* Choose the first data word so that the sum comes to all ones. */
    w16(f + 42, 0);
    w16(f + 42, ~rfc1071(f + 34, 59, 0) & 0xFFFF);
    tx_put_data(f, n, D_LAST | D_IPV4 | D_UDP | D_LENS(14, 20, 8));
    tx_ring();
    CHECK_EQ(r16(OUT + 40), 0xFFFF);
}

TEST(offload, ipv4_and_tcp_checksums_are_filled_in)
{
    size_t n;

    rig_tx_ready();
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 6, 20 + 33);
    n = 34 + put_tcp(f + 14, f + 34, 33);
    w16(f + 24, 0);
    w16(f + 50, pseudo_sum(f + 14, 6, 53));
    tx_put_data(f, n, D_LAST | D_IPV4S | D_TCP | D_LENS(14, 20, 20));
    tx_ring();
    CHECK_EQ(rfc1071(OUT + 14, 20, 0), 0xFFFF);
    CHECK(l4_is_good(OUT + 14, OUT + 34, 6, 53));
    CHECK_STR(rig.rules, "");
}

TEST(offload, an_ipv4_checksum_field_that_is_not_0_is_told)
{
    size_t n;

    rig_tx_ready();
    n = udp_to_do(false);
    tx_put_data(f, n, D_LAST | D_IPV4S | D_LENS(14, 20, 0));
    tx_ring();
    CHECK_STR(rig.rule, "tx-ip-sum-seed");
    CHECK_EQ(rfc1071(OUT + 14, 20, 0), 0xFFFF);
}

TEST(offload, sctp_gets_its_crc32c)
{
    rig_tx_ready();
    memset(f, 0, 100);
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 132, 32);
    tx_put_data(f, 66, D_LAST | D_IPV4 | D_SCTP | D_LENS(14, 20, 12));
    tx_ring();
    /* RFC 3720 B.4: 32 bytes of zeros */
    CHECK_EQ(le32(OUT + 42), 0x8A9136AA);
}

TEST(offload, checksums_do_not_depend_on_how_the_frame_is_cut)
{
    uint8_t whole[128];
    size_t n;

    rig_tx_ready();
    n = udp_to_do(false);
    tx_put_data(f, n, D_LAST | D_IPV4 | D_UDP | D_LENS(14, 20, 8));
    tx_ring();
    memcpy(whole, OUT, n);
    for (size_t i = 0; i < 7; i++)
        tx_put_data(f + i, 1, D_ICRC | D_IPV4 | D_UDP | D_LENS(14, 20, 8));
    tx_put_data(f + 7, n - 7, D_LAST | D_IPV4 | D_UDP | D_LENS(14, 20, 8));
    tx_ring();
    CHECK_EQ(rig.frames, 2);
    CHECK_BYTES(rig.frame[1].bytes, whole, n);
    CHECK_STR(rig.rules, "");
}

/* ---- tags ---- */

TEST(offload, a_tag_is_inserted_behind_the_addresses)
{
    rig_tx_ready();
    put_eth(f, 0x9000);
    tx_put_data(f, 64, D_LAST | D_TAG1 | D_TAG(0xA123));
    tx_ring();
    CHECK_EQ(rig.frame[0].len, 68);
    CHECK_BYTES(OUT, f, 12);
    CHECK_EQ(r32(OUT + 12), 0x8100A123);
    CHECK_BYTES(OUT + 16, f + 12, 52);
}

TEST(offload, the_second_tag_goes_outside)
{
    rig_tx_ready();
    put_eth(f, 0x9000);
    tx_put(UINT64_C(0x0456) << 32, 1 | UINT64_C(4) << 4);
    tx_put_data(f, 64, D_LAST | D_TAG1 | D_TAG(0x0123));
    tx_ring();
    CHECK_EQ(rig.frame[0].len, 72);
    CHECK_EQ(r32(OUT + 12), 0x88A80456);
    CHECK_EQ(r32(OUT + 16), 0x81000123);
    CHECK_STR(rig.rules, "");
}

TEST(offload, tags_count_towards_the_largest_frame)
{
    rig_tx_ready();
    put_eth(f, 0x9000);
    tx_put(UINT64_C(0x0456) << 32, 1 | UINT64_C(4) << 4);
    tx_put_data(f, 9720, D_LAST | D_TAG1);
    tx_ring();
    CHECK_EQ(rig.frame[0].len, 9728);
    CHECK_STR(rig.rules, "");
    tx_put_data(f, 9728, D_LAST | D_TAG1);
    tx_ring();
    CHECK_EQ(rig.frames, 1);
    CHECK_STR(rig.rule, "tx-size");
    CHECK(tx_is_done(2));
}

/* ---- segmentation ---- */

static uint64_t tso_context(unsigned len, unsigned mss)
{
    return 1 | UINT64_C(1) << 4 | (uint64_t)len << 30 | (uint64_t)mss << 50;
}

/* Headers and @n bytes of a TCP packet as a driver hands it to TSO. */
static size_t tso_packet(bool is_v6, unsigned n)
{
    const size_t ip = put_eth(f, is_v6 ? 0x86DD : 0x0800);
    const size_t l4 =
        ip + (is_v6 ? put_ipv6(f + ip, 6, 0) : put_ipv4(f + ip, 6, 0));

    put_tcp(f + ip, f + l4, 0);
    if (!is_v6)
        w16(f + ip + 10, 0);
    w32(f + l4 + 4, 0xFFFFFF00);
    f[l4 + 13] = 0x99; /* CWR, ACK, PSH, FIN */
    w16(f + l4 + 16, pseudo_sum(f + ip, 6, 0));
    for (unsigned i = 0; i < n; i++)
        f[l4 + 20 + i] = (uint8_t)(i ^ i >> 8);
    return l4 + 20 + n;
}

static void check_segments(bool is_v6, unsigned n, unsigned mss)
{
    const unsigned ip = 14, l4 = is_v6 ? 54 : 34, head = l4 + 20;
    const unsigned count = (n + mss - 1) / mss;
    unsigned done = 0;

    CHECK_EQ(rig.frames, count);
    for (unsigned i = 0; i < count; i++) {
        const struct rig_frame *s = &rig.frame[i];
        const unsigned part = n - done < mss ? n - done : mss;
        const bool is_last = i + 1 == count;
        unsigned flags = 0x10;

        CHECK_EQ(s->len, head + part);
        if (is_v6) {
            CHECK_EQ(r16(s->bytes + ip + 4), 20 + part);
        } else {
            CHECK_EQ(r16(s->bytes + ip + 2), 40 + part);
            CHECK_EQ(r16(s->bytes + ip + 4), 0x1234 + i);
            CHECK_EQ(rfc1071(s->bytes + ip, 20, 0), 0xFFFF);
        }
        CHECK_EQ(r32(s->bytes + l4 + 4), 0xFFFFFF00 + done);
        /* As Linux programs the masks: CWR in the first, FIN and PSH last. */
        if (i == 0)
            flags |= 0x80;
        if (is_last)
            flags |= 0x09;
        CHECK_EQ(s->bytes[l4 + 13], flags);
        CHECK(l4_is_good(s->bytes + ip, s->bytes + l4, 6, 20 + part));
        CHECK_BYTES(s->bytes + head, f + head + done, part);
        done += part;
    }
    CHECK_EQ(done, n);
    CHECK_STR(rig.rules, "");
}

static void linux_masks(void)
{
    reg_w(0x442D8, 0x009);
    reg_w(0x442DC, 0x089);
    reg_w(0x442E0, 0x080);
}

static void segment(bool is_v6, unsigned n, unsigned mss, unsigned buf)
{
    const uint64_t bits = D_ICRC | D_TCP | (is_v6 ? D_IPV6 : D_IPV4S) |
                          D_LENS(14, is_v6 ? 40 : 20, 20);
    const unsigned head = is_v6 ? 74 : 54;
    size_t len;

    rig_tx_ready();
    linux_masks();
    len = tso_packet(is_v6, n);
    tx_put(0, tso_context(n, mss));
    tx_put_data(f, head, bits);
    for (size_t at = head; at < len; at += buf) {
        const size_t part = len - at < buf ? len - at : buf;

        tx_put_data(f + at, part, bits | (at + part == len ? D_EOP | D_RS : 0));
    }
    tx_ring();
    check_segments(is_v6, n, mss);
}

TEST(offload, tso_ipv4)
{
    segment(false, 7300, 1460, 4096);
}

TEST(offload, tso_ipv4_with_a_short_last_segment)
{
    segment(false, 4001, 1460, 4096);
}

TEST(offload, tso_ipv6)
{
    segment(true, 10000, 1440, 3000);
}

TEST(offload, tso_buffers_may_be_cut_anywhere)
{
    segment(false, 3000, 1000, 333);
}

TEST(offload, a_tso_packet_of_one_segment_keeps_its_flags)
{
    segment(false, 100, 1460, 4096);
    CHECK_EQ(OUT[47], 0x99);
}

TEST(offload, tso_over_udp_sets_each_datagrams_length)
{
    rig_tx_ready();
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 0);
    put_udp(f + 14, f + 34, 0);
    w16(f + 24, 0);
    w16(f + 40, pseudo_sum(f + 14, 17, 0));
    memset(f + 42, 0x5A, 1000);
    tx_put(0, tso_context(1000, 400));
    tx_put_data(f, 1042, D_LAST | D_IPV4S | D_UDP | D_LENS(14, 20, 8));
    tx_ring();
    CHECK_EQ(rig.frames, 3);
    CHECK_EQ(r16(rig.frame[2].bytes + 38), 208);
    for (unsigned i = 0; i < 3; i++)
        CHECK(l4_is_good(rig.frame[i].bytes + 14, rig.frame[i].bytes + 34, 17,
                         r16(rig.frame[i].bytes + 38)));
}

TEST(offload, tso_inside_vxlan_updates_both_headers)
{
    const uint64_t bits = D_LAST | D_IPV4S | D_TCP | D_LENS(14, 20, 20);
    /* outer IPv4 with checksum, 20 bytes; UDP, VXLAN and MAC: 30 bytes */
    const uint32_t tunnel = 3 | 20 / 4 << 2 | 1 << 9 | 30 / 2 << 12;

    rig_tx_ready();
    linux_masks();
    tso_packet(false, 2000);
    memmove(f + 50, f, 2054);
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 0);
    w16(f + 24, 0);
    put_udp(f + 14, f + 34, 0);
    w16(f + 36, 4789);
    w16(f + 40, 0);
    memset(f + 42, 0, 8);
    tx_put(tunnel, tso_context(2000, 1000));
    tx_put_data(f, 2104, bits);
    tx_ring();
    CHECK_EQ(rig.frames, 2);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *s = rig.frame[i].bytes;

        CHECK_EQ(rig.frame[i].len, 1104);
        CHECK_EQ(r16(s + 16), 1090); /* outer IP */
        CHECK_EQ(r16(s + 18), 0x1234 + i);
        CHECK_EQ(rfc1071(s + 14, 20, 0), 0xFFFF);
        CHECK_EQ(r16(s + 38), 1070); /* outer UDP */
        CHECK_EQ(r16(s + 66), 1040); /* inner IP */
        CHECK_EQ(rfc1071(s + 64, 20, 0), 0xFFFF);
        CHECK(l4_is_good(s + 64, s + 84, 6, 1020));
    }
    CHECK_STR(rig.rules, "");
}

TEST(offload, a_tag_is_inserted_in_every_segment)
{
    rig_tx_ready();
    linux_masks();
    tso_packet(false, 2000);
    tx_put(0, tso_context(2000, 1000));
    tx_put_data(f, 2054,
                D_LAST | D_IPV4S | D_TCP | D_LENS(14, 20, 20) | D_TAG1 |
                    D_TAG(7));
    tx_ring();
    CHECK_EQ(rig.frames, 2);
    CHECK_EQ(r32(rig.frame[0].bytes + 12), 0x81000007);
    CHECK_EQ(r32(rig.frame[1].bytes + 12), 0x81000007);
}

/* ---- what stops the queue ---- */

static void tso_bad(unsigned tso_len, unsigned mss, unsigned payload,
                    uint64_t lens, const char *rule)
{
    rig_tx_ready();
    tso_packet(false, payload);
    tx_put(0, tso_context(tso_len, mss));
    tx_put_data(f, 54 + payload, D_LAST | D_IPV4S | D_TCP | lens);
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    CHECK_CONTAINS(rig.rules, rule);
    CHECK_EQ(reg_r(R_PF_MDET_TX), 1);
}

TEST(offload, tso_limits_are_enforced)
{
    const uint64_t lens = D_LENS(14, 20, 20);

    tso_bad(1000, 63, 1000, lens, "tx-tso-mss");
    tso_bad(1000, 9669, 1000, lens, "tx-tso-mss");
    tso_bad(0, 1000, 1000, lens, "tx-tso-len");
    tso_bad(100, 1000, 0, lens, "tx-tso-len");
    tso_bad(1000, 500, 1000, 0, "tx-offload-headers");
    tso_bad(1000, 500, 1000, D_LENS(14, 20, 0), "tx-offload-headers");
    tso_bad(1000, 9668, 1000, D_LENS(100, 20, 20), "tx-size");
}

TEST(offload, an_mss_of_64_is_allowed)
{
    segment(false, 640, 64, 4096);
}

TEST(offload, a_segment_of_more_than_eight_buffers_stops_the_queue)
{
    rig_tx_ready();
    tso_packet(false, 1000);
    tx_put(0, tso_context(1000, 1000));
    tx_put_data(f, 54, D_ICRC | D_IPV4S | D_TCP | D_LENS(14, 20, 20));
    for (unsigned i = 0; i < 8; i++)
        tx_put_data(f + 54 + i * 125, 125,
                    D_ICRC | D_IPV4S | D_TCP | D_LENS(14, 20, 20) |
                        (i == 7 ? D_EOP | D_RS : 0));
    tx_ring();
    CHECK_EQ(rig.frames, 0);
    CHECK_CONTAINS(rig.rules, "tx-buffers");
}

TEST(offload, a_tso_length_that_lies_is_told)
{
    rig_tx_ready();
    tso_packet(false, 1000);
    tx_put(0, tso_context(999, 500));
    tx_put_data(f, 1054, D_LAST | D_IPV4S | D_TCP | D_LENS(14, 20, 20));
    tx_ring();
    CHECK_STR(rig.rule, "tx-tso-len");
}
