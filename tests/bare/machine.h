/*
 * machine.h - what tests in the image need beside tests/host/host.h
 */
#pragma once

#include <stdint.h>

#include <millrace/compiler.h>

#define MACHINE_ARENA (UINT64_C(64) << 20) /* the largest that a test asks */
#define MACHINE_BYTES (MACHINE_ARENA + (UINT64_C(8) << 20))

/* Make host_arena() and malloc() live in @memory, of MACHINE_BYTES. */
void machine_open(void *memory);

/* As at power-on, the heap empty: before each test. */
void machine_reset(void);

/* @memory is ours no more. */
void machine_close(void);

/* Why the machine is about to abort. */
void machine_note(const char *fmt, ...) printf_like(1, 2);

/* Where abort() ends: the running test's failure. */
noreturn void machine_failed(const char *reason);
