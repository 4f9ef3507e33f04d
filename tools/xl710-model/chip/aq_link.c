/*
 * aq_link.c - admin commands: PHY, link, MAC, module
 *
 * Layouts: Linux i40e_adminq_cmd.h; what drivers do with them: Linux
 * i40e_main.c i40e_force_link_state, DPDK i40e_ethdev.c i40e_phy_conf_link.
 */
#include "chip/control.h"

#include <string.h>

#define ABIL_LINK_ENABLE 0x08u
#define ABIL_ATOMIC      0x20u
#define ABIL_MODULE      0x20u /* in the answer */
#define ABIL_STORED      0x1Fu
#define PHY_INITIAL      0x0002u
#define LSE_DISABLE      2
#define LSE_ENABLE       3
#define AN_RESTART       0x02u
#define AN_LINK_ENABLE   0x04u
#define FRAME_MIN        64u
#define FRAME_MAX        9728u
#define PHY_MODULE       2

static void factory_phy(const struct chip *chip, struct chip_link *l)
{
    l->phy_type = link_phy_types(chip);
    l->phy_type_ext = link_phy_types_ext(chip);
    l->speed = link_speed(chip);
}

static enum aq_ret get_phy(struct aq_cmd *cmd)
{
    const struct chip *chip = cmd->chip;
    const struct chip_link *now = &cmd->pf->link;
    struct chip_link l = *now;
    uint8_t *b = cmd->buf;

    if (le16(cmd->params) & PHY_INITIAL) {
        factory_phy(chip, &l);
        l.abilities = 0x18;
        l.fec = 0;
    }
    put_le32(&b[0], l.phy_type);
    b[4] = l.speed;
    b[5] = (l.abilities & ABIL_STORED) | ABIL_MODULE;
    b[13] = l.phy_type_ext;
    b[14] = l.fec;
    put_le32(&b[16], 0x02A80000u);
    b[20] = link_module_id(chip);
    b[21] = link_module_id(chip) == 0x0D ? 0x04 : 0x10; /* compliance */
    return AQ_OK;
}

static enum aq_ret set_phy(struct aq_cmd *cmd)
{
    const uint8_t *p = cmd->params;
    struct chip_link *l = &cmd->pf->link;
    const uint32_t low = le32(p) & link_phy_types(cmd->chip);
    const uint8_t ext = p[13] & link_phy_types_ext(cmd->chip);
    const uint8_t speed = p[4] & link_speed(cmd->chip);
    const bool asks = le32(p) != 0 || p[13] != 0;

    /* Something is wanted, and none of it is possible here. */
    if ((asks && low == 0 && ext == 0) || (p[4] != 0 && speed == 0))
        return AQ_EINVAL;
    l->phy_type = low;
    l->phy_type_ext = ext;
    l->speed = speed;
    l->abilities = p[5] & ABIL_STORED;
    l->fec = p[14] & 0x1F;
    if (p[5] & ABIL_ATOMIC)
        link_retrain(cmd->chip, cmd->pf);
    else
        link_update(cmd->chip, cmd->pf);
    return AQ_OK;
}

static enum aq_ret set_mac(struct aq_cmd *cmd)
{
    const uint16_t frame = le16(cmd->params);
    uint32_t *sah = &cmd->pf->regs.PRTGL_SAH[0];

    if (frame < FRAME_MIN || frame > FRAME_MAX)
        return AQ_EINVAL;
    cmd->pf->link.max_frame = frame;
    cmd->pf->link.mac_config = cmd->params[2];
    *sah = (*sah & 0xFFFFu) | (uint32_t)frame << 16;
    return AQ_OK;
}

static enum aq_ret restart_an(struct aq_cmd *cmd)
{
    struct chip_link *l = &cmd->pf->link;
    const uint8_t command = cmd->params[0];

    if (command & AN_LINK_ENABLE) {
        l->abilities |= ABIL_LINK_ENABLE;
        if (l->speed == 0 || (l->phy_type == 0 && l->phy_type_ext == 0))
            factory_phy(cmd->chip, l);
    } else {
        l->abilities &= (uint8_t)~ABIL_LINK_ENABLE;
    }
    if (command & AN_RESTART)
        link_retrain(cmd->chip, cmd->pf);
    else
        link_update(cmd->chip, cmd->pf);
    return AQ_OK;
}

static enum aq_ret get_link(struct aq_cmd *cmd)
{
    const uint16_t command = le16(cmd->params) & 3;

    if (command == LSE_ENABLE)
        cmd->pf->link.events_on = true;
    else if (command == LSE_DISABLE)
        cmd->pf->link.events_on = false;
    link_status(cmd->chip, cmd->pf, cmd->params);
    return AQ_OK;
}

static enum aq_ret set_mask(struct aq_cmd *cmd)
{
    cmd->pf->link.mask = le16(&cmd->params[8]);
    return AQ_OK;
}

static enum aq_ret get_an(struct aq_cmd *cmd)
{
    memset(cmd->params, 0, sizeof(cmd->params));
    return AQ_OK;
}

static enum aq_ret set_loopback(struct aq_cmd *cmd)
{
    if (cmd->params[0] > 7) /* two layouts are in use; both agree here */
        return AQ_EINVAL;
    cmd->pf->link.loopback = cmd->params[0];
    return AQ_OK;
}

static enum aq_ret accept(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_OK;
}

/* Internal and external PHY registers read 0; the module is real. */
static enum aq_ret get_phy_reg(struct aq_cmd *cmd)
{
    uint8_t value = 0;

    if (cmd->params[0] > PHY_MODULE)
        return AQ_EINVAL;
    if (cmd->params[0] == PHY_MODULE &&
        !module_read(cmd->chip, cmd->params[1], le32(&cmd->params[4]), &value))
        return AQ_EINVAL;
    put_le32(&cmd->params[8], value);
    return AQ_OK;
}

static enum aq_ret set_phy_reg(struct aq_cmd *cmd)
{
    return cmd->params[0] < PHY_MODULE ? AQ_OK : AQ_EPERM;
}

static const struct aq_op ops[] = {
    { 0x0600, AQ_TO_HOST, 24, get_phy },
    { 0x0601, AQ_DIRECT, 0, set_phy },
    { 0x0603, AQ_DIRECT, 0, set_mac },
    { 0x0605, AQ_DIRECT, 0, restart_an },
    { 0x0607, AQ_DIRECT, 0, get_link },
    { 0x0613, AQ_DIRECT, 0, set_mask },
    { 0x0614, AQ_DIRECT, 0, get_an },
    { 0x0615, AQ_DIRECT, 0, accept },
    { 0x0616, AQ_DIRECT, 0, get_an },
    { 0x0618, AQ_DIRECT, 0, set_loopback },
    { 0x0622, AQ_DIRECT, 0, accept }, /* PHY debug */
    { 0x0628, AQ_DIRECT, 0, set_phy_reg },
    { 0x0629, AQ_DIRECT, 0, get_phy_reg },
};

const struct aq_group aq_link = { ops, sizeof(ops) / sizeof(ops[0]) };
