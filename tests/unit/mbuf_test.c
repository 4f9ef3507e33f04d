/*
 * mbuf_test.c - one buffer: layout, ends, checks
 *
 * Rows MB-* describe the packet buffer of DPDK 17.05 and later. As there, the
 * data room is 128 + 2048 and pools have no caches, so that counts are exact.
 */
#include "tests/unit/mbuf_rig.h"

/* ---- layout ---- */

TEST(mbuf, MB_01_header_is_two_lines)
{
    CHECK_EQ(sizeof(struct mbuf), 128);
    CHECK_EQ(_Alignof(struct mbuf), 64);
    CHECK_EQ(offsetof(struct mbuf, reserved), 64);
}

TEST(mbuf, MB_02_MB_03_offsets_with_next_in_line_0)
{
    CHECK_EQ(offsetof(struct mbuf, buf_addr), 0);
    CHECK_EQ(offsetof(struct mbuf, next), 8);
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
    CHECK_EQ(offsetof(struct mbuf, tx_offload), 72);
    CHECK_EQ(offsetof(struct mbuf, shinfo), 80);
    CHECK_EQ(offsetof(struct mbuf, priv_size), 88);
    CHECK_EQ(offsetof(struct mbuf, timesync), 90);
    CHECK_EQ(offsetof(struct mbuf, dynamic), 92);
    CHECK_EQ(sizeof(((struct mbuf *)0)->dynamic), 36);
}

TEST(mbuf, MB_04_rearm_word)
{
    CHECK_EQ(mbuf_rearm_word(0xFFFF), 0xFFFF000100010080);
    CHECK_EQ(mbuf_rearm_word(0), 0x0000000100010080);
    CHECK_EQ(mbuf_rearm_word(5), 0x0005000100010080);
}

TEST(mbuf, MEM_08_rearm_word_never_has_a_count_of_0)
{
    struct mbuf m = { .rearm = mbuf_rearm_word(5) };

    CHECK_EQ(m.data_off, 128);
    CHECK_EQ(m.refcnt, 1);
    CHECK_EQ(m.nb_segs, 1);
    CHECK_EQ(m.port, 5);
}

TEST(mbuf, MB_05_rearm_and_flags_are_one_16_byte_store)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p);
    uint8_t before[128], *bytes = (uint8_t *)m;

    CHECK_EQ((uintptr_t)&m->rearm % 16, 0);
    CHECK(&m->ol_flags == &m->rearm + 1);
    memset(bytes, 0xA5, sizeof(*m));
    memcpy(before, bytes, sizeof(before));
    m->rearm = mbuf_rearm_word(3);
    m->ol_flags = 0;
    CHECK_BYTES(bytes, before, 16);
    CHECK_BYTES(bytes + 32, before + 32, 96);
}

/* ---- fresh packets, room at the ends ---- */

TEST(mbuf, MB_06_fresh_packet)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p);

    check_fresh(m);
    CHECK_EQ(mempool_available(p), 1022);
    mbuf_free(m);
    CHECK_EQ(mempool_available(p), 1023);
}

/* What the last user left does not show. */
TEST(mbuf, MEM_09_recycled_packet_is_as_fresh)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), *again;

    m->rearm = mbuf_rearm_word(7);
    m->ol_flags = 0x55;
    m->packet_type = 9;
    m->vlan_tci = m->vlan_tci_outer = 4;
    m->data_off = 3;
    CHECK(mbuf_append(m, 77) != NULL);
    mbuf_free(m);
    again = mbuf_alloc(p);
    CHECK(again == m);
    check_fresh(again);
    CHECK_EQ(again->packet_type, 0);
    CHECK_EQ(again->vlan_tci, 0);
    CHECK_EQ(again->vlan_tci_outer, 0);
}

TEST(mbuf, MB_07_append_and_prepend_up_to_the_last_byte)
{
    struct mbuf *m = mbuf_alloc(open_pool());

    CHECK(mbuf_append(m, 2048) == (char *)m->buf_addr + 128);
    CHECK(mbuf_append(m, 1) == NULL);
    CHECK(mbuf_prepend(m, 128) == m->buf_addr);
    CHECK(mbuf_prepend(m, 1) == NULL);
    CHECK_EQ(m->data_len, 2176);
    CHECK_EQ(m->pkt_len, 2176);
    CHECK(mbuf_append(m, UINT32_MAX) == NULL);
    CHECK(mbuf_prepend(m, UINT32_MAX) == NULL);
}

TEST(mbuf, MB_08_adj_and_trim_down_to_nothing)
{
    struct mbuf *m = mbuf_alloc(open_pool());

    CHECK(mbuf_append(m, 2048) != NULL);
    CHECK(mbuf_prepend(m, 128) != NULL);
    CHECK(mbuf_adj(m, 2176) != NULL);
    CHECK(mbuf_adj(m, 1) == NULL);
    CHECK(!mbuf_trim(m, 1));
    CHECK_EQ(m->data_off, 2176);
    CHECK_EQ(m->pkt_len, 0);
    CHECK(mbuf_adj(m, UINT32_MAX) == NULL);
    CHECK(!mbuf_trim(m, UINT32_MAX));
}

TEST(mbuf, MB_30_headroom_of_a_small_buffer)
{
    struct mbuf *m;

    open_pool();
    m = mbuf_alloc(pool_of("small", 8, 100));
    CHECK_EQ(m->data_off, 100);
    CHECK_EQ(mbuf_tailroom(m), 0);
    CHECK(mbuf_append(m, 1) == NULL);
}

TEST(mbuf, private_part_lies_between_header_and_data)
{
    const struct mempool_config config = {
        .name = "priv", .count = 8, .data_room = 256, .private_bytes = 24
    };
    struct mempool *p;
    struct mbuf *m;

    open_pool();
    p = mempool_create(&config);
    m = mbuf_alloc(p);
    CHECK_EQ(m->priv_size, 24);
    CHECK((char *)m->buf_addr == (char *)m + 128 + 24);
    memset(m + 1, 0xFF, 24 + 256); /* all of it is ours */
    mbuf_free(m);
    CHECK_EQ(mempool_destroy(p), OK);
}

/* What receive, forward and reclaim call leaves line 1 alone. */
TEST(mbuf, MB_31_receive_and_free_never_write_line_1)
{
    struct mempool *p = open_pool();
    uint8_t line1[64];
    struct mbuf *m;

    for (unsigned i = 0; i < 3; i++) {
        CHECK_EQ(mempool_get_bulk(p, &m, 1), OK);
        memset((uint8_t *)m + 64, 0xA5, 64);
        m->priv_size = 0; /* the one field that has a meaning */
        memcpy(line1, (uint8_t *)m + 64, 64);
        m->rearm = mbuf_rearm_word(0);
        m->ol_flags = 0;
        m->pkt_len = m->data_len = 60;
        if (i == 1)
            mbuf_reset(m);
        if (i == 2)
            mbuf_free_bulk(&m, 1);
        else
            mbuf_free(m);
        CHECK_BYTES((uint8_t *)m + 64, line1, 64);
    }
}

/* ---- checks ---- */

static void check_fault(const struct mbuf *m, const char *expected)
{
    const char *reason;

    CHECK(!mbuf_check(m, &reason));
    CHECK_STR(reason, expected);
}

TEST(mbuf, MB_23_every_broken_field_has_its_reason)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), good;

    CHECK(mbuf_append(m, 100) != NULL);
    good = *m;
    check_fault(NULL, "no packet");
    m->pool = NULL;
    check_fault(m, "no pool");
    *m = good, m->buf_addr = NULL;
    check_fault(m, "no buffer");
    *m = good, m->refcnt = 0;
    check_fault(m, "reference count 0");
    *m = good, m->refcnt = 65535;
    check_fault(m, "reference count 65535");
    *m = good, m->data_len = 101;
    check_fault(m, "first segment longer than the packet");
    *m = good, m->data_off = 2177;
    check_fault(m, "data starts behind the buffer");
    *m = good, m->data_off = 2077;
    check_fault(m, "data ends behind the buffer");
    *m = good, m->nb_segs = 2;
    check_fault(m, "fewer segments than counted");
    *m = good, m->nb_segs = 0;
    check_fault(m, "more segments than counted");
    *m = good, m->next = m; /* a loop ends too */
    check_fault(m, "more segments than counted");
    *m = good, m->pkt_len = 101;
    check_fault(m, "packet length is not the sum of its segments");
    *m = good;
    mbuf_assert(m);
    m->pkt_len = 101;
    CHECK_PANICS(mbuf_assert(m));
    CHECK_CONTAINS(host_panic_text, "is not the sum of its segments");
}

static void check_raw_fault(const struct mbuf *m, const struct mempool *p,
                            const char *expected)
{
    const char *reason;

    CHECK(!mbuf_raw_check(m, p, &reason));
    CHECK_STR(reason, expected);
}

TEST(mbuf, MB_24_every_broken_raw_field_has_its_reason)
{
    struct mempool *p = open_pool();
    struct mbuf *m = mbuf_alloc(p), good = *m;

    m->refcnt = 2;
    check_raw_fault(m, p, "a reference count other than 1");
    *m = good, m->next = m;
    check_raw_fault(m, p, "a next segment");
    *m = good, m->nb_segs = 2;
    check_raw_fault(m, p, "a segment count other than 1");
    *m = good;
    check_raw_fault(m, NULL, "another pool");
    m->ol_flags = MBUF_F_INDIRECT;
    check_raw_fault(m, p, "bytes that are not its own");
    m->ol_flags = MBUF_F_EXTERNAL;
    check_raw_fault(m, p, "bytes that are not its own");
    *m = good, m->buf_addr = (char *)m->buf_addr + 1;
    check_raw_fault(m, p, "a moved buffer address");
}
