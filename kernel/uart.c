/*
 * uart.c - a 16550 that cannot hang us
 *
 *   U1  every wait is counted in polls: the console works before the clock
 *   U2  after one long wait in vain, a write waits briefly and drops, until the
 *       chip drains again
 */
#include <millrace/plat.h>

#include "kernel/uart.h"

enum uart_register {
    UART_DATA = 0, /* divisor, low half, while DLAB is set */
    UART_IER = 1,  /* divisor, high half, while DLAB is set */
    UART_FCR = 2,  /* written */
    UART_IIR = 2,  /* read */
    UART_LCR = 3,
    UART_MCR = 4,
    UART_LSR = 5,
    UART_MSR = 6,
};

#define FCR_ON        0x01
#define FCR_CLEAR     0x06
#define IIR_FIFO      0xC0
#define LCR_8N1       0x03
#define LCR_DLAB      0x80
#define MCR_DTR_RTS   0x03
#define MCR_RTS_OUT2  0x0A
#define MCR_LOOP      0x10
#define LSR_DATA      0x01
#define LSR_THR_EMPTY 0x20
#define LSR_IDLE      0x40
#define LSR_NOBODY    0xFF /* every bit at once: nothing drives the bus */
#define MSR_LINES     0xF0
#define MSR_CTS_DCD   0x90

#define FIFO_BYTES 16

/*
 * A poll of a port takes about 1 us on a PC, less in an emulator. The patience
 * is for one: its output may wait for a busy host. A real chip sends 16
 * characters at 1200 baud within 133 ms.
 */
#define POLLS_MAX       2000000
#define POLLS_MAX_STUCK 2000

static uint8_t get(const struct uart *u, unsigned reg)
{
    return u->io.read(u->io.ctx, reg);
}

static void put(const struct uart *u, unsigned reg, uint8_t v)
{
    u->io.write(u->io.ctx, reg, v);
}

/* The firmware's last words leave before we touch the rate and the FIFO. */
static void drain(const struct uart *u)
{
    for (unsigned i = 0; i < POLLS_MAX; i++) {
        if (get(u, UART_LSR) & LSR_IDLE)
            return;
        plat_pause();
    }
}

/*
 * In loop-back the modem outputs come back as modem inputs: RTS as CTS, OUT2
 * as DCD. Nothing is sent while we look.
 */
static bool answers(const struct uart *u)
{
    put(u, UART_IER, 0);
    if (get(u, UART_IER) != 0)
        return false;
    put(u, UART_MCR, MCR_LOOP | MCR_RTS_OUT2);
    const bool both = (get(u, UART_MSR) & MSR_LINES) == MSR_CTS_DCD;

    put(u, UART_MCR, MCR_LOOP);
    const bool none = (get(u, UART_MSR) & MSR_LINES) == 0;

    put(u, UART_MCR, MCR_DTR_RTS);
    return both && none;
}

/* The divisor for @baud, or 0 when none comes within 3 %. */
static uint32_t divisor_of(uint32_t baud, uint32_t clock_hz)
{
    const uint64_t want = (uint64_t)baud * 16;
    const uint64_t divisor = (clock_hz + want / 2) / want;

    if (divisor == 0 || divisor > 0xFFFF)
        return 0;
    const uint64_t got = divisor * want;
    const uint64_t off = got > clock_hz ? got - clock_hz : clock_hz - got;

    return off * 100 <= (uint64_t)clock_hz * 3 ? (uint32_t)divisor : 0;
}

static uint32_t divisor_now(const struct uart *u)
{
    put(u, UART_LCR, LCR_8N1 | LCR_DLAB);
    const uint32_t now = get(u, UART_DATA) | (uint32_t)get(u, UART_IER) << 8;

    put(u, UART_LCR, LCR_8N1);
    return now;
}

static void divisor_set(const struct uart *u, uint32_t divisor)
{
    put(u, UART_LCR, LCR_8N1 | LCR_DLAB);
    put(u, UART_DATA, (uint8_t)divisor);
    put(u, UART_IER, (uint8_t)(divisor >> 8));
    put(u, UART_LCR, LCR_8N1);
}

bool uart_open(struct uart *u, const struct uart_io *io, uint32_t baud,
               uint32_t clock_hz)
{
    const uint32_t clock = clock_hz != 0 ? clock_hz : UART_CLOCK_HZ;
    const uint32_t divisor = baud != 0 ? divisor_of(baud, clock) : 0;

    *u = (struct uart) { .io = *io, .fifo = 1 };
    if (baud != 0 && divisor == 0)
        return false;
    drain(u);
    put(u, UART_LCR, LCR_8N1); /* DLAB off: IER is in its place */
    if (!answers(u))
        return false;
    if (divisor != 0)
        divisor_set(u, divisor);
    else if (divisor_now(u) == 0) /* never set: "as it is" means nothing */
        divisor_set(u, divisor_of(115200, UART_CLOCK_HZ));
    put(u, UART_FCR, FCR_ON);
    put(u, UART_FCR, FCR_ON | FCR_CLEAR);
    if ((get(u, UART_IIR) & IIR_FIFO) == IIR_FIFO)
        u->fifo = FIFO_BYTES;
    return true;
}

static bool wait_for_room(struct uart *u)
{
    const unsigned max = u->stuck ? POLLS_MAX_STUCK : POLLS_MAX;

    for (unsigned i = 0; i < max; i++) {
        const uint8_t status = get(u, UART_LSR);

        if ((status & LSR_THR_EMPTY) && status != LSR_NOBODY) {
            u->stuck = false;
            return true;
        }
        plat_pause();
    }
    u->stuck = true;
    return false;
}

void uart_write(struct uart *u, const char *text, size_t bytes)
{
    while (bytes > 0) {
        const size_t n = bytes < u->fifo ? bytes : u->fifo;

        if (!wait_for_room(u)) {
            u->dropped += bytes;
            return;
        }
        for (size_t i = 0; i < n; i++)
            put(u, UART_DATA, (uint8_t)text[i]);
        text += n;
        bytes -= n;
    }
}

int uart_read(struct uart *u)
{
    const uint8_t status = get(u, UART_LSR);

    if (status == LSR_NOBODY || !(status & LSR_DATA))
        return -1;
    return get(u, UART_DATA);
}
