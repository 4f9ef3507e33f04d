/*
 * main.c - the soak: cores, checkpoints, totals
 *
 *   soak [--seed=N] [--operations=N] [--seconds=N] [--cores=N] [--turns]
 *        [--between=N]
 *
 * Ends when so many operations were done or so many seconds passed, whatever is
 * first. With --turns the cores are not threads but take turns in one, in an
 * order that the seed gives: then the seed repeats a run exactly, up to its end.
 * With threads it repeats what each core chooses, not what it meets.
 */
#include <getopt.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <millrace/plat.h>

#include "mm/mm.h"
#include "tests/soak/soak.h"

enum { CLOSE_EVERY = 32, TURN_MAX = 64, CORES_IN_TURNS = 3, THREADS_MAX = 4 };

#define ARENA (UINT64_C(64) << 20)
#define ALIGN (UINT64_C(2) << 20)

struct core cores[CORES_MAX];
unsigned core_total;
bool in_turns;

static uint64_t seed, operations_wanted = 1000000000, seconds_wanted;
static unsigned between = 100000; /* operations of a core, checkpoint to next */
static unsigned checkpoints;
static struct core chooser; /* what happens at checkpoints, and whose turn */
static struct timespec begun;
static bool is_over;

static const char *const part_names[PARTS] = { "pools", "buffers", "transmit",
                                               "rings" };

/* ---- sums ---- */

static double seconds_passed(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun.tv_sec) +
           (double)(now.tv_nsec - begun.tv_nsec) / 1e9;
}

static uint64_t operations_of(unsigned part)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < core_total; k++)
        sum += cores[k].operations[part];
    return sum;
}

static uint64_t operations_done(void)
{
    uint64_t sum = 0;

    for (unsigned p = 0; p < PARTS; p++)
        sum += operations_of(p);
    return sum;
}

static uint64_t objects_of(unsigned part)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < core_total; k++)
        sum += cores[k].objects[part];
    return sum;
}

void soak_fail(const char *fmt, ...)
{
    va_list args;

    flockfile(stdout);
    printf("soak: FAILED after %u checkpoints: ", checkpoints);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\nsoak: again with SEED=%llu%s\n", (unsigned long long)seed,
           in_turns ? ", which does the very same" : "");
    fflush(stdout);
    _Exit(1);
}

/* ---- a core's work ---- */

static void operate(struct core *c)
{
    static const uint8_t part_of[16] = {
        PART_POOL, PART_POOL, PART_POOL, PART_POOL, PART_POOL, PART_MBUF,
        PART_MBUF, PART_MBUF, PART_MBUF, PART_MBUF, PART_TX,   PART_TX,
        PART_TX,   PART_RING, PART_RING, PART_RING,
    };
    static unsigned (*const way[PARTS])(struct core *) = {
        [PART_POOL] = pools_operate,
        [PART_MBUF] = packets_operate,
        [PART_TX] = wires_operate,
        [PART_RING] = rings_operate,
    };
    const unsigned part = part_of[below(c, 16)];

    c->objects[part] += way[part](c);
    c->operations[part]++;
}

static void take_turns(void)
{
    for (unsigned done = 0; done < between * core_total;) {
        struct core *c = &cores[below(&chooser, core_total)];
        const unsigned n = 1 + below(&chooser, TURN_MAX);

        soak_lcore = c->id;
        for (unsigned i = 0; i < n; i++)
            operate(c);
        done += n;
    }
    soak_lcore = 0;
}

static pthread_barrier_t gate;

static void *core_main(void *arg)
{
    struct core *c = arg;

    soak_lcore = c->id;
    for (;;) {
        pthread_barrier_wait(&gate);
        if (is_over)
            return NULL;
        for (unsigned i = 0; i < between; i++)
            operate(c);
        pthread_barrier_wait(&gate);
    }
}

/* ---- all stand still ---- */

static void close_all(void)
{
    wires_close();
    rings_close();
    packets_close();
    pools_close();
}

static void checkpoint(void)
{
    wires_check(&chooser);
    rings_check(&chooser);
    packets_check();
    pools_check();
    checkpoints++;
    if (checkpoints % CLOSE_EVERY == 0)
        close_all();
}

static bool is_enough(void)
{
    return operations_done() >= operations_wanted ||
           (seconds_wanted != 0 && seconds_passed() >= (double)seconds_wanted);
}

static void run(void)
{
    pthread_t thread[CORES_MAX];

    if (!in_turns) {
        pthread_barrier_init(&gate, NULL, core_total + 1);
        for (unsigned k = 0; k < core_total; k++)
            if (pthread_create(&thread[k], NULL, core_main, &cores[k]) != 0)
                soak_fail("no thread for core %u", k);
    }
    while (!is_enough()) {
        if (in_turns) {
            take_turns();
        } else {
            pthread_barrier_wait(&gate);
            pthread_barrier_wait(&gate);
        }
        checkpoint();
    }
    if (!in_turns) {
        is_over = true;
        pthread_barrier_wait(&gate);
        for (unsigned k = 0; k < core_total; k++)
            pthread_join(thread[k], NULL);
    }
    close_all();
}

/* ---- start and end ---- */

static uint64_t mixed(uint64_t n)
{
    /* splitmix64: no two cores start near each other */
    n += UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
    return (n ^ n >> 31) | 1;
}

static void open_all(void)
{
    uint8_t *raw = mmap(NULL, ARENA + ALIGN, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct mm_range ram = { ((uintptr_t)raw + ALIGN - 1) & ~(ALIGN - 1),
                                  ARENA };

    if (raw == MAP_FAILED || mm_init(&ram, 1) != OK)
        soak_fail("no memory");
    chooser.random = mixed(seed);
    for (unsigned k = 0; k < core_total; k++) {
        cores[k].id = k;
        cores[k].random = mixed(seed + k + 1);
    }
    pools_open();
    packets_open();
    rings_open();
    wires_open();
}

/* As many as there are processors: more would wait for each other's locks. */
static unsigned cores_usual(void)
{
    const long n = sysconf(_SC_NPROCESSORS_ONLN);

    if (in_turns)
        return CORES_IN_TURNS;
    return n < 2 ? 2 : n > THREADS_MAX ? THREADS_MAX : (unsigned)n;
}

static void read_options(int argc, char **argv)
{
    static const struct option options[] = {
        { "seed", required_argument, NULL, 's' },
        { "operations", required_argument, NULL, 'o' },
        { "seconds", required_argument, NULL, 't' },
        { "cores", required_argument, NULL, 'c' },
        { "between", required_argument, NULL, 'b' },
        { "turns", no_argument, NULL, 'r' },
        { NULL, 0, NULL, 0 },
    };
    int option;

    seed = (uint64_t)begun.tv_nsec ^ (uint64_t)begun.tv_sec << 20;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const uint64_t n = optarg == NULL ? 0 : strtoull(optarg, NULL, 0);

        switch (option) {
        case 's':
            seed = n;
            break;
        case 'o':
            operations_wanted = n;
            break;
        case 't':
            seconds_wanted = n;
            break;
        case 'c':
            core_total = (unsigned)n;
            break;
        case 'b':
            between = (unsigned)n;
            break;
        case 'r':
            in_turns = true;
            break;
        default:
            exit(2);
        }
    }
    if (core_total == 0)
        core_total = cores_usual();
    if (core_total > CORES_MAX || between < 1 || optind != argc) {
        fprintf(stderr, "soak: wants 1..%u cores, and no words without --\n",
                CORES_MAX);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    clock_gettime(CLOCK_MONOTONIC, &begun);
    read_options(argc, argv);
    printf("soak: SEED=%llu, %u cores%s\n", (unsigned long long)seed,
           core_total, in_turns ? " that take turns in one thread" : "");
    fflush(stdout);
    open_all();
    run();

    const double s = seconds_passed();

    for (unsigned p = 0; p < PARTS; p++)
        printf("soak:   %-9s %12llu operations, %13llu objects\n",
               part_names[p], (unsigned long long)operations_of(p),
               (unsigned long long)objects_of(p));
    printf("soak: %llu operations in %.1f s, %.1f million a second; all "
           "accounted for at %u checkpoints\n",
           (unsigned long long)operations_done(), s,
           (double)operations_done() / s / 1e6, checkpoints);
    return 0;
}
