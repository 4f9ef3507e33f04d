/*
 * chip.h - an XL710 as a state machine
 *
 * No I/O, no clock, no threads of its own: the host program calls in, hands over
 * guest memory, delivers interrupts and says what time it is. One chip has up to
 * CHIP_PF_MAX physical functions, each with a port of its own.
 *
 * Calls for one chip must not overlap.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHIP_PF_MAX     4
#define CHIP_FRAME_MAX  9728 /* bytes without FCS */
#define CHIP_BAR0_BYTES 0x800000u

struct chip;

struct chip_config {
    uint16_t device_id; /* 0x1583 */
    unsigned ports;     /* 1 .. CHIP_PF_MAX */
    uint8_t mac[CHIP_PF_MAX][6];
    uint16_t fw_major, fw_minor, api_major, api_minor;
    unsigned queues_per_pf; /* 1 .. 1536 / ports */
    unsigned sr_kib;        /* shadow RAM shown: 4 .. 64 */
    bool link_up_at_reset;
};

/* What the chip asks of the world. @ctx is passed back. */
struct chip_host {
    void *ctx;

    /*
     * Memory the function may reach: @len bytes at bus address @addr.
     * Returns the pointer and in *@got how many bytes (1 .. @len) are
     * contiguous behind it, or NULL when the address is not mapped.
     */
    void *(*dma)(void *ctx, unsigned pf, uint64_t addr, size_t len, bool write,
                 size_t *got);

    /* MSI-X (or MSI, vector 0) message of @vector; level of the INTx pin. */
    void (*msix)(void *ctx, unsigned pf, unsigned vector);
    void (*intx)(void *ctx, unsigned pf, bool asserted);

    /* A frame leaves @port (no FCS, at least 60 bytes). */
    void (*wire_tx)(void *ctx, unsigned port, const uint8_t *frame, size_t len);

    /*
     * Can @port's wire take one more frame? Asked before each packet; while it
     * cannot, packets stay in the transmit ring, as under pause frames, and
     * chip_poll goes on with them later. NULL = it always can.
     */
    bool (*wire_ready)(void *ctx, unsigned port);

    /*
     * The strict examiner saw the driver do what the datasheet forbids.
     * @rule is a stable short name ("tx-tail-range"), @text one line.
     */
    void (*complain)(void *ctx, unsigned pf, const char *rule,
                     const char *text);
};

struct chip *chip_create(const struct chip_config *config,
                         const struct chip_host *host);
void chip_destroy(struct chip *chip);

/* Power-on reset of one function (vfio-user DEVICE_RESET). */
void chip_power_on(struct chip *chip, unsigned pf);

/* BAR0 accesses: 1, 2, 4 or 8 bytes, as the guest made them. */
uint64_t chip_reg_read(struct chip *chip, unsigned pf, uint32_t offset,
                       unsigned bytes);
void chip_reg_write(struct chip *chip, unsigned pf, uint32_t offset,
                    unsigned bytes, uint64_t value);

/* Configuration space, 4096 bytes a function. */
uint32_t chip_cfg_read(struct chip *chip, unsigned pf, unsigned offset,
                       unsigned bytes);
void chip_cfg_write(struct chip *chip, unsigned pf, unsigned offset,
                    unsigned bytes, uint32_t value);

/*
 * Doorbell memory: the page-aligned QTX_TAIL and QRX_TAIL arrays of @pf
 * (2 pages each). When set, the chip reads tails from there on chip_poll and
 * keeps them in step with trapped writes. NULL = every doorbell is trapped and
 * does its work inside the write.
 */
void chip_doorbells_set(struct chip *chip, unsigned pf, uint32_t *qtx_tail,
                        uint32_t *qrx_tail);

/* Time passes; timers, late replies and resets finish. Never backwards. */
void chip_advance(struct chip *chip, uint64_t now_ns);

/*
 * Look at the doorbells and do the work found: at most @budget packets a queue.
 * Returns  how many packets and commands were handled
 */
unsigned chip_poll(struct chip *chip, unsigned budget);

/*
 * A frame arrives at @port. @len 14 .. CHIP_FRAME_MAX, no FCS.
 * Returns  whether it was taken: false only when @may_wait and the receive
 *          queue has no room yet (nothing is counted then). Without @may_wait
 *          the frame is counted as missed by the chip and lost, as on silicon.
 */
bool chip_wire_rx(struct chip *chip, unsigned port, const uint8_t *frame,
                  size_t len, bool may_wait);

void chip_link_set(struct chip *chip, unsigned port, bool up);
bool chip_link_get(struct chip *chip, unsigned port);

/* Switch the examiner on or off (on at creation). */
void chip_strict_set(struct chip *chip, bool strict);

/* ---- faults on request ---- */

enum chip_fault {
    CHIP_FAULT_AQ_ERROR, /* next @count replies of @opcode carry @value */
    CHIP_FAULT_AQ_LATE,  /* ... come @value microseconds late */
    CHIP_FAULT_AQ_LOST,  /* ... never come */
    CHIP_FAULT_RECOVERY, /* GL_FWSTS shows recovery mode */
    CHIP_FAULT_MDD_TX,   /* malicious driver event on queue @value */
    CHIP_FAULT_STALL_RX, /* queue @value stops; @count 0 = lift */
    CHIP_FAULT_STALL_TX,
    CHIP_FAULT_RX_BAD_LEN,   /* next @count write-backs carry length @value */
    CHIP_FAULT_RX_ERROR,     /* next @count frames are written back with RXE */
    CHIP_FAULT_GLOBAL_RESET, /* the chip resets itself: CORER 1 GLOBR 2 EMPR 3 */
    CHIP_FAULT_REG_FORCE,    /* register @opcode (offset) reads @value */
    CHIP_FAULT_CLEAR,        /* forget all faults */
};

struct chip_fault_args {
    unsigned pf;
    uint32_t opcode;
    uint32_t value;
    uint32_t count; /* 0xFFFFFFFF = until cleared */
};

void chip_fault(struct chip *chip, enum chip_fault fault,
                const struct chip_fault_args *args);
