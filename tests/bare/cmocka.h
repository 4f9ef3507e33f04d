/*
 * cmocka.h - stands in for the library of that name in an image's own tests
 *
 * As much of it as tests/unit/test.h and the tests use, so that their files are
 * compiled as they are. A failed check leaves its test by longjmp.
 */
#pragma once

#include <millrace/compiler.h>

/* The name of the file that is compiled; the build says it. */
#ifndef SELFTEST_GROUP
#define SELFTEST_GROUP ""
#endif

void selftest_add(const char *group, const char *name, void (*body)(void));

noreturn printf_like(3, 4) void selftest_fail(const char *file, int line,
                                              const char *fmt, ...);
void selftest_equal(unsigned long long found, unsigned long long expected,
                    const char *file, int line);
void selftest_same_text(const char *found, const char *expected,
                        const char *file, int line);
void selftest_same_bytes(const void *found, const void *expected,
                         unsigned long bytes, const char *file, int line);

/* tests/unit/test.h declares it again: what is static here stays static. */
static inline void test_register(const char *name, void (*body)(void))
{
    selftest_add(SELFTEST_GROUP, name, body);
}

#define assert_true(claim)                                                     \
    do {                                                                       \
        if (!(claim))                                                          \
            selftest_fail(__FILE__, __LINE__, "not so: %s", #claim);           \
    } while (0)
#define assert_int_equal(found, expected)                                      \
    selftest_equal(found, expected, __FILE__, __LINE__)
#define assert_string_equal(found, expected)                                   \
    selftest_same_text(found, expected, __FILE__, __LINE__)
#define assert_memory_equal(found, expected, bytes)                            \
    selftest_same_bytes(found, expected, bytes, __FILE__, __LINE__)
#define fail_msg(...) selftest_fail(__FILE__, __LINE__, __VA_ARGS__)
