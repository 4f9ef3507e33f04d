/*
 * bits.h - arithmetic on powers of two and bit fields
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BIT(n)   (UINT32_C(1) << (n))
#define BIT64(n) (UINT64_C(1) << (n))

static inline bool is_power_of_2(uint64_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

/* @align is a power of two. */
static inline uint64_t align_up(uint64_t v, uint64_t align)
{
    return (v + align - 1) & ~(align - 1);
}

static inline uint64_t align_down(uint64_t v, uint64_t align)
{
    return v & ~(align - 1);
}

/* floor(log2(@v)); @v is not 0. */
static inline unsigned log2_floor(uint64_t v)
{
    return 63 - (unsigned)__builtin_clzll(v);
}

/* Bits [lsb, lsb + width) of @v. */
static inline uint64_t bits_get(uint64_t v, unsigned lsb, unsigned width)
{
    return (v >> lsb) & (width >= 64 ? ~UINT64_C(0) : BIT64(width) - 1);
}
