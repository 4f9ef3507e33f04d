/*
 * xl710_tx_test.c - the transmit ring, with the test in the NIC's place
 *
 * Rows TX-03 to TX-09 are what DPDK's simple transmit path does against a
 * device that completes what the test names. That path reports at the end of a
 * bucket only; our extra report at the end of a burst, which makes an idle
 * queue drain, is switched off where a row looks at report bits.
 */
#include "tests/unit/xl710_tx_rig.h"

/* ---- set-up ---- */

TEST(xl710_tx, TX_01_thresholds_are_accepted_or_refused_with_a_reason)
{
    static const struct {
        unsigned n, rs, free;
        bool is_good;
    } rows[] = {
        { 64, 32, 32, true },     { 96, 32, 32, true },
        { 1024, 512, 512, true }, { 1024, 512, 513, false },
        { 64, 32, 33, false },    { 1024, 64, 32, false },
        { 1000, 32, 32, false },  { 32, 16, 16, false },
        { 8160, 32, 32, true },   { 8192, 32, 32, false },
        { 4096, 48, 64, false },  { 64, 16, 48, true },
        { 64, 24, 40, false },    { 64, 0, 32, false },
        { 64, 1, 0, false },      { 64, 1, 61, false },
        { 64, 1, 60, true },      { 64, 64, 64, false },
        { 0, 32, 32, false },     { 96, 64, 32, false },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        CHECK_EQ(tx_ring_rule(rows[i].n, rows[i].rs, rows[i].free) == NULL,
                 rows[i].is_good);
    CHECK_CONTAINS(tx_ring_rule(1000, 32, 32), "multiple of 32");
    CHECK_CONTAINS(tx_ring_rule(64, 32, 33), "together");
    CHECK_CONTAINS(tx_ring_rule(4096, 48, 64), "power of two");
}

TEST(xl710_tx, TX_02_a_fresh_ring_is_all_done_and_one_short)
{
    open_queue(1024, 32, 32);
    CHECK_EQ(q.tail, 0);
    CHECK_EQ(q.free, 1023);
    CHECK_EQ(q.next_rs, 31);
    CHECK_EQ(q.next_done, 31);
    for (unsigned i = 0; i < q.n; i++)
        CHECK_EQ(q.ring[i].qw1 & TXD_TYPE, TXD_TYPE_DONE);
}

/* ---- reports and reclaim ---- */

TEST(xl710_tx, TX_03_TX_04_TX_05_report_bits_sit_at_bucket_ends)
{
    open_queue(1024, 32, 32);
    CHECK_EQ(send(31), 31);
    CHECK_EQ(ring_tail_value(), 31);
    CHECK_EQ(rs_count(), 0);
    CHECK_EQ(send(1), 1);
    CHECK_EQ(ring_tail_value(), 32);
    CHECK(has_rs(31));
    CHECK_EQ(q.next_rs, 63);
    CHECK_EQ(send(32), 32);
    CHECK_EQ(ring_tail_value(), 64);
    CHECK(has_rs(63));
    CHECK_EQ(send(928), 928);
    CHECK_EQ(ring_tail_value(), 992);
    CHECK_EQ(q.free, 31);

    /* TX-04 */
    CHECK_EQ(send(32), 31);
    CHECK_EQ(ring_tail_value(), 1023);
    CHECK_EQ(q.free, 0);
    CHECK_EQ(q.next_rs, 1023);
    CHECK_EQ(send(32), 0);

    /* TX-05 */
    complete(31);
    CHECK_EQ(send(32), 32);
    CHECK_EQ(ring_tail_value(), 31);
    CHECK(has_rs(1023));
    CHECK_EQ(q.next_rs, 31);
    CHECK_EQ(q.next_done, 63);
    CHECK_EQ(send(1), 0);
}

TEST(xl710_tx, TX_06_the_smallest_ring_takes_what_it_can)
{
    open_queue(64, 32, 32);
    CHECK_EQ(send(32), 32);
    CHECK_EQ(ring_tail_value(), 32);
    CHECK_EQ(send(32), 31);
    CHECK_EQ(ring_tail_value(), 63);
    CHECK_EQ(send(1), 0);
    complete(31);
    CHECK_EQ(send(40), 32);
    CHECK_EQ(ring_tail_value(), 31);
    CHECK(has_rs(63));
    complete(63);
    CHECK_EQ(send(40), 32);
    CHECK_EQ(ring_tail_value(), 63);
    CHECK_EQ(q.next_rs, 63);
    CHECK_EQ(q.next_done, 31);
}

TEST(xl710_tx, TX_07_a_burst_that_ends_on_the_last_slot_writes_tail_0)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(96), 96);
    complete(31);
    CHECK_EQ(send(32), 32);
    CHECK_EQ(ring_tail_value(), 0);
    CHECK_EQ(q.tail, 0);
    CHECK_EQ(q.free, 31);
    CHECK_EQ(q.next_rs, 31);
    CHECK_EQ(q.next_done, 63);
}

/*
 * The free counts after the reports of 63 and 127 are those of a reclaim that
 * looks at every burst and takes all finished buckets at once (TX-10). One
 * bucket a call, when fewer than 32 are free, would give 19 and 21.
 */
TEST(xl710_tx, TX_08_bursts_that_straddle_buckets)
{
    static const unsigned tails[] = { 20, 50, 80, 110, 12, 42 };
    static const unsigned frees[] = { 107, 77, 47, 17, 51, 85 };
    static const unsigned sizes[] = { 20, 30, 30, 30, 30, 30 };

    open_queue(128, 32, 32);
    for (unsigned i = 0; i < ARRAY_SIZE(tails); i++) {
        if (i == 4) {
            CHECK(has_rs(31) && has_rs(63) && has_rs(95));
            CHECK_EQ(rs_count(), 3);
            complete(31);
            complete(63);
        }
        if (i == 5) {
            CHECK(has_rs(127));
            complete(95);
            complete(127);
        }
        CHECK_EQ(send(sizes[i]), sizes[i]);
        CHECK_EQ(ring_tail_value(), tails[i]);
        CHECK_EQ(q.free, frees[i]);
    }
    CHECK(has_rs(31));
}

TEST(xl710_tx, TX_09_a_burst_larger_than_a_bucket_reports_each)
{
    open_queue(1024, 32, 32);
    CHECK_EQ(send(100), 100);
    CHECK(has_rs(31) && has_rs(63) && has_rs(95));
    CHECK_EQ(rs_count(), 3);
    CHECK_EQ(ring_tail_value(), 100);
    CHECK_EQ(q.free, 923);
    CHECK_EQ(q.next_rs, 127);
}

TEST(xl710_tx, TX_10_one_reclaim_takes_every_finished_bucket)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(96), 96);
    complete_all();
    CHECK_EQ(q.free, 31);
    CHECK_EQ(send(1), 1);
    CHECK_EQ(q.free, 126);
    CHECK_EQ(out_of_pool(), 1);
}

/* ---- the done mark ---- */

TEST(xl710_tx, TX_17_without_the_mark_nothing_moves)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(64), 64);
    CHECK_EQ(tx_reclaim(&q), 0);
    CHECK_EQ(q.free, 63);
    CHECK_EQ(q.next_done, 31);
    CHECK_EQ(out_of_pool(), 64);
}

TEST(xl710_tx, TX_18_a_mark_of_the_last_lap_means_nothing)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(31), 31);
    CHECK_EQ(tx_reclaim(&q), 0); /* descriptor 31 is "done" since reset */
    CHECK_EQ(send(1), 1);
    for (unsigned lap = 0; lap < 3; lap++) {
        complete_all();
        CHECK_EQ(tx_reclaim(&q), 32);
        for (unsigned b = 0; b < 3; b++) {
            CHECK_EQ(send(32), 32);
            complete_all();
            CHECK_EQ(tx_reclaim(&q), 32);
        }
        CHECK_EQ(q.tail, 0);
        CHECK_EQ(send(31), 31);
        CHECK_EQ(tx_reclaim(&q), 0);
        CHECK_EQ(send(1), 1);
    }
}

TEST(xl710_tx, TX_19_a_full_bucket_on_demand)
{
    open_queue(1024, 32, 32);
    CHECK_EQ(send(32), 32);
    complete(31);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(q.free, 1023);
    CHECK_EQ(out_of_pool(), 0);
}

/* NIC-40: only the type field counts, whatever else the NIC leaves there. */
TEST(xl710_tx, a_done_mark_is_its_type_field_alone)
{
    open_queue(64, 32, 32);
    CHECK_EQ(send(32), 32);
    q.ring[31].qw1 = ~UINT64_C(0) & ~UINT64_C(0xF);
    CHECK_EQ(tx_reclaim(&q), 0);
    q.ring[31].qw1 = TXD_TYPE_DONE;
    CHECK_EQ(tx_reclaim(&q), 32);
}

/* ---- idle ---- */

TEST(xl710_tx, TX_20_an_idle_queue_gives_everything_back)
{
    static const unsigned bursts[] = { 1, 31, 32, 33, 63, 20, 7, 40 };

    open_queue(128, 32, 32);
    q.report_bursts = true;
    for (unsigned round = 0; round < 40; round++) {
        const unsigned n = bursts[round % ARRAY_SIZE(bursts)];

        CHECK_EQ(send(n), n);
        CHECK(has_rs((q.tail + q.n - 1) % q.n));
        port_tx_idle(&q); /* not sent yet */
        CHECK_EQ(out_of_pool(), n);
        complete_all();
        port_tx_idle(&q);
        CHECK_EQ(out_of_pool(), 0);
        CHECK_EQ(q.free, 127);
    }
}

/* The NIC is half way through when polling finds no work. */
TEST(xl710_tx, TX_20_an_idle_queue_gives_back_what_is_finished)
{
    open_queue(128, 32, 32);
    q.report_bursts = true;
    CHECK_EQ(send(50), 50);
    CHECK_EQ(send(20), 20);
    complete(31);
    port_tx_idle(&q);
    CHECK_EQ(out_of_pool(), 70 - 32);
    complete(49);
    port_tx_idle(&q); /* bucket 32..63 is not complete */
    CHECK_EQ(out_of_pool(), 70 - 32);
    complete(63);
    port_tx_idle(&q);
    CHECK_EQ(out_of_pool(), 70 - 64);
    complete(69);
    port_tx_idle(&q);
    CHECK_EQ(out_of_pool(), 0);
    /* and goes on in step with its buckets */
    CHECK_EQ(send(64), 64);
    complete_all();
    port_tx_idle(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/* After an idle reclaim inside a bucket the old marks must not count. */
TEST(xl710_tx, TX_18_TX_20_stale_marks_after_an_idle_reclaim)
{
    open_queue(64, 32, 32);
    q.report_bursts = true;
    for (unsigned round = 0; round < 200; round++) {
        const unsigned n = 1 + round * 7 % 50;

        CHECK_EQ(send(n), n);
        CHECK_EQ(tx_reclaim(&q), 0);
        CHECK_EQ(out_of_pool(), n);
        complete_all();
        port_tx_idle(&q);
        CHECK_EQ(out_of_pool(), 0);
    }
}

/* ---- stop ---- */

TEST(xl710_tx, TX_21_stop_returns_each_of_50_in_flight_once)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(50), 50);
    CHECK_EQ(out_of_pool(), 50);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(q.free, 127);
    CHECK_EQ(q.tail, 0);
}

/* ---- descriptors, doorbells ---- */

TEST(xl710_tx, TX_24_sixty_bytes_as_the_chip_wants_them)
{
    struct mbuf *m;
    const void *data;

    open_queue(64, 32, 32);
    m = ring_packet(pool, 60, 1);
    data = mbuf_data(m);
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.ring[0].qw1, 0x000000F000000050);
    CHECK_EQ(q.ring[0].address, host_bus_addr(data));
    CHECK_EQ(send(31), 31);
    CHECK_EQ(q.ring[31].qw1, 0x000000F000000070);
}

TEST(xl710_tx, TX_27_a_burst_of_100_rings_once)
{
    open_queue(1024, 32, 32);
    CHECK_EQ(send(100), 100);
    CHECK_EQ(ring_tail_writes(), 1);
    CHECK_EQ(send(0), 0);
    CHECK_EQ(ring_tail_writes(), 1);
}

TEST(xl710_tx, TX_30_a_packet_across_a_bucket_reports_at_its_end)
{
    open_queue(128, 32, 32);
    CHECK_EQ(send(30), 30);
    CHECK_EQ(send_one(ring_packet(pool, 900, 5)), 1);
    CHECK_EQ(q.tail, 35);
    CHECK(has_rs(34));
    CHECK_EQ(rs_count(), 1);
    CHECK_EQ(q.report[0], 34);
    for (unsigned i = 30; i < 34; i++)
        CHECK_EQ(q.ring[i].qw1 & (TXD_EOP | TXD_RS), 0);
    complete(34);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(q.free, 127 - 3);
    CHECK_EQ(out_of_pool(), 3);
    /* bucket 1 has its own report again */
    CHECK_EQ(send(29), 29);
    CHECK(has_rs(63));
    complete(63);
    CHECK_EQ(tx_reclaim(&q), 32);
    CHECK_EQ(out_of_pool(), 0);
}

/* One packet may end several small buckets. */
TEST(xl710_tx, a_packet_over_many_small_buckets_reports_them_all)
{
    open_queue(64, 2, 32);
    CHECK_EQ(send(1), 1);
    CHECK_EQ(send_one(ring_packet(pool, 800, 8)), 1);
    CHECK(has_rs(8));
    CHECK_EQ(rs_count(), 1);
    complete(8);
    CHECK_EQ(tx_reclaim(&q), 8);
    CHECK_EQ(send(1), 1);
    complete(9);
    CHECK_EQ(tx_reclaim(&q), 2);
    CHECK_EQ(out_of_pool(), 0);
}

/* ---- packets the chip cannot send ---- */

/* NIC-34 */
TEST(xl710_tx, nine_pieces_are_copied_together)
{
    struct mbuf *m;

    open_queue(64, 32, 32);
    CHECK_EQ(send_one(ring_packet(pool, 9000, 8)), 1);
    CHECK_EQ(q.tail, 8);
    CHECK_EQ(q.stats.copied, 0);
    m = ring_packet(pool, 9000, 9);
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.copied, 1);
    CHECK_EQ(q.tail, 8 + 5); /* 2048 bytes each */
    for (unsigned i = 8, at = 0; i < 13; i++) {
        const unsigned size = size_at(i);
        const uint8_t *p = host_bus_to_ptr(q.ring[i].address, size);

        for (unsigned b = 0; b < size; b++, at++)
            CHECK_EQ(p[b], (uint8_t)at);
    }
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/* TX-26, NIC-35 */
TEST(xl710_tx, TX_26_empty_segments_take_no_descriptor)
{
    struct mbuf *m, *empty;

    open_queue(64, 32, 32);
    m = ring_packet(pool, 600, 3);
    empty = mbuf_alloc(pool);
    empty->data_len = 0;
    empty->next = m->next;
    m->next = empty;
    m->nb_segs = 4;
    CHECK_EQ(tx_descriptors(m), 3);
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.tail, 3);
    CHECK_EQ(out_of_pool(), 3);

    /* also when the first is the empty one */
    m = ring_packet(pool, 100, 1);
    empty = mbuf_alloc(pool);
    empty->data_len = 0;
    empty->pkt_len = 100;
    empty->nb_segs = 2;
    empty->ol_flags = 0;
    empty->next = m;
    CHECK_EQ(send_one(empty), 1);
    CHECK_EQ(q.tail, 4);
    CHECK_EQ(size_at(3), 100);
    CHECK_EQ(q.stats.packets, 2);
    CHECK_EQ(q.stats.bytes, 700);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/* NIC-35: 16 bytes and less would be a malicious driver's. */
TEST(xl710_tx, short_frames_are_padded_with_zeroes)
{
    open_queue(64, 32, 32);
    for (unsigned bytes = 1; bytes < TX_CHIP_MIN; bytes++) {
        const unsigned slot = q.tail;
        struct mbuf *m = ring_packet(pool, bytes, 1);
        const uint8_t *p = mbuf_data(m);

        memset(mbuf_data(m), 0xEE, 200);
        CHECK_EQ(send_one(m), 1);
        CHECK_EQ(size_at(slot), PORT_FRAME_MIN);
        for (unsigned i = 0; i < PORT_FRAME_MIN; i++)
            CHECK_EQ(p[i], i < bytes ? 0xEE : 0);
    }
    CHECK_EQ(q.stats.padded, TX_CHIP_MIN - 1);
    CHECK_EQ(send_one(ring_packet(pool, TX_CHIP_MIN, 1)), 1);
    CHECK_EQ(size_at(16), TX_CHIP_MIN);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/* No buffer of the pool holds zeroes by chance. */
static void dirty_pool(void)
{
    static struct mbuf *all[RIG_POOL];

    CHECK_EQ(mbuf_alloc_bulk(pool, all, RIG_POOL), OK);
    for (unsigned i = 0; i < RIG_POOL; i++)
        memset(mbuf_data(all[i]), 0xEE, 256);
    mbuf_free_bulk(all, RIG_POOL);
}

/* Somebody else reads those bytes: padding goes into a copy. */
TEST(xl710_tx, a_shared_short_frame_is_copied_before_padding)
{
    struct mbuf *m;
    const uint8_t *sent;

    open_queue(64, 32, 32);
    dirty_pool();
    m = ring_packet(pool, 14, 1);
    memset((uint8_t *)mbuf_data(m) + 14, 0xEE, 64);
    m->refcnt = 2;
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(m->data_len, 14);
    CHECK_EQ(((uint8_t *)mbuf_data(m))[14], 0xEE);
    CHECK(q.sw[0] != m);
    sent = mbuf_data(q.sw[0]);
    for (unsigned i = 0; i < PORT_FRAME_MIN; i++)
        CHECK_EQ(sent[i], i < 14 ? i : 0);
    CHECK_EQ(q.stats.copied, 1);
    mbuf_free(m);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

TEST(xl710_tx, frames_that_cannot_be_are_dropped_and_counted)
{
    struct mbuf *m;

    open_queue(64, 32, 32);
    m = ring_packet(pool, 9729, 5);
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.oversize, 1);

    m = ring_packet(pool, 0, 1);
    CHECK_EQ(send_one(m), 1);
    m = ring_packet(pool, 100, 1);
    m->pkt_len = 101; /* lengths disagree */
    CHECK_EQ(send_one(m), 1);
    m = ring_packet(pool, 100, 2);
    m->nb_segs = 3; /* counts disagree */
    CHECK_EQ(send_one(m), 1);
    m = ring_packet(pool, 300, 3);
    m->nb_segs = 2;
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.malformed, 4);
    CHECK_EQ(q.tail, 0);
    CHECK_EQ(ring_tail_writes(), 0);
    CHECK_EQ(out_of_pool(), 0);
    CHECK_EQ(q.stats.packets, 0);
}

TEST(xl710_tx, a_copy_that_finds_no_buffer_is_a_counted_drop)
{
    struct mbuf *m, *held[RIG_POOL];
    unsigned n = 0;

    open_queue(64, 32, 32);
    m = ring_packet(pool, 9000, 9);
    while ((held[n] = mbuf_alloc(pool)) != NULL)
        n++;
    CHECK_EQ(send_one(m), 1);
    CHECK_EQ(q.stats.nombuf, 1);
    CHECK_EQ(q.tail, 0);
    mbuf_free_bulk(held, n);
    CHECK_EQ(out_of_pool(), 0);
}

TEST(xl710_tx, what_does_not_fit_stays_with_the_caller)
{
    struct mbuf *pkts[20];

    open_queue(64, 32, 32);
    CHECK_EQ(send(55), 55); /* 8 descriptors left */
    for (unsigned i = 0; i < 20; i++)
        pkts[i] = ring_packet(pool, 600, 3);
    CHECK_EQ(port_tx_burst(&q, pkts, 20), 2);
    CHECK_EQ(q.free, 2);
    for (unsigned i = 2; i < 20; i++)
        CHECK_EQ(pkts[i]->nb_segs, 3);
    mbuf_free_bulk(pkts + 2, 18);
    tx_ring_drain(&q);
    CHECK_EQ(out_of_pool(), 0);
}

/* Every ring size that is no power of two wraps like one (NIC-28, NIC-38). */
TEST(xl710_tx, odd_ring_sizes_wrap)
{
    static const unsigned sizes[] = { 64, 96, 160, 224, 992, 1056, 8160 };

    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint64_t sent = 0;

        host_reset();
        open_queue(sizes[i], 32, 32);
        q.report_bursts = true;
        for (unsigned round = 0; sent < 3 * sizes[i]; round++) {
            const unsigned n = 1 + round * 13 % 40;

            CHECK_EQ(send(n), n);
            CHECK(ring_tail_value() < q.n);
            sent += n;
            CHECK_EQ(ring_tail_value(), sent % q.n);
            complete_all();
            if (round % 3 == 0)
                port_tx_idle(&q);
        }
        port_tx_idle(&q);
        CHECK_EQ(out_of_pool(), 0);
    }
}
