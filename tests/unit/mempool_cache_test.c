/*
 * mempool_cache_test.c - the policy: rows MP-* and C1..C4 of mempool_cache.c
 *
 * The rows are the sequences that tell the generations of DPDK's per-core cache
 * apart (before and after commits a2833ecc5e and 459531c958). What this policy
 * owes in each follows by arithmetic: a cache of C works in groups of
 * G = (C + 1) / 2, a get that misses by r takes ceil(r / G) groups, a put hands
 * over G when C would be exceeded.
 */
#include "tests/unit/mempool_rig.h"

/* ---- order ---- */

TEST(mempool_cache, first_get_gives_the_lowest_buffers)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *got[64];

    get(p, got, 64);
    for (unsigned i = 0; i < 64; i++)
        CHECK_EQ(number(p, got[i]), i);
    check_levels(p, 0, 0);
    mempool_put_bulk(p, got, 64);
    CHECK_EQ(mempool_available(p), 64);
    CHECK_EQ(mempool_destroy(p), OK);
}

TEST(mempool_cache, MP_38_newest_comes_out_first)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[3], *got[2];

    get(p, m, 3);
    mempool_put_bulk(p, m, 3);
    get(p, got, 2);
    CHECK(got[0] == m[2]);
    CHECK(got[1] == m[1]);
}

/* LIFO across loaded, spare and depot, for every cache size and mixture. */
TEST(mempool_cache, newest_first_through_all_three_places)
{
    for (unsigned cache = 0; cache <= 9; cache++) {
        struct mempool *p = pool_of(64, cache);
        struct mbuf *m[64], *got[64];

        get(p, m, 64);
        for (unsigned i = 0; i < 64; i++)
            mempool_put_bulk(p, &m[i], 1);
        /* what never left this core comes back in reverse */
        get(p, got, cache == 0 ? 64 : cache);
        for (unsigned i = 0; i < cache; i++)
            CHECK(got[i] == m[63 - i]);
    }
}

/* ---- gets ---- */

TEST(mempool_cache, MP_01_refill_is_one_group)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m;

    get(p, &m, 1);
    CHECK_EQ(number(p, m), 0);
    check_levels(p, 3, 60);
}

TEST(mempool_cache, MP_02_gets_drain_the_cache_before_the_store)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[8];

    get(p, m, 1);
    get(p, m, 3);
    check_levels(p, 0, 60);
    get(p, m, 4);
    check_levels(p, 0, 56);
    get(p, m, 1);
    check_levels(p, 3, 52);
}

TEST(mempool_cache, MP_03_burst_equal_to_the_cache)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[8];

    get(p, m, 8);
    check_levels(p, 0, 56);
    get(p, m, 8);
    check_levels(p, 0, 48);
}

TEST(mempool_cache, MP_04_burst_equal_to_the_cache_is_served_by_it)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[16], *got[8];

    get(p, m, 16);
    mempool_put_bulk(p, m, 8);
    mempool_put_bulk(p, m + 8, 8);
    check_levels(p, 8, 56);
    get(p, got, 8);
    check_levels(p, 0, 56);
    for (unsigned i = 0; i < 8; i++)
        CHECK(got[i] == m[15 - i]);
}

TEST(mempool_cache, MP_06_large_get_takes_the_cache_then_the_store)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m, *got[20];

    get(p, &m, 1);   /* the cache has 1 2 3 */
    get(p, got, 20); /* 17 missing: 5 groups of 4 */
    CHECK_EQ(number(p, got[0]), 1);
    CHECK_EQ(number(p, got[2]), 3);
    CHECK_EQ(number(p, got[3]), 4);
    CHECK_EQ(number(p, got[19]), 20);
    check_levels(p, 3, 40);
}

TEST(mempool_cache, MP_07_cache_serves_when_the_store_is_dry)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m[10], *got[3];

    get(p, m, 10);
    mempool_put_bulk(p, m, 4);
    check_levels(p, 4, 0);
    get(p, got, 3);
    CHECK(got[0] == m[3]);
    check_levels(p, 1, 0);
}

TEST(mempool_cache, MP_08_cache_and_store_hold_exactly_enough)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m, *got[9];

    get(p, &m, 1);
    get(p, got, 9);
    check_levels(p, 0, 0);
    CHECK(all_distinct(p, got, 9));
}

TEST(mempool_cache, MP_09_failed_get_takes_nothing)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m, *got[10];

    get(p, &m, 1);
    check_levels(p, 1, 8);
    CHECK_EQ(mempool_get_bulk(p, got, 10), E_NOBUF);
    check_levels(p, 1, 8);
    get(p, &m, 1);
    CHECK_EQ(number(p, m), 1);
    check_levels(p, 0, 8);
}

TEST(mempool_cache, MP_10_last_buffers_come_out_one_by_one)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m[10];

    get(p, m, 5);
    for (unsigned i = 5; i < 10; i++)
        get(p, &m[i], 1);
    check_levels(p, 0, 0);
    CHECK(all_distinct(p, m, 10));
    CHECK_EQ(mempool_get_bulk(p, m, 1), E_NOBUF);
}

TEST(mempool_cache, MP_24_get_larger_than_the_largest_cache)
{
    struct mempool *p = pool_of(4096, 512);
    static struct mbuf *m[1200];

    get(p, m, 513); /* 3 groups of 256 */
    check_levels(p, 255, 3328);
    get(p, m + 513, 600); /* 345 missing: 2 groups */
    check_levels(p, 167, 2816);
    CHECK(all_distinct(p, m, 1113));
}

TEST(mempool_cache, MP_28_shortage_has_one_name)
{
    struct mempool *p = pool_of(4, 4);
    struct mbuf *m[5];

    CHECK_EQ(mempool_get_bulk(p, m, 5), E_NOBUF);
    get(p, m, 4);
    CHECK_EQ(mempool_get_bulk(p, &m[4], 1), E_NOBUF);
    host_lcore = 9; /* a core without a cache */
    CHECK_EQ(mempool_get_bulk(p, &m[4], 1), E_NOBUF);
}

/* ---- puts ---- */

TEST(mempool_cache, MP_11_puts_flush_a_group_when_the_size_would_be_exceeded)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[40];

    get(p, m, 40);
    check_levels(p, 0, 24);
    mempool_put_bulk(p, m, 8);
    check_levels(p, 8, 24);
    mempool_put_bulk(p, m + 8, 1);
    check_levels(p, 5, 28);
    mempool_put_bulk(p, m + 9, 3);
    check_levels(p, 8, 28);
    mempool_put_bulk(p, m + 12, 1);
    check_levels(p, 5, 32);
    mempool_put_bulk(p, m + 13, 1);
    check_levels(p, 6, 32);
}

TEST(mempool_cache, MEM_07_flush_at_size_minus_1_size_and_size_plus_1)
{
    static const unsigned puts[] = { 7, 8, 9 };
    static const unsigned in_cache[] = { 7, 8, 5 };
    static const unsigned store[] = { 24, 24, 28 };

    for (unsigned i = 0; i < 3; i++) {
        struct mempool *p = pool_of(64, 8);
        struct mbuf *m[40];

        get(p, m, 40);
        for (unsigned k = 0; k < puts[i]; k++)
            mempool_put_bulk(p, &m[k], 1);
        check_levels(p, in_cache[i], store[i]);
    }
}

TEST(mempool_cache, MP_12_bursts_of_half_the_cache)
{
    static const unsigned in_cache[] = { 4, 8, 8, 8, 8 };
    static const unsigned store[] = { 4, 4, 8, 12, 16 };
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[60];

    get(p, m, 60);
    for (unsigned i = 0; i < 5; i++) {
        mempool_put_bulk(p, m + 4 * i, 4);
        check_levels(p, in_cache[i], store[i]);
    }
}

/* REQ: the newest stay, also when a put is larger than the cache. */
TEST(mempool_cache, MP_14_put_larger_than_the_cache_keeps_the_newest)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[60], *got[5];

    get(p, m, 60);
    mempool_put_bulk(p, m, 13);
    check_levels(p, 5, 12);
    get(p, got, 5);
    for (unsigned i = 0; i < 5; i++)
        CHECK(got[i] == m[12 - i]);
}

TEST(mempool_cache, MP_16_cache_of_one)
{
    struct mempool *p = pool_of(16, 1);
    struct mbuf *m[3];

    get(p, &m[0], 1);
    check_levels(p, 0, 15);
    get(p, &m[1], 1);
    check_levels(p, 0, 14);
    mempool_put_bulk(p, &m[0], 1);
    check_levels(p, 1, 14);
    mempool_put_bulk(p, &m[1], 1);
    check_levels(p, 1, 15);
    get(p, &m[0], 1);
    CHECK(m[0] == m[1]);
    check_levels(p, 0, 15);
    get(p, &m[1], 2);
    check_levels(p, 0, 13);
}

TEST(mempool_cache, MP_17_odd_cache_uses_its_nominal_size)
{
    struct mempool *p = pool_of(64, 5); /* groups of 3 */
    struct mbuf *m[30];

    get(p, m, 30);
    check_levels(p, 0, 34);
    mempool_put_bulk(p, m, 5);
    check_levels(p, 5, 34);
    mempool_put_bulk(p, m + 5, 1);
    check_levels(p, 3, 37);
    mempool_put_bulk(p, m + 6, 2);
    check_levels(p, 5, 37);
}

/* Every size: nothing lost, nothing twice, and never more than nominal. */
TEST(mempool_cache, MP_18_every_cache_size_conserves_buffers)
{
    for (unsigned cache = 1; cache <= 64; cache++) {
        struct mempool *p = pool_of(64, cache);
        struct mbuf *m[64];
        unsigned most = 0;

        for (unsigned i = 0; i < 63; i++)
            get(p, &m[i], 1);
        for (unsigned i = 0; i < 63; i++) {
            mempool_put_bulk(p, &m[i], 1);
            most = cached(p) > most ? cached(p) : most;
        }
        CHECK_EQ(most, cache < 64 ? cache : 64);
        for (unsigned i = 0; i < 64; i++)
            get(p, &m[i], 1);
        CHECK(all_distinct(p, m, 64));
        CHECK_EQ(mempool_available(p), 0);
    }
}

TEST(mempool_cache, MP_19_a_burst_finds_the_buffers_it_just_freed)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[6], *got[6];

    get(p, m, 6);
    mempool_put_bulk(p, m, 6);
    get(p, got, 6);
    for (unsigned i = 0; i < 6; i++)
        CHECK(got[i] == m[5 - i]);
}

TEST(mempool_cache, MP_20_balanced_bursts_never_visit_the_store_again)
{
    struct mempool *p = pool_of(512, 32);
    struct mempool_stats s;
    struct mbuf *m[32];

    for (unsigned i = 0; i < 1000; i++) {
        get(p, m, 32);
        mempool_put_bulk(p, m, 32);
    }
    mempool_stats_get(p, 0, &s);
    CHECK_EQ(s.store_gets, 1);
    CHECK_EQ(s.store_puts, 0);
}

/* A core at the edge between two groups must not pay at every call. */
TEST(mempool_cache, alternating_at_a_group_edge_stays_local)
{
    for (unsigned cache = 2; cache <= 9; cache++) {
        for (unsigned fill = 0; fill <= 2 * cache; fill++) {
            struct mempool *p = pool_of(64, cache);
            struct mempool_stats before, after;
            struct mbuf *m[64], *one;

            get(p, m, 64);
            mempool_put_bulk(p, m, fill);
            get(p, &one, fill == 0 ? 0 : 1);
            if (fill == 0)
                one = m[63];
            mempool_put_bulk(p, &one, 1);
            get(p, &one, 1);
            mempool_stats_get(p, 0, &before);
            for (unsigned i = 0; i < 100; i++) {
                mempool_put_bulk(p, &one, 1);
                get(p, &one, 1);
            }
            mempool_stats_get(p, 0, &after);
            CHECK_EQ(after.store_gets + after.store_puts,
                     before.store_gets + before.store_puts);
        }
    }
}

/* ---- several cores ---- */

TEST(mempool_cache, MP_27_nothing_got_or_put_changes_nothing)
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

TEST(mempool_cache, MP_29_flush_empties_the_cache_once)
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

TEST(mempool_cache, flushed_leftovers_are_found_again)
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
TEST(mempool_cache, MP_30_other_caches_count_as_available_but_do_not_serve)
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

TEST(mempool_cache, cores_without_a_cache_share_the_store_and_counters)
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

TEST(mempool_cache, MEM_14_pool_without_caches_serves_every_core)
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

TEST(mempool_cache, MP_31_failed_get_leaves_the_cache_array_alone)
{
    struct mempool *p = pool_of(16, 8);
    struct mbuf *m[4], *got[17], *before[4];
    struct group *loaded;

    get(p, m, 1);
    loaded = p->caches[0].loaded;
    loaded->object[3] = (struct mbuf *)0x1234; /* above the three in use */
    memcpy(before, loaded->object, sizeof(before));
    CHECK_EQ(mempool_get_bulk(p, got, 17), E_NOBUF);
    CHECK(p->caches[0].loaded == loaded);
    CHECK_BYTES(loaded->object, before, sizeof(before));
}

TEST(mempool_cache, MP_32_counters_of_gets)
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

TEST(mempool_cache, MP_33_counters_of_a_shortage)
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

TEST(mempool_cache, MP_36_pointer_arrays_start_on_a_line)
{
    struct mempool *p = pool_of(64, 7);

    for (unsigned i = 0; i < p->lcores; i++) {
        CHECK_EQ((uintptr_t)p->caches[i].loaded->object % CACHE_LINE, 0);
        CHECK_EQ((uintptr_t)p->caches[i].spare->object % CACHE_LINE, 0);
        CHECK_EQ((uintptr_t)&p->caches[i] % (2 * CACHE_LINE), 0);
    }
    CHECK_EQ((uintptr_t)&p->depot % CACHE_LINE, 0);
}

TEST(mempool_cache, MP_37_constant_and_variable_counts_agree)
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

/* Random calls of four cores against the simplest model: a set. */
TEST(mempool_cache, random_calls_conserve_every_buffer)
{
    enum { N = 300, CORES = 4 };

    srand(7);
    for (unsigned cache = 0; cache <= 65; cache += 5) {
        struct mempool *p = pool_of(N, cache);
        struct mbuf *held[N];
        unsigned len = 0;

        for (unsigned i = 0; i < 20000; i++) {
            const unsigned n = (unsigned)rand() % 80;

            host_lcore = (unsigned)rand() % (CORES + 1); /* one uncached */
            if (rand() % 2 == 0) {
                struct mbuf *got[80];
                const unsigned near_me = cached(p) + in_store(p);

                CHECK_EQ(mempool_get_bulk(p, got, n),
                         n <= near_me ? OK : E_NOBUF); /* C4 */
                if (n > near_me)
                    continue;
                memcpy(held + len, got, n * sizeof(*got));
                len += n;
            } else if (n <= len) {
                len -= n;
                mempool_put_bulk(p, held + len, n);
            }
            CHECK(cached(p) <= cache); /* C3 */
            CHECK_EQ(mempool_available(p) + len, N);
        }
        CHECK(all_distinct(p, held, len));
    }
}
