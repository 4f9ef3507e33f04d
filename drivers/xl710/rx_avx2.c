/*
 * rx_avx2.c - receive, four descriptors at a time in 32-byte registers
 */
#include "drivers/xl710/rx_avx2.h"

#define LANES 4

/*
 * From two descriptors the 16 bytes of a header from packet_type on: type 0,
 * pkt_len, data_len with vlan_tci 0, and hash.rss where there is one.
 */
AVX2 static always_inline __m256i describe(__m256i d)
{
    const __m256i status = both(0, RXD_FLTSTAT);
    const __m256i has_hash =
        _mm256_cmpeq_epi32(_mm256_and_si256(d, status), status);
    /* the answer is in the third word, the hash in the second */
    const __m256i keep =
        _mm256_shuffle_epi32(has_hash, _MM_SHUFFLE(0, 3, 2, 3));
    const __m256i length =
        _mm256_and_si256(_mm256_srli_epi32(d, RXD_LEN_SHIFT - 32),
                         _mm256_set1_epi32(RXD_LEN_MASK));
    const __m256i picked =
        _mm256_blend_epi32(_mm256_and_si256(d, keep), length, 0x88);
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        -1, -1, -1, -1, 12, 13, -1, -1, 12, 13, -1, -1, 4, 5, 6, 7));

    return _mm256_shuffle_epi8(picked, order);
}

/* Two headers: rearm word and flags in front of what describe() made. */
AVX2 static always_inline void write_headers(struct mbuf *const m[2],
                                             __m256i rearm, __m256i fields)
{
    _mm256_storeu_si256(
        (__m256i_u *)&m[0]->rearm,
        _mm256_inserti128_si256(rearm, _mm256_castsi256_si128(fields), 1));
    _mm256_storeu_si256((__m256i_u *)&m[1]->rearm,
                        _mm256_blend_epi32(rearm, fields, 0xF0));
}

AVX2 static always_inline unsigned run(const struct port_rxq *q,
                                       struct mbuf *pkts[], unsigned n,
                                       uint64_t *bytes)
{
    const struct rx_desc *d = &q->ring[q->next];
    struct mbuf *const *sw = &q->sw[q->next];
    const __m256i rearm = both(q->rearm, 0);
    __m256i sum = _mm256_setzero_si256();
    size_t i;

    rx_prefetch(d);
    for (i = 0; i + LANES <= n; i += LANES) {
        const __m256i d01 = rx_load_avx2(&d[i]), d23 = rx_load_avx2(&d[i + 2]);
        const __m256i odd =
            _mm256_or_si256(rx_oddness_avx2(d01), rx_oddness_avx2(d23));
        __m256i f01, f23;

        if (unlikely(!_mm256_testz_si256(odd, odd)))
            break;
        _mm256_storeu_si256((__m256i_u *)&pkts[i],
                            _mm256_loadu_si256((const __m256i_u *)&sw[i]));
        f01 = describe(d01);
        f23 = describe(d23);
        write_headers(&sw[i], rearm, f01);
        write_headers(&sw[i + 2], rearm, f23);
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(f01, f23));
    }
    *bytes += (uint32_t)_mm256_extract_epi32(sum, 1) +
              (uint32_t)_mm256_extract_epi32(sum, 5);
    return rx_run_rest(q, pkts, i, n, bytes);
}

AVX2 unsigned rx_burst_avx2(struct port_rxq *q, struct mbuf *pkts[],
                            unsigned max)
{
    return rx_burst_by(q, pkts, max, run, rx_post_avx2);
}
