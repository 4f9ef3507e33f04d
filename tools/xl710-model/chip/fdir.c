/*
 * fdir.c - flow director: exact flows and what becomes of their packets
 *
 * A driver programs a filter by sending a sample packet behind a descriptor of
 * its own type. The words that PRTQF_FD_INSET selects for the packet type are
 * the flow. The sample is what the flow's receiver would answer with, so its
 * ends are exchanged (DPDK i40e_fdir.c, i40e_flow_fdir_fill_eth_ip_head; Linux
 * i40e_ethtool.c, i40e_add_fdir_ethtool). Nothing but a failure is reported:
 * DPDK's i40e_check_fdir_programming_status knows no good news.
 *
 *   F1  a filter is on the bucket list of its flow, and no other
 *   F2  of equal flows of a function the table holds one
 *   F3  the guaranteed space of a function is used before the shared one
 *
 * Not modelled: flexible payload, masks, words other than rss.c's.
 * Descriptor layouts: Linux i40e_type.h.
 */
#include "chip/fdir.h"

#include "chip/bytes.h"
#include "chip/chip_impl.h"
#include "chip/classify.h"
#include "chip/layers.h"

#define FLOW_QUEUE(v)  ((v)&0x7FF)
#define FLOW_PCTYPE(v) ((v) >> 17 & 0x3F)
#define FLOW_VSI(v)    ((v) >> 23 & 0x1FF)

#define CMD_PCMD(v)    ((v) >> 4 & 7)
#define CMD_DEST(v)    ((v) >> 7 & 3)
#define CMD_COUNTS(v)  ((v) >> 11 & 1)
#define CMD_REPORT(v)  ((v) >> 13 & 3)
#define CMD_COUNTER(v) ((v) >> 20 & 0x1FF)
#define PCMD_ADD       1
#define PCMD_REMOVE    2

/* Programming status, in place of a receive write-back. */
#define STATUS_DD        (UINT64_C(1) << 0)
#define STATUS_IS_FD     (UINT64_C(1) << 2)
#define STATUS_FULL      (UINT64_C(1) << 19)
#define STATUS_NO_ENTRY  (UINT64_C(1) << 20)
#define STATUS_NO_LENGTH (UINT64_C(1) << 63) /* "I am no packet" */

_Static_assert(FDIR_PFS == CHIP_PF_MAX, "one share each");
_Static_assert(FDIR_MAX < 0xFFFF, "index + 1 fits 16 bits");

static uint64_t inset_of(const struct chip_pf *pf, unsigned pctype)
{
    const uint64_t inset = (uint64_t)pf->regs.PRTQF_FD_INSET[pctype * 2 + 1]
                               << 32 |
                           pf->regs.PRTQF_FD_INSET[pctype * 2];

    return inset != 0 ? inset : rss_default_inset(pctype);
}

/* FNV-1a */
static unsigned bucket_of(const struct fdir_filter *f)
{
    uint32_t hash = (2166136261u ^ f->pctype) * 16777619u;

    hash = (hash ^ f->pf) * 16777619u;
    for (unsigned i = 0; i < f->len; i++)
        hash = (hash ^ f->input[i]) * 16777619u;
    return (hash ^ hash >> 16) % FDIR_BUCKETS;
}

static bool is_same_flow(const struct fdir_filter *a,
                         const struct fdir_filter *b)
{
    return a->pf == b->pf && a->pctype == b->pctype && a->len == b->len &&
           memcmp(a->input, b->input, a->len) == 0;
}

/* The link that leads to the filter of this flow, or to the list's end. */
static uint16_t *find(struct fdir_table *t, const struct fdir_filter *flow)
{
    uint16_t *link = &t->bucket[bucket_of(flow)];

    while (*link != 0 && !is_same_flow(&t->filter[*link - 1], flow))
        link = &t->filter[*link - 1].next;
    return link;
}

/* ---- what drivers read ---- */

static void show(struct chip *chip, struct chip_pf *pf)
{
    const struct fdir_table *t = &chip->fdir;
    const unsigned mine = t->guaranteed[pf->index];
    unsigned all = 0;

    for (unsigned p = 0; p < chip->ports; p++)
        all += t->guaranteed[p];
    pf->regs.PFQF_FDSTAT[0] = mine | (t->of_pf[pf->index] - mine) << 16;
    chip->regs.GLQF_FDCNT_0[0] = all | t->best_effort << 13;
}

static void tell_failure(struct chip *chip, struct chip_pf *pf, unsigned q,
                         uint64_t error, uint32_t id)
{
    const struct chip_rxq *rxq = &pf->rxq[q];
    const struct chip_rx_wb wb = {
        .qw = { (uint64_t)id << 32,
                STATUS_DD | STATUS_IS_FD | STATUS_NO_LENGTH | error },
    };

    if (!rxq->on)
        return;
    queue_rx_refresh(chip, pf, q);
    if (rxq->head == rxq->tail)
        return;
    writeback_rx_push(chip, pf, q, &wb);
    writeback_rx_flush(chip, pf, q);
}

/* ---- the table ---- */

static bool has_room(const struct fdir_table *t, unsigned pf)
{
    return t->guaranteed[pf] < FDIR_GUARANTEED ||
           t->best_effort < FDIR_BEST_EFFORT;
}

static unsigned free_slot(struct fdir_table *t)
{
    while (t->filter[t->hint].used)
        t->hint = (t->hint + 1) % FDIR_MAX;
    return t->hint;
}

static bool add(struct fdir_table *t, const struct fdir_filter *f)
{
    uint16_t *link = find(t, f);
    struct fdir_filter *slot;
    unsigned at;

    if (*link != 0) { /* an update keeps the place */
        slot = &t->filter[*link - 1];
        const struct fdir_filter old = *slot;

        *slot = *f;
        slot->used = true;
        slot->is_best_effort = old.is_best_effort;
        slot->next = old.next;
        return true;
    }
    if (!has_room(t, f->pf))
        return false;
    at = free_slot(t);
    slot = &t->filter[at];
    *slot = *f;
    slot->used = true;
    slot->next = 0;
    slot->is_best_effort = t->guaranteed[f->pf] >= FDIR_GUARANTEED;
    if (slot->is_best_effort)
        t->best_effort++;
    else
        t->guaranteed[f->pf]++;
    t->of_pf[f->pf]++;
    *link = (uint16_t)(at + 1);
    return true;
}

static bool take_out(struct fdir_table *t, const struct fdir_filter *flow)
{
    uint16_t *link = find(t, flow);
    struct fdir_filter *f;

    if (*link == 0)
        return false;
    f = &t->filter[*link - 1];
    *link = f->next;
    f->used = false;
    if (f->is_best_effort)
        t->best_effort--;
    else
        t->guaranteed[f->pf]--;
    t->of_pf[f->pf]--;
    return true;
}

/*
 * Samples of Linux say 0 for the length of their IP packet (i40e_txrx.c,
 * i40e_create_dummy_packet), as do packets for segmentation that are samples at
 * the same time (i40e_tso). Then it reaches to the end.
 */
static void fill_length(uint8_t *frame, size_t len)
{
    struct l2_layer l2;

    if (len > 0xFFFF || !layers_l2(frame, 0, len, &l2))
        return;
    if (l2.etype == ETYPE_IPV4 && l2.l3 + 20u <= len &&
        be16(frame + l2.l3 + 2) == 0)
        put_be16(frame + l2.l3 + 2, (uint16_t)(len - l2.l3));
    if (l2.etype == ETYPE_IPV6 && l2.l3 + 40u <= len &&
        be16(frame + l2.l3 + 4) == 0)
        put_be16(frame + l2.l3 + 4, (uint16_t)(len - l2.l3 - 40));
}

void fdir_program(struct chip *chip, struct chip_pf *pf, unsigned q,
                  const struct fdir_desc *desc, uint8_t *frame, size_t len)
{
    const unsigned pctype = FLOW_PCTYPE(desc->flow);
    struct fdir_filter f = {
        .pf = (uint8_t)pf->index,
        .pctype = (uint8_t)pctype,
        .dest = CMD_DEST(desc->cmd),
        .report = CMD_REPORT(desc->cmd),
        .counts = CMD_COUNTS(desc->cmd),
        .counter = CMD_COUNTER(desc->cmd),
        .vsi = (uint16_t)FLOW_VSI(desc->flow),
        .queue = FLOW_QUEUE(desc->flow),
        .id = desc->id,
    };
    struct classified c;

    fill_length(frame, len);
    classify(frame, len, &pf->data.tunnels, &c);
    c.pctype = f.pctype;
    f.len =
        (uint8_t)rss_input_reversed(frame, &c, inset_of(pf, pctype), f.input);
    if (CMD_PCMD(desc->cmd) == PCMD_ADD && !add(&chip->fdir, &f))
        tell_failure(chip, pf, q, STATUS_FULL, f.id);
    if (CMD_PCMD(desc->cmd) == PCMD_REMOVE && !take_out(&chip->fdir, &f))
        tell_failure(chip, pf, q, STATUS_NO_ENTRY, f.id);
    show(chip, pf);
}

void fdir_clear(struct chip *chip, struct chip_pf *pf)
{
    struct fdir_table *t = &chip->fdir;

    for (unsigned i = 0; i < FDIR_MAX && t->of_pf[pf->index] != 0; i++)
        if (t->filter[i].used && t->filter[i].pf == pf->index) {
            const struct fdir_filter gone = t->filter[i];

            (void)take_out(t, &gone);
        }
    show(chip, pf);
}

/* ---- packets ---- */

const struct fdir_filter *fdir_match(const struct chip *chip,
                                     const struct chip_pf *pf, unsigned vsi,
                                     const uint8_t *frame,
                                     const struct classified *c)
{
    const struct fdir_table *t = &chip->fdir;
    struct fdir_filter flow;
    const struct fdir_filter *f;
    unsigned at;

    if (t->of_pf[pf->index] == 0 ||
        !(pf->regs.PFQF_CTL_0[0] & PFQF_CTL_0_FD_ENA))
        return NULL;
    flow.pf = (uint8_t)pf->index;
    flow.pctype = c->pctype;
    flow.len = (uint8_t)rss_input(frame, c, inset_of(pf, c->pctype), false,
                                  flow.input);
    for (at = t->bucket[bucket_of(&flow)]; at != 0; at = f->next) {
        f = &t->filter[at - 1];
        if (is_same_flow(f, &flow))
            return f->vsi == vsi ? f : NULL;
    }
    return NULL;
}

void fdir_count(struct chip *chip, const struct fdir_filter *f)
{
    if (f->counts)
        chip->regs.GLQF_PCNT[f->counter]++;
}
