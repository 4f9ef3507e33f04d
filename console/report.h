/*
 * report.h - what `show` has to say, for people or, as JSON, for programs
 *
 * One call names a fact once: its key, how it reads, its value. Reports of both
 * kinds come from the same calls, so that neither can say what the other does
 * not.
 *
 *     report_begin(command_ends_in(call, "json"));
 *     report_u64("ipackets", "  RX-packets: %-10" PRIu64, s.ipackets);
 *     report_end();
 *
 * JSON is one object, from its { to its }, on as many lines as it takes. Keys
 * are those of DPDK's telemetry where it has them, and API: they may be added to,
 * never change. Numbers are unsigned integers below 2^64.
 *
 *   R1  whatever is opened is closed, by report_close() or report_end()
 *
 * Context: control core, one report at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

void report_begin(bool is_json);
void report_end(void);
bool report_is_json(void);

/* For people only: headings, frames, line ends. */
void report_text(const char *fmt, ...) printf_like(1, 2);

/* A fact; @fmt takes exactly this value. */
void report_u64(const char *key, const char *fmt, ...) printf_like(2, 3);
void report_uint(const char *key, const char *fmt, ...) printf_like(2, 3);
void report_string(const char *key, const char *fmt, ...) printf_like(2, 3);

/* A fact that a text says in other words, or not at all. */
void report_json_u64(const char *key, uint64_t value);
void report_json_bool(const char *key, bool value);
void report_json_string(const char *key, const char *fmt, ...)
    printf_like(2, 3);

/* Facts that belong together; @key is NULL in a list and at its end. */
void report_object(const char *key);
void report_list(const char *key);
void report_close(void);
