/*
 * xl710_path_test.c - every vector path does what the scalar path does
 *
 * The same story is told to each path on the same memory: frames of all lengths
 * with what a NIC may write beside them, polled in bursts of all sizes, sent on
 * among packets that are not plain. Whatever can be seen afterwards is written
 * down as it happens, and the record must be the scalar path's, byte by byte.
 */
#include <stdlib.h>

#include <millrace/port.h>

#include "drivers/xl710/path.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define RING       160 /* no power of two */
#define BUFFERS    1024
#define RECORD_MAX (96u << 20)
#define BURST_MAX  70

#define DD       UINT64_C(1)
#define EOP      UINT64_C(2)
#define L2TAG1P  UINT64_C(4)
#define HASH     (UINT64_C(3) << 12)
#define RXE      (UINT64_C(1) << 19)
#define OVERSIZE (UINT64_C(1) << 25)
#define SPH      (UINT64_C(1) << 63)
#define LEN(n)   ((uint64_t)(n) << 38)

static struct port_rxq rxq;
static struct port_txq txq;
static struct mempool *pool, *other;
static unsigned nic_rx, nic_tx;
static uint64_t seed;

static struct record {
    uint8_t *bytes;
    size_t used;
} scalar_record, record;
static struct record *current;

static uint64_t chance(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 33;
}

/* ---- what is seen ---- */

static void note(const void *p, size_t bytes)
{
    if (current->bytes == NULL)
        current->bytes = malloc(RECORD_MAX);
    CHECK(current->bytes != NULL);
    CHECK(current->used + bytes <= RECORD_MAX);
    memcpy(current->bytes + current->used, p, bytes);
    current->used += bytes;
}

static void note_number(uint64_t v)
{
    note(&v, sizeof(v));
}

static void note_packet(const struct mbuf *m)
{
    for (; m != NULL; m = m->next) {
        note(&m, sizeof(m));
        note(m, sizeof(*m)); /* line 1 as well: it is not to be written */
        note(mbuf_data(m), m->data_len < 64 ? m->data_len : 64);
    }
}

static void note_queues(void)
{
    note_number(rxq.next);
    note_number(rxq.post);
    note_number(rxq.owned);
    for (unsigned i = 0, at = rxq.next; i < rxq.owned; i++) {
        note(&rxq.ring[at], sizeof(rxq.ring[at]));
        note(&rxq.sw[at], sizeof(rxq.sw[at]));
        at = at + 1 == rxq.n ? 0 : at + 1;
    }
    note(&rxq.stats, sizeof(rxq.stats));
    note_number(txq.tail);
    note_number(txq.clean);
    note_number(txq.free);
    note_number(txq.next_rs);
    note_number(txq.next_done);
    note_number(txq.frees_fast);
    for (unsigned i = txq.clean; i != txq.tail;) {
        note(&txq.ring[i], sizeof(txq.ring[i]));
        note(&txq.sw[i], sizeof(txq.sw[i]));
        i = i + 1 == txq.n ? 0 : i + 1;
    }
    note(txq.report, txq.n / txq.rs * sizeof(*txq.report));
    note(&txq.stats, sizeof(txq.stats));
    note_number(ring_tail_writes());
    note_number(mempool_available(pool));
}

/* ---- the NIC ---- */

static bool can_receive(unsigned parts)
{
    return rxq.owned - (nic_rx + rxq.n - rxq.next) % rxq.n >= parts + 1;
}

static void write_back(uint64_t qw1)
{
    struct rx_desc *d = &rxq.ring[nic_rx];

    memset(host_bus_to_ptr(d->qw0, RX_BUFFER_BYTES), (int)chance(), 64);
    d->qw0 = chance() << 32 | chance();
    d->qw1 = qw1;
    nic_rx = (nic_rx + 1) % rxq.n;
}

/* A frame, or what is none, with the bits that do not matter to us. */
static void frame(unsigned bytes)
{
    const uint64_t beside = chance() & (HASH | L2TAG1P | 0xF0000u >> 4);
    const unsigned what = (unsigned)chance() % 64;

    while (bytes > RX_BUFFER_BYTES) {
        write_back(DD | LEN(RX_BUFFER_BYTES) | beside);
        bytes -= RX_BUFFER_BYTES;
    }
    switch (what) {
    case 0:
        write_back(DD | EOP | RXE | LEN(bytes) | beside);
        break;
    case 1:
        write_back(DD | EOP | OVERSIZE | LEN(bytes) | beside);
        break;
    case 2:
        write_back(DD | SPH | LEN(bytes) | beside);
        write_back(DD | EOP | LEN(bytes) | beside);
        break;
    case 3:
        write_back(DD | EOP | LEN(0) | beside);
        break;
    case 4:
        write_back(DD | EOP | LEN(2049 + chance() % 14000) | beside);
        break;
    case 5: /* a header length, which nobody asked for */
        write_back(DD | EOP | LEN(bytes) | beside | chance() % 2048 << 52);
        break;
    default:
        write_back(DD | EOP | LEN(bytes) | beside);
    }
}

/* Report what asks for it, up to a place on the way to the tail. */
static void report(void)
{
    const unsigned flying = (txq.tail + txq.n - nic_tx) % txq.n;

    for (unsigned n = flying == 0 ? 0 : (unsigned)chance() % (flying + 1);
         n > 0; n--) {
        if ((txq.ring[nic_tx].qw1 & TXD_RS) != 0)
            txq.ring[nic_tx].qw1 |= TXD_TYPE_DONE;
        nic_tx = (nic_tx + 1) % txq.n;
    }
}

/* ---- packets that are not plain ---- */

static void spoil(struct mbuf *pkts[], unsigned n)
{
    struct mbuf *m = pkts[chance() % n];

    switch (chance() % 12) {
    case 0:
        m->pkt_len ^= 1u << chance() % 20;
        break;
    case 1:
        m->data_len ^= (uint16_t)(1u << chance() % 11);
        break;
    case 2:
        m->nb_segs++;
        break;
    case 3:
        if (m->nb_segs == 1)
            m->data_len = (uint16_t)(m->pkt_len = (uint32_t)chance() % 17);
        break;
    case 4:
        m->port ^= 0xFFFF;
        m->ol_flags |= 0xFFFF;
        break;
    case 5:
        if (m->nb_segs == 1 && m->data_len > 100)
            m->data_off = (uint16_t)(m->data_off + chance() % 8);
        break;
    default:
        break;
    }
}

static unsigned mixed_in(struct mbuf *pkts[], unsigned n, bool may_break)
{
    if (n == 0 || n == BURST_MAX || chance() % 8 != 0)
        return n;
    switch (chance() % 4) {
    case 0:
        pkts[n] = ring_packet(pool, 900, 3 + (unsigned)chance() % 8);
        return n + 1;
    case 1:
        pkts[n] = ring_packet(may_break ? other : pool, 100, 1);
        return n + 1;
    case 2:
        if (!may_break || pkts[0]->nb_segs != 1)
            return n;
        pkts[n] = mbuf_clone(pkts[0], pool);
        return n + (pkts[n] != NULL);
    default:
        spoil(pkts, n);
        return n;
    }
}

/* ---- the story ---- */

static void begin(const struct path *path, bool fast)
{
    ring_machine_open();
    pool = ring_pool("test", BUFFERS);
    other = ring_pool("other", 256);
    memset(&rxq, 0, sizeof(rxq));
    memset(&txq, 0, sizeof(txq));
    rxq.port = 7;
    txq.fast_free = fast;
    CHECK_EQ(rx_ring_alloc(&rxq, RING), OK);
    CHECK_EQ(tx_ring_alloc(&txq, RING, 32, 32), OK);
    rxq.tail_reg = txq.tail_reg = ring_tail_register();
    CHECK_EQ(rx_ring_fill(&rxq, pool), OK);
    path_set(path, &rxq, &txq);
    nic_rx = nic_tx = 0;
    seed = 0x9E3779B97F4A7C15;
}

static void turn(bool may_break)
{
    struct mbuf *pkts[BURST_MAX + 1];
    unsigned n = port_rx_burst(&rxq, pkts, 1 + (unsigned)chance() % 69);
    unsigned sent;

    note_number(n);
    for (unsigned i = 0; i < n; i++)
        note_packet(pkts[i]);
    n = mixed_in(pkts, n, may_break);
    sent = port_tx_burst(&txq, pkts, n);
    note_number(sent);
    mbuf_free_bulk(pkts + sent, n - sent);
    report();
    if (chance() % 16 == 0)
        port_tx_idle(&txq);
    note_queues();
}

static void tell(const struct path *path, bool fast, bool may_break)
{
    unsigned bytes = PORT_FRAME_MIN;

    begin(path, fast);
    while (bytes <= PORT_FRAME_MAX) {
        const bool all_short = chance() % 4 != 0;

        /* long runs of short frames between those of every length */
        for (unsigned k = (unsigned)chance() % 100; k > 0; k--) {
            if (!can_receive(6))
                break;
            if (all_short && k % 16 != 0)
                frame(60 + (unsigned)chance() % 1500);
            else if (bytes <= PORT_FRAME_MAX)
                frame(bytes++);
        }
        turn(may_break);
    }
    rx_ring_drain(&rxq);
    tx_ring_drain(&txq);
    note_queues();
    CHECK_EQ(mempool_available(pool), BUFFERS);
    CHECK_EQ(mempool_available(other), 256);
}

static size_t first_difference(void)
{
    size_t i = 0;

    while (i < record.used && record.bytes[i] == scalar_record.bytes[i])
        i++;
    return i;
}

static void compare(const struct path *path, bool fast, bool may_break)
{
    record.used = scalar_record.used = 0;
    host_reset();
    current = &scalar_record;
    tell(path_at(0), fast, may_break);
    CHECK(rxq.stats.packets > 9000);
    CHECK(rxq.stats.damaged > 0 && rxq.stats.oversize > 0 &&
          rxq.stats.bad_length > 0 && rxq.stats.unexpected > 0);
    CHECK(txq.stats.malformed > 0 && txq.stats.padded > 0);
    CHECK_EQ(txq.stats.not_fast > 0, fast && may_break);
    host_reset();
    current = &record;
    tell(path, fast, may_break);
    CHECK_EQ(record.used, scalar_record.used);
    CHECK_EQ(first_difference(), record.used);
}

static void compare_all(bool fast, bool may_break)
{
    unsigned tried = 0;

    for (unsigned i = 1; path_at(i) != NULL; i++) {
        if (!path_is_possible(path_at(i)))
            continue;
        print_message("%s\n", path_at(i)->name);
        compare(path_at(i), fast, may_break);
        tried++;
    }
    CHECK(tried > 0); /* SSE is where we build */
}

TEST(xl710_path, vector_paths_do_what_scalar_does_with_mixed_pools)
{
    compare_all(false, true);
}

TEST(xl710_path, vector_paths_do_what_scalar_does_with_one_pool)
{
    compare_all(true, false);
}

TEST(xl710_path, vector_paths_do_what_scalar_does_when_the_promise_breaks)
{
    compare_all(true, true);
}

TEST(xl710_path, the_widest_path_within_the_limit_is_chosen)
{
    static const unsigned bits[] = { 64, 128, 256, 512 };

    for (unsigned i = 0; i < ARRAY_SIZE(bits); i++) {
        const struct path *p = path_choose(bits[i]);

        CHECK(p->bits <= bits[i]);
        CHECK(path_is_possible(p));
        CHECK(i >= 3 || path_at(i + 1)->bits > bits[i] ||
              !path_is_possible(path_at(i + 1)));
    }
    CHECK_STR(path_choose(64)->name, "scalar");
    CHECK_STR(path_rx_name(path_choose(64)->rx), "scalar");
    CHECK_STR(path_tx_name(NULL), "none");
    CHECK(path_choose(0) == path_choose(512));
}
