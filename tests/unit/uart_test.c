/*
 * uart_test.c - a 16550 that is there, absent, or stuck
 */
#include "kernel/uart.h"
#include "tests/unit/test.h"

/* A 16550 as its data sheet draws it, as far as a console cares. */
struct chip {
    uint8_t ier, lcr, mcr, fcr, scratch;
    uint16_t divisor;
    unsigned in_fifo;     /* bytes not yet on the wire */
    unsigned drain_reads; /* status reads that each byte takes */
    unsigned reads_left;
    bool stuck;
    bool has_fifo;
    bool floats; /* nothing there: reads as all ones */
    bool no_loop;
    char sent[256];
    unsigned sent_count;
    unsigned overruns;
    const char *input;
    uint64_t status_reads;
    unsigned sent_in_loop;
};

static unsigned depth(const struct chip *c)
{
    return c->has_fifo && (c->fcr & 1) ? 16 : 1;
}

static uint8_t line_status(struct chip *c)
{
    c->status_reads++;
    if (!c->stuck && c->in_fifo > 0 && c->reads_left-- == 0) {
        c->in_fifo--;
        c->reads_left = c->drain_reads;
    }
    const bool empty = c->in_fifo == 0;
    const bool data = c->input != NULL && *c->input != '\0';

    return (uint8_t)((empty ? 0x60 : 0) | (data ? 1 : 0));
}

static uint8_t modem_status(const struct chip *c)
{
    if (!(c->mcr & 0x10) || c->no_loop)
        return 0xB0; /* a modem is there */
    /* DTR->DSR, RTS->CTS, OUT1->RI, OUT2->DCD */
    return (uint8_t)((c->mcr & 1) << 5 | (c->mcr & 2) << 3 | (c->mcr & 4) << 4 |
                     (c->mcr & 8) << 4);
}

static uint8_t chip_read(void *ctx, unsigned reg)
{
    struct chip *c = ctx;
    const bool dlab = c->lcr & 0x80;

    if (c->floats)
        return 0xFF;
    switch (reg) {
    case 0:
        if (dlab)
            return (uint8_t)c->divisor;
        return c->input != NULL && *c->input != '\0' ? (uint8_t)*c->input++ : 0;
    case 1:
        return dlab ? (uint8_t)(c->divisor >> 8) : c->ier;
    case 2:
        return c->has_fifo && (c->fcr & 1) ? 0xC1 : 0x01;
    case 3:
        return c->lcr;
    case 4:
        return c->mcr;
    case 5:
        return line_status(c);
    case 6:
        return modem_status(c);
    default:
        return c->scratch;
    }
}

static void transmit(struct chip *c, uint8_t v)
{
    if (c->mcr & 0x10)
        c->sent_in_loop++;
    if (c->in_fifo == depth(c)) {
        c->overruns++;
        return;
    }
    c->in_fifo++;
    if (c->sent_count < sizeof(c->sent) - 1)
        c->sent[c->sent_count++] = (char)v;
}

static void chip_write(void *ctx, unsigned reg, uint8_t v)
{
    struct chip *c = ctx;
    const bool dlab = c->lcr & 0x80;

    if (c->floats)
        return;
    switch (reg) {
    case 0:
        if (dlab)
            c->divisor = (uint16_t)((c->divisor & 0xFF00) | v);
        else
            transmit(c, v);
        break;
    case 1:
        if (dlab)
            c->divisor = (uint16_t)((c->divisor & 0xFF) | v << 8);
        else
            c->ier = v & 0x0F;
        break;
    case 2:
        c->fcr = v;
        if (v & 4)
            c->in_fifo = 0;
        break;
    case 3:
        c->lcr = v;
        break;
    case 4:
        c->mcr = v & 0x1F;
        break;
    case 7:
        c->scratch = v;
        break;
    default:
        break;
    }
}

static struct chip working(void)
{
    return (struct chip) { .has_fifo = true,
                           .divisor = 12, /* 9600, as firmware left it */
                           .ier = 0x0F,
                           .lcr = 0x1B,
                           .drain_reads = 3 };
}

static bool open_at(struct uart *u, struct chip *c, uint32_t baud)
{
    const struct uart_io io = { chip_read, chip_write, c };

    return uart_open(u, &io, baud, 0);
}

TEST(uart, opens_as_8n1_with_fifos_and_no_interrupts)
{
    struct chip c = working();
    struct uart u;

    CHECK(open_at(&u, &c, 0));
    CHECK_EQ(c.lcr, 0x03);
    CHECK_EQ(c.ier, 0);
    CHECK_EQ(c.mcr, 0x03); /* DTR and RTS, loop-back off again */
    CHECK_EQ(c.fcr & 1, 1);
    CHECK_EQ(u.fifo, 16);
    CHECK_EQ(c.sent_in_loop, 0);
}

TEST(uart, baud_0_keeps_the_rate_of_the_firmware)
{
    struct chip c = working();
    struct uart u;

    CHECK(open_at(&u, &c, 0));
    CHECK_EQ(c.divisor, 12);
}

TEST(uart, a_rate_never_set_becomes_115200)
{
    struct chip c = working();
    struct uart u;

    c.divisor = 0;
    CHECK(open_at(&u, &c, 0));
    CHECK_EQ(c.divisor, 1);
}

TEST(uart, divisors_are_those_of_the_data_sheet)
{
    /* National's table for 1.8432 MHz; 16 x for the faster clock. */
    static const struct {
        uint32_t baud, clock;
        uint16_t divisor;
    } row[] = {
        { 115200, 0, 1 },         { 57600, 0, 2 },
        { 38400, 0, 3 },          { 19200, 0, 6 },
        { 9600, 0, 12 },          { 2400, 0, 48 },
        { 300, 0, 384 },          { 50, 0, 2304 },
        { 115200, 29491200, 16 }, { 115200, 48000000, 26 },
        { 115200, 33000000, 18 }, /* 17.9 */
    };

    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        struct chip c = working();
        struct uart u;
        const struct uart_io io = { chip_read, chip_write, &c };

        CHECK(uart_open(&u, &io, row[i].baud, row[i].clock));
        CHECK_EQ(c.divisor, row[i].divisor);
        CHECK_EQ(c.lcr, 0x03);
    }
}

TEST(uart, a_rate_that_cannot_be_had_is_refused)
{
    static const uint32_t baud[] = { 230400, 100000, 1, UINT32_MAX };

    for (unsigned i = 0; i < ARRAY_SIZE(baud); i++) {
        struct chip c = working();
        struct uart u;

        CHECK(!open_at(&u, &c, baud[i]));
        CHECK_EQ(c.divisor, 12);
    }
}

TEST(uart, nothing_at_the_address_is_noticed)
{
    struct chip c = working();
    struct uart u;

    c.floats = true;
    CHECK(!open_at(&u, &c, 115200));
}

TEST(uart, a_device_without_loop_back_is_no_uart)
{
    struct chip c = working();
    struct uart u;

    c.no_loop = true;
    CHECK(!open_at(&u, &c, 115200));
}

TEST(uart, sends_all_bytes_in_order_without_overruns)
{
    static const char text[] =
        "the quick brown fox jumps over the lazy dog, twice and again";

    for (unsigned fifo = 0; fifo < 2; fifo++) {
        struct chip c = working();
        struct uart u;

        c.has_fifo = fifo;
        CHECK(open_at(&u, &c, 0));
        uart_write(&u, text, sizeof(text) - 1);
        CHECK_STR(c.sent, text);
        CHECK_EQ(c.overruns, 0);
        CHECK_EQ(u.dropped, 0);
    }
}

TEST(uart, a_stuck_transmitter_costs_one_long_wait_and_then_short_ones)
{
    struct chip c = working();
    struct uart u;

    CHECK(open_at(&u, &c, 0));
    c.stuck = true;
    uart_write(&u, "0123456789abcdef", 16); /* fits the FIFO */
    uart_write(&u, "lost", 4);
    CHECK_EQ(u.dropped, 4);
    const uint64_t first = c.status_reads;

    CHECK(first >= 1000000 && first <= 2100000);
    for (unsigned i = 0; i < 1000; i++)
        uart_write(&u, "more", 4);
    CHECK_EQ(u.dropped, 4004);
    CHECK(c.status_reads - first <= 1000 * 2000);
    c.stuck = false;
    for (unsigned i = 0; i < 100; i++)
        (void)chip_read(&c, 5);
    uart_write(&u, "back", 4);
    CHECK_EQ(u.dropped, 4004);
    CHECK_STR(c.sent, "0123456789abcdefback");
}

TEST(uart, a_uart_that_vanishes_drops_and_counts)
{
    struct chip c = working();
    struct uart u;

    CHECK(open_at(&u, &c, 0));
    c.floats = true;
    uart_write(&u, "gone", 4);
    CHECK_EQ(u.dropped, 4);
    CHECK_EQ(uart_read(&u), -1);
}

/* Text the firmware left in the FIFO is sent before the FIFO is cleared. */
TEST(uart, the_last_words_of_the_firmware_are_not_cut)
{
    struct chip c = working();
    struct uart u;

    c.in_fifo = 9;
    c.reads_left = 5;
    c.drain_reads = 5;
    CHECK(open_at(&u, &c, 115200));
    CHECK(c.status_reads >= 9 * 5);
}

TEST(uart, reads_what_waits_and_nothing_else)
{
    struct chip c = working();
    struct uart u;

    CHECK(open_at(&u, &c, 0));
    CHECK_EQ(uart_read(&u), -1);
    c.input = "hi\xFF";
    CHECK_EQ(uart_read(&u), 'h');
    CHECK_EQ(uart_read(&u), 'i');
    CHECK_EQ(uart_read(&u), 0xFF);
    CHECK_EQ(uart_read(&u), -1);
}
