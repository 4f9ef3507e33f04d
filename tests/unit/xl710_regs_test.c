/*
 * xl710_regs_test.c - the register table, and contexts packed from rows
 */
#include <millrace/bits.h>
#include <millrace/port.h>

#include "drivers/xl710/hmc.h"
#include "drivers/xl710/nic.h"
#include "tests/unit/test.h"

struct row {
    const char *name;
    uint32_t offset, step, count;
};

static const struct row regs[] = {
#define ROW(name, offset, step, count, access, reset, meaning)                 \
    { #name, offset, step, count },
    XL710_REGISTERS(ROW)
#undef ROW
};

struct field {
    const char *name;
    unsigned reg, lsb, width;
};

static const struct field fields[] = {
#define ROW(reg, field, lsb, width, meaning)                                   \
    { #reg "." #field, reg, lsb, width },
    XL710_FIELDS(ROW)
#undef ROW
};

struct counter_row {
    const char *name;
    uint32_t offset, bits;
    unsigned entries; /* of 8 bytes */
};

#define ENTRIES_PORT 4
#define ENTRIES_VSI  384
#define ENTRIES_ERR  144

static const struct counter_row counters[] = {
#define ROW(name, offset, bits, set, text)                                     \
    { #name, offset, bits, ENTRIES_##set },
    XL710_COUNTERS(ROW)
#undef ROW
};

static uint32_t end_of(const struct row *r)
{
    return r->offset + r->step * (r->count - 1) + 4;
}

/* Do the two share a dword? Arrays with gaps interleave lawfully. */
static bool overlap(const struct row *a, const struct row *b)
{
    if (end_of(a) <= b->offset || end_of(b) <= a->offset)
        return false;
    for (unsigned i = 0; i < a->count; i++)
        for (unsigned k = 0; k < b->count; k++)
            if (a->offset + a->step * i == b->offset + b->step * k)
                return true;
    return false;
}

TEST(xl710_regs, rows_are_aligned_inside_the_bar_and_apart)
{
    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        CHECK_EQ(regs[i].offset % 4, 0);
        CHECK_EQ(regs[i].step % 4, 0);
        CHECK(regs[i].count > 0);
        CHECK(regs[i].count == 1 || regs[i].step > 0);
        CHECK(end_of(&regs[i]) <= XL710_BAR_BYTES);
        for (unsigned k = 0; k < i; k++)
            CHECK(!overlap(&regs[i], &regs[k]));
    }
}

TEST(xl710_regs, fields_fit_their_register_and_do_not_overlap)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        CHECK(fields[i].width >= 1);
        CHECK(fields[i].lsb + fields[i].width <= 32);
        for (unsigned k = 0; k < i; k++) {
            const bool same = fields[k].reg == fields[i].reg &&
                              fields[i].reg != PF_FUNC_RID; /* two views */

            CHECK(!same || fields[k].lsb + fields[k].width <= fields[i].lsb ||
                  fields[i].lsb + fields[i].width <= fields[k].lsb);
        }
    }
}

TEST(xl710_regs, counters_are_aligned_inside_the_bar_and_apart)
{
    for (unsigned i = 0; i < ARRAY_SIZE(counters); i++) {
        const struct counter_row *a = &counters[i];

        CHECK_EQ(a->offset % 8, 0);
        CHECK(a->bits == 32 || a->bits == 48);
        CHECK(a->offset + 8 * a->entries <= XL710_BAR_BYTES);
        for (unsigned k = 0; k < i; k++) {
            const struct counter_row *b = &counters[k];

            CHECK(a->offset + 8 * a->entries <= b->offset ||
                  b->offset + 8 * b->entries <= a->offset);
        }
    }
}

/* Some offsets by hand, from i40e_register.h. */
TEST(xl710_regs, offsets_of_array_members)
{
    CHECK_EQ(reg_offset(QTX_TAIL, 0), 0x108000);
    CHECK_EQ(reg_offset(QTX_TAIL, 1535), 0x1097FC);
    CHECK_EQ(reg_offset(QRX_TAIL, 3), 0x12800C);
    CHECK_EQ(reg_offset(PFQF_HENA, 1), 0x245980);
    CHECK_EQ(reg_offset(GLHMC_LANRXCNT, 15), 0xC653C);
    CHECK_PANICS(reg_offset(QTX_TAIL, 1536));
    CHECK_CONTAINS(host_panic_text, "QTX_TAIL");
    CHECK_PANICS(reg_offset(PFGEN_CTRL, 1));
}

TEST(xl710_regs, fields_are_cut_and_placed)
{
    CHECK_EQ(field_of(PFLAN_QALLOC_LASTQ, 0x807F0000), 0x7F);
    CHECK_EQ(field_is(PFLAN_QALLOC_LASTQ, 0x7F), 0x007F0000);
    CHECK_EQ(field_is(PF_ATQLEN_ENABLE, 1), 0x80000000);
    CHECK_EQ(field_is(GLHMC_LANQMAX_COUNT, 0x7FF), 0x7FF);
    CHECK_PANICS(field_is(GLHMC_LANQMAX_COUNT, 0x800));
    CHECK_PANICS(field_is(PF_ATQLEN_ENABLE, 2));
}

/* ---- contexts ---- */

struct ctx_field {
    const char *name;
    enum hmc_field id;
    unsigned lsb, width;
};

#define ROW(name, lsb, width) { #name, name, lsb, width },
static const struct ctx_field tx_fields[] = { HMC_TX_FIELDS(ROW) };
static const struct ctx_field rx_fields[] = { HMC_RX_FIELDS(ROW) };
#undef ROW

static void refuses(enum hmc_field field, uint64_t value)
{
    uint8_t context[HMC_TX_BYTES] = { 0 };

    CHECK_PANICS(hmc_put(context, field, value));
}

static void round_trip(const struct ctx_field *f, unsigned n, unsigned bytes)
{
    uint8_t context[HMC_TX_BYTES + 2];

    for (unsigned i = 0; i < n; i++) {
        const uint64_t all =
            f[i].width == 64 ? UINT64_MAX : (UINT64_C(1) << f[i].width) - 1;
        const uint64_t values[] = { all, all / 3, 1, 0 };

        CHECK(f[i].lsb + f[i].width <= 8 * bytes);
        for (unsigned v = 0; v < ARRAY_SIZE(values); v++) {
            unsigned set = 0;

            memset(context, 0, sizeof(context));
            hmc_put(context, f[i].id, values[v]);
            CHECK_EQ(hmc_get(context, f[i].id), values[v]);
            for (unsigned b = 0; b < sizeof(context); b++)
                set += (unsigned)__builtin_popcount(context[b]);
            CHECK_EQ(set, __builtin_popcountll(values[v]));
        }
        /* Neighbours keep their bits. */
        memset(context, 0xFF, sizeof(context));
        hmc_put(context, f[i].id, 0);
        for (unsigned k = 0; k < n; k++)
            CHECK(k == i || hmc_get(context, f[k].id) != 0);
        for (unsigned b = 0; b < 8 * sizeof(context); b++) {
            const bool inside = b >= f[i].lsb && b < f[i].lsb + f[i].width;

            CHECK_EQ(context[b / 8] >> b % 8 & 1, !inside);
        }
        if (f[i].width < 64)
            refuses(f[i].id, all + 1);
    }
}

TEST(xl710_hmc, transmit_fields_read_back_and_touch_nothing_else)
{
    round_trip(tx_fields, ARRAY_SIZE(tx_fields), HMC_TX_BYTES);
}

TEST(xl710_hmc, receive_fields_read_back_and_touch_nothing_else)
{
    round_trip(rx_fields, ARRAY_SIZE(rx_fields), HMC_RX_BYTES);
}

/* The byte layout iPXE's intelxl.h uses for the same contexts. */
TEST(xl710_hmc, bytes_are_where_ipxe_puts_them)
{
    uint8_t c[HMC_TX_BYTES] = { 0 };

    hmc_put(c, TXCTX_NEW, 1);
    hmc_put(c, TXCTX_BASE, UINT64_C(0x123456780) >> 7);
    hmc_put(c, TXCTX_QLEN, 64);
    hmc_put(c, TXCTX_RDYLIST, 0x20);
    CHECK_EQ(c[2] | c[3] << 8, 0x4000);
    CHECK_EQ(c[4] | c[5] << 8 | c[6] << 16, 0x123456780 >> 7 & 0xFFFFFF);
    CHECK_EQ(c[20] | c[21] << 8, 64 << 1);
    CHECK_EQ(c[122] | c[123] << 8, 0x20 << 4);

    memset(c, 0, sizeof(c));
    hmc_put(c, RXCTX_QLEN, 64);
    hmc_put(c, RXCTX_DBUFF, 2048 >> 7);
    hmc_put(c, RXCTX_DSIZE, 1);
    hmc_put(c, RXCTX_CRCSTRIP, 1);
    hmc_put(c, RXCTX_RXMAX, 1522);
    CHECK_EQ(c[11] | c[12] << 8, 64 << 1);
    CHECK_EQ(c[12] | c[13] << 8, 2048 >> 1);
    CHECK_EQ(c[14], 0x30);
    CHECK_EQ((c[21] | c[22] << 8 | c[23] << 16) >> 6 & 0x3FFF, 1522);
}

/* ---- devices ---- */

TEST(xl710_ids, the_whole_family_and_nobody_else)
{
    static const uint16_t family[] = {
        0x1572, 0x1574, 0x1580, 0x1581, 0x1583, 0x1584, 0x1585, 0x1586, 0x1587,
        0x1588, 0x1589, 0x158A, 0x158B, 0x15FF, 0x104E, 0x104F, 0x101F, 0x0DD2,
        0x0CF8, 0x0D58, 0x37CE, 0x37CF, 0x37D0, 0x37D1, 0x37D2, 0x37D3, 0x0DDA,
    };
    unsigned found = 0;

    for (unsigned id = 0; id < 0x10000; id++) {
        const struct pci_device d = { .vendor = 0x8086,
                                      .device = (uint16_t)id };

        found += xl710_is_ours(&d);
    }
    CHECK_EQ(found, ARRAY_SIZE(family));
    for (unsigned i = 0; i < ARRAY_SIZE(family); i++) {
        const struct pci_device d = { .vendor = 0x8086, .device = family[i] };
        const struct pci_device foreign = { .vendor = 0x10EC,
                                            .device = family[i] };
        struct port_info info;

        CHECK(xl710_is_ours(&d));
        CHECK(strlen(xl710_product(&d)) < sizeof(info.product));
        CHECK(!xl710_is_ours(&foreign));
        CHECK(xl710_product(&foreign) == NULL);
    }
}
