/*
 * xl710_dry_test.c - receive queues that get nothing are named, once
 */
#include <stdio.h>

#include <millrace/port.h>

#include "drivers/xl710/nic.h"
#include "tests/fake/xl710_bench.h"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define QUEUES 4
#define MUCH   100000

static const struct host_nic_config one_port;

static void begin(struct bench *b, unsigned queues)
{
    bench_open(b, &one_port);
    b->config.rx_desc = b->config.tx_desc = 64;
    b->config.tx_rs_thresh = b->config.tx_free_thresh = 16;
    b->config.queues = (uint16_t)queues;
    bench_start(b);
}

/* So many packets more in @queue; then housekeeping has its look. */
static void count(unsigned queue, unsigned packets)
{
    nic_of(0)->rxq[queue].stats.packets += packets;
    host_advance_us(1000001);
    port_poll_all();
}

/* How often the log called @queue dry since it was asked last. */
static unsigned dry(unsigned queue)
{
    const char *p = host_console_text();
    char words[40];
    unsigned n = 0;

    snprintf(words, sizeof(words), "receive queue %u stays dry", queue);
    while ((p = strstr(p, words)) != NULL) {
        p += strlen(words);
        n++;
    }
    return n;
}

/* D1: and those beside it are not. */
TEST(xl710_dry, a_queue_is_named_once_when_others_got_much)
{
    struct bench b;

    begin(&b, QUEUES);
    for (unsigned q = 0; q < 3; q++)
        count(q, MUCH / 3);
    CHECK_EQ(dry(3), 0);
    count(0, 1);
    CHECK_EQ(dry(3), 1);
    CHECK_CONTAINS(host_console_text(),
                   "128 entries of the hash table are its own, and it got none "
                   "of the last 100000 packets");
    for (unsigned i = 0; i < 10; i++)
        for (unsigned q = 0; q < 3; q++)
            count(q, MUCH / 3);
    CHECK_EQ(dry(3), 1);
    for (unsigned q = 0; q < 3; q++)
        CHECK_EQ(dry(q), 0);
    bench_close(&b);
}

/* D2: one packet is enough. */
TEST(xl710_dry, a_queue_that_got_one_and_dries_again_is_named_again)
{
    struct bench b;

    begin(&b, 2);
    count(0, MUCH);
    CHECK_EQ(dry(1), 1);
    count(1, 1);
    count(0, MUCH - 1);
    CHECK_EQ(dry(1), 1);
    count(0, 1);
    CHECK_EQ(dry(1), 2);
    bench_close(&b);
}

TEST(xl710_dry, what_was_switched_off_or_sent_nothing_is_not_named)
{
    static uint8_t table[PORT_RETA_MAX];
    struct port_rss rss;
    struct bench b;

    begin(&b, 3);
    CHECK_EQ(port_rxq_stop(0, 2), OK);
    CHECK_EQ(port_reta_update(0, table, PORT_RETA_MAX), OK);
    for (unsigned i = 0; i < 3; i++)
        count(0, MUCH);
    CHECK_EQ(dry(1) + dry(2), 0);
    /* From now on it has a share, and what came before is not held against it. */
    table[5] = 1;
    CHECK_EQ(port_reta_update(0, table, PORT_RETA_MAX), OK);
    count(0, MUCH - 1);
    CHECK_EQ(dry(1), 0);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    rss.types = 0;
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    count(0, MUCH);
    CHECK_EQ(dry(1) + dry(2), 0);
    bench_close(&b);
}

TEST(xl710_dry, one_queue_and_a_stopped_port_have_none)
{
    struct bench b;

    begin(&b, 1);
    count(0, 2 * MUCH);
    CHECK_EQ(dry(0), 0);
    CHECK_EQ(port_stop(0), OK);
    b.config.queues = 2;
    bench_start(&b);
    count(0, MUCH - 1);
    CHECK_EQ(port_stop(0), OK);
    count(0, MUCH);
    CHECK_EQ(port_start(0), OK);
    count(0, MUCH - 1);
    CHECK_EQ(dry(1), 0);
    bench_close(&b);
}
