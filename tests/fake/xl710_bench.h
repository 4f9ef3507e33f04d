/*
 * xl710_bench.h - driver and chip model together, ready to run packets
 *
 * Ports get one pool; at the end everything must be back where it was, and the
 * examiner must have had nothing to say.
 */
#pragma once

#include <millrace/port.h>

#include "mm/mempool.h"
#include "tests/host/nic.h"

struct bench {
    struct mempool *pool;
    struct port_config config; /* what bench_start gives to every port */
};

/* Memory, chip and ports, each stopped; rings of 256, 4096 buffers. */
void bench_open(struct bench *b, const struct host_nic_config *config);

/* The same without the driver: chip and memory only. */
void bench_open_chip(const struct host_nic_config *config);

/* Configure and start every port. */
void bench_start(struct bench *b);

/*
 * Close the ports; check that every buffer and every byte of DMA memory came
 * back, and that the examiner kept silent.
 */
void bench_close(struct bench *b);

/* Bytes of memory in use that is not free, for before and after. */
uint64_t bench_memory_used(void);

/* Fails with the examiner's words if it had any. */
void bench_check_silence(void);

/* Buffers that are not in the pool. */
unsigned bench_out(const struct bench *b);

/* @us pass in steps of at most 10, housekeeping every 10 ms. */
void bench_run_us(uint64_t us);

/* A frame of @bytes (14 or more), all of it a function of @seed. */
void bench_frame(uint8_t *frame, unsigned bytes, unsigned seed);

/* What is waiting on @port, at most @max, with time for the write-back. */
unsigned bench_receive(unsigned port, struct mbuf *pkts[], unsigned max);

/* Is @m exactly @frame? */
bool bench_same(const struct mbuf *m, const uint8_t *frame, unsigned bytes);
