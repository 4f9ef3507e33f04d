/*
 * xl710_ring.h - rings of the driver without a chip: the test is the NIC
 *
 * Memory and pools for one test, and tail registers that only remember.
 */
#pragma once

#include <stdint.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"

/* Fresh memory; call first in a test. */
void ring_machine_open(void);

/* A pool of @count buffers of the usual size, without caches. */
struct mempool *ring_pool(const char *name, unsigned count);

/* A packet of @bytes, each byte its offset; @segments of near-equal size. */
struct mbuf *ring_packet(struct mempool *pool, unsigned bytes,
                         unsigned segments);

/* A register for a queue's tail, what it holds and how often it was written. */
volatile void *ring_tail_register(void);
uint32_t ring_tail_value(void);
unsigned ring_tail_writes(void);
