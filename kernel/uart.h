/*
 * uart.h - a 16550 behind any kind of register access
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UART_CLOCK_HZ 1843200 /* of a PC's port when nothing else is said */

/* Register @reg (0 .. 7) of the chip; the stride is the accessor's business. */
struct uart_io {
    uint8_t (*read)(void *ctx, unsigned reg);
    void (*write)(void *ctx, unsigned reg, uint8_t value);
    void *ctx;
};

struct uart {
    struct uart_io io;
    unsigned fifo;    /* bytes it takes when it says it is empty */
    bool stuck;       /* it did not drain in time; waits are short now */
    uint64_t dropped; /* bytes it never took */
};

/*
 * Find out whether a 16550 answers, and set it to 8 bits, no parity, 1 stop
 * bit, FIFOs on, interrupts off.
 *
 * @baud      0 keeps the rate that the firmware set
 * @clock_hz  of the divisor, 0 = UART_CLOCK_HZ
 * Returns    false when nothing answers or @baud cannot be had (off by more
 *            than 3 %); @uart is not to be used then
 */
bool uart_open(struct uart *uart, const struct uart_io *io, uint32_t baud,
               uint32_t clock_hz);

/*
 * Send @bytes. What is not taken within a bounded number of polls is dropped
 * and counted; until the device drains again nothing waits long for it.
 */
void uart_write(struct uart *uart, const char *text, size_t bytes);

/* One received byte, or -1. */
int uart_read(struct uart *uart);
