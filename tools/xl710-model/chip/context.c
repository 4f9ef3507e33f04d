/*
 * context.c - queue contexts as the driver wrote them into host memory
 *
 * One row a field, one row a rule. A field may straddle bytes; the object is
 * one little-endian bit string.
 *
 * Source  Linux i40e i40e_lan_hmc.c (field positions), DPDK i40e_rxtx.c and
 *         iPXE intelxl.c (limits)
 */
#include "chip/queue.h"

#include <stddef.h>

#include "chip/bytes.h"

#define RING_ALIGN    128u
#define RING_STEP     32u
#define RING_MAX      8160u
#define RX_BUFFER_MIN 1024u
#define RX_CHAIN_MAX  5u

/*
 * Bits [lsb, lsb + width) of an object of @bytes; width 1 .. 57, or 64 on a
 * byte boundary. The eight bytes loaded stay inside the object.
 */
static uint64_t field(const uint8_t *raw, unsigned bytes, unsigned lsb,
                      unsigned width)
{
    const unsigned at = lsb / 8 < bytes - 8 ? lsb / 8 : bytes - 8;
    const uint64_t v = le64(raw + at) >> (lsb - at * 8);

    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

void chip_txctx_decode(const uint8_t raw[CHIP_TXCTX_BYTES],
                       struct chip_txctx *ctx)
{
    *ctx = (struct chip_txctx) {
        /* field                   lsb width */
        .head = field(raw, CHIP_TXCTX_BYTES, 0, 13),
        .new_context = field(raw, CHIP_TXCTX_BYTES, 30, 1),
        .base = field(raw, CHIP_TXCTX_BYTES, 32, 57) * RING_ALIGN,
        .fd = field(raw, CHIP_TXCTX_BYTES, 91, 1),
        .head_wb = field(raw, CHIP_TXCTX_BYTES, 160, 1),
        .qlen = field(raw, CHIP_TXCTX_BYTES, 161, 13),
        .head_wb_addr = field(raw, CHIP_TXCTX_BYTES, 192, 64),
        .qs_handle = field(raw, CHIP_TXCTX_BYTES, 980, 10),
    };
}

void chip_rxctx_decode(const uint8_t raw[CHIP_RXCTX_BYTES],
                       struct chip_rxctx *ctx)
{
    *ctx = (struct chip_rxctx) {
        /* field                   lsb width */
        .head = field(raw, CHIP_RXCTX_BYTES, 0, 13),
        .base = field(raw, CHIP_RXCTX_BYTES, 32, 57) * RING_ALIGN,
        .qlen = field(raw, CHIP_RXCTX_BYTES, 89, 13),
        .buffer = field(raw, CHIP_RXCTX_BYTES, 102, 7) * 128,
        .header = field(raw, CHIP_RXCTX_BYTES, 109, 5) * 64,
        .dtype = field(raw, CHIP_RXCTX_BYTES, 114, 2),
        .desc_bytes = field(raw, CHIP_RXCTX_BYTES, 116, 1) ? 32 : 16,
        .crc_strip = field(raw, CHIP_RXCTX_BYTES, 117, 1),
        .l2tsel = field(raw, CHIP_RXCTX_BYTES, 119, 1),
        .max_frame = field(raw, CHIP_RXCTX_BYTES, 174, 14),
        .prefetch = field(raw, CHIP_RXCTX_BYTES, 201, 1),
    };
}

/* ---- rules ---- */

/* Short rings run (old iPXE has 8 receive descriptors), endless ones do not. */
static bool qlen_is_off_step(unsigned qlen)
{
    return qlen % RING_STEP != 0;
}

static bool qlen_is_out_of_range(unsigned qlen)
{
    return qlen == 0 || qlen > RING_MAX;
}

static bool tx_no_base(const struct chip_txctx *c)
{
    return c->base == 0;
}

static bool tx_qlen_range(const struct chip_txctx *c)
{
    return qlen_is_out_of_range(c->qlen);
}

static bool tx_qlen_step(const struct chip_txctx *c)
{
    return qlen_is_off_step(c->qlen);
}

static bool tx_head_range(const struct chip_txctx *c)
{
    return c->head != 0 && c->head >= c->qlen;
}

static bool tx_old_context(const struct chip_txctx *c)
{
    return !c->new_context;
}

static bool tx_head_wb_addr(const struct chip_txctx *c)
{
    return c->head_wb && (c->head_wb_addr == 0 || c->head_wb_addr % 4 != 0);
}

static bool rx_no_base(const struct chip_rxctx *c)
{
    return c->base == 0;
}

static bool rx_qlen_range(const struct chip_rxctx *c)
{
    return qlen_is_out_of_range(c->qlen);
}

static bool rx_qlen_step(const struct chip_rxctx *c)
{
    return qlen_is_off_step(c->qlen);
}

static bool rx_head_range(const struct chip_rxctx *c)
{
    return c->head != 0 && c->head >= c->qlen;
}

static bool rx_buffer_small(const struct chip_rxctx *c)
{
    return c->buffer < RX_BUFFER_MIN;
}

static bool rx_max_frame(const struct chip_rxctx *c)
{
    return c->max_frame == 0 || c->max_frame > RX_CHAIN_MAX * c->buffer;
}

static bool rx_split(const struct chip_rxctx *c)
{
    return c->dtype != 0;
}

static const struct {
    bool (*breaks)(const struct chip_txctx *);
    struct chip_ctx_fault fault;
} tx_rules[] = {
    { tx_no_base, { "tx-ctx-base", "ring base is 0", true } },
    { tx_qlen_range, { "tx-ctx-qlen", "ring length outside 1..8160", true } },
    { tx_qlen_step,
      { "tx-ctx-qlen-step", "ring length is no multiple of 32", false } },
    { tx_head_range, { "tx-ctx-head", "head is beyond the ring", true } },
    { tx_old_context, { "tx-ctx-new", "new_context is 0", false } },
    { tx_head_wb_addr,
      { "tx-ctx-head-wb", "head write-back to a bad address", true } },
};

static const struct {
    bool (*breaks)(const struct chip_rxctx *);
    struct chip_ctx_fault fault;
} rx_rules[] = {
    { rx_no_base, { "rx-ctx-base", "ring base is 0", true } },
    { rx_qlen_range, { "rx-ctx-qlen", "ring length outside 1..8160", true } },
    { rx_qlen_step,
      { "rx-ctx-qlen-step", "ring length is no multiple of 32", false } },
    { rx_head_range, { "rx-ctx-head", "head is beyond the ring", true } },
    { rx_buffer_small,
      { "rx-ctx-buffer", "packet buffer below 1024 bytes", true } },
    { rx_max_frame,
      { "rx-ctx-rxmax", "RXMAX is 0 or above five buffers", false } },
    { rx_split, { "rx-ctx-split", "header split is not modelled", true } },
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const struct chip_ctx_fault *chip_txctx_fault(const struct chip_txctx *ctx,
                                              unsigned nth)
{
    for (size_t i = 0; i < COUNT(tx_rules); i++) {
        if (tx_rules[i].breaks(ctx) && nth-- == 0)
            return &tx_rules[i].fault;
    }
    return NULL;
}

const struct chip_ctx_fault *chip_rxctx_fault(const struct chip_rxctx *ctx,
                                              unsigned nth)
{
    for (size_t i = 0; i < COUNT(rx_rules); i++) {
        if (rx_rules[i].breaks(ctx) && nth-- == 0)
            return &rx_rules[i].fault;
    }
    return NULL;
}
