/*
 * pci.h - PCI functions as drivers see them
 *
 * kernel/pci.c implements it on top of plat_pci_read/plat_pci_write.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/plat.h>
#include <millrace/status.h>

#define PCI_CAP_PM    0x01
#define PCI_CAP_MSI   0x05
#define PCI_CAP_MSIX  0x11
#define PCI_CAP_PCIE  0x10
#define PCI_BAR_COUNT 6

/* "0000:3b:00.0", as lspci prints it; at most 12 characters. */
#define PCI_ADDR_FMT     "%04x:%02x:%02x.%x"
#define PCI_ADDR_ARGS(a) (a).segment, (a).bus, (a).device, (a).function

struct pci_bar {
    uint64_t base; /* physical address firmware assigned; 0 = none */
    bool is_io;
    bool is_64bit;
    bool is_prefetchable;
};

struct pci_device {
    struct pci_addr at;
    uint16_t vendor, device;
    uint16_t subvendor, subdevice;
    uint8_t revision;
    uint32_t class_code; /* class << 16 | subclass << 8 | interface */
    struct pci_bar bar[PCI_BAR_COUNT];
    struct pci_device *bridge; /* the bridge above, NULL on a root bus */
    bool has_node;
    uint32_t node; /* the memory near it, where the firmware says */
};

/* PCIe link of @dev, from its link registers; all 0 without the capability. */
struct pci_link {
    unsigned width, max_width; /* lanes */
    unsigned speed, max_speed; /* generation: 1, 2, 3, ... */
};

/*
 * Find every function behind the ECAM ranges in use (bounded; loops and unknown
 * capabilities are skipped). Call once.
 *
 * Returns  OK, or E_NOMEM when more functions exist than the table holds
 */
must_use enum status pci_scan(void);

unsigned pci_count(void);
struct pci_device *pci_get(unsigned index);

/* Configuration offset of capability @id, or 0. Bounded on looping lists. */
unsigned pci_find_capability(const struct pci_device *dev, uint8_t id);

/* Memory decode and bus mastering on @dev and on every bridge above it. */
void pci_enable(const struct pci_device *dev);

/* Bus mastering of @dev off: no DMA leaves it any more. */
void pci_disable_dma(const struct pci_device *dev);

/*
 * Function-level reset: configuration space is saved, the reset is given
 * 100 ms, the vendor id is polled for another second, configuration restored.
 *
 * Returns  OK, E_UNSUPPORTED (no FLR capability), E_GONE (did not come back)
 * Cost     100 ms at least
 */
must_use enum status pci_function_reset(const struct pci_device *dev);

/*
 * The same without waiting. All zero before the first reset of a function; the
 * configuration that is saved then is restored by the later ones, too: somebody
 * else may have reset the function meanwhile.
 */
struct pci_reset {
    uint32_t header[16];
    uint16_t device_control, device_control_2, link_control;
    bool is_saved;
    bool is_asked; /* transactions had ended, the reset was asked for */
    uint64_t since_cycles;
};

/* DMA ends here. Returns OK, E_UNSUPPORTED, or E_GONE; see above. */
must_use enum status pci_reset_begin(const struct pci_device *dev,
                                     struct pci_reset *reset);

/*
 * Call it until it is done.
 *
 * Returns  E_BUSY while the reset goes on, OK when the configuration is
 *          restored, E_GONE
 */
must_use enum status pci_reset_poll(const struct pci_device *dev,
                                    struct pci_reset *reset);

/*
 * Map the first @bytes of memory BAR @index, uncached.
 *
 * Returns  NULL when the BAR is I/O, unassigned, or cannot be mapped
 */
volatile void *pci_map_bar(const struct pci_device *dev, unsigned index,
                           size_t bytes);

void pci_link_get(const struct pci_device *dev, struct pci_link *link);
