/*
 * panic.h - the end: say everything, stop every core, then do as told
 *
 * panic() itself is in <millrace/log.h>.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct trap_frame;

/* What an emulator's exit device is told; QEMU then ends with twice that + 1. */
#define PANIC_EXIT_CODE 99

#define PANIC_REBOOT_SECONDS 10

/*
 * What happens after the dump, the value of the option panic=:
 *
 *   reboot      after PANIC_REBOOT_SECONDS; the default
 *   halt        stay as it is
 *   exit:PORT   write PANIC_EXIT_CODE to the I/O port, then halt
 *
 * Returns  OK; E_INVALID with the reason in the log, nothing changed
 */
must_use enum status panic_policy_set(const char *text);

/* An exception that nothing handles. */
noreturn void panic_trap(const struct trap_frame *frame);

/* A core is dumping, or has. */
bool panic_is_on(void);
