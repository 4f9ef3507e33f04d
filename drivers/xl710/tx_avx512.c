/*
 * tx_avx512.c - transmit, a whole header in a 64-byte register
 */
#include <immintrin.h>

#include "drivers/xl710/tx_burst.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx2")))
#define LANES  4

/* Words of 16 bits, of the first and of the second header. */
#define A(member) ((short)(offsetof(struct mbuf, member) / 2))
#define B(member) ((short)(A(member) + 32))

/*
 * Two headers become, in words of 64 bits,
 *
 *   buf_addr, data_len of the first, the same of the second,
 *   data_off, pkt_len of the first, the same of the second
 */
AVX512 static always_inline __m512i meet(__m512i a, __m512i b)
{
    static const short order[32] __attribute__((aligned(64))) = {
        A(buf_addr),
        A(buf_addr) + 1,
        A(buf_addr) + 2,
        A(buf_addr) + 3,
        A(data_len),
        0,
        0,
        0,
        B(buf_addr),
        B(buf_addr) + 1,
        B(buf_addr) + 2,
        B(buf_addr) + 3,
        B(data_len),
        0,
        0,
        0,
        A(data_off),
        0,
        0,
        0,
        A(pkt_len),
        A(pkt_len) + 1,
        0,
        0,
        B(data_off),
        0,
        0,
        0,
        B(pkt_len),
        B(pkt_len) + 1,
        0,
        0,
    };

    return _mm512_maskz_permutex2var_epi16(0x31311F1F, a,
                                           _mm512_load_si512(order), b);
}

/* Over all headers so far; the lengths in the odd words. */
struct seen {
    __m512i all_or, all_and;
    __m256i length_differs, shortest, longest, sum;
};

/* Two descriptors, with @rest added; what their headers hold goes to @s. */
AVX512 static always_inline void write_two(struct tx_desc *d,
                                           struct mbuf *const m[2],
                                           __m256i rest, struct seen *s)
{
    const __m512i a = _mm512_load_si512(m[0]), b = _mm512_load_si512(m[1]);
    const __m512i both = meet(a, b);
    const __m256i low = _mm512_castsi512_si256(both);
    const __m256i high = _mm512_extracti64x4_epi64(both, 1);
    const __m256i placed = _mm256_mask_add_epi64(low, 5, low, high);
    const __m256i sized = _mm256_sllv_epi64(
        placed, _mm256_setr_epi64x(0, TXD_SIZE_SHIFT, 0, TXD_SIZE_SHIFT));

    _mm256_storeu_si256((__m256i_u *)d, _mm256_add_epi64(sized, rest));
    s->all_or = _mm512_or_si512(s->all_or, _mm512_or_si512(a, b));
    s->all_and = _mm512_and_si512(s->all_and, _mm512_and_si512(a, b));
    s->length_differs =
        _mm256_or_si256(s->length_differs, _mm256_xor_si256(low, high));
    s->shortest = _mm256_min_epu64(s->shortest, low);
    s->longest = _mm256_max_epu64(s->longest, low);
    s->sum = _mm256_add_epi64(s->sum, low);
}

#define WORD(v, member)                                                        \
    ((uint64_t)(v)[offsetof(struct mbuf, member) / sizeof(uint64_t)])
#define OF_BOTH(v, op) ((uint64_t)(v)[1] op(uint64_t)(v)[3])

AVX512 static always_inline bool all_plain(const struct tx_plain *plain,
                                           const struct seen *s)
{
    const uint64_t short_a = (uint64_t)s->shortest[1];
    const uint64_t short_b = (uint64_t)s->shortest[3];
    const uint64_t long_a = (uint64_t)s->longest[1];
    const uint64_t long_b = (uint64_t)s->longest[3];
    const struct tx_seen seen = {
        .rearm_or = WORD(s->all_or, rearm),
        .rearm_and = WORD(s->all_and, rearm),
        .flags_or = WORD(s->all_or, ol_flags),
        .next_or = WORD(s->all_or, next),
        .pool_or = WORD(s->all_or, pool),
        .pool_and = WORD(s->all_and, pool),
        .length_differs = (uint32_t)OF_BOTH(s->length_differs, |),
        .shortest = (uint32_t)(short_a < short_b ? short_a : short_b),
        .longest = (uint32_t)(long_a > long_b ? long_a : long_b),
    };

    return tx_all_plain(plain, &seen);
}

AVX512 static always_inline unsigned run(const struct port_txq *q,
                                         const struct tx_plain *plain,
                                         struct mbuf *const pkts[], unsigned n,
                                         uint64_t *bytes)
{
    struct tx_desc *d = &q->ring[q->tail];
    struct mbuf **sw = &q->sw[q->tail];
    const __m256i none = _mm256_setzero_si256();
    struct seen s = { _mm512_setzero_si512(),
                      _mm512_set1_epi32(-1),
                      none,
                      _mm256_set1_epi32(-1),
                      none,
                      none };
    __m256i rest;
    uint64_t to_bus;
    size_t i;

    if (n < LANES)
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    to_bus = tx_to_bus(pkts[0]);
    rest = _mm256_setr_epi64x((long long)to_bus, TXD_PLAIN, (long long)to_bus,
                              TXD_PLAIN);
    for (i = 0; i + LANES <= n; i += LANES) {
        write_two(&d[i], &pkts[i], rest, &s);
        write_two(&d[i + 2], &pkts[i + 2], rest, &s);
        _mm256_storeu_si256((__m256i_u *)&sw[i],
                            _mm256_loadu_si256((const __m256i_u *)&pkts[i]));
    }
    if (unlikely(!all_plain(plain, &s)))
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    *bytes += OF_BOTH(s.sum, +);
    return tx_run_rest(q, plain, pkts, i, n, bytes);
}

AVX512 unsigned tx_burst_avx512(struct port_txq *q, struct mbuf *pkts[],
                                unsigned n)
{
    return tx_burst_by(q, pkts, n, run);
}
