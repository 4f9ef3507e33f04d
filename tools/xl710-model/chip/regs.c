/*
 * regs.c - BAR0: the table, where values live, what reads and writes do
 *
 *   R1  a register the table does not know reads 0 and keeps nothing
 *   R2  only hooks act; everything else is storage behind a mask
 *   R3  the chip's registers are dwords: wider accesses are two of them (a
 *       counter is one), narrower ones are cut out of a dword
 */
#include "chip/control.h"

#include <string.h>

/* PRTGEN_STATUS: Linux takes it for the tail of rings that it fills before they
 * have one (i40e_ethtool.c i40e_set_ringparam), so a write means nothing. */
#define DUMMY_TAIL 0x0B8100u

/* clang-format off */
const struct chip_reg_row chip_reg_table[CHIP_REG_COUNT] = {
#define R(name, offset, step, count, scope, access, domain, reset, mask)       \
    { #name, offset, step, count, CHIP_SCOPE_##scope, CHIP_ACC_##access,       \
      CHIP_RESET_##domain, reset, mask,                                        \
      (uint32_t)offsetof(struct chip_regs, name) },
    CHIP_REGISTERS(R)
#undef R
};

/*
 * Places where public drivers read or write registers that the table does not
 * have and nothing depends on: no complaint there.
 */
static const struct {
    uint32_t first, end;
} tolerated[] = {
    { 0x083000, 0x083200 }, /* DCB state of the firmware */
    { 0x085000, 0x085400 }, /* time stamping (i40e_ptp.c) */
    { 0x0A0000, 0x0A0200 }, /* transmit scheduler (i40e_dcb.c) */
    { 0x0AC000, 0x0AD000 }, /* receive packet buffer (i40e_dcb.c) */
    { 0x122000, 0x122700 }, /* receive scheduler (i40e_dcb.c) */
    { 0x1C0900, 0x1C0C00 }, /* priorities and tags (i40e_dcb.c) */
    { 0x1E2000, 0x1E2500 }, /* MAC */
    { 0x1E3000, 0x1E3500 }, /* 40G MAC */
    { 0x1E4000, 0x1E4680 }, /* time stamping, energy, pause */
    { 0x268000, 0x270200 }, /* parser and hash tables */
    { STATS_FIRST, STATS_END },
};
/* clang-format on */

const struct chip_reg_row *chip_reg_find(uint32_t offset, uint32_t *index)
{
    unsigned lo = 0, hi = CHIP_REG_COUNT;

    while (hi - lo > 1) {
        const unsigned mid = (lo + hi) / 2;

        if (chip_reg_table[mid].offset <= offset)
            lo = mid;
        else
            hi = mid;
    }

    const struct chip_reg_row *row = &chip_reg_table[lo];
    const uint32_t delta = offset - row->offset;

    if (offset < row->offset || delta % row->step != 0 ||
        delta / row->step >= row->count)
        return NULL;
    *index = delta / row->step;
    return row;
}

static uint32_t *cell(struct chip *chip, struct chip_pf *pf,
                      const struct chip_reg_row *row, uint32_t index)
{
    struct chip_regs *regs =
        row->scope == CHIP_SCOPE_GL ? &chip->regs : &pf->regs;

    return (uint32_t *)(void *)((uint8_t *)regs + row->store) + index;
}

static bool is_tolerated(uint32_t offset)
{
    for (size_t i = 0; i < sizeof(tolerated) / sizeof(tolerated[0]); i++)
        if (offset >= tolerated[i].first && offset < tolerated[i].end)
            return true;
    return false;
}

static void unknown(struct chip *chip, struct chip_pf *pf, uint32_t offset,
                    const char *verb)
{
    if (!is_tolerated(offset))
        chip_complain(chip, pf, "reg-unknown", "%s of offset 0x%06x", verb,
                      offset);
}

/* ---- reading ---- */

/* Registers whose value is made when somebody looks. */
static uint32_t read_row(struct chip *chip, struct chip_pf *pf,
                         const struct chip_reg_row *row, uint32_t index)
{
    const uint32_t stored = *cell(chip, pf, row, index);

    switch ((enum chip_reg)(row - chip_reg_table)) {
    case REG_PFINT_ICR0:
        return intr_icr0_read(chip, pf);
    case REG_QTX_TAIL:
        return pf->qtx_tail != NULL && index < pf->queues
                   ? __atomic_load_n(&pf->qtx_tail[index], __ATOMIC_ACQUIRE)
                   : stored;
    case REG_QRX_TAIL:
        return pf->qrx_tail != NULL && index < pf->queues
                   ? __atomic_load_n(&pf->qrx_tail[index], __ATOMIC_ACQUIRE)
                   : stored;
    case REG_GLGEN_RSTAT:
        pf->unaware_until_ns = 0;
        return stored;
    case REG_GLVFGEN_TIMER:
        return (uint32_t)(chip->now_ns / CHIP_US_NS);
    case REG_PFGEN_CTRL:
        return chip->now_ns < pf->pfswr_until_ns ? 1 : 0;
    case REG_GL_FWSTS:
        return stored | (uint32_t)fault_recovery_mode(chip) << 16;
    default:
        return row->access == CHIP_ACC_WO ? 0 : stored;
    }
}

uint32_t regs_read(struct chip *chip, struct chip_pf *pf, uint32_t offset)
{
    uint32_t index = 0, forced;

    if (fault_reg_forced(chip, pf, offset, &forced))
        return forced;
    if (offset >= STATS_FIRST && offset < STATS_END)
        return (uint32_t)stats_read(chip, offset, false);

    const struct chip_reg_row *row = chip_reg_find(offset, &index);

    if (row == NULL) {
        unknown(chip, pf, offset, "read");
        return 0;
    }
    return read_row(chip, pf, row, index);
}

static uint64_t read_wide(struct chip *chip, struct chip_pf *pf,
                          uint32_t offset)
{
    uint32_t forced;

    if (offset >= STATS_FIRST && offset < STATS_END &&
        !fault_reg_forced(chip, pf, offset, &forced))
        return stats_read(chip, offset, true);

    const uint64_t low = regs_read(chip, pf, offset);

    return low | (uint64_t)regs_read(chip, pf, offset + 4) << 32;
}

static bool size_is_legal(struct chip *chip, struct chip_pf *pf,
                          uint32_t offset, unsigned bytes)
{
    if ((bytes == 4 || bytes == 8) && offset % bytes == 0)
        return true;
    chip_complain(chip, pf, "reg-size", "%u-byte access at 0x%06x", bytes,
                  offset);
    return false;
}

uint64_t chip_reg_read(struct chip *chip, unsigned pf_index, uint32_t offset,
                       unsigned bytes)
{
    if (pf_index >= chip->ports || offset >= CHIP_BAR0_BYTES)
        return 0;

    struct chip_pf *pf = &chip->pf[pf_index];

    if (size_is_legal(chip, pf, offset, bytes))
        return bytes == 4 ? regs_read(chip, pf, offset)
                          : read_wide(chip, pf, offset);

    const uint32_t base = offset & ~3u;
    const unsigned shift = (offset & 3) * 8;
    uint64_t v = regs_read(chip, pf, base);

    if (shift / 8 + bytes > 4 && base + 4 < CHIP_BAR0_BYTES)
        v |= (uint64_t)regs_read(chip, pf, base + 4) << 32;
    v >>= shift;
    return bytes < 8 ? v & ((UINT64_C(1) << (bytes * 8)) - 1) : v;
}

/* ---- writing ---- */

/* PFHMC_ERRORDATA goes with the error it belongs to. */
static void write_w1c(struct chip *chip, struct chip_pf *pf,
                      const struct chip_reg_row *row, uint32_t index,
                      uint32_t value)
{
    uint32_t *reg = cell(chip, pf, row, index);

    *reg &= ~value;
    if (row - chip_reg_table == REG_PFHMC_ERRORINFO && !(*reg >> 31)) {
        *reg = 0;
        pf->regs.PFHMC_ERRORDATA[0] = 0;
    }
}

static void write_aq_base(struct chip *chip, struct chip_pf *pf,
                          const struct chip_reg_row *row, uint32_t value)
{
    uint32_t *reg = cell(chip, pf, row, 0);
    const bool send = row - chip_reg_table == REG_PF_ATQBAL ||
                      row - chip_reg_table == REG_PF_ATQBAH;

    if (send && *reg != value && adminq_is_running(pf))
        chip_complain(chip, pf, "aq-moved", "%s 0x%08x, was 0x%08x", row->name,
                      value, *reg);
    *reg = value;
}

static void write_act(struct chip *chip, struct chip_pf *pf,
                      const struct chip_reg_row *row, uint32_t i,
                      uint32_t value)
{
    switch ((enum chip_reg)(row - chip_reg_table)) {
    case REG_PFINT_DYN_CTL0:
        intr_dyn_ctl(chip, pf, 0, value);
        break;
    case REG_PFINT_DYN_CTLN:
        intr_dyn_ctl(chip, pf, i + 1, value);
        break;
    case REG_PFINT_ICR0:
        pf->intr.icr0 |= value & ~ICR0_INTEVENT;
        break;
    case REG_PFINT_ICR0_ENA:
        intr_icr0_ena(chip, pf, value);
        break;
    case REG_PF_ATQBAL:
    case REG_PF_ATQBAH:
    case REG_PF_ARQBAL:
    case REG_PF_ARQBAH:
        write_aq_base(chip, pf, row, value);
        break;
    case REG_PF_ATQLEN:
        adminq_atq_len(chip, pf, value);
        break;
    case REG_PF_ARQLEN:
        adminq_arq_len(chip, pf, value);
        break;
    case REG_PF_ATQT:
        adminq_atq_tail(chip, pf, value);
        break;
    case REG_PF_ARQT:
        adminq_arq_tail(chip, pf, value);
        break;
    case REG_GLGEN_MSCA: /* the MDIO cycle is over at once; no PHY answers */
        chip->regs.GLGEN_MSCA[i] = value & ~(1u << 30 | 1u << 31);
        chip->regs.GLGEN_MSRWD[i] |= 0xFFFF0000u;
        break;
    case REG_PFGEN_CTRL:
        reset_pfgen_ctrl(chip, pf, value);
        break;
    case REG_GLGEN_RTRIG:
        reset_request(chip, (value & 4)   ? CHIP_RESET_EMPR
                            : (value & 2) ? CHIP_RESET_GLOBR
                            : (value & 1) ? CHIP_RESET_CORER
                                          : CHIP_RESET_NONE);
        break;
    case REG_GLNVM_SRCTL:
        nvm_srctl(chip, pf, value);
        break;
    case REG_PFHMC_SDCMD:
        hmc_sdcmd(chip, pf, value);
        break;
    case REG_PFHMC_PDINV:
        hmc_pdinv(chip, pf, value);
        break;
    case REG_PFCM_LANCTXCTL:
        hmc_pfcm(chip, pf, value);
        break;
    case REG_GLLAN_TXPRE_QDIS:
        qregs_pre_disable(chip, pf, i, value);
        break;
    case REG_QTX_ENA:
        qregs_tx_ena(chip, pf, i, value);
        break;
    case REG_QRX_ENA:
        qregs_rx_ena(chip, pf, i, value);
        break;
    case REG_QTX_TAIL:
        qregs_tx_tail(chip, pf, i, value);
        break;
    case REG_QRX_TAIL:
        qregs_rx_tail(chip, pf, i, value);
        break;
    case REG_PFQF_CTL_1: /* over at once: CLEARFDTABLE never reads 1 */
        if (value & 1)
            fdir_clear(chip, pf);
        break;
    case REG_GLQF_PCNT: /* any write clears */
        *cell(chip, pf, row, i) = 0;
        break;
    default: /* heads of the admin queues */
        *cell(chip, pf, row, i) = value;
        break;
    }
}

void regs_write(struct chip *chip, struct chip_pf *pf, uint32_t offset,
                uint32_t value)
{
    uint32_t index = 0;
    const struct chip_reg_row *row = chip_reg_find(offset, &index);

    if (row == NULL) {
        unknown(chip, pf, offset, "write");
        return;
    }
    if (row->access == CHIP_ACC_RO) {
        if (row->offset == DUMMY_TAIL)
            return;
        chip_complain(chip, pf, "reg-read-only", "%s(%u) = 0x%08x", row->name,
                      index, value);
        return;
    }
    if ((value & ~row->mask) != 0 && row->access != CHIP_ACC_W1C)
        chip_complain(chip, pf, "reg-reserved",
                      "%s(%u) = 0x%08x, existing bits are 0x%08x", row->name,
                      index, value, row->mask);
    value &= row->mask;
    if (row->access == CHIP_ACC_W1C)
        write_w1c(chip, pf, row, index, value);
    else if (row->access == CHIP_ACC_RW)
        *cell(chip, pf, row, index) = value;
    else if (row->access == CHIP_ACC_ACT)
        write_act(chip, pf, row, index, value);
}

void chip_reg_write(struct chip *chip, unsigned pf_index, uint32_t offset,
                    unsigned bytes, uint64_t value)
{
    if (pf_index >= chip->ports || offset >= CHIP_BAR0_BYTES)
        return;

    struct chip_pf *pf = &chip->pf[pf_index];

    /* Byte enables inside a dword do nothing good on this chip. */
    if (!size_is_legal(chip, pf, offset, bytes))
        return;
    pf->touched = true;
    regs_write(chip, pf, offset, (uint32_t)value);
    if (bytes == 8)
        regs_write(chip, pf, offset + 4, (uint32_t)(value >> 32));
}
