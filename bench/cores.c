/*
 * cores.c - one window of work on several cores at once
 */
#include "bench/cores.h"

#include <string.h>

#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/plat.h>

/* For all to be awake at the start: doubled each time that it was too little. */
#define LEAD_US     100
#define LEAD_MAX_US 20000
#define WAIT_US     (10 * 1000000) /* then a core is lost */
#define SKEW        0.01

struct job {
    unsigned i;
    uint64_t rounds;
    uint64_t start; /* time stamp for all */
    cores_work *work;
    void *context;
    struct cores_report report;
};

unsigned cores_count(void)
{
    unsigned n = 1;

    for (unsigned i = 0; i < core_count() && n < CORES_MAX; i++)
        n += core_takes_work(i);
    return n;
}

static bool do_job(void *argument)
{
    struct job *job = argument;

    while ((int64_t)(plat_cycles() - job->start) < 0)
        plat_pause();
    job->report = (struct cores_report) { .start = series_now(),
                                          .asked = job->rounds,
                                          .done = job->rounds };
    job->work(job->context, job->i, job->rounds, &job->report);
    job->report.end = series_now();
    return false;
}

enum series_void cores_judge(const struct cores_report r[], unsigned n)
{
    uint64_t first = r[0].start, last = r[0].start, longest = 0;
    enum series_void fault = VOID_NONE;

    for (unsigned i = 0; i < n; i++) {
        first = r[i].start < first ? r[i].start : first;
        last = r[i].start > last ? r[i].start : last;
        longest =
            r[i].end - r[i].start > longest ? r[i].end - r[i].start : longest;
    }
    if ((double)(last - first) > SKEW * (double)longest)
        fault = VOID_SKEW;
    for (unsigned i = 0; i < n && fault != VOID_DRY; i++)
        if (r[i].ran_dry || r[i].done < r[i].asked)
            fault = r[i].ran_dry ? VOID_DRY : VOID_EARLY;
    return fault;
}

static uint64_t span_of(const struct cores_report r[], unsigned n)
{
    uint64_t first = r[0].start, last = r[0].end;

    for (unsigned i = 1; i < n; i++) {
        first = r[i].start < first ? r[i].start : first;
        last = r[i].end > last ? r[i].end : last;
    }
    return last - first;
}

/* Hand @jobs 1 .. @n - 1 to the cores that take work. */
static bool send_out(struct job jobs[], unsigned n, unsigned lcore[])
{
    unsigned sent = 1;

    for (unsigned i = 0; i < core_count() && sent < n; i++) {
        if (!core_takes_work(i) || core_run(i, do_job, &jobs[sent]) != OK)
            continue;
        lcore[sent++] = i;
    }
    return sent == n;
}

enum series_void cores_window(unsigned n, cores_work *work, void *context,
                              uint64_t rounds, uint64_t *cycles,
                              struct cores_report reports[])
{
    /* Not on the stack: a core that is lost may still come back to it. */
    static struct job jobs[CORES_MAX];
    unsigned lcore[CORES_MAX] = { 0 };
    static unsigned lead_us = LEAD_US;
    const uint64_t start = plat_cycles() + clock_us_to_cycles(lead_us);
    enum series_void fault;
    bool all_went;

    for (unsigned i = 0; i < n; i++)
        jobs[i] = (struct job) { .i = i,
                                 .rounds = rounds,
                                 .start = start,
                                 .work = work,
                                 .context = context };
    all_went = send_out(jobs, n, lcore);
    (void)do_job(&jobs[0]);
    for (unsigned i = 1; i < n; i++)
        if (lcore[i] != 0 && core_wait(lcore[i], WAIT_US) != OK)
            panic("bench: core %u did not come back", lcore[i]);
    for (unsigned i = 0; i < n; i++)
        reports[i] = jobs[i].report;
    *cycles = all_went ? span_of(reports, n) : 1;
    fault = all_went ? cores_judge(reports, n) : VOID_EARLY;
    if (fault == VOID_SKEW && lead_us < LEAD_MAX_US)
        lead_us *= 2;
    return fault;
}

enum series_void cores_do(unsigned n, cores_work *work, void *context,
                          uint64_t rounds, uint64_t *cycles)
{
    struct cores_report reports[CORES_MAX] = { 0 };

    if (n > 1)
        return cores_window(n, work, context, rounds, cycles, reports);
    work(context, 0, rounds, &reports[0]);
    return VOID_NONE;
}
