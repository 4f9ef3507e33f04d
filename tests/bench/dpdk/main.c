/*
 * main.c - pools, buffers and rings: ours and DPDK's, row by row
 *
 *   dpdk_bench [-p processes] [-r rounds] [-s seed] [WORD...]
 *
 * A row is measured in @processes fresh processes, in each @rounds times at new
 * addresses; all rows take turns. A process answers with the median ratio of
 * its rounds, and these answers are what the interval is about. Rows whose
 * names begin with aa_ compare ours with ours: what they differ by is the error
 * of the method.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/line.h"
#include "tests/bench/dpdk/measure.h"
#include "tests/bench/dpdk/rows.h"
#include "tests/bench/dpdk/walk.h"

#define ROUNDS_MAX    64
#define PROCESSES_MAX 128
#define ANSWERS_MIN   3 /* fewer have no interval */
#define NAME_MAX_LEN  40

static struct options {
    unsigned processes, rounds;
    uint64_t seed;
    bool is_child;
    char **words;
} options = { .processes = 10, .rounds = 5, .seed = 1 };

noreturn void give_up(const char *row, const char *what)
{
    fprintf(stderr, "dpdk_bench: %s: %s\n", row, what);
    exit(1);
}

/* ---- rows ---- */

#define POOL_ROW(name, n, flight, cache, store, objects) { #name, objects, 1 },
#define MBUF_ROW(name, n, flight, objects)               { #name, objects, 1 },
#define RING_ROW(name, users, n, objects)                { #name, objects, 1 },
#define PAIR_ROW(name, ring, n, objects)                 { #name, objects, 2 },

static const struct {
    const char *name;
    unsigned objects, cores;
} rows[] = { POOL_ROWS(POOL_ROW) WALK_ROWS(POOL_ROW) MBUF_ROWS(MBUF_ROW)
                 RING_ROWS(RING_ROW) PAIR_ROWS(PAIR_ROW) };
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Of each kind of work one row is measured against itself. */
static const char *const controls[] = { "pool_bulk_32", "mbuf_bulk_32",
                                        "ring_sp_sc_8", "ring_1p1c_8" };
#define CONTROLS (sizeof(controls) / sizeof(controls[0]))
#define SERIES   (ROWS + CONTROLS)

/*
 * A hypervisor may move its processors while we measure. Rounds whose two cores
 * are so many TSC cycles from each other and back, or more, share no cache: they
 * are a series of their own, SERIES further on.
 */
#define FAR_CYCLES 450
#define ALL_SERIES (2 * SERIES)

/* The row of series @i. */
static unsigned series_row(unsigned i)
{
    const char *name = i < ROWS ? rows[i].name : controls[i - ROWS];
    unsigned row = 0;

    while (strcmp(rows[row].name, name) != 0)
        if (++row == ROWS)
            give_up(name, "there is no such row");
    return row;
}

/* Series @i: a row, or a control. */
static struct row series_get(unsigned i)
{
    const unsigned r = series_row(i);
    const struct side ours = ours_side(rows[r].name);

    return (struct row) {
        .name = rows[r].name,
        .objects = rows[r].objects,
        .cores = rows[r].cores,
        .ours = ours,
        .peer = i < ROWS ? peer_side(rows[r].name) : ours,
    };
}

static void series_name(unsigned i, char out[NAME_MAX_LEN])
{
    snprintf(out, NAME_MAX_LEN, "%s%s", i < ROWS ? "" : "aa_",
             i < ROWS ? rows[i].name : controls[i - ROWS]);
}

static bool is_wanted(unsigned i)
{
    char name[NAME_MAX_LEN];

    series_name(i, name);
    if (options.words[0] == NULL)
        return true;
    for (char **word = options.words; *word != NULL; word++)
        if (strstr(name, *word) != NULL)
            return true;
    return false;
}

/* ---- cores ---- */

static unsigned core_ours, core_other;

/* The core we are on, and another one if there is one; 0 cores = 1 of them. */
static unsigned cores_choose(void)
{
    cpu_set_t set;

    core_ours = (unsigned)sched_getcpu();
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return 1;
    for (unsigned i = 0; i < CPU_SETSIZE; i++) {
        if (i == core_ours || !CPU_ISSET(i, &set))
            continue;
        core_other = i;
        return 2;
    }
    return 1;
}

/* ---- a process ---- */

/* One round; *@distance is 0 with one core, else the larger of two looks. */
static bool round_measure(const struct row *row, struct stats_random *random,
                          struct round *round, double *distance)
{
    bool is_done;
    double then;

    *distance = 0;
    if (row->cores == 1)
        return measure_round(row, random, round);
    pair_start(core_other);
    *distance = pair_distance();
    is_done = measure_round(row, random, round);
    then = pair_distance();
    pair_stop();
    *distance = then > *distance ? then : *distance;
    return is_done;
}

static void round_print(unsigned i, const struct row *row,
                        struct stats_random *random)
{
    struct round round;
    double distance;
    const bool is_done = round_measure(row, random, &round, &distance);

    printf("%u %.9g %.9g %u %u %.0f\n", i, is_done ? round.ours : 0,
           is_done ? round.peer : 0, round.kept, round.dropped, distance);
}

/*
 * Nobody else on our core while we measure, where we are allowed to ask; at
 * worst for the seconds that a process takes.
 */
static void stay_alone(void)
{
    const struct sched_param first = { .sched_priority = 1 };

    (void)!sched_setscheduler(0, SCHED_FIFO, &first);
}

/* Each round of each series, in random order: one line each. */
static void child_main(void)
{
    struct stats_random random = { options.seed };
    const unsigned cores = cores_choose();
    unsigned order[SERIES];

    ours_start();
    peer_start(core_ours);
    stay_alone();
    measure_start();
    for (unsigned r = 0; r < options.rounds; r++) {
        stats_random_order(&random, order, SERIES);
        walk_make(&random);
        for (unsigned i = 0; i < SERIES; i++) {
            const struct row row = series_get(order[i]);

            if (is_wanted(order[i]) && row.cores <= cores)
                round_print(order[i], &row, &random);
        }
    }
}

/* ---- all processes ---- */

/* What the processes answered: one value of each side a process. */
static struct answers {
    double ours[PROCESSES_MAX], peer[PROCESSES_MAX];
    unsigned n;
    unsigned kept, dropped; /* pairs of windows */
    unsigned rounds;
    double distance; /* sum over the rounds */
} answers[ALL_SERIES];

struct rounds {
    double ratio[ROUNDS_MAX], peer[ROUNDS_MAX];
    unsigned n;
};

static void rounds_read(FILE *from, struct rounds all[ALL_SERIES])
{
    unsigned i, kept, dropped;
    double ours, peer, distance;

    while (fscanf(from, "%u %lf %lf %u %u %lf", &i, &ours, &peer, &kept,
                  &dropped, &distance) == 6) {
        i += distance < FAR_CYCLES ? 0 : SERIES;
        if (i >= ALL_SERIES || all[i].n == ROUNDS_MAX)
            give_up("process", "it said too much");
        answers[i].rounds++;
        answers[i].distance += distance;
        answers[i].kept += kept;
        answers[i].dropped += dropped;
        if (peer <= 0)
            continue;
        all[i].ratio[all[i].n] = ours / peer;
        all[i].peer[all[i].n++] = peer;
    }
}

static void process_answer(const struct rounds *rounds, struct answers *to)
{
    struct rounds sorted = *rounds;
    double peer;

    if (rounds->n == 0)
        return;
    peer = stats_median(sorted.peer, sorted.n);
    to->peer[to->n] = peer;
    to->ours[to->n++] = stats_median(sorted.ratio, sorted.n) * peer;
}

static void process_run(unsigned p, char **argv)
{
    static struct rounds all[ALL_SERIES];
    char command[4096];
    FILE *from;
    int at;

    at =
        snprintf(command, sizeof(command), "exec '%s' -c -r %u -s %llu",
                 argv[0], options.rounds, (unsigned long long)options.seed + p);
    for (char **word = options.words; *word != NULL; word++)
        at += snprintf(command + at, sizeof(command) - (size_t)at, " '%s'",
                       *word);
    from = popen(command, "r");
    if (from == NULL)
        give_up("process", "cannot be started");
    memset(all, 0, sizeof(all));
    rounds_read(from, all);
    if (pclose(from) != 0)
        give_up("process", "failed");
    for (unsigned i = 0; i < ALL_SERIES; i++)
        process_answer(&all[i], &answers[i]);
}

/* What is said of all of it; the distance of two cores if there are two. */
static void series_more(unsigned i, const struct answers *a, char *out,
                        size_t bytes)
{
    const unsigned cores = rows[series_row(i)].cores;
    const int at =
        snprintf(out, bytes, "peer_build=%s flags=%s cores=%u dropped=%u/%u",
                 i < ROWS ? peer_build() : "ours", BENCH_FLAGS, cores,
                 a->dropped, a->kept + a->dropped);

    if (cores == 2)
        snprintf(out + at, bytes - (size_t)at, " round_trip=%.0f",
                 a->distance / a->rounds);
}

/* Series @i, where the cores are near; or far. */
static void series_report(unsigned i, bool is_far)
{
    const struct answers *a = &answers[is_far ? i + SERIES : i];
    struct stats_comparison comparison;
    struct line_figure figure;
    char name[NAME_MAX_LEN], line[LINE_BYTES_MAX], more[160];

    series_name(i, name);
    if (is_far)
        strcat(name, "_far");
    if (a->n < ANSWERS_MIN) {
        if (a->rounds != 0)
            printf(
                "# %s: %u of %u pairs of windows were disturbed: no figure\n",
                name, a->dropped, a->dropped + a->kept);
        return;
    }
    stats_compare(a->ours, a->peer, a->n, options.seed, &comparison);
    series_more(i, a, more, sizeof(more));
    figure = line_figure_of(name, "tsc_cycles", &comparison, LINE_MEDIANS);
    figure.more = more;
    (void)line_format(line, sizeof(line), &figure);
    printf("%s", line);
}

static void parent_main(char **argv)
{
    for (unsigned p = 0; p < options.processes; p++)
        process_run(p, argv);
    for (unsigned i = 0; i < ALL_SERIES; i++)
        if (is_wanted(i % SERIES))
            series_report(i % SERIES, i >= SERIES);
}

int main(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "cp:r:s:")) != -1) {
        if (option == 'c')
            options.is_child = true;
        else if (option == 'p')
            options.processes = (unsigned)atoi(optarg);
        else if (option == 'r')
            options.rounds = (unsigned)atoi(optarg);
        else if (option == 's')
            options.seed = strtoull(optarg, NULL, 10);
        else
            return 2;
    }
    options.words = argv + optind;
    if (options.processes == 0 || options.processes > PROCESSES_MAX ||
        options.rounds == 0 || options.rounds > ROUNDS_MAX)
        give_up("options", "too few or too many processes or rounds");
    if (options.is_child)
        child_main();
    else
        parent_main(argv);
    return 0;
}
