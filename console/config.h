/*
 * config.h - a configuration text: commands, one a line
 *
 *     # comments start anywhere
 *     version 1
 *     port required 0000:01:00.0
 *     port optional 0000:02:00.0
 *     set fwd mac
 *     set eth-peer 0000:01:00.0 02:00:00:00:00:01
 *     set promisc 0000:02:00.0 off
 *     start
 *
 * The first line that is not empty is `version 1`. The whole text is checked
 * before anything is applied. Ports go by their PCI or MAC address; a port that
 * is not there is an error, unless a line before said that it is optional: then
 * the lines that name it are left out, each with a line in the log.
 */
#pragma once

#include <stddef.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/*
 * Check all lines. Each error is one line in the log, "source:line:column: what
 * is wrong; what was expected"; after CONFIG_ERRORS_MAX only their number.
 *
 * Returns  OK, or E_INVALID
 */
#define CONFIG_ERRORS_MAX 10
must_use enum status config_check(const char *text, size_t bytes,
                                  const char *source);

/* The same without the machine: any address may be that of a port. */
must_use enum status config_check_offline(const char *text, size_t bytes,
                                          const char *source);

/*
 * Check, then run the commands in order.
 *
 * Returns  OK; E_INVALID with nothing applied; or the status of the command
 *          that failed, named in the log, with those before it in effect
 */
must_use enum status config_apply(const char *text, size_t bytes,
                                  const char *source);
