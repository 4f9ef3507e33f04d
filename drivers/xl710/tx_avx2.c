/*
 * tx_avx2.c - transmit, two headers at a time in 32-byte registers
 */
#include <immintrin.h>

#include "drivers/xl710/tx_burst.h"

#define AVX2  __attribute__((target("avx2")))
#define LANES 4

AVX2 static always_inline __m256i both(uint64_t low, uint64_t high)
{
    return _mm256_set_epi64x((long long)high, (long long)low, (long long)high,
                             (long long)low);
}

/* 16 bytes of each of two headers. */
AVX2 static always_inline __m256i two(struct mbuf *const m[2], unsigned offset)
{
    const char *a = (const char *)m[0] + offset;
    const char *b = (const char *)m[1] + offset;

    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(
            _mm_load_si128((const __m128i *)(const void *)a)),
        _mm_load_si128((const __m128i *)(const void *)b), 1);
}

/* Over both headers of each pair so far. */
struct seen {
    __m256i rearm_or, rearm_and, pool_or, pool_and, next_or;
    __m256i length_differs, shortest, longest, sum;
};

/* Two descriptors, with @rest added; what their headers hold goes to @s. */
AVX2 static always_inline void write_two(struct tx_desc *d,
                                         struct mbuf *const m[2], __m256i rest,
                                         struct seen *s)
{
    const __m256i place = two(m, offsetof(struct mbuf, buf_addr));
    const __m256i rearm = two(m, offsetof(struct mbuf, rearm));
    const __m256i fields = two(m, offsetof(struct mbuf, packet_type));
    const __m256i pool = two(m, offsetof(struct mbuf, pool) - 8);
    /* data_len in the second word and in the last */
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        -1, -1, -1, -1, 8, 9, -1, -1, -1, -1, -1, -1, 8, 9, -1, -1));
    const __m256i length = _mm256_shuffle_epi8(fields, order);
    const __m256i size = _mm256_sllv_epi32(
        length, _mm256_setr_epi32(32, 32, 32, TXD_SIZE_SHIFT - 32, 32, 32, 32,
                                  TXD_SIZE_SHIFT - 32));
    /* next, beside the address, is 0 or will be noticed */
    const __m256i address =
        _mm256_add_epi64(place, _mm256_and_si256(rearm, both(0xFFFF, 0)));

    _mm256_storeu_si256((__m256i_u *)d,
                        _mm256_add_epi64(_mm256_or_si256(address, size), rest));
    s->rearm_or = _mm256_or_si256(s->rearm_or, rearm);
    s->rearm_and = _mm256_and_si256(s->rearm_and, rearm);
    s->pool_or = _mm256_or_si256(s->pool_or, pool);
    s->pool_and = _mm256_and_si256(s->pool_and, pool);
    s->next_or = _mm256_or_si256(s->next_or, place);
    s->length_differs =
        _mm256_or_si256(s->length_differs, _mm256_xor_si256(fields, length));
    s->shortest = _mm256_min_epu32(s->shortest, length);
    s->longest = _mm256_max_epu32(s->longest, length);
    s->sum = _mm256_add_epi32(s->sum, length);
}

#define LOW(v)     _mm256_castsi256_si128(v)
#define HIGH(v)    _mm256_extracti128_si256(v, 1)
#define WORD(v, i) ((uint32_t)_mm_extract_epi32(v, i))
#define QUAD(v, i) ((uint64_t)_mm_extract_epi64(v, i))

AVX2 static always_inline bool all_plain(const struct tx_plain *plain,
                                         const struct seen *s)
{
    const __m128i rearm_or = _mm_or_si128(LOW(s->rearm_or), HIGH(s->rearm_or));
    const __m128i rearm_and =
        _mm_and_si128(LOW(s->rearm_and), HIGH(s->rearm_and));
    const __m128i pool_or = _mm_or_si128(LOW(s->pool_or), HIGH(s->pool_or));
    const __m128i pool_and = _mm_and_si128(LOW(s->pool_and), HIGH(s->pool_and));
    const __m128i next_or = _mm_or_si128(LOW(s->next_or), HIGH(s->next_or));
    const __m128i differs =
        _mm_or_si128(LOW(s->length_differs), HIGH(s->length_differs));
    const __m128i shortest = _mm_min_epu32(LOW(s->shortest), HIGH(s->shortest));
    const __m128i longest = _mm_max_epu32(LOW(s->longest), HIGH(s->longest));
    const struct tx_seen seen = {
        .rearm_or = QUAD(rearm_or, 0),
        .rearm_and = QUAD(rearm_and, 0),
        .flags_or = QUAD(rearm_or, 1),
        .next_or = QUAD(next_or, 1),
        .pool_or = QUAD(pool_or, 1),
        .pool_and = QUAD(pool_and, 1),
        .length_differs = WORD(differs, 1),
        .shortest = WORD(shortest, 1),
        .longest = WORD(longest, 1),
    };

    return tx_all_plain(plain, &seen);
}

AVX2 static always_inline unsigned run(const struct port_txq *q,
                                       const struct tx_plain *plain,
                                       struct mbuf *const pkts[], unsigned n,
                                       uint64_t *bytes)
{
    struct tx_desc *d = &q->ring[q->tail];
    struct mbuf **sw = &q->sw[q->tail];
    const __m256i none = _mm256_setzero_si256();
    const __m256i all = _mm256_set1_epi32(-1);
    struct seen s = { none, all, none, all, none, none, all, none, none };
    __m256i rest;
    size_t i;

    if (n < LANES)
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    rest = both(tx_to_bus(pkts[0]), TXD_PLAIN);
    for (i = 0; i + LANES <= n; i += LANES) {
        write_two(&d[i], &pkts[i], rest, &s);
        write_two(&d[i + 2], &pkts[i + 2], rest, &s);
        _mm256_storeu_si256((__m256i_u *)&sw[i],
                            _mm256_loadu_si256((const __m256i_u *)&pkts[i]));
    }
    if (unlikely(!all_plain(plain, &s)))
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    *bytes += (uint32_t)_mm256_extract_epi32(s.sum, 1) +
              (uint32_t)_mm256_extract_epi32(s.sum, 5);
    return tx_run_rest(q, plain, pkts, i, n, bytes);
}

AVX2 unsigned tx_burst_avx2(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    return tx_burst_by(q, pkts, n, run);
}
