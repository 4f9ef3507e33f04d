/*
 * report.c - what `show` has to say, for people or, as JSON, for programs
 */
#include "console/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <millrace/log.h>

#include "console/out.h"

#define DEPTH_MAX  8
#define TEXT_MAX   256
#define LINE_WIDTH 72 /* a line ends at the first comma behind it */

static struct {
    bool is_json;
    unsigned depth;
    char closers[DEPTH_MAX];
    bool is_first; /* nothing stands in what was opened last */
    size_t line_start;
} r;

bool report_is_json(void)
{
    return r.is_json;
}

/* ---- JSON ---- */

static void print_quoted(const char *text)
{
    out("\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\')
            out("\\%c", c);
        else if (c < 0x20 || c >= 0x7F)
            out("\\u%04x", c);
        else
            out("%c", c);
    }
    out("\"");
}

/* What stands before a value: comma, and its key in an object. */
static void print_key(const char *key)
{
    if (!r.is_first)
        out(",");
    if (!r.is_first && out_position() - r.line_start > LINE_WIDTH) {
        out("\n");
        r.line_start = out_position();
    }
    r.is_first = false;
    if (key == NULL)
        return;
    print_quoted(key);
    out(":");
}

static void open(const char *key, const char *brackets)
{
    if (!r.is_json)
        return;
    if (r.depth == DEPTH_MAX)
        panic("report: more than %u levels", DEPTH_MAX);
    if (r.depth > 0)
        print_key(key);
    out("%c", brackets[0]);
    r.closers[r.depth++] = brackets[1];
    r.is_first = true;
}

/* ---- both ---- */

void report_begin(bool is_json)
{
    r.is_json = is_json;
    r.depth = 0;
    r.line_start = out_position();
    open(NULL, "{}");
}

void report_object(const char *key)
{
    open(key, "{}");
}

void report_list(const char *key)
{
    open(key, "[]");
}

void report_close(void)
{
    if (!r.is_json)
        return;
    if (r.depth == 0)
        panic("report: closed once too often"); /* R1 */
    out("%c", r.closers[--r.depth]);
    r.is_first = false;
}

void report_end(void)
{
    if (!r.is_json)
        return;
    while (r.depth > 0)
        report_close();
    out("\n");
    r.is_json = false;
}

static void print_text(const char *fmt, va_list args)
{
    char text[TEXT_MAX];

    vsnprintf(text, sizeof(text), fmt, args);
    out("%s", text);
}

void report_text(const char *fmt, ...)
{
    va_list args;

    if (r.is_json)
        return;
    va_start(args, fmt);
    print_text(fmt, args);
    va_end(args);
}

void report_u64(const char *key, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (r.is_json)
        report_json_u64(key, va_arg(args, uint64_t));
    else
        print_text(fmt, args);
    va_end(args);
}

void report_uint(const char *key, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (r.is_json)
        report_json_u64(key, va_arg(args, unsigned));
    else
        print_text(fmt, args);
    va_end(args);
}

void report_string(const char *key, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    if (r.is_json)
        report_json_string(key, "%s", va_arg(args, const char *));
    else
        print_text(fmt, args);
    va_end(args);
}

void report_json_u64(const char *key, uint64_t value)
{
    if (!r.is_json)
        return;
    print_key(key);
    out("%" PRIu64, value);
}

void report_json_bool(const char *key, bool value)
{
    if (!r.is_json)
        return;
    print_key(key);
    out(value ? "true" : "false");
}

void report_json_string(const char *key, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;

    if (!r.is_json)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    print_key(key);
    print_quoted(text);
}
