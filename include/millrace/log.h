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
