/*
 * firmware_fuzz.c - our driver on a chip that lies: wrong answers, late or lost
 * ones, registers that read anything, broken write-backs
 *
 * setup (1): bits 0..2 how many faults, bit 3 tamper with an answer, bit 4 a
 * reset in the middle, bit 5 old firmware. Faults: kind (1), opcode or register
 * (2), value (4), count (1). Tampering: opcode index (1), then what to exclusive
 * or into descriptor (16) and buffer (up to 128). The rest are frames' lengths.
 *
 * Whatever happens the driver says so, gives all memory back, and stands still.
 */
#include <millrace/port.h>

#include "drivers/xl710/xl710.h"
#include "mm/frame.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"
#include "tests/host/nic.h"

#define BUFFERS    512
#define FRAMES_MAX 16

/* What the driver asks (drivers/xl710/aq_cmd.h). */
static const uint16_t opcodes[] = { 0x0001, 0x0009, 0x000A, 0x0107,
                                    0x0110, 0x0200, 0x0206, 0x0211,
                                    0x0212, 0x0254, 0x0600, 0x0603,
                                    0x0605, 0x0607, 0x0701, 0xFF03 };

/* What it reads: state, capabilities, queues, sizes, link, counters. */
static const uint32_t registers[] = {
    0x0B8188, 0x0B8180, 0x092400, 0x1C0480, 0x09C000, 0x0BE4A8,
    0x0BE494, 0x1C0400, 0x1C0500, 0x083048, 0x0B6108, 0x0B6008,
    0x080200, 0x080300, 0x080280, 0x080380, 0x0C2004, 0x0C2008,
    0x0C200C, 0x100000, 0x120000, 0x0E6480, 0x0E6400, 0x12A510,
    0x12A400, 0x1E2420, 0x3005A0, 0x0C0400, 0x080000, 0x080080,
};

static uint8_t lie[16 + 128];

static void tamper(uint8_t *desc, uint8_t *data)
{
    /* Retval, then parameters: the answer, not the question. */
    for (unsigned i = 0; i < 16; i++)
        desc[i < 2 ? 6 + i : 16 + i - 2] ^= lie[i];
    for (unsigned i = 0; data != NULL && i < 128; i++)
        data[i] ^= lie[16 + i];
}

static void fault(struct fuzz_in *in)
{
    static const enum chip_fault kinds[] = {
        CHIP_FAULT_AQ_ERROR,  CHIP_FAULT_AQ_LATE,  CHIP_FAULT_AQ_LOST,
        CHIP_FAULT_RECOVERY,  CHIP_FAULT_MDD_TX,   CHIP_FAULT_RX_BAD_LEN,
        CHIP_FAULT_RX_ERROR,  CHIP_FAULT_STALL_RX, CHIP_FAULT_STALL_TX,
        CHIP_FAULT_REG_FORCE,
    };
    const enum chip_fault kind =
        kinds[fuzz_take(in, 1) % (sizeof(kinds) / sizeof(kinds[0]))];
    uint32_t what = (uint32_t)fuzz_take(in, 2);
    const uint32_t value = (uint32_t)fuzz_take(in, 4);
    const uint32_t count = (uint32_t)fuzz_take(in, 1);

    if (kind == CHIP_FAULT_REG_FORCE)
        what = registers[what % (sizeof(registers) / sizeof(registers[0]))];
    else if (kind <= CHIP_FAULT_AQ_LOST)
        what = opcodes[what % (sizeof(opcodes) / sizeof(opcodes[0]))];
    else
        what = 0;
    host_nic_fault(kind, 0, what,
                   kind == CHIP_FAULT_AQ_LATE ? value % 1000000 : value, count);
}

static void traffic(struct mempool *pool, struct fuzz_in *in)
{
    struct mbuf *pkts[8];
    uint8_t frame[9728];
    unsigned n;

    memset(frame, 0x5A, sizeof(frame));
    for (unsigned i = 0; i < FRAMES_MAX && in->left > 0; i++) {
        const size_t len = 14 + fuzz_take(in, 2) % (sizeof(frame) - 13);

        (void)host_nic_arrive(0, frame, len);
        host_advance_us(50);
        n = port_rx_burst(port_rxq_get(0, 0), pkts, 8);
        mbuf_free_bulk(pkts, n);
        pkts[0] = ring_packet(pool, 60 + (unsigned)i * 97, 1);
        if (port_tx_burst(port_txq_get(0, 0), pkts, 1) == 0)
            mbuf_free(pkts[0]);
        port_poll_all();
    }
    for (unsigned i = 0; i < 8; i++) {
        host_advance_us(10000);
        port_poll_all();
        port_tx_idle(port_txq_get(0, 0));
    }
}

static void life(struct mempool *pool, struct fuzz_in *in, bool resets)
{
    const struct port_config config = { .rx_desc = 64,
                                        .tx_desc = 128,
                                        .tx_rs_thresh = 32,
                                        .tx_free_thresh = 32,
                                        .promiscuous = true,
                                        .pool = pool };
    struct port_xstat xstats[128];
    struct port_info info;
    struct port_link link;

    if (xl710_attach(host_nic_device(0)) != OK)
        return;
    if (port_configure(0, &config) == OK && port_start(0) == OK) {
        if (resets)
            host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, 1, 1);
        traffic(pool, in);
    }
    (void)!port_info_get(0, &info);
    port_link_get(0, &link);
    (void)port_xstats_get(0, xstats, 128);
    (void)!port_stop(0);
}

static uint64_t memory_used(void)
{
    struct frame_stats s;

    frame_stats_get(&s);
    return s.used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);
    const struct host_nic_config config = {
        .fw_major = setup & 0x20 ? 5 : 6,
        .api_major = 1,
        .api_minor = setup & 0x20 ? 4 : 7,
    };
    struct mempool *pool;
    uint64_t before;

    host_reset();
    ring_machine_open();
    before = memory_used();
    pool = ring_pool("fuzz", BUFFERS);
    host_nic_open(&config);
    for (unsigned i = 0; i < (setup & 7); i++)
        fault(&in);
    if (setup & 8) {
        const uint16_t opcode =
            opcodes[fuzz_take(&in, 1) % (sizeof(opcodes) / sizeof(opcodes[0]))];

        memset(lie, 0, sizeof(lie));
        fuzz_take_bytes(&in, lie, sizeof(lie));
        host_nic_tamper(opcode, tamper);
    }
    life(pool, &in, setup & 0x10);
    xl710_forget_all();
    FUZZ_CHECK(mempool_available(pool) == mempool_count(pool));
    FUZZ_CHECK(mempool_destroy(pool) == OK);
    FUZZ_CHECK(memory_used() == before);
    /* Memory that is not ours any more is not written either. */
    host_advance_us(100000);
    host_nic_poll();
    host_nic_close();
    mm_close();
    return 0;
}
