/*
 * examiner_rules_test.c - each rule of the examiner is broken once on purpose
 *
 * One row a rule, in the order of rules.h; a rule without a row does not build,
 * a row whose crime goes unseen, or draws complaints beside it, fails.
 */
#include "tests/unit/chip_rig.h"

#include "chip/rules.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- the smallest admin queue ---- */

#define AT_ATQ    0x0D0000u
#define AT_AQBUF  0x0E0000u
#define AQ_ENABLE 0x80000000u
#define AQ_BUF    0x1000u
#define AQ_LB     0x0200u

enum {
    R_ATQBAL = 0x80000,
    R_ATQBAH = 0x80100,
    R_ATQLEN = 0x80200,
    R_ATQT = 0x80400,
    R_PDINV = 0xC0300,
    R_LANCTXCTL = 0x10C300,
    R_TXPRE_QDIS = 0xE6500,
    R_SRCTL = 0xB6110,
};

static void aq_place(uint32_t entries, uint64_t bus)
{
    reg_w(R_ATQLEN, entries | AQ_ENABLE);
    reg_w(R_ATQBAL, (uint32_t)bus);
    reg_w(R_ATQBAH, (uint32_t)(bus >> 32));
}

/* Command 0 of the ring, with this flag word and buffer length. */
static void aq_post(unsigned opcode, unsigned flags, unsigned len)
{
    uint8_t *d = rig.mem + AT_ATQ;

    memset(d, 0, 32);
    put_le16(d, (uint16_t)flags);
    put_le16(d + 2, (uint16_t)opcode);
    put_le16(d + 4, (uint16_t)len);
    put_le32(d + 24, (uint32_t)(BUS(AT_AQBUF) >> 32));
    put_le32(d + 28, (uint32_t)BUS(AT_AQBUF));
    reg_w(R_ATQT, 1);
}

static void aq_send(unsigned opcode, unsigned flags, unsigned len)
{
    aq_place(32, BUS(AT_ATQ));
    aq_post(opcode, flags, len);
}

/* ---- frames and descriptors ---- */

static uint8_t f[CHIP_FRAME_MAX + 64];

static void plain_frame(void)
{
    memset(f, 0x5A, sizeof(f));
    put_eth(f, 0x88B5);
}

static void tx_ready(void)
{
    rig_tx_default(0);
    CHECK(rig_tx_on(0));
    plain_frame();
}

static void tx_one(size_t len, uint64_t bits)
{
    tx_put_data(f, len, bits);
    tx_ring();
}

/* A TCP segment of @payload bytes behind 54 of headers. */
static void tso(unsigned tso_len, unsigned mss, unsigned payload)
{
    tx_ready();
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 6, 20 + payload);
    w16(f + 24, 0); /* checksum: the hardware's work */
    put_tcp(f + 14, f + 34, payload);
    tx_put(0, 1 | UINT64_C(1) << 4 | (uint64_t)tso_len << 30 |
                  (uint64_t)mss << 50);
    tx_put_data(f, 54 + payload, D_LAST | D_IPV4S | D_TCP | D_LENS(14, 20, 20));
    tx_ring();
}

static void rx_ready(void)
{
    rig_promisc(PROMISC_UNICAST | PROMISC_MULTICAST | PROMISC_BROADCAST);
    rig_rx_default(0, 32, 2048);
    CHECK(rig_rx_on(0));
    plain_frame();
}

/* Start a queue whose context has one field changed. */
static void tx_context_with(unsigned lsb, unsigned width, uint64_t value)
{
    context_bits(rig_tx_default(0), lsb, width, value);
    (void)rig_tx_on(0);
}

static void rx_context_with(unsigned lsb, unsigned width, uint64_t value)
{
    context_bits(rig_rx_default(0, 32, 2048), lsb, width, value);
    (void)rig_rx_on(0);
}

/* ---- registers ---- */

static void reg_unknown(void)
{
    (void)reg_r(0x7FFFFC);
}

static void reg_read_only(void)
{
    reg_w(0xC2008, 1); /* GLHMC_LANQMAX */
}

static void reg_reserved(void)
{
    reg_w(0x3F800, 0xF8); /* GLINT_CTL has three bits */
}

static void reg_size(void)
{
    chip_reg_write(rig.chip, 0, 0x3A000, 2, 1);
}

static void reg_range(void)
{
    reg_w(R_QRX_TAIL + 4 * 64, 1); /* the function has 64 queues */
}

/* ---- admin queue ---- */

static void aq_tail_range(void)
{
    aq_place(32, BUS(AT_ATQ));
    reg_w(R_ATQT, 32);
}

static void aq_base_align(void)
{
    aq_place(32, BUS(AT_ATQ + 32));
    reg_w(R_ATQT, 1);
}

static void aq_len_range(void)
{
    aq_place(0, BUS(AT_ATQ));
    reg_w(R_ATQT, 1);
}

static void aq_no_memory(void)
{
    aq_place(32, 0x1000);
    reg_w(R_ATQT, 1);
}

static void aq_flags(void)
{
    aq_send(0x000A, 0, 4096); /* no BUF, and the command needs a buffer */
}

static void aq_buffer(void)
{
    aq_send(0x000A, AQ_BUF | AQ_LB, 4097);
}

static void aq_moved(void)
{
    aq_send(0x0001, 0, 0);
    reg_w(R_ATQBAL, (uint32_t)BUS(AT_AQBUF));
}

/* ---- host memory cache ---- */

static void segment0(uint64_t bus, uint32_t low)
{
    reg_w(R_SDDATAHIGH, (uint32_t)(bus >> 32));
    reg_w(R_SDDATALOW, (uint32_t)bus | low);
    reg_w(R_SDCMD, 0x80000000);
}

static void hmc_sd_invalid(void)
{
    rig_rx_default(0, 32, 2048);
    segment0(BUS(AT_HMC), 512 << 2 | 2); /* without the valid bit */
    (void)rig_rx_on(0);
}

static void hmc_pd_invalid(void)
{
    rig_rx_default(0, 32, 2048);
    segment0(BUS(AT_ATQ), 512 << 2 | 1); /* a page list of zeros */
    (void)rig_rx_on(0);
}

static void hmc_range(void)
{
    rig_rx_default(1, 32, 2048);
    reg_w(R_LANRXCNT, 1);
    (void)rig_rx_on(1);
}

static void hmc_no_memory(void)
{
    segment0(0x1000, 512 << 2 | 3);
    (void)rig_rx_on(0);
}

static void hmc_sd_range(void)
{
    segment0(BUS(AT_HMC), 1023 << 2 | 3); /* a segment has 512 pages */
}

static void pfcm_range(void)
{
    reg_w(R_LANCTXCTL, 64 | 1u << 17); /* the other function's queue */
}

/* ---- queues on and off ---- */

static void queue_no_context(void)
{
    reg_w(R_LANRXCNT, 0);
    (void)rig_rx_on(0);
}

static void queue_owner(void)
{
    rig_tx_default(0);
    reg_w(R_QTX_ENA, 1); /* QTX_CTL still says nobody's */
}

static void queue_predisable(void)
{
    rig_tx_default(0);
    reg_w(R_TXPRE_QDIS, 1u << 30);
    (void)rig_tx_on(0);
}

static void queue_disable(void)
{
    tx_ready();
    reg_w(R_QTX_ENA, 0);
}

/* ---- memory and NVM ---- */

static void dma_bus_master(void)
{
    rig_rx_default(0, 32, 2048);
    chip_cfg_write(rig.chip, 0, 4, 2, 0x0002);
    (void)rig_rx_on(0);
}

static void dma_unmapped(void)
{
    tx_ready();
    tx_put(0x1000, D_LAST | D_SIZE(64));
    tx_ring();
}

static void nvm_unlocked(void)
{
    uint8_t *d = rig.mem + AT_ATQ;

    aq_place(32, BUS(AT_ATQ));
    memset(d, 0, 32);
    put_le16(d + 2, 0x0008);
    put_le16(d + 16, 1); /* resource NVM ... */
    put_le16(d + 18, 1); /* ... to read */
    reg_w(R_ATQT, 1);
    CHECK_EQ(le16(d + 6), 0);
    chip_reg_write(rig.chip, 1, R_SRCTL, 4, 1u << 30);
}

/* ---- transmit contexts: lsb and width in the object ---- */

static void tx_ctx_base(void)
{
    tx_context_with(32, 57, 0);
}

static void tx_ctx_qlen(void)
{
    tx_context_with(161, 13, 0);
}

static void tx_ctx_qlen_step(void)
{
    tx_context_with(161, 13, 40);
}

static void tx_ctx_head(void)
{
    tx_context_with(0, 13, RING);
}

static void tx_ctx_new(void)
{
    tx_context_with(30, 1, 0);
}

static void tx_ctx_head_wb(void)
{
    tx_context_with(160, 1, 1); /* to address 0 */
}

static void tx_ctx_qs_handle(void)
{
    tx_context_with(980, 10, 0x3FF);
}

/* ---- receive contexts ---- */

static void rx_ctx_base(void)
{
    rx_context_with(32, 57, 0);
}

static void rx_ctx_qlen(void)
{
    rx_context_with(89, 13, 8161);
}

static void rx_ctx_qlen_step(void)
{
    rx_context_with(89, 13, 33);
}

static void rx_ctx_head(void)
{
    rx_context_with(0, 13, RING);
}

static void rx_ctx_buffer(void)
{
    context_bits(rig_rx_default(0, 32, 2048), 174, 14, 512);
    context_bits(rig_rx_ctx(0), 102, 7, 512 / 128);
    (void)rig_rx_on(0);
}

static void rx_ctx_rxmax(void)
{
    rx_context_with(174, 14, 0);
}

static void rx_ctx_split(void)
{
    rx_context_with(114, 2, 1);
}

/* ---- transmit doorbells ---- */

static void tx_tail_range(void)
{
    tx_ready();
    reg_w(R_QTX_TAIL, RING);
}

static void tx_tail_backward(void)
{
    tx_ready();
    tx_put_data(f, 32, D_ICRC); /* a packet without an end stays pending */
    tx_one(32, D_ICRC);
    reg_w(R_QTX_TAIL, 1);
}

static void tx_tail_off(void)
{
    reg_w(R_QTX_TAIL, 1);
}

static void tx_tail_mid_packet(void)
{
    tx_ready();
    tx_one(64, D_ICRC);
}

/* ---- transmit descriptors ---- */

static void tx_ring_memory(void)
{
    tx_context_with(32, 57, 0x1000 / 128);
    reg_w(R_QTX_TAIL, 1);
}

static void tx_dtype(void)
{
    tx_ready();
    tx_one(64, D_LAST | 0xF);
}

static void tx_desc_reserved(void)
{
    tx_ready();
    tx_one(64, D_LAST | UINT64_C(1) << 14);
}

static void tx_desc_differs(void)
{
    tx_ready();
    tx_put_data(f, 32, D_ICRC | D_TAG1);
    tx_one(32, D_LAST);
}

static void tx_ctx_desc_reserved(void)
{
    tx_ready();
    tx_put(UINT64_C(1) << 50, 1 | UINT64_C(4) << 4);
    tx_one(64, D_LAST);
}

static void tx_ctx_desc_place(void)
{
    tx_ready();
    tx_put_data(f, 32, D_ICRC);
    tx_put(0, 1 | UINT64_C(4) << 4);
    tx_one(32, D_LAST);
}

static void tx_fd_off(void)
{
    tx_ready();
    tx_put(0, 8 | 1 << 4);
    tx_one(64, D_LAST);
}

static void tx_size_zero(void)
{
    tx_ready();
    tx_one(0, D_LAST);
}

static void tx_size(void)
{
    tx_ready();
    tx_one(16, D_LAST);
}

static void tx_buffers(void)
{
    tx_ready();
    for (unsigned i = 0; i < 8; i++)
        tx_put_data(f, 100, D_ICRC);
    tx_one(100, D_LAST);
}

static void tx_rs_not_last(void)
{
    tx_ready();
    tx_put_data(f, 32, D_ICRC | D_RS);
    tx_one(32, D_LAST);
}

static void tx_no_rs(void)
{
    tx_ready();
    for (unsigned i = 0; i < RING; i++)
        tx_one(64, D_EOP | D_ICRC);
}

static void tx_icrc(void)
{
    tx_ready();
    tx_one(64, D_EOP | D_RS);
}

/* ---- offloads ---- */

static void tx_offload_headers(void)
{
    tx_ready();
    tx_one(64, D_LAST | D_IPV4 | D_TCP); /* all lengths 0 */
}

static void tx_ip_sum_seed(void)
{
    tx_ready();
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 26);
    tx_one(60, D_LAST | D_IPV4S | D_LENS(14, 20, 0));
}

static void tx_tso_mss(void)
{
    tso(1000, 63, 1000);
}

static void tx_tso_len(void)
{
    tso(999, 500, 1000);
}

/* ---- receive ---- */

static void rx_tail_range(void)
{
    rx_ready();
    reg_w(R_QRX_TAIL, RING);
}

static void rx_tail_backward(void)
{
    rx_ready();
    rx_post(0, 8);
    reg_w(R_QRX_TAIL, 4);
}

static void rx_desc_dd(void)
{
    rx_ready();
    put_le64(rx_desc_of(0, 0), BUS(AT_RX_BUF));
    put_le64(rx_desc_of(0, 0) + 8, 1);
    reg_w(R_QRX_TAIL, 1);
    rig_receive(f, 64);
}

static void rx_desc_zero(void)
{
    rx_ready();
    reg_w(R_QRX_TAIL, 1);
    rig_receive(f, 64);
}

static void rx_lut_range(void)
{
    rx_ready();
    rx_post(0, 4);
    rig_vsi_queues(0);       /* one queue */
    reg_w(R_HENA, 1u << 31); /* UDP over IPv4 */
    for (unsigned i = 0; i < 128; i++)
        reg_w(R_HLUT + 0x80 * i, 0x3F3F3F3F);
    put_eth(f, 0x0800);
    put_ipv4(f + 14, 17, 26);
    put_udp(f + 14, f + 34, 18);
    rig_receive(f, 60);
}

/* ---- all of them ---- */

static const struct {
    const char *rule;
    void (*crime)(void);
    const char *also; /* what cannot but be complained about with it */
} cases[] = {
    { "reg-unknown", reg_unknown, NULL },
    { "reg-read-only", reg_read_only, NULL },
    { "reg-reserved", reg_reserved, NULL },
    { "reg-size", reg_size, NULL },
    { "reg-range", reg_range, NULL },
    { "aq-tail-range", aq_tail_range, NULL },
    { "aq-base-align", aq_base_align, NULL },
    { "aq-len-range", aq_len_range, NULL },
    { "aq-no-memory", aq_no_memory, "dma-unmapped" },
    { "aq-flags", aq_flags, NULL },
    { "aq-buffer", aq_buffer, NULL },
    { "aq-moved", aq_moved, NULL },
    { "hmc-sd-invalid", hmc_sd_invalid, NULL },
    { "hmc-pd-invalid", hmc_pd_invalid, NULL },
    { "hmc-range", hmc_range, NULL },
    { "hmc-no-memory", hmc_no_memory, "dma-unmapped" },
    { "hmc-sd-range", hmc_sd_range, NULL },
    { "pfcm-range", pfcm_range, NULL },
    { "queue-no-context", queue_no_context, NULL },
    { "queue-owner", queue_owner, NULL },
    { "queue-predisable", queue_predisable, NULL },
    { "queue-disable", queue_disable, NULL },
    { "dma-bus-master", dma_bus_master, "hmc-no-memory" },
    { "dma-unmapped", dma_unmapped, NULL },
    { "nvm-unlocked", nvm_unlocked, NULL },
    { "tx-ctx-base", tx_ctx_base, NULL },
    { "tx-ctx-qlen", tx_ctx_qlen, NULL },
    { "tx-ctx-qlen-step", tx_ctx_qlen_step, NULL },
    { "tx-ctx-head", tx_ctx_head, NULL },
    { "tx-ctx-new", tx_ctx_new, NULL },
    { "tx-ctx-head-wb", tx_ctx_head_wb, NULL },
    { "tx-ctx-qs-handle", tx_ctx_qs_handle, NULL },
    { "rx-ctx-base", rx_ctx_base, NULL },
    { "rx-ctx-qlen", rx_ctx_qlen, "rx-ctx-qlen-step" },
    { "rx-ctx-qlen-step", rx_ctx_qlen_step, NULL },
    { "rx-ctx-head", rx_ctx_head, NULL },
    { "rx-ctx-buffer", rx_ctx_buffer, NULL },
    { "rx-ctx-rxmax", rx_ctx_rxmax, NULL },
    { "rx-ctx-split", rx_ctx_split, NULL },
    { "tx-tail-range", tx_tail_range, NULL },
    { "tx-tail-backward", tx_tail_backward, "tx-tail-mid-packet" },
    { "tx-tail-off", tx_tail_off, NULL },
    { "tx-tail-mid-packet", tx_tail_mid_packet, NULL },
    { "tx-ring-memory", tx_ring_memory, "dma-unmapped" },
    { "tx-dtype", tx_dtype, NULL },
    { "tx-desc-reserved", tx_desc_reserved, NULL },
    { "tx-desc-differs", tx_desc_differs, NULL },
    { "tx-ctx-desc-reserved", tx_ctx_desc_reserved, NULL },
    { "tx-ctx-desc-place", tx_ctx_desc_place, NULL },
    { "tx-fd-off", tx_fd_off, NULL },
    { "tx-size-zero", tx_size_zero, NULL },
    { "tx-size", tx_size, NULL },
    { "tx-buffers", tx_buffers, NULL },
    { "tx-rs-not-last", tx_rs_not_last, NULL },
    { "tx-no-rs", tx_no_rs, NULL },
    { "tx-icrc", tx_icrc, NULL },
    { "tx-offload-headers", tx_offload_headers, NULL },
    { "tx-ip-sum-seed", tx_ip_sum_seed, NULL },
    { "tx-tso-mss", tx_tso_mss, NULL },
    { "tx-tso-len", tx_tso_len, NULL },
    { "rx-tail-range", rx_tail_range, NULL },
    { "rx-tail-backward", rx_tail_backward, NULL },
    { "rx-desc-dd", rx_desc_dd, NULL },
    { "rx-desc-zero", rx_desc_zero, NULL },
    { "rx-lut-range", rx_lut_range, NULL },
};

static const char *const rules[] = {
#define R(name, text) name,
    CHIP_RULES(R)
#undef R
};

_Static_assert(COUNT(cases) == COUNT(rules), "a rule has no case, or two");

TEST(examiner, every_rule_has_its_case)
{
    for (unsigned i = 0; i < COUNT(rules); i++)
        CHECK_STR(cases[i].rule, rules[i]);
}

/* Is @rule among the complaints, and nothing but it and @also? */
static bool caught(const char *rule, const char *also)
{
    char heard[sizeof(rig.rules)];
    bool is_among = false, is_alone = true;

    memcpy(heard, rig.rules, sizeof(heard));
    for (char *at = strtok(heard, " "); at != NULL; at = strtok(NULL, " ")) {
        if (strcmp(at, rule) == 0)
            is_among = true;
        else if (also == NULL || strcmp(at, also) != 0)
            is_alone = false;
    }
    return is_among && is_alone;
}

TEST(examiner, every_rule_broken_on_purpose_is_caught)
{
    unsigned missed = 0;

    for (unsigned i = 0; i < COUNT(cases); i++) {
        rig_open();
        cases[i].crime();
        if (caught(cases[i].rule, cases[i].also))
            continue;
        print_error("%s: heard \"%s\"\n", cases[i].rule, rig.rules);
        missed++;
    }
    CHECK_EQ(missed, 0);
}

TEST(examiner, switched_off_it_says_nothing)
{
    for (unsigned i = 0; i < COUNT(cases); i++) {
        rig_open();
        chip_strict_set(rig.chip, false);
        cases[i].crime();
        CHECK_STR(rig.rules, "");
    }
}
