/*
 * rss.c - receive side scaling: input set, Toeplitz hash
 *
 * The hash is the one Microsoft published for RSS: each input bit that is set,
 * most significant first, adds (xor) the 32 key bits that start at its place.
 * A table of 256 values for each input byte does eight bits at a time.
 *
 * Source  input-set words: DPDK i40e_ethdev.h (I40E_REG_INSET_*)
 */
#include "chip/rss.h"

#include "chip/bytes.h"

#define FV_WORDS 64

/* Field-vector words of the headers we parse. */
enum {
    FV_IPV6_SRC = 13, /* 8 words */
    FV_IPV4_SRC = 15, /* 2 */
    FV_IPV6_DST = 21, /* 8 */
    FV_IPV4_DST = 27, /* 2 */
    FV_L4_SRC = 29,
    FV_L4_DST = 30,
    FV_SCTP_TAG = 31, /* 2 */
    FV_ETYPE = 49
};

#define INSET_IPV4  UINT64_C(0x0001801800000000)
#define INSET_IPV6  UINT64_C(0x0007FFF800000000)
#define INSET_PORTS UINT64_C(0x0000000600000000)
#define INSET_VTAG  UINT64_C(0x0000000180000000)
#define INSET_ETYPE UINT64_C(0x0000000000004000)

uint64_t rss_default_inset(unsigned pctype)
{
    switch (pctype) {
    case PCTYPE_IPV4_UDP:
    case PCTYPE_IPV4_TCP:
        return INSET_IPV4 | INSET_PORTS;
    case PCTYPE_IPV4_SCTP:
        return INSET_IPV4 | INSET_PORTS | INSET_VTAG;
    case PCTYPE_IPV4_OTHER:
    case PCTYPE_IPV4_FRAG:
        return INSET_IPV4;
    case PCTYPE_IPV6_UDP:
    case PCTYPE_IPV6_TCP:
        return INSET_IPV6 | INSET_PORTS;
    case PCTYPE_IPV6_SCTP:
        return INSET_IPV6 | INSET_PORTS | INSET_VTAG;
    case PCTYPE_IPV6_OTHER:
    case PCTYPE_IPV6_FRAG:
        return INSET_IPV6;
    case PCTYPE_L2:
        return INSET_ETYPE;
    default:
        return 0;
    }
}

/* ---- key ---- */

/* The 32 key bits that start at bit @at, most significant bit first. */
static uint32_t key_window(const uint8_t *key, unsigned at)
{
    const unsigned byte = at / 8, shift = at % 8;
    const uint64_t five = (uint64_t)be32(key + byte) << 8 |
                          (byte + 4 < RSS_KEY_BYTES ? key[byte + 4] : 0);

    return (uint32_t)(five >> (8 - shift));
}

void rss_key_set(struct rss_key *key, const uint32_t words[RSS_KEY_BYTES / 4])
{
    const uint8_t *bytes = (const uint8_t *)key->words;

    if (key->is_built && memcmp(key->words, words, RSS_KEY_BYTES) == 0)
        return;
    memcpy(key->words, words, RSS_KEY_BYTES);
    key->is_built = true;
    for (unsigned i = 0; i < RSS_INPUT_BYTES; i++) {
        key->table[i][0] = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            /* Values with this bit as their highest build on lower ones. */
            const unsigned top = 1u << bit;
            const uint32_t add = key_window(bytes, i * 8 + 7 - bit);

            for (unsigned low = 0; low < top; low++)
                key->table[i][top | low] = key->table[i][low] ^ add;
        }
    }
}

uint32_t rss_hash(const struct rss_key *key, const uint8_t *input, size_t len)
{
    uint32_t hash = 0;

    for (size_t i = 0; i < len && i < RSS_INPUT_BYTES; i++)
        hash ^= key->table[i][input[i]];
    return hash;
}

/* ---- input ---- */

static void put_fv(uint8_t *fv, unsigned word, const uint8_t *from,
                   unsigned bytes)
{
    memcpy(fv + word * 2, from, bytes);
}

/* Which end of the flow stands where the source is. */
enum ends { ENDS_AS_SENT, ENDS_SORTED, ENDS_REVERSED };

static bool must_swap(enum ends ends, const uint8_t *src, const uint8_t *dst,
                      size_t addr, const uint8_t *ports)
{
    int order;

    if (ends != ENDS_SORTED)
        return ends == ENDS_REVERSED;
    order = memcmp(src, dst, addr);
    if (order == 0 && ports != NULL)
        order = memcmp(ports, ports + 2, 2);
    return order > 0;
}

static void field_vector(const uint8_t *frame, const struct classified *c,
                         enum ends ends, uint8_t fv[FV_WORDS * 2])
{
    const uint8_t *l3 = frame + c->l3, *l4 = frame + c->l4;
    const unsigned addr = c->ip == 4 ? 4 : 16;
    const uint8_t *src = l3 + (c->ip == 4 ? 12 : 8), *dst = src + addr;
    const uint8_t *sport = l4, *dport = l4 + 2;

    memset(fv, 0, FV_WORDS * 2);
    put_be16(fv + FV_ETYPE * 2, c->etype);
    if (c->ip == 0)
        return;
    if (must_swap(ends, src, dst, addr, c->has_ports ? l4 : NULL)) {
        dst = src;
        src += addr;
        sport = l4 + 2;
        dport = l4;
    }
    put_fv(fv, c->ip == 4 ? FV_IPV4_SRC : FV_IPV6_SRC, src, addr);
    put_fv(fv, c->ip == 4 ? FV_IPV4_DST : FV_IPV6_DST, dst, addr);
    if (!c->has_ports)
        return;
    put_fv(fv, FV_L4_SRC, sport, 2);
    put_fv(fv, FV_L4_DST, dport, 2);
    if (c->pctype == PCTYPE_IPV4_SCTP || c->pctype == PCTYPE_IPV6_SCTP)
        put_fv(fv, FV_SCTP_TAG, l4 + 4, 4);
}

static size_t select_words(const uint8_t fv[FV_WORDS * 2], uint64_t inset,
                           uint8_t input[RSS_INPUT_BYTES])
{
    size_t n = 0;

    while (inset != 0 && n + 2 <= RSS_INPUT_BYTES) {
        const unsigned word = (unsigned)__builtin_clzll(inset);

        memcpy(input + n, fv + word * 2, 2);
        n += 2;
        inset &= ~(UINT64_C(1) << (63 - word));
    }
    return n;
}

size_t rss_input(const uint8_t *frame, const struct classified *c,
                 uint64_t inset, bool symmetric, uint8_t input[RSS_INPUT_BYTES])
{
    uint8_t fv[FV_WORDS * 2];

    field_vector(frame, c, symmetric ? ENDS_SORTED : ENDS_AS_SENT, fv);
    return select_words(fv, inset, input);
}

size_t rss_input_reversed(const uint8_t *frame, const struct classified *c,
                          uint64_t inset, uint8_t input[RSS_INPUT_BYTES])
{
    uint8_t fv[FV_WORDS * 2];

    field_vector(frame, c, ENDS_REVERSED, fv);
    return select_words(fv, inset, input);
}
