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
static struct rx_counters rx_now(const struct nic *nic)
{
    const struct rx_counters *c = &nic->rxq[0].stats;
    struct rx_counters now;

#define RX_LOAD(name, text) now.name = LOAD(c->name);
    RX_COUNTERS(RX_LOAD)
#undef RX_LOAD
    return now;
}

static struct tx_counters tx_now(const struct nic *nic)
{
    const struct tx_counters *c = &nic->txq[0].stats;
    struct tx_counters now;

#define TX_LOAD(name, text) now.name = LOAD(c->name);
    TX_COUNTERS(TX_LOAD)
#undef TX_LOAD
    return now;
}

static struct rx_counters rx_since(const struct nic *nic)
{
    struct rx_counters now = rx_now(nic);

#define RX_SINCE(name, text) now.name -= nic->stats.rx_base.name;
    RX_COUNTERS(RX_SINCE)
#undef RX_SINCE
    return now;
}

static struct tx_counters tx_since(const struct nic *nic)
{
    struct tx_counters now = tx_now(nic);

#define TX_SINCE(name, text) now.name -= nic->stats.tx_base.name;
    TX_COUNTERS(TX_SINCE)
#undef TX_SINCE
    return now;
}

void stats_clear(struct nic *nic)
{
    for (unsigned c = 0; c < COUNTER_COUNT; c++) {
        (void)current(nic, c);
        nic->stats.total[c] = 0;
    }
    nic->stats.rx_base = rx_now(nic);
    nic->stats.tx_base = tx_now(nic);
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
    const struct rx_counters rx = rx_since(nic);
    const struct tx_counters tx = tx_since(nic);
    uint64_t octets;

    stats->ipackets = rx.packets;
    stats->ibytes = rx.bytes;
    stats->opackets = sum(nic, sent, ARRAY_SIZE(sent));
    octets = current(nic, GLPRT_GOTC);
    stats->obytes = octets - FCS_BYTES * stats->opackets;
    stats->imissed = sum(nic, missed, ARRAY_SIZE(missed));
    stats->ierrors = sum(nic, damaged, ARRAY_SIZE(damaged)) + rx.damaged +
                     rx.oversize + rx.bad_length + rx.endless + rx.unexpected;
    stats->oerrors = sum(nic, unsent, ARRAY_SIZE(unsent)) + tx.oversize +
                     tx.malformed + tx.nombuf;
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

unsigned stats_extended(struct nic *nic, struct port_xstat *out, unsigned max)
{
    struct list l = { .out = out, .max = max, .n = 0 };
    const struct rx_counters rx = rx_since(nic);
    const struct tx_counters tx = tx_since(nic);
    struct port_stats s;

    stats_get(nic, &s);
    add(&l, "rx_good_packets", s.ipackets);
    add(&l, "tx_good_packets", s.opackets);
    add(&l, "rx_good_bytes", s.ibytes);
    add(&l, "tx_good_bytes", s.obytes);
    add(&l, "rx_missed_errors", s.imissed);
    add(&l, "rx_errors", s.ierrors);
    add(&l, "tx_errors", s.oerrors);
#define RX_ADD(name, text) add(&l, text, rx.name);
    RX_COUNTERS(RX_ADD)
#undef RX_ADD
#define TX_ADD(name, text) add(&l, text, tx.name);
    TX_COUNTERS(TX_ADD)
#undef TX_ADD
    for (unsigned c = 0; c < COUNTER_COUNT; c++)
        if (rows[c].text != NULL)
            add(&l, rows[c].text, l.n < max ? current(nic, c) : 0);
    add(&l, "millrace_rx_q0_restarts", nic->rx_watch[0].restarts);
    add(&l, "millrace_tx_q0_restarts", nic->tx_watch[0].restarts);
    add(&l, "millrace_recoveries", nic->recovery.count);
    add(&l, "millrace_malicious_driver_events", nic->mdd_events);
    add(&l, "millrace_lost_firmware_events", nic->lost_events);
    add(&l, "millrace_admin_queue_timeouts", nic->aq.timeouts);
    return l.n;
}
