/*
 * serial.c - the serial console
 *
 *   S1  a line feed goes out as carriage return and line feed
 *   S2  what was written before the choice appears on the chosen port once
 */
#include <stdio.h>
#include <string.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/io.h"
#include "kernel/screen.h"
#include "kernel/serial.h"
#include "kernel/uart.h"
#include "kernel/uart_config.h"

#define COM1          0x3F8
#define REGISTERS     8
#define BACKLOG_BYTES 16384

static struct uart uart;
static bool is_open;
static struct uart_config config = { .base = COM1, .stride = 1, .access = 1 };
static volatile uint8_t *mmio;

static char backlog[BACKLOG_BYTES];
static size_t backlog_bytes;
static bool is_chosen;

/* ---- ways to a register ---- */

static uint8_t port_read(void *ctx, unsigned reg)
{
    (void)ctx;
    return io_in8((uint16_t)(config.base + reg * config.stride));
}

static void port_write(void *ctx, unsigned reg, uint8_t v)
{
    (void)ctx;
    io_out8((uint16_t)(config.base + reg * config.stride), v);
}

static uint8_t mmio_read(void *ctx, unsigned reg)
{
    const volatile void *at = mmio + reg * config.stride;

    (void)ctx;
    switch (config.access) {
    case 4:
        return (uint8_t)plat_read32(at);
    case 2:
        return (uint8_t)plat_read16(at);
    default:
        return plat_read8(at);
    }
}

static void mmio_write(void *ctx, unsigned reg, uint8_t v)
{
    volatile void *at = mmio + reg * config.stride;

    (void)ctx;
    switch (config.access) {
    case 4:
        plat_write32(at, v);
        break;
    case 2:
        plat_write16(at, v);
        break;
    default:
        plat_write8(at, v);
    }
}

/* ---- bytes out ---- */

static void write_port(const char *text, size_t bytes)
{
    const char *const end = text + bytes;

    while (is_open && text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        const char *stop = feed != NULL ? feed : end;

        uart_write(&uart, text, (size_t)(stop - text));
        if (feed == NULL)
            break;
        uart_write(&uart, "\r\n", 2); /* S1 */
        text = feed + 1;
    }
}

/* ---- the choice ---- */

static bool open_config(const struct uart_config *c)
{
    static const struct uart_io port_io = { port_read, port_write, NULL };
    static const struct uart_io mmio_io = { mmio_read, mmio_write, NULL };

    if (c->is_mmio) {
        mmio = plat_map_device(c->base, REGISTERS * c->stride);
        if (mmio == NULL)
            return false;
    }
    config = *c;
    return uart_open(&uart, c->is_mmio ? &mmio_io : &port_io, c->baud,
                     c->clock_hz);
}

void serial_early(void)
{
    const struct uart_config com1 = config;

    is_open = open_config(&com1);
}

static bool is_same_port(const struct uart_config *a,
                         const struct uart_config *b)
{
    return a->is_mmio == b->is_mmio && a->base == b->base;
}

static void tell(const struct uart_config *c, const char *why)
{
    char rate[16] = "as it was";

    if (c->baud != 0)
        snprintf(rate, sizeof(rate), "%u", c->baud);
    log_info("console: %s 0x%llx (%s), rate %s", c->is_mmio ? "memory" : "port",
             (unsigned long long)c->base, why, rate);
}

/* Open @c and make it the console; false when nothing answers there. */
static bool choose(const struct uart_config *c, const char *why)
{
    const struct uart_config before = config;
    const bool was_open = is_open;
    const bool was_this = was_open && is_same_port(&before, c);

    /* Opening it anew would lose what was typed meanwhile. */
    if ((was_this && c->baud == 0) || open_config(c)) {
        is_open = is_chosen = true;
        if (!was_this)
            write_port(backlog, backlog_bytes); /* S2 */
        tell(c, why);
        return true;
    }
    if (was_open)
        is_open = open_config(&before);
    log_warning("console: no UART answers at %s 0x%llx (%s)",
                c->is_mmio ? "memory" : "port", (unsigned long long)c->base,
                why);
    return false;
}

void serial_init(const char *option, const struct acpi_spcr *spcr)
{
    struct uart_config c;

    if (option != NULL && uart_config_parse(option, &c) == OK) {
        if (c.is_none) {
            is_chosen = true;
            is_open = false;
            return;
        }
        if (choose(&c, "console= option"))
            return;
    }
    if (spcr != NULL && uart_config_from_spcr(spcr, &c) == OK &&
        choose(&c, "SPCR"))
        return;
    c = (struct uart_config) { .base = COM1, .stride = 1, .access = 1 };
    if (!choose(&c, "default"))
        is_chosen = true; /* there is no other: keep nothing more */
}

uint64_t serial_dropped(void)
{
    return uart.dropped;
}

/* ---- bytes ---- */

static void keep(const char *text, size_t bytes)
{
    const size_t room = BACKLOG_BYTES - backlog_bytes;
    const size_t n = bytes < room ? bytes : room;

    memcpy(backlog + backlog_bytes, text, n);
    backlog_bytes += n;
}

const char *serial_backlog(size_t *bytes)
{
    *bytes = backlog_bytes;
    return backlog;
}

void plat_console_write(const char *text, size_t bytes)
{
    if (!is_chosen)
        keep(text, bytes);
    write_port(text, bytes);
    screen_write(text, bytes);
}

int plat_console_read(void)
{
    return is_open ? uart_read(&uart) : -1;
}
