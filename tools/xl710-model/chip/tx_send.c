/*
 * tx_send.c - a gathered packet goes out as one frame or as TSO segments
 *
 *   I1  bytes are copied from guest memory once, and only those are used
 *   I2  a frame on the wire is at most 9728 bytes, tags included
 */
#include "chip/offload.h"
#include "chip/sum.h"
#include "chip/tx_impl.h"

#define TX_FRAME_MIN 17 /* what the host must supply */
#define ETH_MIN      60
#define TPID_VLAN    0x8100
#define TPID_SVLAN   0x88A8
#define MSS_MAX      9668

#define REG_MSS_MIN(v) (((v) >> 16) & 0x3FF)

/* A place in the packet's buffers. */
struct cursor {
    unsigned buf;
    unsigned offset;
};

/* Copy the next @len bytes of the packet. Unmapped ones read as zeros. */
static void copy_out(struct tx_pass *p, struct cursor *at, uint8_t *to,
                     size_t len)
{
    while (len > 0 && at->buf < p->packet.bufs) {
        const struct tx_buf *b = &p->buf[at->buf];
        size_t n = b->len - at->offset, got = 0;
        const uint8_t *from;

        n = n < len ? n : len;
        from =
            chip_dma_map(p->chip, p->pf, b->addr + at->offset, n, false, &got);
        if (from == NULL || got == 0) {
            memset(to, 0, n);
        } else {
            n = n < got ? n : got;
            memcpy(to, from, n);
        }
        to += n;
        len -= n;
        at->offset += (unsigned)n;
        if (at->offset == b->len) {
            at->buf++;
            at->offset = 0;
        }
    }
}

/* ---- onto the wire ---- */

static uint8_t *insert_tags(const struct tx_pass *p, uint8_t *frame,
                            size_t *len)
{
    const struct tx_packet *k = &p->packet;
    const bool has_tag1 = k->cmd & TX_CMD_IL2TAG1;
    const bool has_tag2 = k->ctx_cmd & TX_CTX_IL2TAG2;
    uint8_t *const start = frame;

    if (has_tag1)
        frame = offload_insert_tag(frame, TPID_VLAN, k->tag1);
    else if (!has_tag2 && p->vsi != NULL && be16(frame + 12) != TPID_VLAN &&
             (p->vsi->props[VSI_PORT_VLAN_FLAGS] & VSI_VLAN_INS_PVID))
        frame = offload_insert_tag(frame, TPID_VLAN,
                                   le16(p->vsi->props + VSI_PVID));
    if (has_tag2) /* the outer one when there are two */
        frame = offload_insert_tag(frame, has_tag1 ? TPID_SVLAN : TPID_VLAN,
                                   k->tag2);
    *len += (size_t)(start - frame);
    return frame;
}

static unsigned cast_of(const uint8_t *frame)
{
    static const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };

    if (!(frame[0] & 1))
        return CAST_UNI;
    return memcmp(frame, broadcast, 6) == 0 ? CAST_BROAD : CAST_MULTI;
}

/* @frame has room for two tags before it and for padding behind it. */
static void emit(struct tx_pass *p, uint8_t *frame, size_t len)
{
    struct chip *chip = p->chip;
    const unsigned port = p->pf->index;
    unsigned cast;

    if (rxfilter_ctl_drops(chip, p->pf, frame, be16(frame + 12), true))
        return;
    frame = insert_tags(p, frame, &len);
    if (len > CHIP_FRAME_MAX) {
        chip_complain(chip, p->pf, "tx-size",
                      "queue %u slot %u: above 9728 bytes with its tags, the "
                      "frame is lost",
                      p->q, p->txq->head);
        return;
    }
    if (len < ETH_MIN) {
        memset(frame + len, 0, ETH_MIN - len);
        len = ETH_MIN;
    }
    cast = cast_of(frame);
    if (p->vsi != NULL)
        count_vsi_tx(vsi_stats(chip, p->vsi), len, cast);
    if (!link_is_up(chip, port)) {
        chip->port_stats[port].TDOLD[0]++;
        return;
    }
    count_port_tx(chip, port, len, cast);
    if (!(p->packet.cmd & TX_CMD_ICRC)) {
        /* Counted, but no receiver accepts it (iPXE intelxl.h). */
        chip_complain(chip, p->pf, "tx-icrc",
                      "queue %u slot %u: ICRC not set, the frame is lost", p->q,
                      p->txq->head);
        return;
    }
    if (p->pf->link.loopback != 0)
        (void)chip_wire_rx(chip, port, frame, len, false);
    else
        chip->host.wire_tx(chip->host.ctx, port, frame, len);
}

/* ---- one frame ---- */

static bool headers_are_fine(struct tx_pass *p, const struct offload *o)
{
    const char *fault = offload_fault(o, p->packet.total);

    if (fault != NULL)
        tx_stop(p, TX_MDD_NO_HEAD, "tx-offload-headers", fault);
    return fault == NULL;
}

static void check_ip_sum_seed(struct tx_pass *p, const uint8_t *frame,
                              const struct offload *o)
{
    if (o->ip == OFFLOAD_IPV4_SUM && be16(frame + o->ip_at + 10) != 0)
        chip_complain(p->chip, p->pf, "tx-ip-sum-seed",
                      "queue %u slot %u: IPv4 checksum to be filled in is "
                      "not 0",
                      p->q, p->txq->head);
}

static bool send_frame(struct tx_pass *p, const struct offload *o)
{
    uint8_t *frame = p->chip->data.frame + TX_TAG_ROOM;
    const size_t len = p->packet.total;
    struct cursor at = { 0, 0 };

    if (len < TX_FRAME_MIN) {
        tx_stop(p, TX_MDD_WRONG_SIZE, "tx-size", "frame below 17 bytes");
        return false;
    }
    if (len > CHIP_FRAME_MAX) {
        tx_stop(p, TX_MDD_WRONG_SIZE, "tx-size", "frame above 9728 bytes");
        return false;
    }
    if (!headers_are_fine(p, o))
        return false;
    copy_out(p, &at, frame, len);
    check_ip_sum_seed(p, frame, o);
    offload_checksums(frame, len, o);
    emit(p, frame, len);
    return true;
}

/* ---- segmentation ---- */

static bool tso_is_fine(struct tx_pass *p, const struct offload *o)
{
    const struct tx_packet *k = &p->packet;
    const unsigned mss_min = REG_MSS_MIN(p->chip->regs.REG_MSS[0]);

    if (k->mss < mss_min || k->mss > MSS_MAX || k->mss == 0) {
        tx_stop(p, TX_MDD_LSO_MSS, "tx-tso-mss", "MSS outside the limits");
        return false;
    }
    if (o->l4 == OFFLOAD_L4_NONE || o->l4 == OFFLOAD_SCTP) {
        tx_stop(p, TX_MDD_NO_HEAD, "tx-offload-headers",
                "TSO without TCP or UDP");
        return false;
    }
    if (!headers_are_fine(p, o))
        return false;
    if (k->tso_len == 0 || k->total == o->payload_at) {
        tx_stop(p, TX_MDD_LSO_LEN, "tx-tso-len", "TSO without payload");
        return false;
    }
    if (o->payload_at + k->mss > CHIP_FRAME_MAX) {
        tx_stop(p, TX_MDD_WRONG_SIZE, "tx-size", "headers and MSS above 9728");
        return false;
    }
    if (k->tso_len != k->total - o->payload_at)
        chip_complain(p->chip, p->pf, "tx-tso-len",
                      "queue %u slot %u: TSO_LEN %u, buffers hold %u", p->q,
                      p->txq->head, k->tso_len, k->total - o->payload_at);
    return true;
}

/* TCP flags to clear in a segment (GLLAN_TSOMSK: a set bit is masked out). */
static unsigned flags_to_clear(const struct chip_regs *r, bool is_first,
                               bool is_last)
{
    if (is_first && is_last)
        return r->GLLAN_TSOMSK_F[0] & r->GLLAN_TSOMSK_L[0];
    if (is_first)
        return r->GLLAN_TSOMSK_F[0];
    return is_last ? r->GLLAN_TSOMSK_L[0] : r->GLLAN_TSOMSK_M[0];
}

/* Buffers a segment draws on: those of the headers, then of its payload. */
static unsigned buffers_used(unsigned head_bufs, bool is_first,
                             const struct cursor *from, const struct cursor *to)
{
    const unsigned end = to->offset != 0 ? to->buf + 1 : to->buf;

    return is_first ? end : head_bufs + end - from->buf;
}

static bool send_segments(struct tx_pass *p, const struct offload *o)
{
    uint8_t *frame = p->chip->data.frame + TX_TAG_ROOM;
    uint8_t *head = p->chip->data.head;
    const size_t payload = p->packet.total - o->payload_at;
    struct cursor at = { 0, 0 };
    unsigned head_bufs;
    size_t done = 0;

    copy_out(p, &at, head, o->payload_at);
    head_bufs = at.offset != 0 ? at.buf + 1 : at.buf;
    check_ip_sum_seed(p, head, o);
    for (unsigned index = 0; done < payload; index++) {
        const struct cursor from = at;
        const size_t left = payload - done;
        const size_t n = left < p->packet.mss ? left : p->packet.mss;

        memcpy(frame, head, o->payload_at);
        copy_out(p, &at, frame + o->payload_at, n);
        if (buffers_used(head_bufs, index == 0, &from, &at) > TX_BUFFERS_MAX) {
            tx_stop(p, TX_MDD_MAX_BUFF, "tx-buffers",
                    "a segment of more than 8 buffers");
            return false;
        }
        offload_segment(frame, o->payload_at + n, o, index, done,
                        flags_to_clear(&p->chip->regs, index == 0, n == left));
        emit(p, frame, o->payload_at + n);
        done += n;
    }
    return true;
}

/* The packet, or what there is room for of it, is a sample of its flow. */
static void program_filter(struct tx_pass *p)
{
    uint8_t *frame = p->chip->data.frame;
    const size_t len =
        p->packet.total < TX_FRAME_ROOM ? p->packet.total : TX_FRAME_ROOM;
    struct cursor at = { 0, 0 };

    copy_out(p, &at, frame, len);
    fdir_program(p->chip, p->pf, p->q, &p->packet.filter, frame, len);
}

bool tx_send(struct tx_pass *p)
{
    const struct tx_packet *k = &p->packet;
    struct offload o;

    if (k->cmd & TX_CMD_FCOET)
        chip_complain(p->chip, p->pf, "tx-desc-reserved",
                      "queue %u slot %u: FCOET set", p->q, p->txq->head);
    if (k->has_filter)
        program_filter(p);
    if (k->cmd & TX_CMD_DUMMY)
        return true;
    offload_decode(k->cmd, k->offset, k->tunnel, &o);
    if (!(k->ctx_cmd & TX_CTX_TSO))
        return send_frame(p, &o);
    return tso_is_fine(p, &o) && send_segments(p, &o);
}
