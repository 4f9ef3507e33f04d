/*
 * chip_wire_test.c - a wire that is not always ready holds transmit back
 */
#include "tests/unit/chip_rig.h"

static unsigned room; /* frames the wire takes before it wants a pause */

static bool has_room(void *ctx, unsigned port)
{
    (void)ctx;
    CHECK_EQ(port, 0);
    return rig.frames < room;
}

static void send_some(unsigned n)
{
    uint8_t frame[100] = { 0 };

    put_eth(frame, 0x9000);
    for (unsigned i = 0; i < n; i++)
        tx_put_data(frame, 60 + i, D_LAST);
    tx_ring();
}

static void up(void)
{
    rig_tx_ready();
    rig.chip->host.wire_ready = has_room;
}

TEST(chip_wire, packets_wait_in_the_ring_while_the_wire_is_busy)
{
    up();
    room = 3;
    send_some(10);
    CHECK_EQ(rig.frames, 3);
    CHECK(tx_is_done(2));
    CHECK(!tx_is_done(3));
    CHECK_EQ(reg_r(R_QTX_HEAD), 3);
    CHECK_EQ(chip_poll(rig.chip, 32), 0);
    room = 8;
    CHECK_EQ(chip_poll(rig.chip, 32), 5);
    room = 100;
    CHECK_EQ(chip_poll(rig.chip, 32), 2);
    CHECK_EQ(rig.frames, 10);
    for (unsigned i = 0; i < 10; i++)
        CHECK_EQ(rig.frame[i].len, 60 + i);
    CHECK_STR(rig.rules, "");
}

TEST(chip_wire, a_dead_link_is_never_busy)
{
    up();
    room = 0;
    chip_link_set(rig.chip, 0, false);
    send_some(4);
    CHECK_EQ(rig.frames, 0);
    CHECK(tx_is_done(3));
    CHECK_EQ(rig_port_stats()->TDOLD[0], 4);
}
