/*
 * region.c - accesses to BARs and configuration space
 */
#include <string.h>

#include "base/bytes.h"
#include "server/device.h"

/* What may change the state of queues, so that the loop looks again. */
enum {
    QTX_ENA = 0x100000,
    QRX_ENA = 0x120000,
    QUEUE_REGS = 0x1800,
    PFGEN_CTRL = 0x092400,
    GLGEN_RTRIG = 0x0b8190,
};

uint64_t device_region_size(unsigned region)
{
    switch (region) {
    case VFU_REGION_BAR0:
        return CHIP_BAR0_BYTES;
    case VFU_REGION_BAR3:
        return DEVICE_BAR3_BYTES;
    case VFU_REGION_CONFIG:
        return DEVICE_CFG_BYTES;
    default:
        return 0;
    }
}

static bool touches_queues(uint64_t offset)
{
    return offset - QTX_ENA < QUEUE_REGS || offset - QRX_ENA < QUEUE_REGS ||
           offset == PFGEN_CTRL || offset == GLGEN_RTRIG;
}

/* The widest aligned access that starts at @offset, as a bridge cuts them. */
static unsigned piece(uint64_t offset, uint32_t count, unsigned widest)
{
    unsigned bytes = widest;

    while (bytes > count || (offset & (bytes - 1)) != 0)
        bytes /= 2;
    return bytes;
}

static void put_value(uint8_t *data, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        data[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get_value(const uint8_t *data, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)data[i] << (8 * i);
    return value;
}

/* The pending-bit array is made up on the spot; the table is plain memory. */
static void bar3_read(struct device *dev, uint64_t offset, uint32_t count,
                      uint8_t *data)
{
    const unsigned vectors = dev->irqs.kind[VFU_IRQ_MSIX].count;

    memcpy(data, dev->bar3 + offset, count);
    for (unsigned v = 0; v < vectors; v++) {
        const uint64_t at = DEVICE_PBA_OFFSET + v / 8;

        if (at >= offset && at < offset + count &&
            irq_is_pending(&dev->irqs, VFU_IRQ_MSIX, v))
            data[at - offset] |= (uint8_t)(1u << (v % 8));
    }
}

static void bar3_write(struct device *dev, uint64_t offset, uint32_t count,
                       const uint8_t *data)
{
    const uint64_t table = 16u * dev->irqs.kind[VFU_IRQ_MSIX].count;

    for (uint32_t i = 0; i < count && offset + i < table; i++)
        dev->bar3[offset + i] = data[i];
}

void device_region_read(struct device *dev, unsigned region, uint64_t offset,
                        uint32_t count, uint8_t *data)
{
    struct chip *chip = dev->config.chip;
    const unsigned pf = dev->config.pf;
    const unsigned widest = region == VFU_REGION_BAR0 ? 8 : 4;
    unsigned n;

    if (region == VFU_REGION_BAR3) {
        bar3_read(dev, offset, count, data);
        return;
    }
    for (; count > 0; offset += n, data += n, count -= n) {
        n = piece(offset, count, widest);
        put_value(data, n,
                  region == VFU_REGION_BAR0
                      ? chip_reg_read(chip, pf, (uint32_t)offset, n)
                      : chip_cfg_read(chip, pf, (unsigned)offset, n));
    }
}

static void bar0_write(struct device *dev, uint64_t offset, unsigned bytes,
                       uint64_t value)
{
    struct chip *chip = dev->config.chip;

    if (touches_queues(offset)) {
        dev->queues_touched = true;
        /* A store to a shared doorbell may precede this one: see it first. */
        if (dev->config.shared_doorbells)
            chip_poll(chip, 64);
    }
    chip_reg_write(chip, dev->config.pf, (uint32_t)offset, bytes, value);
}

void device_region_write(struct device *dev, unsigned region, uint64_t offset,
                         uint32_t count, const uint8_t *data)
{
    const unsigned widest = region == VFU_REGION_BAR0 ? 8 : 4;
    unsigned n;

    if (region == VFU_REGION_BAR3) {
        bar3_write(dev, offset, count, data);
        return;
    }
    for (; count > 0; offset += n, data += n, count -= n) {
        uint64_t value;

        n = piece(offset, count, widest);
        value = get_value(data, n);
        if (region == VFU_REGION_BAR0)
            bar0_write(dev, offset, n, value);
        else
            chip_cfg_write(dev->config.chip, dev->config.pf, (unsigned)offset,
                           n, (uint32_t)value);
    }
    if (region == VFU_REGION_CONFIG) {
        device_config_changed(dev);
        dev->queues_touched = true; /* it may have been a function reset */
    }
}
