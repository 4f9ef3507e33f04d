/*
 * pci.c - configuration space of one function
 *
 *   P1  a write changes only bits that are writable or write-1-to-clear
 *   P2  both capability lists end, inside the space they belong to
 *
 * Layout as in public lspci dumps of X710 and XXV710 cards; the PCI Express
 * capability must be at 0xA0, where DPDK's i40e_ethdev.c expects it. Meanings:
 * PCI Express Base Specification 3.1, chapter 7.
 */
#include "chip/control.h"

#include <string.h>

#define CAP_PM   0x40
#define CAP_MSI  0x50
#define CAP_MSIX 0x70
#define CAP_EXP  0xA0
#define ECAP_AER 0x100
#define ECAP_DSN 0x140
#define ECAP_ACS 0x1B0
#define ECAP_SEC 0x1D0

#define MSIX_CTL (CAP_MSIX + 2)
#define MSI_CTL  (CAP_MSI + 2)
#define MSI_MASK (CAP_MSI + 0x10)
#define EXP_CTL  (CAP_EXP + 8)
#define EXP_FLR  0x8000u

/* One dword: its value at reset, what can be written, what a 1 clears. */
struct cfg_row {
    uint16_t offset;
    uint32_t value, writable, w1c;
};

/* clang-format off */
static const struct cfg_row space[] = {
    { 0x004, 0x00100000, 0x00000546, 0xF9000000 }, /* command, status: caps */
    { 0x008, 0x02000002, 0, 0 },                   /* class Ethernet, rev 2 */
    { 0x00C, 0x00000010, 0x000000FF, 0 },          /* cache line */
    { 0x010, 0x0000000C, ~(CHIP_BAR0_BYTES - 1), 0 }, /* BAR0: 64, prefetch */
    { 0x014, 0x00000000, ALL1, 0 },
    { 0x01C, 0x0000000C, ~0x7FFFu, 0 },            /* BAR3: MSI-X, 32 KiB */
    { 0x020, 0x00000000, ALL1, 0 },
    { 0x02C, 0x00018086, 0, 0 },                   /* subsystem */
    { 0x034, CAP_PM, 0, 0 },
    { 0x03C, 0x00000100, 0x000000FF, 0 },          /* line, pin */
    /* power management v3, PME from D0, D3; no soft reset on D3 to D0 */
    { CAP_PM,        0xC8230001 | CAP_MSI << 8, 0, 0 },
    { CAP_PM + 4,    0x00000008, 0x00000103, 0x00008000 },
    /* MSI: one vector, 64-bit, maskable */
    { CAP_MSI,       0x01800005 | CAP_MSIX << 8, 0x00010000, 0 },
    { CAP_MSI + 4,   0, 0xFFFFFFFC, 0 },
    { CAP_MSI + 8,   0, ALL1, 0 },
    { CAP_MSI + 12,  0, 0x0000FFFF, 0 },
    { CAP_MSI + 16,  0, 0x00000001, 0 },
    { CAP_MSI + 20,  0, 0, 0 },
    /* MSI-X: 129 vectors, table BAR3 + 0, pending bits BAR3 + 0x1000 */
    { CAP_MSIX,      0x00000011 | (CHIP_VECTORS - 1) << 16 | CAP_EXP << 8,
                     0xC0000000, 0 },
    { CAP_MSIX + 4,  0x00000003, 0, 0 },
    { CAP_MSIX + 8,  0x00001003, 0, 0 },
    /* PCI Express v2 endpoint: 2 KiB payload, extended tags, FLR */
    { CAP_EXP,       0x00020010, 0, 0 },
    { CAP_EXP + 4,   0x10008CE4, 0, 0 },
    { CAP_EXP + 8,   0x00002810, 0x00007FFF, 0x000F0000 },
    { CAP_EXP + 12,  0x00436083, 0, 0 },           /* 8 GT/s x8 */
    { CAP_EXP + 16,  0x10830000, 0x000001FB, 0 },  /* running at that */
    { CAP_EXP + 36,  0x0000001F, 0, 0 },
    { CAP_EXP + 40,  0x00000000, 0x0000001F, 0 },
    { CAP_EXP + 44,  0x0000000E, 0, 0 },
    { CAP_EXP + 48,  0x00000003, 0x0000000F, 0 },
    /* advanced error reporting v2 */
    { ECAP_AER,      0x00020001 | ECAP_DSN << 20, 0, 0 },
    { ECAP_AER + 4,  0, 0, 0x001FF010 },
    { ECAP_AER + 8,  0, 0x001FF010, 0 },
    { ECAP_AER + 12, 0x00062010, 0x001FF010, 0 },
    { ECAP_AER + 16, 0, 0, 0x000031C1 },
    { ECAP_AER + 20, 0x00002000, 0x000031C1, 0 },
    { ECAP_AER + 24, 0x000000A0, 0x00000140, 0 },
    { ECAP_DSN,      0x00010003 | ECAP_ACS << 20, 0, 0 },
    { ECAP_ACS,      0x0001000D | ECAP_SEC << 20, 0, 0 },
    { ECAP_ACS + 4,  0, 0, 0 },
    { ECAP_SEC,      0x00010019, 0, 0 },
};
/* clang-format on */

/* Serial number: the MAC with FF-FF in the middle, as Intel cards show it. */
static void fill_identity(struct chip *chip, struct chip_pf *pf)
{
    const uint8_t *m = chip->config.mac[0];
    uint8_t *dsn = &pf->cfg[ECAP_DSN + 4];
    const uint8_t id[8] = { m[5], m[4], m[3], 0xFF, 0xFF, m[2], m[1], m[0] };

    put_le16(&pf->cfg[0], 0x8086);
    put_le16(&pf->cfg[2], chip->config.device_id);
    if (chip->ports > 1)
        pf->cfg[0x0E] = 0x80;
    pf->cfg[0x3D] = (uint8_t)(1 + (pf->index & 3));
    memcpy(dsn, id, sizeof(id));
}

void pci_reset(struct chip *chip, struct chip_pf *pf)
{
    memset(pf->cfg, 0, sizeof(pf->cfg));
    memset(pf->cfg_writable, 0, sizeof(pf->cfg_writable));
    memset(pf->cfg_w1c, 0, sizeof(pf->cfg_w1c));
    for (size_t i = 0; i < sizeof(space) / sizeof(space[0]); i++) {
        const struct cfg_row *row = &space[i];

        put_le32(&pf->cfg[row->offset], row->value);
        put_le32(&pf->cfg_writable[row->offset], row->writable);
        put_le32(&pf->cfg_w1c[row->offset], row->w1c);
    }
    fill_identity(chip, pf);
}

bool pci_is_master(const struct chip_pf *pf)
{
    return (le16(&pf->cfg[PCI_COMMAND]) & PCI_CMD_MASTER) != 0;
}

bool pci_msix_enabled(const struct chip_pf *pf)
{
    return (le16(&pf->cfg[MSIX_CTL]) & 0x8000u) != 0;
}

bool pci_msix_masked(const struct chip_pf *pf)
{
    return (le16(&pf->cfg[MSIX_CTL]) & 0x4000u) != 0;
}

bool pci_msi_enabled(const struct chip_pf *pf)
{
    return (le16(&pf->cfg[MSI_CTL]) & 1) != 0;
}

bool pci_msi_masked(const struct chip_pf *pf)
{
    return (pf->cfg[MSI_MASK] & 1) != 0;
}

static bool access_is_sane(const struct chip *chip, unsigned pf,
                           unsigned offset, unsigned bytes)
{
    return pf < chip->ports && (bytes == 1 || bytes == 2 || bytes == 4) &&
           offset < CHIP_CFG_BYTES && bytes <= CHIP_CFG_BYTES - offset;
}

uint32_t chip_cfg_read(struct chip *chip, unsigned pf_index, unsigned offset,
                       unsigned bytes)
{
    uint32_t v = 0;

    if (!access_is_sane(chip, pf_index, offset, bytes))
        return ALL1;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint32_t)chip->pf[pf_index].cfg[offset + i] << (8 * i);
    return v;
}

void chip_cfg_write(struct chip *chip, unsigned pf_index, unsigned offset,
                    unsigned bytes, uint32_t value)
{
    if (!access_is_sane(chip, pf_index, offset, bytes))
        return;

    struct chip_pf *pf = &chip->pf[pf_index];

    for (unsigned i = 0; i < bytes; i++) {
        const unsigned at = offset + i;
        const uint8_t v = (uint8_t)(value >> (8 * i));
        const uint8_t w = pf->cfg_writable[at];

        pf->cfg[at] = (uint8_t)((pf->cfg[at] & ~w) | (v & w));
        pf->cfg[at] &= (uint8_t) ~(v & pf->cfg_w1c[at]);
        if (at == EXP_CTL + 1 && (v & EXP_FLR >> 8)) {
            reset_function(chip, pf, CHIP_RESET_FLR);
            return;
        }
    }
    intr_route_changed(chip, pf);
}
