/*
 * rx.c - a frame comes off the wire: who takes it, on which queue, is there room
 *
 *   I1  nothing is written unless all descriptors the frame needs are there
 *   I2  a frame that is refused (@may_wait) has changed no counter
 */
#include "chip/rx_impl.h"

#define ETH_MIN       60 /* without FCS */
#define ETYPE_CONTROL 0x8808
#define OPCODE_PAUSE  0x0001

#define MFLCN_DPF  (1u << 1) /* discard pause frames */
#define MFLCN_RFCE (1u << 3) /* obey pause frames */

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
        pf->regs.PFQF_CTL_0[0] & PFQF_CTL_0_HASHLUTSIZE ? 512 : 128;
    const unsigned i = hash & (size - 1);

    return pf->regs.PFQF_HLUT[i / 4] >> (i % 4 * 8) & 0x3F;
}

static void choose_queue(const struct rx_pass *p, const struct rx_target *t,
                         struct rx_plan *plan)
{
    const struct data_vsi *v = &p->pf->data.vsi[t->vsi];
    unsigned index = 0;

    plan->q = -1;
    plan->fdir = NULL;
    plan->lut_is_bad = false;
    plan->has_hash = hash_is_on(p->pf, p->c->pctype);
    plan->hash = plan->has_hash ? hash_of(p) : 0;
    if (v->count == 0)
        return;
    plan->fdir = fdir_match(p->chip, p->pf, v->vsi->number, p->frame, p->c);
    if (plan->fdir != NULL && plan->fdir->dest == FDIR_TO_QUEUE) {
        plan->q = vsi_queue(v->vsi, plan->fdir->queue);
        return;
    }
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
           pci_is_master(pf) &&
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

static unsigned buffers_for(const struct chip_rxq *rxq, size_t bytes)
{
    return (unsigned)((bytes + rxq->ctx.buffer - 1) / rxq->ctx.buffer);
}

/* ---- one VSI ---- */

static void make_plan(const struct rx_pass *p, const struct rx_target *t,
                      struct rx_plan *plan)
{
    const struct chip_rxq *rxq;

    choose_queue(p, t, plan);
    plan->fate = RX_NO_ROOM;
    if (plan->fdir != NULL && plan->fdir->dest == FDIR_DROP) {
        plan->fate = RX_FILTERED;
        return;
    }
    if (!queue_runs(p->chip, p->pf, plan->q))
        return;
    rxq = &p->pf->rxq[plan->q];
    plan->need =
        buffers_for(rxq, rx_stored_len(p, rxq, &p->pf->data.vsi[t->vsi]));
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
        !rx_read_slots(p, q, plan->need, slot))
        return RX_NO_ROOM;
    rx_deliver(p, &p->pf->data.vsi[t->vsi], plan, slot);
    return RX_TAKEN;
}

static void to_vsi(const struct rx_pass *p, const struct rx_target *t,
                   const struct rx_plan *plan)
{
    struct chip_vsi_stats *stats = p->pf->data.vsi[t->vsi].stats;

    /* Dropped frames count as received too: DPDK takes RDPC off UPRC. */
    count_vsi_rx(stats, p->len, p->c->cast);
    if (plan->fdir != NULL && plan->fate != RX_NO_ROOM)
        fdir_count(p->chip, plan->fdir);
    switch (carry_out(p, t, plan)) {
    case RX_TAKEN:
    case RX_FILTERED:
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
