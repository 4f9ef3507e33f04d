/*
 * devpath.c - what a UEFI device path says about where an image came from
 *
 *   D1  nothing is read beyond the end node, the stated size, or a node's own
 *       length
 */
#include <string.h>

#include <millrace/endian.h>

#include "boot/devpath.h"

#define HEAD 4 /* type, subtype, length of the node with this head */

#define TYPE_MESSAGING 0x03
#define TYPE_MEDIA     0x04
#define TYPE_END       0x7f
#define MESSAGING_MAC  0x0b
#define MESSAGING_IPV4 0x0c
#define MESSAGING_URI  0x18
#define MEDIA_FILE     0x04

/* Offsets in a node. */
#define MAC_ADDRESS 4
#define MAC_BYTES   37
#define IPV4_LOCAL  4
#define IPV4_BYTES  19 /* before UEFI 2.3.1 added gateway and mask */
#define IPV4_MASK   23
#define IPV4_LONG   27

static void read_mac(const uint8_t *node, size_t bytes, struct boot_devpath *p)
{
    if (bytes < MAC_BYTES)
        return;
    p->has_mac = true;
    memcpy(p->mac, node + MAC_ADDRESS, sizeof(p->mac));
}

/* A node without an address is how a path says "IPv4" before there is one. */
static void read_ipv4(const uint8_t *node, size_t bytes, struct boot_devpath *p)
{
    static const uint8_t none[4];

    if (bytes < IPV4_BYTES || memcmp(node + IPV4_LOCAL, none, 4) == 0)
        return;
    p->has_ipv4 = true;
    memcpy(p->ip, node + IPV4_LOCAL, sizeof(p->ip));
    if (bytes >= IPV4_LONG)
        memcpy(p->mask, node + IPV4_MASK, sizeof(p->mask));
}

static void read_uri(const uint8_t *node, size_t bytes, struct boot_devpath *p)
{
    const size_t n = bytes - HEAD;

    if (n == 0 || n >= sizeof(p->uri))
        return;
    memcpy(p->uri, node + HEAD, n);
    p->uri[n] = '\0';
}

/* @folder holds all text before; a name may be spread over several nodes. */
static void add_file(const uint8_t *node, size_t bytes, uint16_t *text,
                     size_t *used, size_t room)
{
    const size_t units = (bytes - HEAD) / 2;

    if (*used > 0 && *used < room && text[*used - 1] != '\\')
        text[(*used)++] = '\\';
    for (size_t i = 0; i < units && *used < room; i++) {
        const uint16_t c = get_le16(node + HEAD + 2 * i);

        if (c == 0)
            return;
        text[(*used)++] = c;
    }
}

static void keep_folder(const uint16_t *text, size_t used, size_t room,
                        struct boot_devpath *p)
{
    if (used == room) /* there may have been more */
        return;
    while (used > 0 && text[used - 1] != '\\')
        used--;
    while (used > 0 && text[used - 1] == '\\')
        used--;
    memcpy(p->folder, text, used * sizeof(text[0]));
    p->folder[used] = 0;
}

void boot_devpath_read(const void *path, size_t max, struct boot_devpath *out)
{
    const uint8_t *node = path;
    uint16_t text[BOOT_FOLDER_MAX];
    size_t used = 0, bytes;

    memset(out, 0, sizeof(*out));
    for (; max >= HEAD && node[0] != TYPE_END; node += bytes, max -= bytes) {
        bytes = get_le16(node + 2);
        if (bytes < HEAD || bytes > max)
            break;
        if (node[0] == TYPE_MESSAGING && node[1] == MESSAGING_MAC)
            read_mac(node, bytes, out);
        if (node[0] == TYPE_MESSAGING && node[1] == MESSAGING_IPV4)
            read_ipv4(node, bytes, out);
        if (node[0] == TYPE_MESSAGING && node[1] == MESSAGING_URI)
            read_uri(node, bytes, out);
        if (node[0] == TYPE_MEDIA && node[1] == MEDIA_FILE)
            add_file(node, bytes, text, &used, BOOT_FOLDER_MAX);
    }
    keep_folder(text, used, BOOT_FOLDER_MAX, out);
}
