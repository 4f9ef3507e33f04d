/*
 * bytes.h - foreign bytes as numbers: little-endian for the bus, big-endian
 * for the wire, any alignment
 */
#pragma once

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the model runs on little-endian hosts");

static inline uint16_t le16(const void *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t le32(const void *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t le64(const void *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline void put_le16(void *p, uint16_t v)
{
    memcpy(p, &v, sizeof(v));
}

static inline void put_le32(void *p, uint32_t v)
{
    memcpy(p, &v, sizeof(v));
}

static inline void put_le64(void *p, uint64_t v)
{
    memcpy(p, &v, sizeof(v));
}

static inline uint16_t be16(const void *p)
{
    return __builtin_bswap16(le16(p));
}

static inline uint32_t be32(const void *p)
{
    return __builtin_bswap32(le32(p));
}

static inline void put_be16(void *p, uint16_t v)
{
    put_le16(p, __builtin_bswap16(v));
}

static inline void put_be32(void *p, uint32_t v)
{
    put_le32(p, __builtin_bswap32(v));
}

/* Bits [lsb, lsb + width) of @v; width 1 .. 63. */
static inline uint64_t bits_of(uint64_t v, unsigned lsb, unsigned width)
{
    return (v >> lsb) & ((UINT64_C(1) << width) - 1);
}
