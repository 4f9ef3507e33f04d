/*
 * xl710_tx_order_test.c - descriptors are visible before the doorbell is rung
 *
 * A machine that delays every store to the ring as long as it may: until the
 * barrier that orders memory before registers. The device sees what had left
 * by then, and reads its descriptors the moment the tail is written, as it may
 * when the register page is uncached or write-combining. The driver's source is
 * compiled here with the machine's two calls in the place of the host's.
 */
#include <millrace/plat.h>

static void stores_leave(void);
static void tail_written(volatile void *reg, uint32_t tail);

#define plat_dma_wmb()       stores_leave()
#define plat_write32(reg, v) tail_written(reg, v)
#include "drivers/xl710/rx.c"
#undef RING_ALIGN
#include "drivers/xl710/tx.c"
#undef plat_dma_wmb
#undef plat_write32

#include "tests/unit/xl710_tx_rig.h"

static struct tx_desc seen[TX_DESC_MAX]; /* the ring as the device sees it */
static unsigned device_at;
static unsigned doorbells, stale;

static void stores_leave(void)
{
    if (q.ring != NULL)
        memcpy(seen, q.ring, q.n * sizeof(*seen));
}

static void tail_written(volatile void *reg, uint32_t tail)
{
    (void)reg;
    CHECK(tail < q.n);
    doorbells++;
    for (; device_at != tail; device_at = (device_at + 1) % q.n)
        if (memcmp(&seen[device_at], &q.ring[device_at], sizeof(*seen)) != 0)
            stale++;
}

static void begin(void)
{
    open_queue(128, 32, 32);
    q.report_bursts = true;
    device_at = doorbells = stale = 0;
    stores_leave();
}

TEST(xl710_tx_order, TX_28_descriptors_leave_before_the_tail_is_written)
{
    begin();
    for (unsigned round = 0; round < 100; round++) {
        CHECK_EQ(send(1 + round * 7 % 60), 1 + round * 7 % 60);
        CHECK_EQ(send_one(ring_packet(pool, 900, 5)), 1);
        complete_all();
        port_tx_idle(&q);
    }
    CHECK_EQ(doorbells, 200);
    CHECK_EQ(stale, 0);
    CHECK_EQ(out_of_pool(), 0);
}

/* The model can tell: without the barrier the device reads what was before. */
TEST(xl710_tx_order, TX_28_the_model_sees_a_missing_barrier)
{
    begin();
    q.ring[0].qw1 = TXD_SIZE(60);
    tail_written(NULL, 1);
    CHECK_EQ(stale, 1);
}
