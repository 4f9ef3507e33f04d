/*
 * mempool_put_test.c - the policy's puts, and gets after them: C1..C3 of
 * mempool_cache.c; the arithmetic is with mempool_get_test.c
 */
#include "tests/unit/mempool_rig.h"

TEST(mempool_put, MP_38_newest_comes_out_first)
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
TEST(mempool_put, newest_first_through_all_three_places)
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

TEST(mempool_put, MP_11_puts_flush_a_group_when_the_size_would_be_exceeded)
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

TEST(mempool_put, MEM_07_flush_at_size_minus_1_size_and_size_plus_1)
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

TEST(mempool_put, MP_12_bursts_of_half_the_cache)
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

/* The newest stay, also when a put is larger than the cache. */
TEST(mempool_put, MP_14_put_larger_than_the_cache_keeps_the_newest)
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

TEST(mempool_put, MP_16_cache_of_one)
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

TEST(mempool_put, MP_17_odd_cache_uses_its_nominal_size)
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
TEST(mempool_put, MP_18_every_cache_size_conserves_buffers)
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

TEST(mempool_put, MP_19_a_burst_finds_the_buffers_it_just_freed)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[6], *got[6];

    get(p, m, 6);
    mempool_put_bulk(p, m, 6);
    get(p, got, 6);
    for (unsigned i = 0; i < 6; i++)
        CHECK(got[i] == m[5 - i]);
}

TEST(mempool_put, MP_20_balanced_bursts_never_visit_the_store_again)
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

/* All that a cache holds is there for the part that is inline in the caller. */
TEST(mempool_put, a_burst_equal_to_the_cache_is_a_hit)
{
    static const unsigned sizes[] = { 1, 2, 5, 8, 32, 511, 512 };
    static struct mbuf *m[1536];

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        const unsigned n = sizes[i];
        struct mempool *p = pool_of(1536, n);
        unsigned left;

        get(p, m, 2 * n);
        mempool_cache_flush(p, 0);
        mempool_put_bulk(p, m, n);
        for (unsigned turn = 0; turn < 100; turn++) {
            CHECK(mempool_get_hit(p, m, n));
            CHECK(!mempool_get_hit(p, m, 1));
            CHECK(mempool_put_hit(p, m, n));
            CHECK(!mempool_put_hit(p, m, 1));
        }
        mempool_put_bulk(p, m + n, n); /* more than it takes: it divides */
        left = cached(p);
        get(p, m, left); /* and is one again */
        mempool_put_bulk(p, m, left);
        CHECK(mempool_get_hit(p, m, left));
        CHECK(mempool_put_hit(p, m, left));
    }
}

/*
 * With one core and full groups only, a pool is one stack, however much is in
 * which part of it.
 */
TEST(mempool_put, random_calls_of_one_core_see_one_stack)
{
    enum { GROUPS = 30 };

    srand(5);
    for (unsigned cache = 1; cache <= 33; cache++) {
        const unsigned count = GROUPS * ((cache + 1) / 2);
        struct mempool *p = pool_of(count, cache);
        struct mbuf *stack[GROUPS * 17], *held[GROUPS * 17], *got[100];
        unsigned len = count;

        get(p, stack, count);
        mempool_put_bulk(p, stack, count);
        for (unsigned i = 0; i < 4000; i++) {
            unsigned n = (unsigned)rand() % (3 * cache + 1);

            if (rand() % 2 == 0) {
                n = n < len ? n : len;
                get(p, got, n);
                for (unsigned k = 0; k < n; k++) {
                    CHECK(got[k] == stack[--len]);
                    held[count - len - 1] = got[k];
                }
            } else {
                n = n < count - len ? n : count - len;
                mempool_put_bulk(p, &held[count - len - n], n);
                memcpy(&stack[len], &held[count - len - n], n * sizeof(*held));
                len += n;
            }
        }
    }
}

/* A core at the edge between two groups must not pay at every call. */
TEST(mempool_put, alternating_at_a_group_edge_stays_local)
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

/* Random calls of four cores against the simplest model: a set. */
TEST(mempool_put, random_calls_conserve_every_buffer)
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
