/*
 * log.c - the model's log
 */
#include <stdarg.h>
#include <stdint.h>
#include <time.h>

#include "base/log.h"

static FILE *log_file;
static struct timespec log_start;

void model_log_to(FILE *out)
{
    log_file = out;
}

void model_log(const char *format, ...)
{
    FILE *out = log_file != NULL ? log_file : stderr;
    struct timespec now;
    va_list args;
    int64_t us;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (log_start.tv_sec == 0)
        log_start = now;
    us = (now.tv_sec - log_start.tv_sec) * INT64_C(1000000) +
         (now.tv_nsec - log_start.tv_nsec) / 1000;
    fprintf(out, "[%5lld.%06lld] model: ", (long long)(us / 1000000),
            (long long)(us % 1000000));
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    fputc('\n', out);
    fflush(out);
}
