/*
 * failed.c - what a fuzz target does when its invariant does not hold
 */
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

_Noreturn void fuzz_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}
