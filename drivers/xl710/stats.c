/*
 * stats.c - counters of the chip, seen from a baseline and 64 bits wide
 *
 *   S1  totals never go back, whatever is reconfigured; clear moves the
 *       baseline and writes no register
 *   S2  byte counts exclude the FCS, 4 bytes a frame
 *
 * What is received is counted by software: that is what the appliance got, and
 * the chip counts frames before it drops them. What is sent is counted by the
 * chip: that is what left the port. Names follow DPDK's ethdev and i40e PMD.
 */
#include <stdio.h>
#include <string.h>

#include <millrace/bits.h>
#include <millrace/clock.h>

#include "drivers/xl710/nic.h"

#define FCS_BYTES       4
#define SWEEP_PERIOD_US 250000
#define ERR_PF_BASE     128    /* GL_RXERR1L index of PF 0 */
#define SPLIT_READ_ID   0x1574 /* does not do 64-bit reads */

enum counter_set { SET_PORT, SET_VSI, SET_ERR };

struct counter_row {
    uint32_t offset;
    uint8_t bits;
    uint8_t set;
    const char *text;
};

static const struct counter_row rows[COUNTER_COUNT] = {
#define COUNTER_ROW(name, offset, bits, set, text)                             \
    [name] = { offset, bits, SET_##set, text },
    XL710_COUNTERS(COUNTER_ROW)
#undef COUNTER_ROW
};

/* ---- reading ---- */

static unsigned index_of(const struct nic *nic, uint8_t set)
{
    switch (set) {
    case SET_PORT:
        return nic->port_number;
    case SET_VSI:
        return nic->vsi.stat_block;
    }
    return ERR_PF_BASE + nic->pf;
}

/* Two halves that belong together: the high word did not move in between. */
static uint64_t read_halves(const volatile uint8_t *at)
{
    uint32_t high = plat_read32(at + 4);

    for (unsigned i = 0; i < 3; i++) {
        const uint32_t low = plat_read32(at);
        const uint32_t again = plat_read32(at + 4);

        if (again == high)
            return (uint64_t)high << 32 | low;
        high = again;
    }
    return (uint64_t)high << 32;
}

static uint64_t read_counter(const struct nic *nic, enum counter c)
{
    const struct counter_row *row = &rows[c];
    const volatile uint8_t *at =
        nic->bar + row->offset + 8 * index_of(nic, row->set);

    if (row->bits == 32)
        return plat_read32(at);
    if (nic->id->device == SPLIT_READ_ID)
        return read_halves(at) & (BIT64(48) - 1);
    return plat_read64(at) & (BIT64(48) - 1);
}

/* S1: what was added since the last look, modulo the register's width. */
static uint64_t update(struct nic *nic, enum counter c)
{
    struct nic_stats *s = &nic->stats;
    const uint64_t now = read_counter(nic, c);

    s->total[c] += (now - s->last[c]) & (BIT64(rows[c].bits) - 1);
    s->last[c] = now;
    return s->total[c];
}

/* A device that left the bus reads as all ones: keep what was known. */
static bool can_read(const struct nic *nic)
{
    return nic->state == PORT_STOPPED || nic->state == PORT_STARTED;
}

static uint64_t current(struct nic *nic, enum counter c)
{
    return can_read(nic) ? update(nic, c) : nic->stats.total[c];
}

void stats_open(struct nic *nic)
{
    memset(&nic->stats, 0, sizeof(nic->stats));
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        nic->stats.last[c] = read_counter(nic, c);
    nic->stats.sweep_cycles = plat_cycles();
}

void stats_resume(struct nic *nic)
{
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        nic->stats.last[c] = read_counter(nic, c);
    nic->stats.sweep_cycles = plat_cycles();
}

uint64_t stats_counter(struct nic *nic, enum counter counter)
{
    return current(nic, counter);
}

void stats_poll(struct nic *nic)
{
    struct nic_stats *s = &nic->stats;

    if (!can_read(nic) ||
        clock_cycles_to_us(plat_cycles() - s->sweep_cycles) < SWEEP_PERIOD_US)
        return;
    s->sweep_cycles = plat_cycles();
    (void)update(nic, s->sweep);
    s->sweep = (s->sweep + 1) % COUNTER_COUNT;
}

/* ---- software counters ---- */

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

/* The queue's core counts on while we read. */
static struct rx_counters rx_now(const struct nic *nic, unsigned queue)
{
    const struct rx_counters *c = &nic->rxq[queue].stats;
    struct rx_counters now;

#define RX_LOAD(name, text) now.name = LOAD(c->name);
    RX_COUNTERS(RX_LOAD)
#undef RX_LOAD
    return now;
}

static struct tx_counters tx_now(const struct nic *nic, unsigned queue)
{
    const struct tx_counters *c = &nic->txq[queue].stats;
    struct tx_counters now;

#define TX_LOAD(name, text) now.name = LOAD(c->name);
    TX_COUNTERS(TX_LOAD)
#undef TX_LOAD
    return now;
}

static struct rx_counters rx_since(const struct nic *nic, unsigned queue)
{
    const struct rx_counters *base = &nic->stats.rx_base[queue];
    struct rx_counters now = rx_now(nic, queue);

#define RX_SINCE(name, text) now.name -= base->name;
    RX_COUNTERS(RX_SINCE)
#undef RX_SINCE
    return now;
}

static struct tx_counters tx_since(const struct nic *nic, unsigned queue)
{
    const struct tx_counters *base = &nic->stats.tx_base[queue];
    struct tx_counters now = tx_now(nic, queue);

#define TX_SINCE(name, text) now.name -= base->name;
    TX_COUNTERS(TX_SINCE)
#undef TX_SINCE
    return now;
}

/* Over all queues, those that were configured away since too (S1). */
static struct rx_counters rx_sum(const struct nic *nic)
{
    struct rx_counters sum = { 0 };

    for (unsigned q = 0; q < XL710_PAIRS_MAX; q++) {
        const struct rx_counters one = rx_since(nic, q);

#define RX_SUM(name, text) sum.name += one.name;
        RX_COUNTERS(RX_SUM)
#undef RX_SUM
    }
    return sum;
}

static struct tx_counters tx_sum(const struct nic *nic)
{
    struct tx_counters sum = { 0 };

    for (unsigned q = 0; q < XL710_PAIRS_MAX; q++) {
        const struct tx_counters one = tx_since(nic, q);

#define TX_SUM(name, text) sum.name += one.name;
        TX_COUNTERS(TX_SUM)
#undef TX_SUM
    }
    return sum;
}

void stats_clear(struct nic *nic)
{
    for (unsigned c = 0; c < COUNTER_COUNT; c++) {
        (void)current(nic, c);
        nic->stats.total[c] = 0;
    }
    for (unsigned q = 0; q < XL710_PAIRS_MAX; q++) {
        nic->stats.rx_base[q] = rx_now(nic, q);
        nic->stats.tx_base[q] = tx_now(nic, q);
    }
}

static uint64_t rx_dropped(const struct rx_counters *rx)
{
    return rx->damaged + rx->oversize + rx->bad_length + rx->endless +
           rx->unexpected;
}

static uint64_t tx_refused(const struct tx_counters *tx)
{
    return tx->oversize + tx->malformed + tx->nombuf;
}

void stats_of_queue(const struct nic *nic, unsigned queue,
                    struct port_queue_stats *stats)
{
    const struct rx_counters rx = rx_since(nic, queue);
    const struct tx_counters tx = tx_since(nic, queue);

    stats->q_ipackets = rx.packets;
    stats->q_ibytes = rx.bytes;
    stats->q_opackets = tx.packets;
    stats->q_obytes = tx.bytes;
    stats->q_errors = rx_dropped(&rx);
    stats->q_oerrors = tx_refused(&tx);
    stats->restarts =
        nic->rx_watch[queue].restarts + nic->tx_watch[queue].restarts;
}

/* ---- basic ---- */

static uint64_t sum(struct nic *nic, const enum counter *list, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < n; i++)
        v += current(nic, list[i]);
    return v;
}

void stats_get(struct nic *nic, struct port_stats *stats)
{
    static const enum counter sent[] = { GLPRT_UPTC, GLPRT_MPTC, GLPRT_BPTC };
    static const enum counter missed[] = { GLPRT_RDPC, GLV_RDPC };
    static const enum counter damaged[] = {
        GLPRT_CRCERRS, GLPRT_ILLERRC, GLPRT_RLEC, GLPRT_RUC,
        GLPRT_ROC,     GLPRT_RFC,     GLPRT_RJC,  GL_RXERR1L,
    };
    static const enum counter unsent[] = { GLV_TEPC, GLPRT_TDOLD };
    const struct rx_counters rx = rx_sum(nic);
    const struct tx_counters tx = tx_sum(nic);
    uint64_t octets;

    stats->ipackets = rx.packets;
    stats->ibytes = rx.bytes;
    stats->opackets = sum(nic, sent, ARRAY_SIZE(sent));
    octets = current(nic, GLPRT_GOTC);
    stats->obytes = octets - FCS_BYTES * stats->opackets;
    stats->imissed = sum(nic, missed, ARRAY_SIZE(missed));
    stats->ierrors = sum(nic, damaged, ARRAY_SIZE(damaged)) + rx_dropped(&rx);
    stats->oerrors = sum(nic, unsent, ARRAY_SIZE(unsent)) + tx_refused(&tx);
    stats->rx_nombuf = rx.nombuf;
}

/* ---- extended ---- */

struct list {
    struct port_xstat *out;
    unsigned max, n;
};

static void add(struct list *l, const char *name, uint64_t value)
{
    if (l->n < l->max)
        l->out[l->n] = (struct port_xstat) { .name = name, .value = value };
    l->n++;
}

/*
 * The rows of rx.h and tx.h name queue 0; the others' names are made of its.
 * Those that name no queue are sums.
 */
#define NAME_BYTES  32
#define NAMED_QUEUE "_q0_"

enum {
#define QUEUE_ROW(name, text) +1
    RX_ROWS = 0 RX_COUNTERS(QUEUE_ROW),
    TX_ROWS = 0 TX_COUNTERS(QUEUE_ROW),
#undef QUEUE_ROW
    NAMES = RX_ROWS + TX_ROWS + 2
};

static const char *queue_name(unsigned queue, unsigned row, const char *text)
{
    static char names[XL710_PAIRS_MAX][NAMES][NAME_BYTES];
    const char *at = strstr(text, NAMED_QUEUE);
    char *name = names[queue][row];

    if (at == NULL || queue == 0)
        return text;
    if (name[0] == '\0')
        snprintf(name, NAME_BYTES, "%.*s_q%u_%s", (int)(at - text), text, queue,
                 at + strlen(NAMED_QUEUE));
    return name;
}

static void add_queue(struct list *l, const struct nic *nic, unsigned queue)
{
    const struct rx_counters rx = rx_since(nic, queue);
    const struct tx_counters tx = tx_since(nic, queue);
    unsigned row = 0;

#define QUEUE_ADD(counters, name, text)                                        \
    if (strstr(text, NAMED_QUEUE) != NULL)                                     \
        add(l, queue_name(queue, row, text), counters.name);                   \
    row++;
#define RX_ADD(name, text) QUEUE_ADD(rx, name, text)
#define TX_ADD(name, text) QUEUE_ADD(tx, name, text)
    RX_COUNTERS(RX_ADD)
    TX_COUNTERS(TX_ADD)
#undef TX_ADD
#undef RX_ADD
    add(l, queue_name(queue, row++, "millrace_rx_q0_restarts"),
        nic->rx_watch[queue].restarts);
    add(l, queue_name(queue, row++, "millrace_tx_q0_restarts"),
        nic->tx_watch[queue].restarts);
}

unsigned stats_extended(struct nic *nic, struct port_xstat *out, unsigned max)
{
    struct list l = { .out = out, .max = max, .n = 0 };
    struct port_stats s;

    stats_get(nic, &s);
    add(&l, "rx_good_packets", s.ipackets);
    add(&l, "tx_good_packets", s.opackets);
    add(&l, "rx_good_bytes", s.ibytes);
    add(&l, "tx_good_bytes", s.obytes);
    add(&l, "rx_missed_errors", s.imissed);
    add(&l, "rx_errors", s.ierrors);
    add(&l, "tx_errors", s.oerrors);
    add(&l, "rx_mbuf_allocation_errors", s.rx_nombuf);
    for (unsigned q = 0; q == 0 || q < nic_queues(nic); q++)
        add_queue(&l, nic, q);
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        if (rows[c].text != NULL)
            add(&l, rows[c].text, l.n < max ? current(nic, c) : 0);
    add(&l, "millrace_recoveries", nic->recovery.count);
    add(&l, "millrace_malicious_driver_events", nic->mdd_events);
    add(&l, "millrace_lost_firmware_events", nic->lost_events);
    add(&l, "millrace_admin_queue_timeouts", nic->aq.timeouts);
    return l.n;
}
