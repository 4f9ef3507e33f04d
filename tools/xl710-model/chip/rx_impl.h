/*
 * rx_impl.h - what the receive files share: one frame in hand
 */
#pragma once

#include "chip/chip_impl.h"

#define RX_CHAIN_MAX 5 /* buffers of a frame */
#define FCS_BYTES    4

/* A frame on its way to one queue. */
struct rx_pass {
    struct chip *chip;
    struct chip_pf *pf;
    const uint8_t *frame;
    size_t len;
    const struct classified *c;
    bool rxe; /* fault on request */
};

/* What will become of a frame at one VSI. */
enum rx_fate { RX_TAKEN, RX_NO_ROOM, RX_TOO_LONG, RX_FILTERED };

struct rx_plan {
    enum rx_fate fate;
    int q; /* PF-relative, -1 = none */
    unsigned need;
    uint32_t hash;
    const struct fdir_filter *fdir; /* that the frame matched, or NULL */
    bool has_hash;
    bool lut_is_bad;
};

struct rx_slot {
    uint64_t addr;
};

/* ---- rx_store.c ---- */

/* Bytes that go to memory: without a stripped tag, with the FCS if kept. */
size_t rx_stored_len(const struct rx_pass *p, const struct chip_rxq *rxq,
                     const struct data_vsi *v);

/* Look at the next @n descriptors: are they fit to take a frame? */
bool rx_read_slots(const struct rx_pass *p, unsigned q, unsigned n,
                   struct rx_slot slot[RX_CHAIN_MAX]);

/* Fill plan->need buffers and hand their descriptors to the write-back. */
void rx_deliver(const struct rx_pass *p, const struct data_vsi *v,
                const struct rx_plan *plan, const struct rx_slot *slot);
