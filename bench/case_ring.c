/*
 * case_ring.c - what a queue of pointers costs, and with which lock
 *
 * The discussion of 2016 had 102 cycles for an enqueue and a dequeue on one
 * core, 54 and 53 on two, about 900 each on four, the suspicion that fair spin
 * locks were to blame, and no answer. Its two programs are repeated here: one
 * core that puts one element in and takes one out; and cores of which the even
 * ones put in and the odd ones take out, 200000 each, from a queue of 64000 that
 * is half full. That one ends early when one side is faster; then it says
 * nothing, and its windows are void. Sustained runs, in which a core waits for
 * the other side, were added.
 */
#include "bench/bench.h"

#include <millrace/log.h>

#include "bench/cores.h"
#include "bench/queues.h"

#define PARALLEL_SIZE   64000
#define PARALLEL_LEVEL  32000
#define PARALLEL_ROUNDS 200000
#define SUSTAINED_SIZE  1024
#define FULL_SLACK      32 /* two batches of a slot ring */

struct row {
    const char *name, *what;
    unsigned cores; /* 1: pairs; else half put in, half take out */
    unsigned size, level;
    bool wait; /* for the other side; else the run ends early */
};

static const struct row rows[] = {
    { "ring-pair-8", "one core, queue of 8", 1, 8, 0, false },
    { "ring-pair-64", "one core, queue of 64", 1, 64, 0, false },
    { "ring-pair-1000", "one core, queue of 1000", 1, 1000, 0, false },
    { "ring-pair-10000", "one core, queue of 10000", 1, 10000, 0, false },
    { "ring-pair-32000", "one core, queue of 32000", 1, 32000, 0, false },
    { "ring-pair-1000-64", "one core, queue of 1000 with 64 inside", 1, 1000,
      64, false },
    { "ring-pair-1000-full", "one core, queue of 1000, nearly full", 1, 1000,
      1000 - FULL_SLACK, false },
    { "ring-2-half", "two cores, 64000 with 32000 inside", 2, PARALLEL_SIZE,
      PARALLEL_LEVEL, false },
    { "ring-2-empty", "two cores, sustained, nearly empty", 2, SUSTAINED_SIZE,
      0, true },
    { "ring-2-full", "two cores, sustained, nearly full", 2, SUSTAINED_SIZE,
      SUSTAINED_SIZE - FULL_SLACK, true },
    { "ring-4-half", "four cores, 64000 with 32000 inside", 4, PARALLEL_SIZE,
      PARALLEL_LEVEL, false },
    { "ring-4-empty", "four cores, sustained, nearly empty", 4, SUSTAINED_SIZE,
      0, true },
    { "ring-4-full", "four cores, sustained, nearly full", 4, SUSTAINED_SIZE,
      SUSTAINED_SIZE - FULL_SLACK, true },
};

/* The fair lock is what the others are compared with. */
static const struct {
    const char *name;
    enum queues_kind kind;
    bool takes_many; /* users of one side */
} variants[] = {
    { "ticket", QUEUE_SLOT_TICKET, true },
    { "ticket-again", QUEUE_SLOT_TICKET, true },
    { "cas", QUEUE_SLOT_CAS, true },
    { "queue-lock", QUEUE_SLOT_QUEUE, true },
    { "index-many", QUEUE_INDEX_MANY, true },
    { "no-lock", QUEUE_SLOT_NONE, false },
    { "index-one", QUEUE_INDEX_ONE, false },
};
#define VARIANTS      ARRAY_SIZE(variants)
#define VARIANT_BASE  0
#define VARIANT_AGAIN 1

/* Slot rings differ in their lock alone: they share one, and its addresses. */
struct shared {
    struct queue queue;
    uint64_t in, out; /* of the last window */
};
enum { SHARED_SLOT, SHARED_INDEX_ONE, SHARED_INDEX_MANY, SHARED };

struct context {
    const struct row *row;
    enum queues_kind kind;
    struct shared *shared;
};

/* ---- the work ---- */

static void on_core(void *context, unsigned i, uint64_t rounds,
                    struct cores_report *report)
{
    struct context *c = context;
    const bool wait = c->row->wait;
    struct queue *q = &c->shared->queue;

    report->done = i % 2 == 0 ? q->loop->produce(q, rounds, wait)
                              : q->loop->consume(q, rounds, wait);
    report->ran_dry = !wait && report->done < rounds;
}

static void set_level(struct shared *s, unsigned level)
{
    const unsigned was = queue_level_set(&s->queue, level);

    if (was != level + s->in - s->out) /* N2 */
        panic("bench: queue %s had %u elements; %u and %llu came, %llu went",
              queues_names[s->queue.kind], was, level,
              (unsigned long long)s->in, (unsigned long long)s->out);
    s->in = s->out = 0;
}

static enum series_void run_parallel(struct context *c, uint64_t rounds,
                                     uint64_t *cycles)
{
    struct cores_report report[CORES_MAX];
    enum series_void fault;

    set_level(c->shared, c->row->level);
    fault = cores_window(c->row->cores, on_core, c, rounds, cycles, report);
    for (unsigned i = 0; i < c->row->cores; i++)
        *(i % 2 == 0 ? &c->shared->in : &c->shared->out) += report[i].done;
    return fault;
}

static enum series_void run(void *context, uint64_t rounds, uint64_t *cycles)
{
    struct context *c = context;
    struct queue *q = &c->shared->queue;

    queue_kind_set(q, c->kind);
    if (c->row->cores > 1)
        return run_parallel(c, rounds, cycles);
    return q->loop->pair(q, rounds) == rounds ? VOID_NONE : VOID_DRY;
}

static void empty(void *context, uint64_t rounds)
{
    (void)context;
    for (; rounds > 0; rounds--)
        compiler_barrier();
}

/* ---- before and after ---- */

static unsigned variants_of(const struct row *row)
{
    unsigned n = 0;

    while (n < VARIANTS && (row->cores <= 2 || variants[n].takes_many))
        n++;
    return n;
}

static void measure(struct bench *b, const struct row *row, unsigned n,
                    struct context context[])
{
    struct series_variant variant[VARIANTS];
    const struct series series = {
        .name = row->name,
        .what = row->what,
        .unit = row->cores == 1 ? "pair: one in and one out"
                                : "operation of each core",
        .variant = variant,
        .variants = n,
        .base = VARIANT_BASE,
        .control = VARIANT_AGAIN,
        .operations = 1,
        .rounds = row->cores == 1 ? 0 : PARALLEL_ROUNDS,
        .empty = row->cores == 1 ? empty : NULL,
        .use = row->cores == 1 ? LINE_MINIMA : LINE_MEDIANS,
    };

    for (unsigned v = 0; v < n; v++)
        variant[v] =
            (struct series_variant) { variants[v].name, run, &context[v] };
    (void)bench_series(b, &series);
}

static enum status open_all(struct shared shared[], const struct row *row)
{
    static const enum queues_kind kinds[SHARED] = {
        [SHARED_SLOT] = QUEUE_SLOT_TICKET,
        [SHARED_INDEX_ONE] = QUEUE_INDEX_ONE,
        [SHARED_INDEX_MANY] = QUEUE_INDEX_MANY,
    };
    enum status status = OK;

    for (unsigned i = 0; i < SHARED && status == OK; i++) {
        status = queue_open(&shared[i].queue, kinds[i], row->size);
        if (status == OK)
            (void)queue_level_set(&shared[i].queue, row->level);
    }
    return status;
}

static struct shared *shared_of(struct shared shared[], enum queues_kind kind)
{
    if (kind == QUEUE_INDEX_ONE)
        return &shared[SHARED_INDEX_ONE];
    return &shared[kind == QUEUE_INDEX_MANY ? SHARED_INDEX_MANY : SHARED_SLOT];
}

static enum status measure_row(struct bench *b, const struct row *row)
{
    struct shared shared[SHARED] = { 0 };
    struct context context[VARIANTS];
    enum status status;

    if (!bench_has_cores(b, row->name, row->cores))
        return OK;
    for (unsigned v = 0; v < VARIANTS; v++)
        context[v] = (struct context) { row, variants[v].kind,
                                        shared_of(shared, variants[v].kind) };
    status = open_all(shared, row);
    if (status == OK) {
        measure(b, row, variants_of(row), context);
        for (unsigned i = 0; i < SHARED; i++)
            set_level(&shared[i], row->level);
    }
    for (unsigned i = 0; i < SHARED; i++)
        queue_close(&shared[i].queue);
    return status;
}

enum status bench_ring(struct bench *b)
{
    enum status status = OK;

    for (unsigned i = 0; i < ARRAY_SIZE(rows) && status == OK; i++)
        if (!b->is_aborted)
            status = measure_row(b, &rows[i]);
    return status;
}
