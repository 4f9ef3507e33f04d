/*
 * rxfilter.c - which VSIs take a frame from the wire
 *
 * A VSI takes a frame for which it has a MAC/VLAN filter, or which its
 * promiscuous bits cover; what nobody takes goes to the default VSI. Frames
 * that carry a VSI's own source address are pruned unless it has LOCAL_LB.
 *
 *   I1  pf->data's copies are those of chip->switch_gen, or are made anew
 *   I2  chains of filters are followed at most CHIP_FILTERS_MAX steps
 */
#include "chip/chip_impl.h"

_Static_assert(DATA_VSI_MAX == CHIP_VSI_MAX, "one copy each");
_Static_assert(DATA_CTLF_MAX == CHIP_CTLF_MAX, "one index each");
_Static_assert(CLASSIFY_TUNNELS_MAX == CHIP_TUNNELS_MAX, "one port each");

/* ---- copies of the switch tables ---- */

static void sync_vsi(struct chip *chip, struct chip_vsi *vsi,
                     struct data_vsi *copy)
{
    unsigned first = 0;
    const unsigned count = vsi_tc_queues(vsi, 0, &first);

    *copy = (struct data_vsi) {
        .vsi = vsi,
        .stats = vsi_stats(chip, vsi),
        .first = (uint16_t)first,
        .count = (uint16_t)count,
        .vlan_egress = (vsi->props[VSI_PORT_VLAN_FLAGS] >> 3) & 3,
        .prune_source = !(le16(vsi->props + VSI_SWITCH_ID) & VSI_SW_LOCAL_LB),
    };
}

void rxfilter_sync(struct chip *chip, struct chip_pf *pf)
{
    struct data_pf *d = &pf->data;

    if (d->has_switch && d->switch_gen == chip->switch_gen)
        return;
    d->has_switch = true;
    d->switch_gen = chip->switch_gen;
    d->vsis = 0;
    for (unsigned i = 0; i < CHIP_VSI_MAX; i++) {
        if (chip->vsi[i].used && chip->vsi[i].pf == pf->index)
            sync_vsi(chip, &chip->vsi[i], &d->vsi[d->vsis++]);
    }
    d->ctlfs = 0;
    for (unsigned i = 0; i < CHIP_CTLF_MAX; i++) {
        if (chip->ctlfilter[i].used && chip->ctlfilter[i].pf == pf->index)
            d->ctlf[d->ctlfs++] = (uint8_t)i;
    }
    d->tunnels.n = 0;
    for (unsigned i = 0; i < CHIP_TUNNELS_MAX; i++) {
        if (!chip->tunnel[i].used)
            continue;
        d->tunnels.udp[d->tunnels.n].port = chip->tunnel[i].udp_port;
        d->tunnels.udp[d->tunnels.n++].type = chip->tunnel[i].type;
    }
}

/* ---- one VSI ---- */

/* What the filters of a VSI say about a frame. */
struct verdict {
    bool takes, is_own_source;
    int16_t queue;
};

static bool filter_takes_vlan(const struct chip_filter *f, unsigned vid)
{
    return (f->flags & FILTER_IGNORE_VLAN) || f->vlan == vid;
}

static struct verdict walk_filters(const struct chip *chip,
                                   const struct data_vsi *v,
                                   const uint8_t *frame, unsigned vid)
{
    struct verdict out = { .queue = -1 };
    int at = v->vsi->filters;

    for (unsigned n = 0; at >= 0 && n < CHIP_FILTERS_MAX; n++) {
        const struct chip_filter *f = &chip->filter[at];

        if (memcmp(f->mac, frame, 6) == 0 && filter_takes_vlan(f, vid)) {
            out.takes = true;
            if (f->flags & FILTER_TO_QUEUE)
                out.queue = (int16_t)f->queue;
        }
        if (!(f->mac[0] & 1) && memcmp(f->mac, frame + 6, 6) == 0)
            out.is_own_source = true;
        at = f->next;
    }
    return out;
}

static bool is_promiscuous(const struct chip_vsi *vsi, unsigned cast,
                           unsigned vid)
{
    static const uint16_t bit[CAST_COUNT] = { PROMISC_UNICAST,
                                              PROMISC_MULTICAST,
                                              PROMISC_BROADCAST };

    return (vsi->promisc & bit[cast]) ||
           (vsi->vlan_promisc[cast][vid / 64] >> (vid % 64) & 1);
}

/* The VLAN a frame belongs to; 0 for untagged and priority-tagged ones. */
static unsigned vid_of(const struct classified *c)
{
    return c->tags != 0 && c->tpid == 0x8100 ? c->tag & 0xFFF : 0;
}

unsigned rxfilter_targets(struct chip *chip, struct chip_pf *pf,
                          const uint8_t *frame, const struct classified *c,
                          struct rx_target target[DATA_VSI_MAX])
{
    const unsigned vid = vid_of(c);
    unsigned n = 0;
    bool is_pruned = false;

    for (unsigned i = 0; i < pf->data.vsis; i++) {
        const struct data_vsi *v = &pf->data.vsi[i];
        const struct verdict says = walk_filters(chip, v, frame, vid);

        if (!says.takes && !is_promiscuous(v->vsi, c->cast, vid))
            continue;
        if (v->prune_source && says.is_own_source) {
            is_pruned = true;
            continue;
        }
        target[n++] = (struct rx_target) { (uint16_t)i, says.queue };
    }
    for (unsigned i = 0; n == 0 && !is_pruned && i < pf->data.vsis; i++) {
        if (pf->data.vsi[i].vsi->promisc & PROMISC_DEFAULT)
            target[n++] = (struct rx_target) { (uint16_t)i, -1 };
    }
    return n;
}

/* ---- control packets ---- */

bool rxfilter_ctl_drops(const struct chip *chip, const struct chip_pf *pf,
                        const uint8_t *frame, uint16_t etype, bool is_tx)
{
    for (unsigned i = 0; i < pf->data.ctlfs; i++) {
        const struct chip_ctlfilter *f = &chip->ctlfilter[pf->data.ctlf[i]];

        if (!(f->flags & CTLF_DROP) || !!(f->flags & CTLF_TX) != is_tx)
            continue;
        if (f->etype == etype &&
            ((f->flags & CTLF_IGNORE_MAC) || memcmp(f->mac, frame, 6) == 0))
            return true;
    }
    return false;
}
