/*
 * cmd_selftest_test.c - `selftest`: what it runs, refuses, counts, and gives back
 */
#include "tests/unit/test.h"

#include "console/console.h"
#include "console/out.h"
#include "mm/frame.h"
#include "mm/mbuf.h"
#include "mm/mm.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/console_rig.h"

#define ARENA ((size_t)16 << 20)

static struct mempool *pool;
static unsigned runs[2], failing;
static bool is_leaking;
static struct mbuf *leaked;

static const char *group(unsigned index)
{
    static const char *const names[] = { "mbuf_test", "ring_test" };

    return index < ARRAY_SIZE(names) ? names[index] : NULL;
}

static struct console_selftest_result run(unsigned index, void *memory,
                                          console_print *print)
{
    CHECK(frame_block_bytes(memory) >= 4 << 20);
    memset(memory, 0x5A, 4 << 20); /* all of it is theirs */
    runs[index]++;
    if (is_leaking)
        leaked = mbuf_alloc(pool);
    if (failing != 0)
        print("FAILED mbuf.some_promise\n");
    return (struct console_selftest_result) { 5 + index, failing };
}

static struct console_selftest tests = { .group = group, .run = run };
static struct console_hooks hooks = { .version = "test" };

static void begin(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = {
        .name = "p", .count = 64, .cache = 8, .data_room = 64, .lcores = 1
    };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    port_fake_reset(2, pool);
    fwd_init();
    fwd_pool_set(pool);
    memset(runs, 0, sizeof(runs));
    failing = 0;
    is_leaking = false;
    tests.bytes = 4 << 20;
    hooks.selftest = &tests;
    console_init(&hooks);
    console_open();
    console_poll();
}

TEST(cmd_selftest, all_groups_are_run_counted_and_what_they_took_comes_back)
{
    struct frame_stats before, after;

    begin();
    frame_stats_get(&before);
    for (unsigned i = 1; i <= 2; i++) {
        CHECK_STR(type("selftest\r"),
                  "selftest\n"
                  "mbuf_test                       5 tests, 0 failed\n"
                  "ring_test                       6 tests, 0 failed\n"
                  "selftest: 11 tests, 0 failed\n"
                  "millrace> ");
        CHECK_EQ(runs[0], i);
        CHECK_EQ(runs[1], i);
    }
    frame_stats_get(&after);
    CHECK_EQ(after.used, before.used);
}

TEST(cmd_selftest, one_group_is_picked_by_its_name)
{
    begin();
    CHECK_CONTAINS(type("selftest ring_test\r"),
                   "\nselftest: 6 tests, 0 failed\n");
    CHECK_EQ(runs[0], 0);
    CHECK_EQ(runs[1], 1);
    CHECK_CONTAINS(type("selftest rings\r"), "expected mbuf_test, ring_test");
}

TEST(cmd_selftest, failures_are_named_and_summed)
{
    begin();
    failing = 2;
    CHECK_CONTAINS(type("selftest\r"), "FAILED mbuf.some_promise\n");
    CHECK_CONTAINS(host_console_text(), "6 tests, 2 failed\n");
    CHECK_CONTAINS(host_console_text(), "\nselftest: 11 tests, 4 failed\n");
}

TEST(cmd_selftest, a_buffer_that_does_not_come_back_is_told)
{
    begin();
    is_leaking = true;
    CHECK_CONTAINS(type("selftest ring_test\r"), "free buffers from 64 to 63");
    mbuf_free(leaked);
}

TEST(cmd_selftest, refused_while_packets_move)
{
    begin();
    CHECK_EQ(fwd_start(), OK);
    CHECK_CONTAINS(type("selftest\r"), "Packet forwarding is on");
    CHECK_EQ(runs[0], 0);
    CHECK_EQ(fwd_stop(), OK);
    CHECK_CONTAINS(type("selftest\r"), "selftest: 11 tests");
}

TEST(cmd_selftest, missing_memory_is_told)
{
    begin();
    tests.bytes = 2 * ARENA;
    CHECK_CONTAINS(type("selftest\r"), "no 32 MiB of memory in one piece");
    CHECK_EQ(runs[0], 0);
}

TEST(cmd_selftest, an_image_without_tests_says_so)
{
    begin();
    hooks.selftest = NULL;
    CHECK_CONTAINS(type("selftest\r"), "This image carries no tests");
    CHECK_CONTAINS(type("selftest ring_test\r"), "does not fit here");
}
