/*
 * command.h - one table of commands: it parses, explains and refuses
 *
 * The same grammar serves the prompt and the configuration text. Parsing has no
 * effects: a line is checked completely, then run.
 *
 *   M1  no pattern is the beginning of another with the same words, so at most
 *       one command fits a line
 *   M2  command_parse() reads ports and engines and changes nothing
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

struct command_call;

struct command {
    const char *pattern; /* see token.h; NULL ends a table */
    enum command_section section;
    bool prompt_only; /* makes no sense in a configuration */
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

/*
 * Run a parsed line. What it has to say goes to the console.
 * Returns  how it went; the command has said why
 */
must_use enum status command_run(const struct command_call *call);

/* All tables, NULL at the end. */
extern const struct command *const command_tables[];
extern const struct command commands_bench[];
extern const struct command commands_control[], commands_config[],
    commands_lcore[], commands_mempool[], commands_port[], commands_selftest[],
    commands_show[], commands_system[];
