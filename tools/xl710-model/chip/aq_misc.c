/*
 * aq_misc.c - admin commands: UDP tunnels, profiles, what needs VFs or wake-up
 *
 * Layouts: Linux i40e_adminq_cmd.h.
 */
#include "chip/control.h"

static unsigned tunnels_used(const struct chip *chip)
{
    unsigned used = 0;

    for (unsigned i = 0; i < CHIP_TUNNELS_MAX; i++)
        used += chip->tunnel[i].used;
    return used;
}

static bool type_is_known(uint8_t type)
{
    return type == 0x00 || type == 0x01 || type == 0x10 || type == 0x11;
}

/* The slot of this port, else a free one, else -1. */
static int tunnel_slot(const struct chip *chip, uint16_t port)
{
    int free_slot = -1;

    for (int i = CHIP_TUNNELS_MAX - 1; i >= 0; i--) {
        if (!chip->tunnel[i].used)
            free_slot = i;
        else if (chip->tunnel[i].udp_port == port)
            return i;
    }
    return free_slot;
}

static enum aq_ret add_tunnel(struct aq_cmd *cmd)
{
    struct chip *chip = cmd->chip;
    const uint16_t port = le16(&cmd->params[0]);
    const uint8_t type = cmd->params[5];
    const int slot = tunnel_slot(chip, port);

    if (port == 0 || !type_is_known(type))
        return AQ_EINVAL;
    if (slot < 0)
        return AQ_ENOSPC;
    chip->tunnel[slot] = (struct chip_tunnel) {
        .used = true,
        .udp_port = port,
        .type = type,
    };
    chip->switch_gen++;
    cmd->params[2] = (uint8_t)slot;
    cmd->params[3] = 0;
    cmd->params[4] = (uint8_t)tunnels_used(chip);
    return AQ_OK;
}

static enum aq_ret delete_tunnel(struct aq_cmd *cmd)
{
    struct chip *chip = cmd->chip;
    const unsigned slot = cmd->params[2];

    if (slot >= CHIP_TUNNELS_MAX || !chip->tunnel[slot].used)
        return AQ_ENOENT;
    chip->tunnel[slot].used = false;
    chip->switch_gen++;
    return AQ_OK;
}

/* An empty list: the count before the entries is 0. */
static enum aq_ret list_profiles(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_OK;
}

static enum aq_ret not_offered(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_ENOSYS;
}

static enum aq_ret no_vf(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_ENOENT;
}

static const struct aq_op ops[] = {
    { 0x0104, AQ_TO_FW, 1, not_offered }, /* ARP and ND proxies */
    { 0x0105, AQ_TO_FW, 1, not_offered },
    { 0x0120, AQ_TO_FW, 1, not_offered }, /* wake-up filters */
    { 0x0121, AQ_DIRECT, 0, not_offered },
    { 0x025E, AQ_DIRECT, 0, not_offered },
    { 0x0270, AQ_TO_FW, 1, not_offered }, /* packet-type profiles */
    { 0x0271, AQ_TO_HOST, 4, list_profiles },
    { 0x0801, AQ_TO_FW, 1, no_vf },
    { 0x0802, AQ_TO_FW, 1, no_vf },
    { 0x0803, AQ_TO_FW, 1, no_vf },
    { 0x0900, AQ_DIRECT, 0, not_offered }, /* alternate RAM */
    { 0x0901, AQ_DIRECT, 0, not_offered },
    { 0x0902, AQ_DIRECT, 0, not_offered },
    { 0x0903, AQ_DIRECT, 0, not_offered },
    { 0x0904, AQ_DIRECT, 0, not_offered },
    { 0x0B00, AQ_DIRECT, 0, add_tunnel },
    { 0x0B01, AQ_DIRECT, 0, delete_tunnel },
    { 0xFF08, AQ_TO_HOST, 1, not_offered },
};

const struct aq_group aq_misc = { ops, sizeof(ops) / sizeof(ops[0]) };
