/*
 * commands.c - the tables of commands, and what can be asked about all of them
 */
#include <string.h>

#include "console/command.h"
#include "console/text.h"

const struct command_section_name command_sections[COMMAND_SECTIONS] = {
    [SECTION_CONTROL] = { "control", "Start and stop forwarding." },
    [SECTION_DISPLAY] = { "display", "Displaying port, stats and config "
                                     "information." },
    [SECTION_CONFIG] = { "config", "Configuration information." },
    [SECTION_PORTS] = { "ports", "Configuring ports." },
    [SECTION_SYSTEM] = { "system", "The machine and its memory." },
    [SECTION_ALL] = { "all", "All of the above sections." },
};

const struct command *const command_tables[] = {
    commands_help,    commands_control,
    commands_show,    commands_config,
    commands_port,    commands_system,
    commands_mempool, commands_selftest,
    commands_bench,   commands_lcore,
    commands_queue,   commands_session,
    commands_text,    NULL,
};

/* ---- words ---- */

/* Ends the walk over names at the one that is looked for. */
struct wanted {
    const char *word;
    bool is_found;
};

static void compare(void *ctx, const char *name, unsigned bytes, bool is_word)
{
    struct wanted *w = ctx;

    if (is_word && strlen(w->word) == bytes &&
        memcmp(w->word, name, bytes) == 0)
        w->is_found = true;
}

/* Does @token hold a literal? Kinds name words of the world, not of ours. */
static bool is_literal(const struct token *token)
{
    return memchr(token->at, '<', token->bytes) == NULL;
}

bool command_has_word(const char *word)
{
    struct wanted w = { .word = word };

    for (COMMAND_EACH(c)) {
        struct token token;

        for (unsigned i = 0; token_at(c->pattern, i, &token); i++)
            if (is_literal(&token))
                token_expected(&token, NULL, compare, &w);
    }
    return w.is_found;
}

void command_first_words(token_name *name, void *ctx)
{
    for (COMMAND_EACH(c)) {
        struct token token;

        if (token_at(c->pattern, 0, &token))
            token_expected(&token, NULL, name, ctx);
    }
}

/* ---- what goes on from here ---- */

struct completion {
    const char *prefix;
    unsigned bytes;
    token_name *each;
    void *ctx;
};

static void offer(void *ctx, const char *name, unsigned bytes, bool is_word)
{
    const struct completion *c = ctx;

    if (!is_word ||
        (bytes >= c->bytes && memcmp(name, c->prefix, c->bytes) == 0))
        c->each(c->ctx, name, bytes, is_word);
}

/* Words of @line; the last one, which is open, is not counted. */
static unsigned split_open(char *line, struct word words[], unsigned *count)
{
    const size_t n = strlen(line);
    const bool is_open = n > 0 && line[n - 1] != ' ' && line[n - 1] != '\t';
    unsigned column;

    if (words_split(line, words, COMMAND_WORDS_MAX, false, count, &column) !=
        OK)
        return UINT32_MAX;
    if (!is_open)
        return 0;
    --*count;
    return (unsigned)strlen(words[*count].text);
}

static bool fits(const struct command *c, const struct word words[],
                 unsigned count)
{
    struct token token;
    struct token_value value;

    for (unsigned i = 0; i < count; i++)
        if (!token_at(c->pattern, i, &token) ||
            !token_match(&token, words[i].text, NULL, &value))
            return false;
    return true;
}

/* `help` goes on with the beginning of any command. */
static bool asks_help(const struct word words[], unsigned count)
{
    return count >= 2 && strcmp(words[0].text, "help") == 0;
}

unsigned command_complete(const char *line, token_name *each, void *ctx)
{
    char copy[LINE_MAX_BYTES + 1];
    struct word words[COMMAND_WORDS_MAX];
    struct completion c = { .each = each, .ctx = ctx };
    unsigned count = 0, first;

    strncpy(copy, line, LINE_MAX_BYTES);
    copy[LINE_MAX_BYTES] = '\0';
    c.bytes = split_open(copy, words, &count);
    if (c.bytes == UINT32_MAX)
        return 0;
    c.prefix = line + strlen(line) - c.bytes;
    first = asks_help(words, count);
    for (COMMAND_EACH(row)) {
        struct token token;

        if ((row->place & COMMAND_CONFIG_ONLY) == 0 &&
            fits(row, words + first, count - first) &&
            token_at(row->pattern, count - first, &token))
            token_complete(&token, offer, &c);
    }
    return c.bytes;
}
