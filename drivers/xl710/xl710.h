/*
 * xl710.h - driver of the Intel Ethernet 700 family
 *
 * Every port that attaches appears in port.h under the next free number.
 */
#pragma once

#include <stdbool.h>

#include <millrace/compiler.h>
#include <millrace/pci.h>
#include <millrace/status.h>

/* Is @dev a physical function this driver speaks to? */
bool xl710_is_ours(const struct pci_device *dev);

/* "XL710 40GbE QSFP+", or NULL when the device is not ours. */
const char *xl710_product(const struct pci_device *dev);

/*
 * Begin what xl710_attach() begins with, the reset of @dev, and do not wait for
 * it: called for all devices first, their waits pass together. May be left out.
 */
void xl710_reset_begin(const struct pci_device *dev);

/*
 * Reset @dev whatever its state, bring it up and add a port, stopped.
 *
 * Returns  OK; E_UNSUPPORTED for a device that is not ours or whose firmware is
 *          in recovery mode; what stopped it otherwise, with the step in the
 *          log. On failure all memory is back and the function does no DMA.
 * Cost     100 ms of reset time, then a few hundred register accesses
 * Context  control core
 */
must_use enum status xl710_attach(struct pci_device *dev);

/* Close every port and forget it: the next one attached is port 0 again. */
void xl710_forget_all(void);
