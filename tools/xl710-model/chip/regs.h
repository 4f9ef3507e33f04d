/*
 * regs.h - the register table of the model
 *
 * Every register a driver is known to touch, in order of address. The model
 * shares this table with nobody: a test compares it with the driver's.
 *
 *   G1  rows are in order of offset and do not overlap
 *   G2  count * stride stays inside BAR0; every offset is a multiple of 4
 *   G3  a reset gives a register its reset value when it is at least as strong
 *       as the row's domain (reset.c adds what depends on the configuration)
 *
 * Names, offsets, counts, domains: Linux drivers/net/ethernet/intel/i40e/
 * i40e_register.h and DPDK drivers/net/intel/i40e/base/i40e_register.h.
 * Access kinds and most reset values are in no public source: they are what
 * the public drivers need to see.
 *
 * scope   GL one per chip; PF one per function (port scope is the same: C1)
 * access  RW  stored through the mask
 *         RO  writes change nothing
 *         W1C a 1 clears the bit
 *         WO  reads as 0, stored nowhere
 *         ACT a hook in regs.c does the work
 * mask    bits that exist; others read 0 and the examiner names who sets them
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ALL1 0xFFFFFFFFu

/* clang-format off */
/*    register              offset    step cnt   scope acc dom    reset mask  */
#define CHIP_REGISTERS(R)                                                      \
    R(VFINT_ITRN,           0x020000, 4,   1536, GL, RW,  PFR,    0, 0xFFF)    \
    R(VFINT_DYN_CTLN,       0x024800, 4,   512,  GL, RW,  PFR,    0, ALL1)     \
    R(VPINT_LNKLSTN,        0x025000, 4,   512,  GL, RW,  PFR,    0, 0x1FFF)   \
    R(VPINT_CEQCTL,         0x026800, 4,   512,  GL, RW,  CORER,  0, ALL1)     \
    R(VFINT_ITR0,           0x028000, 4,   768,  GL, RW,  PFR,    0, 0xFFF)    \
    R(VFINT_STAT_CTL0,      0x02A000, 4,   128,  GL, RW,  CORER,  0, 0xC)      \
    R(VFINT_DYN_CTL0,       0x02A400, 4,   128,  GL, RW,  PFR,    0, ALL1)     \
    R(VPINT_LNKLST0,        0x02A800, 4,   128,  GL, RW,  PFR,    0, 0x1FFF)   \
    R(VPINT_AEQCTL,         0x02B800, 4,   128,  GL, RW,  CORER,  0, ALL1)     \
    R(VFINT_ICR0,           0x02BC00, 4,   128,  GL, RW,  CORER,  0, ALL1)     \
    R(VFINT_ICR0_ENA,       0x02C000, 4,   128,  GL, RW,  CORER,  0, ALL1)     \
    R(PFINT_ITRN,           0x030000, 4,   1536, PF, RW,  PFR,    0, 0xFFF)    \
    R(PFINT_DYN_CTLN,       0x034800, 4,   512,  PF, ACT, PFR,    0, 0xC701FFFF) \
    R(PFINT_LNKLSTN,        0x035000, 4,   512,  PF, RW,  PFR,    0, 0x1FFF)   \
    R(PFINT_RATEN,          0x035800, 4,   512,  PF, RW,  PFR,    0, 0x7F)     \
    R(PFINT_CEQCTL,         0x036800, 4,   512,  PF, RW,  CORER,  0, ALL1)     \
    R(PFINT_ITR0,           0x038000, 128, 3,    PF, RW,  PFR,    0, 0xFFF)    \
    R(PFINT_STAT_CTL0,      0x038400, 4,   1,    PF, RW,  CORER,  0, 0xC)      \
    R(PFINT_DYN_CTL0,       0x038480, 4,   1,    PF, ACT, PFR,    0, 0xC701FFFF) \
    R(PFINT_LNKLST0,        0x038500, 4,   1,    PF, RW,  PFR,    0, 0x1FFF)   \
    R(PFINT_RATE0,          0x038580, 4,   1,    PF, RW,  PFR,    0, 0x7F)     \
    R(PFINT_AEQCTL,         0x038700, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(PFINT_ICR0,           0x038780, 4,   1,    PF, ACT, CORER,  0, ALL1)     \
    R(PFINT_ICR0_ENA,       0x038800, 4,   1,    PF, ACT, CORER,  0, 0xFFFF0000) \
    R(QINT_RQCTL,           0x03A000, 4,   1536, PF, RW,  CORER,  0, ALL1)     \
    R(QINT_TQCTL,           0x03C000, 4,   1536, PF, RW,  CORER,  0, ALL1)     \
    R(PFGEN_PORTMDIO_NUM,   0x03F100, 4,   1,    PF, RW,  CORER,  0, 0x13)     \
    R(GLINT_CTL,            0x03F800, 4,   1,    GL, RW,  CORER,  0, 0x7)      \
    R(VSI_L2TAGSTXVALID,    0x042800, 4,   384,  GL, RW,  PFR,    0, ALL1)     \
    R(GLLAN_TSOMSK_F,       0x0442D8, 4,   1,    GL, RW,  CORER,  0x009, 0xFFF) \
    R(GLLAN_TSOMSK_M,       0x0442DC, 4,   1,    GL, RW,  CORER,  0x009, 0xFFF) \
    R(GLLAN_TSOMSK_L,       0x0442E0, 4,   1,    GL, RW,  CORER,  0x000, 0xFFF) \
    R(VSI_TSR,              0x050800, 4,   384,  GL, RW,  PFR,    0, ALL1)     \
    R(PFPM_WUC,             0x06B200, 4,   16,   GL, RW,  POR,    0, ALL1)     \
    R(PFPM_WUFC,            0x06B400, 4,   16,   GL, RW,  POR,    0, ALL1)     \
    R(PFPM_WUS,             0x06B600, 4,   16,   GL, W1C, POR,    0, ALL1)     \
    R(PF_ATQBAL,            0x080000, 4,   1,    PF, ACT, EMPR,   0, ALL1)     \
    R(PF_ARQBAL,            0x080080, 4,   1,    PF, ACT, EMPR,   0, ALL1)     \
    R(PF_ATQBAH,            0x080100, 4,   1,    PF, ACT, EMPR,   0, ALL1)     \
    R(PF_ARQBAH,            0x080180, 4,   1,    PF, ACT, EMPR,   0, ALL1)     \
    R(PF_ATQLEN,            0x080200, 4,   1,    PF, ACT, EMPR,   0, 0xF00003FF) \
    R(PF_ARQLEN,            0x080280, 4,   1,    PF, ACT, EMPR,   0, 0xF00003FF) \
    R(PF_ATQH,              0x080300, 4,   1,    PF, ACT, EMPR,   0, 0x3FF)    \
    R(PF_ARQH,              0x080380, 4,   1,    PF, ACT, EMPR,   0, 0x3FF)    \
    R(PF_ATQT,              0x080400, 4,   1,    PF, ACT, EMPR,   0, 0x3FF)    \
    R(PF_ARQT,              0x080480, 4,   1,    PF, ACT, EMPR,   0, 0x3FF)    \
    R(VF_ATQBAL,            0x080800, 4,   128,  GL, RW,  EMPR,   0, ALL1)     \
    R(VF_ARQBAL,            0x080C00, 4,   128,  GL, RW,  EMPR,   0, ALL1)     \
    R(VF_ATQBAH,            0x081000, 4,   128,  GL, RW,  EMPR,   0, ALL1)     \
    R(VF_ARQBAH,            0x081400, 4,   128,  GL, RW,  EMPR,   0, ALL1)     \
    R(VF_ATQLEN,            0x081800, 4,   128,  GL, RW,  EMPR,   0, 0xF00003FF) \
    R(VF_ARQLEN,            0x081C00, 4,   128,  GL, RW,  EMPR,   0, 0xF00003FF) \
    R(VF_ATQH,              0x082000, 4,   128,  GL, RW,  EMPR,   0, 0x3FF)    \
    R(VF_ARQH,              0x082400, 4,   128,  GL, RW,  EMPR,   0, 0x3FF)    \
    R(VF_ATQT,              0x082800, 4,   128,  GL, RW,  EMPR,   0, 0x3FF)    \
    R(VF_ARQT,              0x082C00, 4,   128,  GL, RW,  EMPR,   0, 0x3FF)    \
    R(PRTDCB_GENC,          0x083000, 4,   1,    PF, RW,  CORER,  0x4, ALL1)   \
    R(PRTDCB_GENS,          0x083020, 4,   1,    PF, RO,  CORER,  0, 0x7)      \
    R(GL_FWSTS,             0x083048, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GL_FWRESETCNT,        0x083100, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(PRTTSYN_CTL1,         0x085020, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(PRTTSYN_RXTIME_H,     0x085040, 32,  4,    PF, RO,  CORER,  0, ALL1)     \
    R(PRTTSYN_RXTIME_L,     0x0850C0, 32,  4,    PF, RO,  CORER,  0, ALL1)     \
    R(PRTTSYN_STAT_1,       0x085140, 4,   1,    PF, RO,  CORER,  0, ALL1)     \
    R(PFGEN_STATE,          0x088000, 4,   1,    PF, RO,  CORER,  0, 0xF)      \
    R(PFINT_GPIO_ENA,       0x088080, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(GLGEN_GPIO_CTL,       0x088100, 4,   30,   GL, RW,  POR,    0, ALL1)     \
    R(GLGEN_GPIO_STAT,      0x08817C, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLGEN_GPIO_SET,       0x088184, 4,   1,    GL, RW,  POR,    0, ALL1)     \
    R(GLGEN_MSCA,           0x08818C, 4,   4,    GL, ACT, POR,    0, ALL1)     \
    R(GLGEN_MSRWD,          0x08819C, 4,   4,    GL, RW,  POR,    0, ALL1)     \
    R(GLGEN_I2CPARAMS,      0x0881AC, 4,   4,    GL, RW,  POR,    0, ALL1)     \
    R(GLVFGEN_TIMER,        0x0881BC, 4,   1,    GL, RO,  CORER,  0, ALL1)     \
    R(GLGEN_MDIO_I2C_SEL,   0x0881C0, 4,   4,    GL, RW,  POR,    0, ALL1)     \
    R(GLGEN_I2CCMD,         0x0881E0, 4,   4,    GL, RW,  POR,    0, ALL1)     \
    R(PFGEN_CTRL,           0x092400, 4,   1,    PF, ACT, PFR,    0, 0x1)      \
    R(PFGEN_DRUN,           0x092500, 4,   1,    PF, RW,  CORER,  0, 0x1)      \
    R(PF_FUNC_RID,          0x09C000, 4,   1,    PF, RO,  POR,    0, 0xFFFF)   \
    R(PF_PCI_CIAA,          0x09C080, 4,   1,    PF, RW,  FLR,    0, 0x7FFFF)  \
    R(PF_PCI_CIAD,          0x09C100, 4,   1,    PF, RW,  FLR,    0, ALL1)     \
    R(PRTDCB_TDPMC,         0x0A0180, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(GLRPB_GHW,            0x0AC830, 4,   1,    GL, RW,  CORER,  0xF2000, 0xFFFFF) \
    R(GLRPB_GLW,            0x0AC834, 4,   1,    GL, RW,  CORER,  0xF2000, 0xFFFFF) \
    R(GLRPB_PHW,            0x0AC844, 4,   1,    GL, RW,  CORER,  0x1246, 0xFFFFF) \
    R(GLRPB_PLW,            0x0AC848, 4,   1,    GL, RW,  CORER,  0x0846, 0xFFFFF) \
    R(GLNVM_ULD,            0x0B6008, 4,   1,    GL, RO,  POR,    0x3FF, 0x3FF) \
    R(GLNVM_PROTCSR,        0x0B6010, 4,   60,   GL, RO,  POR,    0, ALL1)     \
    R(GLNVM_GENS,           0x0B6100, 4,   1,    GL, RO,  POR,    0x1, ALL1)   \
    R(GLNVM_FLASHID,        0x0B6104, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLNVM_FLA,            0x0B6108, 4,   1,    GL, RO,  POR,    0x40, ALL1)  \
    R(GLNVM_SRCTL,          0x0B6110, 4,   1,    GL, ACT, POR,    0x80000000, ALL1) \
    R(GLNVM_SRDATA,         0x0B6114, 4,   1,    GL, ACT, POR,    0, ALL1)     \
    R(GLGEN_STAT,           0x0B612C, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GL_MNG_FWSM,          0x0B6134, 4,   1,    GL, RO,  POR,    0x8000, ALL1) \
    R(GLNVM_ALTIMERS,       0x0B6140, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLNVM_ULT,            0x0B6154, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLNVM_AL_REQ,         0x0B6164, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(PFPM_APM,             0x0B8080, 4,   16,   GL, RW,  POR,    0, 0x1)      \
    R(PRTGEN_STATUS,        0x0B8100, 4,   1,    PF, RO,  POR,    0x3, 0x3)    \
    R(PRTGEN_CNF,           0x0B8120, 4,   4,    GL, RO,  POR,    0, 0x7)      \
    R(PRTPM_GC,             0x0B8140, 4,   1,    PF, RO,  POR,    0, ALL1)     \
    R(PRTGEN_CNF2,          0x0B8160, 4,   1,    PF, RO,  POR,    0x1, 0x1)    \
    R(GLGEN_RSTCTL,         0x0B8180, 4,   1,    GL, RO,  POR,    0xA, 0x13F)  \
    R(GLGEN_RSTAT,          0x0B8188, 4,   1,    GL, RO,  POR,    0, 0xFFFF)   \
    R(GLGEN_RTRIG,          0x0B8190, 4,   1,    GL, ACT, CORER,  0, 0x7)      \
    R(PFPCI_CNF,            0x0BE000, 4,   1,    PF, RO,  POR,    0x4, 0x7C)   \
    R(PFPCI_SUBSYSID,       0x0BE100, 4,   1,    PF, RO,  POR,    0, ALL1)     \
    R(GLPCI_LBARCTRL,       0x0BE484, 4,   1,    GL, RO,  POR,    0x1, ALL1)   \
    R(GLPCI_SUBVENID,       0x0BE48C, 4,   1,    GL, RO,  POR,    0x8086, 0xFFFF) \
    R(GLPCI_CNF2,           0x0BE494, 4,   1,    GL, RO,  POR,    0xA204, 0xFFFFFF) \
    R(GLPCI_SERL,           0x0BE498, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLPCI_SERH,           0x0BE49C, 4,   1,    GL, RO,  POR,    0, 0xFFFF)   \
    R(GLPCI_CAPSUP,         0x0BE4A8, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(GLPCI_LINKCAP,        0x0BE4AC, 4,   1,    GL, RO,  POR,    0x1107, ALL1) \
    R(PFHMC_SDCMD,          0x0C0000, 4,   1,    PF, ACT, PFR,    0, 0x80008FFF) \
    R(PFHMC_SDDATALOW,      0x0C0100, 4,   1,    PF, RW,  PFR,    0, ALL1)     \
    R(PFHMC_SDDATAHIGH,     0x0C0200, 4,   1,    PF, RW,  PFR,    0, ALL1)     \
    R(PFHMC_PDINV,          0x0C0300, 4,   1,    PF, ACT, PFR,    0, 0x1FF8FFF) \
    R(PFHMC_ERRORINFO,      0x0C0400, 4,   1,    PF, W1C, PFR,    0, 0x801F0F9F) \
    R(PFHMC_ERRORDATA,      0x0C0500, 4,   1,    PF, RO,  PFR,    0, 0x3FFFFFFF) \
    R(GLHMC_SDPART,         0x0C0800, 4,   16,   GL, RO,  CORER,  0, ALL1)     \
    R(GLHMC_PFASSIGN,       0x0C0C00, 4,   16,   GL, RO,  CORER,  0, 0xF)      \
    R(GLHMC_LANTXOBJSZ,     0x0C2004, 4,   1,    GL, RO,  CORER,  7, 0xF)      \
    R(GLHMC_LANQMAX,        0x0C2008, 4,   1,    GL, RO,  CORER,  1536, 0x7FF) \
    R(GLHMC_LANRXOBJSZ,     0x0C200C, 4,   1,    GL, RO,  CORER,  5, 0xF)      \
    R(GLHMC_FCOEDDPOBJSZ,   0x0C2010, 4,   1,    GL, RO,  CORER,  6, 0xF)      \
    R(GLHMC_FCOEMAX,        0x0C2014, 4,   1,    GL, RO,  CORER,  0, 0x1FFF)   \
    R(GLHMC_FCOEFOBJSZ,     0x0C2018, 4,   1,    GL, RO,  CORER,  6, 0xF)      \
    R(GLHMC_FCOEFMAX,       0x0C20D0, 4,   1,    GL, RO,  CORER,  0x2000, 0xFFFF) \
    R(GLHMC_LANTXBASE,      0x0C6200, 4,   16,   GL, RW,  CORER,  0, 0xFFFFFF) \
    R(GLHMC_LANTXCNT,       0x0C6300, 4,   16,   GL, RW,  CORER,  0, 0x7FF)    \
    R(GLHMC_LANRXBASE,      0x0C6400, 4,   16,   GL, RW,  CORER,  0, 0xFFFFFF) \
    R(GLHMC_LANRXCNT,       0x0C6500, 4,   16,   GL, RW,  CORER,  0, 0x7FF)    \
    R(GLHMC_FCOEDDPBASE,    0x0C6600, 4,   16,   GL, RW,  CORER,  0, 0xFFFFFF) \
    R(GLHMC_FCOEDDPCNT,     0x0C6700, 4,   16,   GL, RW,  CORER,  0, 0xFFFFF)  \
    R(GLHMC_FCOEFBASE,      0x0C6800, 4,   16,   GL, RW,  CORER,  0, 0xFFFFFF) \
    R(GLHMC_FCOEFCNT,       0x0C6900, 4,   16,   GL, RW,  CORER,  0, 0x7FFFFF) \
    R(QTX_HEAD,             0x0E4000, 4,   1536, PF, RW,  CORER,  0, 0x11FFF)  \
    R(VP_MDET_TX,           0x0E6000, 4,   128,  GL, W1C, CORER,  0, 0x1)      \
    R(PF_MDET_TX,           0x0E6400, 4,   1,    PF, W1C, CORER,  0, 0x1)      \
    R(GL_MDET_TX,           0x0E6480, 4,   1,    GL, W1C, CORER,  0, 0xBFFFFFFF) \
    R(REG_MSS,              0x0E64DC, 4,   1,    GL, RW,  CORER,  0x00400000, ALL1) \
    R(GLLAN_TXPRE_QDIS,     0x0E6500, 4,   12,   GL, ACT, CORER,  0, 0xC00107FF) \
    R(QTX_ENA,              0x100000, 4,   1536, PF, ACT, PFR,    0, 0x7)      \
    R(QTX_CTL,              0x104000, 4,   1536, PF, RW,  CORER,  0, 0xFFBF)   \
    R(QTX_TAIL,             0x108000, 4,   1536, PF, ACT, PFR,    0, 0x1FFF)   \
    R(PFCM_LAN_ERRINFO,     0x10C000, 4,   1,    PF, RO,  PFR,    0, ALL1)     \
    R(PFCM_LAN_ERRDATA,     0x10C080, 4,   1,    PF, RO,  PFR,    0, ALL1)     \
    R(PFCM_LANCTXDATA,      0x10C100, 128, 4,    PF, RW,  CORER,  0, ALL1)     \
    R(PFCM_LANCTXCTL,       0x10C300, 4,   1,    PF, ACT, CORER,  0, 0x7FFFF)  \
    R(PFCM_LANCTXSTAT,      0x10C380, 4,   1,    PF, RO,  CORER,  0, 0x3)      \
    R(QRX_ENA,              0x120000, 4,   1536, PF, ACT, PFR,    0, 0x7)      \
    R(PRTDCB_RETSTCC,       0x122180, 32,  8,    PF, RW,  CORER,  0, ALL1)     \
    R(PRTDCB_RETSC,         0x1223E0, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(QRX_TAIL,             0x128000, 4,   1536, PF, ACT, CORER,  0, 0x1FFF)   \
    R(VP_MDET_RX,           0x12A000, 4,   128,  GL, W1C, CORER,  0, 0x1)      \
    R(PF_MDET_RX,           0x12A400, 4,   1,    PF, W1C, CORER,  0, 0x1)      \
    R(GLLAN_RCTL_0,         0x12A500, 4,   1,    GL, W1C, CORER,  0x1, 0x1)    \
    R(GL_MDET_RX,           0x12A510, 4,   1,    GL, W1C, CORER,  0, ALL1)     \
    R(PFLAN_QALLOC,         0x1C0400, 4,   1,    PF, RO,  CORER,  0, ALL1)     \
    R(PFGEN_PORTNUM,        0x1C0480, 4,   1,    PF, RO,  CORER,  0, 0x3)      \
    R(PF_VT_PFALLOC,        0x1C0500, 4,   1,    PF, RO,  CORER,  0, ALL1)     \
    R(PRTDCB_TC2PFC,        0x1C0980, 4,   1,    PF, RW,  CORER,  0, 0xFF)     \
    R(PRTDCB_RUP2TC,        0x1C09A0, 4,   1,    PF, RW,  CORER,  0, 0xFFFFFF) \
    R(GL_SWT_L2TAGCTRL,     0x1C0A70, 4,   8,    GL, RW,  CORER,  0, ALL1)     \
    R(GLGEN_PCIFCNCNT,      0x1C0AB4, 4,   1,    GL, RO,  POR,    0, ALL1)     \
    R(PFQF_CTL_0,           0x1C0AC0, 4,   1,    PF, RW,  CORER,  0, 0x03FFFFFF) \
    R(PRTDCB_RUP,           0x1C0B00, 4,   1,    PF, RW,  CORER,  0, ALL1)     \
    R(PRT_L2TAGSEN,         0x1C0B20, 4,   1,    PF, RW,  CORER,  0, 0xFF)     \
    R(PRTGL_SAL,            0x1E2120, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTGL_SAH,            0x1E2140, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTDCB_MFLCN,         0x1E2400, 4,   1,    PF, RW,  GLOBR,  0, 0xFFF)    \
    R(PRTMAC_LINKSTA,       0x1E2420, 4,   1,    PF, RO,  POR,    0, ALL1)     \
    R(PRTMAC_LINK_DOWN_COUNTER, 0x1E2440, 4, 1,  PF, RO,  GLOBR,  0, 0xFFFF)   \
    R(PRTMAC_MACC,          0x1E24E0, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTMAC_HSEC_CTL_RX_PAUSE_ENABLE,     0x1E30C0, 4, 1, PF, RW, GLOBR, 0, 0x1FF) \
    R(PRTMAC_HSEC_CTL_TX_PAUSE_ENABLE,     0x1E30D0, 4, 1, PF, RW, GLOBR, 0, 0x1FF) \
    R(PRTMAC_HSEC_CTL_RX_ENABLE_GCP,       0x1E30E0, 4, 1, PF, RW, GLOBR, 0, 0x1) \
    R(PRTMAC_HSEC_CTL_RX_PAUSE_DA_PART1,   0x1E3110, 4, 1, PF, RW, GLOBR, 0, ALL1) \
    R(PRTMAC_HSEC_CTL_RX_PAUSE_DA_PART2,   0x1E3120, 4, 1, PF, RW, GLOBR, 0, 0xFFFF) \
    R(PRTMAC_HSEC_CTL_RX_PAUSE_SA_PART1,   0x1E3140, 4, 1, PF, RW, GLOBR, 0, ALL1) \
    R(PRTMAC_HSEC_CTL_RX_PAUSE_SA_PART2,   0x1E3150, 4, 1, PF, RW, GLOBR, 0, 0xFFFF) \
    R(PRTMAC_HSEC_CTL_RX_ENABLE_GPP,       0x1E3260, 4, 1, PF, RW, GLOBR, 0, 0x1) \
    R(PRTMAC_HSEC_CTL_RX_ENABLE_PPP,       0x1E32E0, 4, 1, PF, RW, GLOBR, 0, 0x1) \
    R(PRTMAC_HSEC_CTL_RX_FORWARD_CONTROL,  0x1E3360, 4, 1, PF, RW, GLOBR, 0, 0x1) \
    R(PRTMAC_HSEC_CTL_TX_PAUSE_QUANTA,     0x1E3370, 16, 9, PF, RW, GLOBR, 0, 0xFFFF) \
    R(PRTMAC_HSEC_CTL_TX_PAUSE_REFRESH,    0x1E3400, 16, 9, PF, RW, GLOBR, 0, 0xFFFF) \
    R(PRTTSYN_INC_L,        0x1E4040, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_INC_H,        0x1E4060, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_TIME_L,       0x1E4100, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_TIME_H,       0x1E4120, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_TXTIME_L,     0x1E41C0, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_TXTIME_H,     0x1E41E0, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTTSYN_CTL0,         0x1E4200, 4,   1,    PF, RW,  GLOBR,  0xF00, ALL1) \
    R(PRTTSYN_STAT_0,       0x1E4220, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTPM_EEE_STAT,       0x1E4320, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTPM_EEER,           0x1E4360, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTPM_EEEC,           0x1E4380, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTPM_RLPIC,          0x1E43A0, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTPM_TLPIC,          0x1E43C0, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTPM_EEETXC,         0x1E43E0, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTPM_EEEFWD,         0x1E4400, 4,   1,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTPM_SAL,            0x1E4440, 32,  4,    PF, RW,  PFR,    0, ALL1)     \
    R(PRTPM_SAH,            0x1E44C0, 32,  4,    PF, RW,  PFR,    0, ALL1)     \
    R(PRTDCB_TFCS,          0x1E4560, 4,   1,    PF, RO,  GLOBR,  0, ALL1)     \
    R(PRTDCB_FCTTVN,        0x1E4580, 32,  4,    PF, RW,  GLOBR,  0, ALL1)     \
    R(PRTDCB_FCRTV,         0x1E4600, 4,   1,    PF, RW,  GLOBR,  0, 0xFFFF)   \
    R(PRTDCB_FCCFG,         0x1E4640, 4,   1,    PF, RW,  GLOBR,  0, 0x18)     \
    R(VSILAN_QTABLE,        0x200000, 4,   4096, GL, RO,  PFR,    0, ALL1)     \
    R(VSIQF_TCREGION,       0x206000, 4,   2048, GL, RO,  PFR,    0, ALL1)     \
    R(VSI_SRCPRUNE,         0x208800, 4,   384,  GL, RO,  PFR,    1, 0x1)      \
    R(VSILAN_QBASE,         0x20C800, 4,   384,  GL, RO,  PFR,    0, 0xFFF)    \
    R(VSIQF_CTL,            0x20D800, 4,   384,  GL, RO,  PFR,    0, ALL1)     \
    R(VFQF_HLUT1,           0x220000, 4,   4096, GL, RW,  CORER,  0, ALL1)     \
    R(VFQF_HKEY1,           0x228000, 4,   3328, GL, RW,  CORER,  0, ALL1)     \
    R(VFQF_HENA1,           0x230800, 4,   512,  GL, RW,  CORER,  0, ALL1)     \
    R(PFQF_HLUT,            0x240000, 128, 128,  PF, RW,  CORER,  0, 0x3F3F3F3F) \
    R(PFQF_HKEY,            0x244800, 128, 13,   PF, RW,  CORER,  0, ALL1)     \
    R(PFQF_HREGION,         0x245400, 128, 8,    PF, RW,  CORER,  0, ALL1)     \
    R(PFQF_HENA,            0x245900, 128, 2,    PF, RW,  CORER,  0, ALL1)     \
    R(PFQF_CTL_1,           0x245D80, 4,   1,    PF, ACT, CORER,  0, 0x1)      \
    R(PFQF_FDALLOC,         0x246280, 4,   1,    PF, RO,  CORER,  0, 0xFFFF)   \
    R(PFQF_FDSTAT,          0x246380, 4,   1,    PF, RO,  CORER,  0, ALL1)     \
    R(PRTQF_FD_INSET,       0x250000, 32,  128,  PF, RW,  CORER,  0, ALL1)     \
    R(PRTQF_FD_MSK,         0x252000, 32,  128,  PF, RW,  CORER,  0, ALL1)     \
    R(PRTQF_FD_FLXINSET,    0x253800, 32,  64,   PF, RW,  CORER,  0, 0xFF)     \
    R(PRTQF_FLX_PIT,        0x255200, 32,  9,    PF, RW,  CORER,  0, 0xFFFF)   \
    R(PRTQF_CTL_0,          0x256E60, 4,   1,    PF, RW,  CORER,  0, 0x1)      \
    R(GLQF_PCNT,            0x266800, 4,   512,  GL, ACT, CORER,  0, ALL1)     \
    R(GLQF_FD_MSK,          0x267200, 4,   128,  GL, RW,  CORER,  0, 0x3FFFFF) \
    R(GLQF_HASH_INSET,      0x267600, 4,   128,  GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_HASH_MSK,        0x267A00, 4,   128,  GL, RW,  CORER,  0, 0x3FFFFF) \
    R(GLQF_SWAP,            0x267E00, 4,   128,  GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_ORT,             0x268900, 4,   64,   GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_PIT,             0x268C80, 4,   24,   GL, RW,  CORER,  0, ALL1)     \
    R(GLPRS_FVBM,           0x269760, 4,   4,    GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_CTL,             0x269BA4, 4,   1,    GL, RW,  CORER,  0x2, ALL1)   \
    R(GLQF_FDCNT_0,         0x269BAC, 4,   1,    GL, RO,  CORER,  0, ALL1)     \
    R(GLQF_HSYM,            0x269D00, 4,   64,   GL, RW,  CORER,  0, 0x1)      \
    R(GL_PRE_FLU_MSK_PH1_L, 0x269EE0, 4,   7,    GL, RW,  CORER,  0, ALL1)     \
    R(GL_PRE_FLU_MSK_PH1_H, 0x269F20, 4,   7,    GL, RW,  CORER,  0, ALL1)     \
    R(GL_SWR_PM_UP_THR,     0x269FBC, 4,   1,    GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_L3_MAP,          0x26C700, 4,   64,   GL, RW,  CORER,  0, ALL1)     \
    R(PRT_SWR_PM_THR,       0x26CD00, 4,   1,    PF, RW,  CORER,  0, 0xFF)     \
    R(GL_SWR_PRI_JOIN_MAP,  0x26CE00, 4,   3,    GL, RW,  CORER,  0, ALL1)     \
    R(GLQF_HKEY,            0x270140, 4,   13,   GL, RW,  CORER,  0, ALL1)     \
    R(GLGEN_STAT_CLEAR,     0x390004, 4,   1,    GL, WO,  CORER,  0, ALL1)
/* clang-format on */

/* Storage: one of these a function, one for the chip; scope says which. */
struct chip_regs {
#define R(name, offset, step, count, scope, access, domain, reset, mask)       \
    uint32_t name[count];
    CHIP_REGISTERS(R)
#undef R
};

enum chip_reg {
#define R(name, offset, step, count, scope, access, domain, reset, mask)       \
    REG_##name,
    CHIP_REGISTERS(R)
#undef R
        CHIP_REG_COUNT
};

enum chip_reg_scope { CHIP_SCOPE_GL, CHIP_SCOPE_PF };
enum chip_reg_access {
    CHIP_ACC_RW,
    CHIP_ACC_RO,
    CHIP_ACC_W1C,
    CHIP_ACC_WO,
    CHIP_ACC_ACT
};

struct chip_reg_row {
    const char *name;
    uint32_t offset, step, count;
    enum chip_reg_scope scope;
    enum chip_reg_access access;
    int domain; /* enum chip_reset */
    uint32_t reset, mask;
    uint32_t store; /* offset in struct chip_regs */
};

extern const struct chip_reg_row chip_reg_table[CHIP_REG_COUNT];

/* The row and the index in it behind a BAR0 offset; NULL: nothing there. */
const struct chip_reg_row *chip_reg_find(uint32_t offset, uint32_t *index);
