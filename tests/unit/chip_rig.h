/*
 * chip_rig.h - a chip on a bench: guest memory, a wire, and raw registers
 *
 * Guest memory is the arena; bus addresses are those of the arena. Contexts are
 * written bit by bit and reach the chip through the HMC.
 */
#pragma once

#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "chip/chip.h"
#include "chip/chip_impl.h"
#include "tests/fake/chip_ring.h"
#include "tests/unit/chip_frames.h"

/* Places in the arena. */
#define RIG_BYTES    (4u << 20)
#define AT_HMC       0x000000u
#define AT_TX_RING   0x040000u
#define AT_RX_RING   0x080000u
#define AT_HEAD_WB   0x0C0000u
#define AT_TX_BUF    0x100000u /* 16 KiB a slot */
#define AT_RX_BUF    0x200000u /* 4 KiB a slot */
#define TX_BUF_BYTES 0x4000u
#define RX_BUF_BYTES 0x1000u
#define RING         64u
#define HMC_RX_BASE  0x4000u /* in private memory */
#define RIG_FRAMES   512
#define BUS(at)      (HOST_BUS_BASE + (at))

/* Transmit descriptor bits. */
#define D_EOP     (UINT64_C(1) << 4)
#define D_RS      (UINT64_C(2) << 4)
#define D_ICRC    (UINT64_C(4) << 4)
#define D_TAG1    (UINT64_C(8) << 4)
#define D_DUMMY   (UINT64_C(0x10) << 4)
#define D_IPV6    (UINT64_C(0x20) << 4)
#define D_IPV4    (UINT64_C(0x40) << 4)
#define D_IPV4S   (UINT64_C(0x60) << 4)
#define D_TCP     (UINT64_C(0x100) << 4)
#define D_SCTP    (UINT64_C(0x200) << 4)
#define D_UDP     (UINT64_C(0x300) << 4)
#define D_SIZE(n) ((uint64_t)(n) << 34)
#define D_TAG(n)  ((uint64_t)(n) << 48)
#define D_LENS(mac, ip, l4)                                                    \
    ((uint64_t)((mac) / 2) << 16 | (uint64_t)((ip) / 4) << 23 |                \
     (uint64_t)((l4) / 4) << 30)
#define D_LAST (D_EOP | D_RS | D_ICRC)

struct rig_frame {
    unsigned port;
    size_t len;
    uint8_t bytes[CHIP_FRAME_MAX + 16];
};

static struct {
    struct chip *chip;
    uint8_t *mem;
    unsigned frames;
    struct rig_frame *frame; /* [RIG_FRAMES] */
    unsigned complaints;
    char rule[64]; /* the last one */
    char rules[4096];
    unsigned vectors[CHIP_VECTORS];
    unsigned tx_tail, rx_tail;
    unsigned desc_bytes;
    uint64_t now;
} rig;

static void *rig_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                     bool write, size_t *got)
{
    const uint64_t left = BUS(RIG_BYTES) - addr;

    (void)ctx, (void)pf, (void)write;
    if (addr < HOST_BUS_BASE || addr >= BUS(RIG_BYTES))
        return NULL;
    *got = len < left ? len : left;
    return host_bus_to_ptr(addr, *got);
}

static void rig_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx, (void)pf;
    rig.vectors[vector]++;
}

static void rig_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx, (void)pf, (void)asserted;
}

static void rig_wire(void *ctx, unsigned port, const uint8_t *bytes, size_t len)
{
    struct rig_frame *f = &rig.frame[rig.frames % RIG_FRAMES];

    (void)ctx;
    rig.frames++;
    f->port = port;
    f->len = len;
    CHECK(len <= sizeof(f->bytes));
    memcpy(f->bytes, bytes, len);
}

static void rig_complain(void *ctx, unsigned pf, const char *rule,
                         const char *text)
{
    (void)ctx, (void)pf, (void)text;
    CHECK(chip_rule_text(rule) != NULL);
    rig.complaints++;
    snprintf(rig.rule, sizeof(rig.rule), "%s", rule);
    if (strlen(rig.rules) + strlen(rule) + 2 < sizeof(rig.rules)) {
        strcat(rig.rules, rule);
        strcat(rig.rules, " ");
    }
}

UNUSED static void rig_quiet(void)
{
    rig.complaints = 0;
    rig.rule[0] = rig.rules[0] = '\0';
}

static void rig_reg_write(unsigned pf, uint32_t offset, uint32_t value)
{
    chip_reg_write(rig.chip, pf, offset, 4, value);
}

UNUSED static void reg_w(uint32_t offset, uint32_t value)
{
    rig_reg_write(0, offset, value);
}

UNUSED static uint32_t reg_r(uint32_t offset)
{
    return (uint32_t)chip_reg_read(rig.chip, 0, offset, 4);
}

UNUSED static struct chip_pf *rig_pf(void)
{
    return &rig.chip->pf[0];
}

UNUSED static struct chip_vsi *rig_vsi(void)
{
    return &rig.chip->vsi[rig_pf()->main_vsi];
}

UNUSED static struct chip_vsi_stats *rig_vsi_stats(void)
{
    return vsi_stats(rig.chip, rig_vsi());
}

UNUSED static struct chip_port_stats *rig_port_stats(void)
{
    return &rig.chip->port_stats[0];
}

/* What the admin queue would do to the main VSI. */
UNUSED static void rig_promisc(uint16_t bits)
{
    rig_vsi()->promisc = bits;
    rig.chip->switch_gen++;
}

UNUSED static void rig_vsi_queues(unsigned log2)
{
    put_le16(rig_vsi()->props + VSI_MAPPING_FLAGS, 0);
    put_le16(rig_vsi()->props + VSI_QUEUE_MAPPING, 0);
    put_le16(rig_vsi()->props + VSI_TC_MAPPING, (uint16_t)(log2 << 9));
    rig.chip->switch_gen++;
}

UNUSED static void rig_vlan_egress(unsigned mode)
{
    rig_vsi()->props[VSI_PORT_VLAN_FLAGS] = (uint8_t)(3 | mode << 3);
    rig.chip->switch_gen++;
}

UNUSED static uint8_t *rig_tx_ctx(unsigned q)
{
    return rig.mem + AT_HMC + q * 128;
}

UNUSED static uint8_t *rig_rx_ctx(unsigned q)
{
    return rig.mem + AT_HMC + HMC_RX_BASE + q * 32;
}

UNUSED static void rig_advance(uint64_t ns)
{
    rig.now += ns;
    chip_advance(rig.chip, rig.now);
}

UNUSED static void rig_open(void)
{
    const struct chip_config config = {
        .device_id = 0x1583,
        .ports = 2,
        .mac = { { 2, 0, 0, 0, 0, 0x10 }, { 2, 0, 0, 0, 0, 0x20 } },
        .fw_major = 6,
        .api_major = 1,
        .api_minor = 7,
        .queues_per_pf = 64,
        .sr_kib = 4,
        .link_up_at_reset = true,
    };
    const struct chip_host host = {
        .dma = rig_dma,
        .msix = rig_msix,
        .intx = rig_intx,
        .wire_tx = rig_wire,
        .complain = rig_complain,
    };
    struct rig_frame *frame = rig.frame;

    if (rig.chip != NULL)
        chip_destroy(rig.chip);
    memset(&rig, 0, sizeof(rig));
    rig.frame = frame != NULL ? frame : calloc(RIG_FRAMES, sizeof(*frame));
    rig.mem = host_arena(RIG_BYTES);
    memset(rig.mem, 0, RIG_BYTES);
    rig.chip = chip_create(&config, &host);
    CHECK(rig.chip != NULL);
    chip_cfg_write(rig.chip, 0, 4, 2, 0x0006);    /* memory, bus master */
    chip_cfg_write(rig.chip, 0, 0x72, 2, 0x8000); /* MSI-X */
    rig_advance(2000000000); /* power-on waits are over, the link is up */
    CHECK(chip_link_get(rig.chip, 0));
    reg_w(0x12a500, 1); /* GLLAN_RCTL_0: out of PXE mode */
    context_memory_open(rig_reg_write, 0, BUS(AT_HMC), 0, HMC_RX_BASE);
    rig_quiet();
}

/* A usable transmit context; the test may change it before rig_tx_on. */
UNUSED static uint8_t *rig_tx_default(unsigned q)
{
    uint8_t *raw = rig_tx_ctx(q);

    context_tx(raw, BUS(AT_TX_RING + q * 0x1000), RING,
               le16(rig_vsi()->props + VSI_QS_HANDLE));
    return raw;
}

UNUSED static uint8_t *rig_rx_default(unsigned q, unsigned desc_bytes,
                                      unsigned buffer)
{
    uint8_t *raw = rig_rx_ctx(q);

    rig.desc_bytes = desc_bytes;
    context_rx(raw, BUS(AT_RX_RING + q * 0x1000), RING, desc_bytes, buffer);
    return raw;
}

UNUSED static bool rig_tx_on(unsigned q)
{
    reg_w(R_QTX_CTL + 4 * q, 2);
    reg_w(R_QTX_HEAD + 4 * q, 0);
    reg_w(R_QTX_ENA + 4 * q, 1);
    return reg_r(R_QTX_ENA + 4 * q) == 5;
}

UNUSED static bool rig_rx_on(unsigned q)
{
    reg_w(R_QRX_TAIL + 4 * q, 0);
    reg_w(R_QRX_ENA + 4 * q, 1);
    return reg_r(R_QRX_ENA + 4 * q) == 5;
}

/* ---- transmit ---- */

UNUSED static uint8_t *tx_desc_of(unsigned q, unsigned slot)
{
    return rig.mem + AT_TX_RING + q * 0x1000 + slot * 16;
}

UNUSED static uint8_t *tx_buf_of(unsigned slot)
{
    return rig.mem + AT_TX_BUF + slot * TX_BUF_BYTES;
}

/* Write the next descriptor of queue 0 without ringing. */
UNUSED static void tx_put(uint64_t qw0, uint64_t qw1)
{
    uint8_t *desc = tx_desc_of(0, rig.tx_tail);

    put_le64(desc, qw0);
    put_le64(desc + 8, qw1);
    rig.tx_tail = (rig.tx_tail + 1) % RING;
}

/* A data descriptor whose buffer is the slot's own, filled with @bytes. */
UNUSED static void tx_put_data(const void *bytes, size_t len, uint64_t bits)
{
    const unsigned slot = rig.tx_tail;

    memcpy(tx_buf_of(slot), bytes, len);
    tx_put(BUS(AT_TX_BUF + slot * TX_BUF_BYTES), bits | D_SIZE(len));
}

UNUSED static void tx_ring(void)
{
    reg_w(R_QTX_TAIL, rig.tx_tail);
}

UNUSED static bool tx_is_done(unsigned slot)
{
    return (le64(tx_desc_of(0, slot) + 8) & 0xF) == 0xF;
}

/* ---- receive ---- */

UNUSED static uint8_t *rx_desc_of(unsigned q, unsigned slot)
{
    return rig.mem + AT_RX_RING + q * 0x1000 + slot * rig.desc_bytes;
}

UNUSED static uint8_t *rx_buf_of(unsigned slot)
{
    return rig.mem + AT_RX_BUF + slot * RX_BUF_BYTES;
}

/* Post @n buffers on queue @q and ring. */
UNUSED static void rx_post(unsigned q, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint8_t *desc = rx_desc_of(q, rig.rx_tail);

        memset(desc, 0, rig.desc_bytes);
        put_le64(desc, BUS(AT_RX_BUF + rig.rx_tail * RX_BUF_BYTES));
        memset(rx_buf_of(rig.rx_tail), 0xEE, RX_BUF_BYTES);
        rig.rx_tail = (rig.rx_tail + 1) % RING;
    }
    reg_w(R_QRX_TAIL + 4 * q, rig.rx_tail);
}

UNUSED static uint64_t rx_qw(unsigned q, unsigned slot, unsigned word)
{
    return le64(rx_desc_of(q, slot) + word * 8);
}

UNUSED static bool rx_is_done(unsigned q, unsigned slot)
{
    return rx_qw(q, slot, 1) & 1;
}

UNUSED static unsigned rx_len(unsigned q, unsigned slot)
{
    return rx_qw(q, slot, 1) >> 38 & 0x3FFF;
}

UNUSED static unsigned rx_ptype(unsigned q, unsigned slot)
{
    return rx_qw(q, slot, 1) >> 30 & 0xFF;
}

/* Interrupt of queue @q on @vector (from 1), armed for good, no throttle. */
UNUSED static void rx_arm(unsigned q, unsigned vector)
{
    reg_w(0x3F800, 7); /* GLINT_CTL: no auto-mask, as DPDK sets it */
    reg_w(R_QINT_RQCTL + 4 * q, vector | 3 << 11 | 1u << 30);
    reg_w(R_DYN_CTLN + 4 * (vector - 1), 1 | 3 << 3);
}

/* A queue 0 ready to receive, one interrupt armed, everything promiscuous. */
UNUSED static void rig_rx_ready(unsigned desc_bytes, unsigned buffer)
{
    rig_open();
    rig_promisc(PROMISC_UNICAST | PROMISC_MULTICAST | PROMISC_BROADCAST);
    rig_rx_default(0, desc_bytes, buffer);
    CHECK(rig_rx_on(0));
    rx_arm(0, 1);
}

UNUSED static void rig_tx_ready(void)
{
    rig_open();
    rig_tx_default(0);
    CHECK(rig_tx_on(0));
}

/* A frame comes in and write-backs are let out. */
UNUSED static bool rig_receive(const uint8_t *frame, size_t len)
{
    const bool taken = chip_wire_rx(rig.chip, 0, frame, len, false);

    rig_advance(1);
    return taken;
}
