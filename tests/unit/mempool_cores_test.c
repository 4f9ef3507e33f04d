/*
 * mempool_cores_test.c - caches and cores: who has one, what it counts, where it is
 */
#include "tests/unit/mempool_rig.h"

TEST(mempool_cores, MP_28_shortage_has_one_name)
{
    struct mempool *p = pool_of(4, 4);
    struct mbuf *m[5];

    CHECK_EQ(mempool_get_bulk(p, m, 5), E_NOBUF);
    get(p, m, 4);
    CHECK_EQ(mempool_get_bulk(p, &m[4], 1), E_NOBUF);
    host_lcore = 9; /* a core without a cache */
    CHECK_EQ(mempool_get_bulk(p, &m[4], 1), E_NOBUF);
}

TEST(mempool_cores, MP_27_nothing_got_or_put_changes_nothing)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m = NULL;

    get(p, &m, 0);
    mempool_put_bulk(p, &m, 0);
    check_levels(p, 0, 64);
    host_lcore = 9;
    get(p, &m, 0);
    mempool_put_bulk(p, &m, 0);
    check_levels(p, 0, 64);
}

TEST(mempool_cores, MP_29_flush_empties_the_cache_once)
{
    struct mempool *p = pool_of(63, 8);
    struct mbuf *m;

    get(p, &m, 1);
    check_levels(p, 3, 59);
    mempool_cache_flush(p, 0);
    check_levels(p, 0, 62);
    mempool_cache_flush(p, 0);
    check_levels(p, 0, 62);
    mempool_cache_flush(p, 77); /* no such cache */
}

TEST(mempool_cores, flushed_leftovers_are_found_again)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[64];

    get(p, m, 64);
    for (unsigned i = 0; i < 64; i++) { /* single buffers from all cores */
        host_lcore = i % 4;
        mempool_put_bulk(p, &m[i], 1);
        if (i % 3 == 0)
            mempool_cache_flush(p, host_lcore);
    }
    for (unsigned i = 0; i < 4; i++)
        mempool_cache_flush(p, i);
    get(p, m, 64);
    CHECK(all_distinct(p, m, 64));
}

/* As documented: what sits in another core's cache is out of reach. */
TEST(mempool_cores, MP_30_other_caches_count_as_available_but_do_not_serve)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m, *got[9];

    get(p, &m, 1);
    mempool_put_bulk(p, &m, 1);
    check_levels(p, 2, 8);
    host_lcore = 1;
    CHECK_EQ(mempool_available(p), 10);
    CHECK_EQ(mempool_get_bulk(p, got, 9), E_NOBUF);
    get(p, got, 8);
}

/* ---- stealing ---- */

static struct mempool *stealing_pool(unsigned count, unsigned cache)
{
    const struct mempool_config config = { .name = "test",
                                           .count = count,
                                           .cache = cache,
                                           .data_room = 64,
                                           .lcores = 4,
                                           .steal = true };
    struct mempool *p;

    memory_open();
    p = mempool_create(&config);
    CHECK(p != NULL);
    return p;
}

TEST(mempool_cores, MP_30_stealing_finds_what_another_cache_holds)
{
    struct mempool *p = stealing_pool(10, 4);
    struct mempool_stats s;
    struct mbuf *m, *got[10];

    get(p, &m, 1);
    mempool_put_bulk(p, &m, 1);
    check_levels(p, 2, 8);
    host_lcore = 1;
    get(p, got, 9);
    CHECK(all_distinct(p, got, 9));
    CHECK_EQ(mempool_available(p), 1);
    mempool_stats_get(p, 1, &s);
    CHECK_EQ(s.stolen_objects, 2);
    CHECK_EQ(s.fail_calls, 0);
    mempool_stats_get(p, 0, &s);
    CHECK_EQ(s.cached, 0);
    CHECK_EQ(mempool_get_bulk(p, &m, 0), OK);
    get(p, &got[9], 1);
    CHECK_EQ(mempool_available(p), 0);
}

TEST(mempool_cores, stealing_takes_no_more_caches_than_it_needs)
{
    struct mempool *p = stealing_pool(64, 8);
    struct mbuf *m[64];

    get(p, m, 64);
    for (unsigned i = 1; i < 4; i++) {
        host_lcore = i;
        mempool_put_bulk(p, m + 8 * i, 8);
    }
    host_lcore = 0;
    get(p, m, 10); /* 8 of core 1, 2 of core 2 */
    host_lcore = 3;
    check_levels(p, 8, 4); /* of 16, three groups of 4 went to core 0 */
    host_lcore = 2;
    CHECK_EQ(cached(p), 0);
}

/* More than there are: the others keep what they have. */
TEST(mempool_cores, hopeless_get_steals_nothing)
{
    struct mempool *p = stealing_pool(10, 4);
    struct mempool_stats s;
    struct mbuf *m[4], *got[10];

    get(p, m, 4);
    mempool_put_bulk(p, m, 3);
    host_lcore = 1;
    CHECK_EQ(mempool_get_bulk(p, got, 10), E_NOBUF);
    mempool_stats_get(p, 1, &s);
    CHECK_EQ(s.stolen_objects, 0);
    CHECK_EQ(s.fail_calls, 1);
    host_lcore = 0;
    check_levels(p, 3, 6);
}

TEST(mempool_cores, core_without_a_cache_steals_too)
{
    struct mempool *p = stealing_pool(64, 8);
    struct mempool_stats s;
    struct mbuf *m[64];

    get(p, m, 64);
    mempool_put_bulk(p, m, 8);
    host_lcore = 77;
    get(p, m, 8);
    CHECK(all_distinct(p, m, 8));
    CHECK_EQ(mempool_get_bulk(p, m + 8, 1), E_NOBUF);
    mempool_stats_get(p, 77, &s);
    CHECK_EQ(s.stolen_objects, 8);
    CHECK_EQ(s.fail_calls, 1);
    mempool_put_bulk(p, m, 64);
    mempool_cache_flush(p, 0);
    CHECK_EQ(mempool_destroy(p), OK);
}

/* Alone, a pool with the option behaves as one without. */
TEST(mempool_cores, stealing_changes_nothing_for_one_core)
{
    struct mempool *pools[2];

    for (unsigned i = 0; i < 2; i++) {
        struct mempool *p = i == 0 ? pool_of(64, 7) : stealing_pool(64, 7);
        struct mbuf *m[64];
        unsigned len = 0;

        srand(3);
        for (unsigned k = 0; k < 2000; k++) {
            const unsigned n = (unsigned)rand() % 12;

            if (rand() % 2 == 0 && len + n <= 64) {
                get(p, m + len, n);
                len += n;
            } else if (n <= len) {
                len -= n;
                mempool_put_bulk(p, m + len, n);
            }
        }
        pools[i] = p;
        check_levels(p, cached(pools[0]), 64 - len - cached(pools[0]));
        mempool_put_bulk(p, m, len);
        mempool_cache_flush(p, 0);
        check_levels(p, 0, 64);
    }
}

/* ---- cores without a cache, flushes, figures ---- */

TEST(mempool_cores, cores_without_a_cache_share_the_store_and_counters)
{
    struct mempool *p = pool_of(64, 8);
    struct mempool_stats s;
    struct mbuf *m[65];

    host_lcore = 200;
    get(p, m, 40);
    host_lcore = 201;
    get(p, m + 40, 24);
    CHECK(all_distinct(p, m, 64));
    CHECK_EQ(mempool_get_bulk(p, &m[64], 1), E_NOBUF);
    mempool_put_bulk(p, m, 64);
    check_levels(p, 0, 64);
    mempool_stats_get(p, 99, &s);
    CHECK_EQ(s.get_calls, 2);
    CHECK_EQ(s.get_objects, 64);
    CHECK_EQ(s.put_calls, 1);
    CHECK_EQ(s.put_objects, 64);
    CHECK_EQ(s.fail_calls, 1);
    CHECK_EQ(s.fail_objects, 1);
    CHECK_EQ(s.cached, 0);
}

TEST(mempool_cores, MEM_14_pool_without_caches_serves_every_core)
{
    struct mempool *p = pool_of(200, 0);
    struct mbuf *m[200];

    for (unsigned i = 0; i < 200; i += 50) {
        host_lcore = i;
        get(p, m + i, 50);
    }
    CHECK_EQ(mempool_get_bulk(p, m, 1), E_NOBUF);
    CHECK(all_distinct(p, m, 200));
    mempool_put_bulk(p, m, 200);
    mempool_cache_flush(p, 0);
    CHECK_EQ(mempool_available(p), 200);
    CHECK_EQ(mempool_destroy(p), OK);
}

TEST(mempool_cores, MP_31_failed_get_leaves_the_cache_array_alone)
{
    struct mempool *p = pool_of(16, 8);
    struct mbuf *m[4], *got[17], *before[4];
    struct group *loaded;

    get(p, m, 1);
    loaded = cache_loaded(mempool_cache_of(p, 0));
    loaded->object[3] = (struct mbuf *)0x1234; /* above the three in use */
    memcpy(before, loaded->object, sizeof(before));
    CHECK_EQ(mempool_get_bulk(p, got, 17), E_NOBUF);
    CHECK(cache_loaded(mempool_cache_of(p, 0)) == loaded);
    CHECK_BYTES(loaded->object, before, sizeof(before));
}

TEST(mempool_cores, MP_32_counters_of_gets)
{
    struct mempool *p = pool_of(64, 8);
    struct mempool_stats s;
    struct mbuf *m[9];

    get(p, m, 1);
    get(p, m + 1, 3);
    get(p, m + 4, 4);
    get(p, m + 8, 1);
    mempool_put_bulk(p, m, 9);
    mempool_stats_get(p, 0, &s);
    CHECK_EQ(s.get_calls, 4);
    CHECK_EQ(s.get_objects, 9);
    CHECK_EQ(s.store_gets, 3);
    CHECK_EQ(s.store_get_objects, 12);
    CHECK_EQ(s.put_calls, 1);
    CHECK_EQ(s.put_objects, 9);
    CHECK_EQ(s.store_puts, 1); /* 3 were there: 12 > 8 */
    CHECK_EQ(s.store_put_objects, 4);
    CHECK_EQ(s.cached, 8);
    mempool_stats_get(p, 1, &s);
    CHECK_EQ(s.get_calls, 0);
    mempool_stats_get(p, 4, &s);
    CHECK_EQ(s.get_calls, 0);
}

TEST(mempool_cores, MP_33_counters_of_a_shortage)
{
    struct mempool *p = pool_of(10, 4);
    struct mempool_stats s;
    struct mbuf *m[10];

    get(p, m, 1);
    CHECK_EQ(mempool_get_bulk(p, m, 10), E_NOBUF);
    get(p, m, 1);
    mempool_stats_get(p, 0, &s);
    CHECK_EQ(s.fail_calls, 1);
    CHECK_EQ(s.fail_objects, 10);
    CHECK_EQ(s.get_calls, 2);
    CHECK_EQ(s.get_objects, 2);
}

TEST(mempool_cores, MP_36_pointer_arrays_start_on_a_line)
{
    struct mempool *p = pool_of(64, 7);

    for (unsigned i = 0; i < p->lcores; i++) {
        CHECK_EQ((uintptr_t)cache_loaded(mempool_cache_of(p, i))->object %
                     CACHE_LINE,
                 0);
        CHECK_EQ((uintptr_t)mempool_cache_of(p, i)->spare->object % CACHE_LINE,
                 0);
        CHECK_EQ((uintptr_t)mempool_cache_of(p, i) % (2 * CACHE_LINE), 0);
    }
    CHECK_EQ((uintptr_t)&p->depot % CACHE_LINE, 0);
}

TEST(mempool_cores, MP_37_constant_and_variable_counts_agree)
{
    volatile unsigned n = 4;
    unsigned levels[2][2];

    for (unsigned i = 0; i < 2; i++) {
        struct mempool *p = pool_of(64, 6);
        struct mbuf *m[8];

        get(p, m, i == 0 ? 4 : n);
        get(p, m + 4, i == 0 ? 4 : n);
        mempool_put_bulk(p, m, i == 0 ? 4 : n);
        levels[i][0] = cached(p);
        levels[i][1] = in_store(p);
    }
    CHECK_BYTES(levels[0], levels[1], sizeof(levels[0]));
}
