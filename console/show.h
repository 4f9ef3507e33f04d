/*
 * show.h - blocks of text about ports and forwarding
 *
 * Field names, their order and the frames around them are those of DPDK's
 * testpmd (app/test-pmd/config.c and testpmd.c, release 25.11): programs read
 * them. Lines of our own come last in a block.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* `show port info|stats|xstats <port>` */
void show_port_info(unsigned port);
void show_port_stats(unsigned port);
void show_port_xstats(unsigned port);

/* `show port queues <port>` */
void show_port_queues(unsigned port);

/* `show port <port> rss-hash [key]`, `show port <port> rss reta` */
void show_rss_hash(unsigned port, bool with_key);
void show_rss_reta(unsigned port);

/* What --stats-period prints: the statistics of every port. */
void show_all_port_stats(void);

/* `show fwd stats all` */
void show_fwd_stats(void);

/* Each pool in a line; part of `show memory` and `show mempool`. */
void show_pools(void);
/*
 * `show mempool`: where the buffers are. @held is what `debug mempool` keeps,
 * of all pools.
 */
void show_buffers(unsigned held);

/* `show config fwd|rxtx|cores` */
void show_config_fwd(void);
void show_config_rxtx(void);
void show_config_cores(void);

/* From which round on cores that forward have what was set last. */
void show_when_changed(void);

/* `show lcore|cycles|jitter [json]` */
void show_lcore(void);
void show_lcore_json(void);
void show_cycles(void);
void show_cycles_json(void);
void show_jitter(void);
void show_jitter_json(void);
