/*
 * case_txfree.c - in which pieces sent buffers go back to their pool
 *
 * The discussion of 2021 compared one put for each buffer with chunks of 64 and
 * with one put of a whole bucket, for buckets of 32, 256 and 512 in a ring of
 * 1024, and found 4 to 7 % of a forwarder's throughput. Which policy the pool's
 * cache had was not part of it; a bulk of 512 and a bulk of 64 meet its limits
 * differently, so here all are crossed.
 *
 * The ring is the driver's own, completed in memory: no NIC takes part.
 */
#include "bench/bench.h"

#include <stdio.h>

#include "bench/pools.h"
#include "drivers/xl710/tx_schemes.h"

#define RING       1024
#define CACHE      256
#define COUNT      4096
#define DATA_ROOM  64
#define NAME_BYTES 40
#define WHAT_BYTES 80

static const unsigned buckets[] = { 32, 256, 512 };

/* Policies of the pool, in the order of the rows. */
static const enum pools_variant policies[] = { POOLS_P0, POOLS_P1, POOLS_P2,
                                               POOLS_DEFAULT };

static const struct {
    const char *name;
    enum tx_scheme scheme;
} variants[] = {
    { "each", TX_PUT_EACH },
    { "each-again", TX_PUT_EACH },
    { "chunks", TX_PUT_CHUNKS },
    { "all", TX_PUT_ALL },
};
#define VARIANTS      ARRAY_SIZE(variants)
#define VARIANT_BASE  0
#define VARIANT_AGAIN 1

struct context {
    const struct bench_tx_rig *rig;
    struct port_txq *ring;
    struct mempool *pool;
    enum tx_scheme scheme;
    unsigned bucket;
};

/* A bucket is taken, sent, finished, reclaimed. */
static enum series_void run(void *context, uint64_t rounds, uint64_t *cycles)
{
    const struct context *c = context;

    (void)cycles;
    for (; rounds > 0; rounds--) {
        if (c->rig->fill(c->ring, c->pool, c->bucket) != OK)
            return VOID_DRY;
        if (c->rig->reclaim(c->ring, c->scheme) != c->bucket)
            return VOID_EARLY;
    }
    return VOID_NONE;
}

static void measure(struct bench *b, const char *name, const char *what,
                    struct context context[], unsigned bucket)
{
    struct series_variant variant[VARIANTS];
    const struct series series = {
        .name = name,
        .what = what,
        .unit = "buffer, taken, sent and returned",
        .variant = variant,
        .variants = VARIANTS,
        .base = VARIANT_BASE,
        .control = VARIANT_AGAIN,
        .operations = bucket,
        .use = LINE_MINIMA,
    };

    for (unsigned v = 0; v < VARIANTS; v++)
        variant[v] =
            (struct series_variant) { variants[v].name, run, &context[v] };
    (void)bench_series(b, &series);
}

/*
 * One ring and one pool for all variants: they meet the same addresses. Both
 * are whole again after each window.
 */
static enum status measure_row(struct bench *b, unsigned bucket,
                               enum pools_variant policy)
{
    struct mempool *pool = pools_open_one("bench txfree", COUNT, CACHE,
                                          DATA_ROOM, pools_policy(policy));
    struct port_txq *ring = b->tx_rig->open(RING, bucket, true);
    struct context context[VARIANTS];
    char name[NAME_BYTES], what[WHAT_BYTES];

    snprintf(name, sizeof(name), "txfree-%u-%s", bucket, pools_names[policy]);
    snprintf(what, sizeof(what), "thresholds %u/%u, ring of %u, pool %s",
             bucket, bucket, RING, pools_names[policy]);
    for (unsigned v = 0; v < VARIANTS; v++)
        context[v] = (struct context) { b->tx_rig, ring, pool,
                                        variants[v].scheme, bucket };
    if (pool != NULL && ring != NULL)
        measure(b, name, what, context, bucket);
    if (ring != NULL)
        b->tx_rig->close(ring);
    pools_close_one(pool); /* N2 */
    return pool != NULL && ring != NULL ? OK : E_NOMEM;
}

enum status bench_txfree(struct bench *b)
{
    enum status status = OK;

    if (b->tx_rig == NULL) {
        bench_not_possible(b, "txfree", "no driver with a transmit ring");
        return OK;
    }
    b->print("The ring is completed in memory; no NIC takes part.\n\n");
    for (unsigned i = 0; i < ARRAY_SIZE(buckets); i++)
        for (unsigned p = 0; p < ARRAY_SIZE(policies); p++)
            if (status == OK && !b->is_aborted)
                status = measure_row(b, buckets[i], policies[p]);
    return status;
}
