/*
 * pointers_avx2_test.c - the same where registers hold four pointers
 *
 * clang has no such pragma: there this is the narrow one again.
 */
#ifndef __clang__
#pragma GCC target("avx2")
#endif

#include "tests/unit/pointers_rig.h"

TEST(pointers_avx2, any_number_moves_and_nothing_beside_it)
{
    if (__builtin_cpu_supports("avx2"))
        pointers_try_all();
}

TEST(pointers_avx2, MP_37_constant_numbers_move_likewise)
{
    if (__builtin_cpu_supports("avx2"))
        pointers_try_constants();
}
