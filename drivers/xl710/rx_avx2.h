/*
 * rx_avx2.h - what receive and forwarding share of it
 *
 * A piece of 16 aligned bytes is loaded at once by every CPU that has AVX
 * (Intel SDM volume 3A, 9.1.1; AMD APM volume 2, 7.3.2), so a descriptor that
 * shows DD shows all that came with it. One behind it that was loaded earlier
 * is not trusted when one before it is not done.
 */
#pragma once

#include <immintrin.h>

#include "drivers/xl710/rx_burst.h"

#define AVX2 __attribute__((target("avx2")))

/* In both halves of a register. */
AVX2 static always_inline __m256i both(uint64_t low, uint64_t high)
{
    return _mm256_set_epi64x((long long)high, (long long)low, (long long)high,
                             (long long)low);
}

AVX2 static always_inline __m256i rx_load_avx2(const struct rx_desc *d)
{
    return *(const volatile __m256i_u *)(const void *)d;
}

/* 0 when both descriptors are plain (see RXD_PLAIN_MASK). */
AVX2 static always_inline __m256i rx_oddness_avx2(__m256i d)
{
    const __m256i t = _mm256_sub_epi64(d, both(0, RXD_LEN_ONE));

    return _mm256_xor_si256(_mm256_and_si256(t, both(0, RXD_PLAIN_MASK)),
                            both(0, RXD_PLAIN));
}

/* Multiples of 8 are posted (R3). */
AVX2 static always_inline void rx_post_avx2(struct port_rxq *q, unsigned n)
{
    struct rx_desc *d = &q->ring[q->post];
    struct mbuf *const *sw = &q->sw[q->post];
    const __m256i to_bus = _mm256_set1_epi64x((long long)q->to_bus);
    const __m256i zero = _mm256_setzero_si256();

    for (size_t i = 0; i < n; i += 4) {
        const __m256i at = _mm256_permute4x64_epi64(
            _mm256_loadu_si256((const __m256i_u *)&sw[i]),
            _MM_SHUFFLE(3, 1, 2, 0));
        const __m256i bus = _mm256_add_epi64(at, to_bus);

        _mm256_storeu_si256((__m256i_u *)&d[i],
                            _mm256_unpacklo_epi64(bus, zero));
        _mm256_storeu_si256((__m256i_u *)&d[i + 2],
                            _mm256_unpackhi_epi64(bus, zero));
    }
    rx_posted(q, n);
}
