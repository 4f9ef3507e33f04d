/*
 * fwd_cores_test.c - which core runs which stream, and what control may change
 * while they run
 */
#include <millrace/core.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/test.h"

#define POOL_COUNT 2048
#define ARENA      (32u << 20)

static struct mempool *pool;
static struct fwd_route plan[FWD_STREAMS_MAX];

/* Ports, and cores 1 .. @cores that may all forward. */
static void begin(unsigned ports, unsigned cores)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = { .name = "test",
                                           .count = POOL_COUNT,
                                           .cache = 32,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = cores + 1 };
    uint16_t list[LCORE_MAX];

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    CHECK(pool != NULL);
    port_fake_reset(ports, pool);
    host_cores(cores);
    fwd_init();
    fwd_pool_set(pool);
    for (unsigned i = 0; i < cores; i++)
        list[i] = (uint16_t)(i + 1);
    CHECK_EQ(fwd_cores_set(list, cores), OK);
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

static void turns(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        host_cores_turn();
}

/* ---- the plan ---- */

static void check_plan(unsigned ports, unsigned cores, unsigned nb_cores,
                       const uint16_t lcores[])
{
    begin(ports, cores);
    CHECK_EQ(fwd_nb_cores_set(nb_cores), OK);
    CHECK_EQ(fwd_plan(plan), ports);
    for (unsigned i = 0; i < ports; i++) {
        CHECK_EQ(plan[i].rx_port, i);
        CHECK_EQ(plan[i].lcore, lcores[i]);
    }
}

/* As testpmd's simple_fwd_config_setup() does it. */
TEST(plan, streams_are_spread_and_the_last_cores_get_the_rest)
{
    check_plan(4, 2, 0, (const uint16_t[]) { 1, 1, 2, 2 });
    check_plan(5, 3, 0, (const uint16_t[]) { 1, 2, 2, 3, 3 });
    check_plan(4, 4, 3, (const uint16_t[]) { 1, 2, 3, 3 });
    check_plan(2, 8, 0, (const uint16_t[]) { 1, 2 });
    check_plan(2, 8, 1, (const uint16_t[]) { 1, 1 });
    check_plan(3, 0, 0, (const uint16_t[]) { 0, 0, 0 });
}

TEST(plan, queues_come_in_order_and_leave_by_the_same_number)
{
    begin(2, 2);
    for (unsigned p = 0; p < 2; p++)
        port_fake_info(p)->rx_queues = port_fake_info(p)->tx_queues = 2;
    CHECK_EQ(fwd_plan(plan), 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(plan[i].rx_port, i % 2);
        CHECK_EQ(plan[i].tx_port, 1 - i % 2);
        CHECK_EQ(plan[i].rx_queue, i / 2);
        CHECK_EQ(plan[i].tx_queue, i / 2);
        CHECK_EQ(plan[i].lcore, 1 + i / 2);
    }
}

TEST(plan, places_decide_and_streams_of_a_core_are_neighbours)
{
    static const struct fwd_place places[] = {
        { 0, 0, 2 }, { 1, 0, 1 }, { 2, 0, 2 }, { 3, 0, 0 }
    };

    begin(4, 2);
    CHECK_EQ(fwd_places_set(places, 4), OK);
    CHECK_EQ(fwd_plan(plan), 4);
    CHECK_EQ(plan[0].rx_port, 3);
    CHECK_EQ(plan[0].lcore, 0);
    CHECK_EQ(plan[1].rx_port, 1);
    CHECK_EQ(plan[2].rx_port, 0);
    CHECK_EQ(plan[3].rx_port, 2);
}

TEST(plan, bad_places_are_named_and_change_nothing)
{
    static const struct fwd_place good[] = { { 0, 0, 1 }, { 1, 0, 1 } };
    static const struct fwd_place port[] = { { 0, 0, 1 }, { 2, 0, 1 } };
    static const struct fwd_place core[] = { { 0, 0, 3 } };
    static const struct fwd_place twice[] = { { 1, 0, 1 }, { 1, 0, 2 } };

    begin(2, 2);
    CHECK_EQ(fwd_places_set(good, 2), OK);
    CHECK_EQ(fwd_places_set(port, 2), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "(2,0,1): expected a port of 0..1");
    CHECK_EQ(fwd_places_set(core, 1), E_NOENT);
    CHECK_EQ(fwd_places_set(twice, 2), E_EXIST);
    CHECK_EQ(fwd_plan(plan), 2);
    CHECK_EQ(plan[1].lcore, 1);
}

TEST(plan, a_queue_that_nobody_polls_stops_the_start)
{
    static const struct fwd_place places[] = { { 0, 0, 1 } };

    begin(2, 2);
    CHECK_EQ(fwd_places_set(places, 1), OK);
    CHECK_EQ(fwd_start(), E_INVALID);
    CHECK_CONTAINS(host_console_text(), "no core polls port 1 queue 0");
    CHECK(!fwd_is_running());
}

TEST(cores, what_cannot_forward_is_refused)
{
    static const uint16_t unknown[] = { 1, 3 }, zero[] = { 0 },
                          twice[] = { 1, 1 };

    begin(2, 2);
    CHECK_EQ(fwd_cores_set(unknown, 2), E_NOENT);
    CHECK_EQ(fwd_cores_set(zero, 1), E_NOENT);
    CHECK_EQ(fwd_cores_set(twice, 2), E_EXIST);
    CHECK_EQ(fwd_core_count(), 2);
    CHECK_EQ(fwd_nb_cores_set(3), E_RANGE);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_cores_set(NULL, 0), E_STATE);
    CHECK_EQ(fwd_nb_cores_set(1), E_STATE);
    CHECK_EQ(fwd_places_set(NULL, 0), E_STATE);
}

/* ---- running ---- */

TEST(cores, packets_cross_on_cores_of_their_own)
{
    begin(2, 2);
    receive(0, 3);
    receive(1, 5);
    CHECK_EQ(fwd_start(), OK);
    CHECK(!fwd_is_ours());
    CHECK_EQ(fwd_lcore_count(), 2);
    CHECK_EQ(fwd_lcore(0)->id, 1);
    CHECK_EQ(fwd_lcore(1)->id, 2);
    CHECK(fwd_lcore(2) == NULL);
    fwd_run(10); /* nothing of it is core 0's */
    CHECK_EQ(port_fake_sent_count(1), 0);
    turns(1);
    CHECK_EQ(port_fake_sent_count(1), 3);
    CHECK_EQ(port_fake_sent_count(0), 5);
    CHECK_EQ(fwd_lcore(0)->packets, 3);
    CHECK_EQ(fwd_lcore(1)->packets, 5);
}

/* --main-lcore 2: core 0 forwards, and control's streams run between its work. */
TEST(cores, another_control_core_leaves_core_0_to_forward)
{
    static const struct fwd_place places[] = { { 0, 0, 0 }, { 1, 0, 2 } };
    static const uint16_t list[] = { 0, 1 };

    begin(2, 2);
    host_control_move(2);
    CHECK_EQ(fwd_cores_set((const uint16_t[]) { 2 }, 1), E_NOENT);
    CHECK_EQ(fwd_cores_set(list, 2), OK);
    receive(0, 3);
    receive(1, 5);
    CHECK_EQ(fwd_start(), OK);
    CHECK(!fwd_is_ours());
    CHECK_EQ(fwd_lcore(0)->id, 0);
    CHECK_EQ(fwd_lcore(1)->id, 1);
    turns(1);
    CHECK_EQ(port_fake_sent_count(1), 3);
    CHECK_EQ(port_fake_sent_count(0), 5);
    CHECK_EQ(fwd_stop(), OK);

    CHECK_EQ(fwd_places_set(places, 2), OK);
    receive(0, 1);
    receive(1, 1);
    CHECK_EQ(fwd_start(), OK);
    CHECK(fwd_is_ours()); /* the second lcore is control's */
    fwd_run(1);
    CHECK_EQ(port_fake_sent_count(0), 6);
    CHECK_EQ(port_fake_sent_count(1), 3);
    turns(1);
    CHECK_EQ(port_fake_sent_count(1), 4);
    CHECK_EQ(fwd_stop(), OK);
    host_cores(0);
}

TEST(cores, core_0_may_have_streams_beside_others)
{
    static const struct fwd_place places[] = { { 0, 0, 0 }, { 1, 0, 2 } };

    begin(2, 2);
    CHECK_EQ(fwd_places_set(places, 2), OK);
    receive(0, 3);
    receive(1, 5);
    CHECK_EQ(fwd_start(), OK);
    CHECK(fwd_is_ours());
    fwd_run(1);
    CHECK_EQ(port_fake_sent_count(1), 3);
    CHECK_EQ(port_fake_sent_count(0), 0);
    turns(1);
    CHECK_EQ(port_fake_sent_count(0), 5);
    CHECK(!core_is_busy(1));
}

TEST(cores, after_a_stop_they_sleep_and_hold_nothing)
{
    begin(2, 2);
    CHECK_EQ(fwd_start(), OK);
    for (unsigned i = 0; i < 4; i++) {
        receive(0, 100);
        turns(2);
        while (port_fake_sent_count(1) > 0) {
            struct mbuf *m = port_fake_take_sent(1);

            host_lcore = 1; /* as if its ring had been reclaimed there */
            mbuf_free_bulk(&m, 1);
            host_lcore = 0;
        }
    }
    CHECK_EQ(fwd_stop(), OK);
    CHECK(!core_is_busy(1) && !core_is_busy(2));
    for (unsigned i = 1; i <= 2; i++) {
        struct mempool_stats s;

        mempool_stats_get(pool, i, &s);
        CHECK_EQ(s.cached, 0);
    }
    receive(0, 1);
    turns(3);
    CHECK_EQ(port_fake_waiting(0), 1);
    CHECK_EQ(fwd_start(), OK);
    turns(1);
    CHECK_EQ(port_fake_waiting(0), 0);
}

TEST(cores, one_that_does_not_stop_is_named_and_nothing_is_taken_from_it)
{
    begin(2, 2);
    CHECK_EQ(fwd_start(), OK);
    host_core_stuck(2, true);
    CHECK_EQ(fwd_stop(), E_TIMEOUT);
    CHECK_CONTAINS(host_console_text(), "core 2 does not stop");
    CHECK(fwd_is_running());
    CHECK_EQ(fwd_start(), E_EXIST);
    host_core_stuck(2, false);
    CHECK_EQ(fwd_stop(), OK);
}

static bool forever(void *arg)
{
    return *(bool *)arg;
}

TEST(cores, a_core_that_has_other_work_stops_the_start)
{
    bool goes_on = true;

    begin(2, 2);
    CHECK_EQ(core_run(2, forever, &goes_on), OK);
    CHECK_EQ(fwd_start(), E_BUSY);
    CHECK_CONTAINS(host_console_text(), "core 2 cannot begin: busy");
    CHECK(!fwd_is_running());
    CHECK(!core_is_busy(1));
    goes_on = false;
    CHECK_EQ(core_wait(2, 1000), OK);
    CHECK_EQ(fwd_start(), OK);
}

/* ---- changes at a quiet point ---- */

TEST(cores, an_engine_is_changed_between_two_bursts_and_the_round_is_told)
{
    begin(2, 2);
    CHECK_EQ(fwd_start(), OK);
    turns(2);
    fwd_engine_set(&engine_rxonly);
    CHECK_EQ(fwd_lcore(0)->changed_round, fwd_lcore(0)->rounds);
    CHECK(fwd_lcore(0)->rounds >= LCORE_STEP_ROUNDS);
    receive(0, 3);
    turns(1);
    CHECK_EQ(port_fake_waiting(0), 0);
    CHECK_EQ(port_fake_sent_count(1), 0);
}

TEST(cores, what_a_stuck_core_runs_is_left_alone)
{
    begin(2, 2);
    CHECK_EQ(fwd_start(), OK);
    host_core_stuck(1, true);
    fwd_engine_set(&engine_rxonly);
    CHECK_CONTAINS(host_console_text(), "core 1: no quiet point");
    CHECK(fwd_lcore(0)->engine == &engine_io);
    host_core_stuck(1, false);
    CHECK_EQ(fwd_burst_set(16), OK); /* the next change brings both */
    CHECK(fwd_lcore(0)->engine == &engine_rxonly);
    CHECK_EQ(fwd_lcore(1)->burst, 16);
}

static void wait_and_watch(unsigned seconds, unsigned turns_each)
{
    for (unsigned i = 0; i < 100 * seconds; i++) {
        host_advance_us(10000);
        turns(turns_each);
        fwd_watch();
    }
}

TEST(cores, one_that_stands_still_is_told_once_and_when_it_goes_on)
{
    begin(2, 2);
    fwd_watch();
    CHECK_EQ(fwd_start(), OK);
    wait_and_watch(10, 1);
    CHECK_STR(host_console_text(), "");
    host_core_stuck(2, true);
    wait_and_watch(4, 1);
    CHECK_STR(host_console_text(), "");
    wait_and_watch(10, 1);
    CHECK_CONTAINS(host_console_text(), "core 2 stands still at round 64000;");
    CHECK(strstr(host_console_text(), "core 1") == NULL);
    host_console_clear();
    wait_and_watch(10, 1);
    CHECK_STR(host_console_text(), "");
    host_core_stuck(2, false);
    wait_and_watch(10, 1);
    CHECK_CONTAINS(host_console_text(), "core 2 goes on after 24");
    host_console_clear();
    CHECK_EQ(fwd_stop(), OK);
    wait_and_watch(10, 0);
    CHECK_STR(host_console_text(), "");
}

TEST(cores, the_gap_threshold_has_limits)
{
    begin(2, 1);
    CHECK_EQ(fwd_start(), OK);
    CHECK_EQ(fwd_gap_set(0), E_RANGE);
    CHECK_EQ(fwd_gap_set(FWD_GAP_US_MAX + 1), E_RANGE);
    CHECK_EQ(fwd_lcore(0)->gap_cycles, FWD_GAP_US_DEFAULT * 1000);
    CHECK_EQ(fwd_gap_set(7), OK);
    CHECK_EQ(fwd_lcore(0)->gap_cycles, 7000);
}

TEST(cores, statistics_add_up_over_cores)
{
    struct fwd_cycles c;

    begin(2, 2);
    fwd_record_cycles_set(true);
    CHECK_EQ(fwd_start(), OK);
    receive(0, 3);
    receive(1, 5);
    turns(1);
    fwd_cycles_get(&c);
    CHECK_EQ(c.packets, 8);
    CHECK_EQ(c.rounds, 2);
}
