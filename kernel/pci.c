/*
 * pci.c - finds every PCI function and opens its way to memory
 *
 * Each bus of each range is searched: firmware may leave buses that no bridge
 * leads to, and a second root bus is just a bus. BARs are read, never sized.
 *
 *   P1  a bridge counts only when the bus behind it has a higher number than
 *       its own, so every way up ends at a root bus
 *   P2  devices[0 .. count) do not move: pointers to them stay valid
 */
#include <string.h>

#include <millrace/log.h>

#include "kernel/pci.h"
#include "kernel/pci_config.h"

#define DEVICES_PER_BUS      32
#define FUNCTIONS_PER_DEVICE 8

static struct pci_range ranges[PCI_RANGES_MAX] = {
    { .segment = 0, .first_bus = 0, .last_bus = 255 },
};
static unsigned range_count = 1;

static struct pci_device devices[PCI_FUNCTIONS_MAX];
static uint8_t bus_behind[PCI_FUNCTIONS_MAX]; /* of a bridge; 0 = none (P1) */
static unsigned count;

static bool range_before(const struct pci_range *a, const struct pci_range *b)
{
    return a->segment != b->segment ? a->segment < b->segment
                                    : a->first_bus < b->first_bus;
}

/* Sorted, so that a bridge is met before the bus behind it. */
void pci_ranges_set(const struct pci_range *from, unsigned n)
{
    if (n == 0)
        return;
    if (n > PCI_RANGES_MAX)
        panic("pci: %u ranges, at most %u expected", n, PCI_RANGES_MAX);
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i;

        for (; at > 0 && range_before(&from[i], &ranges[at - 1]); at--)
            ranges[at] = ranges[at - 1];
        ranges[at] = from[i];
    }
    range_count = n;
}

unsigned pci_count(void)
{
    return count;
}

struct pci_device *pci_get(unsigned index)
{
    return index < count ? &devices[index] : NULL;
}

static void read_bars(struct pci_device *dev, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const uint32_t v = pci_get32(dev->at, PCI_BAR0 + 4 * i);
        struct pci_bar *bar = &dev->bar[i];

        if (v == UINT32_MAX)
            continue;
        if (v & 1) {
            bar->is_io = true;
            bar->base = v & ~UINT32_C(3);
            continue;
        }
        bar->is_prefetchable = v & 8;
        bar->base = v & ~UINT32_C(15);
        if ((v >> 1 & 3) != 2)
            continue;
        if (i + 1 == n) { /* no room for its upper half: not to be used */
            bar->base = 0;
            continue;
        }
        bar->is_64bit = true;
        bar->base |= (uint64_t)pci_get32(dev->at, PCI_BAR0 + 4 * i + 4) << 32;
        i++;
    }
}

static struct pci_device *bridge_to(uint16_t segment, uint8_t bus)
{
    for (unsigned i = 0; i < count; i++)
        if (bus_behind[i] == bus && bus != 0 &&
            devices[i].at.segment == segment)
            return &devices[i];
    return NULL;
}

static enum status add_function(struct pci_addr at, struct pci_device *bridge,
                                uint8_t kind)
{
    if (count == PCI_FUNCTIONS_MAX) {
        log_error("pci: more than %u functions; those from " PCI_ADDR_FMT
                  " on are ignored",
                  PCI_FUNCTIONS_MAX, PCI_ADDR_ARGS(at));
        return E_NOMEM;
    }
    struct pci_device *dev = &devices[count];
    const uint32_t class_word = pci_get32(at, PCI_REVISION_CLASS);

    *dev = (struct pci_device) { .at = at,
                                 .vendor = pci_get16(at, PCI_VENDOR_ID),
                                 .device = pci_get16(at, PCI_DEVICE_ID),
                                 .revision = (uint8_t)class_word,
                                 .class_code = class_word >> 8,
                                 .bridge = bridge };
    bus_behind[count] = 0;
    if (kind == PCI_HEADER_BRIDGE) {
        const uint8_t behind = pci_get8(at, PCI_SECONDARY_BUS);

        read_bars(dev, 2);
        if (behind > at.bus)
            bus_behind[count] = behind;
        else if (behind != 0)
            log_warning("pci: bridge " PCI_ADDR_FMT " claims to lead to bus "
                        "%u; ignored",
                        PCI_ADDR_ARGS(at), behind);
    } else if (kind == 0) {
        dev->subvendor = pci_get16(at, PCI_SUBVENDOR_ID);
        dev->subdevice = pci_get16(at, PCI_SUBDEVICE_ID);
        read_bars(dev, PCI_BAR_COUNT);
    }
    count++;
    return OK;
}

static enum status scan_device(struct pci_addr at, struct pci_device *bridge)
{
    unsigned functions = 1;

    for (unsigned f = 0; f < functions; f++) {
        at.function = (uint8_t)f;
        const uint16_t vendor = pci_get16(at, PCI_VENDOR_ID);

        if (vendor == PCI_VENDOR_NOBODY || vendor == 0)
            continue;
        const uint8_t type = pci_get8(at, PCI_HEADER_TYPE);

        if (f == 0 && (type & PCI_HEADER_MULTI))
            functions = FUNCTIONS_PER_DEVICE;
        if (add_function(at, bridge, type & PCI_HEADER_KIND) != OK)
            return E_NOMEM;
    }
    return OK;
}

/*
 * A PCI Express link ends in device 0; some devices answer for all 32 numbers
 * there. With ARI forwarding on, the others are real functions.
 */
static bool leads_to_one_device(const struct pci_device *bridge)
{
    const unsigned pcie = pci_capability_at(bridge->at, PCI_CAP_PCIE);

    if (pcie == 0)
        return false;
    const unsigned kind = pci_get16(bridge->at, pcie + PCIE_FLAGS) >> 4 & 0xF;

    if (kind != PCIE_KIND_ROOT_PORT && kind != PCIE_KIND_DOWNSTREAM)
        return false;
    return !(pci_get16(bridge->at, pcie + PCIE_DEVICE_CONTROL_2) &
             PCIE_DEVICE_ARI);
}

static enum status scan_bus(uint16_t segment, uint8_t bus)
{
    struct pci_device *bridge = bridge_to(segment, bus);
    const unsigned n =
        bridge != NULL && leads_to_one_device(bridge) ? 1 : DEVICES_PER_BUS;

    for (unsigned d = 0; d < n; d++) {
        const struct pci_addr at = { .segment = segment,
                                     .bus = bus,
                                     .device = (uint8_t)d };

        if (scan_device(at, bridge) != OK)
            return E_NOMEM;
    }
    return OK;
}

enum status pci_scan(void)
{
    count = 0;
    for (unsigned i = 0; i < range_count; i++)
        for (unsigned bus = ranges[i].first_bus; bus <= ranges[i].last_bus;
             bus++)
            if (scan_bus(ranges[i].segment, (uint8_t)bus) != OK)
                return E_NOMEM;
    log_info("pci: %u functions on %u bus range%s", count, range_count,
             range_count == 1 ? "" : "s");
    return OK;
}

void pci_print(void)
{
    for (unsigned i = 0; i < count; i++) {
        const struct pci_device *d = &devices[i];

        log_debug("pci: " PCI_ADDR_FMT " %04x:%04x class %06x bar0 0x%llx",
                  PCI_ADDR_ARGS(d->at), d->vendor, d->device, d->class_code,
                  (unsigned long long)d->bar[0].base);
    }
}

static void command_set(const struct pci_device *dev, uint16_t bits)
{
    const uint16_t was = pci_get16(dev->at, PCI_COMMAND);

    if ((was & bits) == bits)
        return;
    pci_put16(dev->at, PCI_COMMAND, was | bits);
    const uint16_t now = pci_get16(dev->at, PCI_COMMAND);

    if ((now & bits) != bits)
        log_error("pci: " PCI_ADDR_FMT " refuses to decode memory and master "
                  "the bus: command reads %04x, bits %04x expected",
                  PCI_ADDR_ARGS(dev->at), now, bits);
}

/* Bridges first: nothing may be under way before the path is open. */
void pci_enable(const struct pci_device *dev)
{
    for (const struct pci_device *b = dev->bridge; b != NULL; b = b->bridge) {
        pci_wake(b->at);
        command_set(b, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    }
    pci_wake(dev->at);
    pci_put16(dev->at, PCI_COMMAND,
              pci_get16(dev->at, PCI_COMMAND) | PCI_COMMAND_INTX_OFF);
    command_set(dev, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
}

void pci_disable_dma(const struct pci_device *dev)
{
    pci_put16(dev->at, PCI_COMMAND,
              pci_get16(dev->at, PCI_COMMAND) & (uint16_t)~PCI_COMMAND_MASTER);
}

volatile void *pci_map_bar(const struct pci_device *dev, unsigned index,
                           size_t bytes)
{
    if (index >= PCI_BAR_COUNT || dev->bar[index].is_io ||
        dev->bar[index].base == 0 || bytes == 0)
        return NULL;
    return plat_map_device(dev->bar[index].base, bytes);
}
