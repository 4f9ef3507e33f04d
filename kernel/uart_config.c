/*
 * uart_config.c - which serial port is the console
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <millrace/log.h>

#include "kernel/uart_config.h"

#define BAUD_MAX   4000000
#define PHYS_LIMIT (UINT64_C(1) << 52)
#define REGISTERS  8

static const uint16_t pc_port[] = { 0x3F8, 0x2F8, 0x3E8, 0x2E8 };

static enum status refuse(const char *text, const char *expected)
{
    log_error("console=%s: %s expected", text, expected);
    return E_INVALID;
}

/* A number at *@p, which moves behind it; false when there is none. */
static bool number(const char **p, uint64_t max, uint64_t *out)
{
    char *end;

    if (**p < '0' || **p > '9')
        return false;
    errno = 0;
    *out = strtoull(*p, &end, 0);
    if (errno != 0 || *out > max)
        return false;
    *p = end;
    return true;
}

/* @p is at the end or at ",RATE". */
static enum status rate(const char *text, const char *p,
                        struct uart_config *out)
{
    uint64_t baud;

    if (*p == '\0')
        return OK;
    if (*p++ != ',' || !number(&p, BAUD_MAX, &baud) || baud == 0)
        return refuse(text, "a rate such as 115200");
    out->baud = (uint32_t)baud;
    if (*p != '\0' && strcmp(p, "n8") != 0)
        return refuse(text, "n8 (no parity, eight bits)");
    return OK;
}

/* Steps over @word when *@p starts with it. */
static bool skip(const char **p, const char *word)
{
    const size_t len = strlen(word);

    if (strncmp(*p, word, len) != 0)
        return false;
    *p += len;
    return true;
}

static enum status parse_address(const char *text, const char *p,
                                 struct uart_config *out)
{
    uint64_t max = PHYS_LIMIT - REGISTERS * 4;

    out->stride = out->access = 1;
    if (skip(&p, "io,")) {
        max = UINT16_MAX - REGISTERS;
    } else if (skip(&p, "mmio32,")) {
        out->is_mmio = true;
        out->stride = out->access = 4;
    } else if (skip(&p, "mmio,")) {
        out->is_mmio = true;
    } else {
        return refuse(text, "io, mmio or mmio32 and an address");
    }
    if (!number(&p, max, &out->base) || out->base == 0 ||
        out->base % out->access != 0)
        return refuse(text, "the address of the registers");
    return rate(text, p, out);
}

enum status uart_config_parse(const char *text, struct uart_config *out)
{
    const char *p = text;

    *out = (struct uart_config) { .stride = 1, .access = 1 };
    if (strcmp(text, "none") == 0) {
        out->is_none = true;
        return OK;
    }
    if (skip(&p, "uart8250,") || skip(&p, "uart,"))
        return parse_address(text, p, out);
    if (!skip(&p, "ttyS") || *p < '0' || *p > '3')
        return refuse(text, "ttyS0 to ttyS3, uart8250,... or none");
    out->base = pc_port[*p - '0'];
    return rate(text, p + 1, out);
}

/* ---- SPCR ---- */

enum spcr_interface {
    SPCR_16550 = 0,
    SPCR_16450 = 1,
    SPCR_16550_DESCRIBED = 0x12,
};

static bool is_16550(uint8_t interface)
{
    return interface == SPCR_16550 || interface == SPCR_16450 ||
           interface == SPCR_16550_DESCRIBED;
}

enum status uart_config_from_spcr(const struct acpi_spcr *spcr,
                                  struct uart_config *out)
{
    const struct acpi_address *a = &spcr->base;

    *out = (struct uart_config) { .base = a->address,
                                  .stride = 1,
                                  .access = 1,
                                  .baud = spcr->baud,
                                  .clock_hz = spcr->clock_hz };
    if (a->address == 0)
        return E_NOENT;
    out->is_mmio = a->space == ACPI_SPACE_MEMORY;
    if (!is_16550(spcr->interface) ||
        (a->space != ACPI_SPACE_MEMORY && a->space != ACPI_SPACE_IO) ||
        a->address > (out->is_mmio ? PHYS_LIMIT - REGISTERS * 4
                                   : UINT16_MAX - REGISTERS)) {
        log_warning("console: SPCR names interface %u at 0x%llx in address "
                    "space %u, a 16550 expected; ignored",
                    spcr->interface, (unsigned long long)a->address, a->space);
        return E_UNSUPPORTED;
    }
    if (!out->is_mmio)
        return OK;
    /* The register's width is the distance to the next one. */
    if (a->bits == 16 || a->bits == 32)
        out->stride = a->bits / 8;
    if (a->access >= 1 && a->access <= 3)
        out->access = 1u << (a->access - 1);
    else
        out->access = out->stride;
    if (out->access > out->stride || a->address % out->access != 0)
        out->access = 1;
    return OK;
}
