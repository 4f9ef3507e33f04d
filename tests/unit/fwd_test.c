/*
 * fwd_test.c - topology, start and stop, statistics
 */
#include "tests/unit/test.h"

#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "net/txonly.h"
#include "tests/fake/port_fake.h"

#define POOL_COUNT 1024
#define ARENA      (16u << 20)

static struct mempool *pool;

static void begin(unsigned ports)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = { .name = "test",
                                           .count = POOL_COUNT,
                                           .cache = 32,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = 1 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    CHECK(pool != NULL);
    port_fake_reset(ports, pool);
    fwd_init();
    fwd_pool_set(pool);
}

static void receive(unsigned port, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct mbuf *m = mbuf_alloc(pool);

        CHECK(m != NULL);
        memset(mbuf_data(m), 0, 60);
        m->data_len = 60;
        m->pkt_len = 60;
        port_fake_receive(port, m);
    }
}

/* ---- topology ---- */

TEST(fwd, ports_are_paired)
{
    static const unsigned to[] = { 1, 0, 3, 2 };

    begin(4);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_stream_count(), 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(fwd_stream(i)->rx_port, i);
        CHECK_EQ(fwd_stream(i)->tx_port, to[i]);
    }
    CHECK(fwd_stream(4) == NULL);
}

TEST(fwd, the_last_of_an_odd_number_sends_to_itself)
{
    begin(3);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_stream(2)->tx_port, 2);
    begin(1);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_stream(0)->tx_port, 0);
}

TEST(fwd, a_port_list_pairs_in_its_own_order)
{
    static const uint8_t list[] = { 3, 0 };

    begin(4);
    CHECK_EQ(fwd_ports_set(list, 2), OK);
    CHECK(fwd_port_used(3) && fwd_port_used(0) && !fwd_port_used(1));
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_stream_count(), 2);
    CHECK_EQ(fwd_stream(0)->rx_port, 3);
    CHECK_EQ(fwd_stream(0)->tx_port, 0);
}

TEST(fwd, a_bad_port_list_changes_nothing)
{
    static const uint8_t unknown[] = { 0, 2 }, twice[] = { 1, 1 },
                         good[] = { 1 };

    begin(2);
    CHECK_EQ(fwd_ports_set(unknown, 2), E_NOENT);
    CHECK_EQ(fwd_ports_set(twice, 2), E_EXIST);
    CHECK_EQ(fwd_ports_set(good, 0), E_RANGE);
    CHECK_EQ(fwd_ports_set(good, PORT_MAX + 1), E_RANGE);
    CHECK_EQ(fwd_port_count(), 2);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_ports_set(good, 1), E_STATE);
    CHECK_EQ(fwd_port_count(), 2);
}

/* ---- start and stop ---- */

TEST(fwd, packets_cross_both_ways)
{
    begin(2);
    receive(0, 3);
    receive(1, 5);
    CHECK_EQ(fwd_start(), OK);
    fwd_run(1);
    CHECK_EQ(port_fake_sent_count(1), 3);
    CHECK_EQ(port_fake_sent_count(0), 5);
}

TEST(fwd, nothing_moves_before_start_and_after_stop)
{
    begin(2);
    receive(0, 3);
    fwd_run(10);
    CHECK_EQ(port_fake_waiting(0), 3);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_stop(), OK);
    fwd_run(10);
    CHECK_EQ(port_fake_waiting(0), 3);
    CHECK(!fwd_is_running());
}

TEST(fwd, start_and_stop_refuse_to_repeat)
{
    begin(2);
    CHECK_EQ(fwd_stop(), E_STATE);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_start(), E_EXIST);
    CHECK(fwd_is_running());
    CHECK_EQ(fwd_stop(), OK);
    CHECK_EQ(fwd_start(), OK);
}

TEST(fwd, a_stop_waits_until_what_was_sent_has_left)
{
    unsigned in_rx, in_tx;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    port_fake_leaving(1, 100);
    CHECK_EQ(fwd_stop(), OK);
    port_buffers_get(1, &in_rx, &in_tx);
    CHECK_EQ(in_tx, 0);
}

TEST(fwd, a_stop_does_not_wait_for_ever)
{
    const uint64_t start = plat_cycles();

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    port_fake_leaving(0, UINT32_MAX); /* no link */
    host_pause_ns_set(1000);
    CHECK_EQ(fwd_stop(), OK);
    CHECK(!fwd_is_running());
    CHECK_EQ((plat_cycles() - start) / (HOST_HZ / 1000000), FWD_LEAVE_US);
}

TEST(fwd, start_needs_ports_started_and_a_pool)
{
    begin(2);
    CHECK_EQ(port_stop(1), OK);
    CHECK_EQ(fwd_start(), E_STATE);
    CHECK(!fwd_is_running());
    CHECK_EQ(port_start(1), OK);
    fwd_pool_set(NULL);
    CHECK_EQ(fwd_start(), E_NOBUF);
    begin(0);
    CHECK_EQ(fwd_start(), E_NOENT);
}

TEST(fwd, every_buffer_is_back_after_a_hundred_cycles_under_load)
{
    begin(2);
    for (unsigned i = 0; i < 100; i++) {
        receive(0, i % 65);
        receive(1, 64 - i % 65);
        port_fake_tx_room(i % 2, i);
        CHECK_EQ(fwd_start(), OK);
        fwd_run(1 + i % 4);
        CHECK_EQ(fwd_stop(), OK);
        for (unsigned p = 0; p < 2; p++) {
            CHECK_EQ(port_stop(p), OK);
            CHECK_EQ(port_start(p), OK);
        }
        CHECK_EQ(mempool_available(pool), POOL_COUNT);
    }
}

/* ---- settings ---- */

TEST(fwd, defaults_are_testpmds)
{
    uint8_t mac[6];
    static const uint8_t peer7[6] = { 0x02, 0, 0, 0, 0, 7 };

    begin(2);
    CHECK_STR(fwd_engine_get()->name, "io");
    CHECK_EQ(fwd_burst_get(), 32);
    CHECK_EQ(fwd_txpkts_get(), 64);
    fwd_peer_get(7, mac);
    CHECK_BYTES(mac, peer7, 6);
}

TEST(fwd, settings_out_of_range_are_refused_and_change_nothing)
{
    static const uint8_t mac[6] = { 0 };

    begin(2);
    CHECK_EQ(fwd_burst_set(0), E_RANGE);
    CHECK_EQ(fwd_burst_set(FWD_BURST_MAX + 1), E_RANGE);
    CHECK_EQ(fwd_burst_set(FWD_BURST_MAX), OK);
    CHECK_EQ(fwd_txpkts_set(TXONLY_LEN_MIN - 1), E_RANGE);
    CHECK_EQ(fwd_txpkts_set(TXONLY_LEN_MAX + 1), E_RANGE);
    CHECK_EQ(fwd_peer_set(PORT_MAX, mac), E_RANGE);
    CHECK_EQ(fwd_burst_get(), FWD_BURST_MAX);
    CHECK_EQ(fwd_txpkts_get(), 64);
}

TEST(fwd, the_largest_packet_fits_a_usual_buffer)
{
    CHECK(TXONLY_LEN_MAX <= MBUF_DATA_ROOM - MBUF_HEADROOM);
}

TEST(fwd, settings_hold_from_the_next_round_while_running)
{
    static const uint8_t mac[6] = { 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
    struct mbuf *m;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    fwd_engine_set(engine_find("mac"));
    CHECK_EQ(fwd_peer_set(1, mac), OK);
    CHECK_EQ(fwd_burst_set(2), OK);
    receive(0, 3);
    fwd_run(1);
    CHECK_EQ(port_fake_sent_count(1), 2);
    m = port_fake_take_sent(1);
    CHECK_BYTES(mbuf_data(m), mac, 6);
    mbuf_free(m);
    fwd_engine_set(engine_find("txonly"));
    CHECK_EQ(fwd_txpkts_set(100), OK);
    fwd_run(1);
    m = port_fake_take_sent(0);
    CHECK_EQ(m->pkt_len, 100);
    mbuf_free(m);
}

TEST(fwd, mac_uses_addresses_of_the_port_it_leaves_by)
{
    static const uint8_t want[12] = { 0x02, 0,    0,    0, 0, 1,
                                      0x00, 0x1b, 0x21, 0, 0, 1 };
    struct mbuf *m;

    begin(2);
    fwd_engine_set(engine_find("mac"));
    CHECK_EQ(fwd_start(), OK);
    receive(0, 1);
    fwd_run(1);
    m = port_fake_take_sent(1);
    CHECK_BYTES(mbuf_data(m), want, 12);
    mbuf_free(m);
}

/* ---- statistics ---- */

TEST(fwd, statistics_start_at_zero_and_name_the_drops)
{
    struct fwd_port_stats s;

    begin(2);
    port_fake_stats(0)->ipackets = 1000;
    port_fake_stats(1)->opackets = 500;
    CHECK_EQ(fwd_start(), OK);
    receive(0, 10);
    port_fake_tx_room(1, 4);
    fwd_run(1);
    fwd_port_stats_get(0, &s);
    CHECK_EQ(s.rx_packets, 10);
    CHECK_EQ(s.tx_dropped, 0);
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.tx_packets, 4);
    CHECK_EQ(s.tx_dropped, 6);
    CHECK_EQ(s.drops[FWD_DROP_TX_FULL], 6);
}

TEST(fwd, what_the_nic_missed_and_refused_counts_as_dropped)
{
    struct fwd_port_stats s;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    port_fake_stats(0)->imissed = 7;
    port_fake_stats(0)->oerrors = 2;
    port_fake_stats(0)->ierrors = 3;
    port_fake_stats(0)->rx_nombuf = 4;
    fwd_port_stats_get(0, &s);
    CHECK_EQ(s.rx_dropped, 7);
    CHECK_EQ(s.tx_dropped, 2);
    CHECK_EQ(s.rx_errors, 3);
    CHECK_EQ(s.rx_nombuf, 4);
}

TEST(fwd, clearing_moves_the_baseline_while_running)
{
    struct fwd_port_stats s;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    receive(0, 10);
    port_fake_tx_room(1, 4);
    fwd_run(1);
    fwd_stats_clear();
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.tx_packets, 0);
    CHECK_EQ(s.tx_dropped, 0);
    receive(0, 1);
    fwd_run(1);
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.drops[FWD_DROP_TX_FULL], 1);
}

/* F3: the port's own counters may be cleared in between. */
TEST(fwd, clearing_port_statistics_does_not_disturb_forward_statistics)
{
    struct fwd_port_stats s;
    struct port_stats p;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    receive(0, 10);
    fwd_run(1);
    fwd_clear_port_stats(0);
    port_stats_get(0, &p);
    CHECK_EQ(p.ipackets, 0);
    fwd_port_stats_get(0, &s);
    CHECK_EQ(s.rx_packets, 10);
    receive(0, 5);
    fwd_run(1);
    fwd_port_stats_get(0, &s);
    CHECK_EQ(s.rx_packets, 15);
}

TEST(fwd, statistics_stay_readable_after_the_stop)
{
    struct fwd_port_stats s;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    receive(0, 10);
    fwd_run(1);
    CHECK_EQ(fwd_stop(), OK);
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.tx_packets, 10);
}

TEST(fwd, a_second_start_counts_from_zero)
{
    struct fwd_port_stats s;

    begin(2);
    CHECK_EQ(fwd_start(), OK);
    receive(0, 10);
    port_fake_tx_room(1, 0);
    fwd_run(1);
    CHECK_EQ(fwd_stop(), OK);
    CHECK_EQ(fwd_start(), OK);
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.tx_dropped, 0);
}

/* ---- packets of our own, and what they cost ---- */

TEST(fwd, bursts_sent_first_go_out_before_the_engine_runs_and_only_once)
{
    struct fwd_port_stats s;

    begin(2);
    CHECK_EQ(fwd_burst_set(8), OK);
    fwd_tx_first_set(3);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(port_fake_sent_count(0), 24);
    CHECK_EQ(port_fake_sent_count(1), 24);
    fwd_port_stats_get(0, &s);
    CHECK_EQ(s.drops[FWD_DROP_TX_FULL], 0);
    CHECK_EQ(fwd_stop(), OK);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(port_fake_sent_count(1), 24);
}

TEST(fwd, what_of_the_first_bursts_finds_no_room_is_a_counted_drop)
{
    struct fwd_port_stats s;

    begin(2);
    port_fake_tx_room(1, 40);
    fwd_tx_first_set(2);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(port_fake_sent_count(1), 40);
    fwd_port_stats_get(1, &s);
    CHECK_EQ(s.drops[FWD_DROP_TX_FULL], 24);
}

/* An engine whose bursts take 2 us. */
static always_inline unsigned slow_burst(struct stream *s, unsigned max)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    const unsigned n = stream_receive(s, pkts, max);

    host_advance_us(2);
    if (n > 0)
        stream_send(s, pkts, n);
    return n;
}

ENGINE(slow, slow_burst, false, "test");

TEST(fwd, cycles_are_counted_from_the_last_clear_and_only_when_asked)
{
    struct fwd_cycles c;

    begin(2);
    fwd_engine_set(&engine_slow);
    CHECK(!fwd_record_cycles_get());
    CHECK_EQ(fwd_start(), OK);
    receive(0, 5);
    fwd_run(1);
    fwd_cycles_get(&c);
    CHECK_EQ(c.packets, 0);
    fwd_record_cycles_set(true);
    receive(0, 5);
    fwd_run(2);
    fwd_cycles_get(&c);
    CHECK_EQ(c.packets, 5);
    CHECK_EQ(c.rounds, 1);
    CHECK_EQ(c.cycles, 4 * (HOST_HZ / 1000000)); /* two streams */
    fwd_stats_clear();
    receive(1, 7);
    fwd_run(1);
    fwd_cycles_get(&c);
    CHECK_EQ(c.packets, 7);
    CHECK_EQ(c.rounds, 1);
}
