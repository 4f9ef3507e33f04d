/*
 * mbuf_pinned_test.c - buffers whose bytes are outside for good: S4 of
 * mbuf_share.c
 */
#include "mm/frame.h"
#include "tests/unit/mbuf_rig.h"

enum { BUFFERS = 8, ROOM = 1024 };

static char *outside;
static struct mempool *clones;

static struct mempool *open_pinned(unsigned private_bytes)
{
    struct mempool_config config = { .name = "pinned",
                                     .count = BUFFERS,
                                     .data_room = ROOM,
                                     .private_bytes = private_bytes,
                                     .external_bytes = BUFFERS * ROOM };
    struct mempool *p;

    memory_open();
    outside = frame_alloc(BUFFERS * ROOM, 0, "outside");
    memset(outside, 0x11, BUFFERS * ROOM);
    config.external = outside;
    p = mempool_create(&config);
    CHECK(p != NULL);
    clones = pool_of("clones", 16, 0);
    return p;
}

static void check_home(struct mempool *p)
{
    struct mbuf *m[BUFFERS];
    const char *reason = "";

    CHECK_EQ(mempool_available(p), BUFFERS);
    CHECK_EQ(mempool_get_bulk(p, m, BUFFERS), OK);
    for (unsigned i = 0; i < BUFFERS; i++)
        if (!mbuf_raw_check(m[i], p, &reason))
            CHECK_STR(reason, "");
    mempool_put_bulk(p, m, BUFFERS);
}

TEST(mbuf_pinned, MB_19_free_and_allocate_again)
{
    for (unsigned private_bytes = 0; private_bytes <= 24; private_bytes += 24) {
        struct mempool *p = open_pinned(private_bytes);
        struct mbuf *m = mbuf_alloc(p), *again;
        struct mempool_stats s;

        CHECK(m->buf_addr == outside);
        CHECK_EQ(m->buf_len, ROOM);
        CHECK_EQ(m->priv_size, private_bytes);
        CHECK_EQ(m->ol_flags, MBUF_F_EXTERNAL);
        CHECK_EQ(m->shinfo->refcnt, 1);
        CHECK(mbuf_append(m, ROOM - MBUF_HEADROOM) == outside + 128);
        CHECK(mbuf_append(m, 1) == NULL);
        check_good(m);
        mbuf_free(m);
        /* its release would have put it once more */
        mempool_stats_get(p, 0, &s);
        CHECK_EQ(s.put_calls, 1);
        again = mbuf_alloc(p);
        CHECK(again == m);
        CHECK(again->buf_addr == outside);
        CHECK_EQ(again->ol_flags, MBUF_F_EXTERNAL);
        CHECK_EQ(again->shinfo->refcnt, 1);
        CHECK_EQ(again->data_len, 0);
        mbuf_free(again);
        check_home(p);
        CHECK_EQ(mempool_destroy(p), OK);
    }
}

TEST(mbuf_pinned, every_buffer_has_its_own_bytes)
{
    struct mempool *p = open_pinned(0);
    struct mbuf *m[BUFFERS];

    CHECK_EQ(mbuf_alloc_bulk(p, m, BUFFERS), OK);
    for (unsigned i = 0; i < BUFFERS; i++)
        CHECK(m[i]->buf_addr == outside + i * ROOM);
    mbuf_free_bulk(m, BUFFERS);
    check_home(p);
}

/* The last to see the bytes brings the header home. */
TEST(mbuf_pinned, MB_19_clones_in_every_order_of_frees)
{
    static const uint8_t orders[6][3] = {
        { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
        { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 }
    };

    for (unsigned order = 0; order < 6; order++) {
        struct mempool *p = open_pinned(16);
        struct mbuf *m[3];

        m[0] = mbuf_alloc(p);
        CHECK(mbuf_append(m[0], 100) != NULL);
        CHECK_EQ(mbuf_chain(m[0], mbuf_alloc(p)), OK);
        m[1] = mbuf_clone(m[0], clones);
        m[2] = mbuf_clone(m[1], clones); /* of a clone: the root's bytes */
        CHECK_EQ(m[0]->shinfo->refcnt, 3);
        CHECK(m[2]->buf_addr == outside);
        for (unsigned i = 0; i < 3; i++) {
            CHECK_EQ(mempool_available(p), BUFFERS - 2);
            mbuf_free(m[orders[order][i]]);
        }
        check_home(p);
        CHECK_EQ(mempool_available(clones), 16);
    }
}

TEST(mbuf_pinned, held_header_stays_out_after_its_clones)
{
    struct mempool *p = open_pinned(0);
    struct mbuf *m = mbuf_alloc(p), *c;

    mbuf_hold(m);
    c = mbuf_clone(m, clones);
    mbuf_free(m);
    mbuf_free(c);
    CHECK_EQ(mempool_available(p), BUFFERS - 1);
    CHECK_EQ(m->refcnt, 1);
    mbuf_free(m);
    check_home(p);
}

TEST(mbuf_pinned, copies_go_in_and_out)
{
    struct mempool *p = open_pinned(0);
    struct mbuf *m = mbuf_alloc(p), *out, *in;
    const char *bytes;

    memset(mbuf_append(m, 300), 0x42, 300);
    out = mbuf_copy(m, pool_of("copies", 4, MBUF_DATA_ROOM), 0, 300);
    CHECK(mbuf_is_direct(out));
    in = mbuf_copy(out, p, 0, 300);
    check_good(in);
    bytes = mbuf_read(in, 299, 1, NULL);
    CHECK_EQ(*bytes, 0x42);
    CHECK(bytes >= outside && bytes < outside + BUFFERS * ROOM);
    mbuf_free(m);
    mbuf_free(in);
    check_home(p);
}

/* ---- refusals ---- */

TEST(mbuf_pinned, detaching_and_attaching_panic)
{
    struct mempool *p = open_pinned(0);
    struct mbuf *m = mbuf_alloc(p), *other = mbuf_alloc(p);

    CHECK_PANICS(mbuf_detach(m));
    CHECK_CONTAINS(host_panic_text, "its bytes are pinned");
    CHECK_PANICS(mbuf_attach(m, other));
    CHECK_PANICS(mbuf_attach_external(m, outside, 10, other->shinfo));
}

TEST(mbuf_pinned, MB_24_raw_faults_have_their_reasons)
{
    struct mempool *p = open_pinned(0);
    struct mbuf *m = mbuf_alloc(p), good = *m;
    const char *reason;

    m->ol_flags = 0;
    CHECK(!mbuf_raw_check(m, p, &reason));
    CHECK_STR(reason, "no pinned bytes");
    *m = good, m->shinfo = NULL;
    CHECK(!mbuf_raw_check(m, p, &reason));
    CHECK_STR(reason, "a moved share count");
    *m = good, m->shinfo->refcnt = 2;
    CHECK(!mbuf_raw_check(m, p, &reason));
    CHECK_STR(reason, "bytes that others see");
    m->shinfo->refcnt = 1;
    CHECK(mbuf_raw_check(m, p, &reason));
}

static void refused(struct mempool_config config, const char *reason)
{
    host_console_clear();
    CHECK(mempool_create(&config) == NULL);
    CHECK_CONTAINS(host_console_text(), reason);
}

TEST(mbuf_pinned, memory_that_cannot_be_is_refused)
{
    struct mempool_config good = { .name = "p",
                                   .count = BUFFERS,
                                   .data_room = ROOM,
                                   .external_bytes = BUFFERS * ROOM };
    struct mempool_config c;

    open_pinned(0);
    good.external = outside;
    c = good, c.external = NULL;
    refused(c, "its memory has no address");
    c = good, c.external_bytes--;
    refused(c, "the memory for pinned buffers is too small");
    c = good, c.external = outside + 8;
    refused(c, "do not start on lines of their own");
    c = good, c.data_room = 100;
    refused(c, "do not start on lines of their own");
    c = good, c.data_room = 0;
    refused(c, "pinned buffers have no bytes");
    CHECK(mempool_create(&good) != NULL);
}
