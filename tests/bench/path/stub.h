/*
 * stub.h - a NIC that does the least a driver can notice
 *
 * It writes receive descriptors back without data and marks transmit
 * descriptors done where they ask for it. It sits on the thread that forwards,
 * or on one of its own; then its lines come from the other core's cache.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "drivers/xl710/rx.h"
#include "drivers/xl710/tx.h"

struct stub {
    struct port_rxq *rxq;
    struct port_txq *txq;
    uint32_t rx_tail, tx_tail; /* the registers */
    unsigned rx_head, tx_head;
    uint64_t sent;
    bool writes_head; /* to head_word; else descriptors are marked done */
    _Alignas(128) uint32_t head_word;
};

/* After the rings were made; their registers are the stub's from now on. */
void stub_open(struct stub *s, struct port_rxq *rxq, struct port_txq *txq);

/* Send all that waits, then receive @n frames of 60 bytes. */
void stub_work(struct stub *s, unsigned n);

/* Out of this core's caches with all descriptors that are in use. */
void stub_flush(const struct stub *s);

/* ---- on the other core ---- */

void stub_thread_start(unsigned core);
void stub_thread_stop(void);
/* The same work there; returns when it is done. */
void stub_work_there(struct stub *s, unsigned n);
