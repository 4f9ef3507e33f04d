/*
 * chip_context_test.c - queue contexts, each field alone and all rules
 *
 * Bit positions: Linux i40e_lan_hmc.c. The byte layouts come from iPXE's
 * intelxl.h, which writes the same objects through other registers.
 */
#include "tests/unit/chip_rig.h"

static uint8_t raw[128];
static struct chip_txctx tx;
static struct chip_rxctx rx;

static void tx_only(unsigned lsb, unsigned width)
{
    memset(raw, 0, sizeof(raw));
    context_bits(raw, lsb, width, ~UINT64_C(0));
    chip_txctx_decode(raw, &tx);
}

static void rx_only(unsigned lsb, unsigned width)
{
    memset(raw, 0, sizeof(raw));
    context_bits(raw, lsb, width, ~UINT64_C(0));
    chip_rxctx_decode(raw, &rx);
}

TEST(context, each_transmit_field_has_its_own_bits)
{
    struct chip_txctx want = { 0 };

#define ALONE(field, lsb, width, value)                                        \
    tx_only(lsb, width);                                                       \
    want = (struct chip_txctx) { .field = value };                             \
    CHECK_BYTES(&tx, &want, sizeof(tx))
    ALONE(head, 0, 13, 0x1FFF);
    ALONE(new_context, 30, 1, true);
    ALONE(base, 32, 57, ~UINT64_C(0x7F));
    ALONE(fd, 91, 1, true);
    ALONE(head_wb, 160, 1, true);
    ALONE(qlen, 161, 13, 0x1FFF);
    ALONE(head_wb_addr, 192, 64, ~UINT64_C(0));
    ALONE(qs_handle, 980, 10, 0x3FF);
#undef ALONE
}

TEST(context, each_receive_field_has_its_own_bits)
{
    struct chip_rxctx want = { 0 };

#define ALONE(field, lsb, width, value)                                        \
    rx_only(lsb, width);                                                       \
    want = (struct chip_rxctx) { .desc_bytes = 16 };                           \
    want.field = value;                                                        \
    CHECK_BYTES(&rx, &want, sizeof(rx))
    ALONE(head, 0, 13, 0x1FFF);
    ALONE(base, 32, 57, ~UINT64_C(0x7F));
    ALONE(qlen, 89, 13, 0x1FFF);
    ALONE(buffer, 102, 7, 127 * 128);
    ALONE(header, 109, 5, 31 * 64);
    ALONE(dtype, 114, 2, 3);
    ALONE(desc_bytes, 116, 1, 32);
    ALONE(crc_strip, 117, 1, true);
    ALONE(l2tsel, 119, 1, true);
    ALONE(max_frame, 174, 14, 0x3FFF);
    ALONE(prefetch, 201, 1, true);
#undef ALONE
}

TEST(context, the_bytes_that_ipxe_writes_mean_what_it_meant)
{
    memset(raw, 0, sizeof(raw));
    put_le16(raw + 2, 0x4000);           /* new */
    put_le64(raw + 4, 0x12345680u >> 7); /* base */
    put_le16(raw + 20, 64 << 1);         /* count */
    put_le16(raw + 122, 0x20 << 4);      /* queue set */
    chip_txctx_decode(raw, &tx);
    CHECK(tx.new_context);
    CHECK_EQ(tx.base, 0x12345680);
    CHECK_EQ(tx.qlen, 64);
    CHECK_EQ(tx.qs_handle, 0x20);
    memset(raw, 0, sizeof(raw));
    put_le64(raw + 4, 0x12345680u >> 7 | UINT64_C(64) << 57);
    put_le16(raw + 12, 2048 >> 1); /* buffer */
    raw[14] = 0x30;                /* 32-byte descriptors, CRC strip */
    put_le16(raw + 22, 1536 >> 2); /* maximum frame */
    chip_rxctx_decode(raw, &rx);
    CHECK_EQ(rx.base, 0x12345680);
    CHECK_EQ(rx.qlen, 64);
    CHECK_EQ(rx.buffer, 2048);
    CHECK_EQ(rx.desc_bytes, 32);
    CHECK(rx.crc_strip);
    CHECK_EQ(rx.max_frame, 1536);
}

static const struct chip_txctx good_tx = {
    .base = 0x1000, .qlen = 512, .new_context = true, .qs_handle = 0x20
};
static const struct chip_rxctx good_rx = { .base = 0x1000,
                                           .qlen = 512,
                                           .buffer = 2048,
                                           .desc_bytes = 32,
                                           .max_frame = 9728 };

TEST(context, good_contexts_break_no_rule)
{
    CHECK(chip_txctx_fault(&good_tx, 0) == NULL);
    CHECK(chip_rxctx_fault(&good_rx, 0) == NULL);
}

TEST(context, each_transmit_rule_is_found)
{
#define BREAKS(field, value, name, is_fatal)                                   \
    tx = good_tx;                                                              \
    tx.field = value;                                                          \
    CHECK(chip_txctx_fault(&tx, 0) != NULL);                                   \
    CHECK_STR(chip_txctx_fault(&tx, 0)->rule, name);                           \
    CHECK_EQ(chip_txctx_fault(&tx, 0)->fatal, is_fatal)
    BREAKS(base, 0, "tx-ctx-base", true);
    BREAKS(qlen, 0, "tx-ctx-qlen", true);
    BREAKS(qlen, 8161, "tx-ctx-qlen", true);
    BREAKS(qlen, 100, "tx-ctx-qlen-step", false);
    BREAKS(head, 512, "tx-ctx-head", true);
    BREAKS(new_context, false, "tx-ctx-new", false);
    BREAKS(head_wb, true, "tx-ctx-head-wb", true); /* address 0 */
#undef BREAKS
}

TEST(context, each_receive_rule_is_found)
{
#define BREAKS(field, value, name, is_fatal)                                   \
    rx = good_rx;                                                              \
    rx.field = value;                                                          \
    CHECK(chip_rxctx_fault(&rx, 0) != NULL);                                   \
    CHECK_STR(chip_rxctx_fault(&rx, 0)->rule, name);                           \
    CHECK_EQ(chip_rxctx_fault(&rx, 0)->fatal, is_fatal)
    BREAKS(base, 0, "rx-ctx-base", true);
    BREAKS(qlen, 0, "rx-ctx-qlen", true);
    BREAKS(qlen, 33, "rx-ctx-qlen-step", false);
    BREAKS(head, 600, "rx-ctx-head", true);
    BREAKS(max_frame, 0, "rx-ctx-rxmax", false);
    BREAKS(dtype, 1, "rx-ctx-split", true);
#undef BREAKS
    rx = good_rx;
    rx.buffer = 512;
    rx.max_frame = 512;
    CHECK_STR(chip_rxctx_fault(&rx, 0)->rule, "rx-ctx-buffer");
}

TEST(context, all_broken_rules_are_listed)
{
    tx = good_tx;
    tx.base = 0;
    tx.new_context = false;
    CHECK_STR(chip_txctx_fault(&tx, 0)->rule, "tx-ctx-base");
    CHECK_STR(chip_txctx_fault(&tx, 1)->rule, "tx-ctx-new");
    CHECK(chip_txctx_fault(&tx, 2) == NULL);
}

TEST(context, a_queue_with_a_fatal_fault_does_not_start)
{
    rig_open();
    context_bits(rig_tx_default(0), 161, 13, 0);
    CHECK(!rig_tx_on(0));
    CHECK_STR(rig.rule, "tx-ctx-qlen");
    context_bits(rig_rx_default(0, 32, 2048), 102, 7, 4);
    CHECK(!rig_rx_on(0));
    CHECK_CONTAINS(rig.rules, "rx-ctx-buffer");
}

TEST(context, a_foreign_queue_set_is_told)
{
    rig_open();
    context_bits(rig_tx_default(0), 980, 10, 0x3FF);
    CHECK(rig_tx_on(0));
    CHECK_STR(rig.rule, "tx-ctx-qs-handle");
}

TEST(context, a_good_queue_starts_without_complaint)
{
    rig_open();
    rig_tx_default(0);
    rig_rx_default(0, 16, 2048);
    CHECK(rig_tx_on(0));
    CHECK(rig_rx_on(0));
    CHECK_STR(rig.rules, "");
}
