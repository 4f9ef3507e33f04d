/*
 * complete.c - the tab key
 */
#include "console/complete.h"

#include <string.h>

#include "console/command.h"
#include "console/out.h"

#define NAMES_MAX  64
#define NAME_BYTES 48
#define BELL       "\a"

struct list {
    char names[NAMES_MAX][NAME_BYTES];
    bool is_word[NAMES_MAX];
    unsigned count, words;
    size_t common; /* characters that all words begin with */
    const char *first;
};

static bool has(const struct list *list, const char *name)
{
    for (unsigned i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0)
            return true;
    return false;
}

static size_t alike(const char *a, const char *b, size_t max)
{
    size_t n = 0;

    while (n < max && a[n] != '\0' && a[n] == b[n])
        n++;
    return n;
}

static void add(void *ctx, const char *name, unsigned bytes, bool is_word)
{
    struct list *list = ctx;
    char *copy = list->names[list->count];

    if (list->count == NAMES_MAX - 1)
        return;
    if (bytes >= NAME_BYTES)
        bytes = NAME_BYTES - 1;
    memcpy(copy, name, bytes);
    copy[bytes] = '\0';
    if (has(list, copy))
        return;
    list->is_word[list->count++] = is_word;
    if (!is_word)
        return;
    if (list->words++ == 0) {
        list->first = copy;
        list->common = bytes;
    }
    list->common = alike(list->first, copy, list->common);
}

/* In lines that fit a terminal. */
static void print(const struct list *list)
{
    size_t column = 0;

    out("\n");
    for (unsigned i = 0; i < list->count; i++) {
        const size_t bytes = strlen(list->names[i]) + 2;

        if (column > 0 && column + bytes > LINE_ROW) {
            out("\n");
            column = 0;
        }
        out(list->is_word[i] ? "%s  " : "<%s>  ", list->names[i]);
        column += bytes + (list->is_word[i] ? 0 : 2);
    }
    out("\n");
}

void complete_line(struct line *l)
{
    static struct list list; /* large for a stack */
    char typed[LINE_MAX_BYTES + 1];
    size_t bytes;

    memcpy(typed, l->text, l->cursor);
    typed[l->cursor] = '\0';
    list.count = list.words = 0;
    list.common = 0;
    bytes = command_complete(typed, add, &list);
    if (list.count == 0) {
        out(BELL);
        return;
    }
    if (list.words > 0 && list.common > bytes) {
        line_insert(l, list.first + bytes, list.common - bytes);
    } else if (list.count > 1 || list.words == 0) {
        print(&list);
        line_show(l);
        return;
    }
    if (list.count == 1)
        line_insert(l, " ", 1);
}
