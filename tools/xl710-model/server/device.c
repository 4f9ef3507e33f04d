/*
 * device.c - one function of the chip as a vfio-user device: its life, its
 * doorbell pages and what it does for the chip
 *
 *   V1  the chip reaches guest memory only while the function may master the
 *       bus; shared memory has no other gate
 *   V2  a client leaves nothing behind: no range, no page, no listener
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/device.h"
#include "base/log.h"

enum {
    CFG_COMMAND = 0x04,
    CFG_STATUS = 0x06,
    CFG_CAP_POINTER = 0x34,
    CMD_BUS_MASTER = 1 << 2,
    CMD_INTX_OFF = 1 << 10,
    STATUS_CAPS = 1 << 4,
    CAP_MSI = 0x05,
    CAP_MSIX = 0x11,
    MSI_ENABLE = 1 << 0,
    MSIX_ENABLE = 1 << 15,
    MSIX_SIZE = 0x7ff,
};

/* Doorbell arrays in BAR0: transmit and receive tails, two pages each. */
static const uint32_t doorbell_offset[2] = { 0x108000, 0x128000 };
#define DOORBELL_BYTES (2u * VFU_PAGE)

static unsigned cfg_cap(const struct device_config *c, unsigned id)
{
    unsigned at, left = 48; /* as many as fit: a list may not loop */

    if (!(chip_cfg_read(c->chip, c->pf, CFG_STATUS, 2) & STATUS_CAPS))
        return 0;
    at = chip_cfg_read(c->chip, c->pf, CFG_CAP_POINTER, 1) & 0xfc;
    while (at >= 0x40 && left-- > 0) {
        if (chip_cfg_read(c->chip, c->pf, at, 1) == id)
            return at;
        at = chip_cfg_read(c->chip, c->pf, at + 1, 1) & 0xfc;
    }
    return 0;
}

void device_config_changed(struct device *dev)
{
    struct chip *chip = dev->config.chip;
    const unsigned pf = dev->config.pf;
    const uint32_t command = chip_cfg_read(chip, pf, CFG_COMMAND, 2);

    dev->bus_master = (command & CMD_BUS_MASTER) != 0;
    dev->msi_is_on =
        dev->msi_cap != 0 &&
        (chip_cfg_read(chip, pf, dev->msi_cap + 2, 2) & MSI_ENABLE);
    dev->msix_is_on =
        dev->msix_cap != 0 &&
        (chip_cfg_read(chip, pf, dev->msix_cap + 2, 2) & MSIX_ENABLE);
    dev->intx_is_used =
        !(command & CMD_INTX_OFF) && !dev->msi_is_on && !dev->msix_is_on;
    irq_intx_update(&dev->irqs, dev->intx_is_used);
}

bool device_open(struct device *dev, const struct device_config *config)
{
    unsigned vectors = 0;

    *dev = (struct device) { .config = *config, .bar0_fd = -1 };
    dev->msi_cap = cfg_cap(config, CAP_MSI);
    dev->msix_cap = cfg_cap(config, CAP_MSIX);
    if (dev->msix_cap != 0)
        vectors =
            (chip_cfg_read(config->chip, config->pf, dev->msix_cap + 2, 2) &
             MSIX_SIZE) +
            1;
    dev->bar3 = calloc(1, DEVICE_BAR3_BYTES);
    if (dev->bar3 == NULL ||
        !irqs_open(&dev->irqs, dev->msi_cap != 0 ? 1 : 0, vectors)) {
        model_log("pf %u: no memory for the device", config->pf);
        device_close(dev);
        return false;
    }
    return true;
}

void device_close(struct device *dev)
{
    if (dev->connected)
        device_disconnect(dev);
    irqs_close(&dev->irqs);
    free(dev->bar3);
    dev->bar3 = NULL;
}

static void doorbells_close(struct device *dev)
{
    chip_doorbells_set(dev->config.chip, dev->config.pf, NULL, NULL);
    for (unsigned i = 0; i < 2; i++) {
        if (dev->doorbells[i] != NULL)
            munmap(dev->doorbells[i], DOORBELL_BYTES);
        dev->doorbells[i] = NULL;
    }
    if (dev->bar0_fd >= 0)
        close(dev->bar0_fd);
    dev->bar0_fd = -1;
}

/*
 * A fresh file for each client, as long as the BAR so that offsets agree (pages
 * nobody touches cost nothing), and sealed: a client that shortened it could
 * otherwise kill us.
 */
static bool doorbells_open(struct device *dev)
{
    dev->bar0_fd = memfd_create("xl710-bar0", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (dev->bar0_fd < 0 || ftruncate(dev->bar0_fd, CHIP_BAR0_BYTES) < 0 ||
        fcntl(dev->bar0_fd, F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        goto failed;
    for (unsigned i = 0; i < 2; i++) {
        void *p = mmap(NULL, DOORBELL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                       dev->bar0_fd, doorbell_offset[i]);

        if (p == MAP_FAILED)
            goto failed;
        dev->doorbells[i] = p;
    }
    chip_doorbells_set(dev->config.chip, dev->config.pf, dev->doorbells[0],
                       dev->doorbells[1]);
    return true;
failed:
    model_log("pf %u: cannot make doorbell pages: %s", dev->config.pf,
              strerror(errno));
    doorbells_close(dev);
    return false;
}

void device_power_on(struct device *dev)
{
    /* Every MSI-X vector is masked after reset. */
    memset(dev->bar3, 0, DEVICE_BAR3_BYTES);
    for (unsigned i = 0; i < dev->irqs.kind[VFU_IRQ_MSIX].count; i++)
        dev->bar3[16 * i + 12] = 1;
    irqs_reset(&dev->irqs);
    for (unsigned i = 0; i < 2; i++)
        if (dev->doorbells[i] != NULL)
            memset(dev->doorbells[i], 0, DOORBELL_BYTES);
    chip_power_on(dev->config.chip, dev->config.pf);
    if (dev->config.cable_down)
        chip_link_set(dev->config.chip, dev->config.pf, false);
    device_config_changed(dev);
    dev->queues_touched = true;
}

bool device_connect(struct device *dev)
{
    if (dev->config.shared_doorbells && !doorbells_open(dev))
        return false;
    dev->connected = true;
    dev->negotiated = false;
    dev->dma_highest = 0;
    device_power_on(dev);
    return true;
}

void device_disconnect(struct device *dev)
{
    device_power_on(dev); /* first stop, then take the memory away */
    dev->bus_master = false;
    doorbells_close(dev);
    irqs_detach(&dev->irqs);
    dma_space_clear(&dev->dma);
    dev->connected = false;
    dev->negotiated = false;
}

void *device_dma(struct device *dev, uint64_t addr, size_t len, bool write,
                 size_t *got)
{
    void *p = NULL;

    if (dev->bus_master)
        p = dma_space_translate(&dev->dma, addr, len, write, got);
    if (p == NULL)
        dev->dma_refused++;
    else if (addr > dev->dma_highest)
        dev->dma_highest = addr;
    return p;
}

void device_msix(struct device *dev, unsigned vector)
{
    if (!dev->bus_master) /* a message is a write to memory */
        return;
    if (dev->msix_is_on)
        irq_signal(&dev->irqs, VFU_IRQ_MSIX, vector);
    else if (dev->msi_is_on && vector == 0)
        irq_signal(&dev->irqs, VFU_IRQ_MSI, 0);
}

void device_intx(struct device *dev, bool asserted)
{
    dev->irqs.intx_asserted = asserted;
    irq_intx_update(&dev->irqs, dev->intx_is_used);
}
