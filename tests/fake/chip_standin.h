/*
 * chip_standin.h - the least that the model's server takes for a chip
 *
 * Include it in one test program: it defines the functions of chip.h, so that
 * the real chip stays out of the link. Registers and configuration space are
 * plain memory; what was called is counted.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"

struct chip {
    struct chip_host host;
    uint8_t regs[CHIP_PF_MAX][CHIP_BAR0_BYTES];
    uint8_t cfg[CHIP_PF_MAX][4096];
    uint32_t *tails[CHIP_PF_MAX][2];
    unsigned power_ons[CHIP_PF_MAX];
    unsigned reg_accesses;
    unsigned reg_bytes_last;
    bool link[CHIP_PF_MAX];
    bool strict;
    unsigned rx_room; /* frames that chip_wire_rx takes before it says wait */
    unsigned rx_frames;
    uint8_t rx_last[CHIP_FRAME_MAX];
    size_t rx_last_len;
    unsigned faults;
    enum chip_fault fault;
    struct chip_fault_args fault_args;
};

/* MSI at 0x50 with one vector, MSI-X at 0x70 with 129, as on the XL710. */
static void standin_cfg_reset(struct chip *chip, unsigned pf)
{
    uint8_t *cfg = chip->cfg[pf];

    memset(cfg, 0, sizeof(chip->cfg[pf]));
    memcpy(cfg, "\x86\x80\x83\x15", 4);
    cfg[0x06] = 0x10;
    cfg[0x34] = 0x50;
    cfg[0x3d] = (uint8_t)(1 + pf);
    cfg[0x50] = 0x05;
    cfg[0x51] = 0x70;
    cfg[0x70] = 0x11;
    cfg[0x72] = 128;
}

struct chip *chip_create(const struct chip_config *config,
                         const struct chip_host *host)
{
    struct chip *chip = calloc(1, sizeof(*chip));

    (void)config;
    if (host != NULL)
        chip->host = *host;
    for (unsigned pf = 0; pf < CHIP_PF_MAX; pf++) {
        standin_cfg_reset(chip, pf);
        chip->link[pf] = true;
    }
    chip->rx_room = UINT32_MAX;
    return chip;
}

void chip_destroy(struct chip *chip)
{
    free(chip);
}

void chip_power_on(struct chip *chip, unsigned pf)
{
    chip->power_ons[pf]++;
    standin_cfg_reset(chip, pf);
    memset(chip->regs[pf], 0, sizeof(chip->regs[pf]));
}

uint64_t chip_reg_read(struct chip *chip, unsigned pf, uint32_t offset,
                       unsigned bytes)
{
    uint64_t v = 0;

    chip->reg_accesses++;
    chip->reg_bytes_last = bytes;
    memcpy(&v, &chip->regs[pf][offset], bytes);
    return v;
}

void chip_reg_write(struct chip *chip, unsigned pf, uint32_t offset,
                    unsigned bytes, uint64_t value)
{
    chip->reg_accesses++;
    chip->reg_bytes_last = bytes;
    memcpy(&chip->regs[pf][offset], &value, bytes);
}

uint32_t chip_cfg_read(struct chip *chip, unsigned pf, unsigned offset,
                       unsigned bytes)
{
    uint32_t v = 0;

    memcpy(&v, &chip->cfg[pf][offset], bytes);
    return v;
}

void chip_cfg_write(struct chip *chip, unsigned pf, unsigned offset,
                    unsigned bytes, uint32_t value)
{
    memcpy(&chip->cfg[pf][offset], &value, bytes);
}

void chip_doorbells_set(struct chip *chip, unsigned pf, uint32_t *qtx_tail,
                        uint32_t *qrx_tail)
{
    chip->tails[pf][0] = qtx_tail;
    chip->tails[pf][1] = qrx_tail;
}

void chip_advance(struct chip *chip, uint64_t now_ns)
{
    (void)chip;
    (void)now_ns;
}

unsigned chip_poll(struct chip *chip, unsigned budget)
{
    (void)chip;
    (void)budget;
    return 0;
}

bool chip_wire_rx(struct chip *chip, unsigned port, const uint8_t *frame,
                  size_t len, bool may_wait)
{
    (void)port;
    (void)may_wait;
    if (chip->rx_room == 0)
        return false;
    chip->rx_room--;
    chip->rx_frames++;
    memcpy(chip->rx_last, frame, len);
    chip->rx_last_len = len;
    return true;
}

void chip_link_set(struct chip *chip, unsigned port, bool up)
{
    chip->link[port] = up;
}

bool chip_link_get(struct chip *chip, unsigned port)
{
    return chip->link[port];
}

void chip_strict_set(struct chip *chip, bool strict)
{
    chip->strict = strict;
}

void chip_fault(struct chip *chip, enum chip_fault fault,
                const struct chip_fault_args *args)
{
    chip->faults++;
    chip->fault = fault;
    chip->fault_args = *args;
}
