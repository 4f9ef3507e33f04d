/*
 * path.h - which code moves a queue's packets
 *
 * A path is a set of burst functions for one vector set of the CPU. All do the
 * same to descriptors, packets and counters; the scalar one is the reference.
 * A queue gets its path when it is started and keeps it until it stops.
 */
#pragma once

#include <stdbool.h>

#include "drivers/xl710/rx.h"
#include "drivers/xl710/tx.h"

struct path {
    const char *name; /* "scalar", "sse", "avx2", "avx512" */
    unsigned bits;    /* of its widest register */
    rx_burst_function *rx;
    tx_burst_function *tx;
    forward_function *forward;
};

/* Narrowest first; NULL behind the last. */
const struct path *path_at(unsigned index);

/* Does CPU and system let it run? */
bool path_is_possible(const struct path *path);

/* The widest possible one of at most @max_bits; 0 = no limit. */
const struct path *path_choose(unsigned max_bits);

/* Queues that are off take @path from their next start on. */
void path_set(const struct path *path, struct port_rxq *rxq,
              struct port_txq *txq);

/* Which one a queue has; "none" before it has any. */
const char *path_rx_name(rx_burst_function *burst);
const char *path_tx_name(tx_burst_function *burst);
