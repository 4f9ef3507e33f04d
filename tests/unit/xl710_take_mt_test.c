/*
 * xl710_take_mt_test.c - queues are taken from a core that polls them, emptied,
 * filled and given back, while that core goes on and on
 */
#include <pthread.h>
#include <sched.h>

#include "drivers/xl710/nic.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

enum { RING = 256, BUFFERS = 1024, ROUNDS = 100, ARRIVED = 40, LENGTH = 100 };

#define DONE_WHOLE UINT64_C(3) /* done, end of packet */
#define LENGTH_AT  38

static struct nic nic;
static struct mempool *pool;
static bool ends;
static uint64_t asked, seen;
static uint64_t received; /* plain: the hand-over orders it */

static uint64_t ask(void)
{
    __atomic_store_n(&asked, asked + 1, __ATOMIC_RELEASE);
    return asked;
}

static bool reached(uint64_t ticket)
{
    return __atomic_load_n(&seen, __ATOMIC_ACQUIRE) >= ticket;
}

static void forward(struct port_rxq *rx, struct port_txq *tx)
{
    struct mbuf *m[32];
    const unsigned n = port_rx_burst(rx, m, 32);
    const unsigned sent = port_tx_burst(tx, m, n);

    if (n > 0)
        received += n;
    mbuf_free_bulk(m + sent, n - sent);
    port_tx_idle(tx);
}

static void *poll(void *arg)
{
    (void)arg;
    host_lcore = 1;
    while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
        const uint64_t ticket = __atomic_load_n(&asked, __ATOMIC_ACQUIRE);

        __atomic_store_n(&seen, ticket, __ATOMIC_RELEASE);
        forward(&nic.rxq[0], &nic.txq[0]);
        sched_yield(); /* where all share few processors */
    }
    return NULL;
}

/* What the NIC writes, before the ring is given to the core. */
static void arrive(struct port_rxq *q)
{
    for (unsigned i = 0; i < ARRIVED; i++)
        q->ring[i].qw1 = DONE_WHOLE | (uint64_t)LENGTH << LENGTH_AT;
}

static void fill(void)
{
    CHECK_EQ(rx_ring_fill(&nic.rxq[0], pool), OK);
    tx_ring_reset(&nic.txq[0]);
    arrive(&nic.rxq[0]);
}

static void wait_received(uint64_t ticket)
{
    while (!nic_quiet_reached(ticket))
        sched_yield();
}

TEST(xl710_take, a_polling_core_gives_every_buffer_back_and_goes_on)
{
    static const struct port_quiet quiet = { .ask = ask, .reached = reached };
    pthread_t thread;

    ring_machine_open();
    pool = ring_pool("taken", BUFFERS);
    memset(&nic, 0, sizeof(nic));
    nic.config.queues = 1;
    CHECK_EQ(rx_ring_alloc(&nic.rxq[0], RING), OK);
    CHECK_EQ(tx_ring_alloc(&nic.txq[0], RING, 32, 32), OK);
    nic.rxq[0].tail_reg = nic.txq[0].tail_reg = ring_tail_register();
    port_quiet_set(&quiet);
    fill();
    CHECK_EQ(pthread_create(&thread, NULL, poll, NULL), 0);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        wait_received(nic_quiet_ask()); /* it had the time for a burst */
        queues_take(&nic);
        wait_received(nic_quiet_ask());
        (void)queues_drain(&nic);
        CHECK_EQ(mempool_available(pool), BUFFERS);
        CHECK(received <= (uint64_t)i * ARRIVED);
        fill();
        queues_give(&nic);
    }
    __atomic_store_n(&ends, true, __ATOMIC_RELEASE);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK(received > 0); /* only now: the last round goes on until here */
    port_quiet_set(NULL);
    (void)queues_drain(&nic);
    CHECK_EQ(mempool_available(pool), BUFFERS);
}
