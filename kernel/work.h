/*
 * work.h - what a core does all its life: work, or sleep until there is some
 */
#pragma once

#include <stdbool.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/* Before any core works: how do they sleep? */
void work_init(bool sleep_in_mwait);

/* Take what comes by <millrace/core.h>. The calling core is number @lcore. */
noreturn void work_for_ever(unsigned lcore);

/*
 * Let core @lcore go on with @go_on as the control core; the calling core, which
 * was that, sleeps until it gets work, as the others do.
 *
 * Returns  only when core @lcore takes no work: E_NOENT
 * Context  the boot core, after smp_start(); nobody else has work
 */
must_use enum status work_move_control(unsigned lcore,
                                       noreturn void (*go_on)(void));
