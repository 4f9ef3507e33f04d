/*
 * config.c - find the configuration text
 *
 * The first place that has one wins; a text that is there but cannot be taken
 * ends the search, so that a damaged file is never replaced by another place's
 * in silence. No configuration at all is an ordinary way to start.
 */
#include "boot/format.h"
#include "boot/loader.h"

static const struct {
    const char *source;
    enum config_found (*fetch)(struct loader *l, char *to, size_t *bytes);
} places[] = {
    { "fw_cfg", config_from_fw_cfg },
    { "file " CONFIG_FILE, config_from_file },
    { "tftp " CONFIG_FILE, config_from_tftp },
};

bool config_find(struct loader *l)
{
    /* One byte over the limit shows that a text is too long; after it a NUL. */
    char *text = loader_pages(l, CONFIG_MAX + 2);
    struct boot_info *info = l->info;

    if (text == NULL)
        return false;
    for (unsigned i = 0; i < ARRAY_SIZE(places); i++) {
        size_t bytes = 0;
        const enum config_found found = places[i].fetch(l, text, &bytes);

        if (found == CONFIG_ABSENT)
            continue;
        boot_format(info->config_source, sizeof(info->config_source), "%s",
                    places[i].source);
        if (found == CONFIG_TAKEN && bytes > CONFIG_MAX)
            loader_note(l, "the configuration from %s exceeds %u bytes",
                        places[i].source, (unsigned)CONFIG_MAX);
        else if (found == CONFIG_TAKEN)
            info->config_bytes = (uint32_t)bytes;
        info->is_incomplete |= found == CONFIG_REFUSED || bytes > CONFIG_MAX;
        break;
    }
    text[info->config_bytes] = '\0';
    info->config = (uint64_t)(uintptr_t)text;
    return true;
}
