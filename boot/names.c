/*
 * names.c - the names under which a configuration is looked for
 */
#include <string.h>

#include "boot/format.h"
#include "boot/names.h"

#define UUID_TEXT 37

static void put_hex(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        *out++ = "0123456789abcdef"[bytes[i] >> 4];
        *out++ = "0123456789abcdef"[bytes[i] & 15];
    }
}

static char *next_name(struct boot_names *names)
{
    return names->name[names->count++];
}

void boot_names_usual(struct boot_names *names, const uint8_t mac[6],
                      const uint8_t uuid[16])
{
    char text[UUID_TEXT] = "00-00-00-00-00-00";

    names->count = 0;
    if (mac != NULL) {
        for (unsigned i = 0; i < 6; i++)
            put_hex(text + 3 * i, mac + i, 1);
        boot_format(next_name(names), BOOT_NAME_ROOM, "millrace-%s.conf", text);
    }
    if (uuid != NULL) {
        memcpy(text, "00000000-0000-0000-0000-000000000000", UUID_TEXT);
        put_hex(text, uuid, 4);
        put_hex(text + 9, uuid + 4, 2);
        put_hex(text + 14, uuid + 6, 2);
        put_hex(text + 19, uuid + 8, 2);
        put_hex(text + 24, uuid + 10, 6);
        boot_format(next_name(names), BOOT_NAME_ROOM, "millrace-%s.conf", text);
    }
    boot_format(next_name(names), BOOT_NAME_ROOM, "millrace.conf");
}

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

bool boot_names_asked(struct boot_names *names, const char *cmdline,
                      bool *was_asked)
{
    static const char word[] = "config=";
    const size_t head = sizeof(word) - 1;
    char *name = names->name[0];
    size_t n = 0;

    for (*was_asked = false; *cmdline != '\0'; cmdline++) {
        *was_asked =
            strlen(cmdline) >= head && memcmp(cmdline, word, head) == 0;
        if (*was_asked)
            break;
        while (*cmdline != '\0' && *cmdline != ' ')
            cmdline++;
        if (*cmdline == '\0')
            break;
    }
    if (!*was_asked)
        return true;
    cmdline += head;
    for (; n < BOOT_NAME_ROOM - 1 && is_plain(cmdline[n]); n++)
        name[n] = cmdline[n];
    name[n] = '\0';
    names->count = n == 4 && memcmp(name, "none", 4) == 0 ? 0 : 1;
    return n > 0 && (cmdline[n] == '\0' || cmdline[n] == ' ');
}

/* Where the path begins: at the first / behind ://host, or NULL. */
static const char *url_path(const char *url, const char **host)
{
    for (; *url != '\0' && *url != '/'; url++) {
        if (url[0] == ':' && url[1] == '/' && url[2] == '/') {
            *host = url + 3;
            return memchr(*host, '/', strlen(*host));
        }
    }
    return NULL;
}

bool boot_url_beside(const char *url, const char *name, char *out, size_t room)
{
    const char *host, *path = url_path(url, &host);
    size_t keep;

    if (path == NULL)
        return false;
    keep = (size_t)(path - url) + 1;
    for (size_t i = keep; url[i] != '\0' && url[i] != '?' && url[i] != '#'; i++)
        if (url[i] == '/')
            keep = i + 1;
    if (keep + strlen(name) >= room)
        return false;
    memcpy(out, url, keep);
    memcpy(out + keep, name, strlen(name) + 1);
    return true;
}

/* Without what stands before an @, which is for logging in. */
bool boot_url_host(const char *url, char *out, size_t room)
{
    const char *host, *path = url_path(url, &host);
    const char *at;
    size_t n;

    if (path == NULL)
        return false;
    n = (size_t)(path - host);
    at = memchr(host, '@', n);
    if (at != NULL) {
        n -= (size_t)(at + 1 - host);
        host = at + 1;
    }
    if (n == 0 || n >= room)
        return false;
    memcpy(out, host, n);
    out[n] = '\0';
    return true;
}
