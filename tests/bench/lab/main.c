/*
 * main.c - the appliance's own experiments as a Linux program
 *
 *   lab [-q] [-w window_us] [-s seed] [all|mempool|mbuf|txfree|ring]
 *
 * The same code as `bench` on the console, at the machine's native speed. Others
 * run between two windows, and where we may ask for that, only then. If not, or
 * where something else takes the core away, the window is void; so they are short
 * here.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/bench.h"
#include "mm/mm.h"
#include "tests/bench/lab/linux.h"

#define ARENA_BYTES (UINT64_C(256) << 20)
#define FRAME       (UINT64_C(2) << 20)
#define WINDOW_US   1000

static volatile sig_atomic_t is_interrupted;

static void on_signal(int signal)
{
    (void)signal;
    is_interrupted = 1;
}

static bool idle(void)
{
    linux_let_others();
    return is_interrupted != 0;
}

static void print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    fflush(stdout);
}

static void open_memory(void)
{
    uint8_t *raw = mmap(NULL, ARENA_BYTES + FRAME, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct mm_range ram = { .bytes = ARENA_BYTES };

    if (raw == MAP_FAILED) {
        perror("lab: memory");
        exit(1);
    }
    ram.base = ((uintptr_t)raw + FRAME - 1) & ~(FRAME - 1);
    (void)madvise((void *)(uintptr_t)ram.base, ram.bytes, MADV_HUGEPAGE);
    memset((void *)(uintptr_t)ram.base, 0, ram.bytes);
    if (mm_init(&ram, 1) != OK)
        exit(1);
}

static const struct bench_tx_rig tx_rig = { tx_rig_open, tx_rig_fill,
                                            tx_rig_reclaim, tx_rig_close };

int main(int argc, char **argv)
{
    struct bench bench = { .print = print,
                           .idle = idle,
                           .seed = 1,
                           .tx_rig = &tx_rig,
                           .window_us = WINDOW_US };
    int option;

    while ((option = getopt(argc, argv, "qw:s:")) != -1) {
        if (option == 'q')
            bench.quick = true;
        else if (option == 'w')
            bench.window_us = strtoull(optarg, NULL, 0);
        else if (option == 's')
            bench.seed = strtoull(optarg, NULL, 0);
        else
            return 2;
    }
    signal(SIGINT, on_signal);
    linux_start();
    open_memory();
    linux_go_first();
    return bench_run(&bench, optind < argc ? argv[optind] : "all") == OK ? 0
                                                                         : 1;
}
