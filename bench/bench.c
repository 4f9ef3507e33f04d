/*
 * bench.c - one experiment or all of them, and what surrounds them
 */
#include "bench/bench.h"

#include <string.h>

#include <millrace/log.h>

#include "bench/cores.h"
#include "bench/environment.h"
#include "bench/report.h"
#include "mm/frame.h"

#define WINDOW_US       20000
#define QUICK_WINDOW_US 200
#define QUICK_ROUNDS    64
#define QUICK_BLOCKS    3

const struct bench_experiment bench_experiments[BENCH_EXPERIMENTS] = {
    { "mempool", "what does the cache policy of 2022 gain?", bench_mempool },
    { "mbuf", "what does it cost to restore a buffer when it is freed?",
      bench_mbuf },
    { "txfree", "in which pieces should sent buffers go back?", bench_txfree },
    { "ring", "what does a queue of pointers cost, with which lock?",
      bench_ring },
};

/* ---- a series ---- */

static struct series_setting setting(const struct bench *b)
{
    const uint64_t window = b->window_us != 0 ? b->window_us : WINDOW_US;

    return (struct series_setting) {
        .seed = b->seed + b->series,
        .window_us = b->quick ? QUICK_WINDOW_US : window,
        .rounds_max = b->quick ? QUICK_ROUNDS : UINT64_MAX / 2,
        .blocks = b->quick ? QUICK_BLOCKS : SERIES_BLOCKS_MIN,
        .blocks_max = b->quick ? QUICK_BLOCKS : SERIES_BLOCKS_MAX,
        .keep_void = b->quick,
        .idle = b->idle,
    };
}

const struct series_result *bench_series(struct bench *b,
                                         const struct series *s)
{
    static struct series_result result;
    const struct series_setting set = setting(b);
    const enum status status = series_run(s, &set, &result);

    b->series++;
    b->is_aborted |= result.is_aborted;
    for (unsigned i = 0; i < VOID_COUNT; i++)
        b->void_windows[i] += result.voids[i];
    if (b->is_aborted)
        return NULL;
    b->print("%s: %s, cycles per %s\n", s->name, s->what, s->unit);
    if (status != OK) {
        b->series_short++;
        b->print("  nothing undisturbed could be had\n");
        report_voids(b->print, result.voids);
        b->print("\n");
        return NULL;
    }
    b->series_void += result.is_void;
    b->series_short += result.is_short;
    report_series(b->print, s, &result);
    return &result;
}

void bench_not_possible(struct bench *b, const char *what, const char *why)
{
    b->not_possible++;
    b->print("%s: not measured: %s\n\n", what, why);
}

bool bench_has_cores(struct bench *b, const char *what, unsigned cores)
{
    if (cores_count() >= cores)
        return true;
    b->not_possible++;
    b->print("%s: not measured: needs %u cores, has %u\n\n", what, cores,
             cores_count());
    return false;
}

/* ---- all of it ---- */

/* Of all, the end is far from the beginning: it has the environment again. */
static void summary(const struct bench *b, bool all)
{
    b->print("Report\n");
    b->print("  %u series, %u void by their A/A control, %u cut short, %u not "
             "possible here\n",
             b->series, b->series_void, b->series_short, b->not_possible);
    report_voids(b->print, b->void_windows);
    if (b->quick)
        b->print(
            "  quick: few blocks, void windows among them; this claims nothing\n");
    if (all)
        environment_print(b->print, b->seed);
    else
        environment_warn(b->print);
}

static enum status run_one(struct bench *b, const struct bench_experiment *e)
{
    struct frame_stats before, after;
    enum status status;

    b->print("== %s: %s\n\n", e->name, e->question);
    frame_stats_get(&before);
    status = e->run(b);
    frame_stats_get(&after);
    if (after.used != before.used) /* N1 */
        panic("bench: %s kept memory: %llu bytes before, %llu after", e->name,
              (unsigned long long)before.used, (unsigned long long)after.used);
    return status;
}

enum status bench_run(struct bench *b, const char *name)
{
    const bool all = strcmp(name, "all") == 0;
    enum status status = E_NOENT;

    environment_print(b->print, b->seed);
    for (unsigned i = 0; i < BENCH_EXPERIMENTS && !b->is_aborted; i++) {
        const struct bench_experiment *e = &bench_experiments[i];

        if (!all && strcmp(name, e->name) != 0)
            continue;
        status = run_one(b, e);
        if (status != OK && !b->is_aborted)
            break;
    }
    summary(b, all);
    if (b->is_aborted)
        return E_STATE;
    return status;
}
