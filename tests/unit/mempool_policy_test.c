/*
 * mempool_policy_test.c - the policies of other years: what no short sequence
 * of calls shows, and what every policy owes
 */
#include "tests/unit/mempool_script.h"

#define EACH_POLICY(policy)                                                    \
    for (enum mempool_policy policy = 0; policy < MEMPOOL_POLICIES; policy++)
#define EACH_OLD_POLICY(policy)                                                \
    for (enum mempool_policy policy = MEMPOOL_P0; policy <= MEMPOOL_P2;        \
         policy++)

/* ---- every size ---- */

/*
 * 63 out one by one, back one by one, then all. A pool must cover its caches,
 * so those of 1.5 * C beyond 64 need larger ones.
 */
static unsigned reachable(enum mempool_policy policy, unsigned cache)
{
    const unsigned most = mempool_cache_most(policy, cache);
    const unsigned n = most > 64 ? most : 64;
    struct mempool *p = policy_pool_of(policy, n, cache);
    struct mbuf *m[96];
    unsigned len = 0;

    for (unsigned i = 0; i < n - 1; i++)
        get(p, &m[i], 1);
    for (unsigned i = 0; i < n - 1; i++) {
        mempool_put_bulk(p, &m[i], 1);
        CHECK(cached(p) <= most);
    }
    while (len < n && mempool_get_bulk(p, &m[len], 1) == OK)
        len++;
    CHECK(all_distinct(p, m, len));
    CHECK_EQ(mempool_available(p), n - len);
    return n - len;
}

/* P0 with a cache of 1 goes past it: what is in it is out of reach. */
TEST(mempool_policy, MP_18_every_cache_size_conserves_buffers)
{
    EACH_POLICY(policy)
    for (unsigned cache = 1; cache <= 64; cache++)
        CHECK_EQ(reachable(policy, cache),
                 policy == MEMPOOL_P0 && cache == 1 ? 1 : 0);
}

/* Random calls of four cores: no buffer lost, none twice. */
TEST(mempool_policy, random_calls_conserve_every_buffer)
{
    enum { N = 300, CORES = 4 };

    srand(11);
    EACH_POLICY(policy)
    for (unsigned cache = 1; cache <= 66; cache += 13) {
        struct mempool *p = policy_pool_of(policy, N, cache);
        struct mbuf *held[N];
        unsigned len = 0;

        for (unsigned i = 0; i < 5000; i++) {
            const unsigned n = (unsigned)rand() % 80;

            host_lcore = (unsigned)rand() % (CORES + 1); /* one uncached */
            if (rand() % 2 == 0) {
                if (len + n <= N && mempool_get_bulk(p, held + len, n) == OK)
                    len += n;
            } else if (n <= len) {
                len -= n;
                mempool_put_bulk(p, held + len, n);
            }
            CHECK_EQ(mempool_available(p) + len, N);
        }
        CHECK(all_distinct(p, held, len));
    }
}

/* ---- what a failed get leaves ---- */

#define CANARY ((struct mbuf *)(uintptr_t)0xC0FFEE)

/* Core 0 has 3 or more; what the store has left is too little for @n. */
static void refuse(struct mempool *p, unsigned n)
{
    struct group *array = cache_loaded(mempool_cache_of(p, 0));
    const unsigned len = cached(p), store = in_store(p);
    struct mbuf *before[64], *out[64];
    const unsigned room = cache_array_size(p->policy, p->cache_size);

    CHECK(len >= 3 && len < n);
    for (unsigned i = len; i < room; i++)
        array->object[i] = CANARY;
    for (unsigned i = 0; i < n; i++)
        out[i] = CANARY;
    memcpy(before, array->object, sizeof(before));
    CHECK_EQ(mempool_get_bulk(p, out, n), E_NOBUF);
    check_levels(p, len, store);
    CHECK_BYTES(array->object, before, sizeof(before));
    for (unsigned i = len; i < n; i++)
        CHECK(out[i] == CANARY);
}

TEST(mempool_policy, MP_31_failed_get_leaves_the_cache_array_alone)
{
    struct mempool *p = policy_pool_of(MEMPOOL_P1, 16, 8);
    struct mbuf *m[8];

    get(p, m, 1);
    check_levels(p, 8, 7);
    refuse(p, 16);

    p = policy_pool_of(MEMPOOL_P2, 10, 8);
    get(p, m, 1);
    host_lcore = 1;
    get(p, m, 4); /* leaves 2: no refill, nor the 3 that are missing */
    host_lcore = 0;
    check_levels(p, 3, 2);
    refuse(p, 6);
}

/* ---- figures ---- */

TEST(mempool_policy, MP_32_counters_of_gets)
{
    static const unsigned store_calls[] = { 1, 1, 3 };
    static const unsigned store_objects[] = { 9, 9, 12 };

    EACH_OLD_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 64, 8);
        struct mempool_stats s;

        script_run(p, "g1 g3 g4 g1");
        mempool_stats_get(p, 0, &s);
        CHECK_EQ(s.get_calls, 4);
        CHECK_EQ(s.get_objects, 9);
        CHECK_EQ(s.store_gets, store_calls[policy - MEMPOOL_P0]);
        CHECK_EQ(s.store_get_objects, store_objects[policy - MEMPOOL_P0]);
    }
}

TEST(mempool_policy, MP_33_counters_of_a_shortage)
{
    EACH_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 10, 4);
        struct mempool_stats s;

        script_run(p, "g1 g10! g1");
        mempool_stats_get(p, 0, &s);
        CHECK_EQ(s.fail_calls, 1);
        CHECK_EQ(s.fail_objects, 10);
        CHECK_EQ(s.get_calls, 2);
        CHECK_EQ(s.get_objects, 2);
    }
}

TEST(mempool_policy, MP_42_audit_tells_caches_and_holders)
{
    EACH_OLD_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 64, 8);
        struct mempool_account a;
        struct mbuf *m;

        get(p, &m, 1);
        mempool_account_get(p, &a);
        CHECK_EQ(a.in_caches, policy == MEMPOOL_P2 ? 3 : 8);
        CHECK_EQ(a.in_store, policy == MEMPOOL_P2 ? 60 : 55);
        CHECK_EQ(a.held, 1);
        CHECK_EQ(mempool_destroy(p), E_BUSY);
        mempool_put_bulk(p, &m, 1);
        CHECK_EQ(mempool_destroy(p), OK);
    }
}

TEST(mempool_policy, MP_28_shortage_has_one_name)
{
    EACH_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 6, 4);
        struct mbuf *m[7];

        CHECK_EQ(mempool_get_bulk(p, m, 7), E_NOBUF);
        get(p, m, 6);
        CHECK_EQ(mempool_get_bulk(p, m + 6, 1), E_NOBUF);
        host_lcore = 9; /* a core without a cache */
        CHECK_EQ(mempool_get_bulk(p, m + 6, 1), E_NOBUF);
        mempool_put_bulk(p, m, 6);
        CHECK_EQ(in_store(p), 6);
        CHECK_EQ(mempool_get_bulk(p, m, 7), E_NOBUF);
        get(p, m, 6);
        CHECK(all_distinct(p, m, 6));
    }
}

TEST(mempool_policy, MP_30_what_another_cache_holds_is_out_of_reach)
{
    struct mbuf *m[9];

    EACH_OLD_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 10, 4);

        script_run(p, policy == MEMPOOL_P2 ? "g1 p1 2/8" : "g1 p1 5/5");
        host_lcore = 1;
        CHECK_EQ(mempool_available(p), 10);
        CHECK_EQ(mempool_get_bulk(p, m, 9), E_NOBUF);
    }
}

/* ---- checking build ---- */

static void misuse(enum mempool_policy policy)
{
    struct mempool *p = policy_pool_of(policy, 64, 8), *other;
    const struct mempool_config config = { .name = "other", .count = 8 };
    struct mbuf *m[3], *foreign;

    get(p, m, 3);
    mempool_put_bulk(p, &m[2], 1);
    CHECK_PANICS(mempool_put_bulk(p, &m[2], 1));
    CHECK_CONTAINS(host_panic_text, "of pool \"test\" put twice");
    other = mempool_create(&config);
    get(other, &foreign, 1);
    CHECK_PANICS(mempool_put_bulk(p, &foreign, 1));
    CHECK_CONTAINS(host_panic_text, "is not a buffer of pool \"test\"");
    ((char *)m[0]->buf_addr)[m[0]->buf_len] ^= 1;
    CHECK_PANICS(mempool_put_bulk(p, &m[0], 1));
    CHECK_CONTAINS(host_panic_text, "was written past its end");
}

TEST(mempool_policy, MP_34_putting_twice_foreign_and_past_the_end)
{
    misuse(MEMPOOL_P0);
    misuse(MEMPOOL_P1);
    misuse(MEMPOOL_P2);
}

/* ---- layout ---- */

TEST(mempool_policy, MP_36_pointer_arrays_start_on_a_line)
{
    EACH_OLD_POLICY(policy)
    {
        struct mempool *p = policy_pool_of(policy, 64, 7);
        const unsigned room = cache_array_size(policy, 7);

        for (unsigned i = 0; i < p->lcores; i++) {
            const char *start =
                (char *)cache_loaded(mempool_cache_of(p, i))->object;

            CHECK_EQ((uintptr_t)start % CACHE_LINE, 0);
            if (i + 1 < p->lcores) /* a line between, for the prefetcher */
                CHECK((char *)cache_loaded(mempool_cache_of(p, i + 1)) >=
                      start + room * sizeof(void *) + CACHE_LINE);
        }
        CHECK_EQ((uintptr_t)&p->fifo % CACHE_LINE, 0);
    }
}

TEST(mempool_policy, MP_37_constant_and_variable_counts_agree)
{
    volatile unsigned n = 4;

    EACH_OLD_POLICY(policy)
    {
        unsigned levels[2][2];

        for (unsigned i = 0; i < 2; i++) {
            struct mempool *p = policy_pool_of(policy, 64, 6);
            struct mbuf *m[8];

            get(p, m, i == 0 ? 4 : n);
            get(p, m + 4, i == 0 ? 4 : n);
            mempool_put_bulk(p, m, i == 0 ? 4 : n);
            levels[i][0] = cached(p);
            levels[i][1] = in_store(p);
        }
        CHECK_BYTES(levels[0], levels[1], sizeof(levels[0]));
    }
}
