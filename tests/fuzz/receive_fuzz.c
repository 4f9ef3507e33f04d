/*
 * receive_fuzz.c - any frame through parser, filters, hash and rings
 *
 * setup (1), vlan mode (1), hash input set (8), hash enable (8), then frames:
 * length (2) and its first bytes.
 */
#include "chip/bytes.h"
#include "tests/fuzz/guest.h"

#define FRAMES_MAX 64

enum setup {
    SETUP_CUT = 1 << 0,
    SETUP_WIDE = 1 << 1,
    SETUP_SMALL = 1 << 2,
    SETUP_KEEP_FCS = 1 << 3,
    SETUP_TUNNELS = 1 << 4, /* VXLAN and Geneve ports */
    SETUP_SYMMETRIC = 1 << 5,
    SETUP_LUT512 = 1 << 6,
    SETUP_REPOST = 1 << 7, /* the driver takes what came and posts again */
};

static void tunnel(uint16_t udp_port, uint8_t type)
{
    uint8_t desc[32] = { 0 };

    put_le16(desc + 2, 0x0B00);
    put_le16(desc + 16, udp_port);
    desc[19] = type;
    guest_aq_send(0, desc);
}

static void hash_setup(struct fuzz_in *in, unsigned setup)
{
    const uint64_t inset = fuzz_take(in, 8), enable = fuzz_take(in, 8);

    for (unsigned p = 29; p < 64; p++) {
        guest_reg_write(0, 0x267600 + 8 * p, (uint32_t)inset);
        guest_reg_write(0, 0x267604 + 8 * p, (uint32_t)(inset >> 32));
        guest_reg_write(0, 0x269D00 + 4 * p, setup & SETUP_SYMMETRIC ? 1 : 0);
    }
    guest_reg_write(0, 0x256E60, setup & SETUP_SYMMETRIC ? 1 : 0);
    guest_reg_write(0, 0x1C0AC0, setup & SETUP_LUT512 ? 1u << 16 : 0);
    guest_reg_write(0, 0x245900, (uint32_t)enable);
    guest_reg_write(0, 0x245980, (uint32_t)(enable >> 32));
    for (unsigned i = 0; i < 13; i++)
        guest_reg_write(0, 0x244800 + 0x80 * i, 0x9E3779B9u * (i + 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);
    const unsigned bytes = setup & SETUP_WIDE ? 32 : 16;

    guest_open(setup & SETUP_CUT ? 256 : 0);
    guest_hmc(0);
    guest_aq_open(0);
    guest_promiscuous(0);
    guest_rx_context(0, bytes, setup & SETUP_SMALL ? 1024 : 2048);
    guest_bits(GUEST_AT_HMC + GUEST_RX_CTX(0), 117, 1,
               setup & SETUP_KEEP_FCS ? 0 : 1);
    guest_rx_enable(0);
    guest_rx_post(0, GUEST_RING - 1, bytes);
    if (setup & SETUP_TUNNELS) {
        tunnel(4789, 0);
        tunnel(6081, 1);
    }
    hash_setup(&in, setup);
    for (unsigned n = 0; n < FRAMES_MAX && in.left > 0; n++) {
        const size_t len = 14 + fuzz_take(&in, 2) % (CHIP_FRAME_MAX - 13);
        const size_t given = in.left < len ? in.left : len;
        uint8_t *frame = calloc(1, len); /* not a byte longer */

        if (frame == NULL)
            abort();
        fuzz_take_bytes(&in, frame, given < 128 ? given : 128);
        guest_rest();
        (void)chip_wire_rx(guest.chip, 0, frame, len, (len & 1) != 0);
        free(frame);
        guest_pass(100000);
        if (setup & SETUP_REPOST)
            guest_rx_post(0, GUEST_RING - 1 - n % 8, bytes);
    }
    guest_close();
    return 0;
}
