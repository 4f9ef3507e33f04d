/*
 * host.c - the fake machine under the host tests
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "tests/host/host.h"

#define HOST_DEVICES_MAX 32
#define HOST_MMIO_TAG    (UINT64_C(0x6) << 60)
#define HOST_CONSOLE_MAX (1u << 20)
#define ARENA_ALIGN      (UINT64_C(2) << 20)

static struct host_device devices[HOST_DEVICES_MAX];
static unsigned device_count;
static uint64_t mmio_count;

static uint8_t *arena;
static size_t arena_bytes;

static uint64_t now_ns, pause_ns = 100;
static void (*time_hook)(void *, uint64_t);
static void *time_hook_ctx;

static uint32_t (*pci_read)(void *, struct pci_addr, unsigned, unsigned);
static void (*pci_write)(void *, struct pci_addr, unsigned, unsigned, uint32_t);
static void *pci_ctx;

static char console[HOST_CONSOLE_MAX + 1];
static size_t console_bytes;
static char input[65536];
static size_t input_head, input_tail;

_Thread_local unsigned host_lcore;
jmp_buf host_exit_to;
bool host_exit_armed;
char host_panic_text[256];

void host_reset(void)
{
    device_count = 0;
    mmio_count = 0;
    now_ns = 0;
    pause_ns = 100;
    time_hook = NULL;
    pci_read = NULL;
    pci_write = NULL;
    host_console_clear();
    input_head = input_tail = 0;
    host_exit_armed = false;
    host_lcore = 0;
    host_cores(0);
}

/* ---- memory ---- */

void *host_arena(size_t bytes)
{
    if (arena == NULL) {
        uint8_t *raw = mmap(NULL, bytes + ARENA_ALIGN, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (raw == MAP_FAILED)
            abort();
        arena = (uint8_t *)(((uintptr_t)raw + ARENA_ALIGN - 1) &
                            ~(uintptr_t)(ARENA_ALIGN - 1));
        arena_bytes = bytes;
    }
    if (bytes > arena_bytes) {
        fprintf(stderr, "host: the arena has %zu bytes, %zu asked\n",
                arena_bytes, bytes);
        abort();
    }
    return arena;
}

uint64_t host_bus_addr(const void *p)
{
    const uint8_t *b = p;

    if (arena == NULL || b < arena || b >= arena + arena_bytes) {
        fprintf(stderr, "host: %p is not DMA memory\n", p);
        abort();
    }
    return HOST_BUS_BASE + (uint64_t)(b - arena);
}

void *host_bus_to_ptr(uint64_t bus, size_t bytes)
{
    const uint64_t offset = bus - HOST_BUS_BASE;

    if (arena == NULL || bus < HOST_BUS_BASE || offset >= arena_bytes ||
        bytes > arena_bytes - offset)
        return NULL;
    return arena + offset;
}

/* ---- time ---- */

static void time_moves(uint64_t ns)
{
    static bool inside; /* a hook that waits must not call itself */
    const uint64_t now = __atomic_add_fetch(&now_ns, ns, __ATOMIC_RELAXED);

    if (time_hook == NULL || inside)
        return;
    inside = true;
    time_hook(time_hook_ctx, now);
    inside = false;
}

void host_advance_us(uint64_t us)
{
    time_moves(us * 1000);
}

void host_pause_ns_set(uint64_t ns)
{
    pause_ns = ns;
}

void host_on_time(void (*hook)(void *, uint64_t), void *ctx)
{
    time_hook = hook;
    time_hook_ctx = ctx;
}

uint64_t host_cycles(void)
{
    return __atomic_load_n(&now_ns, __ATOMIC_RELAXED);
}

void host_pause(void)
{
    time_moves(pause_ns);
    if (host_lcore == core_control())
        host_cores_turn();
}

uint64_t plat_cycles_hz(void)
{
    return HOST_HZ;
}

/* ---- devices ---- */

void host_device_add(const struct host_device *device)
{
    if (device_count == HOST_DEVICES_MAX)
        abort();
    devices[device_count++] = *device;
}

uint64_t host_mmio_count(void)
{
    return mmio_count;
}

static struct host_device *device_at(const volatile void *reg, unsigned bytes,
                                     uint64_t *offset)
{
    const uint64_t phys = (uint64_t)(uintptr_t)reg ^ HOST_MMIO_TAG;

    mmio_count++;
    for (unsigned i = 0; i < device_count; i++) {
        struct host_device *d = &devices[i];

        if (phys >= d->phys && phys - d->phys < d->bytes &&
            bytes <= d->bytes - (phys - d->phys)) {
            *offset = phys - d->phys;
            return d;
        }
    }
    fprintf(stderr, "host: no device at %#llx\n", (unsigned long long)phys);
    abort();
}

uint64_t host_mmio_read(const volatile void *reg, unsigned bytes)
{
    uint64_t offset;
    struct host_device *d = device_at(reg, bytes, &offset);

    return d->read(d->ctx, offset, bytes);
}

void host_mmio_write(volatile void *reg, unsigned bytes, uint64_t value)
{
    uint64_t offset;
    struct host_device *d = device_at(reg, bytes, &offset);

    d->write(d->ctx, offset, bytes, value);
}

volatile void *plat_map_device(uint64_t phys, size_t bytes)
{
    for (unsigned i = 0; i < device_count; i++)
        if (phys >= devices[i].phys &&
            phys + bytes <= devices[i].phys + devices[i].bytes)
            return (volatile void *)(uintptr_t)(phys ^ HOST_MMIO_TAG);
    return NULL;
}

void host_pci_hooks(uint32_t (*read)(void *, struct pci_addr, unsigned,
                                     unsigned),
                    void (*write)(void *, struct pci_addr, unsigned, unsigned,
                                  uint32_t),
                    void *ctx)
{
    pci_read = read;
    pci_write = write;
    pci_ctx = ctx;
}

uint32_t plat_pci_read(struct pci_addr at, unsigned offset, unsigned bytes)
{
    if (pci_read == NULL)
        return UINT32_MAX >> (32 - 8 * bytes);
    return pci_read(pci_ctx, at, offset, bytes);
}

void plat_pci_write(struct pci_addr at, unsigned offset, unsigned bytes,
                    uint32_t value)
{
    if (pci_write != NULL)
        pci_write(pci_ctx, at, offset, bytes, value);
}

/* ---- console ---- */

void plat_console_write(const char *text, size_t bytes)
{
    if (bytes > HOST_CONSOLE_MAX - console_bytes)
        bytes = HOST_CONSOLE_MAX - console_bytes;
    memcpy(console + console_bytes, text, bytes);
    console_bytes += bytes;
    console[console_bytes] = '\0';
}

const char *host_console_text(void)
{
    return console;
}

void host_console_clear(void)
{
    console_bytes = 0;
    console[0] = '\0';
}

void host_console_type(const char *text)
{
    while (*text != '\0' && input_tail < sizeof(input))
        input[input_tail++] = *text++;
}

int plat_console_read(void)
{
    if (input_head == input_tail)
        return -1;
    return (unsigned char)input[input_head++];
}

/* ---- leaving ---- */

static noreturn void leave(enum host_exit how)
{
    if (!host_exit_armed) {
        fprintf(stderr, "host: unexpected exit %d: %s\n", (int)how,
                how == HOST_PANIC ? host_panic_text : "");
        abort();
    }
    host_exit_armed = false;
    longjmp(host_exit_to, (int)how);
}

void panic(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(host_panic_text, sizeof(host_panic_text), fmt, args);
    va_end(args);
    leave(HOST_PANIC);
}

void plat_power_off(unsigned exit_code)
{
    (void)exit_code;
    leave(HOST_POWER_OFF);
}

void plat_reboot(void)
{
    leave(HOST_REBOOT);
}
