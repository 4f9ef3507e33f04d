/*
 * cmd_help.c - `help`: the grammar, explained from its own table
 */
#include "console/command.h"

#include <string.h>

#include "console/out.h"

static void help_sections(void)
{
    out("\nHelp is available for the following sections:\n\n");
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++)
        out("    help %-27s: %s\n", command_sections[i].name,
            command_sections[i].help);
    out("    help %-27s: %s\n\n", "<words of a command>",
        "What they may go on with.");
}

static void help_command(const struct command *c)
{
    out("%s\n    %s\n", c->pattern, c->help);
    if (c->place == COMMAND_CONFIG_ONLY)
        out("    In a configuration only.\n");
}

static void help_section(enum command_section section)
{
    out("\n%s\n\n", command_sections[section].help);
    for (COMMAND_EACH(c))
        if (c->section == section)
            help_command(c);
}

static void help_kinds(const struct command *c)
{
    const char *name, *meaning;

    for (unsigned i = 0; token_kind(i, &name, &meaning); i++)
        if (strstr(c->pattern, name) != NULL)
            out("    %s: %s\n", name, meaning);
}

static enum status help_words(const struct command_call *call)
{
    const struct command *last = NULL;
    unsigned n = 0;

    for (COMMAND_EACH(c)) {
        if (!command_begins_with(c, call, 1))
            continue;
        help_command(c);
        last = c;
        n++;
    }
    if (n == 0)
        out("No command begins with these words\n");
    if (n == 1)
        help_kinds(last);
    return n == 0 ? E_NOENT : OK;
}

static bool is_section(const struct token_value *word)
{
    return word->number < COMMAND_SECTIONS &&
           strcmp(command_sections[word->number].name, word->text) == 0;
}

static enum status cmd_help(const struct command_call *call)
{
    if (call->count == 1) {
        help_sections();
        return OK;
    }
    if (call->count > 2 || !is_section(&call->word[1]))
        return help_words(call);
    if (call->word[1].number != SECTION_ALL) {
        help_section((enum command_section)call->word[1].number);
        return OK;
    }
    for (unsigned i = 0; i < SECTION_ALL; i++)
        help_section((enum command_section)i);
    return OK;
}

const struct command commands_help[] = {
    { "help [<topic>] [<topic>] [<topic>] [<topic>]", SECTION_CONTROL,
      COMMAND_PROMPT_ONLY, cmd_help,
      "list the sections of the help, or explain a section or a command" },
    { 0 },
};
