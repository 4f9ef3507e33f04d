/*
 * nic.h - an XL710 in the fake machine: the chip model as a device on its bus
 *
 * Functions sit at 0000:01:00.0 and up. Registers, configuration space, DMA
 * memory and time of the fake machine are wired to the model; what leaves a
 * port is kept, or handed to a hook. Needs an arena (host.h) for DMA.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/pci.h>

#include "chip/chip.h"

#define HOST_NIC_BUS 1

struct host_nic_config {
    unsigned ports;                                    /* 0 = 1 */
    uint16_t device_id;                                /* 0 = 0x1583 */
    uint16_t fw_major, fw_minor, api_major, api_minor; /* all 0 = 6.1, 1.7 */
    const uint8_t *mac; /* of port 0; NULL = 02:4d:52:00:00:01 */
    bool link_is_down;
    bool is_virtual;       /* function n sits at 0000:01:0n.0, as in a guest */
    bool has_no_flr;       /* DevCap does not offer it */
    bool has_doorbell_ram; /* tails are memory that host_nic_poll looks at */
};

/* Plug the chip in; one at a time. host_reset() must have been called. */
void host_nic_open(const struct host_nic_config *config);
void host_nic_close(void);

struct chip *host_nic_chip(void);

/* As pci_scan() would find it. */
struct pci_device *host_nic_device(unsigned pf);

/* Let the chip look at its doorbells and timers. */
void host_nic_poll(void);

/* ---- wires ---- */

/* A frame arrives. Returns false when the chip had no room and lost it. */
bool host_nic_arrive(unsigned port, const void *frame, size_t bytes);

/* Frames that left @port and were kept; the oldest is 0. */
unsigned host_nic_sent(unsigned port);
const uint8_t *host_nic_sent_frame(unsigned port, unsigned i, size_t *bytes);
void host_nic_sent_clear(void);

/* Hand frames to @hook instead of keeping them; NULL = keep. */
void host_nic_on_wire(void (*hook)(void *ctx, unsigned port,
                                   const uint8_t *frame, size_t bytes),
                      void *ctx);

/*
 * Change what firmware answers to @opcode before the driver sees it: @lie gets
 * the 32 bytes of the descriptor and its buffer (NULL without one). NULL stops.
 */
void host_nic_tamper(uint16_t opcode,
                     void (*lie)(uint8_t *desc, uint8_t *data));

/* Call @look just before the driver writes register @offset; NULL stops. */
void host_nic_watch(uint32_t offset, void (*look)(uint64_t value));

/* ---- what happened ---- */

/* Complaints of the examiner since open, and their text, a line each. */
unsigned host_nic_complaints(void);
const char *host_nic_complaint_text(void);

/* Interrupt messages and pin changes that reached the bus. */
unsigned host_nic_interrupts(void);

/* Admin commands with @opcode that were posted. */
unsigned host_nic_commands(uint16_t opcode);

/* Stores to QTX_TAIL and QRX_TAIL of any queue. */
unsigned host_nic_tx_doorbells(void);
unsigned host_nic_rx_doorbells(void);

/* DMA accesses the chip made with bus mastering off, or outside the arena. */
unsigned host_nic_bad_dma(void);

/* Register @offset of @pf as the chip has it; counted nowhere. */
uint32_t host_nic_register(unsigned pf, uint32_t offset);

/* Fault on request, in one line. */
void host_nic_fault(enum chip_fault fault, unsigned pf, uint32_t opcode,
                    uint32_t value, uint32_t count);
