/*
 * control.h - what the files of the control half share among themselves
 */
#pragma once

#include "chip/chip_impl.h"

#define CHIP_US_NS UINT64_C(1000)
#define CHIP_MS_NS UINT64_C(1000000)

/* ---- regs.c ---- */

/* One aligned dword, as a function sees it through BAR0. */
uint32_t regs_read(struct chip *chip, struct chip_pf *pf, uint32_t offset);
void regs_write(struct chip *chip, struct chip_pf *pf, uint32_t offset,
                uint32_t value);
/* Give the rows of @scope whose domain @reset reaches their reset values. */
void regs_reset(struct chip_regs *regs, enum chip_reg_scope scope,
                enum chip_reset reset);
/* What depends on the configuration, after regs_reset. */
void regs_fill_chip(struct chip *chip, enum chip_reset reset);
void regs_fill_pf(struct chip *chip, struct chip_pf *pf);

/* ---- queue registers (qregs.c) ---- */

void qregs_tx_ena(struct chip *chip, struct chip_pf *pf, uint32_t q,
                  uint32_t value);
void qregs_rx_ena(struct chip *chip, struct chip_pf *pf, uint32_t q,
                  uint32_t value);
void qregs_tx_tail(struct chip *chip, struct chip_pf *pf, uint32_t q,
                   uint32_t value);
void qregs_rx_tail(struct chip *chip, struct chip_pf *pf, uint32_t q,
                   uint32_t value);
void qregs_pre_disable(struct chip *chip, struct chip_pf *pf, uint32_t block,
                       uint32_t value);
/* The registers take over what doorbell memory holds; and the other way. */
void qregs_doorbells_fetch(struct chip_pf *pf);
void qregs_doorbells_sync(struct chip_pf *pf);

/* ---- reset.c ---- */

/* At once: PFR, FLR or power-on of one function. */
void reset_function(struct chip *chip, struct chip_pf *pf,
                    enum chip_reset reset);
/* Ask for CORER, GLOBR or EMPR: announced now, done and over in chip time. */
void reset_request(struct chip *chip, enum chip_reset reset);
void reset_advance(struct chip *chip);
/* Power-on of everything, at creation. */
void reset_power_on(struct chip *chip);
void reset_pfgen_ctrl(struct chip *chip, struct chip_pf *pf, uint32_t value);
/* Is the firmware away (a global reset is between done and ready)? */
bool reset_is_running(const struct chip *chip);

/* ---- hmc.c ---- */

void hmc_sdcmd(struct chip *chip, struct chip_pf *pf, uint32_t value);
void hmc_pdinv(struct chip *chip, struct chip_pf *pf, uint32_t value);
void hmc_pfcm(struct chip *chip, struct chip_pf *pf, uint32_t value);
void hmc_reset(struct chip *chip, struct chip_pf *pf);

/* ---- intr.c ---- */

void intr_dyn_ctl(struct chip *chip, struct chip_pf *pf, unsigned vector,
                  uint32_t value);
uint32_t intr_icr0_read(struct chip *chip, struct chip_pf *pf);
void intr_icr0_ena(struct chip *chip, struct chip_pf *pf, uint32_t value);
/* The way messages go has changed (MSI-X, MSI or INTx control). */
void intr_route_changed(struct chip *chip, struct chip_pf *pf);
void intr_advance(struct chip *chip, struct chip_pf *pf);
void intr_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset);

/* ---- pci.c ---- */

#define PCI_COMMAND      0x04
#define PCI_STATUS       0x06
#define PCI_STATUS_INTX  0x08u
#define PCI_CMD_MASTER   0x0004u
#define PCI_CMD_INTX_OFF 0x0400u

void pci_reset(struct chip *chip, struct chip_pf *pf);
bool pci_msix_enabled(const struct chip_pf *pf);
bool pci_msix_masked(const struct chip_pf *pf);
bool pci_msi_enabled(const struct chip_pf *pf);
bool pci_msi_masked(const struct chip_pf *pf);

/* ---- nvm.c ---- */

bool nvm_create(struct chip *chip);
void nvm_srctl(struct chip *chip, struct chip_pf *pf, uint32_t value);
/* May @pf read now? The lock runs out with chip time. */
bool nvm_is_owner(struct chip *chip, const struct chip_pf *pf);
void nvm_release(struct chip *chip, const struct chip_pf *pf);

/* ---- stats.c ---- */

#define STATS_FIRST 0x300000u
#define STATS_END   0x380000u

/* Value of the counter at @offset: @wide 48 bits at the low half, else a dword
 * of it. Unknown offsets in the range read 0. */
uint64_t stats_read(const struct chip *chip, uint32_t offset, bool wide);
void stats_reset(struct chip *chip);

/* ---- link.c ---- */

void link_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset);
/* Recompute is_up; tell the driver when it changed. */
void link_update(struct chip *chip, struct chip_pf *pf);
void link_advance(struct chip *chip, struct chip_pf *pf);
/* Bring the link down and let it train again. */
void link_retrain(struct chip *chip, struct chip_pf *pf);
/* The 16 parameter bytes of 0x0607. */
void link_status(const struct chip *chip, const struct chip_pf *pf,
                 uint8_t params[16]);
/* What the port can do: PHY bitmap of 0x0600 (low, extension) and speed bit. */
uint32_t link_phy_types(const struct chip *chip);
uint8_t link_phy_types_ext(const struct chip *chip);
uint8_t link_speed(const struct chip *chip);
/* Module identifier (SFF-8024): 0x03 SFP, 0x0D QSFP+, 0x11 QSFP28. */
uint8_t link_module_id(const struct chip *chip);
/* ---- module.c ---- */

/* A byte of the module's memory; false when there is none. */
bool module_read(const struct chip *chip, uint8_t device, uint32_t offset,
                 uint8_t *value);

/* ---- switch.c ---- */

#define SEID_PORT(pf) (uint16_t)(2 + (pf))
#define SEID_PF(pf)   (uint16_t)(16 + (pf))

/* Back to one main VSI for @pf and nothing else of it. */
void switch_reset(struct chip *chip, struct chip_pf *pf);
struct chip_vsi *switch_vsi_add(struct chip *chip, struct chip_pf *pf);
void switch_vsi_remove(struct chip *chip, struct chip_vsi *vsi);
unsigned switch_vsi_count(const struct chip *chip, const struct chip_pf *pf);
/*
 * Apply the valid sections of @props (128 bytes); false: a queue is not the
 * function's, nothing was changed.
 */
bool switch_vsi_update(struct chip *chip, struct chip_vsi *vsi,
                       const uint8_t *props);
/* Queue-set handles for these traffic classes. */
void switch_vsi_classes(struct chip_vsi *vsi, uint8_t classes);
struct chip_veb *switch_veb_add(struct chip *chip, struct chip_pf *pf,
                                unsigned *index);
struct chip_veb *switch_veb_by_seid(struct chip *chip, uint16_t seid);
/* Is @seid something of @pf that another element can hang on? */
bool switch_is_uplink(struct chip *chip, const struct chip_pf *pf,
                      uint16_t seid);
/* The filter that equals @f (VSI, MAC, VLAN, IGNORE_VLAN), or -1. */
int switch_filter_find(const struct chip *chip, const struct chip_filter *f);
bool switch_filter_add(struct chip *chip, const struct chip_filter *f);
bool switch_filter_remove(struct chip *chip, const struct chip_filter *f);
#define SWITCH_VSIS_PER_PF 34

/* ---- faults ---- */

/* What is to happen to this reply? 0 = nothing; counted down when taken. */
bool fault_aq_error(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                    uint16_t *retval);
bool fault_aq_late(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                   uint64_t *delay_ns);
bool fault_aq_lost(struct chip *chip, struct chip_pf *pf, uint16_t opcode);
bool fault_reg_forced(const struct chip *chip, const struct chip_pf *pf,
                      uint32_t offset, uint32_t *value);
uint8_t fault_recovery_mode(const struct chip *chip);

/* ---- admin queue (adminq.c) ---- */

#define AQ_FLAG_DD     0x0001u
#define AQ_FLAG_CMP    0x0002u
#define AQ_FLAG_ERR    0x0004u
#define AQ_FLAG_LB     0x0200u
#define AQ_FLAG_RD     0x0400u
#define AQ_FLAG_BUF    0x1000u
#define AQ_FLAG_SI     0x2000u
#define AQ_DESC_BYTES  32
#define AQ_BASE_ALIGN  64u
#define AQ_BUF_MAX     4096u
#define AQ_LEN_ENTRIES 0x3FFu
#define AQ_LEN_OVFL    (1u << 29)
#define AQ_LEN_CRIT    (1u << 30)
#define AQ_LEN_ENA     (1u << 31)

enum aq_ret {
    AQ_OK = 0,
    AQ_EPERM = 1,
    AQ_ENOENT = 2,
    AQ_ESRCH = 3,
    AQ_EIO = 5,
    AQ_EAGAIN = 8,
    AQ_ENOMEM = 9,
    AQ_EBUSY = 12,
    AQ_EEXIST = 13,
    AQ_EINVAL = 14,
    AQ_ENOSPC = 16,
    AQ_ENOSYS = 17,
    AQ_ERANGE = 18,
    AQ_EMODE = 21
};

/* One command while it is handled. */
struct aq_cmd {
    struct chip *chip;
    struct chip_pf *pf;
    uint16_t opcode;
    uint8_t params[16]; /* answered in place */
    uint8_t *buf;       /* AQ_BUF_MAX bytes, zero beyond what was read */
    uint16_t len;       /* datalen of the command */
    uint16_t reply_len; /* datalen of the reply; starts as len */
    bool gives;         /* the buffer goes back to the driver */
};

/* Which way the buffer goes. */
enum aq_kind {
    AQ_DIRECT,  /* no buffer */
    AQ_TO_FW,   /* host to firmware: BUF and RD */
    AQ_TO_HOST, /* firmware to host: BUF */
    AQ_BOTH,    /* read, and written back */
};

struct aq_op {
    uint16_t opcode;
    enum aq_kind kind;
    uint16_t min_len; /* shorter buffers: EINVAL */
    enum aq_ret (*run)(struct aq_cmd *cmd);
};

struct aq_group {
    const struct aq_op *op;
    unsigned count;
};

extern const struct aq_group aq_generic, aq_switch, aq_filter, aq_sched,
    aq_link, aq_nvm, aq_dcb, aq_misc;

void adminq_atq_tail(struct chip *chip, struct chip_pf *pf, uint32_t value);
void adminq_arq_tail(struct chip *chip, struct chip_pf *pf, uint32_t value);
void adminq_atq_len(struct chip *chip, struct chip_pf *pf, uint32_t value);
void adminq_arq_len(struct chip *chip, struct chip_pf *pf, uint32_t value);
/* Is the send queue running, so that its base must not move? */
bool adminq_is_running(const struct chip_pf *pf);
/* An event for the driver: delivered now or when a descriptor is posted. */
void adminq_event(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                  const uint8_t params[16], const void *data, uint16_t len);
void adminq_advance(struct chip *chip, struct chip_pf *pf);
void adminq_reset(struct chip_pf *pf);
