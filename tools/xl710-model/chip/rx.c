/*
 * rx.c - a frame comes off the wire and goes into a driver's buffers
 *
 *   I1  nothing is written unless all descriptors the frame needs are there
 *   I2  only the last descriptor of a frame carries type, tag, hash and errors
 *   I3  a frame that is refused (@may_wait) has changed no counter
 */
#include "chip/chip_impl.h"
#include "chip/sum.h"

#define ETH_MIN       60 /* without FCS */
#define FCS_BYTES     4
#define RX_CHAIN_MAX  5
#define TPID_VLAN     0x8100
#define ETYPE_CONTROL 0x8808
#define OPCODE_PAUSE  0x0001

/* Write-back, quadword 1. */
#define RXD_DD          (UINT64_C(1) << 0)
#define RXD_EOF         (UINT64_C(1) << 1)
#define RXD_L2TAG1P     (UINT64_C(1) << 2)
#define RXD_L3L4P       (UINT64_C(1) << 3)
#define RXD_CAST(n)     ((uint64_t)(n) << 9)
#define RXD_FLTSTAT_RSS (UINT64_C(3) << 12)
#define RXD_IPV6EXADD   (UINT64_C(1) << 15)
#define RXD_RXE         (UINT64_C(1) << 19)
#define RXD_IPE         (UINT64_C(1) << 22)
#define RXD_L4E         (UINT64_C(1) << 23)
#define RXD_EIPE        (UINT64_C(1) << 24)
#define RXD_PTYPE(n)    ((uint64_t)(n) << 30)
#define RXD_LENGTH(n)   ((uint64_t)(n) << 38)

#define MFLCN_DPF  (1u << 1) /* discard pause frames */
#define MFLCN_RFCE (1u << 3) /* obey pause frames */

#define CTL_0_HASHLUTSIZE (1u << 16)

/* A frame on its way to one queue. */
struct rx_pass {
    struct chip *chip;
    struct chip_pf *pf;
    const uint8_t *frame;
    size_t len;
    const struct classified *c;
    bool rxe; /* fault on request */
};

/* ---- which queue ---- */

static uint64_t inset_of(const struct chip *chip, unsigned pctype)
{
    const uint64_t inset = (uint64_t)chip->regs.GLQF_HASH_INSET[pctype * 2 + 1]
                               << 32 |
                           chip->regs.GLQF_HASH_INSET[pctype * 2];

    /* Linux leaves the power-on input sets alone; they work as these do. */
    return inset != 0 ? inset : rss_default_inset(pctype);
}

static bool hash_is_on(const struct chip_pf *pf, unsigned pctype)
{
    return pf->regs.PFQF_HENA[pctype / 32] >> (pctype % 32) & 1;
}

static uint32_t hash_of(const struct rx_pass *p)
{
    const unsigned pctype = p->c->pctype;
    const bool symmetric = (p->pf->regs.PRTQF_CTL_0[0] & 1) &&
                           (p->chip->regs.GLQF_HSYM[pctype] & 1);
    uint8_t input[RSS_INPUT_BYTES];
    const size_t n =
        rss_input(p->frame, p->c, inset_of(p->chip, pctype), symmetric, input);

    rss_key_set(&p->pf->data.rss, p->pf->regs.PFQF_HKEY);
    return rss_hash(&p->pf->data.rss, input, n);
}

static unsigned lut_entry(const struct chip_pf *pf, uint32_t hash)
{
    const unsigned size =
        pf->regs.PFQF_CTL_0[0] & CTL_0_HASHLUTSIZE ? 512 : 128;
    const unsigned i = hash & (size - 1);

    return pf->regs.PFQF_HLUT[i / 4] >> (i % 4 * 8) & 0x3F;
}

/* What will become of a frame at one VSI. */
enum rx_fate { RX_TAKEN, RX_NO_ROOM, RX_TOO_LONG };

struct rx_plan {
    enum rx_fate fate;
    int q; /* PF-relative, -1 = none */
    unsigned need;
    uint32_t hash;
    bool has_hash;
    bool lut_is_bad;
};

static void choose_queue(const struct rx_pass *p, const struct rx_target *t,
                         struct rx_plan *plan)
{
    const struct data_vsi *v = &p->pf->data.vsi[t->vsi];
    unsigned index = 0;

    plan->q = -1;
    plan->lut_is_bad = false;
    plan->has_hash = hash_is_on(p->pf, p->c->pctype);
    plan->hash = plan->has_hash ? hash_of(p) : 0;
    if (v->count == 0)
        return;
    if (t->queue >= 0) {
        plan->q = vsi_queue(v->vsi, (unsigned)t->queue);
        return;
    }
    if (plan->has_hash)
        index = lut_entry(p->pf, plan->hash);
    plan->lut_is_bad = index >= v->count;
    plan->q = vsi_queue(v->vsi, v->first + index % v->count);
}

/* ---- room ---- */

static bool queue_runs(const struct chip *chip, const struct chip_pf *pf, int q)
{
    return q >= 0 && (unsigned)q < pf->queues && pf->rxq[q].on &&
           !fault_queue_stalled(chip, pf, false, (unsigned)q);
}

static unsigned free_buffers(struct chip *chip, struct chip_pf *pf, unsigned q,
                             unsigned want)
{
    const struct chip_rxq *rxq = &pf->rxq[q];
    unsigned have = ring_span(rxq->head, rxq->tail, rxq->ctx.qlen);

    if (have < want) {
        queue_rx_refresh(chip, pf, q);
        have = ring_span(rxq->head, rxq->tail, rxq->ctx.qlen);
    }
    return have;
}

static bool tag_is_stripped(const struct data_vsi *v,
                            const struct classified *c)
{
    return v->vlan_egress != 3 && c->tags != 0 && c->tpid == TPID_VLAN;
}

/* Bytes that go to memory. */
static size_t stored_len(const struct rx_pass *p, const struct chip_rxq *rxq,
                         const struct data_vsi *v)
{
    return p->len - (tag_is_stripped(v, p->c) ? 4 : 0) +
           (rxq->ctx.crc_strip ? 0 : FCS_BYTES);
}

static unsigned buffers_for(const struct chip_rxq *rxq, size_t bytes)
{
    return (unsigned)((bytes + rxq->ctx.buffer - 1) / rxq->ctx.buffer);
}

/* ---- into memory ---- */

struct rx_slot {
    uint64_t addr;
    uint8_t *desc;
};

/* Look at the next @n descriptors: are they fit to take a frame? */
static bool read_slots(const struct rx_pass *p, unsigned q, unsigned n,
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
        if (header & 1)
            chip_complain(p->chip, p->pf, "rx-desc-dd",
                          "queue %u slot %u posted with bit 0 set", q, at);
        else if (header != 0)
            chip_complain(p->chip, p->pf, "rx-desc-header",
                          "queue %u slot %u posted with header address "
                          "0x%llx without header split",
                          q, at, (unsigned long long)header);
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

static void deliver(const struct rx_pass *p, const struct data_vsi *v,
                    const struct rx_plan *plan, const struct rx_slot *slot)
{
    const unsigned q = (unsigned)plan->q, n = plan->need;
    struct chip_rxq *rxq = &p->pf->rxq[q];
    const bool strips = tag_is_stripped(v, p->c);
    size_t left = stored_len(p, rxq, v);
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
            if (strips && v->vlan_egress < 2) {
                wb.qw[0] |= tag_of(v, p->c->tag) << 16;
                wb.qw[1] |= RXD_L2TAG1P;
            }
        }
        writeback_rx_push(p->chip, p->pf, q, &wb);
    }
}

/* ---- one VSI ---- */

static void make_plan(const struct rx_pass *p, const struct rx_target *t,
                      struct rx_plan *plan)
{
    const struct chip_rxq *rxq;

    choose_queue(p, t, plan);
    plan->fate = RX_NO_ROOM;
    if (!queue_runs(p->chip, p->pf, plan->q))
        return;
    rxq = &p->pf->rxq[plan->q];
    plan->need = buffers_for(rxq, stored_len(p, rxq, &p->pf->data.vsi[t->vsi]));
    if (p->len > rxq->ctx.max_frame || plan->need > RX_CHAIN_MAX)
        plan->fate = RX_TOO_LONG;
    else if (free_buffers(p->chip, p->pf, (unsigned)plan->q, plan->need) >=
             plan->need)
        plan->fate = RX_TAKEN;
}

static enum rx_fate carry_out(const struct rx_pass *p,
                              const struct rx_target *t,
                              const struct rx_plan *plan)
{
    struct rx_slot slot[RX_CHAIN_MAX];
    const unsigned q = (unsigned)plan->q;

    if (plan->fate != RX_TAKEN)
        return plan->fate;
    if (plan->lut_is_bad)
        chip_complain(p->chip, p->pf, "rx-lut-range",
                      "the LUT names a queue that VSI %u does not have",
                      p->pf->data.vsi[t->vsi].vsi->number);
    /* An earlier VSI may have used the same queue. */
    if (free_buffers(p->chip, p->pf, q, plan->need) < plan->need ||
        !read_slots(p, q, plan->need, slot))
        return RX_NO_ROOM;
    deliver(p, &p->pf->data.vsi[t->vsi], plan, slot);
    return RX_TAKEN;
}

static void to_vsi(const struct rx_pass *p, const struct rx_target *t,
                   const struct rx_plan *plan)
{
    struct chip_vsi_stats *stats = p->pf->data.vsi[t->vsi].stats;

    /* Dropped frames count as received too: DPDK takes RDPC off UPRC. */
    count_vsi_rx(stats, p->len, p->c->cast);
    switch (carry_out(p, t, plan)) {
    case RX_TAKEN:
        break;
    case RX_NO_ROOM:
        stats->RDPC++;
        break;
    case RX_TOO_LONG:
        p->chip->rxerr1[128 + p->pf->index]++;
        break;
    }
}

/* ---- the port ---- */

/* Pause frames end in the MAC when it is told to obey or discard them. */
static bool mac_keeps(struct chip *chip, const struct chip_pf *pf,
                      const uint8_t *frame, uint16_t etype)
{
    struct chip_port_stats *s = &chip->port_stats[pf->index];

    if (etype != ETYPE_CONTROL || be16(frame + 14) != OPCODE_PAUSE)
        return false;
    if (be16(frame + 16) != 0)
        s->LXOFFRXC[0]++;
    else
        s->LXONRXC[0]++;
    return pf->regs.PRTDCB_MFLCN[0] & (MFLCN_DPF | MFLCN_RFCE);
}

bool chip_wire_rx(struct chip *chip, unsigned port, const uint8_t *frame,
                  size_t len, bool may_wait)
{
    uint8_t padded[ETH_MIN] = { 0 };
    struct rx_target target[DATA_VSI_MAX];
    struct rx_plan plan[DATA_VSI_MAX];
    struct classified c;
    struct rx_pass p = { .chip = chip, .c = &c };
    unsigned n;

    if (port >= chip->ports || len < 14 || !link_is_up(chip, port) ||
        chip->resetting != CHIP_RESET_NONE)
        return true;
    p.pf = &chip->pf[port];
    /*
     * The driver gives the limit with the FCS in it. Whether silicon counts
     * the FCS here is not known; a frame of 9728 bytes without it passes.
     */
    if (len > CHIP_FRAME_MAX || len > p.pf->link.max_frame) {
        chip->port_stats[port].ROC[0]++;
        return true;
    }
    if (len < ETH_MIN) { /* no shorter frame exists on a wire */
        memcpy(padded, frame, len);
        frame = padded;
        len = ETH_MIN;
    }
    p.frame = frame;
    p.len = len;
    rxfilter_sync(chip, p.pf);
    classify(frame, len, &p.pf->data.tunnels, &c);
    n = rxfilter_targets(chip, p.pf, frame, &c, target);
    for (unsigned i = 0; i < n; i++) {
        make_plan(&p, &target[i], &plan[i]);
        if (may_wait && plan[i].fate == RX_NO_ROOM)
            return false;
    }
    count_port_rx(chip, port, len, c.cast);
    if (mac_keeps(chip, p.pf, frame, c.outer_etype) ||
        rxfilter_ctl_drops(chip, p.pf, frame, c.outer_etype, false))
        return true;
    p.rxe = fault_rx_error(chip, p.pf);
    for (unsigned i = 0; i < n; i++)
        to_vsi(&p, &target[i], &plan[i]);
    return true;
}
