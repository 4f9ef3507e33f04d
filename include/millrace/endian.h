/*
 * endian.h - integers in memory, byte by byte, at any alignment
 *
 * Used for tables and packets whose bytes came from elsewhere.
 */
#pragma once

#include <stdint.h>
#include <string.h>

static inline uint16_t get_le16(const void *p)
{
    uint16_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint32_t get_le32(const void *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof(v));
    return v;
}

static inline uint64_t get_le64(const void *p)
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

static inline uint16_t get_be16(const void *p)
{
    return __builtin_bswap16(get_le16(p));
}

static inline uint32_t get_be32(const void *p)
{
    return __builtin_bswap32(get_le32(p));
}

static inline void put_be16(void *p, uint16_t v)
{
    put_le16(p, __builtin_bswap16(v));
}

static inline void put_be32(void *p, uint32_t v)
{
    put_le32(p, __builtin_bswap32(v));
}
