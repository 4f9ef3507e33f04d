/*
 * aq_switch.c - admin commands: switch elements and VSI properties
 *
 * Layouts: Linux i40e_adminq_cmd.h; what drivers make of the answers: Linux
 * i40e_main.c i40e_fetch_switch_configuration, iPXE intelxl.c.
 */
#include "chip/control.h"

#include <string.h>

#define ELEMENT_BYTES 16u
#define HEADER_BYTES  16u
#define ELEMENT_VEB   17
#define ELEMENT_VSI   19
#define SEID(cmd, at) (uint16_t)(le16(&(cmd)->params[at]) & 0x3FF)

/* The VSI a command names, when it is the function's own. */
static struct chip_vsi *own_vsi(struct aq_cmd *cmd, unsigned at)
{
    struct chip_vsi *vsi = vsi_by_seid(cmd->chip, SEID(cmd, at));

    return vsi != NULL && vsi->pf == cmd->pf->index ? vsi : NULL;
}

/* ---- 0x0200: what there is ---- */

struct element {
    uint16_t seid, uplink, downlink, sched, info;
    uint8_t type, connection;
};

#define ELEMENTS_MAX (SWITCH_VSIS_PER_PF + CHIP_VEB_MAX)

static unsigned list_elements(const struct chip *chip, const struct chip_pf *pf,
                              struct element *list)
{
    unsigned n = 0;

    for (unsigned i = 0; i < CHIP_VSI_MAX && n < SWITCH_VSIS_PER_PF; i++) {
        const struct chip_vsi *vsi = &chip->vsi[i];

        if (vsi->used && vsi->pf == pf->index)
            list[n++] = (struct element) {
                .type = ELEMENT_VSI,
                .seid = vsi->seid,
                .uplink = vsi->uplink_seid,
                .downlink = SEID_PF(pf->index),
                .connection = vsi->connection,
                .sched = le16(&vsi->props[VSI_SCHED_ID]),
                .info = vsi->number,
            };
    }
    for (unsigned i = 0; i < CHIP_VEB_MAX; i++) {
        const struct chip_veb *veb = &chip->veb[i];

        if (veb->used && veb->pf == pf->index)
            list[n++] = (struct element) {
                .type = ELEMENT_VEB,
                .seid = veb->seid,
                .uplink = veb->uplink_seid,
                .downlink = chip->vsi[pf->main_vsi].seid,
                .connection = 1,
            };
    }
    return n;
}

static void put_element(uint8_t *p, const struct element *e)
{
    p[0] = e->type;
    p[1] = 1; /* revision */
    put_le16(p + 2, e->seid);
    put_le16(p + 4, e->uplink);
    put_le16(p + 6, e->downlink);
    p[11] = e->connection;
    put_le16(p + 12, e->sched);
    put_le16(p + 14, e->info);
}

/* Starts at the element after those already told; 0 starts over. */
static enum aq_ret get_config(struct aq_cmd *cmd)
{
    const uint16_t start = le16(&cmd->params[0]);
    const unsigned room = (cmd->len - HEADER_BYTES) / ELEMENT_BYTES;
    struct element list[ELEMENTS_MAX];
    const unsigned total = list_elements(cmd->chip, cmd->pf, list);
    unsigned first = 0, n = 0;

    while (start != 0 && first < total && list[first].seid != start)
        first++;
    if (first == total)
        return AQ_ENOENT;
    while (n < room && first + n < total) {
        put_element(&cmd->buf[HEADER_BYTES + n * ELEMENT_BYTES],
                    &list[first + n]);
        n++;
    }
    put_le16(&cmd->buf[0], (uint16_t)n);
    put_le16(&cmd->buf[2], (uint16_t)total);
    put_le16(&cmd->params[0], first + n < total ? list[first + n].seid : 0);
    return AQ_OK;
}

static enum aq_ret get_alloc(struct aq_cmd *cmd)
{
    const uint16_t used[][2] = {
        { SWITCH_VSIS_PER_PF,
          (uint16_t)switch_vsi_count(cmd->chip, cmd->pf) }, /* VSIs, type 1 */
        { CHIP_FILTERS_MAX, cmd->chip->filters_used }, /* addresses, type 2 */
    };

    for (unsigned i = 0; i < 2; i++) {
        uint8_t *p = &cmd->buf[i * 16];

        p[0] = (uint8_t)(1 + i);
        put_le16(p + 2, used[i][0]);
        put_le16(p + 4, used[i][0]);
        put_le16(p + 6, used[i][1]);
        put_le16(p + 8, (uint16_t)(used[i][0] - used[i][1]));
    }
    put_le16(&cmd->params[0], 2);
    return AQ_OK;
}

/* ---- whole-switch settings: stored by nobody, checked ---- */

static enum aq_ret set_port(struct aq_cmd *cmd)
{
    put_le16(&cmd->params[4], SEID_PORT(cmd->pf->index));
    return AQ_OK;
}

static enum aq_ret set_config(struct aq_cmd *cmd)
{
    const uint16_t valid = le16(&cmd->params[2]);

    return valid & ~0x000Fu ? AQ_EINVAL : AQ_OK;
}

/* ---- VSIs ---- */

static void vsi_reply(struct aq_cmd *cmd, const struct chip_vsi *vsi)
{
    const unsigned used = switch_vsi_count(cmd->chip, cmd->pf);

    put_le16(&cmd->params[0], vsi->seid);
    put_le16(&cmd->params[2], vsi->number);
    put_le16(&cmd->params[4], (uint16_t)used);
    put_le16(&cmd->params[6], (uint16_t)(SWITCH_VSIS_PER_PF - used));
    memcpy(cmd->buf, vsi->props, VSI_PROP_BYTES);
    put_le16(&cmd->buf[VSI_VALID_SECTIONS], 0);
}

static enum aq_ret add_vsi(struct aq_cmd *cmd)
{
    const uint16_t uplink = SEID(cmd, 0);
    const uint8_t connection = cmd->params[2];
    const uint8_t type = cmd->params[6] & 3;
    struct chip_vsi *vsi;

    if (type != 1 && type != 2) /* no VFs here, and EMP is the firmware's */
        return AQ_EINVAL;
    if (connection < 1 || connection > 3)
        return AQ_EINVAL;
    if (!switch_is_uplink(cmd->chip, cmd->pf, uplink))
        return AQ_ENOENT;
    vsi = switch_vsi_add(cmd->chip, cmd->pf);
    if (vsi == NULL)
        return AQ_ENOSPC;
    vsi->uplink_seid = uplink;
    vsi->type = type;
    vsi->connection = connection;
    if (!switch_vsi_update(cmd->chip, vsi, cmd->buf)) {
        switch_vsi_remove(cmd->chip, vsi);
        return AQ_EINVAL;
    }
    vsi_reply(cmd, vsi);
    return AQ_OK;
}

static enum aq_ret update_vsi(struct aq_cmd *cmd)
{
    struct chip_vsi *vsi = own_vsi(cmd, 0);

    if (vsi == NULL)
        return AQ_ENOENT;
    if (!switch_vsi_update(cmd->chip, vsi, cmd->buf))
        return AQ_EINVAL;
    vsi_reply(cmd, vsi);
    return AQ_OK;
}

static enum aq_ret get_vsi(struct aq_cmd *cmd)
{
    struct chip_vsi *vsi = own_vsi(cmd, 0);

    if (vsi == NULL)
        return AQ_ENOENT;
    vsi_reply(cmd, vsi);
    return AQ_OK;
}

/* ---- VEBs ---- */

static unsigned vebs_used(const struct chip *chip)
{
    unsigned used = 0;

    for (unsigned i = 0; i < CHIP_VEB_MAX; i++)
        used += chip->veb[i].used;
    return used;
}

static enum aq_ret add_veb(struct aq_cmd *cmd)
{
    const uint16_t uplink = SEID(cmd, 0), downlink = SEID(cmd, 2);
    const uint16_t flags = le16(&cmd->params[4]);
    struct chip_vsi *vsi = own_vsi(cmd, 2);
    struct chip_veb *veb;
    unsigned index, used;

    if (!(flags & 1)) { /* not floating: both ends must be there */
        if (!switch_is_uplink(cmd->chip, cmd->pf, uplink) || vsi == NULL)
            return AQ_ENOENT;
    } else if (uplink != 0 || downlink != 0) {
        return AQ_EINVAL;
    }
    veb = switch_veb_add(cmd->chip, cmd->pf, &index);
    if (veb == NULL) {
        put_le16(&cmd->params[8], 1);
        return AQ_ENOSPC;
    }
    veb->uplink_seid = uplink;
    veb->flags = flags;
    veb->enabled_tcs = cmd->params[6];
    if (vsi != NULL)
        vsi->uplink_seid = veb->seid;
    used = vebs_used(cmd->chip);
    put_le16(&cmd->params[6], (uint16_t)(1 + cmd->pf->index));
    put_le16(&cmd->params[8], veb->seid);
    put_le16(&cmd->params[10], (uint16_t)index);
    put_le16(&cmd->params[12], (uint16_t)used);
    put_le16(&cmd->params[14], (uint16_t)(CHIP_VEB_MAX - used));
    return AQ_OK;
}

static enum aq_ret get_veb(struct aq_cmd *cmd)
{
    const struct chip_veb *veb = switch_veb_by_seid(cmd->chip, SEID(cmd, 0));
    const unsigned used = vebs_used(cmd->chip);

    if (veb == NULL || veb->pf != cmd->pf->index)
        return AQ_ENOENT;
    put_le16(&cmd->params[0], veb->seid);
    put_le16(&cmd->params[2], (uint16_t)(1 + cmd->pf->index));
    put_le16(&cmd->params[4], veb->flags);
    put_le16(&cmd->params[6], (uint16_t)(veb - cmd->chip->veb));
    put_le16(&cmd->params[8], (uint16_t)used);
    put_le16(&cmd->params[10], (uint16_t)(CHIP_VEB_MAX - used));
    return AQ_OK;
}

static enum aq_ret delete_veb(struct aq_cmd *cmd, struct chip_veb *veb)
{
    struct chip *chip = cmd->chip;

    for (unsigned n = 0; n < CHIP_VSI_MAX; n++)
        if (chip->vsi[n].used && chip->vsi[n].uplink_seid == veb->seid &&
            !chip->vsi[n].is_main)
            return AQ_EBUSY;
    for (unsigned n = 0; n < CHIP_VSI_MAX; n++)
        if (chip->vsi[n].used && chip->vsi[n].uplink_seid == veb->seid)
            chip->vsi[n].uplink_seid = SEID_PORT(cmd->pf->index);
    veb->used = false;
    chip->switch_gen++;
    return AQ_OK;
}

static enum aq_ret delete_element(struct aq_cmd *cmd)
{
    struct chip_veb *veb = switch_veb_by_seid(cmd->chip, SEID(cmd, 0));
    struct chip_vsi *vsi = own_vsi(cmd, 0);

    if (veb != NULL && veb->pf == cmd->pf->index)
        return delete_veb(cmd, veb);
    if (vsi == NULL)
        return AQ_ENOENT;
    if (vsi->is_main)
        return AQ_EPERM;
    switch_vsi_remove(cmd->chip, vsi);
    return AQ_OK;
}

static enum aq_ret no_space(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_ENOSPC;
}

static enum aq_ret nothing_there(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_ENOENT;
}

static const struct aq_op ops[] = {
    { 0x0200, AQ_TO_HOST, HEADER_BYTES + ELEMENT_BYTES, get_config },
    { 0x0201, AQ_DIRECT, 0, no_space }, /* statistics block */
    { 0x0202, AQ_DIRECT, 0, nothing_there },
    { 0x0203, AQ_DIRECT, 0, set_port },
    { 0x0204, AQ_TO_HOST, 32, get_alloc },
    { 0x0205, AQ_DIRECT, 0, set_config },
    { 0x0210, AQ_BOTH, VSI_PROP_BYTES, add_vsi },
    { 0x0211, AQ_BOTH, VSI_PROP_BYTES, update_vsi },
    { 0x0212, AQ_TO_HOST, VSI_PROP_BYTES, get_vsi },
    { 0x0220, AQ_DIRECT, 0, no_space }, /* port virtualizers: none */
    { 0x0221, AQ_DIRECT, 0, nothing_there },
    { 0x0222, AQ_DIRECT, 0, nothing_there },
    { 0x0230, AQ_DIRECT, 0, add_veb },
    { 0x0232, AQ_DIRECT, 0, get_veb },
    { 0x0243, AQ_DIRECT, 0, delete_element },
};

const struct aq_group aq_switch = { ops, sizeof(ops) / sizeof(ops[0]) };
