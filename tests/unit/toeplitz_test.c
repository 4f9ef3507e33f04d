/*
 * toeplitz_test.c - the software hash against Microsoft's published suite
 */
#include "tests/unit/test.h"

#include <arpa/inet.h>

#include <millrace/toeplitz.h>

#include "tests/unit/rss_suite.h"

static size_t flow_of(const struct vector *v, int family, uint8_t *flow)
{
    const size_t n = family == AF_INET ? 4 : 16;

    CHECK_EQ(inet_pton(family, v->src, flow), 1);
    CHECK_EQ(inet_pton(family, v->dst, flow + n), 1);
    put_be16(flow + 2 * n, v->sport);
    put_be16(flow + 2 * n + 2, v->dport);
    return 2 * n;
}

static void check_suite(const struct vector *v, size_t count, int family)
{
    uint8_t flow[36];

    for (size_t i = 0; i < count; i++) {
        const size_t n = flow_of(&v[i], family, flow);

        CHECK_EQ(toeplitz_hash(suite_key, flow, n), v[i].ip);
        CHECK_EQ(toeplitz_hash(suite_key, flow, n + 4), v[i].tcp);
    }
}

TEST(toeplitz, agrees_with_the_published_suite)
{
    check_suite(v4, ARRAY_SIZE(v4), AF_INET);
    check_suite(v6, ARRAY_SIZE(v6), AF_INET6);
}

TEST(toeplitz, nothing_and_zeroes_hash_to_zero)
{
    static const uint8_t zeroes[36];

    CHECK_EQ(toeplitz_hash(suite_key, zeroes, 0), 0);
    CHECK_EQ(toeplitz_hash(suite_key, zeroes, sizeof(zeroes)), 0);
}

/* One bit picks one window: the definition, bit by bit. */
TEST(toeplitz, each_bit_adds_the_key_bits_that_begin_at_its_place)
{
    for (unsigned bit = 0; bit < 36 * 8; bit++) {
        uint8_t data[36] = { 0 };
        uint32_t window = 0;

        data[bit / 8] = (uint8_t)(0x80 >> bit % 8);
        for (unsigned k = bit; k < bit + 32; k++)
            window = window << 1 | (suite_key[k / 8] >> (7 - k % 8) & 1);
        CHECK_EQ(toeplitz_hash(suite_key, data, sizeof(data)), window);
    }
}

TEST(toeplitz, a_key_of_one_16_bit_word_hashes_both_directions_alike)
{
    uint8_t key[40], there[36], back[36];

    for (unsigned i = 0; i < sizeof(key); i += 2)
        put_be16(key + i, 0x6D5A);
    for (unsigned i = 0; i < ARRAY_SIZE(v4); i++) {
        const struct vector turned = { v4[i].src,   v4[i].dst, v4[i].sport,
                                       v4[i].dport, 0,         0 };

        (void)flow_of(&v4[i], AF_INET, there);
        (void)flow_of(&turned, AF_INET, back);
        CHECK_EQ(toeplitz_hash(key, there, 12), toeplitz_hash(key, back, 12));
        CHECK(toeplitz_hash(suite_key, there, 12) !=
              toeplitz_hash(suite_key, back, 12));
    }
}
