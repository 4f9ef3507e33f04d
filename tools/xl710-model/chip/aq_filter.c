/*
 * aq_filter.c - admin commands: who receives what
 *
 *   M1  a list is checked whole before any of it is applied
 *   M2  match_method and error_code of every element are written: drivers
 *       preset them to "failed"
 *
 * Layouts: Linux i40e_adminq_cmd.h. Flags of 0x0250 and 0x0251 differ:
 * IGNORE_VLAN is 4 in the first, 8 in the second.
 */
#include "chip/control.h"

#include <string.h>

#define ENTRY_BYTES    16u
#define SEID_VALID     0x8000u
#define VLAN_VALID     0x8000u
#define RM_PERFECT     0x01u
#define RM_HASH        0x02u
#define RM_IGNORE_VLAN 0x08u
#define MATCH_PERFECT  1
#define MATCH_HASH     2
#define FAILED         0xFF
#define HASH_FREE      0x1000u

static struct chip_vsi *own_vsi(struct aq_cmd *cmd, uint16_t seid)
{
    struct chip_vsi *vsi = vsi_by_seid(cmd->chip, seid & 0x3FF);

    return vsi != NULL && vsi->pf == cmd->pf->index ? vsi : NULL;
}

/* ---- MAC and VLAN ---- */

static enum aq_ret check_list(struct aq_cmd *cmd, struct chip_vsi **vsi,
                              unsigned *n)
{
    const uint16_t seid = le16(&cmd->params[2]);

    *n = le16(&cmd->params[0]);
    if (*n == 0 || *n * ENTRY_BYTES > cmd->len)
        return AQ_EINVAL;
    if (!(seid & SEID_VALID))
        return AQ_EINVAL;
    *vsi = own_vsi(cmd, seid);
    return *vsi == NULL ? AQ_ENOENT : AQ_OK;
}

static void list_reply(struct aq_cmd *cmd)
{
    put_le16(&cmd->params[0], cmd->chip->filters_used);
    put_le16(&cmd->params[2],
             (uint16_t)(CHIP_FILTERS_MAX - cmd->chip->filters_used));
    put_le16(&cmd->params[4], HASH_FREE);
    put_le16(&cmd->params[6], HASH_FREE);
}

static struct chip_filter entry_filter(const uint8_t *e,
                                       const struct chip_vsi *vsi)
{
    struct chip_filter f = { .vsi = vsi->number };

    memcpy(f.mac, e, 6);
    f.vlan = le16(e + 6);
    f.flags = e[8] & 0x0F;
    f.queue = le16(e + 10) & 0x7FF;
    return f;
}

static bool add_entry_is_sane(const uint8_t *e)
{
    const uint16_t flags = le16(e + 8);

    return (flags & (FILTER_PERFECT | FILTER_HASH)) != 0 && le16(e + 6) < 4096;
}

static enum aq_ret add_macvlan(struct aq_cmd *cmd)
{
    enum aq_ret ret;
    struct chip_vsi *vsi;
    unsigned n;

    ret = check_list(cmd, &vsi, &n);
    if (ret != AQ_OK)
        return ret;
    for (unsigned i = 0; i < n; i++)
        if (!add_entry_is_sane(&cmd->buf[i * ENTRY_BYTES]))
            return AQ_EINVAL;
    for (unsigned i = 0; i < n; i++) {
        uint8_t *e = &cmd->buf[i * ENTRY_BYTES];
        const struct chip_filter f = entry_filter(e, vsi);

        if (switch_filter_find(cmd->chip, &f) >= 0 ||
            switch_filter_add(cmd->chip, &f)) {
            e[12] = f.flags & FILTER_PERFECT ? MATCH_PERFECT : MATCH_HASH;
        } else {
            e[12] = FAILED;
            ret = AQ_ENOSPC;
        }
    }
    list_reply(cmd);
    return ret;
}

static bool remove_one(struct chip *chip, struct chip_filter f, uint8_t flags)
{
    f.flags = (uint8_t)((flags & (RM_PERFECT | RM_HASH)) |
                        (flags & RM_IGNORE_VLAN ? FILTER_IGNORE_VLAN : 0));
    return switch_filter_remove(chip, &f);
}

static enum aq_ret remove_macvlan(struct aq_cmd *cmd)
{
    enum aq_ret ret;
    struct chip_vsi *vsi;
    unsigned n;

    ret = check_list(cmd, &vsi, &n);
    if (ret != AQ_OK)
        return ret;
    for (unsigned i = 0; i < n; i++) {
        uint8_t *e = &cmd->buf[i * ENTRY_BYTES];

        if (remove_one(cmd->chip, entry_filter(e, vsi), e[8])) {
            e[12] = 0;
        } else {
            e[12] = FAILED;
            ret = AQ_ENOENT;
        }
    }
    list_reply(cmd);
    return ret;
}

/* ---- promiscuous ---- */

static void vlan_promisc(struct chip_vsi *vsi, uint16_t vlan, uint16_t flags,
                         uint16_t valid)
{
    static const uint16_t bit[CAST_COUNT] = {
        PROMISC_UNICAST,
        PROMISC_MULTICAST,
        PROMISC_BROADCAST,
    };
    const uint64_t one = UINT64_C(1) << (vlan % 64);

    for (unsigned c = 0; c < CAST_COUNT; c++) {
        uint64_t *word = &vsi->vlan_promisc[c][vlan / 64];

        if (!(valid & bit[c]))
            continue;
        if (flags & bit[c])
            *word |= one;
        else
            *word &= ~one;
    }
}

static enum aq_ret set_promisc(struct aq_cmd *cmd)
{
    const uint16_t flags = le16(&cmd->params[0]);
    const uint16_t valid = le16(&cmd->params[2]);
    const uint16_t vlan = le16(&cmd->params[6]);
    struct chip_vsi *vsi = own_vsi(cmd, le16(&cmd->params[4]));

    if (vsi == NULL)
        return AQ_ENOENT;
    if ((valid | flags) & ~0x801Fu)
        return AQ_EINVAL;
    if (vlan & VLAN_VALID)
        vlan_promisc(vsi, vlan & 0xFFF, flags, valid);
    else
        vsi->promisc = (uint16_t)((vsi->promisc & ~valid) | (flags & valid));
    cmd->chip->switch_gen++;
    return AQ_OK;
}

/* ---- control packets ---- */

static struct chip_ctlfilter *find_ctl(struct chip *chip,
                                       const struct chip_ctlfilter *f)
{
    for (unsigned i = 0; i < CHIP_CTLF_MAX; i++) {
        struct chip_ctlfilter *c = &chip->ctlfilter[i];

        if (c->used && c->pf == f->pf && c->etype == f->etype &&
            c->seid == f->seid && !((c->flags ^ f->flags) & CTLF_TX) &&
            ((c->flags & f->flags & CTLF_IGNORE_MAC) ||
             memcmp(c->mac, f->mac, 6) == 0))
            return c;
    }
    return NULL;
}

static enum aq_ret ctl_filter(struct aq_cmd *cmd, struct chip_ctlfilter *f)
{
    const uint8_t *p = cmd->params;

    *f = (struct chip_ctlfilter) {
        .used = true,
        .pf = (uint8_t)cmd->pf->index,
        .etype = le16(p + 6),
        .flags = le16(p + 8),
        .seid = le16(p + 10) & 0x3FF,
        .queue = le16(p + 12),
    };
    memcpy(f->mac, p, 6);
    if (!switch_is_uplink(cmd->chip, cmd->pf, f->seid))
        return AQ_ENOENT;
    return f->flags & ~0x000Fu ? AQ_EINVAL : AQ_OK;
}

static void ctl_reply(struct aq_cmd *cmd)
{
    unsigned mac = 0, etype = 0;

    for (unsigned i = 0; i < CHIP_CTLF_MAX; i++) {
        const struct chip_ctlfilter *c = &cmd->chip->ctlfilter[i];

        if (c->used && (c->flags & CTLF_IGNORE_MAC))
            etype++;
        else if (c->used)
            mac++;
    }
    put_le16(&cmd->params[0], (uint16_t)mac);
    put_le16(&cmd->params[2], (uint16_t)etype);
    put_le16(&cmd->params[4], (uint16_t)(CHIP_CTLF_MAX - mac - etype));
    put_le16(&cmd->params[6], (uint16_t)(CHIP_CTLF_MAX - mac - etype));
}

static enum aq_ret add_ctl(struct aq_cmd *cmd)
{
    struct chip_ctlfilter f, *slot;
    const enum aq_ret ret = ctl_filter(cmd, &f);

    if (ret != AQ_OK)
        return ret;
    slot = find_ctl(cmd->chip, &f);
    for (unsigned i = 0; slot == NULL && i < CHIP_CTLF_MAX; i++)
        if (!cmd->chip->ctlfilter[i].used)
            slot = &cmd->chip->ctlfilter[i];
    if (slot == NULL)
        return AQ_ENOSPC;
    *slot = f;
    cmd->chip->switch_gen++;
    ctl_reply(cmd);
    return AQ_OK;
}

static enum aq_ret remove_ctl(struct aq_cmd *cmd)
{
    struct chip_ctlfilter f, *slot;
    const enum aq_ret ret = ctl_filter(cmd, &f);

    if (ret != AQ_OK)
        return ret;
    slot = find_ctl(cmd->chip, &f);
    if (slot == NULL)
        return AQ_ENOENT;
    slot->used = false;
    cmd->chip->switch_gen++;
    ctl_reply(cmd);
    return AQ_OK;
}

/* ---- what this switch has no room for ---- */

static enum aq_ret cloud_add(struct aq_cmd *cmd)
{
    const unsigned n = cmd->params[0];
    const unsigned bytes = cmd->params[4] & 1 ? 128 : 64;

    if (n == 0 || n * bytes > cmd->len)
        return AQ_EINVAL;
    for (unsigned i = 0; i < n; i++)
        cmd->buf[i * bytes + 56] = FAILED;
    return AQ_ENOSPC;
}

static enum aq_ret cloud_remove(struct aq_cmd *cmd)
{
    const enum aq_ret ret = cloud_add(cmd);

    return ret == AQ_ENOSPC ? AQ_ENOENT : ret;
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
    { 0x0250, AQ_BOTH, ENTRY_BYTES, add_macvlan },
    { 0x0251, AQ_BOTH, ENTRY_BYTES, remove_macvlan },
    { 0x0254, AQ_DIRECT, 0, set_promisc },
    { 0x0255, AQ_DIRECT, 0, no_space }, /* S-tags and E-tags */
    { 0x0256, AQ_DIRECT, 0, nothing_there },
    { 0x0257, AQ_TO_FW, 2, no_space },
    { 0x0258, AQ_TO_FW, 2, nothing_there },
    { 0x0259, AQ_DIRECT, 0, nothing_there },
    { 0x025A, AQ_DIRECT, 0, add_ctl },
    { 0x025B, AQ_DIRECT, 0, remove_ctl },
    { 0x025C, AQ_BOTH, 64, cloud_add },
    { 0x025D, AQ_BOTH, 64, cloud_remove },
    { 0x025F, AQ_TO_FW, 1, no_space },
    { 0x0260, AQ_TO_FW, 2, no_space }, /* mirror rules */
    { 0x0261, AQ_DIRECT, 0, nothing_there },
};

const struct aq_group aq_filter = { ops, sizeof(ops) / sizeof(ops[0]) };
