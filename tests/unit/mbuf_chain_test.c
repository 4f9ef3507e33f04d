/*
 * mbuf_chain_test.c - packets of several segments, and copies of their bytes
 */
#include "tests/unit/mbuf_rig.h"

/* A one-segment packet of @len bytes that count up from @first. */
static struct mbuf *packet(struct mempool *p, unsigned len, unsigned first)
{
    struct mbuf *m = mbuf_alloc(p);
    uint8_t *bytes = mbuf_append(m, len);

    CHECK(bytes != NULL);
    for (unsigned i = 0; i < len; i++)
        bytes[i] = (uint8_t)(first + i);
    return m;
}

/* @n segments of @len bytes; the bytes of the packet count up from 0. */
static struct mbuf *chain_of(struct mempool *p, unsigned n, unsigned len)
{
    struct mbuf *head = packet(p, len, 0);

    for (unsigned i = 1; i < n; i++)
        CHECK_EQ(mbuf_chain(head, packet(p, len, i * len)), OK);
    return head;
}

static void check_counts_up(const struct mbuf *m, unsigned first, unsigned len)
{
    uint8_t copy[4096];
    const uint8_t *bytes = mbuf_read(m, 0, len, copy);

    CHECK_EQ(m->pkt_len, len);
    CHECK(bytes != NULL);
    for (unsigned i = 0; i < len; i++)
        CHECK_EQ(bytes[i], (uint8_t)(first + i));
}

TEST(mbuf_chain, MB_10_chain_built_back_to_front)
{
    struct mempool *p = open_pool();
    struct mbuf *m[3];

    for (unsigned i = 0; i < 3; i++)
        m[i] = packet(p, 500, i * 500);
    CHECK_EQ(mbuf_chain(m[1], m[2]), OK);
    CHECK_EQ(m[1]->nb_segs, 2);
    CHECK_EQ(mbuf_chain(m[0], m[1]), OK);
    CHECK_EQ(m[0]->nb_segs, 3);
    CHECK_EQ(m[0]->pkt_len, 1500);
    CHECK(mbuf_last(m[0]) == m[2]);
    check_good(m[0]);
    check_counts_up(m[0], 0, 1500);
    mbuf_free(m[0]);
    CHECK_EQ(mempool_available(p), 1023);
}

/* A chain cut by hand, its middle segment with the count it had as a head. */
TEST(mbuf_chain, MB_11_cut_chain_goes_back_clean)
{
    struct mempool *p = open_pool();
    struct mbuf *m[3], *raw[1023];
    const char *reason;

    for (unsigned i = 0; i < 3; i++)
        m[i] = packet(p, 500, 0);
    m[1]->next = m[2];
    m[1]->nb_segs = 2;
    m[0]->next = m[1];
    m[0]->nb_segs = 2;
    m[0]->pkt_len = 1000;
    m[1]->next = NULL;
    mbuf_free(m[0]);
    mbuf_free(m[2]);
    CHECK_EQ(mempool_available(p), 1023);
    CHECK_EQ(mempool_get_bulk(p, raw, 1023), OK);
    for (unsigned i = 0; i < 1023; i++)
        CHECK(mbuf_raw_check(raw[i], p, &reason));
}

TEST(mbuf_chain, MB_12_too_many_segments_are_refused_unchanged)
{
    struct mempool *p;
    struct mbuf *head, *tail;

    open_pool();
    p = pool_of("many", 65537, 8);
    head = mbuf_alloc(p);
    for (struct mbuf *last = head; head->nb_segs < 65535; head->nb_segs++) {
        last->next = mbuf_alloc(p);
        last = last->next;
    }
    tail = mbuf_alloc(p);
    CHECK_EQ(mbuf_chain(head, tail), E_OVERFLOW);
    CHECK_EQ(head->nb_segs, 65535);
    CHECK_EQ(tail->nb_segs, 1);
    check_good(head);
    check_good(tail);
    mbuf_free(head);
    mbuf_free(tail);
    CHECK_EQ(mempool_available(p), 65537);
}

TEST(mbuf_chain, append_and_trim_work_on_the_last_segment)
{
    struct mbuf *m = chain_of(open_pool(), 3, 100);
    uint8_t *end = mbuf_append(m, 7);

    CHECK(end == (uint8_t *)mbuf_data(mbuf_last(m)) + 100);
    CHECK_EQ(m->pkt_len, 307);
    CHECK(mbuf_trim(m, 107));
    CHECK(!mbuf_trim(m, 1)); /* the last one is empty */
    CHECK_EQ(m->pkt_len, 200);
    CHECK(mbuf_adj(m, 100) != NULL);
    CHECK(mbuf_adj(m, 1) == NULL); /* the first one too */
    check_good(m);
}

/* ---- read ---- */

TEST(mbuf_chain, read_in_one_segment_is_in_place)
{
    struct mbuf *m = chain_of(open_pool(), 3, 100);
    uint8_t copy[300];

    CHECK(mbuf_read(m, 10, 90, copy) == (uint8_t *)mbuf_data(m) + 10);
    CHECK(mbuf_read(m, 0, 0, copy) != NULL);
}

TEST(mbuf_chain, read_across_segments_copies)
{
    struct mbuf *m = chain_of(open_pool(), 3, 100);
    uint8_t copy[300];

    for (uint32_t offset = 0; offset < 300; offset += 7) {
        for (uint32_t len = 1; offset + len <= 300; len += 13) {
            const uint8_t *got = mbuf_read(m, offset, len, copy);

            CHECK_EQ(got[0], (uint8_t)offset);
            CHECK_EQ(got[len - 1], (uint8_t)(offset + len - 1));
        }
    }
}

TEST(mbuf_chain, MB_28_MEM_10_read_past_the_end_never_wraps)
{
    struct mbuf *m = packet(open_pool(), 100, 0);
    uint8_t copy[8];

    CHECK(mbuf_read(m, 1, 0xFFFFFFFF, copy) == NULL);
    CHECK(mbuf_read(m, 0xFFFFFFFF, 1, copy) == NULL);
    CHECK(mbuf_read(m, 0xFFFFFFFF, 0xFFFFFFFF, copy) == NULL);
    CHECK(mbuf_read(m, 100, 1, copy) == NULL);
    CHECK(mbuf_read(m, 99, 2, copy) == NULL);
    CHECK(mbuf_read(m, 100, 0, copy) != NULL);
}

/* ---- copy ---- */

TEST(mbuf_chain, MB_29_copy_at_and_behind_the_end)
{
    struct mempool *p = open_pool();
    struct mbuf *m = packet(p, 100, 0), *copy;

    copy = mbuf_copy(m, p, 100, 50);
    CHECK(copy != NULL);
    CHECK_EQ(copy->pkt_len, 0);
    check_good(copy);
    mbuf_free(copy);
    CHECK(mbuf_copy(m, p, 101, 50) == NULL);
    CHECK(mbuf_copy(m, p, 0xFFFFFFFF, 0xFFFFFFFF) == NULL);
    mbuf_free(m);
    CHECK_EQ(mempool_available(p), 1023);
}

TEST(mbuf_chain, copy_takes_bytes_and_header)
{
    struct mempool *p = open_pool();
    struct mbuf *m = chain_of(p, 3, 100), *copy;

    m->port = 4;
    m->ol_flags = 0x10;
    m->hash.rss = 77;
    copy = mbuf_copy(m, p, 50, UINT32_MAX);
    check_good(copy);
    CHECK_EQ(copy->nb_segs, 1);
    check_counts_up(copy, 50, 250);
    CHECK_EQ(copy->port, 4);
    CHECK_EQ(copy->ol_flags, 0x10);
    CHECK_EQ(copy->hash.rss, 77);
    mbuf_free(m);
    check_counts_up(copy, 50, 250);
}

TEST(mbuf_chain, copy_into_smaller_buffers_makes_a_chain)
{
    struct mempool *p = open_pool();
    struct mempool *small = pool_of("small", 10, 128 + 40);
    struct mbuf *m = packet(p, 200, 0), *copy;

    copy = mbuf_copy(m, small, 3, 190);
    check_good(copy);
    CHECK_EQ(copy->nb_segs, 5); /* 4 * 40 + 30 */
    check_counts_up(copy, 3, 190);
    mbuf_free(copy);
    CHECK_EQ(mempool_available(small), 10);
}

/* Short of buffers half-way. */
TEST(mbuf_chain, MEM_04_failed_copy_takes_nothing)
{
    struct mempool *p = open_pool();
    struct mempool *small = pool_of("small", 4, 128 + 40);
    struct mempool *none = pool_of("none", 4, 128);
    struct mbuf *m = packet(p, 200, 0);

    CHECK(mbuf_copy(m, small, 0, 200) == NULL);
    CHECK_EQ(mempool_available(small), 4);
    CHECK(mbuf_copy(m, none, 0, 200) == NULL); /* no room in any buffer */
    CHECK_EQ(mempool_available(none), 4);
}

/* ---- linearize ---- */

TEST(mbuf_chain, MB_32_linearize_with_tailroom)
{
    struct mempool *p = open_pool();
    struct mbuf *m = chain_of(p, 3, 300);

    CHECK(mbuf_linearize(m));
    CHECK_EQ(m->nb_segs, 1);
    CHECK_EQ(m->data_len, 900);
    check_good(m);
    check_counts_up(m, 0, 900);
    CHECK_EQ(mempool_available(p), 1022);
    CHECK(mbuf_linearize(m)); /* nothing to do */
}

TEST(mbuf_chain, MB_32_linearize_without_tailroom_changes_nothing)
{
    struct mempool *p = open_pool();
    struct mbuf *m = chain_of(p, 3, 1000);

    CHECK(!mbuf_linearize(m));
    CHECK_EQ(m->nb_segs, 3);
    check_good(m);
    check_counts_up(m, 0, 3000);
}

TEST(mbuf_chain, linearize_never_writes_shared_bytes)
{
    struct mempool *p = open_pool();
    struct mbuf *m = chain_of(p, 2, 100);
    struct mbuf *clone = mbuf_clone(m, p);

    CHECK(!mbuf_linearize(m));
    CHECK(!mbuf_linearize(clone));
    mbuf_free(clone);
    CHECK(mbuf_linearize(m));
}
