/*
 * guest.c - a chip under fuzz: guest memory that bites, a wire that loops
 */
#include <sanitizer/asan_interface.h>

#include "chip/bytes.h"
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
    for (unsigned i = 0; i < width; i++) {
        const unsigned bit = lsb % 8 + i;

        raw[bit / 8] &= (uint8_t) ~(1u << bit % 8);
        raw[bit / 8] |= (uint8_t)((value >> i & 1) << bit % 8);
    }
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
    const uint64_t bus = GUEST_BUS + GUEST_AT_HMC;

    guest_reg_write(pf, 0xC0200, (uint32_t)(bus >> 32));        /* SDDATAHIGH */
    guest_reg_write(pf, 0xC0100, (uint32_t)bus | 512 << 2 | 3); /* SDDATALOW */
    guest_reg_write(pf, 0xC0000, 0x80000000);                   /* SDCMD */
    guest_reg_write(pf, 0xC6200 + 4 * pf,
                    GUEST_TX_CTX(pf) / 512); /* LANTXBASE */
    guest_reg_write(pf, 0xC6300 + 4 * pf, 64);
    guest_reg_write(pf, 0xC6400 + 4 * pf, GUEST_RX_CTX(pf) / 512);
    guest_reg_write(pf, 0xC6500 + 4 * pf, 64);
}

void guest_tx_context(unsigned pf)
{
    const uint32_t at = GUEST_AT_HMC + GUEST_TX_CTX(pf);

    guest_bits(at, 30, 1, 1); /* new */
    guest_bits(at, 32, 57, (GUEST_BUS + GUEST_AT_TX_RING + 0x1000 * pf) / 128);
    guest_bits(at, 161, 13, GUEST_RING);
    guest_bits(at, 980, 10, 0x20 + pf);
}

void guest_rx_context(unsigned pf, unsigned desc_bytes, unsigned buffer)
{
    const uint32_t at = GUEST_AT_HMC + GUEST_RX_CTX(pf);

    guest_bits(at, 32, 57, (GUEST_BUS + GUEST_AT_RX_RING + 0x1000 * pf) / 128);
    guest_bits(at, 89, 13, GUEST_RING);
    guest_bits(at, 102, 7, buffer / 128);
    guest_bits(at, 116, 1, desc_bytes == 32);
    guest_bits(at, 117, 1, 1);
    guest_bits(at, 174, 14, 5 * buffer < 9728 ? 5 * buffer : 9728);
}

void guest_tx_enable(unsigned pf)
{
    guest_reg_write(pf, 0x104000, 2 | pf << 2); /* QTX_CTL */
    guest_reg_write(pf, 0xE4000, 0);            /* QTX_HEAD */
    guest_reg_write(pf, 0x100000, 1);           /* QTX_ENA */
}

void guest_rx_enable(unsigned pf)
{
    guest_reg_write(pf, 0x128000, 0); /* QRX_TAIL */
    guest_reg_write(pf, 0x120000, 1); /* QRX_ENA */
}

void guest_rx_post(unsigned pf, unsigned n, unsigned desc_bytes)
{
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at = GUEST_AT_RX_RING + 0x1000 * pf + i * desc_bytes;

        guest_put(at, 8, GUEST_BUS + GUEST_AT_BUFFERS + i * 2048);
        guest_put(at + 8, 8, 0);
    }
    guest_reg_write(pf, 0x128000, n);
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

/* 0x0200 names the main VSI, 0x0254 opens it. */
void guest_promiscuous(unsigned pf)
{
    uint8_t desc[32] = { 0 }, element[2];

    put_le16(desc, 0x1000 | 0x0200);
    put_le16(desc + 2, 0x0200);
    put_le16(desc + 4, 512);
    put_le32(desc + 24, (uint32_t)((GUEST_BUS + GUEST_AT_AQBUF) >> 32));
    put_le32(desc + 28, (uint32_t)(GUEST_BUS + GUEST_AT_AQBUF));
    guest_aq_send(pf, desc);
    guest_read(GUEST_AT_AQBUF + 18, element, sizeof(element));
    memset(desc, 0, sizeof(desc));
    put_le16(desc + 2, 0x0254);
    put_le16(desc + 16, 7);
    put_le16(desc + 18, 7);
    put_le16(desc + 20, le16(element));
    guest_aq_send(pf, desc);
}
