/*
 * interleave_test.c - the checker itself, on the litmus tests of the literature
 *
 * What C11 forbids must never be found, what it allows must be. The answers are
 * those of the C11 memory model for these programs ("MP", "SB", "CoRR", "2+2W",
 * "ISA2"; see J. Alglave et al., "Herding cats", 2014, and cppmem).
 */
#include "tests/host/interleave_hooks.h"

#include "tests/host/interleave.h"
#include "tests/unit/test.h"

static int x, y, z, data; /* shared */
static int seen[4];       /* each written by one thread */
static int order_of_store, order_of_load;

static void start(void)
{
    x = y = z = data = 0;
    memset(seen, 0, sizeof(seen));
}

/* How it ends; every way of ending is then asked for on its own. */
static int asked[4];

static const char *as_asked(void)
{
    return memcmp(seen, asked, sizeof(seen)) == 0 ? "found" : NULL;
}

/* Can the threads end with @seen? */
static bool can_end(enum interleave_model model, void (*a)(void),
                    void (*b)(void), const int end[4])
{
    const struct interleave what = { model, start, { a, b }, as_asked };

    memcpy(asked, end, sizeof(asked));
    return interleave_try(&what).wrong != NULL;
}

#define END(...) ((const int[4]) { __VA_ARGS__ })

/* ---- SB: each stores, then loads the other's ---- */

static void sb_a(void)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
    seen[0] = __atomic_load_n(&y, __ATOMIC_ACQUIRE);
}

static void sb_b(void)
{
    __atomic_store_n(&y, 1, __ATOMIC_RELEASE);
    seen[1] = __atomic_load_n(&x, __ATOMIC_ACQUIRE);
}

TEST(interleave, SB_stores_may_be_delayed)
{
    CHECK(can_end(INTERLEAVE_DECLARED, sb_a, sb_b, END(0, 0)));
    CHECK(can_end(INTERLEAVE_DECLARED, sb_a, sb_b, END(0, 1)));
    CHECK(can_end(INTERLEAVE_DECLARED, sb_a, sb_b, END(1, 0)));
    CHECK(can_end(INTERLEAVE_DECLARED, sb_a, sb_b, END(1, 1)));
}

TEST(interleave, SB_but_not_where_memory_is_strong)
{
    CHECK(!can_end(INTERLEAVE_STRONG, sb_a, sb_b, END(0, 0)));
    CHECK(can_end(INTERLEAVE_STRONG, sb_a, sb_b, END(1, 1)));
}

/* ---- MP: a message and its flag ---- */

static void mp_a(void)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&y, 1, order_of_store);
}

static void mp_b(void)
{
    seen[0] = __atomic_load_n(&y, order_of_load);
    seen[1] = __atomic_load_n(&x, __ATOMIC_RELAXED);
}

static bool message_can_be_late(int store, int load)
{
    order_of_store = store;
    order_of_load = load;
    return can_end(INTERLEAVE_DECLARED, mp_a, mp_b, END(1, 0));
}

TEST(interleave, MP_needs_both_release_and_acquire)
{
    CHECK(!message_can_be_late(__ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
    CHECK(message_can_be_late(__ATOMIC_RELAXED, __ATOMIC_ACQUIRE));
    CHECK(message_can_be_late(__ATOMIC_RELEASE, __ATOMIC_RELAXED));
    CHECK(can_end(INTERLEAVE_DECLARED, mp_a, mp_b, END(1, 1)));
    CHECK(can_end(INTERLEAVE_DECLARED, mp_a, mp_b, END(0, 1)));
}

TEST(interleave, weakened_accesses_count_as_relaxed)
{
    interleave_weaken(&y, INTERLEAVE_LOAD, 2);
    CHECK(message_can_be_late(__ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
    interleave_strengthen();
    interleave_weaken(&y, INTERLEAVE_STORE, 1);
    CHECK(message_can_be_late(__ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
    interleave_strengthen();
    interleave_weaken(&y, INTERLEAVE_STORE | INTERLEAVE_SWAP, 2);
    interleave_weaken(&x, INTERLEAVE_LOAD, INTERLEAVE_ALL);
    CHECK(!message_can_be_late(__ATOMIC_RELEASE, __ATOMIC_ACQUIRE));
    interleave_strengthen();
}

/* ---- CoRR: one location never goes back ---- */

static void corr_a(void)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&x, 2, __ATOMIC_RELAXED);
}

static void corr_b(void)
{
    seen[0] = __atomic_load_n(&x, __ATOMIC_RELAXED);
    seen[1] = __atomic_load_n(&x, __ATOMIC_RELAXED);
}

TEST(interleave, CoRR_one_location_never_goes_back)
{
    for (int i = 0; i <= 2; i++)
        for (int k = 0; k <= 2; k++)
            CHECK_EQ(can_end(INTERLEAVE_DECLARED, corr_a, corr_b, END(i, k)),
                     i <= k);
}

/* ---- atomics that load and store at once ---- */

static void add_two(void)
{
    seen[0] = __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
    seen[1] = __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

static void add_one(void)
{
    seen[2] = __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

TEST(interleave, additions_never_see_the_same)
{
    unsigned ways = 0;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int m = 0; m < 3; m++)
                if (can_end(INTERLEAVE_DECLARED, add_two, add_one,
                            END(i, k, m))) {
                    CHECK(i < k && i != m && k != m);
                    ways++;
                }
    CHECK_EQ(ways, 3);
}

static void swap_once(void)
{
    int expected = 0;

    seen[0] = __atomic_compare_exchange_n(&x, &expected, 5, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    seen[1] = expected;
}

TEST(interleave, a_failed_swap_tells_what_it_saw)
{
    CHECK(can_end(INTERLEAVE_DECLARED, swap_once, add_one, END(1, 0, 5)));
    CHECK(can_end(INTERLEAVE_DECLARED, swap_once, add_one, END(0, 1, 0)));
    CHECK(!can_end(INTERLEAVE_DECLARED, swap_once, add_one, END(1, 0, 0)));
}

/* A release goes on through an addition of another thread (release sequence). */
static void chain_a(void)
{
    plain_store(&data, 7);
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
}

static void chain_b(void)
{
    __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

static void chain_c(void)
{
    if (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 2)
        seen[0] = plain_load(&data);
}

static const char *nothing_wrong(void)
{
    return NULL;
}

TEST(interleave, a_release_goes_on_through_an_addition)
{
    /* 2 means that the addition came after the store: before, it is undone */
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { chain_a, chain_b, chain_c }, nothing_wrong
    };

    CHECK(interleave_try(&what).wrong == NULL);
}

/* ---- plain memory ---- */

static void plain_a(void)
{
    plain_store(&data, 7);
    __atomic_store_n(&x, 1, order_of_store);
}

static void plain_b(void)
{
    if (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 1)
        seen[0] = plain_load(&data);
}

static void plain_late(void)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
    plain_store(&data, 7);
}

static const char *try_two(void (*a)(void), void (*b)(void))
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { a, b }, nothing_wrong
    };

    return interleave_try(&what).wrong;
}

TEST(interleave, plain_accesses_must_be_ordered)
{
    order_of_store = __ATOMIC_RELEASE;
    CHECK(try_two(plain_a, plain_b) == NULL);
    order_of_store = __ATOMIC_RELAXED;
    CHECK_CONTAINS(try_two(plain_a, plain_b), "nothing orders it");
    CHECK_CONTAINS(try_two(plain_late, plain_b), "nothing orders it");
}

/* A read that comes first is a danger to the write all the same. */
static void read_then_tell(void)
{
    seen[0] = plain_load(&data);
    __atomic_store_n(&x, 1, order_of_store);
}

static void wait_then_write(void)
{
    if (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 1)
        plain_store(&data, 1);
}

TEST(interleave, a_write_after_a_read_must_be_ordered)
{
    order_of_store = __ATOMIC_RELEASE;
    CHECK(try_two(read_then_tell, wait_then_write) == NULL);
    order_of_store = __ATOMIC_RELAXED;
    CHECK_CONTAINS(try_two(read_then_tell, wait_then_write),
                   "nothing orders it after a read");
}

static void touch_outside(void)
{
    __atomic_store_n(&z, 1, __ATOMIC_RELAXED);
}

static void forbid_z(void)
{
    start();
    interleave_forbid(&z);
}

TEST(interleave, forbidden_memory_is_found)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, forbid_z, { touch_outside }, nothing_wrong
    };

    CHECK_STR(interleave_try(&what).wrong, "an access outside");
}

/* ---- threads that wait ---- */

static void wait_for_x(void)
{
    while (__atomic_load_n(&x, __ATOMIC_ACQUIRE) == 0)
        __builtin_ia32_pause();
    seen[0] = plain_load(&data);
}

static void wait_for_y(void)
{
    while (__atomic_load_n(&y, __ATOMIC_ACQUIRE) == 0)
        __builtin_ia32_pause();
    __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
}

TEST(interleave, a_wait_ends_when_its_reason_does)
{
    order_of_store = __ATOMIC_RELEASE;
    CHECK(try_two(wait_for_x, chain_a) == NULL);
    CHECK(try_two(chain_a, wait_for_x) == NULL);
}

TEST(interleave, a_wait_for_each_other_is_found)
{
    CHECK_STR(try_two(wait_for_x, wait_for_y), "all wait");
}

static void endless(void)
{
    for (;;)
        __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
}

TEST(interleave, a_thread_without_an_end_is_found)
{
    CHECK(try_two(endless, NULL) != NULL);
}

/* Nothing is tried twice, nothing left out: 2 threads of 3 independent steps. */
static void three_x(void)
{
    for (int i = 0; i < 3; i++)
        __atomic_store_n(&x, i, __ATOMIC_RELAXED);
}

static void three_y(void)
{
    for (int i = 0; i < 3; i++)
        __atomic_store_n(&y, i, __ATOMIC_RELAXED);
}

TEST(interleave, the_states_of_independent_threads_are_a_grid)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED, start, { three_x, three_y }, nothing_wrong
    };

    /* both at 0..3 steps; the last corner is the end, where nothing waits */
    CHECK_EQ(interleave_try(&what).states, 4 * 4 - 1);
}
