/*
 * xl710_rss_test.c - where the chip model puts flows, and where arithmetic says
 */
#include <millrace/endian.h>
#include <millrace/port.h>
#include <millrace/toeplitz.h>

#include "drivers/xl710/nic.h"
#include "mm/mbuf.h"
#include "tests/fake/xl710_bench.h"
#include "tests/host/host.h"
#include "tests/unit/chip_frames.h"
#include "tests/unit/test.h"

#define FLOWS    200
#define FOR_EVER 0xFFFFFFFF
#define HKEY_0   0x244800
#define HLUT_3   (0x240000 + 3 * 0x80)

static const struct host_nic_config one_port;
static uint8_t frame[1514];

static void open_queues(struct bench *b, unsigned queues)
{
    bench_open(b, &one_port);
    b->config.rx_desc = b->config.tx_desc = 64;
    b->config.tx_rs_thresh = b->config.tx_free_thresh = 16;
    b->config.queues = (uint16_t)queues;
    bench_start(b);
}

/* ---- flows, and what is hashed of them ---- */

enum kind { UDP4, TCP4, OTHER4, UDP6, TCP6, OTHER6, L2, KINDS };

static const uint8_t protocol[] = { 17, 6, 47, 17, 6, 59 };

static bool has_ports(enum kind kind)
{
    return kind != OTHER4 && kind != OTHER6 && kind != L2;
}

/* Flow @n of @kind into frame[]; its hashed bytes to @flow. Both lengths. */
static size_t make_flow(enum kind kind, unsigned n, uint8_t *flow,
                        size_t *hashed)
{
    const bool is_v6 = kind >= UDP6;
    const unsigned addr = is_v6 ? 16 : 4;
    uint8_t *ip = frame + 14, *l4;

    memset(frame, 0, 100);
    if (kind == L2) {
        (void)put_eth(frame, 0x88B5);
        put_be16(flow, 0x88B5);
        *hashed = 2;
        return 100;
    }
    (void)put_eth(frame, is_v6 ? 0x86DD : 0x0800);
    l4 = ip + (is_v6 ? put_ipv6(ip, protocol[kind], 40)
                     : put_ipv4(ip, protocol[kind], 40));
    put_be32(ip + (is_v6 ? 20 : 12), 0x0A000000 + n * 2654435761u % 65536);
    put_be32(ip + (is_v6 ? 36 : 16), 0xC6120000 + n);
    if (!is_v6) {
        memset(ip + 10, 0, 2);
        put_be16(ip + 10, (uint16_t)~rfc1071(ip, 20, 0));
    }
    if (kind == TCP4 || kind == TCP6)
        (void)put_tcp(ip, l4, 20);
    else if (has_ports(kind))
        (void)put_udp(ip, l4, 32);
    if (has_ports(kind)) {
        put_be16(l4, (uint16_t)(1024 + 7 * n));
        put_be16(l4 + 2, 53);
    }
    memcpy(flow, ip + (is_v6 ? 8 : 12), 2 * addr);
    memcpy(flow + 2 * addr, l4, 4);
    *hashed = 2 * addr + (has_ports(kind) ? 4 : 0);
    return 14 + (is_v6 ? 40 : 20) + 40;
}

/* frame[] comes in: the queue it is found in, and its hash. */
static unsigned queue_of(size_t bytes, uint32_t *hash)
{
    struct port_info info;
    struct mbuf *m = NULL;
    unsigned found = UINT32_MAX;

    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK(host_nic_arrive(0, frame, bytes));
    host_advance_us(100);
    for (unsigned q = 0; q < info.rx_queues; q++) {
        if (port_rx_burst(port_rxq_get(0, q), &m, 1) != 1)
            continue;
        CHECK_EQ(found, UINT32_MAX);
        found = q;
        CHECK(bench_same(m, frame, (unsigned)bytes));
        *hash = m->hash.rss;
        mbuf_free(m);
    }
    CHECK(found != UINT32_MAX);
    return found;
}

static unsigned predict(const uint8_t *flow, size_t n, uint32_t *hash)
{
    uint8_t table[PORT_RETA_MAX];
    struct port_rss rss;
    const unsigned entries = port_reta_query(0, table);

    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    *hash = toeplitz_hash(rss.key, flow, n);
    return table[*hash % entries];
}

static void check_flow(enum kind kind, unsigned n)
{
    uint8_t flow[40];
    size_t hashed;
    const size_t bytes = make_flow(kind, n, flow, &hashed);
    uint32_t want_hash, hash;
    const unsigned want = predict(flow, hashed, &want_hash);

    CHECK_EQ(queue_of(bytes, &hash), want);
    CHECK_EQ(hash, want_hash);
}

static void check_flows(unsigned each)
{
    for (enum kind kind = 0; kind < KINDS; kind++)
        for (unsigned n = 0; n < each; n++)
            check_flow(kind, n);
}

/* ---- spread ---- */

TEST(xl710_rss, every_kind_of_flow_goes_where_key_and_table_say)
{
    struct bench b;
    struct port_queue_stats s;

    open_queues(&b, 4);
    check_flows(FLOWS);
    for (unsigned q = 0; q < 4; q++) {
        CHECK_EQ(port_queue_stats_get(0, q, &s), OK);
        CHECK(s.q_ipackets > 6 * FLOWS / 8); /* the key is a good one */
    }
    bench_close(&b);
}

TEST(xl710_rss, any_number_of_queues_is_spread_over)
{
    static const unsigned counts[] = { 2, 3, 5, 7, 8, 16, 31, 33, 63, 64 };
    struct bench b;

    open_queues(&b, 1);
    for (unsigned i = 0; i < ARRAY_SIZE(counts); i++) {
        CHECK_EQ(port_stop(0), OK);
        b.config.queues = (uint16_t)counts[i];
        bench_start(&b);
        check_flows(20);
    }
    bench_close(&b);
}

TEST(xl710_rss, one_queue_gets_all_and_nothing_is_hashed)
{
    struct bench b;
    uint8_t flow[40];
    uint32_t hash;
    size_t n;

    open_queues(&b, 2);
    CHECK_EQ(port_stop(0), OK);
    b.config.queues = 1;
    bench_start(&b);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        const size_t bytes = make_flow(kind, 3, flow, &n);

        CHECK_EQ(queue_of(bytes, &hash), 0);
        CHECK_EQ(hash, 0);
    }
    bench_close(&b);
}

/* ---- changes under traffic ---- */

TEST(xl710_rss, a_new_table_holds_at_once)
{
    struct bench b;
    uint8_t table[PORT_RETA_MAX], again[PORT_RETA_MAX];
    unsigned entries;

    open_queues(&b, 4);
    entries = port_reta_query(0, table);
    CHECK_EQ(entries, 512);
    for (unsigned i = 0; i < entries; i++)
        CHECK_EQ(table[i], i % 4);
    for (unsigned i = 0; i < entries; i++)
        table[i] = i < 300 ? 3 : 1;
    CHECK_EQ(port_reta_update(0, table, entries), OK);
    CHECK_EQ(port_reta_query(0, again), entries);
    CHECK_BYTES(again, table, entries);
    check_flows(50);
    CHECK_EQ(port_stop(0), OK); /* it outlives a stop */
    CHECK_EQ(port_start(0), OK);
    CHECK_EQ(port_reta_query(0, again), entries);
    CHECK_BYTES(again, table, entries);
    check_flows(50);

    CHECK_EQ(port_stop(0), OK); /* but not another number of queues */
    b.config.queues = 2;
    bench_start(&b);
    CHECK_CONTAINS(host_console_text(), "2 queues, the hash table was for 4");
    CHECK_EQ(port_reta_query(0, again), entries);
    for (unsigned i = 0; i < entries; i++)
        CHECK_EQ(again[i], i % 2);
    check_flows(20);
    bench_close(&b);
}

TEST(xl710_rss, a_new_key_holds_at_once)
{
    struct bench b;
    struct port_rss rss;

    open_queues(&b, 4);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    CHECK_EQ(rss.types, PORT_RSS_ALL);
    for (unsigned i = 0; i < sizeof(rss.key); i++)
        rss.key[i] = (uint8_t)(31 * i + 7);
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    check_flows(50);
    bench_close(&b);
}

TEST(xl710_rss, a_type_that_is_off_goes_to_queue_0)
{
    struct bench b;
    struct port_rss rss;
    uint8_t flow[40];
    uint32_t hash;
    size_t n;

    open_queues(&b, 4);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    rss.types = 1u << PORT_RSS_IPV4_UDP | 1u << PORT_RSS_IPV6_TCP;
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    CHECK_EQ(rss.types, 1u << PORT_RSS_IPV4_UDP | 1u << PORT_RSS_IPV6_TCP);
    for (unsigned i = 0; i < 50; i++) {
        check_flow(UDP4, i);
        check_flow(TCP6, i);
        CHECK_EQ(queue_of(make_flow(TCP4, i, flow, &n), &hash), 0);
        CHECK_EQ(queue_of(make_flow(UDP6, i, flow, &n), &hash), 0);
        CHECK_EQ(queue_of(make_flow(L2, i, flow, &n), &hash), 0);
    }
    rss.types = 0;
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    CHECK_EQ(queue_of(make_flow(UDP4, 1, flow, &n), &hash), 0);
    bench_close(&b);
}

static void turn_around(enum kind kind)
{
    const unsigned addr = kind >= UDP6 ? 16 : 4;
    uint8_t *src = frame + 14 + (kind >= UDP6 ? 8 : 12), keep[16];
    uint8_t *l4 = frame + 14 + (kind >= UDP6 ? 40 : 20);

    memcpy(keep, src, addr);
    memcpy(src, src + addr, addr);
    memcpy(src + addr, keep, addr);
    if (!has_ports(kind))
        return;
    memcpy(keep, l4, 2);
    memcpy(l4, l4 + 2, 2);
    memcpy(l4 + 2, keep, 2);
}

TEST(xl710_rss, with_the_symmetric_key_both_directions_meet_in_one_queue)
{
    struct bench b;
    struct port_rss rss;
    uint8_t flow[40];
    uint32_t there, back;
    size_t n;

    open_queues(&b, 4);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    CHECK_BYTES(rss.key, port_rss_key_default(false), sizeof(rss.key));
    memcpy(rss.key, port_rss_key_default(true), sizeof(rss.key));
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    for (enum kind kind = 0; kind < L2; kind++)
        for (unsigned i = 0; i < 50; i++) {
            const size_t bytes = make_flow(kind, i, flow, &n);
            const unsigned queue = queue_of(bytes, &there);

            turn_around(kind);
            CHECK_EQ(queue_of(bytes, &back), queue);
            CHECK_EQ(there, back);
        }
    bench_close(&b);
}

/* A reset of the chip clears all of it. */
TEST(xl710_rss, settings_come_back_with_the_port)
{
    struct bench b;
    uint8_t table[PORT_RETA_MAX];
    struct port_rss rss;
    struct port_info info;

    open_queues(&b, 3);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    rss.types &= ~(1u << PORT_RSS_IPV4_SCTP);
    rss.key[5] ^= 0x40;
    CHECK_EQ(port_rss_hash_update(0, &rss), OK);
    memset(table, 2, sizeof(table));
    table[17] = 1;
    CHECK_EQ(port_reta_update(0, table, 512), OK);
    host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
    bench_run_us(3000000);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.recoveries, 1);
    CHECK_EQ(info.state, PORT_STARTED);
    check_flows(30);
    bench_close(&b);
}

/* ---- what others left behind ---- */

/* Sorted ends, another function, other words: registers outlive resets. */
TEST(xl710_rss, registers_of_an_earlier_driver_are_set_right)
{
    static const struct {
        uint32_t offset, value;
    } left[] = {
        { 0x269BA4, 0 },                 /* GLQF_CTL: no Toeplitz */
        { 0x269D00 + 4 * 33, 1 },        /* GLQF_HSYM of TCP over IPv4 */
        { 0x256E60, 1 },                 /* PRTQF_CTL_0 */
        { 0x267600 + 8 * 31 + 4, 0x18 }, /* GLQF_HASH_INSET of UDP */
        { 0x267A00 + 8 * 31, 0xFFFF },   /* GLQF_HASH_MSK */
        { 0x1C0AC0, 0 },                 /* PFQF_CTL_0: the small table */
    };
    struct bench b;

    open_queues(&b, 4);
    CHECK_EQ(port_stop(0), OK);
    for (unsigned i = 0; i < ARRAY_SIZE(left); i++)
        chip_reg_write(host_nic_chip(), 0, left[i].offset, 4, left[i].value);
    CHECK_EQ(port_start(0), OK);
    CHECK_CONTAINS(host_console_text(), "hash register 0x269ba4 was 0, is "
                                        "made 0x2");
    for (unsigned i = 0; i < ARRAY_SIZE(left); i++)
        CHECK(host_nic_register(0, left[i].offset) != left[i].value);
    check_flows(30);
    bench_close(&b);
}

/* ---- refusals ---- */

TEST(xl710_rss, a_chip_that_does_not_hold_key_or_table_starts_no_queue)
{
    static const struct {
        uint32_t offset;
        const char *said;
    } rows[] = {
        { HKEY_0, "key of the hash, word 0: expected 0xda565a6d, found "
                  "0xbad" },
        { HLUT_3, "table of the hash, word 3: expected 0x3020100, found "
                  "0xbad" },
    };
    struct bench b;

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        host_reset();
        open_queues(&b, 4);
        CHECK_EQ(port_stop(0), OK);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, rows[i].offset, 0xBAD,
                       FOR_EVER);
        CHECK_EQ(port_start(0), E_IO);
        CHECK_CONTAINS(host_console_text(), rows[i].said);
        CHECK_EQ(bench_out(&b), 0);
        host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
        CHECK_EQ(port_start(0), OK);
        bench_close(&b);
    }
}

TEST(xl710_rss, a_change_the_chip_does_not_hold_leaves_the_old_one)
{
    struct bench b;
    struct port_rss rss, old;

    open_queues(&b, 4);
    CHECK_EQ(port_rss_hash_conf_get(0, &old), OK);
    rss = old;
    rss.key[0] ^= 1;
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, HKEY_0, 0xBAD, 1);
    CHECK_EQ(port_rss_hash_update(0, &rss), E_IO);
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    CHECK_BYTES(rss.key, old.key, sizeof(old.key));
    check_flows(20);
    bench_close(&b);
}

TEST(xl710_rss, what_cannot_be_is_refused)
{
    struct bench b;
    uint8_t table[PORT_RETA_MAX] = { 0 };
    struct port_rss rss;

    CHECK_EQ(port_rss_hash_conf_get(0, &rss), E_NOENT);
    CHECK_EQ(port_reta_query(0, table), 0);
    CHECK_EQ(port_reta_update(0, table, 512), E_NOENT);
    bench_open(&b, &one_port);
    CHECK_EQ(port_reta_update(0, table, 512), E_STATE);
    b.config.queues = 3;
    bench_start(&b);
    CHECK_EQ(port_reta_update(0, table, 128), E_INVALID);
    table[511] = 3;
    CHECK_EQ(port_reta_update(0, table, 512), E_RANGE);
    CHECK_CONTAINS(host_console_text(), "hash 511 to queue 3; expected queues "
                                        "0..2");
    CHECK_EQ(port_rss_hash_conf_get(0, &rss), OK);
    rss.types |= 1u << PORT_RSS_TYPE_COUNT;
    CHECK_EQ(port_rss_hash_update(0, &rss), E_INVALID);
    rss.types = PORT_RSS_ALL;
    memset(rss.key, 0, sizeof(rss.key)); /* all would hash alike */
    CHECK_EQ(port_rss_hash_update(0, &rss), E_INVALID);
    check_flows(10);
    bench_close(&b);
}

/* Capability 0x40: entries of the table. */
static uint8_t entries_low, entries_high;

static void table_size(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    for (unsigned i = 0; data != NULL && i < 40; i++)
        if (data[32 * i] == 0x40 && data[32 * i + 1] == 0) {
            data[32 * i + 4] = entries_low;
            data[32 * i + 5] = entries_high;
        }
}

TEST(xl710_rss, a_table_of_128_is_used_and_of_another_size_there_is_one_queue)
{
    struct bench b;
    uint8_t table[PORT_RETA_MAX];
    struct port_info info;

    bench_open(&b, &one_port);
    b.config.rx_desc = 64;
    xl710_forget_all();
    host_nic_tamper(0x000A, table_size);
    entries_low = 128;
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    b.config.queues = 4;
    bench_start(&b);
    CHECK_EQ(port_reta_query(0, table), 128);
    check_flows(30);

    xl710_forget_all();
    entries_low = 64;
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    host_nic_tamper(0, NULL);
    CHECK_CONTAINS(host_console_text(), "a hash table of 64 entries, expected "
                                        "128 or 512; one queue pair");
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.rx_queues_max, 1);
    CHECK_EQ(port_configure(0, &b.config), E_RANGE);
    bench_close(&b);
}
