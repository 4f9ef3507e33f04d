/*
 * log.c - one line per event
 *
 *   L1  a call writes one line: what would break it (a newline, an escape
 *       sequence in foreign text) is shown as '?'
 *   L2  a line that is too long is cut, and ends in "..."
 *   L3  whoever shares the device is told before and after each line, and for
 *       no line that is not printed
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/stamp.h"

#define LINE_MAX 512

static enum log_level threshold = LOG_INFO;
static unsigned errors;
static const struct log_watch *watch;

void log_set_level(enum log_level level)
{
    threshold = level;
}

enum log_level log_get_level(void)
{
    return threshold;
}

unsigned log_errors(void)
{
    return errors;
}

void log_watch_set(const struct log_watch *w)
{
    watch = w;
}

static const char *prefix(enum log_level level)
{
    if (level <= LOG_CRIT)
        return "critical: ";
    if (level == LOG_ERR)
        return "error: ";
    return level == LOG_WARNING ? "warning: " : "";
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7F;
}

static void print(const char *line, size_t bytes)
{
    const struct log_watch *w = watch;

    if (w != NULL)
        w->before(); /* L3 */
    plat_console_write(line, bytes);
    if (w != NULL)
        w->after();
}

void log_write(enum log_level level, const char *fmt, ...)
{
    char line[LINE_MAX + 2]; /* and the newline */
    va_list args;

    if (level <= LOG_ERR)
        errors++;
    if (level > threshold)
        return;
    const uint64_t us = stamp_elapsed_us();
    const int head = snprintf(
        line, LINE_MAX, "[%5llu.%06llu] %s", (unsigned long long)(us / 1000000),
        (unsigned long long)(us % 1000000), prefix(level));

    va_start(args, fmt);
    const int body = vsnprintf(line + head, LINE_MAX - (size_t)head, fmt, args);
    va_end(args);
    size_t len = (size_t)head + (body > 0 ? (size_t)body : 0);

    if (len >= LINE_MAX) { /* L2 */
        len = LINE_MAX - 1;
        memcpy(line + len - 3, "...", 3);
    }
    for (size_t i = (size_t)head; i < len; i++)
        if (is_control(line[i])) /* L1 */
            line[i] = '?';
    line[len++] = '\n';
    print(line, len);
}
