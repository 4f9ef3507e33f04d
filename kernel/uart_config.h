/*
 * uart_config.h - which serial port is the console, from words or from SPCR
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/status.h>

#include "kernel/acpi.h"

struct uart_config {
    bool is_none;      /* "console=none": nothing is to be written anywhere */
    bool is_mmio;      /* else an I/O port */
    uint64_t base;     /* of register 0 */
    unsigned stride;   /* bytes from register to register */
    unsigned access;   /* bytes per access: 1, 2 or 4 */
    uint32_t baud;     /* 0 = as the firmware set it */
    uint32_t clock_hz; /* 0 = the usual one */
};

/*
 * The value of console=, as Linux spells it:
 *
 *   ttyS0 .. ttyS3 [,RATE]       the PC's four ports
 *   uart8250,io,ADDR [,RATE]     also "uart,"
 *   uart8250,mmio,ADDR [,RATE]   byte registers
 *   uart8250,mmio32,ADDR [,RATE] 32-bit registers, four bytes apart
 *   none
 *
 * RATE is 115200 or 115200n8; without it the rate stays as the firmware set it.
 *
 * Returns  OK; E_INVALID with the reason in the log
 */
must_use enum status uart_config_parse(const char *text,
                                       struct uart_config *out);

/*
 * Returns  OK; E_NOENT when the firmware names no console; E_UNSUPPORTED, with
 *          a log line, when it names one that is no 16550
 */
must_use enum status uart_config_from_spcr(const struct acpi_spcr *spcr,
                                           struct uart_config *out);
