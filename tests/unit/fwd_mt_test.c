/*
 * fwd_mt_test.c - cores that are threads: control changes settings, reads
 * counters and stops them, and the thread checker finds nothing
 */
#include <pthread.h>
#include <sched.h>

#include <millrace/core.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/test.h"

#define CORES   2
#define PACKETS 1000
#define CHANGES 60
#define ARENA   (32u << 20)

static struct mempool *pool;
static uint32_t ends; /* atomic */

static void *core(void *number)
{
    host_lcore = (unsigned)(uintptr_t)number;
    while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE))
        if (!core_turn(host_lcore))
            sched_yield();
    return NULL;
}

static void begin(pthread_t threads[])
{
    static const uint16_t list[CORES] = { 1, 2 };
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = { .name = "test",
                                           .count = 2 * PACKETS + 256,
                                           .cache = 32,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = CORES + 1 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    pool = mempool_create(&config);
    CHECK(pool != NULL);
    port_fake_reset(CORES, pool);
    host_cores(CORES);
    host_pause_ns_set(1); /* a deadline is not over before a thread ran */
    fwd_init();
    fwd_pool_set(pool);
    CHECK_EQ(fwd_cores_set(list, CORES), OK);
    ends = 0;
    for (uintptr_t i = 1; i <= CORES; i++) {
        host_core_stuck((unsigned)i, true); /* it has a thread instead */
        CHECK_EQ(pthread_create(&threads[i], NULL, core, (void *)i), 0);
    }
}

static void end(pthread_t threads[])
{
    __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
    for (unsigned i = 1; i <= CORES; i++)
        pthread_join(threads[i], NULL);
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

static uint64_t forwarded(void)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < fwd_stream_count(); i++)
        n += counter_read(&fwd_stream(i)->stats.tx_packets);
    return n;
}

TEST(fwd, settings_change_and_counters_are_read_while_cores_run)
{
    static const struct engine *const list[] = { &engine_io, &engine_macswap,
                                                 &engine_mac };
    static const uint8_t mac[6] = { 2, 1 };
    pthread_t threads[CORES + 1];

    begin(threads);
    receive(0, PACKETS);
    receive(1, PACKETS);
    CHECK_EQ(fwd_start(), OK);
    for (unsigned i = 0; i < CHANGES; i++) {
        struct mempool_account account;

        fwd_engine_set(list[i % ARRAY_SIZE(list)]);
        CHECK_EQ(fwd_burst_set(1 + i % 32), OK);
        CHECK_EQ(fwd_peer_set(i % 2, mac), OK);
        CHECK(forwarded() <= 2 * PACKETS);
        mempool_account_get(pool, &account);
    }
    while (forwarded() < 2 * PACKETS)
        sched_yield();
    CHECK_EQ(fwd_stop(), OK);
    CHECK_EQ(port_fake_sent_count(0), PACKETS);
    CHECK_EQ(port_fake_sent_count(1), PACKETS);
    CHECK_STR(host_console_text(), "");
    end(threads);
}

TEST(fwd, starts_and_stops_lose_nothing)
{
    pthread_t threads[CORES + 1];
    unsigned sent = 0;

    begin(threads);
    for (unsigned i = 0; i < 20; i++) {
        struct mbuf *m;

        receive(0, 20);
        CHECK_EQ(fwd_start(), OK);
        while (forwarded() < 20)
            sched_yield();
        CHECK_EQ(fwd_stop(), OK);
        while ((m = port_fake_take_sent(1)) != NULL) {
            mbuf_free_bulk(&m, 1);
            sent++;
        }
    }
    CHECK_EQ(sent, 20 * 20);
    CHECK_EQ(mempool_available(pool), mempool_count(pool));
    end(threads);
}
