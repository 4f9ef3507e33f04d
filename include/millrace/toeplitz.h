/*
 * toeplitz.h - the hash of receive side scaling, in software
 *
 * Each bit of the data that is set, from the most significant of the first byte
 * on, adds (xor) the 32 bits of the key that begin at its place.
 *
 * A key whose every 16 bits are the same gives both directions of a flow one
 * hash: addresses and ports change places by multiples of 16 bits.
 *
 * Source  Microsoft, "RSS Hashing Functions" (Windows driver documentation)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/endian.h>

/* @key  @bytes + 4 bytes of it are read */
static inline uint32_t toeplitz_hash(const uint8_t key[], const uint8_t data[],
                                     size_t bytes)
{
    uint32_t window = get_be32(key), hash = 0;

    for (size_t i = 0; i < bytes; i++)
        for (unsigned bit = 8; bit-- > 0;) {
            if ((data[i] >> bit & 1) != 0)
                hash ^= window;
            window = window << 1 | (key[i + 4] >> bit & 1);
        }
    return hash;
}
