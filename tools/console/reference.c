/*
 * reference.c - docs/reference/commands.md, from the table that the parser uses
 *
 * Usage: reference >docs/reference/commands.md
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "console/command.h"

static const char head[] =
    "# Commands\n"
    "\n"
    "<!-- Made by `make commands` from the tables in console/; do not edit. "
    "-->\n"
    "\n"
    "A command is a line of words. `a|b` is one of them, `[x]` may be left out, "
    "and\n"
    "`<kind>` stands for:\n"
    "\n"
    "| kind | is |\n"
    "|---|---|\n"
    "| `<a..b>` | a number from a to b, decimal or with 0x in front |\n";

static const char rest[] =
    "\n"
    "`#` begins a comment, behind a blank or at the beginning of the line. The "
    "tab key\n"
    "completes a word or lists what may stand there; `help` and the beginning "
    "of a\n"
    "command explain it. A configuration text holds the same commands "
    "([how to\nwrite one](../how-to/configure.md)); it names ports by their "
    "addresses, never by number.\n";

static const char *place(const struct command *c)
{
    switch (c->place) {
    case COMMAND_PROMPT_ONLY:
        return "At the prompt only.";
    case COMMAND_CONFIG_ONLY:
        return "In a configuration only.";
    default:
        return "At the prompt and in a configuration.";
    }
}

static void print_kinds(void)
{
    const char *name, *meaning;

    for (unsigned i = 0; token_kind(i, &name, &meaning); i++)
        printf("| `%s` | %s |\n", name, meaning);
}

static void print_section(enum command_section section)
{
    printf("\n## %s\n\n%s\n", command_sections[section].name,
           command_sections[section].help);
    for (COMMAND_EACH(c)) {
        if (c->section != section)
            continue;
        printf("\n### `%s`\n\n%c%s. %s\n", c->pattern,
               toupper((unsigned char)c->help[0]), c->help + 1, place(c));
    }
}

int main(void)
{
    fputs(head, stdout);
    print_kinds();
    fputs(rest, stdout);
    for (unsigned i = 0; i < SECTION_ALL; i++)
        print_section((enum command_section)i);
    return ferror(stdout) != 0;
}
