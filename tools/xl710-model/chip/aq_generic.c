/*
 * aq_generic.c - admin commands: version, resources, capabilities, addresses,
 * register access
 *
 * Layouts: Linux i40e_adminq_cmd.h; capability use: Linux i40e_common.c,
 * DPDK i40e_ethdev.c.
 */
#include "chip/control.h"

#include <string.h>

#define RES_NVM      1
#define RES_SDP      2
#define ACCESS_WRITE 2
#define NVM_READ_MS  3000u
#define NVM_WRITE_MS 180000u
#define CAP_BYTES    32u
#define FW_BUILD     0x13EDu

static enum aq_ret get_version(struct aq_cmd *cmd)
{
    const struct chip_config *c = &cmd->chip->config;

    put_le32(&cmd->params[0], 0);
    put_le32(&cmd->params[4], FW_BUILD);
    put_le16(&cmd->params[8], c->fw_major);
    put_le16(&cmd->params[10], c->fw_minor);
    put_le16(&cmd->params[12], c->api_major);
    put_le16(&cmd->params[14], c->api_minor);
    return AQ_OK;
}

static enum aq_ret accept(struct aq_cmd *cmd)
{
    (void)cmd;
    return AQ_OK;
}

static enum aq_ret set_pf_context(struct aq_cmd *cmd)
{
    return cmd->params[0] == cmd->pf->index ? AQ_OK : AQ_EPERM;
}

/* ---- resources ---- */

static uint32_t ms_left(const struct chip *chip)
{
    return chip->nvm_until_ns > chip->now_ns
               ? (uint32_t)((chip->nvm_until_ns - chip->now_ns) / CHIP_MS_NS)
               : 0;
}

static enum aq_ret request_resource(struct aq_cmd *cmd)
{
    struct chip *chip = cmd->chip;
    const uint16_t id = le16(&cmd->params[0]), access = le16(&cmd->params[2]);
    const uint32_t ms = access == ACCESS_WRITE ? NVM_WRITE_MS : NVM_READ_MS;

    if (id == RES_SDP) {
        put_le32(&cmd->params[4], NVM_READ_MS);
        return AQ_OK;
    }
    if (id != RES_NVM || access < 1 || access > ACCESS_WRITE)
        return AQ_EINVAL;
    (void)nvm_is_owner(chip, cmd->pf); /* a lock may have run out */
    if (chip->nvm_owner >= 0) {
        put_le32(&cmd->params[4], ms_left(chip));
        return AQ_EBUSY;
    }
    chip->nvm_owner = (int)cmd->pf->index;
    chip->nvm_until_ns = chip->now_ns + ms * CHIP_MS_NS;
    put_le32(&cmd->params[4], ms);
    return AQ_OK;
}

static enum aq_ret release_resource(struct aq_cmd *cmd)
{
    const uint16_t id = le16(&cmd->params[0]);

    if (id != RES_NVM && id != RES_SDP)
        return AQ_EINVAL;
    if (id == RES_NVM)
        nvm_release(cmd->chip, cmd->pf);
    return AQ_OK;
}

/* ---- capabilities ---- */

struct cap {
    uint16_t id;
    uint8_t major;
    uint32_t number, logical, physical;
};

static unsigned fill_caps(const struct aq_cmd *cmd, struct cap *caps)
{
    const struct chip_pf *pf = cmd->pf;
    const uint32_t pfs = (1u << cmd->chip->ports) - 1;
    const struct cap all[] = {
        { 0x0001, 1, 0, 0, 0 },                    /* switch mode */
        { 0x0002, 1, 0, 0, 0 },                    /* management */
        { 0x0005, 1, pfs, 0, 0 },                  /* functions */
        { 0x0012, 1, 0, 0, 0 },                    /* SR-IOV: none */
        { 0x0013, 1, 0, 0, 0 },                    /* VFs */
        { 0x0014, 1, 0, 0, 0 },                    /* VMDq: none */
        { 0x0017, 1, SWITCH_VSIS_PER_PF, 0, 0 },   /* VSIs */
        { 0x0018, 1, 1, 1, 8 },                    /* DCB: TC 0 of 8 */
        { 0x0040, 1, 512, 6, 0 },                  /* RSS table */
        { 0x0041, 1, pf->queues, 0, pf->first_q }, /* receive queues */
        { 0x0042, 1, pf->queues, 0, pf->first_q }, /* transmit queues */
        { 0x0043, 1, CHIP_VECTORS, 0, 0 },         /* MSI-X */
        { 0x0044, 1, 5, 0, 0 },                    /* MSI-X of a VF */
        { 0x0045, 1, FDIR_GUARANTEED, FDIR_BEST_EFFORT, 0 }, /* flow director */
        { 0x0061, 1, 1, 0, 22 },                             /* LED */
        { 0x0080, 1, 0, 0, 0 },                              /* NVM */
    };

    memcpy(caps, all, sizeof(all));
    return sizeof(all) / sizeof(all[0]);
}

static enum aq_ret list_caps(struct aq_cmd *cmd)
{
    struct cap caps[32];
    const unsigned n = fill_caps(cmd, caps);

    put_le32(&cmd->params[4], n);
    if (cmd->len < n * CAP_BYTES) {
        cmd->reply_len = (uint16_t)(n * CAP_BYTES);
        return AQ_ENOMEM;
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t *p = &cmd->buf[i * CAP_BYTES];

        put_le16(p, caps[i].id);
        p[2] = caps[i].major;
        put_le32(p + 4, caps[i].number);
        put_le32(p + 8, caps[i].logical);
        put_le32(p + 12, caps[i].physical);
    }
    cmd->reply_len = (uint16_t)(n * CAP_BYTES);
    return AQ_OK;
}

/* ---- addresses, PXE mode ---- */

static enum aq_ret mac_read(struct aq_cmd *cmd)
{
    const struct chip_pf *pf = cmd->pf;

    put_le16(&cmd->params[0], 0x0050); /* LAN and port address are valid */
    memcpy(&cmd->buf[0], pf->mac_lan, 6);
    memcpy(&cmd->buf[6], pf->mac_factory, 6);
    memcpy(&cmd->buf[12], pf->mac_factory, 6);
    memcpy(&cmd->buf[18], pf->mac_factory, 6);
    return AQ_OK;
}

static enum aq_ret mac_write(struct aq_cmd *cmd)
{
    const uint16_t type = le16(&cmd->params[0]) & 0xC000;
    const uint16_t high = le16(&cmd->params[2]);
    const uint32_t low = le32(&cmd->params[4]);
    const uint8_t mac[6] = {
        (uint8_t)(high >> 8), (uint8_t)high,       (uint8_t)(low >> 24),
        (uint8_t)(low >> 16), (uint8_t)(low >> 8), (uint8_t)low,
    };

    if (type == 0xC000) /* magic packets: no wake here */
        return AQ_OK;
    if ((mac[0] & 1) || (high == 0 && low == 0))
        return AQ_EINVAL;
    if (type == 0x8000) /* the port's own address is the NVM's */
        return AQ_EPERM;
    memcpy(cmd->pf->mac_lan, mac, sizeof(mac));
    return AQ_OK;
}

static enum aq_ret clear_pxe(struct aq_cmd *cmd)
{
    if (cmd->params[0] != 2)
        return AQ_EINVAL;
    if (!cmd->pf->pxe_mode)
        return AQ_EEXIST;
    cmd->pf->pxe_mode = false;
    return AQ_OK;
}

/* ---- registers by command ---- */

/* A queue that rings its own bell would never end. */
static bool is_own_queue(uint32_t address)
{
    return address >= 0x080000 && address < 0x083000;
}

static bool address_is_sane(uint32_t address)
{
    return address % 4 == 0 && address < CHIP_BAR0_BYTES;
}

static enum aq_ret debug_read(struct aq_cmd *cmd)
{
    const uint32_t address = le32(&cmd->params[4]);

    if (!address_is_sane(address))
        return AQ_EINVAL;
    put_le32(&cmd->params[8], 0);
    put_le32(&cmd->params[12], regs_read(cmd->chip, cmd->pf, address));
    return AQ_OK;
}

static enum aq_ret debug_write(struct aq_cmd *cmd)
{
    const uint32_t address = le32(&cmd->params[4]);

    if (!address_is_sane(address))
        return AQ_EINVAL;
    if (is_own_queue(address))
        return AQ_EPERM;
    regs_write(cmd->chip, cmd->pf, address, le32(&cmd->params[12]));
    return AQ_OK;
}

static enum aq_ret debug_modify(struct aq_cmd *cmd)
{
    const uint32_t address = le32(&cmd->params[0]);
    uint32_t v;

    if (!address_is_sane(address))
        return AQ_EINVAL;
    if (is_own_queue(address))
        return AQ_EPERM;
    v = regs_read(cmd->chip, cmd->pf, address);
    v = (v & ~le32(&cmd->params[8])) | le32(&cmd->params[12]);
    regs_write(cmd->chip, cmd->pf, address, v);
    put_le32(&cmd->params[4], v);
    return AQ_OK;
}

static enum aq_ret rx_ctl_read(struct aq_cmd *cmd)
{
    const uint32_t address = le32(&cmd->params[4]);

    if (!address_is_sane(address))
        return AQ_EINVAL;
    put_le32(&cmd->params[12], regs_read(cmd->chip, cmd->pf, address));
    return AQ_OK;
}

static const struct aq_op ops[] = {
    { 0x0001, AQ_DIRECT, 0, get_version },
    { 0x0002, AQ_TO_FW, 1, accept },  /* driver version */
    { 0x0003, AQ_DIRECT, 0, accept }, /* shutdown: answers go on */
    { 0x0004, AQ_DIRECT, 0, set_pf_context },
    { 0x0008, AQ_DIRECT, 0, request_resource },
    { 0x0009, AQ_DIRECT, 0, release_resource },
    { 0x000A, AQ_TO_HOST, 1, list_caps },
    { 0x000B, AQ_TO_HOST, 1, list_caps },
    { 0x0107, AQ_TO_HOST, 24, mac_read },
    { 0x0108, AQ_DIRECT, 0, mac_write },
    { 0x0110, AQ_DIRECT, 0, clear_pxe },
    { 0x0206, AQ_DIRECT, 0, rx_ctl_read },
    { 0x0207, AQ_DIRECT, 0, debug_write }, /* same layout */
    { 0xFF03, AQ_DIRECT, 0, debug_read },
    { 0xFF04, AQ_DIRECT, 0, debug_write },
    { 0xFF07, AQ_DIRECT, 0, debug_modify },
};

const struct aq_group aq_generic = { ops, sizeof(ops) / sizeof(ops[0]) };
