/*
 * park.h - how a core sleeps that has nothing to do
 *
 * In hlt it is woken by an interrupt. In mwait it watches a line of memory: the
 * store that gives it work wakes it, and it takes no interrupt at all.
 */
#pragma once

#include <stdbool.h>

#include <millrace/core.h>

#include "kernel/topology.h"

struct park {
    bool in_mwait; /* else in hlt */
    const char *why;
};

/*
 * What suits this processor, and @wish, which may insist on mwait where CPUID
 * has it, against the reasons that speak for hlt.
 *
 * Source   Linux arch/x86/kernel/process.c (prefer_mwait_c1_over_halt) and
 *          cpu/intel.c (X86_BUG_MONITOR, X86_BUG_CLFLUSH_MONITOR); Intel SDM
 *          volume 2A, CPUID leaf 5
 */
struct park park_choose(topology_cpuid *cpuid, enum core_idle wish);
