/*
 * plat.h - all that portable code asks of the machine
 *
 * mm/, drivers/, net/, console/ and the pure parts of kernel/ reach the world
 * through these calls only. kernel/ implements them on metal, tests/host/ on
 * Linux, where bus addresses differ from pointers and time moves only when told.
 *
 * plat_impl.h is found through the include path of the build; it holds the
 * calls that must be inline:
 *
 *   uint8_t  plat_read8 (const volatile void *reg)      device registers
 *   uint16_t plat_read16(const volatile void *reg)
 *   uint32_t plat_read32(const volatile void *reg)
 *   uint64_t plat_read64(const volatile void *reg)
 *   void     plat_write8 (volatile void *reg, uint8_t v)
 *   void     plat_write16(volatile void *reg, uint16_t v)
 *   void     plat_write32(volatile void *reg, uint32_t v)
 *   void     plat_write64(volatile void *reg, uint64_t v)
 *   void     plat_dma_wmb(void)   memory stores before it are visible to devices
 *                                 before any register write after it
 *   void     plat_dma_rmb(void)   loads of DMA memory before it happen before
 *                                 loads after it
 *   uint64_t plat_bus_addr(const void *p)   what a device must use to reach @p
 *   uint64_t plat_cycles(void)              TSC; never goes back on one core
 *   void     plat_pause(void)               inside every polling loop
 *   unsigned plat_lcore_id(void)            0 .. LCORE_MAX - 1
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>

#define LCORE_MAX 256

#include <plat_impl.h>

/* TSC ticks per second; 0 before the clock is calibrated. */
uint64_t plat_cycles_hz(void);

/*
 * Map device registers uncached.
 *
 * @phys    physical address, any alignment
 * @bytes   at least 1
 * Returns  a pointer for plat_read/plat_write, or NULL when it cannot be mapped
 * Context  control core, before start
 */
volatile void *plat_map_device(uint64_t phys, size_t bytes);

/* Where a PCI function sits. */
struct pci_addr {
    uint16_t segment;
    uint8_t bus;
    uint8_t device;   /* 0 .. 31 */
    uint8_t function; /* 0 .. 7 */
};

/*
 * PCI configuration space, @bytes of 1, 2 or 4, @offset aligned to it.
 * A function that is not there reads as all ones; writes to it vanish.
 */
uint32_t plat_pci_read(struct pci_addr at, unsigned offset, unsigned bytes);
void plat_pci_write(struct pci_addr at, unsigned offset, unsigned bytes,
                    uint32_t value);

/*
 * Bytes to the console. Waits are bounded: what the device does not take in
 * time is dropped and counted.
 */
void plat_console_write(const char *text, size_t bytes);

/* Let core @lcore look for work (core.h), should it sleep. */
void plat_core_wake(unsigned lcore);

/* SMIs that the calling core has taken; false where nobody counts them. */
bool plat_smi_count(uint32_t *count);

/* Interrupts that core @lcore has taken, but for those that wake it. */
uint64_t plat_interrupts(unsigned lcore);

/* One input byte, or -1 when none waits. */
int plat_console_read(void);

/* Leave for good. plat_exit_code is shown to an emulator that asks for it. */
noreturn void plat_power_off(unsigned exit_code);
noreturn void plat_reboot(void);
