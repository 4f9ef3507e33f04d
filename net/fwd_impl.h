/*
 * fwd_impl.h - the inside of forwarding; for net/fwd*.c
 *
 *   fwd.c        settings
 *   fwd_plan.c   which stream on which core
 *   fwd_run.c    binding, starting, stopping
 *   fwd_stats.c  counting
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "net/fwd.h"

struct fwd {
    const struct engine *engine;
    struct mempool *pool;
    unsigned burst;
    uint16_t tx_len;
    unsigned tx_first; /* bursts, at the next start */
    bool record_cycles;
    unsigned gap_us;
    bool running;

    uint8_t ports[PORT_MAX];
    unsigned port_count;
    uint8_t peer[PORT_MAX][ETHER_ADDR_BYTES];

    uint16_t cores[LCORE_MAX]; /* that may forward, the best first */
    unsigned core_count;       /* 0: control, between its work */
    unsigned nb_cores;         /* of these; 0 = as many as there are streams */
    struct fwd_place places[FWD_STREAMS_MAX];
    unsigned place_count; /* 0: spread evenly */

    struct port_stats port_base[PORT_MAX];
    struct fwd_cycles cycles_base;
};
extern struct fwd fwd;

/* Of the current or last run. Streams of an lcore are neighbours. */
extern struct stream fwd_streams[FWD_STREAMS_MAX];
extern unsigned fwd_streams_count;
extern struct lcore fwd_lcores[LCORE_MAX];
extern unsigned fwd_lcores_count;

/* Bring what streams and lcores copied from the settings up to date. */
void fwd_refresh(void);

/* No streams, and no lcores. */
void fwd_run_init(void);
