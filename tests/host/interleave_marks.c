/*
 * interleave_marks.c - what a test says about single locations: orders that are
 * taken away, and memory that nobody may touch
 */
#include "tests/host/interleave.h"

#include <stdlib.h>

#include "tests/host/interleave_impl.h"

#define MARKS_MAX 4

static struct weak {
    const volatile void *p;
    unsigned accesses, threads;
} weak[MARKS_MAX];
static unsigned weak_count;

static const volatile void *forbidden[MARKS_MAX];
static unsigned forbidden_count;

void interleave_weaken(const void *p, unsigned accesses, unsigned threads)
{
    if (weak_count == MARKS_MAX)
        abort();
    weak[weak_count++] = (struct weak) { p, accesses, threads };
}

void interleave_strengthen(void)
{
    weak_count = 0;
}

int il_effective_order(const volatile void *p, unsigned access, int order)
{
    const unsigned thread = 1U << (il_running - il_threads);

    for (unsigned i = 0; i < weak_count; i++)
        if (weak[i].p == p && (weak[i].accesses & access) != 0 &&
            (weak[i].threads & thread) != 0)
            return __ATOMIC_RELAXED;
    return order;
}

void interleave_forbid(const volatile void *p)
{
    if (forbidden_count == MARKS_MAX)
        abort();
    forbidden[forbidden_count++] = p;
}

void il_check_allowed(const volatile void *p)
{
    for (unsigned i = 0; i < forbidden_count; i++)
        if (forbidden[i] == p)
            il_fail("an access outside");
}

void il_marks_reset(void)
{
    forbidden_count = 0;
}
