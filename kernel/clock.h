/*
 * clock.h - the cycle counter's rate on this machine
 *
 * Waits and conversions are in <millrace/clock.h>.
 */
#pragma once

#include <stdbool.h>

#include <millrace/status.h>

#include "kernel/acpi.h"

/*
 * Find the rate: CPUID, the hypervisor, HPET and PM timer, as far as they
 * exist, compared with each other; all of it goes to the log. From then on
 * plat_cycles_hz() answers.
 *
 * Returns  OK; E_UNSUPPORTED when no source is usable
 * Cost     20 ms
 */
must_use enum status clock_calibrate(const struct acpi *acpi);

/* Two independent sources agree within 0.1 %: good enough to pace a rate. */
bool clock_is_verified(void);
