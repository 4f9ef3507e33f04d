/*
 * forward_avx2.c - forward.h, four frames at a time in 32-byte registers
 */
#include "drivers/xl710/forward.h"
#include "drivers/xl710/rx_avx2.h"

#define LANES 4

/* Sizes where a transmit descriptor has them, of two received descriptors. */
AVX2 static always_inline __m256i sizes(__m256i d)
{
    return _mm256_and_si256(_mm256_srli_epi64(d, FORWARD_SHIFT),
                            both(0, FORWARD_SIZE_MASK));
}

/* The words with a size; a frame has the last word of its half. */
#define SIZE_WORD(v, half)                                                     \
    ((uint32_t)_mm256_extract_epi32(v, 4 * (half) + 3) >> (TXD_SIZE_SHIFT - 32))

AVX2 static always_inline unsigned run(const struct port_rxq *rx,
                                       const struct port_txq *tx, unsigned n,
                                       uint64_t *bytes)
{
    const struct rx_desc *from = &rx->ring[rx->next];
    struct mbuf *const *sw = &rx->sw[rx->next];
    struct tx_desc *to = &tx->ring[tx->tail];
    struct mbuf **sw_to = &tx->sw[tx->tail];
    const __m256i rest = both(rx->to_bus, TXD_PLAIN);
    const __m256i least = both(0, TXD_SIZE(TX_CHIP_MIN));
    __m256i sum = _mm256_setzero_si256();
    size_t i;

    rx_prefetch(from);
    for (i = 0; i + LANES <= n; i += LANES) {
        const __m256i d01 = rx_load_avx2(&from[i]);
        const __m256i d23 = rx_load_avx2(&from[i + 2]);
        const __m256i s01 = sizes(d01), s23 = sizes(d23);
        const __m256i odd =
            _mm256_or_si256(rx_oddness_avx2(d01), rx_oddness_avx2(d23));
        const __m256i small =
            _mm256_cmpgt_epi32(least, _mm256_min_epi32(s01, s23));
        const __m256i stop = _mm256_or_si256(odd, small);
        const __m256i at = _mm256_loadu_si256((const __m256i_u *)&sw[i]);

        if (unlikely(!_mm256_testz_si256(stop, stop)))
            break;
        _mm256_storeu_si256((__m256i_u *)&sw_to[i], at);
        _mm256_storeu_si256(
            (__m256i_u *)&to[i],
            _mm256_add_epi64(
                _mm256_blend_epi32(
                    _mm256_permute4x64_epi64(at, _MM_SHUFFLE(1, 1, 0, 0)), s01,
                    0xCC),
                rest));
        _mm256_storeu_si256(
            (__m256i_u *)&to[i + 2],
            _mm256_add_epi64(
                _mm256_blend_epi32(
                    _mm256_permute4x64_epi64(at, _MM_SHUFFLE(3, 3, 2, 2)), s23,
                    0xCC),
                rest));
        sum = _mm256_add_epi32(sum, _mm256_add_epi32(s01, s23));
    }
    *bytes += SIZE_WORD(sum, 0) + SIZE_WORD(sum, 1);
    return forward_run_rest(rx, tx, i, n, bytes);
}

AVX2 unsigned forward_avx2(struct port_rxq *rxq, struct port_txq *txq,
                           unsigned max, port_edit *edit, const void *context)
{
    return forward_by(rxq, txq, max, edit, context, run, rx_post_avx2);
}
