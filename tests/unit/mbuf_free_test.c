/*
 * mbuf_free_test.c - the way back into the pool: B1..B4 of mbuf.h
 */
#include "tests/unit/mbuf_rig.h"

TEST(mbuf_free, MB_09_prefree_with_two_references_keeps_it)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p);

    mbuf_hold(m);
    CHECK_EQ(m->refcnt, 2);
    CHECK(mbuf_prefree(m) == NULL);
    CHECK_EQ(m->refcnt, 1);
    CHECK(mbuf_prefree(m) == m);
    CHECK_EQ(m->refcnt, 1);
    mempool_put_bulk(p, &m, 1);
    CHECK_EQ(mempool_available(p), 1023);
}

TEST(mbuf_free, MB_09_last_reference_restores_chain_fields)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p);
    const char *reason;

    mbuf_hold(m);
    mbuf_hold(m);
    CHECK(mbuf_prefree(m) == NULL);
    CHECK(mbuf_prefree(m) == NULL);
    m->next = m;
    m->nb_segs = 9;
    CHECK(mbuf_prefree(m) == m);
    CHECK(mbuf_raw_check(m, p, &reason));
}

TEST(mbuf_free, MB_20_null_is_ignored)
{
    struct mempool *p = open_pool();
    struct mbuf *pkts[4] = { NULL, mbuf_alloc(p), NULL, mbuf_alloc(p) };

    mbuf_free(NULL);
    mbuf_free_bulk(pkts, 4);
    mbuf_free_bulk(pkts, 0);
    CHECK_EQ(mempool_available(p), 1023);
}

TEST(mbuf_free, MB_21_bulk_free_over_two_pools)
{
    struct mempool *a = open_pool();
    struct mempool *b = pool_of("b", 1023, MBUF_DATA_ROOM);
    struct mbuf *pkts[8], *leaked, *kept;

    for (unsigned i = 0; i < 8; i++)
        pkts[i] = mbuf_alloc(i % 2 == 0 ? a : b);
    CHECK_EQ(mempool_available(a), 1019);
    CHECK_EQ(mempool_available(b), 1019);
    kept = pkts[3];
    mbuf_hold(kept);
    leaked = pkts[5];
    pkts[5] = NULL;
    mbuf_free_bulk(pkts, 8);
    CHECK_EQ(mempool_available(a), 1023);
    CHECK_EQ(mempool_available(b), 1021);
    CHECK_EQ(kept->refcnt, 1);
    mbuf_free(kept);
    mbuf_free(leaked);
    CHECK_EQ(mempool_available(b), 1023);
}

/* One put, and no copy, for plain packets of one pool. */
TEST(mbuf_free, MEM_15_bulk_free_of_any_count_returns_all)
{
    for (unsigned n = 1; n <= 200; n += 9) {
        const struct mempool_config config = {
            .name = "c", .count = 512, .cache = 256, .lcores = 1
        };
        struct mempool_stats s;
        struct mbuf *pkts[200];
        struct mempool *p;

        open_pool();
        p = mempool_create(&config);
        CHECK_EQ(mbuf_alloc_bulk(p, pkts, n), OK);
        mbuf_free_bulk(pkts, n);
        mempool_stats_get(p, 0, &s);
        CHECK_EQ(s.put_objects, n);
        CHECK_EQ(s.put_calls, 1);
        CHECK_EQ(mempool_available(p), 512);
    }
}

/* Too many in a row to be collected one by one. */
TEST(mbuf_free, MB_21_plain_packets_of_two_pools_go_home)
{
    struct mempool *a = open_pool();
    struct mempool *b = pool_of("b", 1023, MBUF_DATA_ROOM);
    struct mbuf *pkts[16];

    for (unsigned i = 0; i < 16; i++)
        pkts[i] = mbuf_alloc(i < 6 || i == 15 ? a : b);
    mbuf_free_bulk(pkts, 16);
    CHECK_EQ(mempool_available(a), 1023);
    CHECK_EQ(mempool_available(b), 1023);
}

static void free_one(struct mbuf *m)
{
    mbuf_free(m);
}

static void free_as_bulk(struct mbuf *m)
{
    struct mbuf *pkts[6] = { m };

    for (unsigned i = 1; i < 6; i++)
        pkts[i] = mbuf_alloc(m->pool);
    mbuf_free_bulk(pkts, 6);
}

/* Whatever the count says, next is followed and both are restored. */
static struct mempool *cached_pool(const char *name)
{
    const struct mempool_config config = { .name = name,
                                           .count = 255,
                                           .cache = 32,
                                           .lcores = 1,
                                           .data_room = MBUF_DATA_ROOM };
    struct mempool *p = mempool_create(&config);

    CHECK(p != NULL);
    return p;
}

/* One after the other: runs of one pool, and pools in turns. */
TEST(mbuf_free, singles_go_home_whatever_went_before)
{
    static const unsigned from[] = { 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 2, 0, 2, 2 };
    struct mempool *pool[3];
    struct mbuf *m[ARRAY_SIZE(from)];
    struct mempool_stats stats;

    memory_open();
    for (unsigned i = 0; i < 3; i++)
        pool[i] = cached_pool((const char *[]) { "a", "b", "c" }[i]);
    for (unsigned i = 0; i < ARRAY_SIZE(from); i++)
        m[i] = mbuf_alloc(pool[from[i]]);
    for (unsigned i = 0; i < ARRAY_SIZE(from); i++)
        mbuf_free(m[i]);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(mempool_available(pool[i]), 255);
        mempool_stats_get(pool[i], 0, &stats);
        CHECK_EQ(stats.put_calls, ((unsigned[]) { 6, 5, 3 })[i]);
        CHECK_EQ(stats.put_objects, stats.get_objects);
    }
}

TEST(mbuf_free, MB_15_a_clone_lets_go_where_its_pool_has_a_cache)
{
    struct mempool *p;
    struct mbuf *m, *clone;

    memory_open();
    p = cached_pool("a");
    m = mbuf_alloc(p);
    clone = mbuf_clone(m, p);
    CHECK(clone != NULL);
    mbuf_free(m);
    CHECK_EQ(mempool_available(p), 253);
    mbuf_free(clone);
    CHECK_EQ(mempool_available(p), 255);
    CHECK(mbuf_is_direct(clone));
    CHECK_EQ(m->refcnt, 1);
}

TEST(mbuf_free, MB_11_wrong_counts_do_not_get_into_the_pool)
{
    void (*const ways[])(struct mbuf * m) = { free_one, free_as_bulk };

    for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
        struct mempool *p = open_pool();
        struct mbuf *m = mbuf_alloc(p);
        const char *reason;

        m->nb_segs = 2; /* of a head whose tail was cut off */
        ways[i](m);
        CHECK(mbuf_raw_check(m, p, &reason));
        m = mbuf_alloc(p);
        m->next = mbuf_alloc(p); /* added without being counted */
        ways[i](m);
        CHECK(mbuf_raw_check(m, p, &reason));
        CHECK_EQ(mempool_available(p), 1023);
    }
}

/* Pairs of segments are collected, 64 at a time, plain stretches are not. */
TEST(mbuf_free, bulk_free_of_chains_and_plain_packets_returns_all)
{
    for (unsigned plain = 0; plain <= 6; plain++) {
        const struct mempool_config config = {
            .name = "c", .count = 512, .cache = 256, .lcores = 1
        };
        struct mbuf *pkts[160], *out[512];
        const char *reason = "";
        struct mempool *p;

        open_pool();
        p = mempool_create(&config);
        CHECK_EQ(mbuf_alloc_bulk(p, pkts, 160), OK);
        for (unsigned i = 0; i < 160; i += plain + 1)
            CHECK_EQ(mbuf_chain(pkts[i], mbuf_alloc(p)), OK);
        mbuf_free_bulk(pkts, 160);
        CHECK_EQ(mempool_available(p), 512);
        CHECK_EQ(mempool_get_bulk(p, out, 512), OK);
        for (unsigned i = 0; i < 512; i++)
            if (!mbuf_raw_check(out[i], p, &reason))
                CHECK_STR(reason, "");
    }
}

TEST(mbuf_free, MB_22_bulk_allocation_takes_all_or_nothing)
{
    struct mempool *p = open_pool();
    static struct mbuf *m[1024];

    CHECK_EQ(mbuf_alloc_bulk(p, m, 1024), E_NOBUF);
    CHECK_EQ(mempool_available(p), 1023);
    CHECK_EQ(mbuf_alloc_bulk(p, m, 1023), OK);
    for (unsigned i = 0; i < 1023; i++)
        check_fresh(m[i]);
    CHECK(mbuf_alloc(p) == NULL);
    mbuf_free_bulk(m, 1023);
    CHECK_EQ(mempool_available(p), 1023);
}

TEST(mbuf_free, MB_25_raw_buffer_keeps_what_the_last_user_left)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), *raw;
    const char *reason;

    m->port = 3;
    m->ol_flags = 8;
    m->data_len = m->pkt_len = 60;
    mbuf_free(m);
    CHECK_EQ(mempool_get_bulk(p, &raw, 1), OK);
    CHECK(raw == m);
    CHECK(mbuf_raw_check(raw, p, &reason));
    CHECK(raw->buf_addr == raw + 1);
    CHECK_EQ(raw->buf_len, 2176);
    CHECK_EQ(raw->priv_size, 0);
    CHECK_EQ(raw->port, 3);
    CHECK_EQ(raw->ol_flags, 8);
    CHECK_EQ(raw->data_len, 60);
}

TEST(mbuf_free, MB_26_neither_pool_nor_prefree_writes_a_plain_buffer)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), *again;
    uint8_t before[128];

    memset(m->dynamic, 0x77, sizeof(m->dynamic));
    memcpy(before, m, 128);
    CHECK(mbuf_prefree(m) == m);
    mempool_put_bulk(p, &m, 1);
    CHECK_EQ(mempool_get_bulk(p, &again, 1), OK);
    CHECK(again == m);
    CHECK_BYTES(again, before, 128);
}

TEST(mbuf_free, MEM_01_freeing_twice_stops_a_checking_build)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), *segment = mbuf_alloc(p);

    mbuf_free(m);
    CHECK_PANICS(mbuf_free(m));
    CHECK_CONTAINS(host_panic_text, "put twice");

    m = mbuf_alloc(p);
    CHECK_EQ(mbuf_chain(m, segment), OK);
    mbuf_free(m);
    CHECK_PANICS(mbuf_free(segment)); /* it went with its packet */
}
