/*
 * chip_classify_test.c - packet types, casts, checksums, and frames that lie
 *
 * Packet type numbers: Linux i40e i40e_common.c, i40e_ptype_lookup.
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "chip/classify.h"
#include "chip/sum.h"
#include "tests/unit/chip_frames.h"

static uint8_t f[1024];
static struct classified c;

static void look(size_t len)
{
    classify(f, len, NULL, &c);
}

TEST(classify, casts_are_told_by_the_destination)
{
    put_eth(f, 0x1234);
    look(60);
    CHECK_EQ(c.cast, 0);
    f[0] = 0x01;
    look(60);
    CHECK_EQ(c.cast, 1);
    memset(f, 0xFF, 6);
    look(60);
    CHECK_EQ(c.cast, 2);
}

TEST(classify, layer_2_types)
{
    static const struct {
        unsigned etype, ptype;
    } rows[] = { { 0x0806, 11 }, { 0x88CC, 6 }, { 0x88F7, 2 },
                 { 0x888E, 10 }, { 0x9000, 1 }, { 0x05DC, 1 } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        put_eth(f, rows[i].etype);
        look(60);
        CHECK_EQ(c.ptype, rows[i].ptype);
        CHECK_EQ(c.pctype, PCTYPE_L2);
        CHECK(!c.checked);
    }
}

TEST(classify, ip_types_by_protocol)
{
    static const struct {
        unsigned proto4, proto6, add, pctype4, pctype6;
    } rows[] = {
        { 253, 253, 1, 35, 45 }, { 17, 17, 2, 31, 41 }, { 6, 6, 4, 33, 43 },
        { 132, 132, 5, 34, 44 }, { 1, 58, 6, 35, 45 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        memset(f, 0, sizeof(f));
        put_eth(f, 0x0800);
        put_ipv4(f + 14, rows[i].proto4, 40);
        look(14 + 20 + 40);
        CHECK_EQ(c.ptype, 22 + rows[i].add);
        CHECK_EQ(c.pctype, rows[i].pctype4);
        put_eth(f, 0x86DD);
        put_ipv6(f + 14, rows[i].proto6, 40);
        memset(f + 54, 0, 40);
        look(14 + 40 + 40);
        CHECK_EQ(c.ptype, 88 + rows[i].add);
        CHECK_EQ(c.pctype, rows[i].pctype6);
    }
}

TEST(classify, fragments_have_no_layer_4)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 40);
    f[20] = 0x20; /* more fragments, offset 0 */
    look(74);
    CHECK_EQ(c.ptype, 22);
    CHECK_EQ(c.pctype, 36);
    CHECK(!c.has_ports);
    f[20] = 0;
    f[21] = 1;
    look(74);
    CHECK_EQ(c.ptype, 22);
    put_eth(f, 0x86DD);
    put_ipv6(f + 14, 44, 40);
    look(94);
    CHECK_EQ(c.ptype, 88);
    CHECK_EQ(c.pctype, 46);
}

TEST(classify, dont_fragment_is_no_fragment)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 40);
    f[20] = 0x40;
    look(74);
    CHECK_EQ(c.ptype, 24);
}

TEST(classify, good_checksums_pass_and_each_bad_one_is_told)
{
    size_t n;

    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 8 + 33);
    n = 34 + put_udp(f + 14, f + 34, 33); /* odd length */
    look(n);
    CHECK(c.checked && !c.ip_bad && !c.l4_bad);
    f[40] ^= 1; /* in the checksum */
    look(n);
    CHECK(c.checked && !c.ip_bad && c.l4_bad);
    f[40] ^= 1;
    f[n - 1] ^= 0x80; /* in the last byte */
    look(n);
    CHECK(c.l4_bad);
    f[n - 1] ^= 0x80;
    f[22] ^= 1; /* TTL */
    look(n);
    CHECK(c.checked && c.ip_bad && !c.l4_bad);
}

TEST(classify, tcp_over_ipv6_is_checked)
{
    size_t n;

    put_eth(f, 0x86DD);
    put_ipv6(f + 14, 6, 20 + 100);
    n = 54 + put_tcp(f + 14, f + 54, 100);
    look(n);
    CHECK_EQ(c.ptype, 92);
    CHECK(c.checked && !c.l4_bad);
    f[n - 1] ^= 1;
    look(n);
    CHECK(c.l4_bad);
}

TEST(classify, udp_without_a_checksum_is_fine_on_ipv4_only)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 16);
    put_udp(f + 14, f + 34, 8);
    w16(f + 40, 0);
    look(60);
    CHECK(!c.l4_bad);
    put_eth(f, 0x86DD);
    put_ipv6(f + 14, 17, 16);
    put_udp(f + 14, f + 54, 8);
    w16(f + 60, 0);
    look(70);
    CHECK(c.l4_bad);
}

TEST(classify, padding_behind_ip_does_not_disturb_checksums)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 6, 20);
    put_tcp(f + 14, f + 34, 0);
    memset(f + 54, 0xAB, 6);
    look(60);
    CHECK(c.checked && !c.ip_bad && !c.l4_bad);
}

/* RFC 3720 B.4: CRC32c of 32 zero bytes is 8A9136AA (sent aa 36 91 8a). */
TEST(classify, crc32c_matches_rfc_3720)
{
    uint8_t zeros[32] = { 0 };

    CHECK_EQ(sum_sctp(zeros, 32), 0x8A9136AA);
}

/* The CRC-32 check value of "123456789". */
TEST(classify, fcs_matches_the_standard_check_value)
{
    CHECK_EQ(sum_fcs((const uint8_t *)"123456789", 9), 0xCBF43926);
}

TEST(classify, sctp_checksum_is_checked)
{
    memset(f, 0, sizeof(f));
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 132, 32);
    f[42] = 0xAA; /* 32 zero bytes, see above */
    f[43] = 0x36;
    f[44] = 0x91;
    f[45] = 0x8A;
    look(66);
    CHECK_EQ(c.ptype, 27);
    CHECK(c.checked && !c.l4_bad);
    f[65] = 1;
    look(66);
    CHECK(c.l4_bad);
}

TEST(classify, vlan_tags_are_skipped_and_told)
{
    put_eth(f, 0x8100);
    w16(f + 14, 0xE123);
    w16(f + 16, 0x0800);
    put_ipv4(f + 18, 17, 16);
    put_udp(f + 18, f + 38, 8);
    look(62);
    CHECK_EQ(c.tags, 1);
    CHECK_EQ(c.tpid, 0x8100);
    CHECK_EQ(c.tag, 0xE123);
    CHECK_EQ(c.ptype, 24);
    CHECK_EQ(c.l3, 18);
    CHECK_EQ(c.l4, 38);
}

TEST(classify, no_more_than_two_tags_are_followed)
{
    put_eth(f, 0x88A8);
    for (unsigned at = 14; at < 600; at += 4) {
        w16(f + at, 1);
        w16(f + at + 2, 0x8100);
    }
    look(600);
    CHECK_EQ(c.tags, 2);
    CHECK_EQ(c.tpid, 0x88A8);
    CHECK_EQ(c.ptype, 1);
}

TEST(classify, ipv6_extension_headers_are_followed)
{
    put_eth(f, 0x86DD);
    put_ipv6(f + 14, 0, 8 + 8 + 16); /* hop by hop, destination, UDP */
    memset(f + 54, 0, 16);
    f[54] = 60;
    f[62] = 17;
    put_udp(f + 14, f + 70, 8);
    look(86);
    CHECK_EQ(c.ptype, 90);
    CHECK_EQ(c.l4, 70);
    CHECK(c.ipv6_ext);
    CHECK(c.checked && !c.l4_bad);
}

TEST(classify, endless_extension_headers_end)
{
    put_eth(f, 0x86DD);
    put_ipv6(f + 14, 0, 900);
    memset(f + 54, 0, 900); /* each names hop-by-hop as the next */
    look(954);
    CHECK_EQ(c.ptype, 89);
}

TEST(classify, tunnels_by_kind)
{
    struct classify_tunnels vxlan = { .n = 1, .udp = { { 4789, 0 } } };

    /* IPv4 in IPv4, UDP inside: 29 + 2 */
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 4, 20 + 16);
    put_ipv4(f + 34, 17, 16);
    put_udp(f + 34, f + 54, 8);
    look(70);
    CHECK_EQ(c.ptype, 31);
    CHECK_EQ(c.l3, 34);
    /* IPv6 in IPv4: 36 + 2 */
    put_ipv4(f + 14, 41, 40 + 16);
    put_ipv6(f + 34, 17, 16);
    put_udp(f + 34, f + 74, 8);
    look(90);
    CHECK_EQ(c.ptype, 38);
    /* GRE with IPv4 inside: 44 + 2 */
    put_ipv4(f + 14, 47, 4 + 20 + 16);
    w16(f + 34, 0);
    w16(f + 36, 0x0800);
    put_ipv4(f + 38, 17, 16);
    put_udp(f + 38, f + 58, 8);
    look(74);
    CHECK_EQ(c.ptype, 46);
    /* VXLAN with Ethernet and IPv4 inside: 59 + 2 */
    put_ipv4(f + 14, 17, 8 + 8 + 14 + 20 + 16);
    put_udp(f + 14, f + 34, 8);
    w16(f + 36, 4789);
    put_eth(f + 50, 0x0800);
    put_ipv4(f + 64, 17, 16);
    put_udp(f + 64, f + 84, 8);
    classify(f, 100, &vxlan, &c);
    CHECK_EQ(c.ptype, 61);
    CHECK_EQ(c.l3, 64);
    look(100); /* the port is not known: plain UDP */
    CHECK_EQ(c.ptype, 24);
}

TEST(classify, outer_and_inner_header_errors_are_told_apart)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 4, 20 + 16);
    put_ipv4(f + 34, 17, 16);
    put_udp(f + 34, f + 54, 8);
    f[22] ^= 1;
    look(70);
    CHECK(c.outer_ip_bad && !c.ip_bad);
    f[22] ^= 1;
    f[42] ^= 1;
    look(70);
    CHECK(!c.outer_ip_bad && c.ip_bad);
}

/* Cut every kind of frame at every length, in a buffer of just that size. */
TEST(classify, truncated_frames_are_safe_at_every_length)
{
    const struct classify_tunnels known = {
        .n = 2, .udp = { { 4789, 0 }, { 6081, 1 } }
    };

    for (unsigned kind = 0; kind < 4; kind++) {
        memset(f, 0, sizeof(f));
        put_eth(f, 0x0800);
        put_ipv4(f + 14, kind == 0 ? 47 : 17, 180);
        put_udp(f + 14, f + 34, 172);
        w16(f + 36, kind == 1 ? 4789 : 6081);
        w16(f + 40, 0);
        if (kind == 0)
            w32(f + 34, 0xB0006558);
        if (kind == 3)
            f[42] = 63;
        put_eth(f + 50, 0x8100);
        for (size_t len = 0; len <= 214; len++) {
            uint8_t *cut = malloc(len + 1);

            memcpy(cut + 1, f, len);
            classify(cut + 1, len, &known, &c);
            CHECK(c.l3 <= len && c.l4 <= len);
            free(cut);
        }
    }
}

TEST(classify, an_ip_length_beyond_the_frame_is_not_checked)
{
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 6, 20 + 400);
    put_tcp(f + 14, f + 34, 0);
    look(60);
    CHECK_EQ(c.ptype, 26);
    CHECK(!c.l4_bad);
}
