/*
 * case_mempool.c - what the cache policies cost under a forwarder's demands
 *
 * The discussion of 2022 had a table of throughput on an XL710: one or two
 * threads of a core, rings of 512 and 2048, one per cent up or down. What the
 * rings do to the pool is repeated here without a NIC: that many buffers are in
 * flight, bursts of 32 come and go, the oldest first. The other rows ask for
 * what the policies differ in: demand that the cache alone cannot serve.
 */
#include "bench/bench.h"

#include <millrace/log.h>

#include "bench/cores.h"
#include "bench/pools.h"
#include "mm/dma.h"
#include "mm/frame.h"
#include "mm/mbuf.h"

#define BURST       32
#define CACHE       256
#define COUNT       8192
#define DATA_ROOM   64 /* nobody looks at the bytes */
#define HELD_MAX    16384
#define HELD_LINES  64 /* it may begin at any of these */
#define HELD_STRIDE (HELD_MAX + HELD_LINES * CACHE_LINE / sizeof(struct mbuf *))
#define STEPS       256
#define STEP_MAX    64
#define LEVEL_MAX   2048 /* most that the walk holds */
#define CORES       2
#define GAP_PAGES   64

/* How the pool is asked. */
enum how { HOW_CALLED, HOW_INLINE, HOW_NOT };

/* What one core holds of one pool. */
struct flow {
    struct mempool *pool;
    struct mbuf **held; /* HELD_MAX */
    unsigned at;        /* BALANCED: the oldest */
};

struct row {
    const char *name, *what;
    enum { BALANCED, WAVES, WALK } demand;
    unsigned in_flight;
    unsigned cache;
    unsigned cores;
};

static const struct row rows[] = {
    { "mempool-512", "1 thread, 512 in flight, bursts of 32", BALANCED, 512,
      CACHE, 1 },
    { "mempool-2048", "1 thread, 2048 in flight, bursts of 32", BALANCED, 2048,
      CACHE, 1 },
    { "mempool-wave-512", "1 thread, 512 taken, then 512 put, by 32", WAVES,
      512, CACHE, 1 },
    { "mempool-wave-2048", "1 thread, 2048 taken, then 2048 put, by 32", WAVES,
      2048, CACHE, 1 },
    { "mempool-walk", "1 thread, bursts of 1..64 at random", WALK, 0, CACHE,
      1 },
    { "mempool-equal", "1 thread, 512 in flight, burst = cache = 32", BALANCED,
      512, BURST, 1 },
    { "mempool-2t-512", "2 threads, each 512 in flight, bursts of 32", BALANCED,
      512, CACHE, CORES },
    { "mempool-2t-2048", "2 threads, each 2048 in flight, bursts of 32",
      BALANCED, 2048, CACHE, CORES },
    { "mempool-2t-wave-512", "2 threads, each takes 512, then puts 512", WAVES,
      512, CACHE, CORES },
};

/* Each variant is a pool and how it is asked. */
static const struct {
    const char *name;
    enum pools_variant pool;
    enum how how;
} variants[] = {
    { "p0", POOLS_P0, HOW_CALLED },
    { "p1", POOLS_P1, HOW_CALLED },
    { "p1-again", POOLS_P1_AGAIN, HOW_CALLED },
    { "p2", POOLS_P2, HOW_CALLED },
    { "default", POOLS_DEFAULT, HOW_CALLED },
    { "default-inline", POOLS_DEFAULT, HOW_INLINE },
};
#define VARIANTS      ARRAY_SIZE(variants)
#define VARIANT_BASE  1
#define VARIANT_AGAIN 2

/* Of one series. */
struct subject {
    const struct row *row;
    bool is_open;
    struct pools pools;
    struct flow flow[VARIANTS][CORES];
    struct mbuf **held;         /* of all flows */
    void *gap;                  /* moves what is allocated behind it */
    struct stats_random random; /* by how much, and in which order */
    int8_t step[STEPS];         /* WALK: buffers taken (+) or put (-) */
    unsigned taken;             /* WALK: sum of the takes */
};

struct context {
    struct subject *subject;
    unsigned variant;
};

/* ---- the work ---- */

static always_inline void take(struct mempool *pool, struct mbuf **out,
                               unsigned n, enum how how)
{
    if (how == HOW_CALLED)
        pools_get(pool, out, n);
    else if (how == HOW_INLINE)
        pools_get_inline(pool, out, n);
    else
        __asm__ volatile("" : : "r"(out), "r"(n) : "memory");
}

static always_inline void give(struct mempool *pool, struct mbuf **in,
                               unsigned n, enum how how)
{
    if (how == HOW_CALLED)
        pools_put(pool, in, n);
    else if (how == HOW_INLINE)
        mempool_put_bulk(pool, in, n);
    else
        __asm__ volatile("" : : "r"(in), "r"(n) : "memory");
}

/* The oldest burst leaves, and a new one takes its place, as received. */
static always_inline void balanced(struct flow *f, uint64_t rounds,
                                   unsigned in_flight, enum how how)
{
    const mbuf_two_words start = mbuf_fresh_start(f->pool);
    unsigned at = f->at;

    for (; rounds > 0; rounds--) {
        struct mbuf **burst = &f->held[at];

        give(f->pool, burst, BURST, how);
        take(f->pool, burst, BURST, how);
        for (unsigned i = 0; i < BURST && how != HOW_NOT; i++)
            mbuf_fresh(burst[i], start);
        at = at + BURST == in_flight ? 0 : at + BURST;
    }
    f->at = at;
}

static always_inline void waves(struct flow *f, uint64_t rounds,
                                unsigned in_flight, enum how how)
{
    for (; rounds > 0; rounds--) {
        for (unsigned i = 0; i < in_flight; i += BURST)
            take(f->pool, &f->held[i], BURST, how);
        for (unsigned i = 0; i < in_flight; i += BURST)
            give(f->pool, &f->held[i], BURST, how);
    }
}

static always_inline void walk(struct flow *f, uint64_t rounds,
                               const int8_t step[], enum how how)
{
    for (; rounds > 0; rounds--) {
        unsigned oldest = 0, newest = 0;

        for (unsigned i = 0; i < STEPS; i++) {
            if (step[i] > 0) {
                take(f->pool, &f->held[newest], (unsigned)step[i], how);
                newest += (unsigned)step[i];
            } else {
                give(f->pool, &f->held[oldest], (unsigned)-step[i], how);
                oldest += (unsigned)-step[i];
            }
        }
    }
}

static always_inline void work(const struct subject *s, struct flow *f,
                               uint64_t rounds, enum how how)
{
    if (s->row->demand == BALANCED)
        balanced(f, rounds, s->row->in_flight, how);
    else if (s->row->demand == WAVES)
        waves(f, rounds, s->row->in_flight, how);
    else
        walk(f, rounds, s->step, how);
}

/* Aligned alike (V1). */
__attribute__((noinline, aligned(64))) static void work_called(
    const struct subject *s, struct flow *f, uint64_t rounds)
{
    work(s, f, rounds, HOW_CALLED);
}

__attribute__((noinline, aligned(64))) static void work_inline(
    const struct subject *s, struct flow *f, uint64_t rounds)
{
    work(s, f, rounds, HOW_INLINE);
}

static void on_core(void *context, unsigned i, uint64_t rounds,
                    struct cores_report *report)
{
    const struct context *c = context;
    struct flow *f = &c->subject->flow[c->variant][i];

    (void)report;
    if (variants[c->variant].how == HOW_INLINE)
        work_inline(c->subject, f, rounds);
    else
        work_called(c->subject, f, rounds);
}

static enum series_void run(void *context, uint64_t rounds, uint64_t *cycles)
{
    const struct context *c = context;

    return cores_do(c->subject->row->cores, on_core, context, rounds, cycles);
}

static void empty(void *context, uint64_t rounds)
{
    const struct context *c = context;
    const unsigned at = c->subject->flow[c->variant][0].at;

    work(c->subject, &c->subject->flow[c->variant][0], rounds, HOW_NOT);
    c->subject->flow[c->variant][0].at = at;
}

/* ---- before and after ---- */

/* One step of the walk at @level with @left steps behind it. */
static int next_step(struct stats_random *random, unsigned level, unsigned left)
{
    const unsigned n = 1 + stats_random_below(random, STEP_MAX);
    const bool heads = stats_random_below(random, 2) == 0;
    const bool fits = level + n <= left * STEP_MAX && level + n <= LEVEL_MAX;
    const unsigned must = level > left * STEP_MAX ? level - left * STEP_MAX : 0;
    const unsigned most = level < n ? level : n;

    if (fits && (heads || level == 0))
        return (int)n;
    return -(int)(most > must ? most : must);
}

/* Steps that end where they began: nothing held. Returns the buffers taken. */
static unsigned make_walk(int8_t step[], uint64_t seed)
{
    struct stats_random random = { seed };
    unsigned level = 0, taken = 0;

    for (unsigned i = 0; i < STEPS; i++) {
        const int n = next_step(&random, level, STEPS - 1 - i);

        step[i] = (int8_t)n;
        level = (unsigned)((int)level + n);
        taken += n > 0 ? (unsigned)n : 0;
    }
    if (level != 0)
        panic("bench: a walk ends at %u buffers held", level);
    return taken;
}

static unsigned objects_a_round(const struct subject *s)
{
    if (s->row->demand == BALANCED)
        return BURST;
    return s->row->demand == WAVES ? s->row->in_flight : s->taken;
}

/* What a BALANCED flow holds all the time. */
static void fill(struct flow *f, unsigned n)
{
    for (unsigned i = 0; i < n; i += BURST)
        pools_get(f->pool, &f->held[i], BURST);
}

static void drain(struct flow *f, unsigned n)
{
    for (unsigned i = 0; i < n; i += BURST)
        pools_put(f->pool, &f->held[i], BURST);
}

static void each_flow(struct subject *s, void (*act)(struct flow *, unsigned))
{
    if (s->row->demand != BALANCED)
        return;
    for (unsigned v = 0; v < VARIANTS; v++)
        for (unsigned c = 0; c < s->row->cores; c++)
            act(&s->flow[v][c], s->row->in_flight);
}

static void lay_out(struct subject *s)
{
    unsigned order[VARIANTS * CORES], at = 0;

    stats_random_order(&s->random, order, VARIANTS * CORES);
    for (unsigned v = 0; v < VARIANTS; v++)
        for (unsigned c = 0; c < CORES; c++, at++)
            s->flow[v][c] = (struct flow) {
                .pool = s->pools.pool[variants[v].pool],
                .held = s->held + order[at] * HELD_STRIDE +
                        stats_random_below(&s->random, HELD_LINES) *
                            (CACHE_LINE / sizeof(struct mbuf *)),
            };
}

static void close_all(struct subject *s)
{
    each_flow(s, drain);
    pools_close(&s->pools); /* N2 */
    if (s->gap != NULL)
        frame_free(s->gap);
    s->gap = NULL;
}

/* Everything at addresses that are a matter of chance. */
static bool open_all(struct subject *s)
{
    s->gap = frame_alloc(PAGE_BYTES *
                             (1 + stats_random_below(&s->random, GAP_PAGES)),
                         0, "bench");
    if (pools_open(&s->pools, COUNT, s->row->cache, DATA_ROOM, &s->random) !=
        OK) {
        if (s->gap != NULL)
            frame_free(s->gap);
        s->gap = NULL;
        return false;
    }
    lay_out(s);
    each_flow(s, fill);
    return true;
}

static bool renew(void *context)
{
    struct subject *s = ((const struct context *)context)->subject;

    close_all(s);
    s->is_open = open_all(s);
    return s->is_open;
}

static void measure(struct bench *b, struct subject *s)
{
    struct context context[VARIANTS];
    struct series_variant variant[VARIANTS];
    const struct series series = {
        .name = s->row->name,
        .what = s->row->what,
        .unit = "buffer, get and put",
        .variant = variant,
        .variants = VARIANTS,
        .base = VARIANT_BASE,
        .control = VARIANT_AGAIN,
        .operations = objects_a_round(s),
        .renew = renew,
        .empty = empty,
        .use = s->row->cores > 1 ? LINE_MEDIANS : LINE_MINIMA,
    };

    for (unsigned v = 0; v < VARIANTS; v++) {
        context[v] = (struct context) { s, v };
        variant[v] =
            (struct series_variant) { variants[v].name, run, &context[v] };
    }
    (void)bench_series(b, &series);
}

static enum status measure_row(struct bench *b, const struct row *row,
                               struct mbuf **held)
{
    struct subject s = { .row = row, .held = held, .random = { b->seed } };

    if (!bench_has_cores(b, row->name, row->cores))
        return OK;
    s.taken = make_walk(s.step, b->seed);
    s.is_open = open_all(&s);
    if (!s.is_open)
        return E_NOMEM;
    measure(b, &s);
    if (s.is_open)
        close_all(&s);
    return s.is_open ? OK : E_NOMEM;
}

enum status bench_mempool(struct bench *b)
{
    struct mbuf **held =
        dma_alloc(VARIANTS * CORES * HELD_STRIDE * sizeof(struct mbuf *),
                  CACHE_LINE, "bench");
    enum status status = held == NULL ? E_NOMEM : OK;

    for (unsigned i = 0; i < ARRAY_SIZE(rows) && status == OK; i++)
        if (!b->is_aborted)
            status = measure_row(b, &rows[i], held);
    dma_free(held);
    return status;
}
