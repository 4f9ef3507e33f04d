/*
 * nvm.c - shadow RAM: its words, its checksum, the word register
 *
 *   V1  the checksum word makes the sum right at creation; nothing writes the
 *       shadow RAM afterwards
 *   V2  one function at a time holds the NVM, and only for the time it asked
 *
 * Word numbers and the checksum rule: Linux i40e_nvm.c, i40e_type.h.
 */
#include "chip/control.h"

#include <stdlib.h>

#define SR_CONTROL     0x00
#define SR_EMP_MODULE  0x0F
#define SR_BOOT_CONFIG 0x17
#define SR_DEV_STARTER 0x18
#define SR_WOL         0x19
#define SR_OEM         0x1B
#define SR_ETRACK_LOW  0x2D
#define SR_ETRACK_HIGH 0x2E
#define SR_VPD         0x2F
#define SR_PCIE_ALT    0x3E
#define SR_CHECKSUM    0x3F
#define SR_SETTINGS    0x48
#define SR_SUM         0xBABAu
#define MODULE_WORDS   512u
#define SRCTL_DONE     (1u << 31)
#define SRCTL_START    (1u << 30)
#define SRCTL_WRITE    (1u << 29)

/* Modules that hold nothing but zeros: no boot options, LLDP agent off. */
#define EMPTY_MODULE 0x0600u
#define NO_MODULE    0x7FFFu

static uint16_t checksum(const struct chip *chip)
{
    const uint32_t vpd = chip->nvm[SR_VPD], alt = chip->nvm[SR_PCIE_ALT];
    uint32_t sum = 0;

    for (uint32_t i = 0; i < chip->nvm_words; i++) {
        if (i == SR_CHECKSUM || (i >= vpd && i < vpd + MODULE_WORDS) ||
            (i >= alt && i < alt + MODULE_WORDS))
            continue;
        sum += chip->nvm[i];
    }
    return (uint16_t)(SR_SUM - sum);
}

bool nvm_create(struct chip *chip)
{
    uint16_t *w;

    chip->nvm_words = chip->config.sr_kib * 1024 / 2;
    chip->nvm = calloc(chip->nvm_words, sizeof(*chip->nvm));
    if (chip->nvm == NULL)
        return false;
    w = chip->nvm;
    w[SR_CONTROL] = 0x0040; /* bits 7:6 = 01: valid */
    w[SR_EMP_MODULE] = EMPTY_MODULE;
    w[SR_BOOT_CONFIG] = EMPTY_MODULE;
    w[SR_DEV_STARTER] = 0x8040; /* "8.40" */
    w[SR_WOL] = 0xFFFF;
    w[SR_OEM] = 0xFFFF;
    w[SR_ETRACK_LOW] = 0x0F4D;
    w[SR_ETRACK_HIGH] = 0x8000;
    w[SR_VPD] = NO_MODULE;
    w[SR_PCIE_ALT] = NO_MODULE;
    w[SR_SETTINGS] = EMPTY_MODULE;
    w[SR_CHECKSUM] = checksum(chip);
    return true;
}

void nvm_srctl(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const uint32_t word = value >> 14 & 0x7FFF;

    chip->regs.GLNVM_SRCTL[0] = (value & ~SRCTL_START) | SRCTL_DONE;
    if (!(value & SRCTL_START) || (value & SRCTL_WRITE))
        return;
    /* Stock drivers read without the lock; only a real conflict counts. */
    if (!nvm_is_owner(chip, pf) && chip->nvm_owner >= 0)
        chip_complain(chip, pf, "nvm-unlocked", "word 0x%04x, function %d",
                      word, chip->nvm_owner);
    if (word >= chip->nvm_words) {
        chip_complain(chip, pf, "reg-range",
                      "GLNVM_SRCTL word 0x%04x, there are 0x%04x", word,
                      chip->nvm_words);
        chip->regs.GLNVM_SRDATA[0] = 0xFFFF0000u;
        return;
    }
    chip->regs.GLNVM_SRDATA[0] = (uint32_t)chip->nvm[word] << 16;
}

bool nvm_is_owner(struct chip *chip, const struct chip_pf *pf)
{
    if (chip->nvm_owner >= 0 && chip->now_ns >= chip->nvm_until_ns)
        chip->nvm_owner = -1;
    return chip->nvm_owner == (int)pf->index;
}

void nvm_release(struct chip *chip, const struct chip_pf *pf)
{
    if (chip->nvm_owner == (int)pf->index)
        chip->nvm_owner = -1;
}
