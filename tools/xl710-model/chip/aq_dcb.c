/*
 * aq_dcb.c - admin commands: LLDP agent and DCB
 *
 * The NVM leaves the firmware's LLDP agent off. There is one traffic class.
 * What drivers do with each answer: Linux i40e_main.c i40e_init_pf_dcb,
 * i40e_dcb.c; DPDK i40e_ethdev.c i40e_dcb_init_configure.
 */
#include "chip/control.h"

static enum aq_ret accept(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_OK;
}

/* EPERM says that the agent is off; ENOENT, that it has learnt nothing. */
static enum aq_ret get_mib(struct aq_cmd *cmd)
{
    return cmd->pf->lldp_on ? AQ_ENOENT : AQ_EPERM;
}

static enum aq_ret stop_agent(struct aq_cmd *cmd)
{
    if (!cmd->pf->lldp_on)
        return AQ_EPERM;
    cmd->pf->lldp_on = false;
    return AQ_OK;
}

static enum aq_ret start_agent(struct aq_cmd *cmd)
{
    if (cmd->pf->lldp_on)
        return AQ_EEXIST;
    cmd->pf->lldp_on = true;
    return AQ_OK;
}

static enum aq_ret no_cee(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_ENOENT;
}

static enum aq_ret set_local_mib(struct aq_cmd *cmd)
{
    return le16(&cmd->params[2]) <= cmd->len ? AQ_OK : AQ_EINVAL;
}

static const struct aq_op ops[] = {
    { 0x0301, AQ_DIRECT, 0, accept }, /* ignore priority flow control */
    { 0x0302, AQ_DIRECT, 0, accept }, /* DCB updated */
    { 0x0303, AQ_DIRECT, 0, accept }, /* set DCB parameters */
    { 0x0A00, AQ_TO_HOST, 1, get_mib },
    { 0x0A01, AQ_DIRECT, 0, accept }, /* MIB change events */
    { 0x0A05, AQ_DIRECT, 0, stop_agent },
    { 0x0A06, AQ_DIRECT, 0, start_agent },
    { 0x0A07, AQ_TO_HOST, 32, no_cee },
    { 0x0A08, AQ_TO_FW, 1, set_local_mib },
    { 0x0A09, AQ_DIRECT, 0, accept }, /* stop and start of an agent's part */
    { 0x0A0A, AQ_DIRECT, 0, accept }, /* restore the factory's choice */
};

const struct aq_group aq_dcb = { ops, sizeof(ops) / sizeof(ops[0]) };
