/*
 * serial.h - the serial console: which port, and bytes to and from it
 *
 * plat_console_write() and plat_console_read() end here; what is written appears
 * on the screen as well, when there is one (screen.h). Until serial_init()
 * what is written goes to COM1 if it answers and is kept, so that the console
 * chosen later shows it from the first line on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/acpi.h"

/* COM1 as the firmware left it. Needs nothing. */
void serial_early(void);

/*
 * Choose the console: @option (the value of console=, NULL = not given), else
 * SPCR, else COM1; a port that does not answer is passed over, with a log line.
 * Needs plat_map_device() when the port is memory-mapped.
 *
 * @spcr  NULL = there is none
 */
void serial_init(const char *option, const struct acpi_spcr *spcr);

/* What was written before serial_init(): a screen that opens shows it, too. */
const char *serial_backlog(size_t *bytes);

/* Bytes that the device did not take in time. */
uint64_t serial_dropped(void);
