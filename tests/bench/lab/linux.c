/*
 * linux.c - Linux as the machine under the experiments: clock, names, cores
 */
#define _GNU_SOURCE
#include "tests/bench/lab/linux.h"

#include <cpuid.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <millrace/core.h>
#include <millrace/machine.h>
#include <millrace/plat.h>

#include "bench/cores.h"

#define CALIBRATE_NS 100000000

extern const char __executable_start[], etext[];

static uint64_t hz;
static unsigned cpus;
static int cpu_of[CORES_MAX]; /* the Linux CPU of each core */

/* ---- clock ---- */

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void calibrate(void)
{
    const uint64_t from_ns = now_ns(), from = plat_cycles();
    uint64_t ns;

    do {
        ns = now_ns() - from_ns;
    } while (ns < CALIBRATE_NS);
    hz = (uint64_t)((double)(plat_cycles() - from) * 1e9 / (double)ns);
}

uint64_t plat_cycles_hz(void)
{
    return hz;
}

/* ---- names ---- */

static uint32_t microcode(void)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    unsigned value = 0;
    char line[256];

    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (sscanf(line, "microcode : %x", &value) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return value == 0xFFFFFFFF ? 0 : value; /* what hypervisors show */
}

static void name_cpu(struct machine_facts *f)
{
    unsigned a = 0, b = 0, c = 0, d = 0, *name = (unsigned *)(void *)f->cpu;

    for (unsigned leaf = 0; leaf < 3; leaf++, name += 4)
        __get_cpuid(0x80000002 + leaf, &name[0], &name[1], &name[2], &name[3]);
    __get_cpuid(0, &a, &b, &c, &d);
    memcpy(f->vendor, &b, 4);
    memcpy(f->vendor + 4, &d, 4);
    memcpy(f->vendor + 8, &c, 4);
    __get_cpuid(1, &a, &b, &c, &d);
    f->stepping = a & 15;
    f->family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
    f->model = (a >> 4 & 15) | (a >> 12 & 0xF0);
    f->is_virtual = (c >> 31) != 0;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d))
        f->tsc_is_invariant = (d >> 8 & 1) != 0;
}

void plat_machine_get(struct machine_facts *f)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    unsigned a, b, c, d;

    memset(f, 0, sizeof(*f));
    name_cpu(f);
    f->microcode = microcode();
    if (f->is_virtual) {
        __cpuid(0x40000000, a, b, c, d);
        memcpy(f->hypervisor, &b, 4);
        memcpy(f->hypervisor + 4, &c, 4);
        memcpy(f->hypervisor + 8, &d, 4);
        f->is_emulated = strcmp(f->hypervisor, "TCGTCGTCGTCG") == 0;
    }
    for (const char *p = __executable_start; p < etext; p++)
        hash = (hash ^ (uint8_t)*p) * UINT64_C(0x100000001B3);
    f->image_hash = hash;
    f->text = "a Linux program, not the appliance";
}

/* ---- events ---- */

bool plat_event_count(enum machine_event event, uint64_t *count)
{
    struct rusage usage;

    if (event != MACHINE_PREEMPTED || getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    *count = (uint64_t)usage.ru_nivcsw;
    return true;
}

bool plat_core_cycles(uint64_t *cycles)
{
    (void)cycles;
    return false; /* not without a driver */
}

/* ---- cores ---- */

static struct {
    pthread_t thread;
    core_step *step;
    void *argument;
    bool is_busy;
} others[CORES_MAX];

static void stay_on(unsigned lcore)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu_of[lcore], &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        perror("lab: affinity");
}

unsigned core_count(void)
{
    return cpus;
}

const struct core_info *core_info_get(unsigned lcore)
{
    static struct core_info info;

    if (lcore >= cpus)
        return NULL;
    /* What a hypervisor tells of threads and cores is not to be relied on. */
    info = (struct core_info) { .is_ready = true,
                                .core = (uint32_t)cpu_of[lcore] };
    return &info;
}

bool core_takes_work(unsigned lcore)
{
    return lcore > 0 && lcore < cpus;
}

static void *core_main(void *argument)
{
    bench_lcore = (unsigned)(uintptr_t)argument;
    while (others[bench_lcore].step(others[bench_lcore].argument))
        ;
    return NULL;
}

/* On its CPU from the start: it may not get onto ours to leave it. */
static bool start(unsigned lcore)
{
    pthread_attr_t attributes;
    cpu_set_t set;
    bool is_started;

    CPU_ZERO(&set);
    CPU_SET(cpu_of[lcore], &set);
    if (pthread_attr_init(&attributes) != 0)
        return false;
    is_started =
        pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) == 0 &&
        pthread_create(&others[lcore].thread, &attributes, core_main,
                       (void *)(uintptr_t)lcore) == 0;
    (void)pthread_attr_destroy(&attributes);
    return is_started;
}

enum status core_run(unsigned lcore, core_step *step, void *argument)
{
    others[lcore].step = step;
    others[lcore].argument = argument;
    others[lcore].is_busy = start(lcore);
    return others[lcore].is_busy ? OK : E_NOMEM;
}

enum status core_wait(unsigned lcore, uint64_t timeout_us)
{
    (void)timeout_us;
    if (others[lcore].is_busy)
        pthread_join(others[lcore].thread, NULL);
    others[lcore].is_busy = false;
    return OK;
}

/* ---- the others on this machine ---- */

static void schedule(int policy, int priority)
{
    const struct sched_param param = { .sched_priority = priority };

    (void)!sched_setscheduler(0, policy, &param); /* not allowed: as it is */
}

void linux_go_first(void)
{
    schedule(SCHED_FIFO, 1);
}

void linux_let_others(void)
{
    schedule(SCHED_OTHER, 0);
    sched_yield();
    schedule(SCHED_FIFO, 1);
}

void linux_start(void)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof(set), &set);
    for (int i = 0; i < CPU_SETSIZE && cpus < CORES_MAX; i++)
        if (CPU_ISSET(i, &set))
            cpu_of[cpus++] = i;
    stay_on(0);
    calibrate();
}
