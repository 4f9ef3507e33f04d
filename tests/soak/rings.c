/*
 * rings.c - packets from core to core, in order
 *
 * Four rings have all cores on both sides; from each core to the next one there
 * is an index ring and a slot ring without locks. A packet carries who put it
 * in and its number: from one producer, numbers only grow; where there is one
 * producer and one consumer, none is missing.
 */
#include <string.h>

#include "mm/index_ring.h"
#include "mm/slot_ring.h"
#include "tests/soak/soak.h"

enum { BURST = 16, SIZE_MAX_OF_SLOTS = 200 };

static struct ring {
    struct index_ring *index; /* one of the two */
    struct slot_ring *slot;
    unsigned from, to; /* cores; core_total = all */
} rings[RINGS_MAX];

static unsigned ring_total;

/* Held by core @from only, consumed by core @to only. */
static bool is_pair(const struct ring *r)
{
    return r->from != core_total;
}

static void add_index(unsigned count, unsigned flags, unsigned from,
                      unsigned to)
{
    struct ring *r = &rings[ring_total++];

    *r = (struct ring) { .from = from, .to = to };
    if (index_ring_create(&r->index, count, flags | INDEX_RING_EXACT, "soak") !=
        OK)
        soak_fail("an index ring of %u cannot be made", count);
}

static void add_slot(unsigned size, enum lock_kind kind, unsigned from,
                     unsigned to)
{
    struct ring *r = &rings[ring_total++];

    *r = (struct ring) { .from = from, .to = to };
    r->slot = slot_ring_create(size, "soak");
    if (r->slot == NULL)
        soak_fail("a slot ring of %u cannot be made", size);
    slot_ring_locks_set(r->slot, kind, kind);
}

void rings_open(void)
{
    const unsigned all = core_total;

    add_index(200, INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS, all,
              all);
    add_slot(64, LOCK_CAS, all, all);
    add_slot(40, LOCK_TICKET, all, all);
    add_slot(100, LOCK_QUEUE, all, all);
    for (unsigned i = 0; i < core_total; i++) {
        add_index(7 + 32 * i, 0, i, (i + 1) % core_total);
        add_slot(33 + 31 * i, LOCK_NONE, i, (i + 1) % core_total);
    }
}

/* ---- in ---- */

static void stamp(struct core *c, unsigned ring, struct mbuf *m, uint64_t n)
{
    m->dynamic[MARK_RING] = (uint8_t)ring;
    m->dynamic[MARK_CORE] = (uint8_t)c->id;
    memcpy(&m->dynamic[MARK_NUMBER], &n, sizeof(n));
}

/* Up to @n packets that may be written, with numbers; returns how many. */
static unsigned gather(struct core *c, unsigned ring, void *m[], unsigned n)
{
    unsigned got = 0;

    for (unsigned i = 0; i < n && c->holds > 0; i++) {
        struct mbuf *one = packet_take(c);

        if (is_fixed(one)) {
            packet_keep(c, one);
            continue;
        }
        stamp(c, ring, one, c->next_in[ring] + got);
        m[got++] = one;
    }
    return got;
}

static unsigned push(struct core *c, unsigned ring)
{
    struct ring *r = &rings[ring];
    void *m[BURST];
    const unsigned n = gather(c, ring, m, some(c, BURST));
    unsigned done;

    if (r->slot != NULL)
        done = slot_ring_produce_bulk(r->slot, m, n);
    else if (below(c, 2) == 0)
        done = index_ring_push_bulk(r->index, m, n, NULL);
    else
        done = index_ring_push_burst(r->index, m, n, NULL);
    if (done > n)
        soak_fail("ring %u took %u of %u", ring, done, n);
    for (unsigned i = done; i < n; i++)
        packet_keep(c, m[i]);
    c->next_in[ring] += done;
    return done;
}

/* ---- out ---- */

static void arrived(struct core *c, unsigned ring, struct mbuf *m)
{
    const unsigned from = m->dynamic[MARK_CORE];
    uint64_t *due, n;

    memcpy(&n, &m->dynamic[MARK_NUMBER], sizeof(n));
    if (m->dynamic[MARK_RING] != ring || from >= core_total)
        soak_fail("ring %u: a packet of ring %u, core %u came out", ring,
                  m->dynamic[MARK_RING], from);
    due = &c->next_out[ring][from];
    if (n < *due || (is_pair(&rings[ring]) && n != *due))
        soak_fail("ring %u: core %u got number %llu of core %u, %llu was due",
                  ring, c->id, (unsigned long long)n, from,
                  (unsigned long long)*due);
    *due = n + 1;
    packet_verify(m);
    packet_keep(c, m);
}

/* What found no room when it was put back: the oldest, in order. */
struct returned {
    struct core *core;
    unsigned ring;
};

static void drop(void *what, void *context)
{
    const struct returned *r = context;

    arrived(r->core, r->ring, what);
}

static unsigned pop_slots(struct core *c, unsigned ring, void *m[], unsigned n)
{
    struct slot_ring *r = rings[ring].slot;
    struct returned back = { c, ring };
    unsigned freed = 0;
    void *first;

    if (below(c, 8) == 0)
        (void)slot_ring_flush(r);
    first = is_pair(&rings[ring]) ? slot_ring_peek(r) : NULL;
    n = slot_ring_consume_bulk(r, m, n, &freed);
    if (first != NULL && (n == 0 || m[0] != first))
        soak_fail("ring %u: what was seen did not come out", ring);
    /* Only while the producer is quiet: it has no lock. */
    if (in_turns && is_pair(&rings[ring]) && below(c, 16) == 0) {
        slot_ring_unconsume(r, m, n, drop, &back);
        return 0;
    }
    return n;
}

static unsigned pop(struct core *c, unsigned ring)
{
    struct ring *r = &rings[ring];
    unsigned n = some(c, BURST), got;
    void *m[BURST];

    if (c->holds + BURST > HELD_MAX)
        return 0;
    if (r->slot != NULL)
        got = pop_slots(c, ring, m, n);
    else if (below(c, 2) == 0)
        got = index_ring_pop_bulk(r->index, m, n, NULL);
    else
        got = index_ring_pop_burst(r->index, m, n, NULL);
    if (got > n)
        soak_fail("ring %u gave %u of %u", ring, got, n);
    for (unsigned i = 0; i < got; i++)
        arrived(c, ring, m[i]);
    return got;
}

unsigned rings_operate(struct core *c)
{
    const unsigned ring = below(c, ring_total);
    const struct ring *r = &rings[ring];
    const bool may_push = r->from == c->id || !is_pair(r);
    const bool may_pop = r->to == c->id || !is_pair(r);

    if (may_push && (!may_pop || below(c, 2) == 0))
        return push(c, ring);
    return may_pop ? pop(c, ring) : 0;
}

/* ---- while all stand still ---- */

void rings_each(void (*visit)(struct mbuf *m))
{
    for (unsigned i = 0; i < ring_total; i++) {
        const struct ring *r = &rings[i];

        if (r->index != NULL) {
            for (uint32_t k = r->index->consumer.tail;
                 k != r->index->producer.tail; k++)
                visit(r->index->slots[k & r->index->mask]);
            continue;
        }
        (void)slot_ring_flush(r->slot); /* what was consumed is NULL now */
        for (unsigned k = 0; k < r->slot->size; k++)
            if (r->slot->slots[k] != NULL)
                visit(r->slot->slots[k]);
    }
}

static void drop_free(void *what, void *context)
{
    (void)context;
    mbuf_free(what);
}

/* Another size now and then; then numbers are missing, from the newest on. */
void rings_check(struct core *chooser)
{
    const unsigned ring = below(chooser, ring_total);
    struct ring *r = &rings[ring];

    if (r->index != NULL) {
        if (index_ring_count(r->index) > r->index->capacity)
            soak_fail("ring %u holds more than it can", ring);
        return;
    }
    if (is_pair(r) || below(chooser, 4) != 0)
        return;
    if (slot_ring_resize(r->slot, 1 + below(chooser, SIZE_MAX_OF_SLOTS),
                         drop_free, NULL) != OK)
        soak_fail("ring %u cannot have another size", ring);
}

void rings_close(void)
{
    for (unsigned i = 0; i < ring_total; i++) {
        const struct ring *r = &rings[i];
        void *m;

        while (r->index != NULL && index_ring_pop(r->index, &m))
            mbuf_free(m);
        unsigned freed = 0;
        while (r->slot != NULL &&
               (m = slot_ring_consume(r->slot, &freed)) != NULL)
            mbuf_free(m);
        for (unsigned k = 0; k < core_total; k++)
            for (unsigned from = 0; from < core_total; from++)
                cores[k].next_out[i][from] = cores[from].next_in[i];
    }
}
