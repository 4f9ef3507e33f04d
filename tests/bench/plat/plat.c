/*
 * plat.c - what mm/ asks of a machine, on a Linux host that measures
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <millrace/log.h>
#include <millrace/plat.h>

_Thread_local unsigned bench_lcore;

void log_write(enum log_level level, const char *fmt, ...)
{
    va_list args;

    if (level > LOG_WARNING)
        return;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

void panic(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}
