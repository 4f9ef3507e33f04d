/*
 * boot_origin_fuzz.c - what firmware and servers say about where we came from:
 * a device path, a DHCP answer, an SMBIOS entry point and its table, a URL, a
 * boot file, a command line
 *
 * First byte: which of them the rest is.
 */
#include "boot/devpath.h"
#include "boot/dhcp.h"
#include "boot/names.h"
#include "boot/smbios.h"
#include "tests/fuzz/fuzz.h"

#define NAME "millrace.conf"

static void path(const struct fuzz_in *in)
{
    struct boot_devpath p;
    unsigned n = 0;

    boot_devpath_read(in->at, in->left, &p);
    FUZZ_CHECK(strlen(p.uri) < sizeof(p.uri));
    while (n < BOOT_FOLDER_MAX && p.folder[n] != 0)
        n++;
    FUZZ_CHECK(n < BOOT_FOLDER_MAX);
    FUZZ_CHECK(n == 0 || p.folder[n - 1] != '\\');
}

static void dhcp(const struct fuzz_in *in)
{
    struct boot_dhcp d;

    boot_dhcp_read(in->at, in->left, &d);
    FUZZ_CHECK(strlen(d.file) < sizeof(d.file));
    FUZZ_CHECK(d.has_server || !d.is_sent_from);
}

/* The first 32 bytes are the entry point, the rest is its table. */
static void smbios(struct fuzz_in *in)
{
    struct boot_smbios s = { 0 };
    uint8_t uuid[16];

    if (in->left < 32)
        return;
    (void)!boot_smbios_entry(in->at, &s);
    s.bytes = (uint32_t)(in->left - 32);
    (void)!boot_smbios_uuid(&s, in->at + 32, uuid);
}

/* A text that is NUL-terminated where it is said to end. */
static void texts(const struct fuzz_in *in)
{
    char *text = malloc(in->left + 1);
    char out[64];
    struct boot_names names = { 0 };
    bool was_asked;

    if (text == NULL)
        abort();
    memcpy(text, in->at, in->left);
    text[in->left] = '\0';
    if (boot_url_beside(text, NAME, out, sizeof(out)))
        FUZZ_CHECK(strcmp(out + strlen(out) - strlen(NAME), NAME) == 0);
    if (boot_url_host(text, out, sizeof(out)))
        FUZZ_CHECK(out[0] != '\0' && strchr(out, '/') == NULL);
    if (boot_tftp_beside(text, NAME, out, sizeof(out)))
        FUZZ_CHECK(strcmp(out + strlen(out) - strlen(NAME), NAME) == 0);
    if (boot_names_asked(&names, text, &was_asked) && was_asked)
        FUZZ_CHECK(names.count <= 1 && names.name[0][0] != '\0');
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };

    switch (fuzz_take(&in, 1) & 3) {
    case 0:
        path(&in);
        break;
    case 1:
        dhcp(&in);
        break;
    case 2:
        smbios(&in);
        break;
    default:
        texts(&in);
    }
    return 0;
}
