/*
 * power.h - how this machine is switched off and reset
 *
 * plat_power_off() and plat_reboot() end here.
 */
#pragma once

#include <stdint.h>

#include "kernel/acpi.h"

/*
 * Remember the registers that ACPI names; without it only the emulator's exit
 * and the PC's own ways of resetting are left. Needs plat_map_device().
 */
void power_init(const struct acpi *acpi);

/*
 * An I/O port that plat_power_off() writes its code to first, as QEMU's
 * isa-debug-exit wants; 0 = none.
 */
void power_debug_exit_set(uint16_t port);
