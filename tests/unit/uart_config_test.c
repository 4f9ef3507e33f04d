/*
 * uart_config_test.c - console= and SPCR
 */
#include "kernel/uart_config.h"
#include "tests/unit/test.h"

static struct uart_config c;

static void good(const char *text, uint64_t base, unsigned stride,
                 uint32_t baud)
{
    CHECK_EQ(uart_config_parse(text, &c), OK);
    CHECK_EQ(c.base, base);
    CHECK_EQ(c.stride, stride);
    CHECK_EQ(c.baud, baud);
    CHECK(!c.is_none);
}

TEST(uart_config, the_four_ports_of_a_pc)
{
    good("ttyS0", 0x3F8, 1, 0);
    good("ttyS1,9600", 0x2F8, 1, 9600);
    good("ttyS2,115200n8", 0x3E8, 1, 115200);
    good("ttyS3,57600n8", 0x2E8, 1, 57600);
    CHECK(!c.is_mmio);
}

TEST(uart_config, any_address)
{
    good("uart8250,io,0x2f8,115200n8", 0x2F8, 1, 115200);
    CHECK(!c.is_mmio);
    good("uart,mmio,0xfe034000", 0xFE034000, 1, 0);
    CHECK(c.is_mmio);
    CHECK_EQ(c.access, 1);
    good("uart8250,mmio32,0xfe034000,9600", 0xFE034000, 4, 9600);
    CHECK_EQ(c.access, 4);
}

TEST(uart_config, none)
{
    CHECK_EQ(uart_config_parse("none", &c), OK);
    CHECK(c.is_none);
}

TEST(uart_config, what_is_not_understood_is_named)
{
    static const char *const bad[] = {
        "",
        "tty0",
        "ttyS4",
        "ttyS",
        "ttyS0x",
        "ttyS0,",
        "ttyS0,fast",
        "ttyS0,0",
        "ttyS0,-9600",
        "ttyS0,115200e7",
        "ttyS0,115200n8r",
        "ttyS0,99999999999999999999",
        "uart8250",
        "uart8250,",
        "uart8250,0x3f8",
        "uart8250,io,",
        "uart8250,io,0",
        "uart8250,io,0x10000",
        "uart8250,mmio32,0xfe034002",
        "uart8250,mmio,0xffffffffffffffff",
        "nonesuch",
    };

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        host_console_clear();
        CHECK_EQ(uart_config_parse(bad[i], &c), E_INVALID);
        CHECK_CONTAINS(host_console_text(), "expected");
        CHECK_CONTAINS(host_console_text(), bad[i]);
    }
}

static struct acpi_spcr spcr(uint8_t space, uint8_t bits, uint8_t access,
                             uint64_t address)
{
    return (struct acpi_spcr) { .base = { .space = space,
                                          .bits = bits,
                                          .access = access,
                                          .address = address },
                                .baud = 57600,
                                .clock_hz = 3686400 };
}

TEST(uart_config, spcr_with_a_port)
{
    const struct acpi_spcr s = spcr(ACPI_SPACE_IO, 8, 0, 0x2F8);

    CHECK_EQ(uart_config_from_spcr(&s, &c), OK);
    CHECK(!c.is_mmio);
    CHECK_EQ(c.base, 0x2F8);
    CHECK_EQ(c.baud, 57600);
    CHECK_EQ(c.clock_hz, 3686400);
    CHECK_EQ(c.stride, 1);
}

TEST(uart_config, spcr_with_registers_in_memory)
{
    static const struct {
        uint8_t bits, access;
        unsigned stride, width;
    } row[] = {
        { 8, 1, 1, 1 },  { 32, 3, 4, 4 }, { 32, 1, 4, 1 },
        { 32, 0, 4, 4 }, { 16, 2, 2, 2 }, { 8, 3, 1, 1 }, /* lies */
        { 64, 4, 1, 1 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(row); i++) {
        const struct acpi_spcr s =
            spcr(ACPI_SPACE_MEMORY, row[i].bits, row[i].access, 0xFE034000);

        CHECK_EQ(uart_config_from_spcr(&s, &c), OK);
        CHECK(c.is_mmio);
        CHECK_EQ(c.stride, row[i].stride);
        CHECK_EQ(c.access, row[i].width);
    }
}

TEST(uart_config, spcr_without_an_address_names_no_console)
{
    const struct acpi_spcr s = spcr(ACPI_SPACE_IO, 8, 0, 0);

    CHECK_EQ(uart_config_from_spcr(&s, &c), E_NOENT);
    CHECK_STR(host_console_text(), "");
}

TEST(uart_config, spcr_with_what_we_cannot_drive_is_named)
{
    struct acpi_spcr s = spcr(ACPI_SPACE_MEMORY, 32, 3, 0xFE034000);

    s.interface = 3; /* ARM PL011 */
    CHECK_EQ(uart_config_from_spcr(&s, &c), E_UNSUPPORTED);
    CHECK_CONTAINS(host_console_text(), "interface 3");
    s = spcr(ACPI_SPACE_IO, 8, 0, 0x10000);
    CHECK_EQ(uart_config_from_spcr(&s, &c), E_UNSUPPORTED);
    s = spcr(ACPI_SPACE_PCI, 8, 0, 0x1000);
    CHECK_EQ(uart_config_from_spcr(&s, &c), E_UNSUPPORTED);
    s = spcr(ACPI_SPACE_MEMORY, 8, 0, UINT64_MAX - 3);
    CHECK_EQ(uart_config_from_spcr(&s, &c), E_UNSUPPORTED);
}
