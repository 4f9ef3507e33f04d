/*
 * cmd_control.c - start, stop, help, leaving
 */
#include "console/command.h"

#include <millrace/plat.h>

#include "console/app.h"
#include "console/cmd.h"
#include "console/out.h"
#include "console/show.h"
#include "net/fwd.h"

static enum status start(unsigned tx_first)
{
    enum status s;

    fwd_tx_first_set(tx_first);
    s = app_forward();
    fwd_tx_first_set(0); /* a start that was refused leaves nothing behind */
    switch (s) {
    case OK:
        break;
    case E_EXIST:
        out("Packet forwarding already started\n");
        break;
    case E_STATE:
        out("Not all ports were started\n");
        break;
    case E_NOENT:
        out("No port to forward with\n");
        break;
    default:
        return cmd_report("start", s);
    }
    return s;
}

static enum status cmd_start(const struct command_call *call)
{
    (void)call;
    return start(0);
}

static enum status cmd_start_tx_first(const struct command_call *call)
{
    (void)call;
    return start(1);
}

static enum status cmd_start_bursts_first(const struct command_call *call)
{
    return start((unsigned)call->word[2].number);
}

static enum status cmd_stop(const struct command_call *call)
{
    const enum status s = fwd_stop();

    (void)call;
    if (s != OK) {
        out("Packet forwarding not started\n");
        return s;
    }
    out("Telling cores to stop...\nWaiting for lcores to finish...\n");
    show_fwd_stats();
    out("\nDone.\n");
    return OK;
}

/* ---- help ---- */

static enum status cmd_help(const struct command_call *call)
{
    (void)call;
    out("\nHelp is available for the following sections:\n\n");
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++)
        out("    help %-27s: %s\n", command_sections[i].name,
            command_sections[i].help);
    out("\n");
    return OK;
}

static void help_section(enum command_section section)
{
    out("\n%s\n\n", command_sections[section].help);
    for (unsigned t = 0; command_tables[t] != NULL; t++)
        for (const struct command *c = command_tables[t]; c->pattern; c++)
            if (c->section == section)
                out("%s\n    %s\n", c->pattern, c->help);
}

static enum status cmd_help_section(const struct command_call *call)
{
    const enum command_section section =
        (enum command_section)call->word[1].number;

    if (section != SECTION_ALL) {
        help_section(section);
        return OK;
    }
    for (unsigned i = 0; i < SECTION_ALL; i++)
        help_section((enum command_section)i);
    return OK;
}

/* ---- leaving ---- */

static enum status cmd_quit(const struct command_call *call)
{
    (void)call;
    app_close();
    out("\nBye...\n");
    out_flush();
    plat_power_off(0);
}

static enum status cmd_reboot(const struct command_call *call)
{
    (void)call;
    app_close();
    out("\nRebooting...\n");
    out_flush();
    plat_reboot();
}

const struct command commands_control[] = {
    { "help", SECTION_CONTROL, true, cmd_help,
      "list the sections of the help" },
    { "help <section>", SECTION_CONTROL, true, cmd_help_section,
      "explain the commands of a section" },
    { "start", SECTION_CONTROL, false, cmd_start, "start packet forwarding" },
    { "start tx_first", SECTION_CONTROL, false, cmd_start_tx_first,
      "send one burst from each stream, then start" },
    { "start tx_first <1..65535>", SECTION_CONTROL, false,
      cmd_start_bursts_first, "the same with so many bursts" },
    { "stop", SECTION_CONTROL, false, cmd_stop,
      "stop packet forwarding and show its statistics" },
    { "quit", SECTION_CONTROL, true, cmd_quit,
      "stop, close all ports and power off" },
    { "reboot", SECTION_CONTROL, true, cmd_reboot,
      "stop, close all ports and reset the machine" },
    { 0 },
};
