/*
 * cmd_show.c - `show` about ports and forwarding
 */
#include "console/command.h"

#include "console/cmd.h"
#include "console/show.h"

static enum status cmd_show_port(const struct command_call *call)
{
    static void (*const show[])(unsigned) = {
        show_port_info, show_port_stats, show_port_xstats, /* as the pattern */
    };

    cmd_for_ports(&call->word[3], show[call->word[2].choice]);
    return OK;
}

static enum status cmd_show_fwd(const struct command_call *call)
{
    (void)call;
    show_fwd_stats();
    return OK;
}

static enum status cmd_show_config(const struct command_call *call)
{
    static void (*const show[])(void) = {
        show_config_fwd,
        show_config_rxtx,
        show_config_cores,
    };

    show[call->word[2].choice]();
    return OK;
}

static enum status cmd_show_config_all(const struct command_call *call)
{
    (void)call;
    show_config_rxtx();
    show_config_fwd();
    show_config_cores();
    return OK;
}

const struct command commands_show[] = {
    { "show port info|stats|xstats <port>|all", SECTION_DISPLAY, 0,
      cmd_show_port, "a port: what it is, what it counted, all it counted" },
    { "show fwd stats all", SECTION_DISPLAY, 0, cmd_show_fwd,
      "packets since `start` or the last clear" },
    { "show config fwd|rxtx|cores", SECTION_DISPLAY, 0, cmd_show_config,
      "who forwards to whom, rings and bursts, cores" },
    { "show config", SECTION_DISPLAY, 0, cmd_show_config_all, "all of these" },
    { 0 },
};
