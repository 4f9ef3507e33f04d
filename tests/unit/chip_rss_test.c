/*
 * chip_rss_test.c - the Toeplitz hash against Microsoft's published suite
 */
#include "tests/unit/test.h"

#include <arpa/inet.h>

#include "chip/rss.h"
#include "tests/unit/chip_frames.h"
#include "tests/unit/rss_suite.h"

static struct rss_key key;

static void use_suite_key(void)
{
    uint32_t words[RSS_KEY_BYTES / 4] = { 0 }; /* 12 bytes more than it has */

    /* As a driver writes it: byte 4i in bits 7:0 of register i. */
    memcpy(words, suite_key, sizeof(suite_key));
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
