/*
 * mempool_get_test.c - the policy's gets: rows MP-*, and C4 of mempool_cache.c
 *
 * The rows are the sequences that tell the generations of DPDK's per-core cache
 * apart (before and after commits a2833ecc5e and 459531c958). What this policy
 * owes in each follows by arithmetic: a cache of C works in groups of
 * G = (C + 1) / 2, a get that misses by r takes ceil(r / G) groups, a put hands
 * over G when C would be exceeded.
 */
#include "tests/unit/mempool_rig.h"

TEST(mempool_get, first_get_gives_the_lowest_buffers)
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

TEST(mempool_get, MP_01_refill_is_one_group)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m;

    get(p, &m, 1);
    CHECK_EQ(number(p, m), 0);
    check_levels(p, 3, 60);
}

TEST(mempool_get, MP_02_gets_drain_the_cache_before_the_store)
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

TEST(mempool_get, MP_03_burst_equal_to_the_cache)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[8];

    get(p, m, 8);
    check_levels(p, 0, 56);
    get(p, m, 8);
    check_levels(p, 0, 48);
}

TEST(mempool_get, MP_04_burst_equal_to_the_cache_is_served_by_it)
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

TEST(mempool_get, MP_06_large_get_takes_the_cache_then_the_store)
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

TEST(mempool_get, MP_07_cache_serves_when_the_store_is_dry)
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

TEST(mempool_get, MP_08_cache_and_store_hold_exactly_enough)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m, *got[9];

    get(p, &m, 1);
    get(p, got, 9);
    check_levels(p, 0, 0);
    CHECK(all_distinct(p, got, 9));
}

TEST(mempool_get, MP_09_failed_get_takes_nothing)
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

TEST(mempool_get, MP_10_last_buffers_come_out_one_by_one)
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

TEST(mempool_get, MP_24_get_larger_than_the_largest_cache)
{
    struct mempool *p = pool_of(4096, 512);
    static struct mbuf *m[1200];

    get(p, m, 513); /* 3 groups of 256 */
    check_levels(p, 255, 3328);
    get(p, m + 513, 600); /* 345 missing: 2 groups */
    check_levels(p, 167, 2816);
    CHECK(all_distinct(p, m, 1113));
}
