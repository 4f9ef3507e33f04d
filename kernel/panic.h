/*
 * panic.h - the end: say everything, stop every core, then do as told
 *
 * panic() itself is in <millrace/log.h>.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

struct trap_frame;

/* What an emulator's exit device is told; QEMU then ends with twice that + 1. */
#define PANIC_EXIT_CODE 99

#define PANIC_REBOOT_SECONDS 10 /* unless told otherwise */

/*
 * After the dump: wait @seconds and reset the machine. As for Linux's panic=, 0
 * is never and less than 0 is at once.
 */
void panic_reboot_after(int seconds);

/* After the dump: write PANIC_EXIT_CODE to the I/O port @port, then stay. */
void panic_exit_to(uint16_t port);

/* An exception that nothing handles. */
noreturn void panic_trap(const struct trap_frame *frame);

/* A core is dumping, or has. */
bool panic_is_on(void);
