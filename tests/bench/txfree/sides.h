/*
 * sides.h - reclaiming a transmit ring, by us and by DPDK
 *
 * Either side has a ring of 1024 descriptors in buckets of rs and a pool of
 * 4096 buffers with a cache of 512. It is filled with up to 512 buffers, and
 * then each bucket is marked done and reclaimed: that alone is timed.
 */
#pragma once

#define TXFREE_RING   1024
#define TXFREE_POOL   4096
#define TXFREE_CACHE  512
#define TXFREE_FLIGHT 512 /* all of one window's buffers */

enum txfree_scheme { TXFREE_EACH, TXFREE_CHUNKS, TXFREE_ALL, TXFREE_SCHEMES };

struct txfree_side {
    void (*open)(unsigned rs);
    void (*fill)(void);
    /* Of everything the fill put in, bucket by bucket. */
    void (*reclaim)(enum txfree_scheme scheme);
    void (*close)(void); /* aborts unless every buffer is back */
};

/* Once, first. */
void txfree_ours_start(void);
void txfree_peer_start(unsigned core);

extern const struct txfree_side txfree_ours, txfree_peer;
