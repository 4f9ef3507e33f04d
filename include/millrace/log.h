/*
 * log.h - one line per event: what was expected, found and done
 *
 * Lines go to the console with seconds since entry in brackets, as Linux prints
 * them. Data cores do not log; they count.
 */
#pragma once

#include <millrace/compiler.h>

enum log_level {
    LOG_EMERG,
    LOG_ALERT,
    LOG_CRIT,
    LOG_ERR,
    LOG_WARNING,
    LOG_NOTICE,
    LOG_INFO,
    LOG_DEBUG,
};

/*
 * Print one line (no newline in @fmt) when @level is at or below the threshold.
 *
 * Context  control core, traps excluded
 * Cost     the time the console takes; bounded, the line is dropped otherwise
 */
void log_write(enum log_level level, const char *fmt, ...) printf_like(2, 3);

/* Lines above @level are not printed; LOG_INFO at start. */
void log_set_level(enum log_level level);
enum log_level log_get_level(void);

/*
 * Lines at LOG_ERR or worse so far, printed or not. Who runs steps compares it
 * before and after one that failed: the cause is told once, by whoever saw it.
 */
unsigned log_errors(void);

/* Of a line about a failure, @errors being log_errors() before it. */
static inline enum log_level log_level_after(unsigned errors)
{
    return log_errors() == errors ? LOG_ERR : LOG_DEBUG;
}

/*
 * Told around each line that is printed: whoever shares the device with the log
 * ends its own line in time and takes it up again. NULL ends the watch. @watch
 * stays with the caller.
 */
struct log_watch {
    void (*before)(void);
    void (*after)(void);
};
void log_watch_set(const struct log_watch *watch);

#define log_error(...)   log_write(LOG_ERR, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __VA_ARGS__)
#define log_notice(...)  log_write(LOG_NOTICE, __VA_ARGS__)
#define log_info(...)    log_write(LOG_INFO, __VA_ARGS__)
#define log_debug(...)   log_write(LOG_DEBUG, __VA_ARGS__)

/*
 * One of our own invariants is broken: say which, dump, stop every core.
 * Never for a packet's or the world's fault.
 */
noreturn void panic(const char *fmt, ...) printf_like(1, 2);
