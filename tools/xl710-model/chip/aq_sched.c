/*
 * aq_sched.c - admin commands: transmit scheduler and HMC profile
 *
 * The model sends in order and without limits: bandwidth is accepted and
 * forgotten, but what drivers take from the answers is real: the queue-set
 * handles, which name the VSI in every transmit context.
 *
 * Layouts: Linux i40e_adminq_cmd.h, i40e_aqc_configure_vsi_tc_bw_data ff.
 */
#include "chip/control.h"

#include <string.h>

static struct chip_vsi *own_vsi(struct aq_cmd *cmd)
{
    struct chip_vsi *vsi = vsi_by_seid(cmd->chip, le16(cmd->params) & 0x3FF);

    return vsi != NULL && vsi->pf == cmd->pf->index ? vsi : NULL;
}

static enum aq_ret on_vsi(struct aq_cmd *cmd)
{
    return own_vsi(cmd) != NULL ? AQ_OK : AQ_ENOENT;
}

/* A port, a VEB or a VSI of the function. */
static enum aq_ret on_component(struct aq_cmd *cmd)
{
    return switch_is_uplink(cmd->chip, cmd->pf, le16(cmd->params) & 0x3FF)
               ? AQ_OK
               : AQ_ENOENT;
}

static void put_handles(uint8_t *to, const struct chip_vsi *vsi)
{
    memcpy(to, &vsi->props[VSI_QS_HANDLE], 16);
}

static enum aq_ret set_vsi_classes(struct aq_cmd *cmd)
{
    struct chip_vsi *vsi = own_vsi(cmd);
    const uint8_t classes = cmd->buf[0];

    if (vsi == NULL)
        return AQ_ENOENT;
    if (!(classes & 1))
        return AQ_EINVAL;
    switch_vsi_classes(vsi, classes);
    put_handles(&cmd->buf[16], vsi);
    return AQ_OK;
}

static enum aq_ret get_vsi_bw(struct aq_cmd *cmd)
{
    const struct chip_vsi *vsi = own_vsi(cmd);

    if (vsi == NULL)
        return AQ_ENOENT;
    cmd->buf[0] = vsi->props[82];
    put_handles(&cmd->buf[16], vsi);
    return AQ_OK;
}

static void put_shares(uint8_t *to, uint8_t classes)
{
    for (unsigned tc = 0; tc < 8; tc++)
        to[tc] = classes & 1u << tc ? 1 : 0;
}

static enum aq_ret get_vsi_ets(struct aq_cmd *cmd)
{
    const struct chip_vsi *vsi = own_vsi(cmd);

    if (vsi == NULL)
        return AQ_ENOENT;
    cmd->buf[0] = vsi->props[82];
    put_shares(&cmd->buf[4], vsi->props[82]);
    return AQ_OK;
}

/* Switching components and ports run one class. */
static enum aq_ret get_component(struct aq_cmd *cmd)
{
    const enum aq_ret ret = on_component(cmd);

    if (ret != AQ_OK)
        return ret;
    cmd->buf[0] = 1;
    return AQ_OK;
}

static enum aq_ret get_port_ets(struct aq_cmd *cmd)
{
    const enum aq_ret ret = on_component(cmd);

    if (ret != AQ_OK)
        return ret;
    cmd->buf[4] = 1;
    cmd->buf[8] = 100;
    return AQ_OK;
}

static enum aq_ret get_component_bw(struct aq_cmd *cmd)
{
    const enum aq_ret ret = on_component(cmd);

    if (ret != AQ_OK)
        return ret;
    cmd->buf[0] = 1;
    put_shares(&cmd->buf[4], 1);
    return AQ_OK;
}

static enum aq_ret accept(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_OK;
}

static enum aq_ret no_partitions(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_EPERM;
}

static const struct aq_op ops[] = {
    { 0x0400, AQ_DIRECT, 0, on_vsi }, /* bandwidth limit */
    { 0x0406, AQ_TO_FW, 64, on_vsi }, /* limits of each class */
    { 0x0407, AQ_BOTH, 32, set_vsi_classes },
    { 0x0408, AQ_TO_HOST, 64, get_vsi_bw },
    { 0x040A, AQ_TO_HOST, 32, get_vsi_ets },
    { 0x0410, AQ_DIRECT, 0, on_component },
    { 0x0413, AQ_TO_FW, 128, on_component },
    { 0x0414, AQ_TO_FW, 128, on_component },
    { 0x0415, AQ_TO_FW, 128, on_component },
    { 0x0416, AQ_TO_FW, 64, on_component },
    { 0x0417, AQ_TO_FW, 32, on_component },
    { 0x0418, AQ_TO_HOST, 64, get_component },
    { 0x0419, AQ_TO_HOST, 68, get_port_ets },
    { 0x041A, AQ_TO_HOST, 32, get_component_bw },
    { 0x041B, AQ_DIRECT, 0, on_vsi }, /* suspend port transmit */
    { 0x041C, AQ_DIRECT, 0, accept }, /* resume it */
    { 0x041D, AQ_TO_FW, 1, no_partitions },
    { 0x0500, AQ_DIRECT, 0, accept }, /* HMC profile */
    { 0x0501, AQ_DIRECT, 0, accept },
};

const struct aq_group aq_sched = { ops, sizeof(ops) / sizeof(ops[0]) };
