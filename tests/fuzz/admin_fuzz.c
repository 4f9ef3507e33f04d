/*
 * admin_fuzz.c - any admin command, with any flags, lengths and buffers
 *
 * A step: how (1), opcode index or opcode (2), flags (2), length (2), bytes of
 * parameters (16), how much buffer to fill (1), the buffer. Bits of @how keep
 * flags and buffer address sane, so that handlers are reached.
 */
#include "chip/bytes.h"
#include "tests/fuzz/guest.h"

#define STEPS_MAX 64

/* Opcodes that a driver knows (Linux i40e_adminq_cmd.h). */
static const uint16_t opcodes[] = {
    0x0001, 0x0002, 0x0003, 0x0004, 0x0008, 0x0009, 0x000A, 0x000B, 0x0107,
    0x0108, 0x0110, 0x0200, 0x0201, 0x0202, 0x0203, 0x0204, 0x0205, 0x0206,
    0x0207, 0x0210, 0x0211, 0x0212, 0x0213, 0x0220, 0x0221, 0x0222, 0x0230,
    0x0231, 0x0232, 0x0234, 0x0243, 0x0250, 0x0251, 0x0252, 0x0253, 0x0254,
    0x0255, 0x0256, 0x0257, 0x0258, 0x0259, 0x025A, 0x025B, 0x025C, 0x025D,
    0x025E, 0x025F, 0x0260, 0x0261, 0x0270, 0x0271, 0x0301, 0x0302, 0x0303,
    0x0400, 0x0406, 0x0407, 0x0408, 0x040A, 0x0410, 0x0413, 0x0414, 0x0415,
    0x0416, 0x0417, 0x0418, 0x0419, 0x041A, 0x041B, 0x041C, 0x041D, 0x0500,
    0x0501, 0x0600, 0x0601, 0x0603, 0x0605, 0x0607, 0x0613, 0x0614, 0x0615,
    0x0616, 0x0618, 0x0622, 0x0628, 0x0629, 0x0701, 0x0702, 0x0703, 0x0704,
    0x0705, 0x0706, 0x0707, 0x0720, 0x0801, 0x0802, 0x0803, 0x0900, 0x0901,
    0x0902, 0x0903, 0x0904, 0x0A00, 0x0A01, 0x0A02, 0x0A05, 0x0A06, 0x0A07,
    0x0A08, 0x0A09, 0x0A0A, 0x0B00, 0x0B01, 0x0B02, 0x0B03, 0x0B04, 0x0B05,
    0xFF00, 0xFF01, 0xFF03, 0xFF04, 0xFF07, 0xFF08,
};

enum how {
    HOW_KNOWN = 1 << 0,   /* an opcode of the table */
    HOW_FLAGS = 1 << 1,   /* flags as the buffer needs them */
    HOW_BUFFER = 1 << 2,  /* a buffer in memory */
    HOW_END = 1 << 3,     /* ... that ends with memory */
    HOW_ELEMENT = 1 << 4, /* the first parameter word is a SEID that exists */
    HOW_OTHER = 1 << 5,   /* function 1 speaks */
    HOW_TIME = 1 << 6,    /* a second passes */
    HOW_FRAME = 1 << 7,   /* a frame arrives: filters work */
};

static uint16_t opcode_of(struct fuzz_in *in, unsigned how)
{
    const uint16_t v = (uint16_t)fuzz_take(in, 2);

    return how & HOW_KNOWN ? opcodes[v % (sizeof(opcodes) / sizeof(opcodes[0]))]
                           : v;
}

static void step(struct fuzz_in *in)
{
    static const uint16_t seids[] = { 2, 3, 16, 17, 512, 513, 514, 515 };
    const unsigned how = (unsigned)fuzz_take(in, 1);
    const unsigned pf = how & HOW_OTHER ? 1 : 0;
    uint64_t bus = GUEST_BUS + GUEST_AT_AQBUF;
    uint8_t desc[32] = { 0 };

    put_le16(desc + 2, opcode_of(in, how));
    put_le16(desc, (uint16_t)fuzz_take(in, 2));
    put_le16(desc + 4, (uint16_t)fuzz_take(in, 2));
    fuzz_take_bytes(in, desc + 16, 16);
    if (how & HOW_ELEMENT)
        put_le16(desc + 16, seids[desc[16] % 8]);
    if (how & HOW_FLAGS)
        put_le16(desc, le16(desc) & 0x0400 ? 0x1600 : 0x1200);
    if (how & HOW_END)
        bus = GUEST_BUS + GUEST_BYTES - le16(desc + 4);
    if (how & HOW_BUFFER) {
        put_le32(desc + 24, (uint32_t)(bus >> 32));
        put_le32(desc + 28, (uint32_t)bus);
    }
    guest_write_input((uint32_t)(bus - GUEST_BUS), in, fuzz_take(in, 1));
    guest_aq_send(pf, desc);
    if (how & HOW_TIME)
        guest_pass(1000000000);
    if (how & HOW_FRAME)
        (void)chip_wire_rx(guest.chip, pf, desc, 16, false);
    /* A critical error stops the queue: open it again. */
    if (guest_reg_read(pf, 0x80200) >> 30 & 1)
        guest_aq_open(pf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };

    guest_open(fuzz_take(&in, 1) & 1 ? 256 : 0);
    guest_aq_open(0);
    guest_aq_open(1);
    for (unsigned n = 0; n < STEPS_MAX && in.left > 0; n++)
        step(&in);
    guest_pass(10000000000);
    guest_close();
    return 0;
}
