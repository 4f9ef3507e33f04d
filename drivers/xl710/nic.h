/*
 * nic.h - one port of an XL710, as the parts of this driver see it
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/clock.h>
#include <millrace/pci.h>
#include <millrace/port.h>
#include <millrace/status.h>

#include "drivers/xl710/adminq.h"
#include "drivers/xl710/hmc.h"
#include "drivers/xl710/link.h"
#include "drivers/xl710/regs.h"
#include "drivers/xl710/rss.h"
#include "drivers/xl710/rx.h"
#include "drivers/xl710/stats.h"
#include "drivers/xl710/tx.h"
#include "drivers/xl710/xl710.h"

/* Queue pairs a port has room for: what one traffic class of a VSI holds. */
#define XL710_PAIRS_MAX PORT_QUEUE_MAX

/* Which values perf.c writes. */
enum pm_up_thr {
    PM_UP_THR_KEEP,
    PM_UP_THR_EF,
    PM_UP_THR_SF,
    PM_UP_THR_X722,
    PM_UP_THR_X722_SFP,
};

struct xl710_id {
    uint16_t device;
    uint8_t pm_up_thr; /* enum pm_up_thr */
    const char *product;
};

struct nic_firmware {
    uint16_t major, minor;
    uint32_t build;
    uint16_t api_major, api_minor;
    uint16_t nvm;     /* 0x6010 is 6.10; 0 when it could not be read */
    uint32_t eetrack; /* names the NVM image */
};

struct nic_caps {
    uint32_t rx_queues, tx_queues;
    uint32_t vsis, vectors;
    uint32_t rss_entries;
    uint32_t traffic_classes; /* bitmap of those enabled */
};

/* The port's place in the chip's switch: one VSI, all its queues. */
struct nic_vsi {
    uint16_t seid;
    uint16_t number;
    uint16_t queue_set; /* transmit scheduler handle */
    uint16_t stat_block;
    uint8_t properties[128]; /* as firmware last reported them */
};

/* recover.c: where a port that lost its chip stands on the way back. */
enum recovery_stage {
    RECOVERY_NONE,
    RECOVERY_QUIET,    /* until no core is in a burst on its queues */
    RECOVERY_PAUSE,    /* until the next try is due */
    RECOVERY_CHIP,     /* until the chip's own reset has ended */
    RECOVERY_FUNCTION, /* until the function's reset has ended */
    RECOVERY_BRING_UP, /* the steps of bring-up, some at a time */
};

struct nic_recovery {
    enum recovery_stage stage;
    bool wants_queues;   /* started before, or asked for since */
    bool gives_up;       /* quiet, then out of service */
    bool has_complained; /* about a core that does not become quiet */
    unsigned step;       /* of bring-up, the next one */
    unsigned tries;      /* that failed, in a row */
    unsigned in_a_row;   /* recoveries shortly after another */
    uint32_t count;      /* that succeeded */
    uint64_t ticket;     /* of the quiet point */
    uint64_t since_cycles, ended_cycles;
    struct deadline deadline;
};

/* watch.c: is a queue still moving? */
struct queue_watch {
    unsigned mark;         /* its cursor at the last look */
    unsigned windows;      /* looks in a row that were suspicious */
    uint64_t since_cycles; /* when it moved last, or could not */
    uint64_t counted;      /* by the chip, at the last look */
    uint64_t lost;         /* frames, in the windows */
    uint64_t full_cycles;  /* when its ring was seen full last, or 0 */
    bool is_asked;         /* a restart is due */
    bool is_taken;         /* off, until the quiet point */
    bool has_moved;        /* since the last restart */
    uint64_t ticket;
    unsigned in_a_row; /* restarts shortly after another */
    uint32_t restarts;
    uint64_t restarted_cycles;
};

/* dry.c: when a queue got its last packet, in packets. */
struct queue_dry {
    uint64_t packets; /* of the queue */
    uint64_t of_port; /* of all queues, then */
    bool is_told;
};

struct nic {
    struct pci_device *dev;
    struct pci_reset flr; /* and the configuration as it was first */
    const struct xl710_id *id;
    volatile uint8_t *bar;
    char name[16];  /* "0000:01:00.0" */
    unsigned index; /* of the port */
    enum port_state state;
    unsigned steps_done; /* of bring-up, for the way back */

    uint8_t pf;
    uint8_t port_number; /* of the chip */
    uint16_t first_queue, queue_count;
    bool promiscuous;
    uint32_t reset_counts; /* of the whole chip, when we began */

    struct nic_firmware firmware;
    struct nic_caps caps;
    uint8_t mac[6];
    struct nic_vsi vsi;
    struct adminq aq;
    struct hmc hmc;
    struct nic_link link;
    struct nic_stats stats;

    struct pci_link pcie;

    unsigned queues_max; /* pairs that chip and firmware grant */
    struct nic_rss rss;
    bool is_configured, queues_on;
    struct port_config config;
    struct port_rxq rxq[XL710_PAIRS_MAX];
    struct port_txq txq[XL710_PAIRS_MAX];
    bool rx_stopped[XL710_PAIRS_MAX]; /* alone, by the user */
    bool tx_stopped[XL710_PAIRS_MAX];

    uint64_t reset_look_cycles; /* when resets were looked for last */
    uint64_t health_cycles;     /* when health was looked at last */
    uint32_t mdd_events, lost_events;
    struct nic_recovery recovery;
    struct queue_watch rx_watch[XL710_PAIRS_MAX], tx_watch[XL710_PAIRS_MAX];
    struct queue_dry dry[XL710_PAIRS_MAX];
    uint64_t dry_cycles; /* when they were looked at last */
};

/* Queue pairs as configured; the others of the arrays are not in use. */
static inline unsigned nic_queues(const struct nic *nic)
{
    return nic->config.queues;
}

static inline bool nic_is_x722(const struct nic *nic)
{
    return nic->id->pm_up_thr == PM_UP_THR_X722 ||
           nic->id->pm_up_thr == PM_UP_THR_X722_SFP;
}

/* ids.c: NULL when the device is not ours. */
const struct xl710_id *xl710_id_of(const struct pci_device *dev);

/* Firmware speaks at least API @major.@minor. */
static inline bool api_at_least(const struct nic *nic, unsigned minor)
{
    return nic->firmware.api_major == 1 && nic->firmware.api_minor >= minor;
}

/* ---- bringup.c ---- */

/* All steps, or none. */
must_use enum status nic_bring_up(struct nic *nic);
/* Undo whatever bring-up did. */
void nic_take_down(struct nic *nic);
/*
 * Bring-up again, after the function was reset at run time: run step *@next
 * (0 for the first) and count it up. The memory of bring-up is used again.
 *
 * Returns  OK, and *@is_done behind the last step; or the step's failure
 */
must_use enum status nic_bring_up_again(struct nic *nic, unsigned *next,
                                        bool *is_done);

/* ---- reset.c ---- */

/* From any left-over state to a silent function. */
must_use enum status nic_reset(struct nic *nic);
/* Leave nothing running for the next owner. */
void nic_leave_quiet(struct nic *nic);
/* The chip, or firmware, is in the middle of a reset of its own. */
bool nic_reset_in_progress(const struct nic *nic);
/* How long a reset of the chip may take. */
uint64_t nic_chip_reset_us(const struct nic *nic);
/* No reset is under way and the chip has loaded its NVM; waits for it. */
must_use enum status nic_chip_ready(struct nic *nic);
/* From left-over state to a silent function without a function-level reset. */
must_use enum status nic_reset_by_hand(struct nic *nic);

/* ---- health.c ---- */

/*
 * E_UNSUPPORTED when firmware runs in recovery mode, E_BUSY while it resets
 * itself, E_GONE; each said in words.
 */
must_use enum status nic_firmware_check(struct nic *nic);
/* What only a look at registers shows; resets 20 times a second, else once. */
void nic_health_poll(struct nic *nic);
/* Malicious-driver events: named, cleared; the queue is due for a restart. */
void mdd_poll(struct nic *nic);
/* A driver error event of the transmit side, in words. */
void mdd_tx_text(uint32_t gl_mdet_tx, char *text, unsigned bytes);
void mdd_rx_text(uint32_t gl_mdet_rx, char *text, unsigned bytes);

/* ---- vsi.c ---- */

must_use enum status vsi_find(struct nic *nic);
must_use enum status vsi_shape(struct nic *nic);
must_use enum status vsi_filters_set(struct nic *nic);
void vsi_filters_clear(struct nic *nic);
must_use enum status vsi_promiscuous_set(struct nic *nic, bool on);
must_use enum status filter_control_set(struct nic *nic);
must_use enum status outer_tags_set(struct nic *nic);

/* ---- perf.c ---- */

must_use enum status perf_registers_set(struct nic *nic);

/* ---- queue.c ---- */

must_use enum status queues_start(struct nic *nic);
/* Every buffer is back in its pool, also when the chip did not answer. */
must_use enum status queues_stop(struct nic *nic);

/* Bursts find nothing in the queue from now on; and find it again. */
void rxq_take(struct nic *nic, unsigned queue);
void txq_take(struct nic *nic, unsigned queue);
void queues_take(struct nic *nic);
void queues_give(struct nic *nic);
/* Nothing can write to memory any more: every buffer back. How many. */
unsigned queues_drain(struct nic *nic);
/* One queue off, every buffer back; it was taken before. */
must_use enum status rxq_halt(struct nic *nic, unsigned queue);
must_use enum status txq_halt(struct nic *nic, unsigned queue);
/* One queue on, for whoever polls it. On failure call its halt. */
must_use enum status rxq_go(struct nic *nic, unsigned queue);
must_use enum status txq_go(struct nic *nic, unsigned queue);

/* ---- configure.c ---- */

void nic_rings_free(struct nic *nic);

/* ---- recover.c ---- */

/*
 * The chip cannot be used as it is: take the queues away and bring it up again,
 * in steps of nic_recover_poll(). @why ends up in the log.
 */
void nic_recover(struct nic *nic, const char *why);
/* Out of service for good: @why, in words. */
void nic_give_up(struct nic *nic, const char *why);
/* The next bit of a recovery. Waits give way to other ports' packets. */
void nic_recover_poll(struct nic *nic);
/* Nobody polls its queues: the buffers go back now. */
void nic_recover_without_queues(struct nic *nic);
/* The port is being closed in the middle of it. */
void nic_recover_end(struct nic *nic);
bool nic_is_gone(const struct nic *nic);

/* ---- watch.c ---- */

/* Queues that stand still are restarted alone. */
void nic_watch_poll(struct nic *nic);
void nic_watch_open(struct nic *nic);
/* Look at a queue as if it had just begun. */
void queue_watch_open(struct queue_watch *w);
/* Queue @queue needs a restart; it comes when it is not too soon. */
void nic_watch_ask(struct queue_watch *w);

/* ---- dry.c ---- */

/* Receive queues that get nothing while others get much are named. */
void nic_dry_poll(struct nic *nic);
void nic_dry_open(struct nic *nic);

/* ---- intr.c ---- */

must_use enum status write_back_timer_open(struct nic *nic);
void write_back_timer_close(struct nic *nic);
void write_back_timer_arm(struct nic *nic, unsigned queue);
void write_back_timer_disarm(struct nic *nic, unsigned queue);

/* ---- wait.c ---- */

/* One turn of waiting: the others' packets, then a pause. */
void nic_wait_turn(void);
/* Quiet points of whoever calls bursts (port_quiet in port.h). */
uint64_t nic_quiet_ask(void);
bool nic_quiet_reached(uint64_t ticket);

/* ---- attach.c ---- */

/* The port of that number, or NULL. */
struct nic *nic_of(unsigned port);
/* Does another port, attached before, sit on the same chip? */
bool nic_has_older_sibling(const struct nic *nic);
