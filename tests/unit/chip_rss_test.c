/*
 * chip_rss_test.c - the Toeplitz hash against Microsoft's published suite
 * ("Verifying the RSS Hash Calculation", Windows driver documentation)
 */
#include "tests/unit/test.h"

#include <arpa/inet.h>

#include "chip/rss.h"
#include "tests/unit/chip_frames.h"

/* The suite's 40 key bytes; ours has room for 12 more. */
static const uint8_t suite_key[RSS_KEY_BYTES] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct vector {
    const char *dst, *src;
    unsigned dport, sport;
    uint32_t ip, tcp;
};

static const struct vector v4[] = {
    { "161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178 },
    { "65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea },
    { "12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a },
    { "209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f },
    { "202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5, 0x10e828a2 },
};

static const struct vector v6[] = {
    { "3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5,
      0x40207d3d },
    { "ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c,
      0xdde51bbf },
    { "fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 38024,
      44251, 0x4b61e985, 0x02d1feef },
};

static struct rss_key key;

static void use_suite_key(void)
{
    uint32_t words[RSS_KEY_BYTES / 4];

    /* As a driver writes it: byte 4i in bits 7:0 of register i. */
    memcpy(words, suite_key, sizeof(words));
    key.is_built = false;
    rss_key_set(&key, words);
}

static size_t frame_of(const struct vector *v, bool is_v6, unsigned proto,
                       uint8_t *f)
{
    const size_t ip_at = put_eth(f, is_v6 ? 0x86DD : 0x0800);
    uint8_t *ip = f + ip_at, *l4;

    if (is_v6) {
        l4 = ip + put_ipv6(ip, proto, 20);
        inet_pton(AF_INET6, v->src, ip + 8);
        inet_pton(AF_INET6, v->dst, ip + 24);
    } else {
        l4 = ip + put_ipv4(ip, proto, 20);
        inet_pton(AF_INET, v->src, ip + 12);
        inet_pton(AF_INET, v->dst, ip + 16);
    }
    put_tcp(ip, l4, 0);
    w16(l4, v->sport);
    w16(l4 + 2, v->dport);
    return (size_t)(l4 + 20 - f);
}

/* Parse the frame, collect the default input set, hash. */
static uint32_t hash_frame(const uint8_t *f, size_t len, bool symmetric)
{
    uint8_t input[RSS_INPUT_BYTES];
    struct classified c;
    size_t n;

    classify(f, len, NULL, &c);
    n = rss_input(f, &c, rss_default_inset(c.pctype), symmetric, input);
    return rss_hash(&key, input, n);
}

static void check_suite(const struct vector *v, size_t n, bool is_v6)
{
    uint8_t f[128];

    use_suite_key();
    for (size_t i = 0; i < n; i++) {
        size_t len = frame_of(&v[i], is_v6, 6, f);

        CHECK_EQ(hash_frame(f, len, false), v[i].tcp);
        /* An unknown protocol has no ports: addresses only. */
        len = frame_of(&v[i], is_v6, 253, f);
        CHECK_EQ(hash_frame(f, len, false), v[i].ip);
    }
}

TEST(rss, ipv4_hashes_are_those_of_the_published_suite)
{
    check_suite(v4, sizeof(v4) / sizeof(v4[0]), false);
}

TEST(rss, ipv6_hashes_are_those_of_the_published_suite)
{
    check_suite(v6, sizeof(v6) / sizeof(v6[0]), true);
}

TEST(rss, udp_hashes_like_tcp)
{
    uint8_t f[128];

    use_suite_key();
    CHECK_EQ(hash_frame(f, frame_of(&v4[0], false, 17, f), false), v4[0].tcp);
}

TEST(rss, symmetric_hash_is_the_same_both_ways)
{
    const struct vector back = { v4[0].src,   v4[0].dst, v4[0].sport,
                                 v4[0].dport, 0,         0 };
    uint8_t there[128], home[128];
    const size_t n = frame_of(&v4[0], false, 6, there);

    use_suite_key();
    frame_of(&back, false, 6, home);
    CHECK(hash_frame(there, n, false) != hash_frame(home, n, false));
    CHECK_EQ(hash_frame(there, n, true), hash_frame(home, n, true));
}

TEST(rss, the_input_set_selects_words_in_ascending_order)
{
    /* Bit 63 - w is word w: destination port (30), source address (15, 16). */
    const uint64_t inset = UINT64_C(1) << 33 | UINT64_C(3) << 47;
    uint8_t f[128], input[RSS_INPUT_BYTES];
    const size_t len = frame_of(&v4[0], false, 6, f);
    struct classified c;

    classify(f, len, NULL, &c);
    CHECK_EQ(rss_input(f, &c, inset, false, input), 6);
    CHECK_BYTES(input, f + 26, 4);
    CHECK_BYTES(input + 4, f + 36, 2);
}

TEST(rss, layer_2_frames_hash_their_ethertype)
{
    uint8_t f[64] = { 0 }, input[RSS_INPUT_BYTES];
    struct classified c;

    put_eth(f, 0x88CC);
    classify(f, 60, NULL, &c);
    CHECK_EQ(rss_input(f, &c, rss_default_inset(c.pctype), false, input), 2);
    CHECK_EQ(r16(input), 0x88CC);
}

TEST(rss, an_input_set_of_all_words_stays_in_bounds)
{
    uint8_t f[128], input[RSS_INPUT_BYTES];
    const size_t len = frame_of(&v6[0], true, 6, f);
    struct classified c;

    classify(f, len, NULL, &c);
    CHECK_EQ(rss_input(f, &c, ~UINT64_C(0), false, input), RSS_INPUT_BYTES);
}

TEST(rss, a_changed_key_changes_the_hash)
{
    uint32_t words[RSS_KEY_BYTES / 4] = { 0 };
    const uint8_t input[4] = { 0x80, 0, 0, 0 };

    use_suite_key();
    CHECK_EQ(rss_hash(&key, input, 4), 0x6d5a56da); /* first 32 key bits */
    rss_key_set(&key, words);
    CHECK_EQ(rss_hash(&key, input, 4), 0);
}
