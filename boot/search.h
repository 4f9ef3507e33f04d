/*
 * search.h - which configuration is ours: places, and names in each
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/fetch.h"
#include "boot/names.h"

#define BOOT_SEARCH_TEXT 256

/* A place that may hold files. Each call gets the caller's @ctx. */
struct boot_place {
    const char *kind; /* for messages: "file", "tftp" ... */
    /* Is there such a place on this boot path? @where gets the folder, for
     * messages, ready for a name to follow: "\EFI\BOOT\". */
    bool (*open)(void *ctx, char *where, size_t room);
    enum boot_found (*fetch)(void *ctx, const char *name, char *to, size_t room,
                             size_t *bytes);
    void (*close)(void *ctx); /* NULL = nothing to do */
    bool is_nameless;         /* holds one text, under no name of a file */
};

struct boot_search {
    enum boot_found found; /* ABSENT: no place has one; TAKEN; REFUSED */
    size_t bytes;          /* of the text, when taken; at most the room + 1 */
    /* Where it is, or would be: "tftp 10.0.2.2:lab/millrace.conf". */
    char source[BOOT_SEARCH_TEXT];
    /* Places that had none, in order, with commas; "" = there was no place. */
    char without[BOOT_SEARCH_TEXT];
};

/*
 * Look in each place for each name, most specific name first.
 *
 * The first text wins. One that is there and cannot be taken ends the search:
 * a damaged file must not be replaced by another place's in silence. A place
 * that must have files and does not answer ends it too, because what it has is
 * not known.
 *
 * @to      @room bytes, zeroed
 */
void boot_search(const struct boot_place *const places[], unsigned count,
                 const struct boot_names *names, void *ctx, char *to,
                 size_t room, struct boot_search *search);
