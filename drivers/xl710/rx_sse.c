/*
 * rx_sse.c - receive, one descriptor a register of 16 bytes, four at a time
 *
 * Without AVX nothing promises that 16 bytes are loaded at once, so the
 * quadword with DD is loaded before the other one.
 */
#include <immintrin.h>

#include "drivers/xl710/rx_burst.h"
#include "mm/pointers.h"

#define SSE   __attribute__((target("sse4.1")))
#define LANES 4

/* The quadword with DD in the low half, the other in the high one. */
SSE static always_inline __m128i load(const struct rx_desc *d)
{
    const volatile uint64_t *const qw0 = &d->qw0;
    const volatile uint64_t *const qw1 = &d->qw1;
    const __m128i status = _mm_cvtsi64_si128((long long)*qw1);

    return _mm_unpacklo_epi64(status, _mm_cvtsi64_si128((long long)*qw0));
}

/* 0 when both descriptors are plain (see RXD_PLAIN_MASK). */
SSE static always_inline __m128i oddness(__m128i a, __m128i b)
{
    const __m128i t = _mm_sub_epi64(_mm_unpacklo_epi64(a, b),
                                    _mm_set1_epi64x((long long)RXD_LEN_ONE));

    return _mm_xor_si128(
        _mm_and_si128(t, _mm_set1_epi64x((long long)RXD_PLAIN_MASK)),
        _mm_set1_epi64x((long long)RXD_PLAIN));
}

/*
 * The 16 bytes of a header from packet_type on: type 0, pkt_len, data_len with
 * vlan_tci 0, and hash.rss where there is one.
 */
SSE static always_inline __m128i describe(__m128i d)
{
    const __m128i status = _mm_set_epi64x(0, RXD_FLTSTAT);
    const __m128i has_hash = _mm_cmpeq_epi32(_mm_and_si128(d, status), status);
    /* the answer is in the first word, the hash in the last */
    const __m128i keep = _mm_shuffle_epi32(has_hash, _MM_SHUFFLE(0, 1, 1, 1));
    const __m128i length = _mm_and_si128(_mm_srli_epi32(d, RXD_LEN_SHIFT - 32),
                                         _mm_set1_epi32(RXD_LEN_MASK));
    const __m128i picked =
        _mm_blend_epi16(_mm_and_si128(d, keep), length, 0x0C);
    const __m128i order = _mm_setr_epi8(-1, -1, -1, -1, 4, 5, -1, -1, 4, 5, -1,
                                        -1, 12, 13, 14, 15);

    return _mm_shuffle_epi8(picked, order);
}

SSE static always_inline void write_header(struct mbuf *m, __m128i rearm,
                                           __m128i fields)
{
    _mm_store_si128((__m128i *)(void *)&m->rearm, rearm);
    _mm_store_si128((__m128i *)(void *)&m->packet_type, fields);
}

SSE static always_inline unsigned run(const struct port_rxq *q,
                                      struct mbuf *pkts[], unsigned n,
                                      uint64_t *bytes)
{
    const struct rx_desc *d = &q->ring[q->next];
    struct mbuf *const *sw = &q->sw[q->next];
    const __m128i rearm = _mm_set_epi64x(0, (long long)q->rearm);
    __m128i sum = _mm_setzero_si128();
    size_t i;

    rx_prefetch(d);
    for (i = 0; i + LANES <= n; i += LANES) {
        __m128i f[LANES];
        const __m128i d0 = load(&d[i]), d1 = load(&d[i + 1]);
        const __m128i d2 = load(&d[i + 2]), d3 = load(&d[i + 3]);
        const __m128i odd = _mm_or_si128(oddness(d0, d1), oddness(d2, d3));

        if (unlikely(!_mm_testz_si128(odd, odd)))
            break;
        f[0] = describe(d0);
        f[1] = describe(d1);
        f[2] = describe(d2);
        f[3] = describe(d3);
        for (unsigned k = 0; k < LANES; k++) {
            write_header(sw[i + k], rearm, f[k]);
            sum = _mm_add_epi32(sum, f[k]);
        }
        pointers_copy(&pkts[i], &sw[i], LANES);
    }
    *bytes += (uint32_t)_mm_extract_epi32(sum, 1);
    return rx_run_rest(q, pkts, i, n, bytes);
}

/* Multiples of 8 are posted (R3). */
SSE static always_inline void post(struct port_rxq *q, unsigned n)
{
    __m128i *d = (__m128i *)(void *)&q->ring[q->post];
    struct mbuf *const *sw = &q->sw[q->post];
    const __m128i to_bus = _mm_set1_epi64x((long long)q->to_bus);
    const __m128i zero = _mm_setzero_si128();

    for (size_t i = 0; i < n; i += 2) {
        const __m128i bus =
            _mm_add_epi64(_mm_loadu_si128((const __m128i_u *)&sw[i]), to_bus);

        _mm_store_si128(&d[i], _mm_unpacklo_epi64(bus, zero));
        _mm_store_si128(&d[i + 1], _mm_unpackhi_epi64(bus, zero));
    }
    rx_posted(q, n);
}

SSE unsigned rx_burst_sse(struct port_rxq *q, struct mbuf *pkts[], unsigned max)
{
    return rx_burst_by(q, pkts, max, run, post);
}
