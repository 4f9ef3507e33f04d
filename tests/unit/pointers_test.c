/*
 * pointers_test.c - arrays of pointers moved as the tests are compiled
 */
#include "tests/unit/pointers_rig.h"

TEST(pointers, any_number_moves_and_nothing_beside_it)
{
    pointers_try_all();
}

TEST(pointers, MP_37_constant_numbers_move_likewise)
{
    pointers_try_constants();
}
