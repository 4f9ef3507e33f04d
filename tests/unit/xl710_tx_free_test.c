/*
 * xl710_tx_free_test.c - sent buffers on their way back, with the test in the
 * NIC's place
 */
#include <millrace/port.h>

#include "drivers/xl710/tx_free.h"
#include "tests/unit/xl710_tx_rig.h"

static const unsigned bucket_sizes[] = { 1, 2, 16, 32, 64, 128, 256, 512 };

/* Calls that put something into the pool, so far. */
static unsigned put_calls(void)
{
    struct mempool_stats s;

    mempool_stats_get(pool, 0, &s);
    return (unsigned)s.put_calls;
}

/* ---- with the promise of one pool ---- */

TEST(xl710_tx_free, TX_11_puts_of_each_scheme)
{
    static const struct {
        unsigned n, chunks;
    } rows[] = { { 32, 1 },  { 64, 1 },  { 96, 2 },   { 128, 2 },
                 { 256, 4 }, { 512, 8 }, { 1024, 16 } };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        const unsigned n = rows[i].n;
        const unsigned expected[TX_SCHEMES] = {
            [TX_PUT_EACH] = n,
            [TX_PUT_CHUNKS] = rows[i].chunks,
            [TX_PUT_ALL] = 1,
        };

        for (unsigned s = 0; s < TX_SCHEMES; s++) {
            struct port_txq *rig;
            unsigned before;

            host_reset();
            ring_machine_open();
            pool = ring_pool("test", 1024);
            rig = tx_rig_open(2048, 32, true);
            CHECK_EQ(tx_rig_fill(rig, pool, n), OK);
            before = put_calls();
            CHECK_EQ(tx_rig_reclaim(rig, s), n);
            CHECK_EQ(put_calls() - before, expected[s]);
            /* the pool's own checks refuse a buffer that comes twice */
            CHECK_EQ(out_of_pool(), 0);
            CHECK_EQ(rig->clean, rig->tail); /* T4: no slot means anything */
            tx_rig_close(rig);
        }
    }
}

TEST(xl710_tx_free, TX_11_every_scheme_returns_all_of_any_bucket)
{
    for (unsigned s = 0; s < TX_SCHEMES; s++)
        for (unsigned fast = 0; fast < 2; fast++)
            for (unsigned i = 0; i < ARRAY_SIZE(bucket_sizes); i++) {
                const unsigned rs = bucket_sizes[i];
                struct port_txq *rig;

                host_reset();
                ring_machine_open();
                pool = ring_pool("test", 1024);
                rig = tx_rig_open(1024, rs, fast == 1);
                CHECK(rig != NULL);
                for (unsigned round = 0; round < 5; round++) {
                    CHECK_EQ(tx_rig_fill(rig, pool, 512), OK);
                    CHECK_EQ(out_of_pool(), 512);
                    CHECK_EQ(tx_rig_reclaim(rig, s), 512);
                    CHECK_EQ(out_of_pool(), 0);
                }
                CHECK_EQ(tx_rig_fill(rig, pool, rs), OK);
                tx_rig_close(rig);
                CHECK_EQ(out_of_pool(), 0);
            }
}

TEST(xl710_tx_free, a_rig_refuses_what_it_cannot_do)
{
    struct port_txq *rig;

    ring_machine_open();
    pool = ring_pool("test", 100);
    CHECK(tx_rig_open(1024, 48, true) == NULL);
    CHECK_CONTAINS(host_console_text(), "power of two");
    rig = tx_rig_open(1024, 32, true);
    CHECK_EQ(tx_rig_fill(rig, pool, 0), E_INVALID);
    CHECK_EQ(tx_rig_fill(rig, pool, 33), E_INVALID);
    CHECK_EQ(tx_rig_fill(rig, pool, 1024), E_INVALID);
    CHECK_EQ(tx_rig_fill(rig, pool, 128), E_NOBUF);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(tx_rig_fill(rig, pool, 64), OK);
    CHECK_EQ(tx_rig_fill(rig, pool, 64), E_INVALID); /* still in flight */
    tx_rig_close(rig);
    CHECK_EQ(out_of_pool(), 0);
}

/* ---- TX-12: the loop as it was first published returns too little ---- */

static unsigned returned;

static void count_put(unsigned n)
{
    returned += n;
}

/* Bound n - 64, and the rest is returned whether there is one or not. */
static void quoted_loop(unsigned n)
{
    const unsigned whole = n >= 64 ? n - n % 64 : 0;
    unsigned i;

    for (i = 0; i + 64 < whole; i += 64)
        count_put(64);
    count_put(n % 64);
}

/* What the loop above returns for each n, and that ours returns all. */
TEST(xl710_tx_free, TX_12_no_chunk_is_left_out)
{
    static const struct {
        unsigned n, quoted;
    } rows[] = { { 32, 32 },  { 64, 0 },    { 96, 32 },
                 { 128, 64 }, { 256, 192 }, { 512, 448 } };

    ring_machine_open();
    pool = ring_pool("test", 1024);
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct mbuf *m[512];

        returned = 0;
        quoted_loop(rows[i].n);
        CHECK_EQ(returned, rows[i].quoted);
        CHECK_EQ(mempool_get_bulk(pool, m, rows[i].n), OK);
        tx_put(pool, m, rows[i].n, TX_PUT_CHUNKS);
        CHECK_EQ(out_of_pool(), 0); /* so it is not that loop */
    }
}

/* ---- without it ---- */

TEST(xl710_tx_free, TX_13_packets_of_one_pool_are_one_run)
{
    unsigned before;

    open_queue(64, 32, 32);
    CHECK_EQ(send(32), 32);
    complete(31);
    before = put_calls();
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(put_calls() - before, 1);
    CHECK_EQ(out_of_pool(), 0);
}

TEST(xl710_tx_free, TX_14_a_shared_buffer_stays_with_its_other_owner)
{
    static const unsigned shared[] = { 0, 7, 13, 20, 31 };
    struct mbuf *pkts[32];

    open_queue(64, 32, 32);
    for (unsigned i = 0; i < 32; i++)
        pkts[i] = ring_packet(pool, 60, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(shared); i++)
        pkts[shared[i]]->refcnt = 2;
    CHECK_EQ(port_tx_burst(&q, pkts, 32), 32);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 5);
    for (unsigned i = 0; i < ARRAY_SIZE(shared); i++) {
        CHECK_EQ(pkts[shared[i]]->refcnt, 1);
        mbuf_free(pkts[shared[i]]);
    }
    CHECK_EQ(out_of_pool(), 0);
}

TEST(xl710_tx_free, TX_15_runs_of_pools_each_go_home)
{
    struct mempool *other;
    struct mbuf *pkts[32];

    open_queue(64, 32, 32);
    other = ring_pool("other", 64);
    for (unsigned i = 0; i < 32; i++)
        pkts[i] = ring_packet(i < 10 || i >= 22 ? pool : other, 60, 1);
    CHECK_EQ(port_tx_burst(&q, pkts, 32), 32);
    CHECK_EQ(mempool_available(other), 64 - 12);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(mempool_available(other), 64);
}

/* Too few in a row to be a run: they are collected one by one. */
TEST(xl710_tx_free, TX_15_alternating_pools_each_go_home)
{
    struct mempool *other;
    struct mbuf *pkts[32];

    open_queue(64, 32, 32);
    other = ring_pool("other", 64);
    for (unsigned i = 0; i < 32; i++)
        pkts[i] = ring_packet(i % 3 != 0 ? pool : other, 60, 1);
    CHECK_EQ(port_tx_burst(&q, pkts, 32), 32);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(mempool_available(other), 64);
}

/*
 * Runs are collected in the ring's own slots, so nothing of fixed size can be
 * overrun; ASan watches what is around them.
 */
TEST(xl710_tx_free, TX_16_buckets_of_any_size_return_exactly_once)
{
    for (unsigned i = 0; i < ARRAY_SIZE(bucket_sizes); i++) {
        const unsigned rs = bucket_sizes[i];

        host_reset();
        open_queue(1024, rs, 512);
        CHECK_EQ(send(512), 512);
        CHECK_EQ(out_of_pool(), 512);
        complete_all();
        CHECK_EQ(tx_reclaim(&q), 512);
        CHECK_EQ(out_of_pool(), 0);
        CHECK_EQ(q.free, 1023);
        CHECK_EQ(q.clean, q.tail); /* T4: no slot means anything */
    }
}

TEST(xl710_tx_free, TX_15_each_run_is_one_put)
{
    struct mempool *other;
    struct mempool_stats s;
    struct mbuf *pkts[32], *again[12];
    unsigned before;

    open_queue(64, 32, 32);
    other = ring_pool("other", 12);
    for (unsigned i = 0; i < 32; i++)
        pkts[i] = ring_packet(i < 10 || i >= 22 ? pool : other, 60, 1);
    CHECK_EQ(port_tx_burst(&q, pkts, 32), 32);
    complete(31);
    before = put_calls();
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(put_calls() - before, 2);
    mempool_stats_get(other, 0, &s);
    CHECK_EQ(s.put_calls, 1);
    /* in order: the last put is the first to come again */
    CHECK_EQ(mempool_get_bulk(other, again, 12), OK);
    for (unsigned i = 0; i < 12; i++)
        CHECK(again[i] == pkts[21 - i]);
    mempool_put_bulk(other, again, 12);
}

/* ---- the promise, kept and broken ---- */

/* A chain is cut as its descriptors are written; its parts go back plain. */
TEST(xl710_tx_free, a_chain_may_go_the_fast_way)
{
    struct mbuf *m, *parts[32];

    open_queue_with(128, 32, 32, true);
    m = ring_packet(pool, 900, 5);
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.tail, 5);
    CHECK(q.frees_fast);
    for (unsigned i = 0; i < 5; i++) {
        CHECK(q.sw[i]->next == NULL);
        CHECK_EQ(q.sw[i]->nb_segs, 1);
    }
    CHECK_EQ(send(27), 27);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(mempool_get_bulk(pool, parts, 32), OK); /* B1..B3, by the pool */
    mempool_put_bulk(pool, parts, 32);
    CHECK_EQ(q.stats.not_fast, 0);
}

TEST(xl710_tx_free, TX_23_a_buffer_of_another_pool_is_named_and_goes_home)
{
    struct mempool *other;

    open_queue_with(128, 32, 32, true);
    other = ring_pool("other", 8);
    CHECK_EQ(send(20), 20);
    CHECK(q.frees_fast);
    CHECK(q.pool == pool);
    CHECK_EQ(send_one(ring_packet(other, 60, 1)), 1);
    CHECK_EQ(q.stats.not_fast, 1);
    CHECK_CONTAINS(host_console_text(), "transmit slot 20");
    CHECK_CONTAINS(host_console_text(), "pool \"other\"");
    CHECK_CONTAINS(host_console_text(), "\"test\"");
    CHECK_EQ(send(11), 11);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(mempool_available(other), 8);
}

TEST(xl710_tx_free, TX_23_a_shared_buffer_is_named_and_stays)
{
    struct mbuf *m;

    open_queue_with(128, 32, 32, true);
    CHECK_EQ(send(31), 31);
    m = ring_packet(pool, 60, 1);
    m->refcnt = 2;
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.not_fast, 1);
    CHECK_CONTAINS(host_console_text(), "with 2 holders");
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(out_of_pool(), 1);
    mbuf_free(m);
    CHECK_EQ(out_of_pool(), 0);
}

TEST(xl710_tx_free, TX_23_a_clone_is_named_and_releases_its_root)
{
    struct mbuf *root, *clone;

    open_queue_with(128, 32, 32, true);
    CHECK_EQ(send(31), 31);
    root = ring_packet(pool, 60, 1);
    clone = mbuf_clone(root, pool);
    CHECK_EQ(send_one(clone), 1);
    CHECK_EQ(q.stats.not_fast, 1);
    CHECK_CONTAINS(host_console_text(), "not direct");
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(root->refcnt, 1);
    mbuf_free(root);
    CHECK_EQ(out_of_pool(), 0);
}

/* One warning, however many packets; the count goes on with checks only. */
TEST(xl710_tx_free, TX_23_a_restart_believes_the_promise_again)
{
    struct mempool *other;

    open_queue_with(128, 32, 32, true);
    other = ring_pool("other", 8);
    CHECK_EQ(send(1), 1);
    CHECK_EQ(send_one(ring_packet(other, 60, 1)), 1);
    host_console_clear();
    CHECK_EQ(send_one(ring_packet(other, 60, 1)), 1);
    CHECK_EQ(strlen(host_console_text()), 0);
    CHECK(!q.frees_fast);
    tx_ring_drain(&q);
    CHECK(q.frees_fast);
    CHECK(q.pool == NULL);
    CHECK_EQ(send_one(ring_packet(other, 60, 1)), 1);
    CHECK(q.frees_fast);
    CHECK(q.pool == other);
    tx_ring_drain(&q);
    CHECK_EQ(mempool_available(other), 8);
    CHECK_EQ(out_of_pool(), 0);
}

/* ---- stop ---- */

TEST(xl710_tx_free, TX_22_a_pool_that_is_gone_is_not_touched)
{
    for (unsigned fast = 0; fast < 2; fast++) {
        struct mempool *second;

        host_reset();
        open_queue_with(128, 32, 32, fast == 1);
        CHECK_EQ(send(50), 50);
        tx_ring_drain(&q);
        second = ring_pool("second", 256); /* so not where the first was */
        CHECK_EQ(mempool_destroy(pool), OK);
        pool = second;
        CHECK_EQ(send(64), 64);
        complete_all();
        CHECK_EQ(tx_reclaim(&q), 64);
        CHECK_EQ(out_of_pool(), 0);
        CHECK_EQ(q.stats.not_fast, 0);
    }
}
