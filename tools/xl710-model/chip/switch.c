/*
 * switch.c - the chip's internal switch: VSIs, VEBs, MAC/VLAN filters
 *
 *   S1  each function always has its main VSI, whose number is the function's;
 *       it goes only for the length of a reset
 *   S2  a filter belongs to exactly one VSI and is on that VSI's list
 *   S3  switch_gen grows with every change, so that a look-up may be cached
 *   S4  a seid, a VSI number, a counter index and a queue-set handle of the
 *       same VSI all differ: a driver that mixes them up fails at once
 *
 * Layouts: Linux i40e_adminq_cmd.h, struct i40e_aqc_vsi_properties_data.
 */
#include "chip/control.h"

#include <string.h>

#define SEID_VSI(number)   (uint16_t)(512 + (number))
#define SEID_VEB(index)    (uint16_t)(160 + (index))
#define STAT_INDEX(number) (uint16_t)(((number) + 64) % CHIP_VSI_MAX)
#define FIRST_FREE_VSI     16u
#define NO_HANDLE          0xFFFFu

struct chip_vsi *vsi_by_number(struct chip *chip, unsigned number)
{
    return number < CHIP_VSI_MAX && chip->vsi[number].used ? &chip->vsi[number]
                                                           : NULL;
}

struct chip_vsi *vsi_by_seid(struct chip *chip, uint16_t seid)
{
    return seid >= SEID_VSI(0) ? vsi_by_number(chip, seid - SEID_VSI(0)) : NULL;
}

struct chip_vsi *vsi_by_qs_handle(struct chip *chip, uint16_t handle)
{
    for (unsigned n = 0; n < CHIP_VSI_MAX && handle != NO_HANDLE; n++) {
        struct chip_vsi *vsi = &chip->vsi[n];

        if (!vsi->used)
            continue;
        for (unsigned tc = 0; tc < 8; tc++)
            if (le16(&vsi->props[VSI_QS_HANDLE + 2 * tc]) == handle)
                return vsi;
    }
    return NULL;
}

struct chip_vsi_stats *vsi_stats(struct chip *chip, const struct chip_vsi *vsi)
{
    return &chip->vsi_stats[STAT_INDEX(vsi->number)];
}

/* ---- queue map ---- */

unsigned vsi_tc_queues(const struct chip_vsi *vsi, unsigned tc, unsigned *first)
{
    const uint16_t map =
        tc < 8 ? le16(&vsi->props[VSI_TC_MAPPING + 2 * tc]) : 0;

    *first = map & 0x1FF;
    return tc == 0 || map != 0 ? 1u << (map >> 9 & 7) : 0;
}

static bool is_contiguous(const uint8_t *props)
{
    return !(le16(&props[VSI_MAPPING_FLAGS]) & 1);
}

int vsi_queue(const struct chip_vsi *vsi, unsigned i)
{
    const uint8_t *map = &vsi->props[VSI_QUEUE_MAPPING];
    unsigned q;

    if (is_contiguous(vsi->props))
        q = le16(map) + i;
    else if (i < 16)
        q = le16(map + 2 * i);
    else
        return -1;
    return q < CHIP_QUEUES_MAX ? (int)q : -1;
}

/* How many queues the VSI's classes reach, counted from index 0. */
static unsigned vsi_span(const struct chip_vsi *vsi)
{
    unsigned span = 0;

    for (unsigned tc = 0; tc < 8; tc++) {
        unsigned first;
        const unsigned n = vsi_tc_queues(vsi, tc, &first);

        if (n != 0 && first + n > span)
            span = first + n;
    }
    return is_contiguous(vsi->props) || span < 16 ? span : 16;
}

struct chip_vsi *vsi_of_queue(struct chip *chip, const struct chip_pf *pf,
                              unsigned q)
{
    for (unsigned n = 0; n < CHIP_VSI_MAX; n++) {
        struct chip_vsi *vsi = &chip->vsi[n];

        if (!vsi->used || vsi->pf != pf->index)
            continue;
        for (unsigned i = 0, end = vsi_span(vsi); i < end; i++)
            if (vsi_queue(vsi, i) == (int)q)
                return vsi;
    }
    return NULL;
}

static bool map_is_possible(const struct chip_pf *pf,
                            const struct chip_vsi *vsi)
{
    for (unsigned i = 0, end = vsi_span(vsi); i < end; i++) {
        const int q = vsi_queue(vsi, i);

        if (q < 0 || q >= (int)pf->queues)
            return false;
    }
    return true;
}

/* The registers that show what the firmware made of the properties. */
static void show_vsi(struct chip *chip, const struct chip_vsi *vsi)
{
    const unsigned n = vsi->number;
    const uint8_t *p = vsi->props;
    struct chip_regs *r = &chip->regs;

    r->VSILAN_QBASE[n] = (le16(&p[VSI_QUEUE_MAPPING]) & 0x7FFu) |
                         (is_contiguous(p) ? 0 : 1u << 11);
    for (unsigned i = 0; i < 8; i++)
        r->VSILAN_QTABLE[i * 512 + n] =
            is_contiguous(p)
                ? 0
                : (le32(&p[VSI_QUEUE_MAPPING + 4 * i]) & 0x07FF07FFu);
    for (unsigned i = 0; i < 4; i++)
        r->VSIQF_TCREGION[i * 512 + n] =
            le32(&p[VSI_TC_MAPPING + 4 * i]) & 0x0FFF0FFFu;
    r->VSI_SRCPRUNE[n] = le16(&p[VSI_SWITCH_ID]) & VSI_SW_LOCAL_LB ? 0 : 1;
}

/* Sections of the properties that a driver may write, by valid bit. */
static const struct {
    uint16_t bit;
    uint8_t first, len;
} sections[] = {
    { 0x001, 2, 4 },   /* switch */
    { 0x002, 6, 2 },   /* security */
    { 0x004, 8, 8 },   /* VLAN */
    { 0x008, 24, 4 },  /* cascaded port virtualizer */
    { 0x010, 16, 4 },  /* ingress priorities */
    { 0x020, 20, 4 },  /* egress priorities */
    { 0x040, 28, 50 }, /* queue map */
    { 0x080, 78, 4 },  /* queueing options */
    { 0x100, 84, 4 },  /* outer priorities */
    { 0x200, 82, 2 },  /* scheduler */
};

bool switch_vsi_update(struct chip *chip, struct chip_vsi *vsi,
                       const uint8_t *props)
{
    const uint16_t valid = le16(&props[VSI_VALID_SECTIONS]);
    struct chip_vsi next = *vsi;

    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (valid & sections[i].bit)
            memcpy(&next.props[sections[i].first], &props[sections[i].first],
                   sections[i].len);
    if ((valid & 0x040) && !map_is_possible(&chip->pf[vsi->pf], &next))
        return false;
    *vsi = next;
    show_vsi(chip, vsi);
    chip->switch_gen++;
    return true;
}

/* ---- elements ---- */

/* Handles 0x20.. : eight each for the first 64 VSIs, one for the others. */
static uint16_t qs_handle(unsigned number, unsigned tc)
{
    if (number < 64)
        return (uint16_t)(0x20 + number * 8 + tc);
    return tc == 0 ? (uint16_t)(0x220 + number) : NO_HANDLE;
}

static void vsi_init(struct chip *chip, struct chip_pf *pf,
                     struct chip_vsi *vsi, unsigned number)
{
    uint8_t *p = vsi->props;

    memset(vsi, 0, sizeof(*vsi));
    vsi->used = true;
    vsi->number = (uint16_t)number;
    vsi->seid = SEID_VSI(number);
    vsi->uplink_seid = SEID_PORT(pf->index);
    vsi->pf = (uint8_t)pf->index;
    vsi->type = 2;
    vsi->connection = 1;
    vsi->filters = -1;
    put_le16(&p[VSI_SWITCH_ID], (uint16_t)(1 + pf->index));
    p[VSI_PORT_VLAN_FLAGS] = 0x03; /* tagged and untagged; tags stripped */
    p[82] = 1;                     /* traffic class 0 */
    for (unsigned tc = 0; tc < 8; tc++)
        put_le16(&p[VSI_QS_HANDLE + 2 * tc],
                 tc == 0 ? qs_handle(number, 0) : NO_HANDLE);
    put_le16(&p[VSI_STAT_COUNTER], STAT_INDEX(number));
    put_le16(&p[VSI_SCHED_ID], (uint16_t)(number + 1));
    show_vsi(chip, vsi);
    chip->switch_gen++;
}

void switch_vsi_classes(struct chip_vsi *vsi, uint8_t classes)
{
    for (unsigned tc = 0; tc < 8; tc++)
        put_le16(&vsi->props[VSI_QS_HANDLE + 2 * tc],
                 classes & 1u << tc ? qs_handle(vsi->number, tc) : NO_HANDLE);
    vsi->props[82] = classes;
}

unsigned switch_vsi_count(const struct chip *chip, const struct chip_pf *pf)
{
    unsigned count = 0;

    for (unsigned n = 0; n < CHIP_VSI_MAX; n++)
        if (chip->vsi[n].used && chip->vsi[n].pf == pf->index)
            count++;
    return count;
}

struct chip_vsi *switch_vsi_add(struct chip *chip, struct chip_pf *pf)
{
    if (switch_vsi_count(chip, pf) >= SWITCH_VSIS_PER_PF)
        return NULL;
    for (unsigned n = FIRST_FREE_VSI; n < CHIP_VSI_MAX; n++) {
        if (chip->vsi[n].used)
            continue;
        vsi_init(chip, pf, &chip->vsi[n], n);
        return &chip->vsi[n];
    }
    return NULL;
}

static void drop_filters(struct chip *chip, struct chip_vsi *vsi)
{
    for (int i = vsi->filters; i >= 0; i = chip->filter[i].next) {
        chip->filter[i].used = false;
        chip->filters_used--;
    }
    vsi->filters = -1;
}

void switch_vsi_remove(struct chip *chip, struct chip_vsi *vsi)
{
    drop_filters(chip, vsi);
    for (unsigned i = 0; i < CHIP_CTLF_MAX; i++)
        if (chip->ctlfilter[i].used && chip->ctlfilter[i].seid == vsi->seid)
            chip->ctlfilter[i].used = false;
    vsi->used = false;
    chip->switch_gen++;
}

struct chip_veb *switch_veb_by_seid(struct chip *chip, uint16_t seid)
{
    const unsigned i = seid - SEID_VEB(0);

    return seid >= SEID_VEB(0) && i < CHIP_VEB_MAX && chip->veb[i].used
               ? &chip->veb[i]
               : NULL;
}

struct chip_veb *switch_veb_add(struct chip *chip, struct chip_pf *pf,
                                unsigned *index)
{
    for (unsigned i = 0; i < CHIP_VEB_MAX; i++) {
        if (chip->veb[i].used)
            continue;
        chip->veb[i] = (struct chip_veb) {
            .used = true,
            .pf = (uint8_t)pf->index,
            .seid = SEID_VEB(i),
        };
        *index = i;
        chip->switch_gen++;
        return &chip->veb[i];
    }
    return NULL;
}

bool switch_is_uplink(struct chip *chip, const struct chip_pf *pf,
                      uint16_t seid)
{
    const struct chip_vsi *vsi = vsi_by_seid(chip, seid);
    const struct chip_veb *veb = switch_veb_by_seid(chip, seid);

    return seid == SEID_PORT(pf->index) ||
           (vsi != NULL && vsi->pf == pf->index) ||
           (veb != NULL && veb->pf == pf->index);
}

/* ---- filters ---- */

static bool filter_equals(const struct chip_filter *a,
                          const struct chip_filter *b)
{
    const unsigned kind = FILTER_IGNORE_VLAN;

    return memcmp(a->mac, b->mac, 6) == 0 &&
           (a->flags & kind) == (b->flags & kind) &&
           ((a->flags & kind) || a->vlan == b->vlan);
}

int switch_filter_find(const struct chip *chip, const struct chip_filter *f)
{
    for (int i = chip->vsi[f->vsi].filters; i >= 0; i = chip->filter[i].next)
        if (filter_equals(&chip->filter[i], f))
            return i;
    return -1;
}

bool switch_filter_add(struct chip *chip, const struct chip_filter *f)
{
    struct chip_vsi *vsi = &chip->vsi[f->vsi];

    for (int i = 0; i < CHIP_FILTERS_MAX; i++) {
        struct chip_filter *slot = &chip->filter[i];

        if (slot->used)
            continue;
        *slot = *f;
        slot->used = true;
        slot->next = vsi->filters;
        vsi->filters = (int16_t)i;
        chip->filters_used++;
        chip->switch_gen++;
        return true;
    }
    return false;
}

bool switch_filter_remove(struct chip *chip, const struct chip_filter *f)
{
    int16_t *link = &chip->vsi[f->vsi].filters;

    while (*link >= 0) {
        struct chip_filter *slot = &chip->filter[*link];

        if (filter_equals(slot, f)) {
            *link = slot->next;
            slot->used = false;
            chip->filters_used--;
            chip->switch_gen++;
            return true;
        }
        link = &slot->next;
    }
    return false;
}

/* ---- reset ---- */

void switch_reset(struct chip *chip, struct chip_pf *pf)
{
    for (unsigned n = 0; n < CHIP_VSI_MAX; n++)
        if (chip->vsi[n].used && chip->vsi[n].pf == pf->index)
            switch_vsi_remove(chip, &chip->vsi[n]);
    for (unsigned i = 0; i < CHIP_VEB_MAX; i++)
        if (chip->veb[i].used && chip->veb[i].pf == pf->index)
            chip->veb[i].used = false;
    for (unsigned i = 0; i < CHIP_CTLF_MAX; i++)
        if (chip->ctlfilter[i].used && chip->ctlfilter[i].pf == pf->index)
            chip->ctlfilter[i].used = false;
    vsi_init(chip, pf, &chip->vsi[pf->index], pf->index);
    chip->vsi[pf->index].is_main = true;
    chip->vsi[pf->index].connection = 2;
    pf->main_vsi = (uint16_t)pf->index;
}
