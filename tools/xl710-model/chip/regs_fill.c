/*
 * regs_fill.c - what registers hold after a reset
 */
#include "chip/control.h"

#include <string.h>

void regs_reset(struct chip_regs *regs, enum chip_reg_scope scope,
                enum chip_reset reset)
{
    for (unsigned i = 0; i < CHIP_REG_COUNT; i++) {
        const struct chip_reg_row *row = &chip_reg_table[i];
        uint32_t *reg = (uint32_t *)(void *)((uint8_t *)regs + row->store);

        if (row->scope != scope || row->domain > (int)reset)
            continue;
        memset(reg, 0, row->count * sizeof(*reg));
        for (uint32_t n = 0; row->reset != 0 && n < row->count; n++)
            reg[n] = row->reset;
    }
}

/*
 * Which words of the packet each packet type hashes: addresses, ports, the
 * SCTP tag (DPDK i40e_ethdev.c, default input sets).
 */
#define INSET_IP4   (UINT64_C(0x0001800000000000) | UINT64_C(0x0000001800000000))
#define INSET_IP6   (UINT64_C(0x0007F80000000000) | UINT64_C(0x000007F800000000))
#define INSET_PORTS UINT64_C(0x0000000600000000)
#define INSET_VTAG  UINT64_C(0x0000000180000000)
#define INSET_ETYPE UINT64_C(0x0000000000004000)

static const struct {
    uint8_t pctype;
    uint64_t inset;
} default_inset[] = {
    { 31, INSET_IP4 | INSET_PORTS },
    { 33, INSET_IP4 | INSET_PORTS },
    { 34, INSET_IP4 | INSET_PORTS | INSET_VTAG },
    { 35, INSET_IP4 },
    { 36, INSET_IP4 },
    { 41, INSET_IP6 | INSET_PORTS },
    { 43, INSET_IP6 | INSET_PORTS },
    { 44, INSET_IP6 | INSET_PORTS | INSET_VTAG },
    { 45, INSET_IP6 },
    { 46, INSET_IP6 },
    { 63, INSET_ETYPE },
};

void regs_fill_chip(struct chip *chip, enum chip_reset reset)
{
    struct chip_regs *r = &chip->regs;
    unsigned kib = chip->config.sr_kib, log2_kib = 0;

    while (kib > 1) {
        kib /= 2;
        log2_kib++;
    }
    r->GLNVM_GENS[0] = 1 | log2_kib << 5;
    r->GLGEN_PCIFCNCNT[0] = chip->ports;
    r->GLPCI_SERL[0] = le32(&chip->config.mac[0][2]);
    for (unsigned p = 0; p < 4; p++)
        r->PRTGEN_CNF[p] = p < chip->ports ? 0 : 1;
    for (unsigned p = 0; p < 16; p++) {
        r->GLHMC_PFASSIGN[p] = p;
        r->GLHMC_SDPART[p] = (uint32_t)CHIP_SD_MAX << 16;
    }
    if (reset < CHIP_RESET_CORER)
        return;
    /* Tag control as the firmware leaves it: 1 outer, 2 and 3 customer tag. */
    r->GL_SWT_L2TAGCTRL[1] = 0x88A80000u;
    r->GL_SWT_L2TAGCTRL[2] = 0x81000000u;
    r->GL_SWT_L2TAGCTRL[3] = 0x81000000u;
    for (size_t i = 0; i < sizeof(default_inset) / sizeof(default_inset[0]);
         i++) {
        const unsigned p = default_inset[i].pctype;

        r->GLQF_HASH_INSET[2 * p] = (uint32_t)default_inset[i].inset;
        r->GLQF_HASH_INSET[2 * p + 1] =
            (uint32_t)(default_inset[i].inset >> 32);
    }
}

void regs_fill_pf(struct chip *chip, struct chip_pf *pf)
{
    struct chip_regs *r = &pf->regs;
    const uint32_t last = pf->first_q + pf->queues - 1;

    r->PFLAN_QALLOC[0] = pf->first_q | last << 16 | 1u << 31;
    r->PFGEN_PORTNUM[0] = pf->index;
    r->PF_FUNC_RID[0] = pf->index;
    r->PFPCI_CNF[0] = 4 | (pf->index & 3) << 5; /* MSI_EN, INT_PIN */
    r->PFPCI_SUBSYSID[0] = 1;
    r->PFCM_LANCTXSTAT[0] = 1;
    /* Units of 32 filters: guaranteed, best effort. */
    r->PFQF_FDALLOC[0] = FDIR_GUARANTEED / 32 | FDIR_BEST_EFFORT / 32 << 8;
    if (r->PRTGL_SAH[0] == 0) {
        const uint8_t *m = pf->mac_factory;

        r->PRTGL_SAH[0] = 0x26000000u | m[4] | (uint32_t)m[5] << 8;
        r->PRTGL_SAL[0] = le32(m);
    }
    link_update(chip, pf);
}
