/*
 * registers_fuzz.c - a driver gone mad: any register, any order, any width
 *
 * An input is the cut of guest memory, then steps of one opcode byte each.
 * Offsets come raw or through the model's own table, so that most hit.
 */
#include "chip/regs.h"
#include "tests/fuzz/guest.h"

#define STEPS_MAX 400

static uint32_t doorbells[2][2][2048];

static uint32_t known_offset(struct fuzz_in *in)
{
    const struct chip_reg_row *row =
        &chip_reg_table[fuzz_take(in, 1) % CHIP_REG_COUNT];
    const uint32_t i = (uint32_t)fuzz_take(in, 2);

    /* Mostly the first entries, where queues and vectors are in use. */
    return row->offset + row->step * (i % (row->count < 4 ? row->count : 4));
}

/* Small, one bit and a little more, or anything. */
static uint32_t value(struct fuzz_in *in)
{
    const unsigned kind = (unsigned)fuzz_take(in, 1);

    if (kind < 0x80)
        return kind;
    if (kind < 0xC0)
        return 1u << (kind & 31) | (uint32_t)fuzz_take(in, 2) << 8;
    return (uint32_t)fuzz_take(in, 4);
}

static void any_access(struct fuzz_in *in, unsigned pf, bool write)
{
    const unsigned bytes = 1u << (fuzz_take(in, 1) & 3);
    const uint32_t offset = (uint32_t)fuzz_take(in, 3);

    if (write)
        chip_reg_write(guest.chip, pf, offset, bytes, fuzz_take(in, 8));
    else
        (void)chip_reg_read(guest.chip, pf, offset, bytes);
}

static void config(struct fuzz_in *in, unsigned pf, bool write)
{
    const unsigned bytes = 1u << (fuzz_take(in, 1) % 3);
    const unsigned offset = (unsigned)fuzz_take(in, 2) % 4096;

    if (write)
        chip_cfg_write(guest.chip, pf, offset, bytes,
                       (uint32_t)fuzz_take(in, 4));
    else
        (void)chip_cfg_read(guest.chip, pf, offset, bytes);
}

static void frame(struct fuzz_in *in, unsigned port)
{
    uint8_t bytes[2048] = { 0 };
    const size_t len = 14 + fuzz_take(in, 2) % 2000;

    fuzz_take_bytes(in, bytes, 64);
    (void)chip_wire_rx(guest.chip, port, bytes, len, (len & 1) != 0);
}

static void fault(struct fuzz_in *in, unsigned pf)
{
    const struct chip_fault_args args = {
        .pf = pf,
        .opcode = (uint32_t)fuzz_take(in, 2),
        .value = (uint32_t)fuzz_take(in, 2),
        .count = (uint32_t)fuzz_take(in, 1),
    };

    chip_fault(guest.chip,
               (enum chip_fault)(fuzz_take(in, 1) % (CHIP_FAULT_CLEAR + 1)),
               &args);
}

static void doorbell_memory(struct fuzz_in *in, unsigned pf)
{
    const unsigned what = (unsigned)fuzz_take(in, 1);
    const unsigned q = (unsigned)fuzz_take(in, 2) % 2048;

    if (what & 1)
        doorbells[pf][what >> 1 & 1][q] = (uint32_t)fuzz_take(in, 4);
    else if (what & 2)
        chip_doorbells_set(guest.chip, pf, doorbells[pf][0], doorbells[pf][1]);
    else
        chip_doorbells_set(guest.chip, pf, NULL, NULL);
}

static void step(struct fuzz_in *in)
{
    const unsigned op = (unsigned)fuzz_take(in, 1);
    const unsigned pf = op >> 7;

    guest_rest();
    switch (op & 0xF) {
    case 0:
    case 1:
    case 2:
    case 3:
        guest_reg_write(pf, known_offset(in), value(in));
        break;
    case 4:
        (void)guest_reg_read(pf, known_offset(in));
        break;
    case 5:
        any_access(in, pf, true);
        break;
    case 6:
        any_access(in, pf, false);
        break;
    case 7:
        config(in, pf, true);
        break;
    case 8:
        config(in, pf, false);
        break;
    case 9:
        guest_pass(fuzz_take(in, 2) << (op >> 4 & 7) * 3);
        break;
    case 10:
        (void)chip_poll(guest.chip, 1 + (unsigned)fuzz_take(in, 1));
        break;
    case 11:
        frame(in, pf);
        break;
    case 12:
        guest_write_input((uint32_t)fuzz_take(in, 3), in, 32);
        break;
    case 13:
        fault(in, pf);
        break;
    case 14:
        doorbell_memory(in, pf);
        break;
    default:
        if (op & 0x10)
            chip_power_on(guest.chip, pf);
        else
            chip_link_set(guest.chip, pf, (op & 0x20) != 0);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);

    guest_open(setup & 1 ? 256 : 0);
    memset(doorbells, 0, sizeof(doorbells));
    guest.loops = setup & 2;
    for (unsigned pf = 0; pf < 2 && (setup & 4); pf++) {
        guest_hmc(pf);
        guest_aq_open(pf);
        guest_promiscuous(pf);
        guest_tx_context(pf);
        guest_rx_context(pf, setup & 8 ? 32 : 16, 2048);
        guest_tx_enable(pf);
        guest_rx_enable(pf);
        guest_rx_post(pf, 16, setup & 8 ? 32 : 16);
    }
    for (unsigned n = 0; n < STEPS_MAX && in.left > 0; n++)
        step(&in);
    guest_close();
    return 0;
}
