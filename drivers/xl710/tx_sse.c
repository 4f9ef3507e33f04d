/*
 * tx_sse.c - transmit, a header in four registers of 16 bytes
 */
#include <immintrin.h>

#include "drivers/xl710/tx_burst.h"
#include "mm/pointers.h"

#define SSE   __attribute__((target("sse4.1")))
#define LANES 2

/* Over all headers so far; the lengths in the second word. */
struct seen {
    __m128i rearm_or, rearm_and, pool_or, pool_and, next_or;
    __m128i length_differs, shortest, longest, sum;
};

SSE static always_inline __m128i part(const struct mbuf *m, unsigned offset)
{
    const char *at = (const char *)m + offset;

    return _mm_load_si128((const __m128i *)(const void *)at);
}

/* A descriptor, with @rest added; what the header holds goes to @s. */
SSE static always_inline void write_one(struct tx_desc *d, const struct mbuf *m,
                                        __m128i rest, struct seen *s)
{
    const __m128i place = part(m, offsetof(struct mbuf, buf_addr));
    const __m128i rearm = part(m, offsetof(struct mbuf, rearm));
    const __m128i fields = part(m, offsetof(struct mbuf, packet_type));
    const __m128i pool = part(m, offsetof(struct mbuf, pool) - 8);
    /* data_len in the second word and in the last */
    const __m128i length =
        _mm_shuffle_epi8(fields, _mm_setr_epi8(-1, -1, -1, -1, 8, 9, -1, -1, -1,
                                               -1, -1, -1, 8, 9, -1, -1));
    const __m128i size =
        _mm_and_si128(_mm_slli_epi32(length, TXD_SIZE_SHIFT - 32),
                      _mm_setr_epi32(0, 0, 0, -1));
    /* next, beside the address, is 0 or will be noticed */
    const __m128i address =
        _mm_add_epi64(place, _mm_and_si128(rearm, _mm_set_epi64x(0, 0xFFFF)));

    _mm_store_si128((__m128i *)(void *)d,
                    _mm_add_epi64(_mm_or_si128(address, size), rest));
    s->rearm_or = _mm_or_si128(s->rearm_or, rearm);
    s->rearm_and = _mm_and_si128(s->rearm_and, rearm);
    s->pool_or = _mm_or_si128(s->pool_or, pool);
    s->pool_and = _mm_and_si128(s->pool_and, pool);
    s->next_or = _mm_or_si128(s->next_or, place);
    s->length_differs =
        _mm_or_si128(s->length_differs, _mm_xor_si128(fields, length));
    s->shortest = _mm_min_epu32(s->shortest, length);
    s->longest = _mm_max_epu32(s->longest, length);
    s->sum = _mm_add_epi32(s->sum, length);
}

#define WORD(v, i) ((uint32_t)_mm_extract_epi32(v, i))
#define QUAD(v, i) ((uint64_t)_mm_extract_epi64(v, i))

SSE static always_inline bool all_plain(const struct tx_plain *plain,
                                        const struct seen *s)
{
    const struct tx_seen seen = {
        .rearm_or = QUAD(s->rearm_or, 0),
        .rearm_and = QUAD(s->rearm_and, 0),
        .flags_or = QUAD(s->rearm_or, 1),
        .next_or = QUAD(s->next_or, 1),
        .pool_or = QUAD(s->pool_or, 1),
        .pool_and = QUAD(s->pool_and, 1),
        .length_differs = WORD(s->length_differs, 1),
        .shortest = WORD(s->shortest, 1),
        .longest = WORD(s->longest, 1),
    };

    return tx_all_plain(plain, &seen);
}

SSE static always_inline unsigned run(const struct port_txq *q,
                                      const struct tx_plain *plain,
                                      struct mbuf *const pkts[], unsigned n,
                                      uint64_t *bytes)
{
    struct tx_desc *d = &q->ring[q->tail];
    struct mbuf **sw = &q->sw[q->tail];
    const __m128i none = _mm_setzero_si128();
    const __m128i all = _mm_set1_epi32(-1);
    struct seen s = { none, all, none, all, none, none, all, none, none };
    __m128i rest;
    size_t i;

    if (n < LANES)
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    rest = _mm_set_epi64x(TXD_PLAIN, (long long)tx_to_bus(pkts[0]));
    for (i = 0; i + LANES <= n; i += LANES) {
        write_one(&d[i], pkts[i], rest, &s);
        write_one(&d[i + 1], pkts[i + 1], rest, &s);
        pointers_copy(&sw[i], &pkts[i], LANES);
    }
    if (unlikely(!all_plain(plain, &s)))
        return tx_run_rest(q, plain, pkts, 0, n, bytes);
    *bytes += WORD(s.sum, 1);
    return tx_run_rest(q, plain, pkts, i, n, bytes);
}

SSE unsigned tx_burst_sse(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    return tx_burst_by(q, pkts, n, run);
}
