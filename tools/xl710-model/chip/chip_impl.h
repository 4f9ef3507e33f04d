/*
 * chip_impl.h - what the files of the model share
 *
 * The control half (registers, resets, admin queue, switch, interrupts) and the
 * data half (queues, descriptors, classifier) meet here. Everything hangs off
 * struct chip; there is no other state, so two chips never know each other.
 *
 *   C1  port p belongs to function p: one function a port
 *   C2  a queue number is PF-relative (0 .. queues_per_pf - 1) unless the name
 *       says absolute
 *   C3  nothing below trusts a number a driver wrote: each index is checked
 *       against its bound where it enters, each loop has a bound of its own
 *   C4  time only moves in chip_advance
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/bytes.h"
#include "chip/chip.h"
#include "chip/data.h"
#include "chip/fdir.h"
#include "chip/queue.h"
#include "chip/regs.h"
#include "chip/rules.h"
#include "chip/stats.h"

#define CHIP_QUEUES_MAX  1536 /* of the whole chip */
#define CHIP_VSI_MAX     384
#define CHIP_VECTORS     129  /* MSI-X vectors of a function */
#define CHIP_SD_MAX      4096 /* 12-bit index */
#define CHIP_FILTERS_MAX 1536 /* perfect MAC/VLAN filters, whole chip */
#define CHIP_CTLF_MAX    32   /* control-packet filters, whole chip */
#define CHIP_TUNNELS_MAX 16   /* UDP tunnel ports */
#define CHIP_VEB_MAX     16
#define CHIP_EVENTS_MAX  32 /* admin events that wait for a descriptor */
#define CHIP_FAULTS_MAX  16 /* armed at the same time */
#define CHIP_CFG_BYTES   4096

/* Resets, weakest first: each one does what those before it do. */
enum chip_reset {
    CHIP_RESET_NONE,
    CHIP_RESET_PFR,   /* one function */
    CHIP_RESET_FLR,   /* one function and its PCI side */
    CHIP_RESET_CORER, /* all functions: the data path */
    CHIP_RESET_GLOBR, /* and MAC and PHY */
    CHIP_RESET_EMPR,  /* and the firmware */
    CHIP_RESET_POR    /* power-on */
};

/* ---- switch ---- */

/* Byte offsets in the 128-byte VSI properties (Linux i40e_adminq_cmd.h). */
enum vsi_prop {
    VSI_VALID_SECTIONS = 0,
    VSI_SWITCH_ID = 2, /* flags: 0x2000 ALLOW_LB, 0x4000 LOCAL_LB */
    VSI_SEC_FLAGS = 6,
    VSI_PVID = 8,
    VSI_PORT_VLAN_FLAGS = 12,
    VSI_MAPPING_FLAGS = 28,
    VSI_QUEUE_MAPPING = 30, /* 16 x le16 */
    VSI_TC_MAPPING = 62,    /* 8 x le16 */
    VSI_QUEUEING_OPT = 78,
    VSI_QS_HANDLE = 96, /* 8 x le16, from here on the firmware's */
    VSI_STAT_COUNTER = 112,
    VSI_SCHED_ID = 114,
    VSI_PROP_BYTES = 128
};

#define VSI_SW_ALLOW_LB   0x2000u
#define VSI_SW_LOCAL_LB   0x4000u
#define VSI_VLAN_INS_PVID 0x04u

#define PROMISC_UNICAST   0x0001u
#define PROMISC_MULTICAST 0x0002u
#define PROMISC_BROADCAST 0x0004u
#define PROMISC_DEFAULT   0x0008u
#define PROMISC_VLAN      0x0010u
#define PROMISC_RX_ONLY   0x8000u

/* vlan_promisc: which VLANs take every frame of this cast. */
enum chip_cast { CAST_UNI, CAST_MULTI, CAST_BROAD, CAST_COUNT };

struct chip_vsi {
    bool used;
    uint16_t number; /* index in chip->vsi */
    uint16_t seid;
    uint16_t uplink_seid;
    uint8_t pf;   /* owner; its port too (C1) */
    uint8_t type; /* 0 VF, 1 VMDq2, 2 PF, 3 EMP */
    uint8_t connection;
    bool is_main;     /* made by the firmware at reset */
    uint16_t promisc; /* PROMISC_* */
    int16_t filters;  /* first chip->filter index, -1 = none */
    uint8_t props[VSI_PROP_BYTES];
    uint64_t vlan_promisc[CAST_COUNT][4096 / 64];
};

/* Bits of PFQF_CTL_0. */
#define PFQF_CTL_0_HASHLUTSIZE (1u << 16)
#define PFQF_CTL_0_FD_ENA      (1u << 17)

#define FILTER_PERFECT     0x01u
#define FILTER_HASH        0x02u
#define FILTER_IGNORE_VLAN 0x04u
#define FILTER_TO_QUEUE    0x08u

/* vlan 0 without IGNORE_VLAN means untagged frames only. */
struct chip_filter {
    bool used;
    int16_t next;  /* of the same VSI, -1 = end */
    uint16_t vsi;  /* number */
    uint16_t vlan; /* 0 .. 4095 */
    uint16_t queue;
    uint8_t flags; /* FILTER_* */
    uint8_t mac[6];
};

#define CTLF_IGNORE_MAC 0x01u
#define CTLF_DROP       0x02u
#define CTLF_TO_QUEUE   0x04u
#define CTLF_TX         0x08u

/* Control-packet filter (command 0x025A): MAC and/or ethertype of a port. */
struct chip_ctlfilter {
    bool used;
    uint8_t pf;
    uint8_t mac[6];
    uint16_t etype;
    uint16_t flags; /* CTLF_* */
    uint16_t seid;  /* VSI, or the port's element */
    uint16_t queue; /* VSI-relative */
};

struct chip_veb {
    bool used;
    uint8_t pf;
    uint16_t seid;
    uint16_t uplink_seid;
    uint16_t flags;
    uint8_t enabled_tcs;
};

struct chip_tunnel {
    bool used;
    uint16_t udp_port;
    uint8_t type; /* 0 VXLAN, 1 Geneve, 0x10 Teredo, 0x11 VXLAN-GPE */
};

/* ---- link ---- */

struct chip_link {
    bool wire_up;   /* the cable's other end is alive (chip_link_set) */
    bool is_up;     /* what the MAC says: wire, PHY configuration, firmware */
    bool events_on; /* LSE: asked for by 0x0607 */
    uint16_t mask;  /* 0x0613: set = no event */
    uint32_t phy_type;
    uint8_t phy_type_ext;
    uint8_t speed;     /* of the current configuration; 0 = link held down */
    uint8_t abilities; /* 0x0600 layout */
    uint8_t fec;
    uint16_t max_frame; /* 0x0603, with FCS */
    uint8_t mac_config;
    uint8_t loopback;        /* 0x0618 */
    uint64_t fall_ns;        /* 0x0605, 0x0601: it goes down then; 0 = not */
    uint64_t train_until_ns; /* retraining after that, and after GLOBR */
};

/* ---- admin queue ---- */

struct chip_event {
    uint16_t opcode;
    uint16_t len;
    uint8_t params[16];
    uint8_t data[512];
};

struct chip_aq {
    bool running;  /* tail written since ENABLE: the base is latched */
    uint64_t base; /* of the send queue */
    uint32_t entries;
    bool late;         /* the descriptor at head answers at late_at_ns */
    bool late_is_over; /* ... and that time has come */
    bool lost;         /* the descriptor at head never answers */
    uint64_t late_at_ns;
    unsigned events, event_first; /* ring of those not yet delivered */
    struct chip_event event[CHIP_EVENTS_MAX];
};

/* ---- interrupts ---- */

struct chip_intr {
    uint32_t icr0;    /* latched causes; bit 0 (INTEVENT) is computed */
    unsigned waiting; /* how many of @pending */
    bool pending[CHIP_VECTORS];      /* caused, not sent yet */
    uint64_t due_ns[CHIP_VECTORS];   /* moderation: not sent before this */
    uint64_t fired_ns[CHIP_VECTORS]; /* last sent */
    bool intx;                       /* level last told to the host */
};

/* ---- one function ---- */

struct chip_pf {
    struct chip *chip;
    unsigned index;        /* function, and port (C1) */
    unsigned first_q;      /* absolute number of queue 0 */
    unsigned queues;       /* how many */
    struct chip_regs regs; /* function and port scope */

    bool touched; /* a register was written since power-on */
    /* Until then, or until it looks, it cannot know of a reset (X4). */
    uint64_t unaware_until_ns;

    uint8_t cfg[CHIP_CFG_BYTES];
    uint8_t cfg_writable[CHIP_CFG_BYTES];
    uint8_t cfg_w1c[CHIP_CFG_BYTES];

    struct chip_aq aq;
    struct chip_intr intr;
    struct chip_link link;

    uint64_t sd[CHIP_SD_MAX]; /* SDDATAHIGH:SDDATALOW as commanded */
    uint64_t pfswr_until_ns;  /* PFGEN_CTRL.PFSWR reads 1 until then */

    uint8_t mac_factory[6]; /* of the NVM */
    uint8_t mac_lan[6];     /* after 0x0108 */
    bool pxe_mode;
    bool lldp_on;      /* the firmware's LLDP agent */
    uint16_t main_vsi; /* number */

    /* Queues, [queues]: see queue.h */
    struct chip_txq *txq;
    struct chip_rxq *rxq;
    uint32_t *qtx_tail; /* doorbell memory of the host program, or NULL */
    uint32_t *qrx_tail;
    struct data_pf data; /* see data.h */
};

/* ---- faults ---- */

struct chip_armed_fault {
    bool used;
    enum chip_fault fault;
    unsigned pf;
    uint32_t opcode, value, count;
};

/* ---- the chip ---- */

struct chip {
    struct chip_config config;
    struct chip_host host;
    uint64_t now_ns;
    bool strict;
    unsigned ports;
    struct chip_pf *pf;    /* [ports] */
    struct chip_regs regs; /* global scope */

    struct chip_vsi vsi[CHIP_VSI_MAX];
    struct chip_filter filter[CHIP_FILTERS_MAX];
    struct chip_ctlfilter ctlfilter[CHIP_CTLF_MAX];
    struct chip_veb veb[CHIP_VEB_MAX];
    struct chip_tunnel tunnel[CHIP_TUNNELS_MAX];
    uint16_t filters_used;
    uint32_t switch_gen; /* grows with any change of the five above */

    struct chip_port_stats port_stats[CHIP_PF_MAX];
    struct chip_vsi_stats vsi_stats[CHIP_VSI_MAX]; /* by stat counter */
    struct chip_veb_stats veb_stats[CHIP_VEB_MAX];
    uint64_t rxerr1[CHIP_RXERR_MAX]; /* by pf + 128 */

    /* Contexts written through PFCM_LANCTXCTL, by absolute queue. */
    uint8_t tx_ctx[CHIP_QUEUES_MAX][CHIP_TXCTX_BYTES];
    uint8_t rx_ctx[CHIP_QUEUES_MAX][CHIP_RXCTX_BYTES];
    bool tx_ctx_onchip[CHIP_QUEUES_MAX];
    bool rx_ctx_onchip[CHIP_QUEUES_MAX];

    /* SET_QDIS seen and not cleared, by absolute queue. */
    bool tx_predisabled[CHIP_QUEUES_MAX];

    uint16_t *nvm; /* shadow RAM, nvm_words */
    uint32_t nvm_words;
    int nvm_owner; /* function holding resource NVM, -1 = nobody */
    uint64_t nvm_until_ns;

    /* A global reset under way: DEVSTATE is not 0. */
    enum chip_reset resetting;
    bool reset_done; /* the state was cleared, only the wait remains */
    uint64_t reset_at_ns, ready_at_ns;

    struct fdir_table fdir;
    struct chip_armed_fault fault[CHIP_FAULTS_MAX];
    struct data_chip data; /* see data.h */
};

/* ======== the data half provides (queue.c, tx.c, rx.c, ...) ======== */

/*
 * QENA_REQ went 0 -> 1: fetch the context and start. Returns whether the queue
 * runs; the caller then shows QENA_STAT. @q < pf->queues.
 */
bool queue_tx_enable(struct chip *chip, struct chip_pf *pf, unsigned q);
bool queue_rx_enable(struct chip *chip, struct chip_pf *pf, unsigned q);
/* QENA_REQ went 1 -> 0: no DMA after return. */
void queue_tx_disable(struct chip *chip, struct chip_pf *pf, unsigned q);
void queue_rx_disable(struct chip *chip, struct chip_pf *pf, unsigned q);

/*
 * A trapped doorbell write; regs.QTX_TAIL[q] (and doorbell memory, if set) hold
 * the value already. Called for disabled queues too: the examiner's business.
 */
void tx_doorbell(struct chip *chip, struct chip_pf *pf, unsigned q,
                 uint32_t tail);
void rx_doorbell(struct chip *chip, struct chip_pf *pf, unsigned q,
                 uint32_t tail);

/* chip_poll: doorbell memory and unfinished work. Returns packets handled. */
unsigned data_poll(struct chip *chip, unsigned budget);
/* chip_advance: write-back timers. chip->now_ns is @now_ns already. */
void data_advance(struct chip *chip, uint64_t now_ns);

/*
 * A reset of @pf's queues: all disabled, all forgotten; the registers go to
 * their reset values just after. Called for each function in turn.
 */
void data_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset);

/* ======== the control half provides ======== */

/* ---- memory of the guest (dma.c) ---- */

/*
 * Copy @len bytes between @buf and bus address @addr, piece by piece.
 * Returns  false, with rule dma-* complained about, when the function is not
 *          bus master or any part is not mapped. A failed read leaves zeros.
 */
bool chip_dma_read(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                   void *buf, size_t len);
bool chip_dma_write(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                    const void *buf, size_t len);

/* One contiguous piece, for loops that copy in place; NULL as above. */
void *chip_dma_map(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                   size_t len, bool write, size_t *got);

/* Is bus mastering on? (pci.c) */
bool pci_is_master(const struct chip_pf *pf);

/* ---- queue contexts (hmc.c) ---- */

/*
 * The context of queue @q: 128 bytes (transmit) or 32 (receive) to @buf, from
 * the on-chip copy when PFCM wrote it since the last reset, else through the
 * HMC. Returns false with PFHMC_ERRORINFO, ICR0.HMC_ERR and a complaint.
 */
bool hmc_context_read(struct chip *chip, struct chip_pf *pf, bool is_tx,
                      unsigned q, uint8_t *buf);

/* ---- interrupts (intr.c) ---- */

/*
 * A queue has something to tell: gated by CAUSE_ENA, routed by MSIX_INDX,
 * moderated by its ITR.
 */
void intr_cause(struct chip *chip, struct chip_pf *pf, bool is_tx, unsigned q);
/*
 * Would intr_cause lead to a message now or when the ITR runs out? (CAUSE_ENA
 * and the vector's INTENA.) The write-back of a partial line waits for that.
 * @itr_ns  the queue's throttle interval in ns, 0 = none
 */
bool intr_queue_armed(struct chip *chip, struct chip_pf *pf, bool is_tx,
                      unsigned q, uint64_t *itr_ns);

/* Raise ICR0 causes (bits of PFINT_ICR0), gated by ICR0_ENA. */
void intr_other(struct chip *chip, struct chip_pf *pf, uint32_t icr0_bits);

#define ICR0_INTEVENT      (1u << 0)
#define ICR0_QUEUE(n)      (1u << (1 + (n)))
#define ICR0_ECC_ERR       (1u << 16)
#define ICR0_MAL_DETECT    (1u << 19)
#define ICR0_GRST          (1u << 20)
#define ICR0_PCI_EXCEPTION (1u << 21)
#define ICR0_LINK_CHANGE   (1u << 25)
#define ICR0_HMC_ERR       (1u << 26)
#define ICR0_ADMINQ        (1u << 30)
#define ICR0_SWINT         (1u << 31)

/* ---- switch look-ups (switch.c) ---- */

struct chip_vsi *vsi_by_seid(struct chip *chip, uint16_t seid);
struct chip_vsi *vsi_by_number(struct chip *chip, unsigned number);
/*
 * The PF-relative queue behind index @i of a VSI (queue_mapping), or -1 when
 * the VSI has no such queue.
 */
int vsi_queue(const struct chip_vsi *vsi, unsigned i);
/* Queues of traffic class @tc: count (0 = none), first index in *@first. */
unsigned vsi_tc_queues(const struct chip_vsi *vsi, unsigned tc,
                       unsigned *first);
/* The VSI whose queue set is @handle (context field rdylist), or NULL. */
struct chip_vsi *vsi_by_qs_handle(struct chip *chip, uint16_t handle);
/* The VSI that owns queue @q of @pf, or NULL. */
struct chip_vsi *vsi_of_queue(struct chip *chip, const struct chip_pf *pf,
                              unsigned q);
struct chip_vsi_stats *vsi_stats(struct chip *chip, const struct chip_vsi *vsi);

/* ---- link (link.c) ---- */

bool link_is_up(const struct chip *chip, unsigned port);

/* ---- malicious driver detection (mdd.c) ---- */

/* Latch the event, raise ICR0.MAL_DETECT and set the queue's stopped flag. */
void mdd_raise(struct chip *chip, struct chip_pf *pf, bool is_tx, unsigned q,
               unsigned event);

/* ---- faults (fault.c): what the data half must ask ---- */

/* Is this queue held, by a fault or after a malicious-driver event? */
bool fault_queue_stalled(const struct chip *chip, const struct chip_pf *pf,
                         bool is_tx, unsigned q);
/* One write-back: shall it carry *@len? One frame: shall it carry RXE? */
bool fault_rx_length(struct chip *chip, struct chip_pf *pf, uint16_t *len);
bool fault_rx_error(struct chip *chip, struct chip_pf *pf);

/* ---- examiner (examiner.c) ---- */

/*
 * The driver broke @rule (a name of rules.h); one line of what exactly.
 * Silent when the examiner is off. @pf not NULL.
 */
void chip_complain(struct chip *chip, const struct chip_pf *pf,
                   const char *rule, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
