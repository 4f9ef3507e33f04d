/*
 * xl710_bench.c - driver and chip model together, ready to run packets
 */
#include <millrace/clock.h>

#include "drivers/xl710/xl710.h"
#include "mm/dma.h"
#include "mm/frame.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define POOL_BUFFERS  4096
#define RING          256
#define WARM_BLOCKS   1024
#define STEP_US       10
#define HOUSEKEEP_US  10000
#define WRITE_BACK_US 100 /* a lone packet must be visible by then */

static uint64_t memory_at_open;

uint64_t bench_memory_used(void)
{
    struct frame_stats s;

    frame_stats_get(&s);
    return s.used;
}

/* Records of the allocator stay its own once it has needed them. */
static void warm_allocator(void)
{
    static void *block[WARM_BLOCKS];

    for (unsigned i = 0; i < WARM_BLOCKS; i++)
        block[i] = dma_alloc(64, 64, "warm");
    for (unsigned i = 0; i < WARM_BLOCKS; i++)
        dma_free(block[i]);
}

void bench_open_chip(const struct host_nic_config *config)
{
    ring_machine_open();
    warm_allocator();
    host_nic_open(config);
    memory_at_open = bench_memory_used();
}

void bench_open(struct bench *b, const struct host_nic_config *config)
{
    const unsigned ports = config->ports == 0 ? 1 : config->ports;

    bench_open_chip(config);
    for (unsigned i = 0; i < ports; i++)
        CHECK_EQ(xl710_attach(host_nic_device(i)), OK);
    b->pool = ring_pool("bench", POOL_BUFFERS);
    b->config = (struct port_config) { .rx_desc = RING,
                                       .tx_desc = RING,
                                       .tx_rs_thresh = 32,
                                       .tx_free_thresh = 32,
                                       .promiscuous = true,
                                       .pool = b->pool };
}

void bench_start(struct bench *b)
{
    for (unsigned i = 0; i < port_count(); i++) {
        CHECK_EQ(port_configure(i, &b->config), OK);
        CHECK_EQ(port_start(i), OK);
    }
}

void bench_check_silence(void)
{
    if (host_nic_complaints() != 0)
        print_error("%s%s", host_nic_complaint_text(), host_console_text());
    CHECK_EQ(host_nic_complaints(), 0);
    CHECK_EQ(host_nic_bad_dma(), 0);
    CHECK_EQ(host_nic_interrupts(), 0);
}

unsigned bench_out(const struct bench *b)
{
    return mempool_count(b->pool) - mempool_available(b->pool);
}

void bench_close(struct bench *b)
{
    xl710_forget_all();
    CHECK_EQ(bench_out(b), 0);
    CHECK_EQ(mempool_destroy(b->pool), OK);
    CHECK_EQ(bench_memory_used(), memory_at_open);
    bench_check_silence();
    host_nic_close();
}

void bench_run_us(uint64_t us)
{
    static uint64_t since;

    while (us > 0) {
        const uint64_t step = us < STEP_US ? us : STEP_US;

        host_advance_us(step);
        us -= step;
        since += step;
        if (since >= HOUSEKEEP_US) {
            since = 0;
            port_poll_all();
        }
    }
}

void bench_frame(uint8_t *frame, unsigned bytes, unsigned seed)
{
    uint32_t v = seed * 2654435761u + bytes;

    for (unsigned i = 0; i < bytes; i++) {
        v = v * 1664525 + 1013904223;
        frame[i] = (uint8_t)(v >> 24);
    }
    frame[0] &= 0xFE; /* unicast */
    frame[12] = 0x88; /* local experimental */
    frame[13] = 0xB5;
}

unsigned bench_receive(unsigned port, struct mbuf *pkts[], unsigned max)
{
    struct port_rxq *q = port_rxq_get(port, 0);
    unsigned n = port_rx_burst(q, pkts, max);

    for (unsigned us = 0; n < max && us < WRITE_BACK_US; us += STEP_US) {
        host_advance_us(STEP_US);
        n += port_rx_burst(q, pkts + n, max - n);
    }
    return n;
}

bool bench_same(const struct mbuf *m, const uint8_t *frame, unsigned bytes)
{
    unsigned at = 0;

    if (m->pkt_len != bytes)
        return false;
    for (; m != NULL; m = m->next) {
        if (at + m->data_len > bytes ||
            memcmp(mbuf_data(m), frame + at, m->data_len) != 0)
            return false;
        at += m->data_len;
    }
    return at == bytes;
}
