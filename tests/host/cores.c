/*
 * cores.c - other cores without threads: a turn for each when control pauses
 */
#include <millrace/core.h>
#include <millrace/plat.h>

#include "tests/host/host.h"

static bool stuck[LCORE_MAX];
static unsigned wakes[LCORE_MAX];
static bool is_turning; /* a step that pauses lets nobody else run */

void host_cores(unsigned n)
{
    core_init();
    host_lcore = 0;
    for (unsigned i = 0; i < LCORE_MAX; i++) {
        stuck[i] = false;
        wakes[i] = 0;
    }
    for (unsigned i = 1; i <= n; i++) {
        const struct core_info info = { .apic_id = i, .core = i };

        (void)!core_add(i, &info);
        core_set_ready(i);
    }
}

void host_cores_turn(void)
{
    const unsigned self = host_lcore;

    if (is_turning)
        return;
    is_turning = true;
    for (unsigned i = 0; i < core_count(); i++) {
        if (stuck[i] || !core_takes_work(i))
            continue;
        host_lcore = i;
        (void)core_turn(i);
    }
    host_lcore = self;
    is_turning = false;
}

void host_control_move(unsigned lcore)
{
    core_control_set(lcore);
    host_lcore = lcore;
}

void host_core_stuck(unsigned lcore, bool is_stuck)
{
    stuck[lcore] = is_stuck;
}

unsigned host_core_wakes(unsigned lcore)
{
    return wakes[lcore];
}

void plat_core_wake(unsigned lcore)
{
    wakes[lcore]++;
}

bool plat_smi_count(uint32_t *count)
{
    (void)count;
    return false;
}

uint64_t plat_interrupts(unsigned lcore)
{
    (void)lcore;
    return 0;
}
