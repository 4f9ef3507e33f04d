/*
 * cmd_session.c - the console itself
 */
#include "console/command.h"

#include "console/console.h"
#include "console/out.h"
#include "console/report.h"

#define CHOICE_OFF 0 /* in "off|<5..200>" */

static enum status cmd_set_paging(const struct command_call *call)
{
    const struct token_value *v = &call->word[2];

    out_page_set(v->choice == CHOICE_OFF ? 0 : (unsigned)v->number);
    return OK;
}

/* For programs: how to learn what became of a command. */
static enum status cmd_show_status(const struct command_call *call)
{
    const enum status last = console_last_status();

    report_begin(command_ends_in(call, "json"));
    report_json_bool("ok", last == OK);
    report_string("status", "last command: %s\n", status_text(last));
    report_end();
    return last;
}

const struct command commands_session[] = {
    { "set paging off|<5..200>", SECTION_CONFIG, 0, cmd_set_paging,
      "stop after so many rows of an answer until a key is hit" },
    { "show status [json]", SECTION_DISPLAY, COMMAND_PROMPT_ONLY,
      cmd_show_status, "how the command before this one went" },
    { 0 },
};
