/*
 * aq_nvm.c - admin commands: reading the NVM; writing it is refused
 *
 * Rules of a read: Linux i40e_nvm.c i40e_aq_read_nvm and its callers.
 */
#include "chip/control.h"

#define SECTOR_BYTES 4096u
#define FLASH_UNIT   0x10000u

/* Module pointers count words, or 4 KiB sectors with the top bit set. */
static uint32_t module_base(const struct chip *chip, uint8_t pointer)
{
    const uint16_t at = chip->nvm[pointer];

    return at & 0x8000 ? (at & 0x7FFFu) * SECTOR_BYTES : at * 2u;
}

/* What GLPCI_LBARCTRL says: drivers dump all of it (Linux i40e_ethtool.c,
 * i40e_get_eeprom_len). */
static uint32_t flash_bytes(const struct chip *chip)
{
    return FLASH_UNIT << (chip->regs.GLPCI_LBARCTRL[0] >> 6 & 7);
}

/* The shadow RAM is what the flash holds; behind it nothing was written. */
static uint8_t flash_byte(const struct chip *chip, uint32_t at)
{
    uint16_t word;

    if (at / 2 >= chip->nvm_words)
        return 0xFF;
    word = chip->nvm[at / 2];
    return (uint8_t)(at & 1 ? word >> 8 : word);
}

static enum aq_ret read_nvm(struct aq_cmd *cmd)
{
    const struct chip *chip = cmd->chip;
    const uint8_t module = cmd->params[1];
    const uint16_t len = le16(&cmd->params[2]);
    const uint32_t offset = le32(&cmd->params[4]) & 0xFFFFFFu;
    const uint32_t first = offset + (module ? module_base(chip, module) : 0);

    if (chip->nvm_owner >= 0 && !nvm_is_owner(cmd->chip, cmd->pf))
        return AQ_EBUSY;
    if (len == 0 || len > cmd->len || len > SECTOR_BYTES)
        return AQ_EINVAL;
    if (offset / SECTOR_BYTES != (offset + len - 1) / SECTOR_BYTES)
        return AQ_EINVAL;
    if (first + len > flash_bytes(chip))
        return AQ_EINVAL;
    for (uint32_t i = 0; i < len; i++)
        cmd->buf[i] = flash_byte(chip, first + i);
    return AQ_OK;
}

static enum aq_ret protected(struct aq_cmd *cmd) {(void)cmd; return AQ_EPERM; }

static const struct aq_op ops[] = {
    { 0x0701, AQ_TO_HOST, 1, read_nvm },
    { 0x0702, AQ_DIRECT, 0, protected }, /* erase */
    { 0x0703, AQ_TO_FW, 1, protected },  /* update */
    { 0x0704, AQ_TO_HOST, 1, protected },
    { 0x0705, AQ_TO_FW, 1, protected },
    { 0x0706, AQ_DIRECT, 0, protected }, /* update in process, rollback */
    { 0x0707, AQ_DIRECT, 0, protected },
    { 0x0720, AQ_TO_FW, 1, protected },
};

const struct aq_group aq_nvm = { ops, sizeof(ops) / sizeof(ops[0]) };
