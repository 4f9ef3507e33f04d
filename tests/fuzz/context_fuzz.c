/*
 * context_fuzz.c - queues with any context, and traffic through what starts
 *
 * setup (1), then transmit context (128) and receive context (32) of queue 0;
 * bits of @setup make single fields usable again. The rest of the input is the
 * rings' memory, then a frame.
 */
#include "tests/fuzz/guest.h"

enum setup {
    SETUP_CUT = 1 << 0,
    SETUP_TX_BASE = 1 << 1, /* ring inside memory */
    SETUP_RX_BASE = 1 << 2,
    SETUP_TX_LENGTH = 1 << 3, /* a ring of 64 */
    SETUP_RX_LENGTH = 1 << 4,
    SETUP_RX_SIZES = 1 << 5, /* buffer and RXMAX that can be */
    SETUP_HEADS = 1 << 6,    /* heads 0 */
    SETUP_ON_CHIP = 1 << 7,  /* by PFCM lines instead of the HMC */
};

static void mend(unsigned setup)
{
    const uint32_t tx = GUEST_AT_HMC + GUEST_TX_CTX(0);
    const uint32_t rx = GUEST_AT_HMC + GUEST_RX_CTX(0);

    if (setup & SETUP_TX_BASE)
        guest_bits(tx, 32, 57, (GUEST_BUS + GUEST_AT_TX_RING) / 128);
    if (setup & SETUP_RX_BASE)
        guest_bits(rx, 32, 57, (GUEST_BUS + GUEST_AT_RX_RING) / 128);
    if (setup & SETUP_TX_LENGTH)
        guest_bits(tx, 161, 13, GUEST_RING);
    if (setup & SETUP_RX_LENGTH)
        guest_bits(rx, 89, 13, GUEST_RING);
    if (setup & SETUP_RX_SIZES) {
        guest_bits(rx, 102, 7, 2048 / 128);
        guest_bits(rx, 174, 14, 9728);
        guest_bits(rx, 114, 2, 0); /* no header split */
    }
    if (setup & SETUP_HEADS) {
        guest_bits(tx, 0, 13, 0);
        guest_bits(rx, 0, 13, 0);
    }
}

/* iPXE's way: lines of 16 bytes through registers. */
static void on_chip(bool is_tx)
{
    const uint32_t at =
        GUEST_AT_HMC + (is_tx ? GUEST_TX_CTX(0) : GUEST_RX_CTX(0));

    for (unsigned line = 0; line < (is_tx ? 8u : 2u); line++) {
        uint32_t word[4];

        guest_read(at + 16 * line, word, sizeof(word));
        for (unsigned i = 0; i < 4; i++)
            guest_reg_write(0, 0x10C100 + 0x80 * i, word[i]);
        guest_reg_write(0, 0x10C300,
                        line << 12 | (is_tx ? 1u : 0u) << 15 | 1u << 17);
    }
}

static void traffic(struct fuzz_in *in)
{
    uint8_t frame[1514] = { 0 };
    const size_t len = 14 + fuzz_take(in, 2) % (sizeof(frame) - 14);

    fuzz_take_bytes(in, frame, sizeof(frame));
    guest_reg_write(0, 0x128000, (uint32_t)fuzz_take(in, 2));
    guest_reg_write(0, 0x108000, (uint32_t)fuzz_take(in, 2));
    for (unsigned i = 0; i < 8; i++) {
        guest_rest();
        (void)chip_wire_rx(guest.chip, 0, frame, len, false);
        (void)chip_poll(guest.chip, 32);
        guest_pass(1000000);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);

    guest_open(setup & SETUP_CUT ? 256 : 0);
    guest_hmc(0);
    guest_aq_open(0);
    guest_promiscuous(0);
    guest_write_input(GUEST_AT_HMC + GUEST_TX_CTX(0), &in, 128);
    guest_write_input(GUEST_AT_HMC + GUEST_RX_CTX(0), &in, 32);
    mend(setup);
    if (setup & SETUP_ON_CHIP) {
        on_chip(true);
        on_chip(false);
    }
    guest_write_input(GUEST_AT_TX_RING, &in, 256);
    guest_write_input(GUEST_AT_RX_RING, &in, 256);
    guest_tx_enable(0);
    guest_rx_enable(0);
    traffic(&in);
    guest_reg_write(0, 0x100000, 0);
    guest_reg_write(0, 0x120000, 0);
    traffic(&in);
    guest_close();
    return 0;
}
