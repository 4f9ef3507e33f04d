/*
 * tx_gather.c - the descriptors of one packet, read and judged
 *
 *   I1  a descriptor is read once, so that changing it meanwhile gains nothing
 *   I2  the walk ends with the tail
 */
#include "chip/tx_impl.h"

#define TX_DESC_BYTES 16

enum { DTYPE_DATA = 0, DTYPE_CONTEXT = 1, DTYPE_FILTER = 8, DTYPE_DONE = 0xF };

/* Bits that may differ between the data descriptors of one packet. */
#define CMD_PER_DESC (TX_CMD_EOP | TX_CMD_RS)

#define DESC_RESERVED    (UINT64_C(3) << 14)
#define CTX_RESERVED_QW0 (UINT64_C(0xFFFF) << 48)
#define CTX_RESERVED_QW1 (UINT64_C(0x3FF) << 20)

#define TSO_TOTAL_MAX (0x3FFFFu + 2048) /* payload and the longest headers */

uint8_t *tx_desc(struct tx_pass *p, unsigned slot)
{
    const size_t at = (size_t)slot * TX_DESC_BYTES;
    size_t got;
    uint8_t *desc;

    if (at + TX_DESC_BYTES <= p->ring_got)
        return p->ring + at;
    desc = chip_dma_map(p->chip, p->pf, p->txq->ctx.base + at, TX_DESC_BYTES,
                        true, &got);
    return desc != NULL && got >= TX_DESC_BYTES ? desc : NULL;
}

static void take_context(struct tx_pass *p, unsigned slot, uint64_t qw0,
                         uint64_t qw1)
{
    struct tx_packet *k = &p->packet;

    if ((qw0 & CTX_RESERVED_QW0) || (qw1 & CTX_RESERVED_QW1))
        chip_complain(p->chip, p->pf, "tx-ctx-desc-reserved",
                      "queue %u slot %u: reserved bits of a context "
                      "descriptor set",
                      p->q, slot);
    if (k->has_context || k->bufs != 0)
        chip_complain(p->chip, p->pf, "tx-ctx-desc-place",
                      "queue %u slot %u: a context descriptor that is not "
                      "the packet's first",
                      p->q, slot);
    k->has_context = true;
    k->ctx_cmd = (uint32_t)bits_of(qw1, 4, 16);
    k->tunnel = (uint32_t)qw0;
    k->tag2 = (uint16_t)bits_of(qw0, 32, 16);
    k->tso_len = (uint32_t)bits_of(qw1, 30, 18);
    k->mss = (uint16_t)bits_of(qw1, 50, 14);
}

/* What all data descriptors of a packet share must be the same in all. */
static void take_shared(struct tx_pass *p, unsigned slot, uint64_t qw1)
{
    struct tx_packet *k = &p->packet;
    const uint32_t cmd = (uint32_t)bits_of(qw1, 4, 10) & ~CMD_PER_DESC;
    const uint32_t offset = (uint32_t)bits_of(qw1, 16, 18);

    if (qw1 & DESC_RESERVED)
        chip_complain(p->chip, p->pf, "tx-desc-reserved",
                      "queue %u slot %u: reserved bits set", p->q, slot);
    if (k->bufs == 0) {
        k->cmd = cmd;
        k->offset = offset;
        k->tag1 = (uint16_t)bits_of(qw1, 48, 16);
    } else if (k->cmd != cmd || k->offset != offset) {
        chip_complain(p->chip, p->pf, "tx-desc-differs",
                      "queue %u slot %u: CMD or OFFSET differs from the "
                      "packet's first descriptor",
                      p->q, slot);
    }
}

static bool take_data(struct tx_pass *p, unsigned slot, uint64_t qw0,
                      uint64_t qw1)
{
    struct tx_packet *k = &p->packet;
    const uint32_t cmd = (uint32_t)bits_of(qw1, 4, 10);
    const uint16_t size = (uint16_t)bits_of(qw1, 34, 14);
    const bool is_tso = k->ctx_cmd & TX_CTX_TSO;

    take_shared(p, slot, qw1);
    if (size == 0) {
        tx_stop(p, TX_MDD_ZERO_SIZE, "tx-size-zero", "a buffer of 0 bytes");
        return false;
    }
    if (!is_tso && k->bufs == TX_BUFFERS_MAX) {
        tx_stop(p, TX_MDD_MAX_BUFF, "tx-buffers", "more than 8 buffers");
        return false;
    }
    if ((cmd & TX_CMD_RS) && !(cmd & TX_CMD_EOP))
        chip_complain(p->chip, p->pf, "tx-rs-not-last",
                      "queue %u slot %u: RS without EOP", p->q, slot);
    p->buf[k->bufs++] = (struct tx_buf) {
        .addr = qw0,
        .len = size,
        .slot = (uint16_t)slot,
        .rs = cmd & TX_CMD_RS,
    };
    k->total += size;
    k->has_rs |= cmd & TX_CMD_RS;
    k->is_whole = cmd & TX_CMD_EOP;
    if (k->total > TSO_TOTAL_MAX) {
        tx_stop(p, TX_MDD_WRONG_SIZE, "tx-size", "more than TSO can send");
        return false;
    }
    return true;
}

static bool take_desc(struct tx_pass *p, unsigned slot)
{
    const uint8_t *desc = tx_desc(p, slot);
    uint64_t qw0, qw1;

    if (desc == NULL) {
        tx_stop(p, TX_MDD_DESC, "tx-ring-memory", "the ring is not mapped");
        return false;
    }
    qw0 = le64(desc);
    qw1 = le64(desc + 8);
    switch (qw1 & 0xF) {
    case DTYPE_DATA:
        return take_data(p, slot, qw0, qw1);
    case DTYPE_CONTEXT:
        if (qw0 != 0 || qw1 != DTYPE_CONTEXT) /* else it is a NOP */
            take_context(p, slot, qw0, qw1);
        return true;
    case DTYPE_FILTER:
        if (!p->txq->ctx.fd)
            chip_complain(p->chip, p->pf, "tx-fd-off",
                          "queue %u slot %u: filter programming on a queue "
                          "without fd_ena",
                          p->q, slot);
        p->packet.has_filter = true;
        p->packet.filter = (struct fdir_desc) {
            .flow = (uint32_t)qw0,
            .cmd = (uint32_t)qw1,
            .id = (uint32_t)(qw1 >> 32),
        };
        return true;
    default:
        tx_stop(p, TX_MDD_DESC, "tx-dtype",
                (qw1 & 0xF) == DTYPE_DONE ? "a finished descriptor was posted"
                                          : "unknown descriptor type");
        return false;
    }
}

/* Has the walk met anything but NOPs? */
static bool is_begun(const struct tx_packet *k)
{
    return k->bufs != 0 || k->has_context || k->has_filter;
}

enum tx_gathered tx_gather(struct tx_pass *p)
{
    const unsigned qlen = p->txq->ctx.qlen;
    const unsigned pending = ring_span(p->txq->head, p->txq->tail, qlen);
    unsigned slot = p->txq->head;

    p->packet = (struct tx_packet) { 0 };
    for (unsigned n = 0; n < pending && !p->packet.is_whole; n++) {
        if (!take_desc(p, slot))
            return TX_STOPPED;
        slot = ring_next(slot, qlen);
        if (!is_begun(&p->packet))
            p->txq->head = (uint16_t)slot;
    }
    p->packet.next = (uint16_t)slot;
    return p->packet.is_whole ? TX_GATHERED : TX_INCOMPLETE;
}
