/*
 * mbuf_share_test.c - clones and memory from outside: S1..S3 of mbuf_share.c
 */
#include "mm/mbuf.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA ((size_t)32 << 20)

static struct mempool *pool_of(const char *name, unsigned count,
                               unsigned data_room, unsigned private_bytes)
{
    const struct mempool_config config = { .name = name,
                                           .count = count,
                                           .data_room = data_room,
                                           .private_bytes = private_bytes };

    return mempool_create(&config);
}

static void memory_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

static struct mempool *roots, *clones;

static void open_pools(void)
{
    memory_open();
    roots = pool_of("roots", 1023, MBUF_DATA_ROOM, 0);
    clones = pool_of("clones", 1023, MBUF_DATA_ROOM, 0);
}

static void check_good(const struct mbuf *m)
{
    const char *reason = "";

    if (!mbuf_check(m, &reason))
        CHECK_STR(reason, "");
}

static struct mbuf *packet(unsigned len)
{
    struct mbuf *m = mbuf_alloc(roots);

    CHECK(mbuf_append(m, len) != NULL);
    return m;
}

TEST(mbuf_share, MB_13_clone_of_a_direct_packet)
{
    struct mbuf *m, *c;

    open_pools();
    m = packet(100);
    c = mbuf_clone(m, clones);
    CHECK_EQ(m->refcnt, 2);
    CHECK_EQ(c->refcnt, 1);
    CHECK(c->buf_addr == m->buf_addr);
    CHECK_EQ(c->data_off, 128);
    CHECK_EQ(c->data_len, 100);
    CHECK_EQ(c->pkt_len, 100);
    CHECK(!mbuf_is_direct(c));
    CHECK((c->ol_flags & MBUF_F_INDIRECT) != 0);
    CHECK_EQ(mempool_available(roots), 1022);
    CHECK_EQ(mempool_available(clones), 1022);
    check_good(c);
}

TEST(mbuf_share, MB_14_clone_of_a_clone_holds_the_root)
{
    struct mbuf *m, *first, *second;

    open_pools();
    m = packet(100);
    first = mbuf_clone(m, clones);
    second = mbuf_clone(first, clones);
    CHECK_EQ(m->refcnt, 3);
    CHECK_EQ(first->refcnt, 1);
    CHECK(second->buf_addr == m->buf_addr);
}

TEST(mbuf_share, MB_15_root_stays_out_until_the_last_free)
{
    struct mbuf *m, *first, *second;

    open_pools();
    m = packet(100);
    first = mbuf_clone(m, clones);
    second = mbuf_clone(first, clones);
    mbuf_free(m);
    CHECK_EQ(mempool_available(roots), 1022);
    CHECK_EQ(m->refcnt, 2);
    mbuf_free(first);
    CHECK_EQ(mempool_available(roots), 1022);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(first->ol_flags, 0);
    CHECK(first->buf_addr == first + 1);
    mbuf_free(second);
    CHECK_EQ(mempool_available(roots), 1023);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(mempool_available(clones), 1023);
}

TEST(mbuf_share, clones_of_a_chain_in_every_order_of_frees)
{
    for (unsigned order = 0; order < 6; order++) {
        static const uint8_t orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 },
                                              { 1, 0, 2 }, { 1, 2, 0 },
                                              { 2, 0, 1 }, { 2, 1, 0 } };
        struct mbuf *m[3];

        open_pools();
        m[0] = packet(100);
        CHECK_EQ(mbuf_chain(m[0], packet(200)), OK);
        CHECK_EQ(mbuf_chain(m[0], packet(300)), OK);
        m[1] = mbuf_clone(m[0], clones);
        m[2] = mbuf_clone(m[1], clones);
        CHECK_EQ(m[2]->nb_segs, 3);
        CHECK_EQ(m[2]->pkt_len, 600);
        check_good(m[2]);
        for (unsigned i = 0; i < 3; i++)
            mbuf_free(m[orders[order][i]]);
        CHECK_EQ(mempool_available(roots), 1023);
        CHECK_EQ(mempool_available(clones), 1023);
    }
}

/* The root is found also when header and data lie apart. */
TEST(mbuf_share, root_with_a_private_part_is_found)
{
    struct mempool *p, *q;
    struct mbuf *m, *c;

    memory_open();
    p = pool_of("p", 8, MBUF_DATA_ROOM, 64);
    q = pool_of("q", 8, 0, 16); /* clones need no room of their own */
    m = mbuf_alloc(p);
    c = mbuf_clone(m, q);
    CHECK_EQ(m->refcnt, 2);
    mbuf_free(m);
    mbuf_free(c);
    CHECK_EQ(c->priv_size, 16);
    CHECK_EQ(mempool_available(p), 8);
    CHECK_EQ(mempool_available(q), 8);
}

TEST(mbuf_share, MEM_04_failed_clone_takes_nothing)
{
    struct mempool *few;
    struct mbuf *m;

    open_pools();
    few = pool_of("few", 2, 0, 0);
    m = packet(100);
    CHECK_EQ(mbuf_chain(m, packet(100)), OK);
    CHECK_EQ(mbuf_chain(m, packet(100)), OK);
    CHECK(mbuf_clone(m, few) == NULL);
    CHECK_EQ(mempool_available(few), 2);
    for (struct mbuf *s = m; s != NULL; s = s->next)
        CHECK_EQ(s->refcnt, 1);
}

TEST(mbuf_share, MB_33_detach_restores_the_own_buffer)
{
    struct mbuf *m, *c;

    open_pools();
    m = packet(100);
    c = mbuf_clone(m, clones);
    mbuf_detach(c);
    CHECK(c->buf_addr == c + 1);
    CHECK_EQ(c->buf_len, MBUF_DATA_ROOM);
    CHECK_EQ(c->data_len, 0);
    CHECK_EQ(c->ol_flags, 0);
    CHECK_EQ(c->data_off, 128);
    CHECK_EQ(m->refcnt, 1);
    CHECK_PANICS(mbuf_detach(c));
}

TEST(mbuf_share, MB_34_clone_has_the_header_of_the_original)
{
    struct mbuf *m, *c;

    open_pools();
    m = packet(100);
    m->port = 3;
    m->vlan_tci = 0x123;
    m->vlan_tci_outer = 0x456;
    m->tx_offload = 0x1122334455667788;
    m->hash.rss = 0xdeadbeef;
    m->hash.high = 0x12345678;
    m->packet_type = 0x111;
    memset(m->dynamic, 0x5C, sizeof(m->dynamic));
    c = mbuf_clone(m, clones);
    CHECK_EQ(c->port, 3);
    CHECK_EQ(c->vlan_tci, 0x123);
    CHECK_EQ(c->vlan_tci_outer, 0x456);
    CHECK_EQ(c->tx_offload, 0x1122334455667788);
    CHECK_EQ(c->hash.rss, 0xdeadbeef);
    CHECK_EQ(c->hash.high, 0x12345678);
    CHECK_EQ(c->packet_type, 0x111);
    CHECK_BYTES(c->dynamic, m->dynamic, sizeof(c->dynamic));
}

TEST(mbuf_share, attaching_what_is_not_free_panics)
{
    struct mbuf *m, *c;

    open_pools();
    m = packet(100);
    c = mbuf_clone(m, clones);
    CHECK_PANICS(mbuf_attach(c, m));
    c = mbuf_alloc(clones);
    mbuf_hold(c);
    CHECK_PANICS(mbuf_attach(c, m));
    CHECK_EQ(m->refcnt, 2);
}

/* ---- memory from outside ---- */

static unsigned released;
static void *released_memory, *released_context;

static void release(void *memory, void *context)
{
    released++;
    released_memory = memory;
    released_context = context;
}

static uint8_t outside[1024] __attribute__((aligned(8)));

static struct mbuf *external(void)
{
    uint16_t bytes = sizeof(outside);
    struct mbuf_ext_shared *shared =
        mbuf_ext_shared_init(outside, &bytes, release, &released);
    struct mbuf *m = mbuf_alloc(roots);

    released = 0;
    CHECK_EQ(bytes, 1000);
    CHECK((uint8_t *)shared == outside + 1000);
    CHECK_EQ(shared->refcnt, 1);
    mbuf_attach_external(m, outside, bytes, shared);
    return m;
}

TEST(mbuf_share, MB_16_external_buffer_with_its_count_inside)
{
    struct mbuf *m;

    open_pools();
    m = external();
    CHECK_EQ(m->data_off, 0);
    CHECK_EQ(m->data_len, 0);
    CHECK_EQ(m->buf_len, 1000);
    CHECK(!mbuf_is_direct(m));
    CHECK(mbuf_append(m, 1000) == outside);
    CHECK(mbuf_append(m, 1) == NULL);
    check_good(m);
    mbuf_free(m);
    CHECK_EQ(released, 1);
    CHECK(released_memory == outside);
    CHECK(released_context == &released);
    CHECK_EQ(mempool_available(roots), 1023);
}

TEST(mbuf_share, MB_17_external_buffer_is_released_by_the_last_use)
{
    struct mbuf *m, *c;

    open_pools();
    m = external();
    c = mbuf_clone(m, clones);
    CHECK_EQ(m->shinfo->refcnt, 2);
    CHECK_EQ(m->refcnt, 1);
    mbuf_free(m);
    CHECK_EQ(c->shinfo->refcnt, 1);
    CHECK_EQ(released, 0);
    CHECK_EQ(mempool_available(roots), 1023);
    CHECK_EQ(mempool_available(clones), 1022);
    mbuf_free(c);
    CHECK_EQ(released, 1);
    CHECK_EQ(mempool_available(clones), 1023);
}

TEST(mbuf_share, MB_18_buffer_without_room_for_the_count)
{
    for (uint16_t n = 0; n <= 24; n++) {
        uint16_t bytes = n;

        CHECK(mbuf_ext_shared_init(outside, &bytes, release, NULL) == NULL);
        CHECK_EQ(bytes, n);
    }
}

TEST(mbuf_share, count_in_an_odd_buffer_is_aligned)
{
    uint16_t bytes = 100;
    struct mbuf_ext_shared *shared =
        mbuf_ext_shared_init(outside + 3, &bytes, release, NULL);

    CHECK_EQ((uintptr_t)shared % 8, 0);
    CHECK((uint8_t *)(shared + 1) <= outside + 103);
    CHECK_EQ(bytes, (uint8_t *)shared - (outside + 3));
}
