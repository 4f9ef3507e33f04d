/*
 * wires.c - a transmit queue for each core, and the NIC behind it
 *
 * The NIC fetches descriptors, and sends and reports them, in order and in its
 * own time. What lies at a descriptor's address must be the same when it is
 * sent as when it was fetched: a buffer that was freed too early is written by
 * its next user.
 */
#include <string.h>

#include <millrace/plat.h>
#include <millrace/port.h>

#include "drivers/xl710/path.h"
#include "drivers/xl710/tx.h"
#include "tests/soak/soak.h"

enum { BURST = 40, SHADOW = 16, PROMISE_KEPT = 5000 };

static struct wire {
    struct port_txq q;
    uint32_t tail; /* the NIC's register */
    unsigned fetched, sent;
    uint8_t shadow[TAIL_SLOTS][SHADOW];
} wires[CORES_MAX];

/* TSan takes vector loads for plain ones, and reports each beside an atomic. */
#ifdef __SANITIZE_THREAD__
#define PATHS_MAX 1
#else
#define PATHS_MAX UINT32_MAX
#endif

/* One of those that this CPU can run. */
static const struct path *any_path(struct core *c)
{
    unsigned n = 0;

    while (n < PATHS_MAX && path_at(n) != NULL)
        n++;
    for (;;) {
        const struct path *p = path_at(below(c, n));

        if (path_is_possible(p))
            return p;
    }
}

static void ring_up(struct core *c)
{
    static const struct {
        unsigned n, rs, free;
    } sizes[] = {
        { 64, 32, 32 },     { 96, 32, 64 },   { 128, 1, 4 },
        { 256, 64, 64 },    { 1024, 32, 32 }, { 1024, 256, 512 },
        { 1024, 512, 512 }, { 992, 32, 100 },
    };
    const unsigned i = below(c, ARRAY_SIZE(sizes));
    struct wire *w = &wires[c->id];

    w->q = (struct port_txq) { .tail_reg = &w->tail, .port = (uint16_t)c->id };
    w->q.fast_free = below(c, 2) == 0;
    if (tx_ring_alloc(&w->q, sizes[i].n, sizes[i].rs, sizes[i].free) != OK)
        soak_fail("a transmit ring of %u cannot be made", sizes[i].n);
    w->q.burst = any_path(c)->tx;
    w->tail = w->fetched = w->sent = 0;
}

void wires_open(void)
{
    for (unsigned k = 0; k < core_total; k++)
        ring_up(&cores[k]);
}

/* ---- the NIC ---- */

static const uint8_t *bytes_of(const struct tx_desc *d, unsigned *n)
{
    const unsigned size = (unsigned)(d->qw1 >> TXD_SIZE_SHIFT) & 0x3FFF;

    *n = size < SHADOW ? size : SHADOW;
    return (const uint8_t *)(uintptr_t)(d->address - SOAK_BUS);
}

static void fetch(struct wire *w, unsigned most)
{
    const uint32_t tail = __atomic_load_n(&w->tail, __ATOMIC_ACQUIRE);

    if (tail >= w->q.n)
        soak_fail("the tail register of %u descriptors was set to %u", w->q.n,
                  tail);
    for (unsigned n; w->fetched != tail && most > 0; most--) {
        const struct tx_desc *d = &w->q.ring[w->fetched];
        const uint8_t *bytes = bytes_of(d, &n);

        if ((d->qw1 & TXD_TYPE) != 0 || n == 0)
            soak_fail("descriptor %u of %u: %#llx", w->fetched, w->q.n,
                      (unsigned long long)d->qw1);
        memcpy(w->shadow[w->fetched], bytes, n);
        w->fetched = (w->fetched + 1) % w->q.n;
    }
}

static void send_out(struct wire *w, unsigned most)
{
    for (unsigned n; w->sent != w->fetched && most > 0; most--) {
        struct tx_desc *d = &w->q.ring[w->sent];
        const uint8_t *bytes = bytes_of(d, &n);

        if (memcmp(w->shadow[w->sent], bytes, n) != 0)
            soak_fail("descriptor %u of %u: its buffer was written before it "
                      "was sent",
                      w->sent, w->q.n);
        if ((d->qw1 & TXD_RS) != 0)
            __atomic_store_n(&d->qw1, TXD_TYPE_DONE, __ATOMIC_RELEASE);
        w->sent = (w->sent + 1) % w->q.n;
    }
}

/* ---- operations ---- */

static unsigned hand_over(struct core *c, struct mbuf *m[], unsigned n)
{
    const unsigned taken = port_tx_burst(&wires[c->id].q, m, n);

    if (taken > n)
        soak_fail("core %u: %u of %u packets were sent", c->id, taken, n);
    return taken;
}

static unsigned transmit(struct core *c)
{
    struct mbuf *m[BURST];
    unsigned n = some(c, BURST), taken;

    if (n > c->holds)
        n = c->holds;
    for (unsigned i = 0; i < n; i++)
        m[i] = packet_take(c);
    taken = hand_over(c, m, n);
    for (unsigned i = taken; i < n; i++)
        packet_keep(c, m[i]);
    return taken;
}

/* As the queue was promised: fresh, of one pool. */
static unsigned transmit_plain(struct core *c)
{
    const unsigned most = some(c, BURST);
    struct mbuf *m[BURST];
    unsigned n = 0, taken;

    while (n < most && (m[n] = packet_plain(c)) != NULL)
        n++;
    taken = hand_over(c, m, n);
    mbuf_free_bulk(m + taken, n - taken);
    return taken;
}

unsigned wires_operate(struct core *c)
{
    struct wire *w = &wires[c->id];
    const unsigned free_before = w->q.free;

    switch (below(c, 8)) {
    case 0:
    case 1:
        return w->q.fast_free && below(c, PROMISE_KEPT) != 0 ? transmit_plain(c)
                                                             : transmit(c);
    case 2:
    case 3:
        fetch(w, some(c, 200));
        return 1;
    case 4:
    case 5:
        send_out(w, some(c, 200));
        return 1;
    case 6:
        (void)tx_reclaim(&w->q);
        break;
    default:
        port_tx_idle(&w->q);
        break;
    }
    if (w->q.free < free_before || w->q.free > w->q.n - 1)
        soak_fail("core %u: %u descriptors are free, %u were, of %u", c->id,
                  w->q.free, free_before, w->q.n);
    return w->q.free - free_before;
}

/* ---- while all stand still ---- */

/* Either all is sent and comes back, or the queue stops as it is. */
static void wire_check(struct core *c, bool stop)
{
    struct wire *w = &wires[c->id];

    if (!stop) {
        fetch(w, UINT32_MAX);
        send_out(w, UINT32_MAX);
        port_tx_idle(&w->q);
        if (w->q.free != w->q.n - 1)
            soak_fail("core %u: all was sent, %u descriptors are free of %u",
                      c->id, w->q.free, w->q.n);
        return;
    }
    tx_ring_drain(&w->q);
    tx_ring_free(&w->q);
    ring_up(c);
}

void wires_check(struct core *chooser)
{
    for (unsigned k = 0; k < core_total; k++)
        wire_check(&cores[k], below(chooser, 4) == 0);
}

void wires_close(void)
{
    for (unsigned k = 0; k < core_total; k++) {
        tx_ring_drain(&wires[k].q);
        wires[k].fetched = wires[k].sent = wires[k].tail = 0;
    }
}
