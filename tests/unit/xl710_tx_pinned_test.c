/*
 * xl710_tx_pinned_test.c - packets whose bytes are pinned, on their way out
 */
#include <millrace/port.h>

#include "drivers/xl710/tx.h"
#include "mm/frame.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

enum { BUFFERS = 64, ROOM = 256 };

static struct mempool *open_pinned(void)
{
    struct mempool_config config = { .name = "pinned",
                                     .count = BUFFERS,
                                     .data_room = ROOM,
                                     .external_bytes = BUFFERS * ROOM };

    ring_machine_open();
    config.external = frame_alloc(config.external_bytes, 0, "outside");
    return mempool_create(&config);
}

/* What replaces a packet that the chip cannot send is pinned like it. */
TEST(xl710_tx_pinned, a_copy_goes_home_as_it_came)
{
    struct mempool *pool = open_pinned();
    struct port_txq q = { .port = 0 };
    struct mbuf *m, *all[BUFFERS];
    const char *reason = "";

    CHECK_EQ(tx_ring_alloc(&q, 64, 32, 32), OK);
    q.tail_reg = ring_tail_register();
    m = ring_packet(pool, 1, 1);
    m->ol_flags = MBUF_F_EXTERNAL; /* ring_packet() clears it */
    for (unsigned i = 1; i < TX_SEGMENTS_MAX + 1; i++) {
        struct mbuf *more = mbuf_alloc(pool);

        CHECK(mbuf_append(more, 10) != NULL);
        CHECK_EQ(mbuf_chain(m, more), OK);
    }
    CHECK_EQ(port_tx_burst(&q, &m, 1), 1);
    CHECK_EQ(q.stats.copied, 1);
    tx_ring_drain(&q);
    CHECK_EQ(mempool_get_bulk(pool, all, BUFFERS), OK);
    for (unsigned i = 0; i < BUFFERS; i++)
        if (!mbuf_raw_check(all[i], pool, &reason))
            CHECK_STR(reason, "");
}
