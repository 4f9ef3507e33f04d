/*
 * power.h - how this machine is switched off and reset
 *
 * plat_power_off() and plat_reboot() end here.
 */
#pragma once

#include <stdint.h>

#include <millrace/status.h>

#include "kernel/acpi.h"

/*
 * Remember the registers that ACPI names; without it only the emulator's exit
 * and the PC's own ways of resetting are left. Needs plat_map_device().
 */
void power_init(const struct acpi *acpi);

/*
 * The value of the option debug-exit=: an I/O port that plat_power_off() writes
 * its code to first, as QEMU's isa-debug-exit wants.
 *
 * Returns  OK; E_INVALID with the reason in the log
 */
must_use enum status power_debug_exit_set(const char *text);
