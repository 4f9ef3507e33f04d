/*
 * test.h - a unit test file: TEST() bodies, then nothing; cmocka runs them
 *
 *     TEST(mempool, failed_get_takes_nothing)
 *     {
 *         CHECK_EQ(mempool_get_bulk(p, got, 9), E_NOBUF);
 *     }
 *
 * The machine is at host_reset() when a body starts. One file = one program;
 * give a test's name, or part of it, to run only what matches.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/host/host.h"

void test_register(const char *name, void (*body)(void));

#define TEST(module, behaviour)                                                \
    static void module##_##behaviour(void);                                    \
    __attribute__((constructor)) static void register_##module##_##behaviour(  \
        void)                                                                  \
    {                                                                          \
        test_register(#module "." #behaviour, module##_##behaviour);           \
    }                                                                          \
    static void module##_##behaviour(void)

#define CHECK(cond) assert_true(cond)
#define CHECK_EQ(a, b)                                                         \
    assert_int_equal((unsigned long long)(a), (unsigned long long)(b))
#define CHECK_STR(a, b)      assert_string_equal(a, b)
#define CHECK_CONTAINS(a, b) test_check_contains(a, b, __FILE__, __LINE__)
#define CHECK_BYTES(a, b, n) assert_memory_equal(a, b, n)

void test_check_contains(const char *text, const char *part, const char *file,
                         int line);

/* Run @statement and check that it left by @how (enum host_exit). */
#define CHECK_EXITS(how, statement)                                            \
    do {                                                                       \
        const int left = setjmp(host_exit_to);                                 \
        if (left == 0) {                                                       \
            host_exit_armed = true;                                            \
            statement;                                                         \
            host_exit_armed = false;                                           \
        }                                                                      \
        CHECK_EQ(left, how);                                                   \
    } while (0)

#define CHECK_PANICS(statement) CHECK_EXITS(HOST_PANIC, statement)
