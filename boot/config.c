/*
 * config.c - find the configuration text
 *
 * No configuration at all is an ordinary way to start, unless the load options
 * ask for one by name.
 */
#include <string.h>

#include "boot/format.h"
#include "boot/loader.h"
#include "boot/sha256.h"
#include "boot/smbios.h"

static const struct boot_place *const places[] = {
    &place_fw_cfg, &place_beside, &place_volume, &place_tftp, &place_http,
};

enum boot_found config_refuse(struct loader *l, const char *kind,
                              const char *name, uint64_t status)
{
    loader_note(l, "%s %s cannot be read (firmware status 0x%llx)", kind, name,
                (unsigned long long)status);
    return BOOT_REFUSED;
}

/* The firmware's table is ours to read until we leave (B1 of smbios.c). */
static bool find_uuid(const struct loader *l, uint8_t uuid[16])
{
    struct boot_smbios smbios;

    return l->info->smbios != 0 &&
           boot_smbios_entry((void *)(uintptr_t)l->info->smbios, &smbios) &&
           boot_smbios_uuid(&smbios, (void *)(uintptr_t)smbios.table, uuid);
}

static bool find_names(struct loader *l, struct boot_names *names,
                       bool *was_asked)
{
    uint8_t uuid[16];

    if (!boot_names_asked(names, l->info->cmdline, was_asked)) {
        loader_note(l,
                    "config=%s...: expected a name of 1 to %u letters, "
                    "digits and ._-, or none",
                    names->name[0], BOOT_NAME_ROOM - 1);
        return false;
    }
    if (!*was_asked)
        boot_names_usual(names, l->from.has_mac ? l->from.mac : NULL,
                         find_uuid(l, uuid) ? uuid : NULL);
    return true;
}

/* What is wrong with a text that was read, or NULL. */
static const char *fault_of(const struct boot_search *s)
{
    if (s->found != BOOT_TAKEN)
        return NULL;
    return s->bytes > CONFIG_MAX ? "exceeds 64 KiB"
           : s->bytes == 0       ? "is empty"
                                 : NULL;
}

static void take(struct loader *l, const struct boot_names *names,
                 const struct boot_search *s, bool was_asked)
{
    struct boot_info *info = l->info;
    const char *fault = fault_of(s);

    memcpy(info->config_source, s->source, sizeof(s->source));
    memcpy(info->config_without, s->without, sizeof(s->without));
    if (fault != NULL)
        loader_note(l, "the configuration from %s %s", s->source, fault);
    if (s->found == BOOT_ABSENT && was_asked && names->count > 0) {
        loader_note(l, "config=%s is nowhere", names->name[0]);
        fault = "is missing";
    }
    if (fault == NULL && s->found == BOOT_TAKEN)
        info->config_bytes = (uint32_t)s->bytes;
    info->is_incomplete |= fault != NULL || s->found == BOOT_REFUSED;
}

bool config_find(struct loader *l)
{
    /* One byte over the limit shows that a text is too long; after it a NUL. */
    char *text = loader_pages(l, CONFIG_MAX + 2);
    struct boot_info *info = l->info;
    struct boot_names names;
    struct boot_search s = { 0 };
    bool was_asked;

    if (text == NULL)
        return false;
    if (!find_names(l, &names, &was_asked)) {
        info->is_incomplete = true;
        return true;
    }
    boot_search(places, ARRAY_SIZE(places), &names, l, text, CONFIG_MAX, &s);
    take(l, &names, &s, was_asked);
    text[info->config_bytes] = '\0';
    info->config = (uint64_t)(uintptr_t)text;
    boot_sha256(text, info->config_bytes, info->config_hash);
    return true;
}

_Static_assert(sizeof(((struct boot_search *)0)->source) == BOOT_SOURCE_MAX &&
                   sizeof(((struct boot_info *)0)->config_hash) ==
                       BOOT_SHA256_BYTES,
               "boot_info has room for what the search says");
