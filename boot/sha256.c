/*
 * sha256.c - SHA-256, after FIPS 180-4
 *
 * Its constants are the first 32 bits of the fractional parts of roots of
 * primes: square roots for the start, cube roots for the rounds.
 */
#include <string.h>

#include <millrace/endian.h>

#include "boot/sha256.h"

#define BLOCK  64
#define ROUNDS 64
#define WORDS  8

static const uint32_t start[WORDS] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t round_word[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t v, unsigned right)
{
    return v >> right | v << (32 - right);
}

static void schedule(const uint8_t *block, uint32_t w[ROUNDS])
{
    for (unsigned i = 0; i < 16; i++)
        w[i] = get_be32(block + 4 * i);
    for (unsigned i = 16; i < ROUNDS; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* Each round moves the words down by one; s[0] is "a" of the standard. */
static void mix(uint32_t hash[WORDS], const uint8_t *block)
{
    uint32_t w[ROUNDS], s[WORDS];

    schedule(block, w);
    memcpy(s, hash, sizeof(s));
    for (unsigned i = 0; i < ROUNDS; i++) {
        const uint32_t e = s[4], a = s[0];
        const uint32_t t1 = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + round_word[i] + w[i];
        const uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

        memmove(s + 1, s, (WORDS - 1) * sizeof(s[0]));
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (unsigned i = 0; i < WORDS; i++)
        hash[i] += s[i];
}

void boot_sha256(const void *data, size_t bytes,
                 uint8_t digest[BOOT_SHA256_BYTES])
{
    uint8_t tail[2 * BLOCK] = { 0 };
    const uint8_t *p = data;
    uint32_t hash[WORDS];
    size_t left = bytes;

    memcpy(hash, start, sizeof(hash));
    for (; left >= BLOCK; left -= BLOCK, p += BLOCK)
        mix(hash, p);
    if (left > 0)
        memcpy(tail, p, left);
    tail[left] = 0x80;
    const size_t end = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;

    put_be32(tail + end - 8, (uint32_t)((uint64_t)bytes >> 29));
    put_be32(tail + end - 4, (uint32_t)(bytes << 3));
    for (size_t at = 0; at < end; at += BLOCK)
        mix(hash, tail + at);
    for (unsigned i = 0; i < WORDS; i++)
        put_be32(digest + 4 * i, hash[i]);
}
