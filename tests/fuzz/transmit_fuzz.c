/*
 * transmit_fuzz.c - any descriptors before any bytes, and what they become on
 * the other port
 *
 * setup (1), bytes of the packet buffer (2 + n), then descriptors of 16 bytes:
 * the address is taken modulo memory unless bit 63 is set.
 */
#include "chip/bytes.h"
#include "tests/fuzz/guest.h"

#define DESCS_MAX 256

enum setup {
    SETUP_CUT = 1 << 0,
    SETUP_HEAD_WB = 1 << 1,
    SETUP_FD = 1 << 2,   /* flow director, filters may be programmed */
    SETUP_LOOP = 1 << 3, /* to the other port, else nowhere */
    SETUP_MAC_LOOP = 1 << 4,
    SETUP_SMALL = 1 << 5, /* receive buffers of 1 KiB */
    SETUP_WIDE = 1 << 6,  /* receive descriptors of 32 bytes */
    SETUP_POLLED = 1 << 7,
};

static uint32_t tails[2][2048];

static void open_ports(unsigned setup)
{
    const unsigned bytes = setup & SETUP_WIDE ? 32 : 16;

    guest_open(setup & SETUP_CUT ? 256 : 0);
    guest.loops = setup & SETUP_LOOP;
    for (unsigned pf = 0; pf < 2; pf++) {
        guest_hmc(pf);
        guest_aq_open(pf);
        guest_promiscuous(pf);
        guest_rx_context(pf, bytes, setup & SETUP_SMALL ? 1024 : 2048);
        guest_rx_enable(pf);
        guest_rx_post(pf, GUEST_RING - 1, bytes);
    }
    if (setup & SETUP_MAC_LOOP) {
        uint8_t desc[32] = { 0 };

        put_le16(desc + 2, 0x0618);
        put_le16(desc + 16, 1);
        guest_aq_send(0, desc);
    }
    guest_tx_context(0);
    if (setup & SETUP_HEAD_WB) {
        const uint32_t at = GUEST_AT_HMC + GUEST_TX_CTX(0);

        guest_bits(at, 160, 1, 1);
        guest_bits(at, 192, 64, GUEST_BUS + GUEST_AT_TX_RING + 0xF00);
    }
    guest_bits(GUEST_AT_HMC + GUEST_TX_CTX(0), 91, 1, setup & SETUP_FD ? 1 : 0);
    if (setup & SETUP_FD)
        for (unsigned pf = 0; pf < 2; pf++)
            guest_reg_write(pf, 0x1C0AC0, 1u << 17); /* PFQF_CTL_0.FD_ENA */
    guest_tx_enable(0);
    if (setup & SETUP_POLLED) {
        memset(tails, 0, sizeof(tails));
        chip_doorbells_set(guest.chip, 0, tails[0], tails[1]);
    }
}

static void ring(unsigned setup, uint32_t tail)
{
    guest_rest();
    if (setup & SETUP_POLLED)
        tails[0][0] = tail;
    else
        chip_reg_write(guest.chip, 0, 0x108000, 4, tail);
    (void)chip_poll(guest.chip, 64);
    guest_pass(10000);
}

/* A malicious-driver event stopped the queue: clear it and start again. */
static bool restarted(unsigned setup)
{
    if ((guest_reg_read(0, 0xE6480) >> 31) == 0)
        return false;
    guest_reg_write(0, 0xE6480, UINT32_MAX);
    guest_reg_write(0, 0xE6400, UINT32_MAX);
    guest_reg_write(0, 0xE6500, 1u << 30);
    guest_reg_write(0, 0x100000, 0);
    guest_reg_write(0, 0xE6500, 1u << 31);
    if (setup & SETUP_POLLED)
        tails[0][0] = 0;
    guest_tx_enable(0);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);
    uint32_t tail = 0;

    open_ports(setup);
    guest_write_input(GUEST_AT_BUFFERS, &in, fuzz_take(&in, 2) % 512);
    for (unsigned n = 0; n < DESCS_MAX && in.left > 0; n++) {
        uint64_t qw0 = fuzz_take(&in, 8);
        const uint64_t qw1 = fuzz_take(&in, 8);

        if (!(qw0 >> 63))
            qw0 = GUEST_BUS + GUEST_AT_BUFFERS + qw0 % 0x20000;
        guest_put(GUEST_AT_TX_RING + 16 * tail, 8, qw0);
        guest_put(GUEST_AT_TX_RING + 16 * tail + 8, 8, qw1);
        tail = (tail + 1) % GUEST_RING;
        if (qw1 & 1 << 4) /* EOP */
            ring(setup, tail);
        if (restarted(setup))
            tail = 0;
    }
    guest_close();
    return 0;
}
