/*
 * data.h - what the files of the data half share
 *
 * Included by chip_impl.h only. All zero is the state after power-on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/classify.h"
#include "chip/queue.h"
#include "chip/rss.h"

struct chip;
struct chip_pf;
struct chip_vsi;
struct chip_vsi_stats;

#define DATA_QUEUES_MAX 1536
#define DATA_VSI_MAX    384
#define DATA_CTLF_MAX   32
#define DATA_RING_MAX   8192 /* 13-bit lengths */
#define TX_TAG_ROOM     8    /* before a frame: two VLAN tags */
#define TX_FRAME_ROOM   16384

/* Queues that run, so that nobody walks all 1536. */
struct data_list {
    uint16_t n;
    uint16_t q[DATA_QUEUES_MAX];
};

/*
 * How receive sees a VSI, copied from the switch tables when chip->switch_gen
 * moved.
 */
struct data_vsi {
    struct chip_vsi *vsi;
    struct chip_vsi_stats *stats;
    uint16_t first;      /* queue index of traffic class 0 ... */
    uint16_t count;      /* ... and how many there are */
    uint8_t vlan_egress; /* 0 tag to descriptor, 1 priority only, 2 hide,
                            3 leave in the frame */
    bool prune_source;
};

struct data_pf {
    struct data_list tx_on, rx_on;
    struct rss_key rss;
    bool has_switch; /* the copies below were made, at @switch_gen */
    uint32_t switch_gen;
    unsigned vsis, ctlfs;
    struct data_vsi vsi[DATA_VSI_MAX];
    uint8_t ctlf[DATA_CTLF_MAX]; /* indices into chip->ctlfilter */
    struct classify_tunnels tunnels;
};

/* One data descriptor of the packet in hand. */
struct tx_buf {
    uint64_t addr;
    uint16_t len;
    uint16_t slot;
    bool rs;
};

struct data_chip {
    uint8_t frame[TX_TAG_ROOM + TX_FRAME_ROOM]; /* one going out */
    uint8_t head[TX_FRAME_ROOM];                /* headers of a TSO packet */
    struct tx_buf buf[DATA_RING_MAX];
};

/* ---- queue.c ---- */

/* Slots from @from up to @to on a ring of @len. */
static inline unsigned ring_span(unsigned from, unsigned to, unsigned len)
{
    return to >= from ? to - from : to + len - from;
}

static inline unsigned ring_next(unsigned slot, unsigned len)
{
    return slot + 1 == len ? 0 : slot + 1;
}

/* Take the receive tail from doorbell memory, if there is any. */
void queue_rx_refresh(struct chip *chip, struct chip_pf *pf, unsigned q);

/* ---- tx.c ---- */

/* GL_MDET_TX.EVENT; the numbers are ours, no public source has silicon's. */
enum tx_mdd {
    TX_MDD_DESC = 1, /* no descriptor of a known type */
    TX_MDD_ZERO_SIZE,
    TX_MDD_WRONG_SIZE,
    TX_MDD_MAX_BUFF,
    TX_MDD_LSO_MSS,
    TX_MDD_LSO_LEN,
    TX_MDD_NO_HEAD,
    TX_MDD_ENDLESS,
};

/* Send what lies before the tail. Returns packets handled, .. @budget. */
unsigned tx_run(struct chip *chip, struct chip_pf *pf, unsigned q,
                unsigned budget);

/* ---- rxfilter.c ---- */

/* Bring pf->data's copies of the switch tables up to date. */
void rxfilter_sync(struct chip *chip, struct chip_pf *pf);

/*
 * The VSIs that take this frame, as indices into pf->data.vsi. @queue is the
 * VSI-relative queue a filter names, or -1.
 * Returns  how many
 */
struct rx_target {
    uint16_t vsi;
    int16_t queue;
};
unsigned rxfilter_targets(struct chip *chip, struct chip_pf *pf,
                          const uint8_t *frame, const struct classified *c,
                          struct rx_target target[DATA_VSI_MAX]);

/* Does a control-packet filter drop this frame of @pf's port? */
bool rxfilter_ctl_drops(const struct chip *chip, const struct chip_pf *pf,
                        const uint8_t *frame, uint16_t etype, bool is_tx);

/* ---- writeback.c ---- */

/* A descriptor is done: hold it, store the line when it is full. */
void writeback_rx_push(struct chip *chip, struct chip_pf *pf, unsigned q,
                       const struct chip_rx_wb *wb);
/* Store what is held. */
void writeback_rx_flush(struct chip *chip, struct chip_pf *pf, unsigned q);
/* @vector is about to interrupt: store what its receive queues hold. */
void writeback_vector(struct chip *chip, struct chip_pf *pf, unsigned vector);
/* Let out what the timers allow: receive lines, transmit heads, causes. */
void writeback_run(struct chip *chip, struct chip_pf *pf);
/* Transmit progress up to txq->head; @rs: a descriptor asked for a report. */
void writeback_tx(struct chip *chip, struct chip_pf *pf, unsigned q, bool rs);

/* ---- count.c ---- */

void count_port_rx(struct chip *chip, unsigned port, size_t len, unsigned cast);
void count_port_tx(struct chip *chip, unsigned port, size_t len, unsigned cast);
void count_vsi_rx(struct chip_vsi_stats *s, size_t len, unsigned cast);
void count_vsi_tx(struct chip_vsi_stats *s, size_t len, unsigned cast);
