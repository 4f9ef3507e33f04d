/*
 * cmd_port.c - starting, stopping and clearing ports
 */
#include "console/command.h"

#include "console/cmd.h"
#include "console/out.h"
#include "net/fwd.h"

#define CHOICE_START 0 /* in "start|stop" */
#define CHOICE_STATS 0 /* in "stats|xstats" */

static enum status start_one(unsigned port)
{
    const enum status s = port_start(port);

    if (s != OK)
        out("Fail to start port %u: %s\n", port, status_text(s));
    return s;
}

static enum status stop_one(unsigned port)
{
    enum status s;

    if (fwd_is_running() && fwd_port_used(port)) {
        out("Please remove port %u from forwarding configuration, "
            "or stop forwarding.\n",
            port);
        return E_STATE;
    }
    s = port_stop(port);
    if (s != OK)
        out("Fail to stop port %u: %s\n", port, status_text(s));
    return s;
}

static enum status cmd_port(const struct command_call *call)
{
    const bool start = call->word[1].choice == CHOICE_START;
    enum status s;

    if (!start)
        out("Stopping ports...\n");
    s = cmd_try_ports(&call->word[2], start ? start_one : stop_one);
    out("Done\n");
    return s;
}

static void clear_stats(unsigned port)
{
    fwd_clear_port_stats(port);
    out("\n  NIC statistics for port %u cleared\n", port);
}

static void clear_xstats(unsigned port)
{
    port_xstats_clear(port);
}

static enum status cmd_clear_port(const struct command_call *call)
{
    const bool stats = call->word[2].choice == CHOICE_STATS;

    cmd_for_ports(&call->word[3], stats ? clear_stats : clear_xstats);
    return OK;
}

static enum status cmd_clear_fwd(const struct command_call *call)
{
    (void)call;
    fwd_stats_clear();
    return OK;
}

const struct command commands_port[] = {
    { "port start|stop <port>|all", SECTION_PORTS, false, cmd_port,
      "switch a port's queues on or off" },
    { "clear port stats|xstats <port>|all", SECTION_DISPLAY, false,
      cmd_clear_port, "start counting from zero" },
    { "clear fwd stats all", SECTION_DISPLAY, false, cmd_clear_fwd,
      "start counting forwarded packets from zero" },
    { 0 },
};
