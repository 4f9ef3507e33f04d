/*
 * queue.h - what the chip knows of one transmit and one receive queue
 *
 * The context is a copy taken from host memory when the queue was enabled; the
 * rest is the queue's life since then.
 *
 *   I1  head and tail are below ctx.qlen while the queue is on
 *   I2  tx: slots [head, tail) hold descriptors not yet looked at
 *   I3  rx: slots [head, tail) hold free buffers; the @held slots before head
 *       are used, but their write-back has not been stored yet. They all lie
 *       in one cache line of the ring
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Context objects in host memory. */
#define CHIP_TXCTX_BYTES 128
#define CHIP_RXCTX_BYTES 32

struct chip_txctx {
    uint64_t base;         /* ring, bus address */
    uint64_t head_wb_addr; /* where the head word goes */
    uint16_t head;         /* initial head */
    uint16_t qlen;         /* descriptors */
    uint16_t qs_handle;    /* queue set of the scheduler: names the VSI */
    bool new_context;
    bool head_wb; /* report by head word, not in the descriptor */
    bool fd;      /* filter-program descriptors accepted */
};

struct chip_rxctx {
    uint64_t base;
    uint16_t head;
    uint16_t qlen;
    uint16_t buffer;    /* bytes of a packet buffer */
    uint16_t header;    /* bytes of a header buffer */
    uint16_t max_frame; /* RXMAX, bytes */
    uint8_t desc_bytes; /* 16 or 32 */
    uint8_t dtype;      /* 0 one buffer, 1 header split, 2 always split */
    bool crc_strip;
    bool l2tsel;
    bool prefetch;
};

/* A rule that a context breaks; @fatal: the queue cannot run. */
struct chip_ctx_fault {
    const char *rule;
    const char *text;
    bool fatal;
};

void chip_txctx_decode(const uint8_t raw[CHIP_TXCTX_BYTES],
                       struct chip_txctx *ctx);
void chip_rxctx_decode(const uint8_t raw[CHIP_RXCTX_BYTES],
                       struct chip_rxctx *ctx);

/* The @nth rule that @ctx breaks, counted from 0; NULL when there is none. */
const struct chip_ctx_fault *chip_txctx_fault(const struct chip_txctx *ctx,
                                              unsigned nth);
const struct chip_ctx_fault *chip_rxctx_fault(const struct chip_rxctx *ctx,
                                              unsigned nth);

#define CHIP_NO_VSI 0xFFFF

struct chip_txq {
    struct chip_txctx ctx;
    bool on;            /* QENA_STAT */
    bool stopped;       /* malicious-driver event: rests until disabled */
    bool stalled;       /* fault on request */
    bool report_due;    /* progress not yet reported by head word or cause */
    bool mid_packet;    /* complained that tail ends inside a packet */
    uint16_t vsi;       /* owner's number, CHIP_NO_VSI = nobody's */
    uint32_t vsi_gen;   /* chip->switch_gen when @vsi was looked up */
    uint16_t head;      /* next descriptor to look at */
    uint16_t tail;      /* as last taken from the doorbell */
    uint32_t rung;      /* doorbell as last seen, unchecked */
    uint32_t no_rs;     /* descriptors passed since the last RS */
    uint64_t report_at; /* ns: when @report_due is due */
};

/* A finished receive descriptor on its way to the ring. */
struct chip_rx_wb {
    uint64_t qw[4];
};

#define CHIP_RX_HELD_MAX 8 /* 16-byte descriptors in a line of 128 bytes */

struct chip_rxq {
    struct chip_rxctx ctx;
    bool on;
    bool stopped;
    bool stalled;
    bool event_due; /* receive cause to raise with the next flush */
    uint8_t held;   /* write-backs in @wb, oldest first */
    uint16_t head;  /* next free buffer */
    uint16_t tail;  /* exclusive */
    uint32_t rung;
    uint64_t event_at; /* ns: when the throttle lets the event out */
    struct chip_rx_wb wb[CHIP_RX_HELD_MAX];
};
