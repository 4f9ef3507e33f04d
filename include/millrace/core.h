/*
 * core.h - the machine's cores, and work for those that are not the control core
 *
 * Core 0 is the one that booted. It is the control core and calls all of this,
 * unless it was told to hand that over (core_control_set). The others sleep until they get work: a step, which is called again and again
 * until it returns false. Between two steps a core is at a quiet point: it owns
 * nothing that control could not touch. A step is therefore short, some 10 us,
 * and leaves everything in order.
 *
 *     static bool copy(void *arg) { ...; return false; }   once
 *
 *     if (core_run(3, copy, &job) == OK && core_wait(3, 1000000) == OK)
 *         ... job is done, and what it wrote can be read ...
 *
 * Numbers are those of plat_lcore_id(). They follow from the firmware's list
 * alone: a core that does not answer keeps its number and leaves a gap.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/plat.h>
#include <millrace/status.h>

struct core_info {
    bool is_ready; /* it takes work, or is the control core */
    uint32_t apic_id;
    uint32_t package; /* socket */
    uint32_t core;    /* within its package */
    uint32_t thread;  /* within its core */
    uint32_t node;    /* of memory; 0 where nobody says */
};

/* How a core without work sleeps. */
enum core_idle {
    CORE_IDLE_AUTO,  /* as suits the processor */
    CORE_IDLE_HALT,  /* in hlt, woken by an interrupt */
    CORE_IDLE_MWAIT, /* in mwait, woken by a store; hlt where there is none */
};

/* Numbers 0 .. this - 1 are cores, ready or not. At least 1. */
unsigned core_count(void);

/* What core @lcore is; NULL from core_count() on. */
const struct core_info *core_info_get(unsigned lcore);

/* The control core. */
unsigned core_control(void);

/* Does it take work? Never true of the control core. */
bool core_takes_work(unsigned lcore);

typedef bool core_step(void *arg);

/*
 * Let core @lcore call @step(@arg) until it returns false. What was written
 * before is there for the step to read.
 *
 * Returns  OK; E_NOENT when it does not take work; E_BUSY when it has some
 */
must_use enum status core_run(unsigned lcore, core_step *step, void *arg);

/* It has work that is not done. When false, what the step wrote can be read. */
bool core_is_busy(unsigned lcore);

/* OK when it has no work (any more) within @timeout_us; else E_TIMEOUT. */
must_use enum status core_wait(unsigned lcore, uint64_t timeout_us);

/*
 * Let every core that has work stay at its next quiet point, and wait until all
 * are there. What they use may then be changed; core_release() lets them go on
 * and see it. May be nested: the last release counts.
 *
 * Returns  OK; E_TIMEOUT, with the core's number in the log, and nobody held
 *          by this call
 * Cost     the longest step, and the stillness of all
 */
#define CORE_HOLD_US 100000 /* enough, unless a core is lost */
must_use enum status core_hold(uint64_t timeout_us);
void core_release(void);

/*
 * The same without anybody standing still: once core_quiet_reached(), which does
 * not wait, every core that has work was between two steps since the ticket was
 * asked for, and sees what was written before.
 */
uint64_t core_quiet_ask(void);
bool core_quiet_reached(uint64_t ticket);

/* ---- for who starts cores ---- */

/* All forgotten but core 0, which is the control core. */
void core_init(void);

/*
 * From now on core @lcore, which calls this within a step that does not end, is
 * the control core; the one before takes work.
 */
void core_control_set(unsigned lcore);

/* Core @lcore exists; OK, or E_RANGE. Ascending, without gaps. */
must_use enum status core_add(unsigned lcore, const struct core_info *info);

/* From now on it takes work: it is about to call core_turn(). */
void core_set_ready(unsigned lcore);

/*
 * What a core does all its life, by turns.
 *
 * Returns  true when it did or may have to do something; false when it may
 *          sleep until plat_core_wake(), unless core_has_work()
 * Context  core @lcore itself
 */
bool core_turn(unsigned lcore);
bool core_has_work(unsigned lcore);

/* Whoever gives core @lcore work stores here; else nobody does. */
const void *core_work_line(unsigned lcore);
