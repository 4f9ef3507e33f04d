/*
 * command.h - one table of commands: it parses, completes, explains, refuses
 *
 * The same grammar serves the prompt, the configuration text, the tab key,
 * `help` and docs/reference/commands.md. Parsing has no effects: a line is
 * checked completely, then run.
 *
 *   M1  no pattern is the beginning of another with the same words, so at most
 *       one command fits a line
 *   M2  command_parse() reads ports and engines and changes nothing
 *   M3  what may be left out of a command stands at its end
 */
#pragma once

#include <millrace/compiler.h>
#include <millrace/status.h>

#include "console/line.h"
#include "console/token.h"

#define COMMAND_WORDS_MAX 8

enum command_section {
    SECTION_CONTROL,
    SECTION_DISPLAY,
    SECTION_CONFIG,
    SECTION_PORTS,
    SECTION_SYSTEM,
    SECTION_ALL, /* in `help all` only */
    COMMAND_SECTIONS
};

struct command_section_name {
    const char *name;
    const char *help;
};
extern const struct command_section_name command_sections[COMMAND_SECTIONS];

/* Where a command makes sense; 0 is everywhere. */
enum command_place {
    COMMAND_PROMPT_ONLY = 1,
    COMMAND_CONFIG_ONLY = 2,
};

struct command_call;

struct command {
    const char *pattern; /* see token.h; NULL ends a table */
    enum command_section section;
    unsigned place; /* of command_place */
    enum status (*run)(const struct command_call *call);
    const char *help;
};

/* A parsed line. Pointers lead into it: do not copy. */
struct command_call {
    const struct command *command; /* NULL: an empty line */
    unsigned count;
    struct token_value word[COMMAND_WORDS_MAX];
    char line[LINE_MAX_BYTES + 1];
};

/* Does @call end in the word @word, as in `show ... json`? */
bool command_ends_in(const struct command_call *call, const char *word);

struct command_error {
    unsigned column; /* from 1 */
    char text[480];  /* what is wrong, what was expected */
};

/*
 * Parse @line, in which # starts a comment.
 *
 * Returns  OK; E_INVALID with @error filled in and @call unspecified
 */
must_use enum status command_parse(const char *line, struct command_call *call,
                                   struct command_error *error);

/* The same for a line of a configuration. */
must_use enum status command_parse_config(const char *line,
                                          const struct port_scope *scope,
                                          struct command_call *call,
                                          struct command_error *error);

/*
 * Run a parsed line. What it has to say goes to the console.
 * Returns  how it went; the command has said why
 */
must_use enum status command_run(const struct command_call *call);

/*
 * Do all words of @call from @first on fit the beginning of @command? It takes
 * what `help` was asked about.
 */
bool command_begins_with(const struct command *command,
                         const struct command_call *call, unsigned first);

/*
 * What may come next in @line, typed up to its end.
 *
 * @each    called for each word that would go on from the last word, which may
 *          be empty, or describes what is expected (not is_word)
 * Returns  characters of the last word
 */
unsigned command_complete(const char *line, token_name *each, void *ctx);

/* Is @word a literal of some pattern? */
bool command_has_word(const char *word);

/* The first word of each command, some more than once. */
void command_first_words(token_name *name, void *ctx);

/* All tables, NULL at the end. */
extern const struct command *const command_tables[];
extern const struct command commands_bench[];
extern const struct command commands_control[], commands_config[],
    commands_help[], commands_lcore[], commands_mempool[], commands_port[],
    commands_queue[], commands_selftest[], commands_session[], commands_show[],
    commands_system[], commands_text[];

/* Visit every row: for (COMMAND_EACH(c)) body */
#define COMMAND_EACH(c)                                                        \
    const struct command *const *t_ = command_tables, *c = *t_;                \
    c != NULL;                                                                 \
    c = c[1].pattern != NULL ? c + 1 : *++t_
