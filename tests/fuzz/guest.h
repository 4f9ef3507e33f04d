/*
 * guest.h - a chip under fuzz: guest memory that bites, a wire that loops
 *
 * Guest memory lies at GUEST_BUS and is poisoned for AddressSanitizer; only
 * what the chip asked for since guest_rest() may be touched. So a byte beyond
 * what the host vouched for is found even in the middle of memory.
 */
#pragma once

#include "chip/chip.h"
#include "tests/fuzz/fuzz.h"

#define GUEST_BUS   UINT64_C(0x100000000)
#define GUEST_BYTES (256u << 10)

struct guest {
    struct chip *chip;
    uint8_t *mem;
    unsigned cut; /* pieces end at multiples of it; 0 = whole */
    uint64_t now_ns;
    bool loops; /* frames that leave a port come in at the other */
    unsigned looped;
    uint64_t frames, complaints;
};

extern struct guest guest;

/* A fresh chip of two ports, bus master, link up, @cut as above. */
void guest_open(unsigned cut);
void guest_close(void);

/* Forget what the chip asked for: it has to ask again. */
void guest_rest(void);

/* The driver's side of guest memory; offsets wrap at its end. */
void guest_write(uint32_t at, const void *from, size_t n);
void guest_read(uint32_t at, void *to, size_t n);
/* Fill from the input: what is missing stays. */
void guest_write_input(uint32_t at, struct fuzz_in *in, size_t n);
void guest_put(uint32_t at, unsigned bytes, uint64_t value);

void guest_reg_write(unsigned pf, uint32_t offset, uint32_t value);
uint32_t guest_reg_read(unsigned pf, uint32_t offset);
void guest_pass(uint64_t ns);

/* Context field: bits [lsb, lsb + width) of the object at @at. */
void guest_bits(uint32_t at, unsigned lsb, unsigned width, uint64_t value);

/* ---- a driver in the smallest: contexts by HMC, one segment ---- */

#define GUEST_AT_HMC     0x00000u /* transmit contexts, then receive */
#define GUEST_AT_TX_RING 0x08000u
#define GUEST_AT_RX_RING 0x0A000u
#define GUEST_AT_ATQ     0x0C000u
#define GUEST_AT_ARQ     0x0D000u
#define GUEST_AT_AQBUF   0x0E000u
#define GUEST_AT_BUFFERS 0x10000u
#define GUEST_RING       64u

/* Contexts of function @pf within the HMC's memory: 64 of each kind. */
#define GUEST_TX_CTX(pf) (0x2000u * (pf))
#define GUEST_RX_CTX(pf) (0x4000u + 0x800u * (pf))

/* Segment 0 and the object bases of function @pf. */
void guest_hmc(unsigned pf);
/* A usable context of queue 0; the caller may change bits before it enables. */
void guest_tx_context(unsigned pf);
void guest_rx_context(unsigned pf, unsigned desc_bytes, unsigned buffer);
void guest_tx_enable(unsigned pf);
void guest_rx_enable(unsigned pf);
/* Empty buffers in the receive ring's slots 0 .. @n - 1, and the doorbell. */
void guest_rx_post(unsigned pf, unsigned n, unsigned desc_bytes);
/* Take every frame (VSI promiscuous), by the admin queue. */
void guest_promiscuous(unsigned pf);

/* Post one admin command of 32 bytes at the ring's place and ring. */
void guest_aq_open(unsigned pf);
void guest_aq_send(unsigned pf, const uint8_t desc[32]);
