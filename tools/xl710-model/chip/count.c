/*
 * count.c - what a frame adds to the port's and the VSI's counters
 *
 * Octets and sizes include the FCS, which no buffer ever holds.
 */
#include "chip/chip_impl.h"

#define FCS_BYTES 4

/* Add one to the size class of @s that fits @bytes on the wire. */
#define COUNT_SIZE(s, dir, bytes)                                              \
    do {                                                                       \
        if ((bytes) <= 64)                                                     \
            (s)->dir##64 [0]++;                                                \
        else if ((bytes) <= 127)                                               \
            (s)->dir##127 [0]++;                                               \
        else if ((bytes) <= 255)                                               \
            (s)->dir##255 [0]++;                                               \
        else if ((bytes) <= 511)                                               \
            (s)->dir##511 [0]++;                                               \
        else if ((bytes) <= 1023)                                              \
            (s)->dir##1023 [0]++;                                              \
        else if ((bytes) <= 1522)                                              \
            (s)->dir##1522 [0]++;                                              \
        else                                                                   \
            (s)->dir##9522 [0]++;                                              \
    } while (0)

static void count_cast(uint64_t *uni, uint64_t *multi, uint64_t *broad,
                       unsigned cast)
{
    if (cast == CAST_UNI)
        (*uni)++;
    else if (cast == CAST_MULTI)
        (*multi)++;
    else
        (*broad)++;
}

void count_port_rx(struct chip *chip, unsigned port, size_t len, unsigned cast)
{
    struct chip_port_stats *s = &chip->port_stats[port];
    const size_t bytes = len + FCS_BYTES;

    s->GORC[0] += bytes;
    COUNT_SIZE(s, PRC, bytes);
    count_cast(s->UPRC, s->MPRC, s->BPRC, cast);
}

void count_port_tx(struct chip *chip, unsigned port, size_t len, unsigned cast)
{
    struct chip_port_stats *s = &chip->port_stats[port];
    const size_t bytes = len + FCS_BYTES;

    s->GOTC[0] += bytes;
    COUNT_SIZE(s, PTC, bytes);
    count_cast(s->UPTC, s->MPTC, s->BPTC, cast);
}

void count_vsi_rx(struct chip_vsi_stats *s, size_t len, unsigned cast)
{
    s->GORC += len + FCS_BYTES;
    count_cast(&s->UPRC, &s->MPRC, &s->BPRC, cast);
}

void count_vsi_tx(struct chip_vsi_stats *s, size_t len, unsigned cast)
{
    s->GOTC += len + FCS_BYTES;
    count_cast(&s->UPTC, &s->MPTC, &s->BPTC, cast);
}
