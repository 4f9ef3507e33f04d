/*
 * packets.c - packets made, chained, shared, copied, checked and freed
 *
 * A segment starts with a tag that only its maker writes; a buffer that is used
 * while it is somebody else's loses it.
 */
#include <string.h>

#include "tests/soak/packets.h"

struct mempool *packet_pools[PACKET_POOLS];

struct tag {
    uint64_t sequence, check;
};

static void *memory_for_pinned(uint64_t bytes)
{
    void *memory = frame_alloc(bytes, 0, "pinned");

    if (memory == NULL)
        soak_fail("no memory for pinned buffers");
    return memory;
}

void packets_open(void)
{
    struct mempool_config rows[PACKET_POOLS] = {
        [ROOTS] = { .name = "roots", .count = 6000, .cache = 128 },
        [OLD] = { .name = "roots of P2",
                  .count = 2000,
                  .cache = 33,
                  .policy = MEMPOOL_P2 },
        [PINNED] = { .name = "pinned", .count = 1000, .cache = 16 },
        [CLONES] = { .name = "clones", .count = 3000, .cache = 64 },
    };

    for (unsigned i = 0; i < PACKET_POOLS; i++) {
        rows[i].lcores = core_total;
        rows[i].data_room = i == CLONES ? 0 : ROOM;
        if (i == PINNED) {
            rows[i].external_bytes = (uint64_t)rows[i].count * ROOM;
            rows[i].external = memory_for_pinned(rows[i].external_bytes);
        }
        packet_pools[i] = mempool_create(&rows[i]);
        if (packet_pools[i] == NULL)
            soak_fail("pool \"%s\": cannot be made", rows[i].name);
    }
}

/* ---- what a core holds ---- */

struct mbuf *packet_take(struct core *c)
{
    const unsigned i = below(c, c->holds);
    struct mbuf *m = c->held[i];

    c->held[i] = c->held[--c->holds];
    return m;
}

void packet_keep(struct core *c, struct mbuf *m)
{
    if (c->holds == HELD_MAX)
        soak_fail("core %u holds too much", c->id); /* ours to prevent */
    c->held[c->holds++] = m;
}

static struct mbuf *pick(struct core *c)
{
    return c->holds == 0 ? NULL : c->held[below(c, c->holds)];
}

static bool has_room(const struct core *c, unsigned n)
{
    return c->holds + n <= HELD_MAX / 2;
}

void packet_verify(const struct mbuf *m)
{
    const bool is_dense = m->dynamic[MARK_DENSE] != 0;
    const char *reason;
    struct tag t;

    if (!mbuf_check(m, &reason))
        soak_fail("packet %p: %s", (const void *)m, reason);
    for (const struct mbuf *s = m; s != NULL; s = s->next) {
        memcpy(&t, mbuf_data(s), sizeof(t));
        if (s->data_len < sizeof(t) || t.check != ~t.sequence)
            soak_fail("packet %p, segment %p: its tag was overwritten",
                      (const void *)m, (const void *)s);
        if (is_dense)
            return;
    }
}

/* ---- new ones ---- */

static void fill(struct core *c, struct mbuf *m)
{
    const struct tag t = { ++c->sequence << 8 | c->id,
                           ~(c->sequence << 8 | c->id) };
    void *bytes = mbuf_append(m, sizeof(t) + below(c, 96));

    if (bytes == NULL)
        soak_fail("packet %p is new and has no room", (void *)m);
    memset(m->dynamic, 0, MARKS_END);
    memcpy(bytes, &t, sizeof(t));
}

struct mbuf *packet_plain(struct core *c)
{
    struct mbuf *m = mbuf_alloc(packet_pools[ROOTS]);

    if (m != NULL)
        fill(c, m);
    return m;
}

static void release_outside(void *memory, void *context)
{
    struct outside *o = context;

    if (memory != o->bytes ||
        __atomic_exchange_n(&o->is_used, 0, __ATOMIC_RELEASE) != 1)
        soak_fail("memory from outside released twice, or another's");
}

static unsigned make_outside(struct core *c)
{
    struct outside *o = &c->outside[below(c, EXT_SLOTS)];
    struct mbuf_ext_shared *shared;
    uint16_t bytes = EXT_BYTES;
    struct mbuf *m;

    if (__atomic_load_n(&o->is_used, __ATOMIC_ACQUIRE) != 0 ||
        (m = mbuf_alloc(packet_pools[ROOTS])) == NULL)
        return 0;
    shared = mbuf_ext_shared_init(o->bytes, &bytes, release_outside, o);
    __atomic_store_n(&o->is_used, 1, __ATOMIC_RELAXED);
    mbuf_attach_external(m, o->bytes, bytes, shared);
    fill(c, m);
    packet_keep(c, m);
    return 1;
}

static unsigned make(struct core *c)
{
    struct mempool *pool = packet_pools[below(c, CLONES)]; /* one with room */
    const unsigned n = some(c, 32);
    struct mbuf *m[32];

    if (!has_room(c, n) || below(c, 20) == 0)
        return has_room(c, 1) ? make_outside(c) : 0;
    if (mbuf_alloc_bulk(pool, m, n) != OK)
        return 0;
    for (unsigned i = 0; i < n; i++) {
        fill(c, m[i]);
        packet_keep(c, m[i]);
    }
    return n;
}

static unsigned clone(struct core *c)
{
    struct mbuf *m = pick(c), *copy;

    if (m == NULL || !has_room(c, 1))
        return 0;
    copy = mbuf_clone(m, packet_pools[CLONES]);
    if (copy == NULL)
        return 0;
    copy->dynamic[MARK_FIXED] = 0; /* of the original's header */
    packet_keep(c, copy);
    return copy->nb_segs;
}

static unsigned copy(struct core *c)
{
    struct mbuf *m = pick(c), *n;

    if (m == NULL || !has_room(c, 1))
        return 0;
    n = mbuf_copy(m, packet_pools[below(c, CLONES)], 0, UINT32_MAX);
    if (n == NULL)
        return 0;
    if (n->pkt_len != m->pkt_len)
        soak_fail("a copy of %u bytes has %u", m->pkt_len, n->pkt_len);
    n->dynamic[MARK_FIXED] = 0;
    n->dynamic[MARK_DENSE] = 1;
    packet_keep(c, n);
    return n->nb_segs;
}

/* ---- changes ---- */

static unsigned chain(struct core *c)
{
    struct mbuf *head, *tail;
    bool can;

    if (c->holds < 2)
        return 0;
    head = packet_take(c);
    tail = packet_take(c);
    can = !is_fixed(head) && !is_fixed(tail) &&
          head->nb_segs + tail->nb_segs <= 12;
    if (!can) {
        packet_keep(c, tail);
        packet_keep(c, head);
        return 0;
    }
    head->dynamic[MARK_DENSE] |= tail->dynamic[MARK_DENSE];
    if (mbuf_chain(head, tail) != OK)
        soak_fail("a chain of %u segments was refused", head->nb_segs);
    packet_keep(c, head);
    return 2;
}

static unsigned hold(struct core *c)
{
    struct mbuf *m = pick(c);

    if (m == NULL || is_fixed(m) || !has_room(c, 1))
        return 0;
    m->dynamic[MARK_FIXED] = 1;
    for (struct mbuf *s = m; s != NULL; s = s->next)
        mbuf_hold(s);
    packet_keep(c, m);
    return 1;
}

static unsigned stretch(struct core *c)
{
    struct mbuf *m = pick(c);
    const unsigned n = 1 + below(c, 64);
    uint32_t before;
    void *end;

    if (m == NULL || is_fixed(m))
        return 0;
    before = m->pkt_len;
    end = mbuf_append(m, n);
    if (end != NULL && !mbuf_trim(m, n))
        soak_fail("what was appended cannot be trimmed");
    if (m->pkt_len != before)
        soak_fail("a packet of %u bytes has %u", before, m->pkt_len);
    return 1;
}

static unsigned linearize(struct core *c)
{
    struct mbuf *m = pick(c);
    const bool is_many = m != NULL && m->nb_segs > 1;
    uint32_t before;

    if (!is_many || is_fixed(m))
        return 0;
    before = m->pkt_len;
    if (mbuf_linearize(m))
        m->dynamic[MARK_DENSE] = 1;
    if (m->pkt_len != before)
        soak_fail("a packet of %u bytes has %u", before, m->pkt_len);
    return 1;
}

/* ---- away with them ---- */

static unsigned let_go(struct core *c)
{
    struct mbuf *m[64];
    unsigned n = some(c, ARRAY_SIZE(m));

    if (n > c->holds)
        n = c->holds;
    for (unsigned i = 0; i < n; i++) {
        m[i] = packet_take(c);
        packet_verify(m[i]);
        /* As in a head whose tail was cut off: the pool must not see it. */
        if (!is_fixed(m[i]) && below(c, 16) == 0)
            m[i]->nb_segs++;
    }
    if (n == 1)
        mbuf_free(m[0]);
    else
        mbuf_free_bulk(m, n);
    return n;
}

unsigned packets_operate(struct core *c)
{
    static unsigned (*const way[16])(struct core *) = {
        make,  make,  make,  make,  let_go,  let_go,    let_go, let_go,
        clone, clone, chain, chain, stretch, linearize, copy,   hold,
    };

    return way[below(c, 16)](c);
}
