/*
 * stats.h - counters of the chip, seen from a baseline and 64 bits wide
 */
#pragma once

#include <stdint.h>

#include <millrace/port.h>

#include "drivers/xl710/regs.h"
#include "drivers/xl710/rx.h"
#include "drivers/xl710/tx.h"

struct nic;

struct nic_stats {
    uint64_t last[COUNTER_COUNT];  /* register, as read last */
    uint64_t total[COUNTER_COUNT]; /* since the baseline */
    /* Of each queue: software counters at the last clear. */
    struct rx_counters rx_base[PORT_QUEUE_MAX];
    struct tx_counters tx_base[PORT_QUEUE_MAX];
    unsigned sweep;        /* the counter that is read next */
    uint64_t sweep_cycles; /* when the last one was */
};

/* Everything counts from here: the hardware does not start at 0. */
void stats_open(struct nic *nic);
/* The chip was reset: totals go on from where they were (S1). */
void stats_resume(struct nic *nic);
/* One counter, read now. */
uint64_t stats_counter(struct nic *nic, enum counter counter);
void stats_clear(struct nic *nic);

/*
 * Read one counter now and then, so that none wraps unseen: all of them within
 * 15 s. The shortest lap, 2^32 dropped packets of 64 bytes at 40 Gb/s, takes
 * 72 s.
 */
void stats_poll(struct nic *nic);

void stats_get(struct nic *nic, struct port_stats *stats);
/* All of @stats but the states. */
void stats_of_queue(const struct nic *nic, unsigned queue,
                    struct port_queue_stats *stats);
unsigned stats_extended(struct nic *nic, struct port_xstat *out, unsigned max);
