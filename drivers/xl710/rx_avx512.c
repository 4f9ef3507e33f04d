/*
 * rx_avx512.c - receive, four descriptors at a time in one 64-byte register
 *
 * What rx_avx2.c says about loads holds here as well.
 */
#include <immintrin.h>

#include "drivers/xl710/rx_burst.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2")))
#define LANES  4

/* In each quarter of a register. */
AVX512 static always_inline __m512i four(uint64_t low, uint64_t high)
{
    return _mm512_broadcast_i32x4(
        _mm_set_epi64x((long long)high, (long long)low));
}

AVX512 static always_inline __m512i load(const struct rx_desc *d)
{
    return *(const volatile __m512i_u *)(const void *)d;
}

/* Are all four plain (see RXD_PLAIN_MASK)? */
AVX512 static always_inline bool are_plain(__m512i d)
{
    const __m512i t = _mm512_sub_epi64(d, four(0, RXD_LEN_ONE));

    return _mm512_cmpneq_epi64_mask(
               _mm512_and_si512(t, four(0, RXD_PLAIN_MASK)),
               four(0, RXD_PLAIN)) == 0;
}

/*
 * From four descriptors the 16 bytes of a header from packet_type on: type 0,
 * pkt_len, data_len with vlan_tci 0, and hash.rss where there is one.
 */
AVX512 static always_inline __m512i describe(__m512i d)
{
    const __m512i status = four(0, RXD_FLTSTAT);
    const __mmask16 asked =
        _mm512_cmpeq_epi32_mask(_mm512_and_si512(d, status), status);
    /* the answer is in the third word of each, the hash in the second */
    const __mmask16 has_hash = (__mmask16)(asked >> 1 & 0x2222);
    const __m512i picked =
        _mm512_mask_and_epi32(_mm512_maskz_mov_epi32(has_hash, d), 0x8888,
                              _mm512_srli_epi32(d, RXD_LEN_SHIFT - 32),
                              _mm512_set1_epi32(RXD_LEN_MASK));
    const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(
        -1, -1, -1, -1, 12, 13, -1, -1, 12, 13, -1, -1, 4, 5, 6, 7));

    return _mm512_shuffle_epi8(picked, order);
}

/* Two headers: rearm word and flags, then what describe() made. */
AVX512 static always_inline void write_headers(struct mbuf *const m[2],
                                               __m512i headers)
{
    _mm256_storeu_si256((__m256i_u *)&m[0]->rearm,
                        _mm512_castsi512_si256(headers));
    _mm256_storeu_si256((__m256i_u *)&m[1]->rearm,
                        _mm512_extracti64x4_epi64(headers, 1));
}

AVX512 static always_inline unsigned run(const struct port_rxq *q,
                                         struct mbuf *pkts[], unsigned n,
                                         uint64_t *bytes)
{
    const struct rx_desc *d = &q->ring[q->next];
    struct mbuf *const *sw = &q->sw[q->next];
    const __m512i rearm = four(q->rearm, 0);
    const __m512i first_two = _mm512_setr_epi64(0, 1, 8, 9, 0, 1, 10, 11);
    const __m512i last_two = _mm512_setr_epi64(0, 1, 12, 13, 0, 1, 14, 15);
    __m512i sum = _mm512_setzero_si512();
    size_t i;

    rx_prefetch(d);
    for (i = 0; i + LANES <= n; i += LANES) {
        const __m512i these = load(&d[i]);
        __m512i fields;

        if (unlikely(!are_plain(these)))
            break;
        _mm256_storeu_si256((__m256i_u *)&pkts[i],
                            _mm256_loadu_si256((const __m256i_u *)&sw[i]));
        fields = describe(these);
        write_headers(&sw[i],
                      _mm512_permutex2var_epi64(rearm, first_two, fields));
        write_headers(&sw[i + 2],
                      _mm512_permutex2var_epi64(rearm, last_two, fields));
        sum = _mm512_add_epi32(sum, fields);
    }
    *bytes += (uint32_t)_mm512_mask_reduce_add_epi32(0x2222, sum);
    return rx_run_rest(q, pkts, i, n, bytes);
}

/* Multiples of 8 are posted (R3). */
AVX512 static always_inline void post(struct port_rxq *q, unsigned n)
{
    struct rx_desc *d = &q->ring[q->post];
    struct mbuf *const *sw = &q->sw[q->post];
    const __m256i to_bus = _mm256_set1_epi64x((long long)q->to_bus);
    const __m512i apart = _mm512_setr_epi64(0, 0, 1, 0, 2, 0, 3, 0);

    for (size_t i = 0; i < n; i += LANES) {
        const __m256i bus = _mm256_add_epi64(
            _mm256_loadu_si256((const __m256i_u *)&sw[i]), to_bus);

        _mm512_storeu_si512(
            &d[i], _mm512_maskz_permutexvar_epi64(0x55, apart,
                                                  _mm512_castsi256_si512(bus)));
    }
    rx_posted(q, n);
}

AVX512 unsigned rx_burst_avx512(struct port_rxq *q, struct mbuf *pkts[],
                                unsigned max)
{
    return rx_burst_by(q, pkts, max, run, post);
}
