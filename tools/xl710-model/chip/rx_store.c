/*
 * rx_store.c - a frame goes into a driver's buffers
 *
 *   I1  only the last descriptor of a frame carries type, tag, hash and errors
 */
#include "chip/rx_impl.h"
#include "chip/sum.h"

#define TPID_VLAN 0x8100

/* Write-back, quadword 2 of the 32-byte kind: quadword 3 has a filter's ID. */
#define RXD_EXT_FD_ID (UINT64_C(1) << 4)

/* Write-back, quadword 1. */
#define RXD_DD          (UINT64_C(1) << 0)
#define RXD_EOF         (UINT64_C(1) << 1)
#define RXD_L2TAG1P     (UINT64_C(1) << 2)
#define RXD_L3L4P       (UINT64_C(1) << 3)
#define RXD_CAST(n)     ((uint64_t)(n) << 9)
#define RXD_FLM         (UINT64_C(1) << 11)
#define RXD_FLTSTAT_FD  (UINT64_C(1) << 12)
#define RXD_FLTSTAT_RSS (UINT64_C(3) << 12)
#define RXD_IPV6EXADD   (UINT64_C(1) << 15)
#define RXD_RXE         (UINT64_C(1) << 19)
#define RXD_IPE         (UINT64_C(1) << 22)
#define RXD_L4E         (UINT64_C(1) << 23)
#define RXD_EIPE        (UINT64_C(1) << 24)
#define RXD_PTYPE(n)    ((uint64_t)(n) << 30)
#define RXD_LENGTH(n)   ((uint64_t)(n) << 38)

static bool tag_is_stripped(const struct data_vsi *v,
                            const struct classified *c)
{
    return v->vlan_egress != 3 && c->tags != 0 && c->tpid == TPID_VLAN;
}

size_t rx_stored_len(const struct rx_pass *p, const struct chip_rxq *rxq,
                     const struct data_vsi *v)
{
    return p->len - (tag_is_stripped(v, p->c) ? 4 : 0) +
           (rxq->ctx.crc_strip ? 0 : FCS_BYTES);
}

bool rx_read_slots(const struct rx_pass *p, unsigned q, unsigned n,
                   struct rx_slot slot[RX_CHAIN_MAX])
{
    const struct chip_rxq *rxq = &p->pf->rxq[q];
    const unsigned bytes = rxq->ctx.desc_bytes;
    unsigned at = rxq->head;

    for (unsigned i = 0; i < n; i++) {
        size_t got;
        const uint8_t *desc =
            chip_dma_map(p->chip, p->pf, rxq->ctx.base + (uint64_t)at * bytes,
                         bytes, false, &got);
        uint64_t header;

        if (desc == NULL || got < bytes)
            return false;
        slot[i].addr = le64(desc);
        header = le64(desc + 8);
        /*
         * Without header split the address is not used (DPDK's vector paths
         * repeat the buffer's there), but its bit 0 is the DD bit.
         */
        if (header & 1)
            chip_complain(p->chip, p->pf, "rx-desc-dd",
                          "queue %u slot %u posted with bit 0 set", q, at);
        if (slot[i].addr == 0) {
            chip_complain(p->chip, p->pf, "rx-desc-zero",
                          "queue %u slot %u posted without a buffer", q, at);
            return false;
        }
        at = ring_next(at, rxq->ctx.qlen);
    }
    return true;
}

/* The frame as it goes to memory, in at most three pieces. */
struct rx_piece {
    const uint8_t *from;
    size_t len;
};

struct rx_source {
    unsigned n, at;
    struct rx_piece piece[3];
    uint8_t fcs[FCS_BYTES];
};

static void source_init(struct rx_source *s, const struct rx_pass *p,
                        bool strips_tag, bool keeps_fcs)
{
    s->n = s->at = 0;
    if (strips_tag) {
        s->piece[s->n++] = (struct rx_piece) { p->frame, 12 };
        s->piece[s->n++] = (struct rx_piece) { p->frame + 16, p->len - 16 };
    } else {
        s->piece[s->n++] = (struct rx_piece) { p->frame, p->len };
    }
    if (keeps_fcs) {
        put_le32(s->fcs, sum_fcs(p->frame, p->len));
        s->piece[s->n++] = (struct rx_piece) { s->fcs, FCS_BYTES };
    }
}

/* Fill @len bytes of bus memory from @s. */
static bool source_copy(struct rx_source *s, const struct rx_pass *p,
                        uint64_t addr, size_t len)
{
    while (len > 0 && s->at < s->n) {
        struct rx_piece *from = &s->piece[s->at];
        size_t n = from->len < len ? from->len : len, got;
        uint8_t *to = chip_dma_map(p->chip, p->pf, addr, n, true, &got);

        if (to == NULL || got == 0)
            return false;
        n = got < n ? got : n;
        memcpy(to, from->from, n);
        from->from += n;
        from->len -= n;
        addr += n;
        len -= n;
        if (from->len == 0)
            s->at++;
    }
    return true;
}

static uint64_t status_of(const struct rx_pass *p)
{
    const struct classified *c = p->c;

    return RXD_EOF | RXD_PTYPE(c->ptype) | RXD_CAST(c->cast) |
           (c->checked ? RXD_L3L4P : 0) | (c->ip_bad ? RXD_IPE : 0) |
           (c->l4_bad ? RXD_L4E : 0) | (c->outer_ip_bad ? RXD_EIPE : 0) |
           (c->ipv6_ext ? RXD_IPV6EXADD : 0) | (p->rxe ? RXD_RXE : 0);
}

/* Tag of the last descriptor, as the VSI wants to see it. */
static uint64_t tag_of(const struct data_vsi *v, uint16_t tag)
{
    switch (v->vlan_egress) {
    case 0:
        return tag;
    case 1:
        return tag & 0xE000;
    default:
        return 0;
    }
}

/*
 * A matched filter's ID has a place of its own in a long descriptor; in a short
 * one it takes the hash's (DPDK i40e_rxtx.c, i40e_rxd_build_fdir).
 */
static void put_filter(const struct fdir_filter *f, unsigned desc_bytes,
                       struct chip_rx_wb *wb)
{
    wb->qw[1] |= RXD_FLM;
    if (f->report != FDIR_ID)
        return;
    if (desc_bytes == 32) {
        wb->qw[2] |= RXD_EXT_FD_ID;
        wb->qw[3] |= (uint64_t)f->id << 32;
        return;
    }
    wb->qw[0] = (wb->qw[0] & 0xFFFFFFFFu) | (uint64_t)f->id << 32;
    wb->qw[1] = (wb->qw[1] & ~RXD_FLTSTAT_RSS) | RXD_FLTSTAT_FD;
}

void rx_deliver(const struct rx_pass *p, const struct data_vsi *v,
                const struct rx_plan *plan, const struct rx_slot *slot)
{
    const unsigned q = (unsigned)plan->q, n = plan->need;
    struct chip_rxq *rxq = &p->pf->rxq[q];
    const bool strips = tag_is_stripped(v, p->c);
    size_t left = rx_stored_len(p, rxq, v);
    struct rx_source source;

    source_init(&source, p, strips, !rxq->ctx.crc_strip);
    for (unsigned i = 0; i < n; i++) {
        const bool is_last = i + 1 == n;
        uint16_t bytes = (uint16_t)(is_last ? left : rxq->ctx.buffer);
        struct chip_rx_wb wb = { { 0 } };

        /* An unmapped buffer is complained about; the rest goes on. */
        (void)source_copy(&source, p, slot[i].addr, bytes);
        left -= bytes;
        (void)fault_rx_length(p->chip, p->pf, &bytes);
        wb.qw[1] = RXD_DD | RXD_LENGTH(bytes & 0x3FFF);
        if (is_last) {
            wb.qw[1] |= status_of(p);
            if (plan->has_hash) {
                wb.qw[0] |= (uint64_t)plan->hash << 32;
                wb.qw[1] |= RXD_FLTSTAT_RSS;
            }
            if (plan->fdir != NULL)
                put_filter(plan->fdir, rxq->ctx.desc_bytes, &wb);
            if (strips && v->vlan_egress < 2) {
                wb.qw[0] |= tag_of(v, p->c->tag) << 16;
                wb.qw[1] |= RXD_L2TAG1P;
            }
        }
        writeback_rx_push(p->chip, p->pf, q, &wb);
    }
}
