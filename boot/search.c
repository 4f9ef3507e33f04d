/*
 * search.c - which configuration is ours: places, and names in each
 */
#include <string.h>

#include "boot/format.h"
#include "boot/search.h"

static void add_without(struct boot_search *s, const char *kind,
                        const char *where)
{
    const size_t used = strlen(s->without);

    boot_format(s->without + used, sizeof(s->without) - used, "%s%s%s%s%s",
                used > 0 ? ", " : "", kind, where[0] != '\0' ? " " : "", where,
                s->found == BOOT_GONE ? " (no answer)" : "");
}

static bool is_open(const struct boot_search *s)
{
    return s->found == BOOT_ABSENT || s->found == BOOT_GONE;
}

/* Each name in one place. */
static void search_place(const struct boot_place *p,
                         const struct boot_names *names, const char *where,
                         void *ctx, char *to, size_t room,
                         struct boot_search *s)
{
    const unsigned count = p->is_nameless ? 1 : names->count;

    for (unsigned i = 0; i < count && s->found == BOOT_ABSENT; i++) {
        const char *name = p->is_nameless ? "" : names->name[i];

        s->bytes = 0;
        s->found = p->fetch(ctx, name, to, room, &s->bytes);
        boot_format(s->source, sizeof(s->source), "%s%s%s%s", p->kind,
                    p->is_nameless ? "" : " ", where, name);
    }
}

void boot_search(const struct boot_place *const places[], unsigned count,
                 const struct boot_names *names, void *ctx, char *to,
                 size_t room, struct boot_search *s)
{
    *s = (struct boot_search) { .found = BOOT_ABSENT };
    for (unsigned i = 0; i < count && is_open(s); i++) {
        const struct boot_place *p = places[i];
        char where[BOOT_SEARCH_TEXT] = "";

        if (!p->open(ctx, where, sizeof(where)))
            continue;
        s->found = BOOT_ABSENT;
        search_place(p, names, where, ctx, to, room, s);
        if (p->close != NULL)
            p->close(ctx);
        if (is_open(s))
            add_without(s, p->kind, where);
    }
    if (is_open(s)) {
        s->found = BOOT_ABSENT;
        s->source[0] = '\0';
    }
    if (s->found == BOOT_SILENT)
        s->found = BOOT_REFUSED;
}
