/*
 * machine.c - the host tests' machine, as it is, on memory that is given back
 *
 * What it would print before it aborts is the reason why a test failed.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/bare/machine.h"
#include "tests/host/host.h"

#define fprintf(stream, ...) machine_note(__VA_ARGS__)
/* One core is all that these tests use. */
#define host_cores(n)     ((void)0)
#define host_cores_turn() ((void)0)

#include "tests/host/host.c"

#undef fprintf

static struct {
    uint8_t *memory; /* MACHINE_ARENA, and what its alignment may cost */
    uint8_t *heap, *heap_next, *heap_end;
    char note[256];
} machine;

void machine_open(void *memory)
{
    machine.memory = memory;
    machine.heap = machine.memory + MACHINE_ARENA + ARENA_ALIGN;
    machine.heap_end = machine.memory + MACHINE_BYTES;
    (void)host_arena(MACHINE_ARENA);
    machine_reset();
}

void machine_reset(void)
{
    machine.heap_next = machine.heap;
    machine.note[0] = '\0';
    host_lcore = 0;
    host_reset();
}

void machine_close(void)
{
    arena = NULL;
}

void *mmap(void *where, size_t bytes, int access, int flags, int file,
           long offset)
{
    (void)where, (void)access, (void)flags, (void)file, (void)offset;
    return bytes <= MACHINE_ARENA + ARENA_ALIGN ? machine.memory : MAP_FAILED;
}

/* ---- the heap: what a test took goes back at its end ---- */

void *malloc(size_t bytes)
{
    void *const taken = machine.heap_next;

    if (bytes > (size_t)(machine.heap_end - machine.heap_next))
        return NULL;
    machine.heap_next += (bytes + 63) / 64 * 64;
    return taken;
}

void *calloc(size_t n, size_t bytes)
{
    void *const taken = malloc(n * bytes);

    return taken == NULL ? NULL : memset(taken, 0, n * bytes);
}

void free(void *memory)
{
    (void)memory;
}

/* ---- leaving ---- */

void machine_note(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(machine.note, sizeof(machine.note), fmt, args);
    va_end(args);
    machine.note[strcspn(machine.note, "\n")] = '\0';
}

void abort(void)
{
    machine_failed(machine.note[0] != '\0' ? machine.note : "aborted");
}
