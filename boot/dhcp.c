/*
 * dhcp.c - what DHCPv4 answers say about where a boot file came from
 *
 * Layout after RFC 2131 (figure 1, table 1) and RFC 2132 (9.3 overload, 9.5
 * boot file, 9.7 server identifier).
 *
 *   H1  nothing is read beyond the stated size
 */
#include <string.h>

#include <millrace/endian.h>

#include "boot/dhcp.h"
#include "boot/names.h"

#define NEXT_SERVER 20
#define FILE_FIELD  108
#define FILE_BYTES  128
#define COOKIE      236
#define OPTIONS     240
#define COOKIE_IS   0x63825363

#define OPTION_PAD      0
#define OPTION_OVERLOAD 52
#define OPTION_SERVER   54
#define OPTION_FILE     67
#define OPTION_END      255

#define OVERLOAD_FILE 1

static void take_text(char *to, size_t room, const uint8_t *from, size_t bytes)
{
    size_t n = 0;

    while (n < bytes && n < room - 1 && from[n] != 0)
        n++;
    memcpy(to, from, n);
    to[n] = '\0';
}

struct options {
    const uint8_t *server;
    const uint8_t *file;
    size_t file_bytes;
    uint8_t overload;
};

static void walk(const uint8_t *p, size_t bytes, struct options *o)
{
    for (size_t at = 0; at < bytes && p[at] != OPTION_END;) {
        if (p[at] == OPTION_PAD) {
            at++;
            continue;
        }
        if (at + 2 > bytes || at + 2 + p[at + 1] > bytes)
            return;
        const uint8_t *value = p + at + 2;
        const size_t n = p[at + 1];

        if (p[at] == OPTION_SERVER && n == 4)
            o->server = value;
        if (p[at] == OPTION_OVERLOAD && n == 1)
            o->overload = value[0];
        if (p[at] == OPTION_FILE) {
            o->file = value;
            o->file_bytes = n;
        }
        at += 2 + n;
    }
}

void boot_dhcp_read(const void *packet, size_t bytes, struct boot_dhcp *out)
{
    static const uint8_t none[4];
    const uint8_t *p = packet;
    struct options o = { 0 };

    memset(out, 0, sizeof(*out));
    if (bytes < OPTIONS || get_be32(p + COOKIE) != COOKIE_IS)
        return;
    walk(p + OPTIONS, bytes - OPTIONS, &o);
    if ((o.overload & OVERLOAD_FILE) != 0)
        walk(p + FILE_FIELD, FILE_BYTES, &o);
    if (o.file != NULL)
        take_text(out->file, sizeof(out->file), o.file, o.file_bytes);
    else if ((o.overload & OVERLOAD_FILE) == 0)
        take_text(out->file, sizeof(out->file), p + FILE_FIELD, FILE_BYTES);
    if (memcmp(p + NEXT_SERVER, none, sizeof(none)) != 0) {
        out->has_server = true;
        memcpy(out->server, p + NEXT_SERVER, sizeof(out->server));
    } else if (o.server != NULL) {
        out->has_server = true;
        out->is_sent_from = true;
        memcpy(out->server, o.server, sizeof(out->server));
    }
}

bool boot_tftp_beside(const char *file, const char *name, char *out,
                      size_t room)
{
    static const char scheme[] = "tftp://";
    const size_t head = sizeof(scheme) - 1;
    char host[BOOT_FILE_MAX];
    size_t keep = 0;

    if (boot_url_host(file, host, sizeof(host))) {
        if (memcmp(file, scheme, head) != 0)
            return false;
        file += head;
        file = (const char *)memchr(file, '/', strlen(file)) + 1;
    }
    for (size_t i = 0; file[i] != '\0'; i++)
        if (file[i] == '/' || file[i] == '\\')
            keep = i + 1;
    if (keep + strlen(name) >= room)
        return false;
    memcpy(out, file, keep);
    memcpy(out + keep, name, strlen(name) + 1);
    return true;
}
