/*
 * chip_bench.h - a chip on a bench and the smallest driver that can talk to it
 *
 * Guest memory is one arena at a bus address of its own. Every offset and every
 * layout is typed here again from the public drivers (Linux i40e_register.h and
 * i40e_adminq_cmd.h, iPXE intelxl.h): nothing comes from the model's table.
 */
#pragma once

#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "chip/chip.h"

#define BUS       UINT64_C(0x240000000)
#define MEM_BYTES (1u << 20)

/* Places in the arena. */
#define AT_ATQ  0x0000u
#define AT_ARQ  0x4000u
#define AT_BUF  0x8000u  /* the command's buffer */
#define AT_EVB  0x10000u /* event buffers, 4096 each */
#define AT_FREE 0x80000u

enum {
    B_ATQBAL = 0x80000,
    B_ATQBAH = 0x80100,
    B_ATQLEN = 0x80200,
    B_ATQH = 0x80300,
    B_ATQT = 0x80400,
    B_ARQBAL = 0x80080,
    B_ARQBAH = 0x80180,
    B_ARQLEN = 0x80280,
    B_ARQH = 0x80380,
    B_ARQT = 0x80480,
    B_PFGEN_CTRL = 0x92400,
    B_RSTAT = 0xB8188,
    B_RTRIG = 0xB8190,
    B_ULD = 0xB6008,
    B_ICR0 = 0x38780,
    B_ICR0_ENA = 0x38800,
    B_DYN_CTL0 = 0x38480,
    B_LINKSTA = 0x1E2420,
};

#define AQ_ENABLE 0x80000000u
#define F_DD      0x0001
#define F_CMP     0x0002
#define F_ERR     0x0004
#define F_LB      0x0200
#define F_RD      0x0400
#define F_BUF     0x1000
#define F_SI      0x2000

struct bench {
    struct chip *chip;
    uint8_t *mem;
    unsigned pf; /* the function that talks */
    unsigned ring;
    uint64_t now;
    unsigned complaints;
    char rule[32];  /* last complaint */
    char text[256]; /* ... in words */
    unsigned msix[256], intx_ups;
    bool intx;
    /* the last command's answer */
    uint16_t flags, retval, len;
    uint8_t params[16];
};

static struct bench bench;

static inline void put16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void put32(uint8_t *p, uint32_t v)
{
    put16(p, v & 0xFFFF);
    put16(p + 2, v >> 16);
}

static inline unsigned get16(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static inline uint32_t get32(const uint8_t *p)
{
    return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static void *bench_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                       bool write, size_t *got)
{
    const uint64_t off = addr - BUS;

    (void)ctx, (void)pf, (void)write;
    if (addr < BUS || off >= MEM_BYTES)
        return NULL;
    /* Pieces of at most 256 bytes, cut at their multiples: copies must join. */
    *got = 256 - off % 256;
    if (*got > len)
        *got = len;
    return bench.mem + off;
}

static void bench_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx, (void)pf;
    bench.msix[vector % 256]++;
}

static void bench_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx, (void)pf;
    bench.intx = asserted;
    bench.intx_ups += asserted;
}

static void bench_wire(void *ctx, unsigned port, const uint8_t *frame,
                       size_t len)
{
    (void)ctx, (void)port, (void)frame, (void)len;
}

static void bench_complain(void *ctx, unsigned pf, const char *rule,
                           const char *text)
{
    (void)ctx, (void)pf;
    bench.complaints++;
    snprintf(bench.rule, sizeof(bench.rule), "%s", rule);
    snprintf(bench.text, sizeof(bench.text), "%s", text);
}

static inline uint32_t rd(uint32_t offset)
{
    return (uint32_t)chip_reg_read(bench.chip, bench.pf, offset, 4);
}

static inline void wr(uint32_t offset, uint32_t value)
{
    chip_reg_write(bench.chip, bench.pf, offset, 4, value);
}

static inline void pass_us(uint64_t us)
{
    bench.now += us * 1000;
    chip_advance(bench.chip, bench.now);
}

static inline void bench_close(void)
{
    chip_destroy(bench.chip);
    free(bench.mem);
    memset(&bench, 0, sizeof(bench));
}

/* Two ports, firmware 6.1 with API 1.7; bus master, memory decoding. */
static inline void bench_open_as(uint16_t device_id, unsigned sr_kib)
{
    const struct chip_config config = {
        .device_id = device_id,
        .ports = 2,
        .mac = { { 2, 0, 0, 0, 0, 0x10 }, { 2, 0, 0, 0, 0, 0x11 } },
        .fw_major = 6,
        .fw_minor = 1,
        .api_major = 1,
        .api_minor = 7,
        .queues_per_pf = 128,
        .sr_kib = sr_kib,
        .link_up_at_reset = true,
    };
    static const struct chip_host host = {
        .dma = bench_dma,
        .msix = bench_msix,
        .intx = bench_intx,
        .wire_tx = bench_wire,
        .complain = bench_complain,
    };

    bench_close();
    bench.mem = calloc(1, MEM_BYTES);
    bench.chip = chip_create(&config, &host);
    CHECK(bench.chip != NULL && bench.mem != NULL);
    chip_cfg_write(bench.chip, 0, 4, 2, 0x0006);
    chip_cfg_write(bench.chip, 1, 4, 2, 0x0006);
}

/* A 40G card with little shadow RAM. */
static inline void bench_open(void)
{
    bench_open_as(0x1583, 4);
}

/* ---- admin queue ---- */

static inline void aq_post_event_buffers(unsigned entries)
{
    for (unsigned i = 0; i < entries; i++) {
        uint8_t *d = bench.mem + AT_ARQ + i * 32;
        const uint64_t buf = BUS + AT_EVB + i * 4096;

        memset(d, 0, 32);
        put16(d, F_BUF | F_LB);
        put16(d + 4, 4096);
        put32(d + 24, (uint32_t)(buf >> 32));
        put32(d + 28, (uint32_t)buf);
    }
}

/* In Linux's order: length and enable before the base. */
static inline void aq_open(unsigned entries)
{
    bench.ring = entries;
    memset(bench.mem + AT_ATQ, 0, 0x8000);
    wr(B_ATQH, 0);
    wr(B_ATQT, 0);
    wr(B_ATQLEN, entries | AQ_ENABLE);
    wr(B_ATQBAL, (uint32_t)(BUS + AT_ATQ));
    wr(B_ATQBAH, (uint32_t)((BUS + AT_ATQ) >> 32));
    CHECK_EQ(rd(B_ATQBAL), (uint32_t)(BUS + AT_ATQ));
    aq_post_event_buffers(entries);
    wr(B_ARQH, 0);
    wr(B_ARQT, 0);
    wr(B_ARQLEN, entries | AQ_ENABLE);
    wr(B_ARQBAL, (uint32_t)(BUS + AT_ARQ));
    wr(B_ARQBAH, (uint32_t)((BUS + AT_ARQ) >> 32));
    wr(B_ARQT, entries - 1);
    CHECK_EQ(rd(B_ARQBAL), (uint32_t)(BUS + AT_ARQ));
}

#define COOKIE_HIGH 0xC00C1E01u
#define COOKIE_LOW  0x0BADCAFEu

/* Write the next descriptor; returns where it is. */
static inline uint8_t *aq_put(unsigned opcode, unsigned flags, unsigned len,
                              const uint8_t params[16])
{
    uint8_t *d = bench.mem + AT_ATQ + rd(B_ATQT) * 32;

    memset(d, 0, 32);
    put16(d, flags);
    put16(d + 2, opcode);
    put16(d + 4, len);
    put32(d + 8, COOKIE_HIGH);
    put32(d + 12, COOKIE_LOW);
    if (params != NULL)
        memcpy(d + 16, params, 16);
    if (flags & F_BUF) {
        put32(d + 24, (uint32_t)((BUS + AT_BUF) >> 32));
        put32(d + 28, (uint32_t)(BUS + AT_BUF));
    }
    return d;
}

static inline void aq_ring(void)
{
    wr(B_ATQT, (rd(B_ATQT) + 1) % bench.ring);
}

/* One command, answered at once. Returns its retval. */
static inline unsigned aq(unsigned opcode, unsigned flags, unsigned len,
                          const uint8_t params[16])
{
    const uint8_t *d = aq_put(opcode, flags, len, params);

    aq_ring();
    CHECK_EQ(rd(B_ATQH), rd(B_ATQT));
    bench.flags = (uint16_t)get16(d);
    bench.len = (uint16_t)get16(d + 4);
    bench.retval = (uint16_t)get16(d + 6);
    memcpy(bench.params, d + 16, 16);
    CHECK_EQ(bench.flags & (F_DD | F_CMP), F_DD | F_CMP);
    CHECK_EQ((bench.flags & F_ERR) != 0, bench.retval != 0);
    CHECK_EQ(get32(d + 8), COOKIE_HIGH);
    CHECK_EQ(get32(d + 12), COOKIE_LOW);
    return bench.retval;
}

static inline uint8_t *aq_buf(void)
{
    return bench.mem + AT_BUF;
}

/* Direct commands with one or two 16-bit words first. */
static inline unsigned aq16(unsigned opcode, unsigned a, unsigned b)
{
    uint8_t p[16] = { 0 };

    put16(p, a);
    put16(p + 2, b);
    return aq(opcode, 0, 0, p);
}

/* The main VSI's seid, as every driver finds it. */
static inline unsigned main_seid(void)
{
    CHECK_EQ(aq(0x0200, F_BUF, 512, NULL), 0);
    CHECK_EQ(get16(aq_buf()), 1);
    CHECK_EQ(aq_buf()[16], 19);
    return get16(aq_buf() + 18);
}
