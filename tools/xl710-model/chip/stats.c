/*
 * stats.c - the counters as registers
 *
 *   K1  a wide read returns all 48 bits of one moment
 *   K2  no read clears
 */
#include "chip/control.h"

#include <string.h>

#define MASK48 UINT64_C(0xFFFFFFFFFFFF)

struct stat_row {
    uint32_t offset;
    uint8_t width;
    uint8_t n;      /* counters, 32 bytes apart */
    uint16_t store; /* in its struct */
};

/* clang-format off */
static const struct stat_row port_rows[] = {
#define S(name, offset, width, n)                                              \
    { offset, width, n, offsetof(struct chip_port_stats, name) },
    CHIP_PORT_STATS_ALL(S)
#undef S
};

static const struct stat_row vsi_rows[] = {
#define S(name, offset, width)                                                 \
    { offset, width, 1, offsetof(struct chip_vsi_stats, name) },
    CHIP_VSI_STATS(S)
#undef S
};

static const struct stat_row veb_rows[] = {
#define S(name, offset, width)                                                 \
    { offset, width, 1, offsetof(struct chip_veb_stats, name) },
    CHIP_VEB_STATS(S)
#undef S
};
/* clang-format on */

static uint64_t at(const void *base, size_t offset)
{
    uint64_t v;

    memcpy(&v, (const uint8_t *)base + offset, sizeof(v));
    return v;
}

static uint64_t shown(const struct stat_row *row, uint64_t v)
{
    return row->width == 48 ? v & MASK48 : v & 0xFFFFFFFFu;
}

/* Port @p of group @g is at offset + 8 * p + 32 * g; four ports fill a group. */
static bool find_port(const struct chip *chip, uint32_t offset, uint64_t *v)
{
    for (size_t i = 0; i < sizeof(port_rows) / sizeof(port_rows[0]); i++) {
        const struct stat_row *row = &port_rows[i];
        const uint32_t delta = offset - row->offset;
        const unsigned group = delta / 32, port = delta % 32 / 8;

        if (offset < row->offset || group >= row->n)
            continue;
        *v = shown(row, at(&chip->port_stats[port],
                           row->store + group * sizeof(uint64_t)));
        return true;
    }
    return false;
}

static bool find_row(const struct stat_row *rows, size_t n, unsigned blocks,
                     uint32_t offset, const struct stat_row **row,
                     unsigned *index)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t delta = offset - rows[i].offset;

        if (offset < rows[i].offset || delta / 8 >= blocks)
            continue;
        *row = &rows[i];
        *index = delta / 8;
        return true;
    }
    return false;
}

static uint64_t find(const struct chip *chip, uint32_t offset)
{
    const struct stat_row *row;
    unsigned i;
    uint64_t v;

    if (find_port(chip, offset, &v))
        return v;
    if (find_row(vsi_rows, sizeof(vsi_rows) / sizeof(vsi_rows[0]), CHIP_VSI_MAX,
                 offset, &row, &i))
        return shown(row, at(&chip->vsi_stats[i], row->store));
    if (find_row(veb_rows, sizeof(veb_rows) / sizeof(veb_rows[0]), CHIP_VEB_MAX,
                 offset, &row, &i))
        return shown(row, at(&chip->veb_stats[i], row->store));
    if (offset >= CHIP_RXERR_OFFSET &&
        (offset - CHIP_RXERR_OFFSET) / 8 < CHIP_RXERR_MAX)
        return chip->rxerr1[(offset - CHIP_RXERR_OFFSET) / 8] & MASK48;
    return 0;
}

uint64_t stats_read(const struct chip *chip, uint32_t offset, bool wide)
{
    const uint64_t v = find(chip, offset & ~7u);

    if (wide && offset % 8 == 0)
        return v;
    return offset & 4 ? v >> 32 : v & 0xFFFFFFFFu;
}

void stats_reset(struct chip *chip)
{
    memset(chip->port_stats, 0, sizeof(chip->port_stats));
    memset(chip->vsi_stats, 0, sizeof(chip->vsi_stats));
    memset(chip->veb_stats, 0, sizeof(chip->veb_stats));
    memset(chip->rxerr1, 0, sizeof(chip->rxerr1));
}
