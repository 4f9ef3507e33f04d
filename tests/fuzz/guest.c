/*
 * guest.c - a chip under fuzz: guest memory that bites, a wire that loops
 */
#include <sanitizer/asan_interface.h>

#include "tests/fake/chip_ring.h"
#include "tests/fuzz/guest.h"

#define LOOPS_MAX  64 /* frames forwarded in one step */
#define AQ_ENTRIES 32u

struct guest guest;

/* ---- what the chip asks of the world ---- */

static void *on_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                    bool write, size_t *got)
{
    const uint64_t at = addr - GUEST_BUS;
    size_t n = len;

    (void)ctx, (void)pf, (void)write;
    FUZZ_CHECK(len != 0);
    if (addr < GUEST_BUS || at >= GUEST_BYTES)
        return NULL;
    if (n > GUEST_BYTES - at)
        n = GUEST_BYTES - (size_t)at;
    if (guest.cut != 0 && n > guest.cut - at % guest.cut)
        n = guest.cut - (size_t)(at % guest.cut);
    ASAN_UNPOISON_MEMORY_REGION(guest.mem + at, n);
    *got = n;
    return guest.mem + at;
}

static void on_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx;
    FUZZ_CHECK(pf < 2 && vector < 129);
}

static void on_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx, (void)asserted;
    FUZZ_CHECK(pf < 2);
}

static void on_wire(void *ctx, unsigned port, const uint8_t *frame, size_t len)
{
    uint8_t sum = 0;

    (void)ctx;
    FUZZ_CHECK(port < 2 && len >= 60 && len <= CHIP_FRAME_MAX);
    for (size_t i = 0; i < len; i++) /* every byte of it is ours to read */
        sum ^= frame[i];
    guest.frames += 1 + (sum & 0);
    if (!guest.loops || guest.looped >= LOOPS_MAX)
        return;
    guest.looped++;
    (void)chip_wire_rx(guest.chip, port ^ 1, frame, len, (len & 1) != 0);
}

static void on_complain(void *ctx, unsigned pf, const char *rule,
                        const char *text)
{
    (void)ctx;
    FUZZ_CHECK(pf < 2 && strlen(rule) > 0 && strlen(text) < 256);
    guest.complaints++;
}

/* ---- life ---- */

void guest_open(unsigned cut)
{
    const struct chip_config config = {
        .device_id = 0x1583,
        .ports = 2,
        .mac = { { 2, 0, 0, 0, 0, 0x10 }, { 2, 0, 0, 0, 0, 0x20 } },
        .fw_major = 6,
        .fw_minor = 1,
        .api_major = 1,
        .api_minor = 7,
        .queues_per_pf = 64,
        .sr_kib = 4,
        .link_up_at_reset = true,
    };
    const struct chip_host host = {
        .dma = on_dma,
        .msix = on_msix,
        .intx = on_intx,
        .wire_tx = on_wire,
        .complain = on_complain,
    };

    memset(&guest, 0, sizeof(guest));
    guest.cut = cut;
    guest.mem = calloc(1, GUEST_BYTES);
    guest.chip = chip_create(&config, &host);
    if (guest.mem == NULL || guest.chip == NULL)
        abort();
    for (unsigned pf = 0; pf < 2; pf++) {
        chip_cfg_write(guest.chip, pf, 4, 2, 0x0006);    /* bus master */
        chip_cfg_write(guest.chip, pf, 0x72, 2, 0x8000); /* MSI-X */
    }
    guest_rest();
    guest_pass(2000000000); /* power-on waits are over */
}

void guest_close(void)
{
    chip_destroy(guest.chip);
    ASAN_UNPOISON_MEMORY_REGION(guest.mem, GUEST_BYTES);
    free(guest.mem);
}

void guest_rest(void)
{
    guest.looped = 0;
    ASAN_POISON_MEMORY_REGION(guest.mem, GUEST_BYTES);
}

void guest_pass(uint64_t ns)
{
    guest.now_ns += ns;
    chip_advance(guest.chip, guest.now_ns);
}

/* ---- the driver's side of memory ---- */

/* Poison works on groups of eight bytes. */
static void touch(uint32_t at, bool poison)
{
    uint8_t *group = guest.mem + (at & ~7u);

    if (poison)
        ASAN_POISON_MEMORY_REGION(group, 8);
    else
        ASAN_UNPOISON_MEMORY_REGION(group, 8);
}

void guest_write(uint32_t at, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t to = (uint32_t)(at + i) % GUEST_BYTES;

        touch(to, false);
        guest.mem[to] = ((const uint8_t *)from)[i];
        touch(to, true);
    }
}

void guest_read(uint32_t at, void *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t from = (uint32_t)(at + i) % GUEST_BYTES;

        touch(from, false);
        ((uint8_t *)to)[i] = guest.mem[from];
        touch(from, true);
    }
}

void guest_write_input(uint32_t at, struct fuzz_in *in, size_t n)
{
    uint8_t piece[4096];

    n = fuzz_take_bytes(in, piece, n < sizeof(piece) ? n : sizeof(piece));
    guest_write(at, piece, n);
}

void guest_put(uint32_t at, unsigned bytes, uint64_t value)
{
    guest_write(at, &value, bytes);
}

void guest_bits(uint32_t at, unsigned lsb, unsigned width, uint64_t value)
{
    uint8_t raw[16];
    const uint32_t first = at + lsb / 8;

    guest_read(first, raw, sizeof(raw));
    context_bits(raw, lsb % 8, width, value);
    guest_write(first, raw, sizeof(raw));
}

void guest_reg_write(unsigned pf, uint32_t offset, uint32_t value)
{
    guest_rest();
    chip_reg_write(guest.chip, pf, offset, 4, value);
}

uint32_t guest_reg_read(unsigned pf, uint32_t offset)
{
    guest_rest();
    return (uint32_t)chip_reg_read(guest.chip, pf, offset, 4);
}

/* ---- a driver in the smallest ---- */

void guest_hmc(unsigned pf)
{
    context_memory_open(guest_reg_write, pf, GUEST_BUS + GUEST_AT_HMC,
                        GUEST_TX_CTX(pf), GUEST_RX_CTX(pf));
}

void guest_tx_context(unsigned pf)
{
    uint8_t raw[128];

    context_tx(raw, GUEST_BUS + GUEST_AT_TX_RING + 0x1000 * pf, GUEST_RING,
               0x20 + pf);
    guest_write(GUEST_AT_HMC + GUEST_TX_CTX(pf), raw, sizeof(raw));
}

void guest_rx_context(unsigned pf, unsigned desc_bytes, unsigned buffer)
{
    uint8_t raw[32];

    context_rx(raw, GUEST_BUS + GUEST_AT_RX_RING + 0x1000 * pf, GUEST_RING,
               desc_bytes, buffer);
    guest_write(GUEST_AT_HMC + GUEST_RX_CTX(pf), raw, sizeof(raw));
}

void guest_tx_enable(unsigned pf)
{
    guest_reg_write(pf, R_QTX_CTL, 2 | pf << 2);
    guest_reg_write(pf, R_QTX_HEAD, 0);
    guest_reg_write(pf, R_QTX_ENA, 1);
}

void guest_rx_enable(unsigned pf)
{
    guest_reg_write(pf, R_QRX_TAIL, 0);
    guest_reg_write(pf, R_QRX_ENA, 1);
}

void guest_rx_post(unsigned pf, unsigned n, unsigned desc_bytes)
{
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at = GUEST_AT_RX_RING + 0x1000 * pf + i * desc_bytes;

        guest_put(at, 8, GUEST_BUS + GUEST_AT_BUFFERS + i * 2048);
        guest_put(at + 8, 8, 0);
    }
    guest_reg_write(pf, R_QRX_TAIL, n);
}

void guest_aq_open(unsigned pf)
{
    const uint64_t atq = GUEST_BUS + GUEST_AT_ATQ + 0x800 * pf;
    const uint64_t arq = GUEST_BUS + GUEST_AT_ARQ + 0x800 * pf;

    guest_reg_write(pf, 0x80200, AQ_ENTRIES | 1u << 31);
    guest_reg_write(pf, 0x80000, (uint32_t)atq);
    guest_reg_write(pf, 0x80100, (uint32_t)(atq >> 32));
    guest_reg_write(pf, 0x80280, AQ_ENTRIES | 1u << 31);
    guest_reg_write(pf, 0x80080, (uint32_t)arq);
    guest_reg_write(pf, 0x80180, (uint32_t)(arq >> 32));
    for (unsigned i = 0; i < AQ_ENTRIES; i++) {
        const uint32_t at = GUEST_AT_ARQ + 0x800 * pf + 32 * i;

        guest_put(at, 8, 0x1200 | UINT64_C(512) << 32);
        guest_put(at + 24, 4, GUEST_BUS >> 32);
        guest_put(at + 28, 4, (uint32_t)(GUEST_BUS + GUEST_AT_BUFFERS));
    }
    guest_reg_write(pf, 0x80480, AQ_ENTRIES - 1);
}

void guest_aq_send(unsigned pf, const uint8_t desc[32])
{
    const uint32_t tail = guest_reg_read(pf, 0x80400) % AQ_ENTRIES;

    guest_write(GUEST_AT_ATQ + 0x800 * pf + 32 * tail, desc, 32);
    guest_reg_write(pf, 0x80400, (tail + 1) % AQ_ENTRIES);
}

void guest_promiscuous(unsigned pf)
{
    uint8_t desc[32], seid[2];

    command_get_switch(desc, GUEST_BUS + GUEST_AT_AQBUF, 512);
    guest_aq_send(pf, desc);
    guest_read(GUEST_AT_AQBUF + 18, seid, sizeof(seid));
    command_promiscuous(desc, le16(seid), 7);
    guest_aq_send(pf, desc);
}
