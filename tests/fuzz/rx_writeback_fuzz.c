/*
 * rx_writeback_fuzz.c - a NIC that writes any descriptor back to the driver
 *
 * Bursts: how many descriptors (1), their quadwords 1 (8 each). Whatever they
 * say, packets are whole, buffers are accounted for, and none is lost.
 */
#include <millrace/port.h>

#include "drivers/xl710/rx.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"

#define RING    64
#define BUFFERS 256

static struct port_rxq q;

static void check_packet(const struct mbuf *m)
{
    unsigned segments = 0, bytes = 0;

    for (const struct mbuf *s = m; s != NULL; s = s->next) {
        FUZZ_CHECK(++segments <= RX_SEGMENTS_MAX);
        FUZZ_CHECK(s->data_len > 0 && s->data_len <= RX_BUFFER_BYTES);
        FUZZ_CHECK(s->data_off + s->data_len <= s->buf_len);
        FUZZ_CHECK(s->refcnt == 1);
        bytes += s->data_len;
    }
    FUZZ_CHECK(m->nb_segs == segments && m->pkt_len == bytes);
}

static unsigned segments_of(const struct mbuf *m)
{
    unsigned n = 0;

    for (; m != NULL; m = m->next)
        n++;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    struct mempool *pool;
    unsigned head = 0;

    host_reset();
    ring_machine_open();
    pool = ring_pool("fuzz", BUFFERS);
    memset(&q, 0, sizeof(q));
    if (rx_ring_alloc(&q, RING) != OK)
        abort();
    q.tail_reg = ring_tail_register();
    if (rx_ring_fill(&q, pool) != OK)
        abort();
    plat_write32(q.tail_reg, q.post);
    while (in.left > 0) {
        struct mbuf *pkts[32];
        unsigned n = 1 + (unsigned)fuzz_take(&in, 1) % RING;

        for (; n > 0 && head != ring_tail_value(); n--) {
            q.ring[head].qw0 = UINT64_C(0x1234) << 48;
            q.ring[head].qw1 = fuzz_take(&in, 8) | 1; /* DD */
            head = (head + 1) % RING;
        }
        while ((n = port_rx_burst(&q, pkts, 32)) > 0) {
            for (unsigned i = 0; i < n; i++)
                check_packet(pkts[i]);
            mbuf_free_bulk(pkts, n);
        }
        /* What is not the NIC's is one frame under construction. */
        FUZZ_CHECK(mempool_count(pool) - mempool_available(pool) ==
                   q.owned + segments_of(q.first));
    }
    rx_ring_drain(&q);
    FUZZ_CHECK(mempool_available(pool) == mempool_count(pool));
    rx_ring_free(&q);
    mm_close();
    return 0;
}
