/*
 * boot_devpath_test.c - paths as firmware and iPXE write them, and broken ones
 *
 * Node layouts: UEFI 2.10, 10.3.4.10 (MAC), 10.3.4.11 (IPv4), 10.3.4.22 (URI),
 * 10.3.5.4 (file path).
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "boot/devpath.h"

static uint8_t raw[2048];
static size_t used;
static struct boot_devpath path;

static void node(uint8_t type, uint8_t subtype, const void *body, size_t bytes)
{
    raw[used] = type;
    raw[used + 1] = subtype;
    raw[used + 2] = (uint8_t)(bytes + 4);
    raw[used + 3] = (uint8_t)((bytes + 4) >> 8);
    memcpy(raw + used + 4, body, bytes);
    used += bytes + 4;
}

/* From a heap copy of exactly what was written, so that ASan sees more. */
static void read_max(size_t max)
{
    uint8_t *copy = malloc(used + 1);

    memcpy(copy + 1, raw, used);
    boot_devpath_read(copy + 1, max, &path);
    free(copy);
    used = 0;
}

static void end_and_read(void)
{
    node(0x7f, 0xff, "", 0);
    read_max(4096);
}

static void pci_node(void)
{
    node(0x01, 0x01, "\x00\x02", 2);
}

static void mac_node(void)
{
    uint8_t body[33] = { 0x68, 0x05, 0xca, 0x01, 0x02, 0x03 };

    body[32] = 1; /* Ethernet */
    node(0x03, 0x0b, body, sizeof(body));
}

static void ipv4_node(const char *ip, const char *mask, size_t bytes)
{
    uint8_t body[23] = { 0 };

    memcpy(body, ip, 4);
    memcpy(body + 19, mask, 4);
    node(0x03, 0x0c, body, bytes);
}

static void file_node(const uint16_t *text)
{
    size_t n = 0;

    while (text[n] != 0)
        n++;
    node(0x04, 0x04, text, 2 * (n + 1));
}

/* The folder in ASCII. */
static const char *folder(void)
{
    static char text[BOOT_FOLDER_MAX];

    for (unsigned i = 0; i < BOOT_FOLDER_MAX; i++)
        text[i] = (char)path.folder[i];
    return text;
}

TEST(boot_devpath, a_disk_has_a_folder_and_no_network)
{
    pci_node();
    node(0x03, 0x12, "\0\0\0\0\0\0", 6); /* SATA */
    file_node(u"\\EFI\\BOOT\\BOOTX64.EFI");
    end_and_read();
    CHECK_STR(folder(), "\\EFI\\BOOT");
    CHECK(!path.has_mac && !path.has_ipv4);
    CHECK_STR(path.uri, "");
}

TEST(boot_devpath, a_file_in_the_root_has_the_empty_folder)
{
    file_node(u"\\millrace.efi");
    end_and_read();
    CHECK_STR(folder(), "");
    file_node(u"millrace.efi");
    end_and_read();
    CHECK_STR(folder(), "");
}

TEST(boot_devpath, a_name_over_several_nodes_is_joined)
{
    file_node(u"\\EFI");
    file_node(u"lab");
    file_node(u"\\millrace.efi");
    end_and_read();
    CHECK_STR(folder(), "\\EFI\\lab");
}

TEST(boot_devpath, a_name_without_its_terminator_ends_with_its_node)
{
    node(0x04, 0x04, u"\\a\\b", 8);
    end_and_read();
    CHECK_STR(folder(), "\\a");
}

TEST(boot_devpath, a_folder_that_is_too_long_counts_as_the_root)
{
    uint16_t text[200];

    for (unsigned i = 0; i < 199; i++)
        text[i] = i % 10 == 0 ? '\\' : 'x';
    text[199] = 0;
    file_node(text);
    end_and_read();
    CHECK_STR(folder(), "");
}

TEST(boot_devpath, http_boot_tells_port_lease_and_url)
{
    pci_node();
    mac_node();
    ipv4_node("\x0a\x00\x02\x0f", "\xff\xff\xff\x00", 23);
    node(0x03, 0x18, "http://10.0.2.2/m.efi", 21);
    end_and_read();
    CHECK(path.has_mac);
    CHECK_BYTES(path.mac, "\x68\x05\xca\x01\x02\x03", 6);
    CHECK(path.has_ipv4);
    CHECK_BYTES(path.ip, "\x0a\x00\x02\x0f", 4);
    CHECK_BYTES(path.mask, "\xff\xff\xff\x00", 4);
    CHECK_STR(path.uri, "http://10.0.2.2/m.efi");
}

TEST(boot_devpath, an_old_ipv4_node_has_no_mask)
{
    ipv4_node("\x0a\x00\x02\x0f", "\0\0\0\0", 15);
    end_and_read();
    CHECK(path.has_ipv4);
    CHECK_BYTES(path.mask, "\0\0\0\0", 4);
}

TEST(boot_devpath, an_ipv4_node_of_zeros_is_no_lease)
{
    ipv4_node("\0\0\0\0", "\0\0\0\0", 23);
    end_and_read();
    CHECK(!path.has_ipv4);
}

TEST(boot_devpath, a_url_without_room_is_none)
{
    static char url[BOOT_URI_MAX + 4];

    memset(url, 'u', sizeof(url));
    node(0x03, 0x18, url, BOOT_URI_MAX - 1);
    end_and_read();
    CHECK_EQ(strlen(path.uri), BOOT_URI_MAX - 1);
    node(0x03, 0x18, url, BOOT_URI_MAX);
    end_and_read();
    CHECK_STR(path.uri, "");
}

/* D1 */
TEST(boot_devpath, nodes_that_are_too_short_say_nothing)
{
    node(0x03, 0x0b, "\x68\x05\xca\x01\x02\x03", 6);
    node(0x03, 0x0c, "\x0a\x00\x02\x0f", 4);
    node(0x03, 0x18, "", 0);
    node(0x04, 0x04, "", 0);
    node(0x04, 0x04, "x", 1);
    end_and_read();
    CHECK(!path.has_mac && !path.has_ipv4);
    CHECK_STR(path.uri, "");
    CHECK_STR(folder(), "");
}

/* D1 */
TEST(boot_devpath, without_an_end_node_the_size_is_the_end)
{
    pci_node();
    mac_node();
    read_max(6 + 37);
    CHECK(path.has_mac);
    pci_node();
    mac_node();
    read_max(6 + 36);
    CHECK(!path.has_mac);
    pci_node();
    read_max(3);
    CHECK(!path.has_mac);
}

/* D1: a length below its own head would never get on. */
TEST(boot_devpath, an_impossible_length_ends_the_path)
{
    for (uint8_t length = 0; length < 4; length++) {
        memcpy(raw, (uint8_t[]) { 0x01, 0x01, length, 0 }, 4);
        used = 4;
        mac_node();
        end_and_read();
        CHECK(!path.has_mac);
    }
}
