/*
 * boot_dhcp_test.c - where a boot file came from, told by DHCP in every way
 *
 * Offsets: RFC 2131 figure 1. Options: RFC 2132.
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "boot/dhcp.h"

static uint8_t packet[600];
static size_t used;
static struct boot_dhcp told;
static char text[64];

static void begin(const char *siaddr, const char *file)
{
    memset(packet, 0, sizeof(packet));
    packet[0] = 2;
    memcpy(packet + 20, siaddr, 4);
    memcpy(packet + 108, file, strlen(file));
    memcpy(packet + 236, "\x63\x82\x53\x63", 4);
    used = 240;
}

static void option(uint8_t code, const void *value, uint8_t bytes)
{
    packet[used++] = code;
    packet[used++] = bytes;
    memcpy(packet + used, value, bytes);
    used += bytes;
}

/* From a heap copy of exactly @bytes, so that ASan sees one too many. */
static void read_bytes(size_t bytes)
{
    uint8_t *copy = malloc(bytes + 1);

    memcpy(copy + 1, packet, bytes);
    boot_dhcp_read(copy + 1, bytes, &told);
    free(copy);
}

static void end_and_read(void)
{
    packet[used++] = 255;
    read_bytes(used);
}

#define NEXT "\x0a\x00\x02\x02"
#define SELF "\xc0\xa8\x01\x01"
#define NONE "\0\0\0\0"

TEST(boot_dhcp, the_fields_of_bootp)
{
    begin(NEXT, "lab/millrace.efi");
    option(53, "\5", 1);
    option(54, SELF, 4);
    end_and_read();
    CHECK(told.has_server && !told.is_sent_from);
    CHECK_BYTES(told.server, NEXT, 4);
    CHECK_STR(told.file, "lab/millrace.efi");
}

TEST(boot_dhcp, option_67_outweighs_the_field)
{
    begin(NEXT, "from-field");
    option(67, "from-option\0", 12);
    end_and_read();
    CHECK_STR(told.file, "from-option");
}

TEST(boot_dhcp, without_next_server_the_sender_is_it)
{
    begin(NONE, "m.efi");
    option(54, SELF, 4);
    end_and_read();
    CHECK(told.has_server && told.is_sent_from);
    CHECK_BYTES(told.server, SELF, 4);
    begin(NONE, "m.efi");
    option(54, SELF, 3);
    end_and_read();
    CHECK(!told.has_server);
}

/* RFC 2132, 9.3: the field then holds options, not a name. */
TEST(boot_dhcp, an_overloaded_file_field_holds_options)
{
    begin(NONE, "");
    option(52, "\1", 1);
    memcpy(packet + 108, "\x43\x05m.efi\x36\x04" SELF "\xff", 14);
    end_and_read();
    CHECK_STR(told.file, "m.efi");
    CHECK(told.has_server && told.is_sent_from);
    begin(NEXT, "");
    option(52, "\3", 1);
    memcpy(packet + 108, "\x0c\x01h\xff", 4);
    end_and_read();
    CHECK_STR(told.file, "");
}

TEST(boot_dhcp, a_field_without_a_terminator_ends_with_it)
{
    begin(NEXT, "");
    memset(packet + 108, 'f', 128);
    end_and_read();
    CHECK_EQ(strlen(told.file), 128);
}

TEST(boot_dhcp, pads_are_stepped_over)
{
    begin(NEXT, "");
    used += 3;
    option(67, "x", 1);
    end_and_read();
    CHECK_STR(told.file, "x");
}

/* H1 */
TEST(boot_dhcp, what_breaks_off_is_not_read_on)
{
    begin(NEXT, "field");
    option(67, "option", 6);
    for (size_t bytes = 0; bytes < used; bytes++) {
        read_bytes(bytes);
        CHECK_EQ(told.has_server, bytes >= 240);
        CHECK_STR(told.file, bytes >= 240 ? "field" : "");
    }
    read_bytes(used);
    CHECK_STR(told.file, "option");
}

TEST(boot_dhcp, without_the_cookie_it_is_no_dhcp)
{
    begin(NEXT, "m.efi");
    packet[239]++;
    end_and_read();
    CHECK(!told.has_server);
    CHECK_STR(told.file, "");
}

static bool beside(const char *file)
{
    return boot_tftp_beside(file, "c.conf", text, sizeof(text));
}

TEST(boot_dhcp, beside_a_boot_file_is_its_folder)
{
    CHECK(beside("millrace.efi"));
    CHECK_STR(text, "c.conf");
    CHECK(beside("lab/dut/millrace.efi"));
    CHECK_STR(text, "lab/dut/c.conf");
    CHECK(beside("/srv/millrace.efi"));
    CHECK_STR(text, "/srv/c.conf");
    CHECK(beside("boot\\x64\\millrace.efi"));
    CHECK_STR(text, "boot\\x64\\c.conf");
    CHECK(beside(""));
    CHECK_STR(text, "c.conf");
}

TEST(boot_dhcp, only_a_tftp_url_came_by_tftp)
{
    CHECK(beside("tftp://10.0.2.2/lab/m.efi"));
    CHECK_STR(text, "lab/c.conf");
    CHECK(!beside("http://10.0.2.2/lab/m.ipxe"));
    CHECK(!beside("https://host/m.ipxe"));
}

TEST(boot_dhcp, a_path_without_room_is_refused)
{
    CHECK(boot_tftp_beside("a/m", "c", text, 4));
    CHECK(!boot_tftp_beside("a/m", "c", text, 3));
}
