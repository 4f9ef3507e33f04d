/*
 * plat.c - what the soaked code asks of a machine
 */
#include <stdarg.h>
#include <stdio.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "tests/soak/soak.h"

_Thread_local unsigned soak_lcore;

/* Broken promises of a queue are part of the exercise. */
void log_write(enum log_level level, const char *fmt, ...)
{
    va_list args;

    if (level >= LOG_WARNING)
        return;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

void panic(const char *fmt, ...)
{
    char reason[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    soak_fail("panic: %s", reason);
}

uint64_t plat_cycles_hz(void)
{
    return 1000000000; /* nothing here waits */
}
