/*
 * macswap.c - engine macswap: send each packet on with its addresses exchanged
 */
#include <immintrin.h>

#include "net/engine.h"

/*
 * Of the frame's first eight 16-bit words 0..7, the addresses are 0 1 2 and
 * 3 4 5. SSE2, which every x86-64 processor has, orders the words of one half,
 * or pairs of words: three such steps exchange them.
 */
static always_inline void macswap_edit(const struct edit_addresses *to,
                                       uint8_t *frame)
{
    __m128i words = _mm_loadu_si128((const __m128i *)(const void *)frame);

    (void)to;
    words = _mm_shufflelo_epi16(words, _MM_SHUFFLE(2, 1, 0, 3)); /* 3012 4567 */
    words = _mm_shuffle_epi32(words, _MM_SHUFFLE(3, 1, 2, 0));   /* 3045 1267 */
    words = _mm_shufflelo_epi16(words, _MM_SHUFFLE(1, 3, 2, 0)); /* 3450 1267 */
    _mm_storeu_si128((__m128i *)(void *)frame, words);
}

static void macswap_edit_all(const void *to, struct mbuf *const at[],
                             size_t offset, unsigned n)
{
    edit_frames(to, at, offset, n, macswap_edit);
}

static always_inline unsigned macswap_burst(struct stream *s, unsigned max)
{
    return stream_edit(s, max, NULL, macswap_edit, macswap_edit_all);
}

ENGINE(macswap, macswap_burst, false, "exchange source and destination");
