/*
 * host.h - the strings by which a test moves the fake machine
 */
#pragma once

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/plat.h>

/* Everything back to power-on: no devices, time 0, console empty. */
void host_reset(void);

/* ---- memory that devices can reach ---- */

/*
 * The DMA arena, created on first use: @bytes (multiple of 2 MiB) at a 2 MiB
 * boundary. Bus addresses start at HOST_BUS_BASE, far from the pointers.
 */
#define HOST_BUS_BASE UINT64_C(0x40000000)
void *host_arena(size_t bytes);

/* The arena pointer behind @bus, or NULL when [bus, bus + bytes) leaves it. */
void *host_bus_to_ptr(uint64_t bus, size_t bytes);

/* ---- time ---- */

#define HOST_HZ UINT64_C(1000000000)
void host_advance_us(uint64_t us);
/* plat_pause() advances by this much; 100 ns at reset. */
void host_pause_ns_set(uint64_t ns);
/* Called whenever time moved, with the new time in ns; NULL = none. */
void host_on_time(void (*hook)(void *ctx, uint64_t now_ns), void *ctx);

/* ---- other cores ---- */

/*
 * Let there be cores 1 .. @n; none at reset. They have no threads: each takes a
 * turn whenever the control core pauses.
 */
void host_cores(unsigned n);
/* One turn of each. */
void host_cores_turn(void);
/* Core @lcore goes on with the test as the control core. */
void host_control_move(unsigned lcore);
/* Core @lcore takes no turns, as one that an SMI keeps. */
void host_core_stuck(unsigned lcore, bool is_stuck);
/* Calls of plat_core_wake() for it since reset. */
unsigned host_core_wakes(unsigned lcore);

/* ---- devices ---- */

struct host_device {
    uint64_t phys;
    size_t bytes;
    uint64_t (*read)(void *ctx, uint64_t offset, unsigned bytes);
    void (*write)(void *ctx, uint64_t offset, unsigned bytes, uint64_t value);
    void *ctx;
};

/* An access outside every device fails the test. */
void host_device_add(const struct host_device *device);
/* Registers accessed since reset. */
uint64_t host_mmio_count(void);

/* PCI configuration space; without hooks everything reads as all ones. */
void host_pci_hooks(uint32_t (*read)(void *ctx, struct pci_addr at,
                                     unsigned offset, unsigned bytes),
                    void (*write)(void *ctx, struct pci_addr at,
                                  unsigned offset, unsigned bytes,
                                  uint32_t value),
                    void *ctx);

/* ---- console ---- */

/* All that was written, NUL-terminated. */
const char *host_console_text(void);
void host_console_clear(void);
void host_console_type(const char *text);

/* ---- panic, power ---- */

/*
 * How the code under test left: HOST_PANIC, HOST_POWER_OFF, HOST_REBOOT. Set
 * host_exit_to with setjmp and host_exit_armed to catch it; uncaught it aborts.
 */
enum host_exit { HOST_NONE, HOST_PANIC, HOST_POWER_OFF, HOST_REBOOT };
extern jmp_buf host_exit_to;
extern bool host_exit_armed;
extern char host_panic_text[256];
