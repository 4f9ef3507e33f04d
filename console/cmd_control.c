/*
 * cmd_control.c - start, stop, leaving
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
    return start(call->count > 2 ? (unsigned)call->word[2].number : 1);
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
    { "start", SECTION_CONTROL, 0, cmd_start, "start packet forwarding" },
    { "start tx_first [<1..65535>]", SECTION_CONTROL, 0, cmd_start_tx_first,
      "send so many bursts, or one, from each stream, then start" },
    { "stop", SECTION_CONTROL, 0, cmd_stop,
      "stop packet forwarding and show its statistics" },
    { "quit", SECTION_CONTROL, COMMAND_PROMPT_ONLY, cmd_quit,
      "stop, close all ports and power off" },
    { "reboot", SECTION_CONTROL, COMMAND_PROMPT_ONLY, cmd_reboot,
      "stop, close all ports and reset the machine" },
    { 0 },
};
