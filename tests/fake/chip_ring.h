/*
 * chip_ring.h - what a driver writes for the chip model to work on: registers by
 * their offsets, queue contexts bit by bit, two admin commands
 *
 * It has neither a chip nor memory: unit tests, fuzzers and the bench have their
 * own, each of another kind.
 * Layouts: Linux i40e_register.h, i40e_lan_hmc.c, i40e_adminq_cmd.h.
 */
#pragma once

#include <stdint.h>
#include <string.h>

#include "chip/bytes.h"

/* BAR0 */
enum {
    R_SDCMD = 0xC0000,
    R_SDDATALOW = 0xC0100,
    R_SDDATAHIGH = 0xC0200,
    R_LANTXBASE = 0xC6200,
    R_LANTXCNT = 0xC6300,
    R_LANRXBASE = 0xC6400,
    R_LANRXCNT = 0xC6500,
    R_QTX_ENA = 0x100000,
    R_QTX_CTL = 0x104000,
    R_QTX_TAIL = 0x108000,
    R_QTX_HEAD = 0xE4000,
    R_QRX_ENA = 0x120000,
    R_QRX_TAIL = 0x128000,
    R_QINT_RQCTL = 0x3A000,
    R_QINT_TQCTL = 0x3C000,
    R_ITRN = 0x30000,
    R_DYN_CTLN = 0x34800,
    R_HLUT = 0x240000,
    R_HKEY = 0x244800,
    R_HENA = 0x245900,
    R_PFQF_CTL_0 = 0x1C0AC0,
    R_PF_MDET_TX = 0xE6400,
    R_GL_MDET_TX = 0xE6480,
};

#define CHIP_CONTEXTS 64u /* of each kind, where one segment holds both */

/* One field of a context. */
static inline void context_bits(uint8_t *raw, unsigned lsb, unsigned width,
                                uint64_t value)
{
    for (unsigned i = 0; i < width; i++) {
        const unsigned at = lsb + i;

        raw[at / 8] &= (uint8_t) ~(1u << at % 8);
        raw[at / 8] |= (uint8_t)((value >> i & 1) << at % 8);
    }
}

/* A usable context for @entries descriptors at bus address @ring. */
static inline void context_tx(uint8_t raw[128], uint64_t ring, unsigned entries,
                              unsigned queue_set)
{
    memset(raw, 0, 128);
    context_bits(raw, 30, 1, 1); /* new */
    context_bits(raw, 32, 57, ring / 128);
    context_bits(raw, 161, 13, entries);
    context_bits(raw, 980, 10, queue_set);
}

static inline void context_rx(uint8_t raw[32], uint64_t ring, unsigned entries,
                              unsigned desc_bytes, unsigned buffer)
{
    memset(raw, 0, 32);
    context_bits(raw, 32, 57, ring / 128);
    context_bits(raw, 89, 13, entries);
    context_bits(raw, 102, 7, buffer / 128);
    context_bits(raw, 116, 1, desc_bytes == 32);
    context_bits(raw, 117, 1, 1); /* strip the CRC */
    context_bits(raw, 174, 14, 5 * buffer < 9728 ? 5 * buffer : 9728);
    context_bits(raw, 201, 1, 1); /* prefetch */
}

/*
 * Segment 0 of function @pf is @memory, with its transmit contexts at @tx and
 * its receive contexts at @rx within it.
 */
static inline void context_memory_open(
    void (*write)(unsigned pf, uint32_t offset, uint32_t value), unsigned pf,
    uint64_t memory, uint32_t tx, uint32_t rx)
{
    write(pf, R_SDDATAHIGH, (uint32_t)(memory >> 32));
    write(pf, R_SDDATALOW, (uint32_t)memory | 512 << 2 | 3);
    write(pf, R_SDCMD, 1u << 31);
    write(pf, R_LANTXBASE + 4 * pf, tx / 512);
    write(pf, R_LANTXCNT + 4 * pf, CHIP_CONTEXTS);
    write(pf, R_LANRXBASE + 4 * pf, rx / 512);
    write(pf, R_LANRXCNT + 4 * pf, CHIP_CONTEXTS);
}

/* 0x0200: which VSI is the function's? Its number comes at @buffer + 18. */
static inline void command_get_switch(uint8_t desc[32], uint64_t buffer,
                                      unsigned len)
{
    memset(desc, 0, 32);
    put_le16(desc, 0x1000);
    put_le16(desc + 2, 0x0200);
    put_le16(desc + 4, (uint16_t)len);
    put_le32(desc + 24, (uint32_t)(buffer >> 32));
    put_le32(desc + 28, (uint32_t)buffer);
}

/* 0x0254: it takes every unicast (1), multicast (2), broadcast (4) frame. */
static inline void command_promiscuous(uint8_t desc[32], unsigned seid,
                                       unsigned casts)
{
    memset(desc, 0, 32);
    put_le16(desc + 2, 0x0254);
    put_le16(desc + 16, (uint16_t)casts);
    put_le16(desc + 18, (uint16_t)casts);
    put_le16(desc + 20, (uint16_t)seid);
}
