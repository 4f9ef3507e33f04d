/*
 * case_mbuf.c - who restores a buffer, and what it costs
 *
 * The discussion of 2017 moved two writes (next and the number of segments) from
 * the allocation of a buffer to its release, and asked whether to write always
 * or only what differs. Its figures were forwarding rates on four 10G ports,
 * 52.1 to 53.3 Mpps, and where two threads reached line rate nothing at all.
 * Here one core does what such a forwarder does to a buffer: it is received (line
 * 0 written), read for its transmit descriptor, held for 512 packets, released.
 *
 * Which of the two layouts a build has is said in the environment: to compare
 * them, run both images in turn.
 */
#include "bench/bench.h"

#include <millrace/plat.h>

#include "bench/cores.h"
#include "bench/pools.h"
#include "mm/dma.h"
#include "mm/mbuf.h"
#include "mm/mbuf_variants.h"

#define BURST     32
#define IN_FLIGHT 512
#define CACHE     256
#define COUNT     2048
#define FRAME     60
#define CORES     2
#define LINE_RATE 59.524 /* Mpps of 64-byte frames on four 10G ports */

enum prefree {
    WRITE_ALWAYS,  /* the patch as it was proposed */
    WRITE_DIFFERS, /* only what differs, as it was applied */
    WRITE_NEVER,   /* without it: who allocates writes */
    PRODUCT_CALL,  /* mbuf_prefree, out of line */
    PRODUCT_BULK,  /* mbuf_free_bulk: looks once whether a buffer is plain */
};

static const struct {
    const char *name;
    enum prefree prefree;
} variants[] = {
    { "always", WRITE_ALWAYS },         { "differs", WRITE_DIFFERS },
    { "differs-again", WRITE_DIFFERS }, { "at-alloc", WRITE_NEVER },
    { "product-call", PRODUCT_CALL },   { "product-bulk", PRODUCT_BULK },
};
#define VARIANTS      ARRAY_SIZE(variants)
#define VARIANT_BASE  1
#define VARIANT_AGAIN 2

/* Of one core: a ring of buffers on their way, and descriptors to be written. */
struct flow {
    struct mempool *pool;
    struct mbuf *held[IN_FLIGHT];
    uint64_t descriptor[IN_FLIGHT][2];
    unsigned at;
};

struct context {
    unsigned variant, cores;
    struct flow *flow; /* of each core */
};

/* ---- the work ---- */

static always_inline void receive(struct mbuf *m, uint64_t rearm, bool restore)
{
    if (restore)
        m->next = NULL; /* the number of segments is in the rearm word */
    m->rearm = rearm;
    m->ol_flags = 0;
    m->packet_type = 1;
    m->pkt_len = FRAME;
    m->data_len = FRAME;
    m->vlan_tci = 0;
    m->hash.rss = 0;
    m->vlan_tci_outer = 0;
}

static always_inline void describe(uint64_t descriptor[2], const struct mbuf *m)
{
    descriptor[0] = (uint64_t)(uintptr_t)mbuf_data(m);
    descriptor[1] = (uint64_t)m->data_len << 34 | 0x50;
}

static always_inline struct mbuf *prefree(struct mbuf *m, enum prefree how)
{
    switch (how) {
    case WRITE_ALWAYS:
        return mbuf_prefree_always(m);
    case WRITE_DIFFERS:
        return mbuf_prefree_differs(m);
    case WRITE_NEVER:
        return mbuf_prefree_none(m);
    case PRODUCT_CALL:
    case PRODUCT_BULK:
        break;
    }
    return mbuf_prefree(m);
}

static always_inline void release(struct mempool *pool, struct mbuf *m[],
                                  enum prefree how)
{
    unsigned n = 0;

    if (how == PRODUCT_BULK) {
        mbuf_free_bulk(m, BURST);
        return;
    }
    for (unsigned i = 0; i < BURST; i++) {
        struct mbuf *ours = prefree(m[i], how);

        if (likely(ours != NULL))
            m[n++] = ours;
    }
    mempool_put_bulk(pool, m, n);
}

static always_inline void forward(struct flow *f, uint64_t rounds,
                                  enum prefree how)
{
    const uint64_t rearm = mbuf_rearm_word(0);
    unsigned at = f->at;

    for (; rounds > 0; rounds--) {
        struct mbuf **burst = &f->held[at];

        release(f->pool, burst, how);
        pools_get_inline(f->pool, burst, BURST);
        for (unsigned i = 0; i < BURST; i++) {
            receive(burst[i], rearm, how == WRITE_NEVER);
            describe(f->descriptor[at + i], burst[i]);
        }
        at = at + BURST == IN_FLIGHT ? 0 : at + BURST;
    }
    f->at = at;
}

/* One function a variant, all aligned alike (V1). */
#define FORWARD(name, how)                                                     \
    __attribute__((noinline, aligned(64))) static void name(struct flow *f,    \
                                                            uint64_t rounds)   \
    {                                                                          \
        forward(f, rounds, how);                                               \
    }
FORWARD(forward_always, WRITE_ALWAYS)
FORWARD(forward_differs, WRITE_DIFFERS)
FORWARD(forward_never, WRITE_NEVER)
FORWARD(forward_call, PRODUCT_CALL)
FORWARD(forward_bulk, PRODUCT_BULK)
#undef FORWARD

static void (*const loops[])(struct flow *f, uint64_t rounds) = {
    [WRITE_ALWAYS] = forward_always, [WRITE_DIFFERS] = forward_differs,
    [WRITE_NEVER] = forward_never,   [PRODUCT_CALL] = forward_call,
    [PRODUCT_BULK] = forward_bulk,
};

static void on_core(void *context, unsigned i, uint64_t rounds,
                    struct cores_report *report)
{
    const struct context *c = context;

    (void)report;
    loops[variants[c->variant].prefree](&c->flow[i], rounds);
}

static enum series_void run(void *context, uint64_t rounds, uint64_t *cycles)
{
    const struct context *c = context;

    return cores_do(c->cores, on_core, context, rounds, cycles);
}

/* ---- before and after ---- */

static void fill(struct flow *f, struct mempool *pool)
{
    f->pool = pool;
    f->at = 0;
    for (unsigned i = 0; i < IN_FLIGHT; i += BURST)
        pools_get(pool, &f->held[i], BURST);
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        receive(f->held[i], mbuf_rearm_word(0), true);
}

/* As the product does: a buffer that is not as it should be is noticed. */
static void drain(struct flow *f)
{
    for (unsigned i = 0; i < IN_FLIGHT; i++)
        mbuf_free(f->held[i]);
}

/* The columns of the discussion. */
static void print_rates(struct bench *b, const struct series_result *r)
{
    for (unsigned v = 0; v < VARIANTS; v++) {
        const double cycles = r->against_base[v].a_median;
        const double mpps = (double)plat_cycles_hz() / cycles / 1e6;
        char rate[LINE_DECIMAL_BYTES], ns[LINE_DECIMAL_BYTES];
        char share[LINE_DECIMAL_BYTES];

        b->print("  %-14s %s Mpps a core, %s ns a packet, %s %% of four 10G "
                 "ports\n",
                 variants[v].name, line_decimal(rate, mpps, 2),
                 line_decimal(ns, 1000 / mpps, 2),
                 line_decimal(share, 100 * mpps / LINE_RATE, 1));
    }
    b->print("  Without a wire: no share is limited by one.\n\n");
}

static void measure(struct bench *b, const char *name, const char *what,
                    struct context context[])
{
    struct series_variant variant[VARIANTS];
    const struct series series = {
        .name = name,
        .what = what,
        .unit = "packet",
        .variant = variant,
        .variants = VARIANTS,
        .base = VARIANT_BASE,
        .control = VARIANT_AGAIN,
        .operations = BURST,
        .use = context[0].cores > 1 ? LINE_MEDIANS : LINE_MINIMA,
    };
    const struct series_result *result;

    for (unsigned v = 0; v < VARIANTS; v++)
        variant[v] =
            (struct series_variant) { variants[v].name, run, &context[v] };
    result = bench_series(b, &series);
    if (result != NULL)
        print_rates(b, result);
}

/* All variants meet the same buffers at the same addresses. */
static void measure_on(struct bench *b, unsigned cores, struct flow *flows,
                       struct mempool *pool)
{
    struct context context[VARIANTS];

    for (unsigned c = 0; c < cores; c++)
        fill(&flows[c], pool);
    for (unsigned v = 0; v < VARIANTS; v++)
        context[v] = (struct context) { v, cores, flows };
    if (cores == 1)
        measure(b, "mbuf-1t", "1 core 1 thread, 512 in flight", context);
    else
        measure(b, "mbuf-2t", "1 core 2 threads, each 512 in flight", context);
    for (unsigned c = 0; c < cores; c++)
        drain(&flows[c]);
}

enum status bench_mbuf(struct bench *b)
{
    struct flow *flows =
        dma_alloc(CORES * sizeof(struct flow), CACHE_LINE, "bench");
    struct mempool *pool = pools_open_one("bench mbuf", COUNT, CACHE,
                                          MBUF_DATA_ROOM, MEMPOOL_GROUPS);
    const enum status status = flows == NULL || pool == NULL ? E_NOMEM : OK;

    if (status == OK)
        measure_on(b, 1, flows, pool);
    if (status == OK && !b->is_aborted && bench_has_cores(b, "mbuf-2t", CORES))
        measure_on(b, CORES, flows, pool);
    pools_close_one(pool); /* N2 */
    dma_free(flows);
    return status;
}
