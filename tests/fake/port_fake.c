/*
 * port_fake.c - ports made of memory, for tests of net/ and console/
 */
#include "tests/fake/port_fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mm/mbuf.h"

struct fifo {
    struct mbuf *at[PORT_FAKE_QUEUE];
    unsigned head, tail;
};

struct port_rxq {
    struct fifo waiting;
    unsigned port;
};

struct port_txq {
    struct fifo sent;
    unsigned port;
    uint32_t room;
    unsigned calls, idle_calls;
    unsigned leaving;
};

static struct fake {
    struct port_rxq rx;
    struct port_txq tx;
    struct port_info info;
    struct port_link link;
    struct port_config config;
    struct port_stats stats, base;
    unsigned xstats_clears;
    bool rx_stopped[PORT_QUEUE_MAX], tx_stopped[PORT_QUEUE_MAX];
    struct port_rss rss;
    uint8_t reta[PORT_FAKE_RETA];
} ports[PORT_MAX];

static unsigned count, polls;
static const struct port_xstat *xstats;
static unsigned xstats_count;

static struct {
    enum status status;
    unsigned after;
} failures[PORT_FAKE_CALLS];

static void push(struct fifo *f, struct mbuf *m)
{
    if (f->tail - f->head == PORT_FAKE_QUEUE)
        abort();
    f->at[f->tail++ % PORT_FAKE_QUEUE] = m;
}

static struct mbuf *pop(struct fifo *f)
{
    if (f->head == f->tail)
        return NULL;
    return f->at[f->head++ % PORT_FAKE_QUEUE];
}

static void fake_init(unsigned p, struct mempool *pool)
{
    struct fake *f = &ports[p];

    memset(f, 0, sizeof(*f));
    f->rx.port = f->tx.port = p;
    f->tx.room = UINT32_MAX;
    f->config =
        (struct port_config) { .rx_desc = 1024, .tx_desc = 1024, .pool = pool };
    f->info = (struct port_info) { .driver = "fake",
                                   .product = "memory",
                                   .firmware = "1.0",
                                   .rx_path = "fifo",
                                   .tx_path = "fifo",
                                   .at = { .bus = 1, .function = (uint8_t)p },
                                   .vendor = 0x8086,
                                   .device = 0x1583,
                                   .mac = { 0, 0x1b, 0x21, 0, 0, (uint8_t)p },
                                   .state = PORT_STARTED,
                                   .rx_desc = 1024,
                                   .tx_desc = 1024,
                                   .rx_queues = 1,
                                   .tx_queues = 1,
                                   .rx_queues_max = PORT_QUEUE_MAX,
                                   .tx_queues_max = PORT_QUEUE_MAX,
                                   .max_frame = PORT_FRAME_MAX,
                                   .mtu = 1500 };
    snprintf(f->info.name, sizeof(f->info.name), "0000:01:00.%u", p % 8);
    f->rss.types = PORT_RSS_ALL;
    memcpy(f->rss.key, port_rss_key_default(false), sizeof(f->rss.key));
    f->link = (struct port_link) { .up = true, .speed_mbps = 40000 };
}

void port_fake_reset(unsigned n, struct mempool *pool)
{
    count = n;
    polls = 0;
    xstats = NULL;
    xstats_count = 0;
    memset(failures, 0, sizeof(failures));
    for (unsigned p = 0; p < PORT_MAX; p++)
        fake_init(p, pool);
}

void port_fake_receive(unsigned port, struct mbuf *m)
{
    push(&ports[port].rx.waiting, m);
}

unsigned port_fake_waiting(unsigned port)
{
    return ports[port].rx.waiting.tail - ports[port].rx.waiting.head;
}

struct mbuf *port_fake_take_sent(unsigned port)
{
    return pop(&ports[port].tx.sent);
}

unsigned port_fake_sent_count(unsigned port)
{
    return ports[port].tx.sent.tail - ports[port].tx.sent.head;
}

void port_fake_tx_room(unsigned port, uint32_t room)
{
    ports[port].tx.room = room;
}

void port_fake_leaving(unsigned port, unsigned n)
{
    ports[port].tx.leaving = n;
}

void port_fake_fail(enum port_fake_call call, enum status status,
                    unsigned after)
{
    failures[call].status = status;
    failures[call].after = after;
}

static enum status outcome(enum port_fake_call call)
{
    const enum status s = failures[call].status;

    if (s == OK || failures[call].after-- > 0)
        return OK;
    failures[call].status = OK;
    return s;
}

struct port_stats *port_fake_stats(unsigned port)
{
    return &ports[port].stats;
}

struct port_info *port_fake_info(unsigned port)
{
    return &ports[port].info;
}

struct port_link *port_fake_link(unsigned port)
{
    return &ports[port].link;
}

void port_fake_xstats(const struct port_xstat *table, unsigned n)
{
    xstats = table;
    xstats_count = n;
}

const struct port_config *port_fake_config(unsigned port)
{
    return &ports[port].config;
}

unsigned port_fake_idle_calls(unsigned port)
{
    return ports[port].tx.idle_calls;
}

unsigned port_fake_tx_calls(unsigned port)
{
    return ports[port].tx.calls;
}

unsigned port_fake_xstats_clears(unsigned port)
{
    return ports[port].xstats_clears;
}

unsigned port_fake_polls(void)
{
    return polls;
}

/* ---- port.h ---- */

unsigned port_count(void)
{
    return count;
}

enum status port_info_get(unsigned port, struct port_info *info)
{
    if (port >= count)
        return E_NOENT;
    *info = ports[port].info;
    return OK;
}

enum status port_configure(unsigned port, const struct port_config *config)
{
    const enum status s = outcome(PORT_FAKE_CONFIGURE);

    if (s != OK)
        return s;
    if (ports[port].info.state == PORT_STARTED)
        return E_STATE;
    ports[port].config = *config;
    ports[port].info.rx_desc = config->rx_desc;
    ports[port].info.tx_desc = config->tx_desc;
    ports[port].info.rx_queues = config->queues == 0 ? 1 : config->queues;
    ports[port].info.tx_queues = ports[port].info.rx_queues;
    ports[port].info.promiscuous = config->promiscuous;
    return OK;
}

enum status port_start(unsigned port)
{
    const enum status s = outcome(PORT_FAKE_START);

    if (s == OK)
        ports[port].info.state = PORT_STARTED;
    return s;
}

static enum status queue_set(unsigned port, bool stopped[], unsigned queue,
                             bool stop)
{
    const enum status s = outcome(PORT_FAKE_QUEUE_CALL);

    if (port >= count || queue >= ports[port].info.rx_queues)
        return E_NOENT;
    if (ports[port].info.state != PORT_STARTED)
        return E_STATE;
    if (s == OK)
        stopped[queue] = stop;
    return s;
}

enum status port_rxq_stop(unsigned port, unsigned queue)
{
    return queue_set(port, ports[port].rx_stopped, queue, true);
}

enum status port_rxq_start(unsigned port, unsigned queue)
{
    return queue_set(port, ports[port].rx_stopped, queue, false);
}

enum status port_txq_stop(unsigned port, unsigned queue)
{
    return queue_set(port, ports[port].tx_stopped, queue, true);
}

enum status port_txq_start(unsigned port, unsigned queue)
{
    return queue_set(port, ports[port].tx_stopped, queue, false);
}

/* Queue q received 1000 + q packets and sent 2000 + q, of 100 bytes each. */
enum status port_queue_stats_get(unsigned port, unsigned queue,
                                 struct port_queue_stats *stats)
{
    if (port >= count || queue >= ports[port].info.rx_queues)
        return E_NOENT;
    *stats = (struct port_queue_stats) {
        .rx_state = ports[port].rx_stopped[queue] ? PORT_QUEUE_STOPPED
                                                  : PORT_QUEUE_STARTED,
        .tx_state = ports[port].tx_stopped[queue] ? PORT_QUEUE_STOPPED
                                                  : PORT_QUEUE_STARTED,
        .q_ipackets = 1000 + queue,
        .q_ibytes = 100 * (1000 + queue),
        .q_opackets = 2000 + queue,
        .q_obytes = 100 * (2000 + queue),
        .q_errors = queue,
    };
    return OK;
}

enum status port_rss_hash_conf_get(unsigned port, struct port_rss *rss)
{
    if (port >= count)
        return E_NOENT;
    *rss = ports[port].rss;
    return OK;
}

enum status port_rss_hash_update(unsigned port, const struct port_rss *rss)
{
    const enum status s = outcome(PORT_FAKE_RSS);

    if (s == OK)
        ports[port].rss = *rss;
    return s;
}

const uint8_t *port_rss_key_default(bool symmetric)
{
    static const uint8_t keys[2][PORT_RSS_KEY_BYTES] = { { 0x01, 0x23 },
                                                         { 0xAB, 0xCD } };

    return keys[symmetric];
}

unsigned port_reta_query(unsigned port, uint8_t table[PORT_RETA_MAX])
{
    if (port >= count)
        return 0;
    memcpy(table, ports[port].reta, PORT_FAKE_RETA);
    return PORT_FAKE_RETA;
}

enum status port_reta_update(unsigned port, const uint8_t table[],
                             unsigned entries)
{
    const enum status s = outcome(PORT_FAKE_RSS);

    for (unsigned i = 0; s == OK && i < entries; i++)
        if (table[i] >= ports[port].info.rx_queues)
            return E_RANGE;
    if (s == OK)
        memcpy(ports[port].reta, table, entries);
    return s;
}

static void drain(struct fifo *f)
{
    struct mbuf *m;

    while ((m = pop(f)) != NULL)
        mbuf_free(m);
}

enum status port_stop(unsigned port)
{
    const enum status s = outcome(PORT_FAKE_STOP);

    if (s != OK)
        return s;
    drain(&ports[port].rx.waiting);
    drain(&ports[port].tx.sent);
    ports[port].info.state = PORT_STOPPED;
    return OK;
}

void port_close(unsigned port)
{
    drain(&ports[port].rx.waiting);
    drain(&ports[port].tx.sent);
    ports[port].info.state = PORT_CLOSED;
}

void port_link_get(unsigned port, struct port_link *link)
{
    *link = ports[port].link;
}

enum status port_promiscuous_set(unsigned port, bool on)
{
    const enum status s = outcome(PORT_FAKE_PROMISCUOUS);

    if (s == OK)
        ports[port].info.promiscuous = on;
    return s;
}

void port_stats_get(unsigned port, struct port_stats *stats)
{
    const struct port_stats *now = &ports[port].stats;
    const struct port_stats *base = &ports[port].base;

    *stats = (struct port_stats) {
        .ipackets = now->ipackets - base->ipackets,
        .opackets = now->opackets - base->opackets,
        .ibytes = now->ibytes - base->ibytes,
        .obytes = now->obytes - base->obytes,
        .imissed = now->imissed - base->imissed,
        .ierrors = now->ierrors - base->ierrors,
        .oerrors = now->oerrors - base->oerrors,
        .rx_nombuf = now->rx_nombuf - base->rx_nombuf,
    };
}

void port_stats_clear(unsigned port)
{
    ports[port].base = ports[port].stats;
}

unsigned port_xstats_get(unsigned port, struct port_xstat *out, unsigned max)
{
    (void)port;
    for (unsigned i = 0; i < xstats_count && i < max; i++)
        out[i] = xstats[i];
    return xstats_count;
}

void port_xstats_clear(unsigned port)
{
    ports[port].xstats_clears++;
}

void port_buffers_get(unsigned port, unsigned *in_rx, unsigned *in_tx)
{
    *in_rx = port_fake_waiting(port);
    *in_tx = ports[port].tx.leaving;
}

void port_poll_all(void)
{
    polls++;
}

void port_quiet_set(const struct port_quiet *quiet)
{
    (void)quiet;
}

void port_meanwhile_set(void (*turn)(void))
{
    (void)turn;
}

uint64_t port_chip_wait_us(void)
{
    return 0;
}

struct port_rxq *port_rxq_get(unsigned port, unsigned queue)
{
    if (port >= count || queue >= ports[port].info.rx_queues ||
        ports[port].info.state != PORT_STARTED)
        return NULL;
    return &ports[port].rx; /* one serves all */
}

struct port_txq *port_txq_get(unsigned port, unsigned queue)
{
    if (port >= count || queue >= ports[port].info.tx_queues ||
        ports[port].info.state != PORT_STARTED)
        return NULL;
    return &ports[port].tx;
}

unsigned port_rx_burst(struct port_rxq *rxq, struct mbuf *pkts[], unsigned max)
{
    unsigned n = 0;

    while (n < max && (pkts[n] = pop(&rxq->waiting)) != NULL) {
        ports[rxq->port].stats.ipackets++;
        ports[rxq->port].stats.ibytes += pkts[n]->pkt_len;
        n++;
    }
    return n;
}

/* It takes the bursts. */
unsigned port_forward(struct port_rxq *rxq, struct port_txq *txq, unsigned max,
                      port_edit *edit, const void *context)
{
    (void)rxq;
    (void)txq;
    (void)max;
    (void)edit;
    (void)context;
    return 0;
}

unsigned port_tx_burst(struct port_txq *txq, struct mbuf *pkts[], unsigned n)
{
    unsigned taken = 0;

    txq->calls++;
    while (taken < n && txq->room > 0 &&
           txq->sent.tail - txq->sent.head < PORT_FAKE_QUEUE) {
        if (txq->room != UINT32_MAX)
            txq->room--;
        ports[txq->port].stats.opackets++;
        ports[txq->port].stats.obytes += pkts[taken]->pkt_len;
        push(&txq->sent, pkts[taken++]);
    }
    return taken;
}

void port_tx_idle(struct port_txq *txq)
{
    txq->idle_calls++;
    if (txq->leaving > 0)
        txq->leaving--;
}
