/*
 * runner.c - runs the tests that were linked into the image
 *
 * All of this, and the copies of mm/ that are tested, know each other by names
 * that end at the link (mk/selftest.mk): pools, rings and the log of the running
 * appliance are others, and no test can reach them.
 *
 *   R1  tests register by constructors, which nobody but us runs
 *   R2  a failed check, an abort and a panic leave their test, and the next runs
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "console/console.h"
#include "mm/mm.h"
#include "tests/bare/machine.h"
#include "tests/unit/test.h"

#define TESTS_MAX  512
#define GROUPS_MAX 64

/* What the composition hands to the console. */
extern const struct console_selftest selftest;

typedef void constructor(void);
extern constructor *const __init_array_start[], *const __init_array_end[];

static struct test {
    const char *name;
    void (*body)(void);
} tests[TESTS_MAX];

/* Tests [first, first + count). */
static struct group {
    const char *name;
    unsigned first, count;
} groups[GROUPS_MAX];

static unsigned test_count, group_count;

static struct {
    const struct test *test;
    console_print *print;
    jmp_buf end;
} running;

/* ---- what there is ---- */

void selftest_add(const char *group, const char *name, void (*body)(void))
{
    struct group *g = &groups[group_count - 1];

    if (group_count == 0 || strcmp(g->name, group) != 0) {
        if (group_count == GROUPS_MAX)
            return;
        g = &groups[group_count++];
        *g = (struct group) { group, test_count, 0 };
    }
    if (test_count == TESTS_MAX)
        return;
    tests[test_count++] = (struct test) { name, body };
    g->count++;
}

static void register_all(void)
{
    if (test_count != 0)
        return;
    for (constructor *const *c = __init_array_start; c < __init_array_end; c++)
        (*c)();
}

static const char *group_name(unsigned i)
{
    register_all();
    return i < group_count ? groups[i].name : NULL;
}

/* ---- checks ---- */

void selftest_fail(const char *file, int line, const char *fmt, ...)
{
    char reason[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    running.print("FAILED %s\n  %s:%d: %s\n", running.test->name, file, line,
                  reason);
    longjmp(running.end, 1);
}

void machine_failed(const char *reason)
{
    running.print("FAILED %s\n  %s\n", running.test->name, reason);
    longjmp(running.end, 1);
}

void selftest_equal(unsigned long long found, unsigned long long expected,
                    const char *file, int line)
{
    if (found != expected)
        selftest_fail(file, line, "found %#llx, expected %#llx", found,
                      expected);
}

void selftest_same_text(const char *found, const char *expected,
                        const char *file, int line)
{
    if (strcmp(found, expected) != 0)
        selftest_fail(file, line, "found \"%s\", expected \"%s\"", found,
                      expected);
}

void selftest_same_bytes(const void *found, const void *expected,
                         unsigned long bytes, const char *file, int line)
{
    const uint8_t *f = found, *e = expected;

    for (unsigned long i = 0; i < bytes; i++)
        if (f[i] != e[i])
            selftest_fail(file, line, "byte %lu: found %#x, expected %#x", i,
                          f[i], e[i]);
}

void test_check_contains(const char *text, const char *part, const char *file,
                         int line)
{
    if (strstr(text, part) == NULL)
        selftest_fail(file, line, "\"%s\" does not contain \"%s\"", text, part);
}

/* ---- runs ---- */

static bool passes(const struct test *t)
{
    running.test = t;
    machine_reset();
    if (setjmp(running.end) != 0)
        return false;
    t->body();
    return true;
}

static struct console_selftest_result run_group(unsigned i, void *memory,
                                                console_print *print)
{
    struct console_selftest_result r = { 0 };

    running.print = print;
    machine_open(memory);
    for (unsigned k = 0; k < groups[i].count; k++) {
        r.tests++;
        r.failed += !passes(&tests[groups[i].first + k]);
    }
    mm_close();
    machine_close();
    return r;
}

const struct console_selftest selftest = {
    .bytes = MACHINE_BYTES,
    .group = group_name,
    .run = run_group,
};
