/*
 * device.h - one function of the chip as a vfio-user device
 *
 * The device answers messages; it never reads or writes a socket. The same
 * function serves the socket, the unit tests and a fuzzer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/chip.h"
#include "server/dma.h"
#include "server/irq.h"
#include "server/proto.h"

#define DEVICE_BAR3_BYTES 0x8000u
#define DEVICE_PBA_OFFSET 0x1000u
#define DEVICE_CFG_BYTES  4096u

struct device_config {
    struct chip *chip;
    unsigned pf;
    bool shared_doorbells; /* polled pages instead of trapped writes */
    bool cable_down;       /* the port's link cannot come up */
};

struct device {
    struct device_config config;
    bool connected;
    bool negotiated; /* VERSION was agreed on */
    struct dma_space dma;
    struct irqs irqs;
    uint8_t *bar3; /* the MSI-X table, as nobody but its reader cares */
    int bar0_fd;   /* memfd behind the doorbell pages, or -1 */
    uint32_t *doorbells[2]; /* transmit, receive */

    /* What configuration space says, kept in step with writes to it. */
    unsigned msi_cap, msix_cap; /* offsets, 0 = none */
    bool bus_master, intx_is_used, msi_is_on, msix_is_on;

    bool queues_touched; /* set when a queue may have changed state */
    uint64_t messages;
    uint64_t dma_refused;
    uint64_t dma_highest; /* bus address that the chip was given access to */
};

struct device_reply {
    size_t len; /* 0: nothing to send */
    int fd;     /* to go with it, or -1; stays the device's */
    uint8_t bytes[VFU_MESSAGE_MAX];
};

/* Returns  false with a log line when memory is short */
bool device_open(struct device *dev, const struct device_config *config);
void device_close(struct device *dev);

/*
 * A client comes: power on. A client goes: power off, and every range, page
 * and listener it gave is dropped.
 */
bool device_connect(struct device *dev);
void device_disconnect(struct device *dev);

/*
 * Handle one message and write what to answer.
 * @msg, @len   header and payload
 * @fds, @nfds  descriptors that came with it: taken over, kept or closed
 */
void device_handle(struct device *dev, const uint8_t *msg, size_t len,
                   const int *fds, unsigned nfds, struct device_reply *reply);

/* ---- services for the chip ---- */

void *device_dma(struct device *dev, uint64_t addr, size_t len, bool write,
                 size_t *got);
void device_msix(struct device *dev, unsigned vector);
void device_intx(struct device *dev, bool asserted);

/* ---- for the message handlers ---- */

/* Read configuration space again after it may have changed. */
void device_config_changed(struct device *dev);
void device_power_on(struct device *dev);

/*
 * Access [@offset, @offset + @count) of a region, which must lie inside it.
 * @data is read for a write and filled for a read.
 */
void device_region_read(struct device *dev, unsigned region, uint64_t offset,
                        uint32_t count, uint8_t *data);
void device_region_write(struct device *dev, unsigned region, uint64_t offset,
                         uint32_t count, const uint8_t *data);
uint64_t device_region_size(unsigned region);
