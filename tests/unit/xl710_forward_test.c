/*
 * xl710_forward_test.c - what goes from ring to ring is what the bursts forward
 *
 * The same frames, good and bad, of all lengths, are forwarded twice: by a
 * receive and a transmit burst, and by port_forward() with the bursts behind it
 * for what it leaves. What leaves on the wire, every counter and every drop
 * must be the same.
 */
#include <stdlib.h>

#include <millrace/port.h>

#include "drivers/xl710/path.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define RING     160 /* no power of two */
#define BUFFERS  1024
#define BURST    32
#define WIRE_MAX (128u << 20)

#define DD       UINT64_C(1)
#define EOP      UINT64_C(2)
#define RXE      (UINT64_C(1) << 19)
#define OVERSIZE (UINT64_C(1) << 25)
#define SPH      (UINT64_C(1) << 63)
#define LEN(n)   ((uint64_t)(n) << 38)

static struct port_rxq rxq;
static struct port_txq txq;
static struct mempool *pool;
static unsigned nic_rx, nic_tx, offered, moved, dropped;
static unsigned step; /* between the lengths that come */
static uint64_t seed;

static struct wire {
    uint8_t *bytes;
    size_t used;
} by_bursts, by_move;
static struct wire *wire;

static unsigned chance(unsigned below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % below;
}

/* ---- the NIC ---- */

static void write_back(uint64_t qw1)
{
    struct rx_desc *d = &rxq.ring[nic_rx];
    uint8_t *data = host_bus_to_ptr(d->qw0, RX_BUFFER_BYTES);

    memset(data, (int)offered, RX_BUFFER_BYTES);
    memcpy(data, &offered, sizeof(offered));
    offered++;
    d->qw0 = 0;
    d->qw1 = qw1;
    nic_rx = (nic_rx + 1) % rxq.n;
}

static void frame(unsigned bytes)
{
    const unsigned what = chance(48);

    for (; bytes > RX_BUFFER_BYTES; bytes -= RX_BUFFER_BYTES)
        write_back(DD | LEN(RX_BUFFER_BYTES));
    if (what == 0)
        write_back(DD | EOP | RXE | LEN(bytes));
    else if (what == 1)
        write_back(DD | EOP | OVERSIZE | LEN(bytes));
    else if (what == 2)
        write_back(DD | SPH);
    else if (what == 3)
        write_back(DD | EOP | LEN(chance(TX_CHIP_MIN + 1)));
    if (what != 0 && what != 1)
        write_back(DD | EOP | LEN(bytes));
}

/* Everything up to the tail leaves. */
static void leave(void)
{
    for (; nic_tx != txq.tail; nic_tx = (nic_tx + 1) % txq.n) {
        struct tx_desc *d = &txq.ring[nic_tx];
        const unsigned bytes = (unsigned)(d->qw1 >> TXD_SIZE_SHIFT) & 0x3FFF;

        CHECK(wire->used + bytes + 2 <= WIRE_MAX);
        CHECK(host_bus_to_ptr(d->address, bytes) != NULL);
        wire->bytes[wire->used++] = (d->qw1 & TXD_EOP) != 0;
        memcpy(&wire->bytes[wire->used], host_bus_to_ptr(d->address, bytes),
               bytes);
        wire->used += bytes;
        if ((d->qw1 & TXD_RS) != 0)
            d->qw1 |= TXD_TYPE_DONE;
    }
}

/* ---- forwarding ---- */

static void edit(const void *context, struct mbuf *const at[], size_t offset,
                 unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        *((uint8_t *)at[i] + offset) ^= *(const uint8_t *)context;
}

static unsigned turn(bool move, port_edit *edit_all)
{
    static const uint8_t mask = 0x5A;
    struct mbuf *pkts[BURST];
    const unsigned first =
        move ? port_forward(&rxq, &txq, BURST, edit_all, &mask) : 0;
    unsigned n, sent;

    moved += first;
    n = port_rx_burst(&rxq, pkts, BURST - first);
    for (unsigned i = 0; i < n && edit_all != NULL; i++)
        *(uint8_t *)mbuf_data(pkts[i]) ^= mask;
    sent = port_tx_burst(&txq, pkts, n);
    dropped += n - sent;
    mbuf_free_bulk(pkts + sent, n - sent);
    return first + n;
}

static void begin(const struct path *path, bool fast)
{
    host_reset();
    ring_machine_open();
    pool = ring_pool("test", BUFFERS);
    memset(&rxq, 0, sizeof(rxq));
    memset(&txq, 0, sizeof(txq));
    txq.fast_free = fast;
    CHECK_EQ(rx_ring_alloc(&rxq, RING), OK);
    CHECK_EQ(tx_ring_alloc(&txq, RING, 32, 32), OK);
    rxq.tail_reg = txq.tail_reg = ring_tail_register();
    CHECK_EQ(rx_ring_fill(&rxq, pool), OK);
    path_set(path, &rxq, &txq);
    nic_rx = nic_tx = offered = moved = dropped = 0;
    seed = 0x9E3779B97F4A7C15;
    if (wire->bytes == NULL)
        wire->bytes = malloc(WIRE_MAX);
    wire->used = 0;
}

/* A frame of every length, among short ones; the NIC is slow at times. */
static void tell(bool move, port_edit *edit_all)
{
    unsigned bytes = PORT_FRAME_MIN, round = 0;

    while (bytes <= PORT_FRAME_MAX) {
        const bool all_short = chance(2) == 0;
        unsigned left = RING - 8 - 8; /* descriptors for this round */

        while (left > 8 && chance(20) != 0) {
            const bool next =
                !all_short && chance(3) == 0 && bytes <= PORT_FRAME_MAX;
            const unsigned size = next ? bytes : 60 + chance(1400);

            frame(size);
            bytes += next ? step : 0;
            left -= (size + RX_BUFFER_BYTES - 1) / RX_BUFFER_BYTES + 1;
        }
        while (turn(move, edit_all) > 0 || rxq.next != nic_rx)
            ;
        if (round++ % 32 < 22)
            leave();
        port_tx_idle(&txq);
    }
    leave();
    port_tx_idle(&txq);
}

static void compare(const struct path *path, bool fast, port_edit *edit_all)
{
    struct rx_counters rx;
    struct tx_counters tx;
    unsigned drops;

    wire = &by_bursts;
    begin(path_at(0), fast);
    tell(false, edit_all);
    rx = rxq.stats;
    tx = txq.stats;
    drops = dropped;
    CHECK(rx.packets > 5000 && drops > 100);
    CHECK(rx.damaged > 0 && rx.oversize > 0 && rx.unexpected > 0);
    CHECK(tx.padded > 0);

    wire = &by_move;
    begin(path, fast);
    tell(true, edit_all);
    CHECK(moved > rx.packets / 5);
    CHECK_EQ(dropped, drops);
    CHECK_EQ(memcmp(&rxq.stats, &rx, sizeof(rx)), 0);
    CHECK_EQ(memcmp(&txq.stats, &tx, sizeof(tx)), 0);
    CHECK_EQ(by_move.used, by_bursts.used);
    CHECK_EQ(memcmp(by_move.bytes, by_bursts.bytes, by_move.used), 0);
    rx_ring_drain(&rxq);
    tx_ring_drain(&txq);
    CHECK_EQ(mempool_available(pool), BUFFERS);
}

static void compare_all(bool fast, port_edit *edit_all, unsigned lengths)
{
    step = lengths;
    for (unsigned i = 0; path_at(i) != NULL; i++)
        if (path_is_possible(path_at(i)))
            compare(path_at(i), fast, edit_all);
}

TEST(xl710_forward, moving_is_forwarding_with_one_pool)
{
    compare_all(true, NULL, 1);
}

TEST(xl710_forward, moving_is_forwarding_without_a_promise)
{
    compare_all(false, NULL, 5);
}

TEST(xl710_forward, an_edit_sees_each_frame_once)
{
    compare_all(true, edit, 5);
}

/* ---- when it does not move ---- */

static void one_frame(unsigned bytes)
{
    write_back(DD | EOP | LEN(bytes));
}

static void begin_plain(void)
{
    wire = &by_move;
    begin(path_choose(0), true);
}

TEST(xl710_forward, nothing_comes_of_nothing)
{
    begin_plain();
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 0);
    CHECK_EQ(ring_tail_writes(), 0);
}

TEST(xl710_forward, a_pool_the_sender_does_not_expect_takes_the_bursts)
{
    struct mempool *other;
    struct mbuf *m;

    begin_plain();
    other = ring_pool("other", 8);
    m = ring_packet(other, 60, 1);
    CHECK_EQ(port_tx_burst(&txq, &m, 1), 1);
    one_frame(60);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 0);
    CHECK_EQ(turn(true, NULL), 1); /* and there the promise ends */
    CHECK_EQ(txq.stats.not_fast, 1);
    one_frame(60);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 1);
    leave();
    port_tx_idle(&txq);
    CHECK_EQ(mempool_available(other), 8);
    CHECK_EQ(mempool_available(pool), BUFFERS - rxq.owned);
}

TEST(xl710_forward, a_frame_half_received_takes_the_bursts)
{
    begin_plain();
    write_back(DD | LEN(2048));
    CHECK_EQ(turn(true, NULL), 0);
    one_frame(100);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 0);
    CHECK_EQ(turn(true, NULL), 1);
    one_frame(100);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 1);
}

TEST(xl710_forward, a_queue_that_is_off_is_left_alone)
{
    begin_plain();
    one_frame(100);
    rxq.is_off = true;
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 0);
    rxq.is_off = false;
    txq.is_off = true;
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 0);
    txq.is_off = false;
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), 1);
}

/* One doorbell each way for a burst; both rings wrap at odd places. */
TEST(xl710_forward, a_burst_rings_once_on_either_side)
{
    begin_plain();
    for (unsigned round = 0; round < 40; round++) {
        const unsigned writes = ring_tail_writes();

        for (unsigned i = 0; i < BURST; i++)
            one_frame(60);
        CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), BURST);
        CHECK_EQ(ring_tail_writes(), writes + 2);
        leave();
        port_tx_idle(&txq);
        CHECK_EQ(mempool_available(pool), BUFFERS - rxq.owned);
    }
}

TEST(xl710_forward, TX_29_slot_i_receives_the_buffer_of_slot_i)
{
    struct mbuf *sent[BURST];
    struct mempool_stats before, after;
    unsigned post;

    begin_plain();
    for (unsigned i = 0; i < BURST; i++)
        one_frame(60);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), BURST);
    CHECK_EQ(txq.clean, 0);
    memcpy(sent, txq.sw, sizeof(sent));
    post = rxq.post;
    leave();
    for (unsigned i = 0; i < BURST; i++)
        one_frame(60);
    mempool_stats_get(pool, 0, &before);
    CHECK_EQ(port_forward(&rxq, &txq, BURST, NULL, NULL), BURST);
    mempool_stats_get(pool, 0, &after);
    CHECK_EQ(after.put_calls, before.put_calls);
    CHECK_EQ(after.get_calls, before.get_calls);
    CHECK_EQ(txq.clean, BURST);
    for (unsigned i = 0; i < BURST; i++) {
        const unsigned slot = (post + i) % rxq.n;

        CHECK(rxq.sw[slot] == sent[i]);
        CHECK_EQ(rxq.ring[slot].qw0,
                 host_bus_addr((char *)sent[i]->buf_addr + MBUF_HEADROOM));
    }
}
