/*
 * mempool_test.c - a pool's life: creation, sizing, accounts, destruction, and
 * what a checking build catches
 */
#include "mm/frame.h"
#include "tests/unit/mempool_rig.h"

/* ---- creation ---- */

static void refused(const struct mempool_config *config, const char *reason)
{
    struct frame_stats before, after;

    frame_stats_get(&before);
    host_console_clear();
    CHECK(mempool_create(config) == NULL);
    CHECK_CONTAINS(host_console_text(), reason);
    frame_stats_get(&after);
    CHECK_EQ(after.used, before.used);
}

/* Caches of 1.5 times their size must fit a pool of P0 or P1 as well. */
TEST(mempool, MP_25_every_cache_must_fit_the_pool)
{
    static const struct {
        unsigned count, cache;
        const char *fault;     /* NULL = fine */
        const char *old_fault; /* P0, P1 */
    } rows[] = {
        { 0, 8, "no buffers", "no buffers" },
        { 1, 1, NULL, NULL },
        { 8, 8, NULL, "larger than the pool" },
        { 8, 9, "larger than the pool", "larger than the pool" },
        { 12, 8, NULL, NULL },
        { 11, 8, NULL, "larger than the pool" },
        { 1024, 513, "larger than 512", "larger than 512" },
        { 511, 512, "larger than the pool", "larger than the pool" },
        { 512, 512, NULL, "larger than the pool" },
        { 768, 512, NULL, NULL },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows) * MEMPOOL_POLICIES; i++) {
        const enum mempool_policy policy = i % MEMPOOL_POLICIES;
        const unsigned row = i / MEMPOOL_POLICIES;
        const bool old = policy == MEMPOOL_P0 || policy == MEMPOOL_P1;
        const char *fault = old ? rows[row].old_fault : rows[row].fault;
        const struct mempool_config config = { .name = "test",
                                               .count = rows[row].count,
                                               .cache = rows[row].cache,
                                               .data_room = 64,
                                               .lcores = 4,
                                               .policy = policy };

        memory_open();
        if (fault == NULL)
            CHECK(mempool_create(&config) != NULL);
        else
            refused(&config, fault);
    }
}

/* A policy of caches without one, and with more than there may be. */
TEST(mempool, MP_26_caches_of_0_and_513_are_refused)
{
    for (enum mempool_policy policy = MEMPOOL_P0; policy <= MEMPOOL_P2;
         policy++) {
        struct mempool_config c = { .name = "test",
                                    .count = 4096,
                                    .policy = policy };

        memory_open();
        refused(&c, "its policy is one of caches, and it has none");
        c.cache = 513;
        refused(&c, "larger than 512");
    }
}

TEST(mempool, bad_configurations_are_refused_with_the_rule)
{
    const struct mempool_config good = { .name = "test", .count = 8 };
    struct mempool_config c;

    memory_open();
    c = good, c.name = NULL;
    refused(&c, "no name");
    c = good, c.name = "";
    refused(&c, "no name");
    c = good, c.name = "a name of more than thirty-one characters";
    refused(&c, "longer than 31");
    c = good, c.data_room = 65536;
    refused(&c, "larger than 65535");
    c = good, c.private_bytes = 12;
    refused(&c, "multiple of 8");
    c = good, c.private_bytes = 65536;
    refused(&c, "private part is larger");
    c = good, c.lcores = LCORE_MAX + 1;
    refused(&c, "more caches than");
    c = good, c.policy = MEMPOOL_POLICIES;
    refused(&c, "no such policy");
    c = good, c.policy = MEMPOOL_P1, c.cache = 4, c.steal = true;
    refused(&c, "knows no stealing");
    c = good, c.count = UINT32_MAX;
    refused(&c, "more than 2^31");
    CHECK(mempool_create(&good) != NULL);
    refused(&good, "the name is taken");
}

TEST(mempool, MEM_05_missing_memory_is_named_in_bytes)
{
    const struct mempool_config c = { .name = "big",
                                      .count = 100000,
                                      .data_room = MBUF_DATA_ROOM };
    const struct mempool_config largest = {
        .name = "big", .count = UINT32_MAX / 2, .cache = 512, .data_room = 65535
    };

    memory_open();
    refused(&c, "for 100000 buffers");
    CHECK_CONTAINS(host_console_text(), "the largest gap is");
    refused(&largest, "for 2147483647 buffers");
}

TEST(mempool, MP_39_sizing_rule_names_every_term)
{
    const struct mempool_need need = {
        .rx_desc = 1024, .tx_desc = 512, .lcores = 2, .cache = 256, .burst = 32
    };

    CHECK_EQ(mempool_count_needed(&need), 1024 + 512 + 2 * (256 + 32));
    CHECK_EQ(mempool_count_check("rx", 2112, &need), OK);
    CHECK_EQ(mempool_count_check("rx", 2111, &need), E_INVALID);
    CHECK_CONTAINS(host_console_text(),
                   "pool \"rx\" has 2111 buffers, but 1024 Rx + 512 Tx "
                   "descriptors + 2 cores * (cache 256 + burst 32) need 2112");
}

/* The sizing rule keeps its word: one core only gets, one only puts. */
static void one_gets_one_puts(enum mempool_policy policy, unsigned cache)
{
    enum { RING = 128, BURST = 32 };
    const struct mempool_need need = { .rx_desc = RING,
                                       .lcores = 2,
                                       .cache =
                                           mempool_cache_most(policy, cache),
                                       .burst = BURST };
    struct mempool *p =
        policy_pool_of(policy, (unsigned)mempool_count_needed(&need), cache);
    struct mbuf *ring[RING], *m[BURST];
    unsigned at = 0;

    get(p, ring, RING);
    for (unsigned i = 0; i < 2000; i++) {
        const unsigned n = 1 + i * 7 % BURST;

        host_lcore = 0;
        get(p, m, n);
        host_lcore = 1;
        for (unsigned k = 0; k < n; k++, at = (at + 1) % RING) {
            mempool_put_bulk(p, &ring[at], 1);
            ring[at] = m[k];
        }
    }
}

/* P0 gives no such promise: see MP-08. */
TEST(mempool, MP_39_a_pool_of_that_size_never_runs_dry)
{
    for (unsigned cache = 1; cache <= 96; cache += 5) {
        one_gets_one_puts(MEMPOOL_GROUPS, cache);
        one_gets_one_puts(MEMPOOL_P1, cache);
        one_gets_one_puts(MEMPOOL_P2, cache);
    }
}

/* ---- pools come and go ---- */

TEST(mempool, MP_42_destroy_with_buffers_out_is_refused)
{
    struct mempool *p = pool_of(64, 8);
    struct frame_stats with, without;
    struct mempool_account a;
    struct mbuf *m[5];

    get(p, m, 5);
    mempool_account_get(p, &a);
    CHECK_EQ(a.count, 64);
    CHECK_EQ(a.in_caches, 3);
    CHECK_EQ(a.in_store, 56);
    CHECK_EQ(a.held, 5);
    CHECK_EQ(mempool_destroy(p), E_BUSY);
    CHECK_CONTAINS(host_console_text(), "5 of 64 buffers are still out");
    mempool_put_bulk(p, m, 5);
    frame_stats_get(&with);
    CHECK_EQ(mempool_destroy(p), OK); /* caches may be full */
    frame_stats_get(&without);
    CHECK(without.used < with.used);
    CHECK(mempool_next(NULL) == NULL);
}

TEST(mempool, pools_are_found_in_turn)
{
    struct mempool_config config = { .name = "a", .count = 8 };
    struct mempool *a, *b, *c;

    memory_open();
    a = mempool_create(&config);
    config.name = "b";
    b = mempool_create(&config);
    config.name = "c";
    c = mempool_create(&config);
    CHECK(mempool_next(NULL) == c);
    CHECK(mempool_next(c) == b);
    CHECK_EQ(mempool_destroy(b), OK);
    CHECK(mempool_next(c) == a);
    CHECK(mempool_next(a) == NULL);
    CHECK_STR(mempool_name(a), "a");
}

/* ---- checking build ---- */

TEST(mempool, MP_34_putting_twice_is_named)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[3];

    get(p, m, 3);
    mempool_put_bulk(p, &m[2], 1);
    CHECK_PANICS(mempool_put_bulk(p, &m[2], 1));
    CHECK_STR(host_panic_text, "mempool: buffer 2 of pool \"test\" put twice");
}

TEST(mempool, MP_34_foreign_buffers_are_named)
{
    struct mempool *p = pool_of(64, 8);
    const struct mempool_config config = { .name = "other", .count = 8 };
    struct mempool *other = mempool_create(&config);
    struct mbuf *m;

    get(other, &m, 1);
    CHECK_PANICS(mempool_put_bulk(p, &m, 1));
    CHECK_CONTAINS(host_panic_text, "is not a buffer of pool \"test\"");
}

TEST(mempool, MEM_02_address_inside_a_buffer_is_named)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m;

    get(p, &m, 1);
    m = (struct mbuf *)(void *)((char *)m + CACHE_LINE);
    CHECK_PANICS(mempool_put_bulk(p, &m, 1));
    CHECK_CONTAINS(host_panic_text, "is not a buffer of pool \"test\"");
}

TEST(mempool, MP_34_overwritten_guard_is_named)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m;

    get(p, &m, 1);
    ((char *)m->buf_addr)[m->buf_len] ^= 1;
    CHECK_PANICS(mempool_put_bulk(p, &m, 1));
    CHECK_CONTAINS(host_panic_text, "buffer 0 of pool \"test\" was written "
                                    "past its end");
}

TEST(mempool, MP_34_use_after_put_is_named_at_the_next_get)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m, *again;

    get(p, &m, 1);
    mempool_put_bulk(p, &m, 1);
    m->refcnt = 2;
    CHECK_PANICS((void)!mempool_get_bulk(p, &again, 1));
    CHECK_CONTAINS(host_panic_text,
                   "written after it was put, now with a reference count");
}
