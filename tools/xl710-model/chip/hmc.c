/*
 * hmc.c - queue contexts: host memory cache, and the on-chip copies
 *
 *   H1  an object's address in the function's private memory picks segment
 *       (2 MiB) and page (4 KiB); a descriptor is looked up at each use, so
 *       PDINV has nothing to drop
 *   H2  every failure is latched in PFHMC_ERRORINFO/DATA (first one stays) and
 *       raises ICR0.HMC_ERR
 *   H3  a context written through PFCM is used instead of host memory until
 *       the next reset of its function
 *
 * Layouts: Linux i40e_hmc.h, i40e_lan_hmc.c; on-chip access: iPXE intelxl.c.
 */
#include "chip/control.h"

#include <string.h>

#define SD_VALID   1u
#define SD_DIRECT  2u
#define PD_VALID   1u
#define ADDRESS    (~UINT64_C(0xFFF))
#define SD_SHIFT   21
#define PAGE_SHIFT 12
#define FPM_UNIT   512u

/* Error types and object types; no public source names the numbers. */
enum hmc_error {
    HMC_ERR_PF = 0,
    HMC_ERR_RANGE = 3,
    HMC_ERR_SD = 4,
    HMC_ERR_PD = 5,
    HMC_ERR_DATA = 6
};

static bool fail(struct chip *chip, struct chip_pf *pf, bool is_tx, unsigned q,
                 enum hmc_error error)
{
    uint32_t *info = &pf->regs.PFHMC_ERRORINFO[0];

    if (!(*info >> 31)) {
        *info = pf->index | (uint32_t)error << 8 | (is_tx ? 0u : 1u) << 16 |
                1u << 31;
        pf->regs.PFHMC_ERRORDATA[0] = q;
    }
    intr_other(chip, pf, ICR0_HMC_ERR);
    return false;
}

/* Where byte @fpm of private memory is on the bus. */
static bool translate(struct chip *chip, struct chip_pf *pf, bool is_tx,
                      unsigned q, uint64_t fpm, uint64_t *bus)
{
    const uint64_t index = fpm >> SD_SHIFT;
    const unsigned page = (unsigned)(fpm >> PAGE_SHIFT) & 511;
    uint8_t raw[8];
    uint64_t sd, pd;

    if (index >= CHIP_SD_MAX || !(pf->sd[index] & SD_VALID)) {
        chip_complain(chip, pf, "hmc-sd-invalid", "%s queue %u needs SD %u",
                      is_tx ? "transmit" : "receive", q, (unsigned)index);
        return fail(chip, pf, is_tx, q, HMC_ERR_SD);
    }
    sd = pf->sd[index];
    if (sd & SD_DIRECT) {
        *bus = (sd & ADDRESS) + (fpm & ((1u << SD_SHIFT) - 1));
        return true;
    }
    if (!chip_dma_read(chip, pf, (sd & ADDRESS) + page * 8, raw, sizeof(raw)))
        return fail(chip, pf, is_tx, q, HMC_ERR_PD);
    pd = le64(raw);
    if (!(pd & PD_VALID)) {
        chip_complain(chip, pf, "hmc-pd-invalid",
                      "%s queue %u needs page %u of SD %u",
                      is_tx ? "transmit" : "receive", q, page, (unsigned)index);
        return fail(chip, pf, is_tx, q, HMC_ERR_PD);
    }
    *bus = (pd & ADDRESS) + (fpm & 0xFFF);
    return true;
}

bool hmc_context_read(struct chip *chip, struct chip_pf *pf, bool is_tx,
                      unsigned q, uint8_t *buf)
{
    const size_t len = is_tx ? CHIP_TXCTX_BYTES : CHIP_RXCTX_BYTES;
    const struct chip_regs *r = &chip->regs;
    const unsigned absolute = pf->first_q + q;
    uint32_t base, count;
    uint64_t bus;

    memset(buf, 0, len);
    if (q >= pf->queues)
        return false;
    if (is_tx ? chip->tx_ctx_onchip[absolute] : chip->rx_ctx_onchip[absolute]) {
        memcpy(buf, is_tx ? chip->tx_ctx[absolute] : chip->rx_ctx[absolute],
               len);
        return true;
    }
    base =
        is_tx ? r->GLHMC_LANTXBASE[pf->index] : r->GLHMC_LANRXBASE[pf->index];
    count = is_tx ? r->GLHMC_LANTXCNT[pf->index] : r->GLHMC_LANRXCNT[pf->index];
    if (count == 0) {
        chip_complain(chip, pf, "queue-no-context",
                      "%s queue %u: no HMC objects, no on-chip context",
                      is_tx ? "transmit" : "receive", q);
        return fail(chip, pf, is_tx, q, HMC_ERR_RANGE);
    }
    if (q >= count) {
        chip_complain(chip, pf, "hmc-range", "%s queue %u, object count is %u",
                      is_tx ? "transmit" : "receive", q, count);
        return fail(chip, pf, is_tx, q, HMC_ERR_RANGE);
    }
    /* Objects are powers of two from a 512-byte unit: none crosses a page. */
    if (!translate(chip, pf, is_tx, q, (uint64_t)base * FPM_UNIT + q * len,
                   &bus))
        return false;
    if (!chip_dma_read(chip, pf, bus, buf, len)) {
        chip_complain(chip, pf, "hmc-no-memory", "%s queue %u at 0x%llx",
                      is_tx ? "transmit" : "receive", q,
                      (unsigned long long)bus);
        return fail(chip, pf, is_tx, q, HMC_ERR_DATA);
    }
    return true;
}

/* ---- registers ---- */

void hmc_sdcmd(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const uint32_t low = pf->regs.PFHMC_SDDATALOW[0];
    const unsigned index = value & 0xFFF;

    pf->regs.PFHMC_SDCMD[0] = value;
    if (!(value >> 31)) { /* read the descriptor back */
        pf->regs.PFHMC_SDDATALOW[0] = (uint32_t)pf->sd[index];
        pf->regs.PFHMC_SDDATAHIGH[0] = (uint32_t)(pf->sd[index] >> 32);
        return;
    }
    if (index >= (chip->regs.GLHMC_SDPART[pf->index] >> 16 & 0x1FFF))
        chip_complain(chip, pf, "hmc-sd-range", "SD %u", index);
    pf->sd[index] = low | (uint64_t)pf->regs.PFHMC_SDDATAHIGH[0] << 32;
    if ((low & SD_VALID) && (low >> 2 & 0x3FF) > 512)
        chip_complain(chip, pf, "hmc-sd-range", "SD %u with %u pages", index,
                      low >> 2 & 0x3FF);
}

void hmc_pdinv(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const unsigned index = value & 0xFFF;

    if ((pf->sd[index] & (SD_VALID | SD_DIRECT)) == (SD_VALID | SD_DIRECT))
        chip_complain(chip, pf, "hmc-pd-invalid",
                      "PDINV names page %u of SD %u, which is direct",
                      value >> 16 & 0x1FF, index);
    pf->regs.PFHMC_PDINV[0] = 0;
}

/* The line of the on-chip copy that PFCM_LANCTXCTL names, or NULL. */
static uint8_t *pfcm_line(struct chip *chip, struct chip_pf *pf, uint32_t value,
                          bool *is_tx)
{
    const unsigned absolute = value & 0xFFF, line = value >> 12 & 7;
    const unsigned type = value >> 15 & 3;

    *is_tx = type == 1;
    if (absolute < pf->first_q || absolute >= pf->first_q + pf->queues ||
        type > 1 || (type == 0 && line * 16 >= CHIP_RXCTX_BYTES)) {
        chip_complain(chip, pf, "pfcm-range",
                      "type %u queue %u line %u, the function has %u .. %u",
                      type, absolute, line, pf->first_q,
                      pf->first_q + pf->queues - 1);
        return NULL;
    }
    return *is_tx ? &chip->tx_ctx[absolute][line * 16]
                  : &chip->rx_ctx[absolute][line * 16];
}

void hmc_pfcm(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const unsigned absolute = value & 0xFFF, op = value >> 17 & 3;
    uint32_t *stat = &pf->regs.PFCM_LANCTXSTAT[0];
    bool is_tx;
    uint8_t *line = pfcm_line(chip, pf, value, &is_tx);

    pf->regs.PFCM_LANCTXCTL[0] = value;
    if (line == NULL || op > 1) {
        *stat = 3; /* done, missed */
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        if (op == 1)
            put_le32(line + 4 * i, pf->regs.PFCM_LANCTXDATA[i]);
        else
            pf->regs.PFCM_LANCTXDATA[i] = le32(line + 4 * i);
    }
    if (op == 1)
        (is_tx ? chip->tx_ctx_onchip : chip->rx_ctx_onchip)[absolute] = true;
    *stat = 1;
}

void hmc_reset(struct chip *chip, struct chip_pf *pf)
{
    memset(pf->sd, 0, sizeof(pf->sd));
    for (unsigned q = 0; q < pf->queues; q++) {
        const unsigned a = pf->first_q + q;

        chip->tx_ctx_onchip[a] = chip->rx_ctx_onchip[a] = false;
        memset(chip->tx_ctx[a], 0, sizeof(chip->tx_ctx[a]));
        memset(chip->rx_ctx[a], 0, sizeof(chip->rx_ctx[a]));
    }
}
