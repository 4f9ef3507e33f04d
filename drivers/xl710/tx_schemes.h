/*
 * tx_schemes.h - three ways to give sent buffers back, for benchmarks
 *
 * They were argued about for DPDK's i40e in 2021, which took the second. The
 * product uses the third; the others are kept so that the argument can be
 * measured. All are the product's own code with the scheme as a constant.
 *
 * A rig is a transmit ring without a NIC: it is filled, finished at once, and
 * then reclaimed, which is the part to be timed.
 */
#pragma once

#include <stdbool.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct mempool;
struct port_txq;

enum tx_scheme {
    TX_PUT_EACH,   /* one put for each buffer */
    TX_PUT_CHUNKS, /* one for 64, and one for the rest */
    TX_PUT_ALL,    /* one for all */
    TX_SCHEMES
};

/* "single", "chunks of 64", "one put". */
const char *tx_scheme_text(enum tx_scheme scheme);

/*
 * A ring of @n descriptors in buckets of @rs; @fast_free as in tx.h.
 *
 * Returns  NULL, with the reason in the log, when the sizes break a rule of
 *          tx_ring_rule (free threshold @rs) or memory is short
 */
must_use struct port_txq *tx_rig_open(unsigned n, unsigned rs, bool fast_free);

/*
 * Put @count buffers of @pool on their way, taken from it in bursts of 32, and
 * let all be reported. Every fill between two reclaims is from the same pool.
 *
 * @count   a multiple of rs, up to n - rs; the rig holds nothing
 * Returns  OK; E_NOBUF with nothing taken; E_INVALID for another count
 */
must_use enum status tx_rig_fill(struct port_txq *q, struct mempool *pool,
                                 unsigned count);

/* Everything finished goes back. Returns how many: what the fill put in. */
unsigned tx_rig_reclaim(struct port_txq *q, enum tx_scheme scheme);

/* Buffers still in it go back first. */
void tx_rig_close(struct port_txq *q);
