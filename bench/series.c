/*
 * series.c - windows, blocks, and the reasons for which they do not count
 */
#include "bench/series.h"

#include <immintrin.h>
#include <string.h>

#include <millrace/clock.h>
#include <millrace/plat.h>

#include "bench/disturbance.h"

#define WARM_MIN         5 /* windows of each variant before the first that counts */
#define WARM_AGREE       3 /* of them within WARM_SPREAD */
#define WARM_MAX         20
#define WARM_SPREAD      1.01
#define FIND_WINDOWS     3
#define EMPTY_WINDOWS    5
#define PILOT_BLOCKS     10
#define PILOT_DIFFERENCE 0.01
#define WINDOW_TRIES     10 /* of a window, before its block is void */
#define TRIES            4 /* a series gives up after this many times its blocks */

const char *const series_void_names[VOID_COUNT] = {
    [VOID_NONE] = "none",
#define SERIES_VOID_NAME(id, text) [VOID_##id] = text,
    SERIES_VOIDS(SERIES_VOID_NAME)
#undef SERIES_VOID_NAME
};

struct run {
    const struct series *s;
    const struct series_setting *set;
    struct series_result *r;
    struct disturbance disturbance;
    struct stats_random random;
};

uint64_t series_now(void)
{
    uint64_t now;

    _mm_mfence();
    _mm_lfence();
    now = plat_cycles();
    _mm_lfence();
    return now;
}

/* ---- one window ---- */

struct window {
    double cycles;
    double frequency; /* core cycles by time stamps; 0 = not told */
    enum series_void fault;
};

static struct window take(struct run *run, const struct series_variant *v,
                          uint64_t rounds)
{
    struct window w;
    uint64_t own = 0, start, end;

    disturbance_before(&run->disturbance);
    start = series_now();
    w.fault = v->run(v->context, rounds, &own);
    end = series_now();
    w.cycles = (double)(own != 0 ? own : end - start);
    disturbance_after(&run->disturbance, end - start);
    w.frequency = run->disturbance.frequency;
    if (w.fault == VOID_NONE)
        w.fault = run->disturbance.fault;
    if (run->set->idle != NULL && !run->r->is_aborted)
        run->r->is_aborted = run->set->idle(); /* V3 */
    return w;
}

/* What is left when the loop itself is subtracted; never nothing. */
static double cost_of(const struct run *run, const struct window *w)
{
    const double cycles = w->cycles - run->r->empty_cycles;

    return (cycles > 1 ? cycles : 1) /
           ((double)run->r->rounds * run->s->operations);
}

/* ---- before the first block ---- */

/* The least of several: one that was disturbed would make windows short. */
static double least_of(struct run *run, const struct series_variant *v,
                       uint64_t rounds)
{
    double least = take(run, v, rounds).cycles;

    for (unsigned i = 1; i < FIND_WINDOWS && !run->r->is_aborted; i++) {
        const double cycles = take(run, v, rounds).cycles;

        least = cycles < least ? cycles : least;
    }
    return least;
}

/* The rounds that make a window, by the base. */
static void find_rounds(struct run *run)
{
    const struct series_variant *base = &run->s->variant[run->s->base];
    const double wanted = (double)clock_us_to_cycles(run->set->window_us);
    uint64_t rounds = run->s->rounds != 0 ? run->s->rounds : 1;

    while (run->s->rounds == 0 && rounds < run->set->rounds_max &&
           !run->r->is_aborted) {
        const double cycles = least_of(run, base, rounds);

        if (cycles > wanted / 4) {
            rounds = (uint64_t)((double)rounds * wanted / cycles) + 1;
            break;
        }
        rounds *= 2;
    }
    run->r->rounds =
        rounds < run->set->rounds_max ? rounds : run->set->rounds_max;
}

static double empty_window(const struct run *run)
{
    void *context = run->s->variant[run->s->base].context;
    const uint64_t start = series_now();

    if (run->s->empty != NULL)
        run->s->empty(context, run->r->rounds);
    return (double)(series_now() - start);
}

static void find_empty_cost(struct run *run)
{
    double least = empty_window(run);

    for (unsigned i = 1; i < EMPTY_WINDOWS; i++) {
        const double cycles = empty_window(run);

        least = cycles < least ? cycles : least;
    }
    run->r->empty_cycles = least;
}

static bool agree(const double last[WARM_AGREE])
{
    double least = last[0], most = last[0];

    for (unsigned i = 1; i < WARM_AGREE; i++) {
        least = last[i] < least ? last[i] : least;
        most = last[i] > most ? last[i] : most;
    }
    return most <= least * WARM_SPREAD;
}

/* False when it never came to rest. */
static bool warm_up(struct run *run, const struct series_variant *v)
{
    double last[WARM_AGREE] = { 0 };

    for (unsigned i = 0; i < WARM_MAX && !run->r->is_aborted; i++) {
        last[i % WARM_AGREE] = take(run, v, run->r->rounds).cycles;
        if (i + 1 >= WARM_MIN && agree(last))
            return true;
    }
    return false;
}

/* ---- blocks ---- */

static bool frequency_moved(const double f[], unsigned n)
{
    double least = f[0], most = f[0];

    for (unsigned i = 1; i < n; i++) {
        least = f[i] < least ? f[i] : least;
        most = f[i] > most ? f[i] : most;
    }
    return most > least * (1 + DISTURBANCE_FREQUENCY);
}

/* One that counts, or the last of several that did not (V2). */
static struct window take_undisturbed(struct run *run,
                                      const struct series_variant *v)
{
    struct series_result *r = run->r;
    struct window w;

    for (unsigned i = 0; i < WINDOW_TRIES; i++) {
        w = take(run, v, r->rounds);
        if (w.fault == VOID_NONE || r->is_aborted)
            break;
        r->voids[w.fault]++;
        if (run->set->keep_void)
            break;
    }
    return w;
}

/* Why the block does not count, or VOID_NONE with its costs kept (V2). */
static enum series_void take_block(struct run *run)
{
    struct series_result *r = run->r;
    unsigned order[SERIES_VARIANTS_MAX];
    double frequency[SERIES_VARIANTS_MAX] = { 0 };
    enum series_void fault = VOID_NONE;

    stats_random_order(&run->random, order, run->s->variants);
    for (unsigned i = 0; i < run->s->variants && !r->is_aborted; i++) {
        const unsigned v = order[i];
        const struct window w = take_undisturbed(run, &run->s->variant[v]);

        fault = w.fault;
        if (fault != VOID_NONE && !run->set->keep_void)
            return fault;
        frequency[v] = w.frequency;
        r->cost[v][r->blocks] = cost_of(run, &w);
    }
    if (frequency[0] > 0)
        r->ghz = frequency[0] * (double)plat_cycles_hz() / 1e9;
    if (!frequency_moved(frequency, run->s->variants))
        return VOID_NONE;
    r->voids[VOID_FREQUENCY]++;
    return VOID_FREQUENCY;
}

/* Blocks that find PILOT_DIFFERENCE between the base and any other. */
static unsigned blocks_needed(const struct run *run)
{
    const struct series_result *r = run->r;
    unsigned most = 0;

    for (unsigned v = 0; v < run->s->variants; v++) {
        const unsigned n =
            v == run->s->base
                ? 0
                : stats_blocks_paired(stats_pair_variance(r->cost[v],
                                                          r->cost[run->s->base],
                                                          r->blocks),
                                      PILOT_DIFFERENCE);

        most = n > most ? n : most;
    }
    return most;
}

static unsigned blocks_wanted(struct run *run)
{
    const struct series_setting *set = run->set;

    if (run->r->blocks < PILOT_BLOCKS || set->blocks_max <= set->blocks)
        return set->blocks;
    if (run->r->blocks == PILOT_BLOCKS)
        run->r->wanted = blocks_needed(run);
    if (run->r->wanted < set->blocks)
        return set->blocks;
    return run->r->wanted < set->blocks_max ? run->r->wanted : set->blocks_max;
}

/* New addresses, and a window of each variant to get to know them. */
static bool renew(struct run *run)
{
    const struct series *s = run->s;

    if (!s->renew(s->variant[s->base].context))
        return false;
    for (unsigned v = 0; v < s->variants && !run->r->is_aborted; v++)
        (void)take(run, &s->variant[v], run->r->rounds);
    return true;
}

/* True when there is one block more. */
static bool add_block(struct run *run)
{
    const enum series_void fault = take_block(run);

    if ((fault != VOID_NONE && !run->set->keep_void) || run->r->is_aborted)
        return false;
    run->r->blocks++;
    return true;
}

static void take_blocks(struct run *run)
{
    struct series_result *r = run->r;
    unsigned tries = 0;

    while (r->blocks < blocks_wanted(run) && !r->is_aborted) {
        if (tries++ == blocks_wanted(run) * TRIES) {
            r->is_short = true;
            return;
        }
        if (add_block(run) && run->s->renew != NULL && !renew(run)) {
            r->is_short = true;
            return;
        }
    }
}

/* ---- the whole ---- */

static void compare_all(const struct run *run)
{
    struct series_result *r = run->r;

    for (unsigned v = 0; v < run->s->variants; v++)
        stats_compare(r->cost[v], r->cost[run->s->base], r->blocks,
                      run->set->seed + v, &r->against_base[v]);
    r->is_void = run->s->control != run->s->base &&
                 stats_differs(&r->against_base[run->s->control]); /* V4 */
}

enum status series_run(const struct series *s, const struct series_setting *set,
                       struct series_result *r)
{
    struct run run = {
        .s = s, .set = set, .r = r, .random = { .state = set->seed }
    };

    memset(r, 0, sizeof(*r));
    if (s->variants == 0 || s->variants > SERIES_VARIANTS_MAX ||
        set->blocks < 2 || set->blocks > SERIES_BLOCKS_MAX ||
        set->blocks_max > SERIES_BLOCKS_MAX || set->rounds_max == 0)
        return E_INVALID;
    disturbance_open(&run.disturbance);
    find_rounds(&run);
    find_empty_cost(&run);
    r->is_steady = true;
    for (unsigned v = 0; v < s->variants; v++)
        if (!warm_up(&run, &s->variant[v]))
            r->is_steady = false;
    take_blocks(&run);
    if (r->blocks == 0)
        return E_INVALID;
    compare_all(&run);
    return OK;
}
