/*
 * smp.h - the other cores: found, started, asleep until they get work
 */
#pragma once

#include <millrace/core.h>
#include <millrace/status.h>

#include "boot/boot_info.h"
#include "kernel/acpi.h"

/*
 * Start every core that @acpi lists. From then on <millrace/core.h> knows them;
 * one that does not answer is named in the log and left out.
 *
 * @idle    how they sleep while they have no work
 * Returns  OK, also when cores are left out; E_UNSUPPORTED, E_NOMEM when none
 *          can be started: core 0 works alone
 * Cost     10 ms that a core needs to reset; SMP_ANSWER_US more when one does
 *          not answer
 * Context  the boot core, after mm_init(), vm_init() and clock_calibrate()
 */
#define SMP_ANSWER_US (2 * 1000 * 1000)
must_use enum status smp_start(const struct acpi *acpi,
                               const struct boot_info *boot,
                               enum core_idle idle);
