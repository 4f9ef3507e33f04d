/*
 * mbuf_published_test.c - the layout that DPDK publishes, next in line 1
 *
 * The product is built with the other one, so this program has its own mbuf.c
 * and friends, and repeats the tests of freeing and of chains on them. Pools
 * care for no field, so they are the library's.
 */
#define MBUF_LAYOUT_PUBLISHED 1

#include "mm/mbuf.c"
#include "mm/mbuf_chain.c"
#include "mm/mbuf_check.c"
#include "mm/mbuf_share.c"

#include "tests/unit/mbuf_chain_test.c"
#include "tests/unit/mbuf_free_test.c"

TEST(mbuf_published, MB_02_offsets_with_next_in_line_1)
{
    CHECK_EQ(sizeof(struct mbuf), 128);
    CHECK_EQ(offsetof(struct mbuf, buf_addr), 0);
    CHECK_EQ(offsetof(struct mbuf, buf_bus), 8);
    CHECK_EQ(offsetof(struct mbuf, data_off), 16);
    CHECK_EQ(offsetof(struct mbuf, refcnt), 18);
    CHECK_EQ(offsetof(struct mbuf, nb_segs), 20);
    CHECK_EQ(offsetof(struct mbuf, port), 22);
    CHECK_EQ(offsetof(struct mbuf, ol_flags), 24);
    CHECK_EQ(offsetof(struct mbuf, packet_type), 32);
    CHECK_EQ(offsetof(struct mbuf, pkt_len), 36);
    CHECK_EQ(offsetof(struct mbuf, data_len), 40);
    CHECK_EQ(offsetof(struct mbuf, vlan_tci), 42);
    CHECK_EQ(offsetof(struct mbuf, hash), 44);
    CHECK_EQ(sizeof(((struct mbuf *)0)->hash), 8);
    CHECK_EQ(offsetof(struct mbuf, vlan_tci_outer), 52);
    CHECK_EQ(offsetof(struct mbuf, buf_len), 54);
    CHECK_EQ(offsetof(struct mbuf, pool), 56);
    CHECK_EQ(offsetof(struct mbuf, next), 64);
    CHECK_EQ(offsetof(struct mbuf, tx_offload), 72);
    CHECK_EQ(offsetof(struct mbuf, shinfo), 80);
    CHECK_EQ(offsetof(struct mbuf, priv_size), 88);
    CHECK_EQ(offsetof(struct mbuf, timesync), 90);
    CHECK_EQ(offsetof(struct mbuf, dynamic), 92);
    CHECK_EQ(sizeof(((struct mbuf *)0)->dynamic), 36);
}

TEST(mbuf_published, MB_23_bus_address_0_has_its_reason)
{
    struct mbuf *m = mbuf_alloc(open_pool());
    const char *reason;

    CHECK(mbuf_check(m, &reason));
    m->buf_bus = 0;
    CHECK(!mbuf_check(m, &reason));
    CHECK_STR(reason, "no bus address");
}

/* Whatever a segment shows, its bus address goes with it. */
TEST(mbuf_published, bus_address_follows_the_bytes)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), *c = mbuf_clone(m, p);

    CHECK_EQ(m->buf_bus, plat_bus_addr(m + 1));
    CHECK_EQ(c->buf_bus, m->buf_bus);
    mbuf_detach(c);
    CHECK_EQ(c->buf_bus, plat_bus_addr(c + 1));
    mbuf_free(c);
    mbuf_free(m);
    CHECK_EQ(mempool_available(p), 1023);
}
