/*
 * toeplitz_test.c - the software hash against Microsoft's published suite
 * ("Verifying the RSS Hash Calculation", Windows driver documentation)
 */
#include "tests/unit/test.h"

#include <arpa/inet.h>

#include <millrace/toeplitz.h>

static const uint8_t suite_key[40] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct vector {
    const char *dst, *src;
    uint16_t dport, sport;
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
