/*
 * interleave_impl.h - between the search (interleave.c) and the memory model
 * (interleave_memory.c)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/interleave.h"

#define IL_LOCATIONS 48

/* What a thread knows, or what a store lets its reader know. */
struct il_view {
    uint8_t at[IL_LOCATIONS];           /* oldest store it may still see */
    uint16_t clock[INTERLEAVE_THREADS]; /* steps of each that came before */
};

struct il_thread {
    struct il_view view;
    uint64_t history;  /* hash of all it has seen: its own state */
    unsigned location; /* last load: which, and which store it saw */
    unsigned index;
    bool pausing; /* goes on when there is a newer store there */
    bool ended;
};

/* ---- search ---- */

extern struct il_thread il_threads[INTERLEAVE_THREADS];
extern struct il_thread *il_running; /* NULL outside a run */
extern enum interleave_model il_model;

/* One of @n ways to go on; all are tried in the course of the runs. */
unsigned il_choose(unsigned n);
/* The running thread waits for its turn. */
void il_turn(void);
/*
 * The run ends here; @wrong says why. It does not return, but the compiler must
 * not know: the address sanitizer would tidy up a stack that it takes for ours.
 */
void il_fail(const char *wrong);
void il_note(const char *access, const volatile void *p, uint64_t value);

static inline uint64_t il_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* ---- memory ---- */

void il_memory_reset(void);
uint64_t il_memory_hash(void);
/* A view's, the same whatever the order in which locations were met. */
uint64_t il_view_hash(const struct il_view *view);
bool il_has_newer(const struct il_thread *t);

/* ---- marks: interleave_marks.c ---- */

/* @order, unless it was taken away from this access of the running thread. */
int il_effective_order(const volatile void *p, unsigned access, int order);
void il_check_allowed(const volatile void *p);
/* What is forbidden is so for one run. */
void il_marks_reset(void);
