/*
 * mempool_test.c - the pool's promises, the rows MP-* that its policy owes
 *
 * Rows MP-* are the sequences that tell the generations of DPDK's per-core
 * cache apart (before and after commits a2833ecc5e and 459531c958). What this
 * policy owes in each follows by arithmetic from C1..C4 in mempool_cache.c: a
 * cache of C works in groups of G = (C + 1) / 2, a get that misses by r takes
 * ceil(r / G) groups, a put hands over G when C would be exceeded.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mm/frame.h"
#include "mm/mempool_impl.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA (UINT64_C(48) << 20)

static void memory_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    host_lcore = 0;
    CHECK_EQ(mm_init(&ram, 1), OK);
}

/* A pool of @count small buffers with caches of @cache for four cores. */
static struct mempool *pool_of(unsigned count, unsigned cache)
{
    const struct mempool_config config = { .name = "test",
                                           .count = count,
                                           .cache = cache,
                                           .data_room = 64,
                                           .lcores = 4 };
    struct mempool *p;

    memory_open();
    p = mempool_create(&config);
    CHECK(p != NULL);
    return p;
}

/* Position of @m in its pool: buffers are numbered from 0. */
static unsigned number(const struct mempool *p, const struct mbuf *m)
{
    return (unsigned)(((const char *)m - p->buffers) / p->stride);
}

static unsigned cached(const struct mempool *p)
{
    struct mempool_stats s;

    mempool_stats_get(p, host_lcore, &s);
    return s.cached;
}

static unsigned in_store(const struct mempool *p)
{
    struct mempool_account a;

    mempool_account_get(p, &a);
    return a.in_store;
}

static void get(struct mempool *p, struct mbuf *out[], unsigned n)
{
    CHECK_EQ(mempool_get_bulk(p, out, n), OK);
}

/* Buffers in this core's cache and in the store. */
static void check_levels(const struct mempool *p, unsigned in_cache,
                         unsigned store)
{
    CHECK_EQ(cached(p), in_cache);
    CHECK_EQ(in_store(p), store);
}

static bool all_distinct(const struct mempool *p, struct mbuf *const m[],
                         unsigned n)
{
    bool *seen = calloc(p->count, sizeof(*seen));
    bool distinct = true;

    for (unsigned i = 0; i < n; i++) {
        distinct = distinct && !seen[number(p, m[i])];
        seen[number(p, m[i])] = true;
    }
    free(seen);
    return distinct;
}

/* ---- order ---- */

TEST(mempool, first_get_gives_the_lowest_buffers)
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

TEST(mempool, MP_38_newest_comes_out_first)
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
TEST(mempool, newest_first_through_all_three_places)
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

TEST(mempool, MP_01_refill_is_one_group)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m;

    get(p, &m, 1);
    CHECK_EQ(number(p, m), 0);
    check_levels(p, 3, 60);
}

TEST(mempool, MP_02_gets_drain_the_cache_before_the_store)
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

TEST(mempool, MP_03_burst_equal_to_the_cache)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[8];

    get(p, m, 8);
    check_levels(p, 0, 56);
    get(p, m, 8);
    check_levels(p, 0, 48);
}

TEST(mempool, MP_04_burst_equal_to_the_cache_is_served_by_it)
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

TEST(mempool, MP_06_large_get_takes_the_cache_then_the_store)
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

TEST(mempool, MP_07_cache_serves_when_the_store_is_dry)
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

TEST(mempool, MP_08_cache_and_store_hold_exactly_enough)
{
    struct mempool *p = pool_of(10, 4);
    struct mbuf *m, *got[9];

    get(p, &m, 1);
    get(p, got, 9);
    check_levels(p, 0, 0);
    CHECK(all_distinct(p, got, 9));
}

TEST(mempool, MP_09_failed_get_takes_nothing)
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

TEST(mempool, MP_10_last_buffers_come_out_one_by_one)
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

TEST(mempool, MP_24_get_larger_than_the_largest_cache)
{
    struct mempool *p = pool_of(4096, 512);
    static struct mbuf *m[1200];

    get(p, m, 513); /* 3 groups of 256 */
    check_levels(p, 255, 3328);
    get(p, m + 513, 600); /* 345 missing: 2 groups */
    check_levels(p, 167, 2816);
    CHECK(all_distinct(p, m, 1113));
}

TEST(mempool, MP_28_shortage_has_one_name)
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

TEST(mempool, MP_11_puts_flush_a_group_when_the_size_would_be_exceeded)
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

TEST(mempool, MEM_07_flush_at_size_minus_1_size_and_size_plus_1)
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

TEST(mempool, MP_12_bursts_of_half_the_cache)
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
TEST(mempool, MP_14_put_larger_than_the_cache_keeps_the_newest)
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

TEST(mempool, MP_16_cache_of_one)
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

TEST(mempool, MP_17_odd_cache_uses_its_nominal_size)
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
TEST(mempool, MP_18_every_cache_size_conserves_buffers)
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

TEST(mempool, MP_19_a_burst_finds_the_buffers_it_just_freed)
{
    struct mempool *p = pool_of(64, 8);
    struct mbuf *m[6], *got[6];

    get(p, m, 6);
    mempool_put_bulk(p, m, 6);
    get(p, got, 6);
    for (unsigned i = 0; i < 6; i++)
        CHECK(got[i] == m[5 - i]);
}

TEST(mempool, MP_20_balanced_bursts_never_visit_the_store_again)
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
TEST(mempool, alternating_at_a_group_edge_stays_local)
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

TEST(mempool, MP_25_cache_may_be_as_large_as_the_pool_and_512)
{
    static const struct {
        unsigned count, cache;
        const char *fault; /* NULL = fine */
    } rows[] = {
        { 0, 0, "no buffers" },
        { 1, 1, NULL },
        { 8, 8, NULL },
        { 8, 9, "larger than the pool" },
        { 12, 8, NULL },
        { 11, 8, NULL },
        { 1024, 513, "larger than 512" },
        { 511, 512, "larger than the pool" },
        { 512, 512, NULL },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct mempool_config config = { .name = "test",
                                               .count = rows[i].count,
                                               .cache = rows[i].cache,
                                               .data_room = 64 };

        memory_open();
        if (rows[i].fault == NULL)
            CHECK(mempool_create(&config) != NULL);
        else
            refused(&config, rows[i].fault);
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
TEST(mempool, MP_39_a_pool_of_that_size_never_runs_dry)
{
    enum { RING = 128, BURST = 32 };

    for (unsigned cache = 1; cache <= 96; cache += 5) {
        const struct mempool_need need = {
            .rx_desc = RING, .lcores = 2, .cache = cache, .burst = BURST
        };
        struct mempool *p =
            pool_of((unsigned)mempool_count_needed(&need), cache);
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
}

/* ---- several cores, several pools ---- */

TEST(mempool, MP_27_nothing_got_or_put_changes_nothing)
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

TEST(mempool, MP_29_flush_empties_the_cache_once)
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

TEST(mempool, flushed_leftovers_are_found_again)
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
TEST(mempool, MP_30_other_caches_count_as_available_but_do_not_serve)
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

TEST(mempool, cores_without_a_cache_share_the_store_and_counters)
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

TEST(mempool, MEM_14_pool_without_caches_serves_every_core)
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

TEST(mempool, MP_31_failed_get_leaves_the_cache_array_alone)
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

TEST(mempool, MP_32_counters_of_gets)
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

TEST(mempool, MP_33_counters_of_a_shortage)
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

TEST(mempool, MP_36_pointer_arrays_start_on_a_line)
{
    struct mempool *p = pool_of(64, 7);

    for (unsigned i = 0; i < p->lcores; i++) {
        CHECK_EQ((uintptr_t)p->caches[i].loaded->object % CACHE_LINE, 0);
        CHECK_EQ((uintptr_t)p->caches[i].spare->object % CACHE_LINE, 0);
        CHECK_EQ((uintptr_t)&p->caches[i] % (2 * CACHE_LINE), 0);
    }
    CHECK_EQ((uintptr_t)&p->depot % CACHE_LINE, 0);
}

TEST(mempool, MP_37_constant_and_variable_counts_agree)
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

/* Random calls of four cores against the simplest model: a set. */
TEST(mempool, random_calls_conserve_every_buffer)
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
