/*
 * tx_impl.h - what the transmit files share: one packet in hand
 */
#pragma once

#include "chip/chip_impl.h"

#define TX_BUFFERS_MAX 8
#define TX_DESC_BYTES  16

/* CMD of a data descriptor. */
#define TX_CMD_EOP     0x001u
#define TX_CMD_RS      0x002u
#define TX_CMD_ICRC    0x004u
#define TX_CMD_IL2TAG1 0x008u
#define TX_CMD_DUMMY   0x010u
#define TX_CMD_FCOET   0x080u

/* CMD of a context descriptor. */
#define TX_CTX_TSO     0x01u
#define TX_CTX_IL2TAG2 0x04u

struct tx_packet {
    bool has_context, has_filter, has_rs;
    bool is_whole; /* EOP seen */
    uint16_t bufs; /* in tx_pass.buf */
    uint16_t next; /* slot after the packet */
    uint16_t tag1, tag2;
    uint16_t mss;
    uint32_t total; /* bytes in all buffers */
    uint32_t cmd;   /* without EOP and RS */
    uint32_t offset;
    uint32_t ctx_cmd;
    uint32_t tso_len;
    uint32_t tunnel;
    struct fdir_desc filter; /* when has_filter */
};

/* One visit to one queue. */
struct tx_pass {
    struct chip *chip;
    struct chip_pf *pf;
    struct chip_txq *txq;
    unsigned q;
    uint8_t *ring; /* @ring_got bytes of the ring are contiguous here */
    size_t ring_got;
    struct chip_vsi *vsi; /* NULL: nobody's */
    struct tx_buf *buf;
    struct tx_packet packet;
};

/* ---- tx.c ---- */

/* A malicious-driver event: complain as @rule, stop the queue. */
void tx_stop(struct tx_pass *p, enum tx_mdd event, const char *rule,
             const char *why);

/* ---- tx_gather.c ---- */

/* The descriptor in @slot, or NULL when it is not mapped. */
uint8_t *tx_desc(struct tx_pass *p, unsigned slot);

enum tx_gathered { TX_GATHERED, TX_INCOMPLETE, TX_STOPPED };

/* Read the packet at head; passes NOPs before it. */
enum tx_gathered tx_gather(struct tx_pass *p);

/* ---- tx_send.c ---- */

/* Put the packet on the wire. Returns  false when the queue was stopped */
bool tx_send(struct tx_pass *p);
