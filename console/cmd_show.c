/*
 * cmd_show.c - `show` about ports and forwarding
 */
#include "console/command.h"

#include "console/cmd.h"
#include "console/report.h"
#include "console/show.h"

static enum status cmd_show_port(const struct command_call *call)
{
    static void (*const show[])(unsigned) = {
        show_port_info, show_port_stats, show_port_xstats, /* as the pattern */
    };

    report_begin(command_ends_in(call, "json"));
    cmd_report_ports(&call->word[3], show[call->word[2].choice]);
    report_end();
    return OK;
}

static enum status cmd_show_fwd(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    show_fwd_stats();
    report_end();
    return OK;
}

static enum status cmd_show_config(const struct command_call *call)
{
    static void (*const show[])(void) = {
        show_config_fwd,
        show_config_rxtx,
        show_config_cores,
    };

    report_begin(command_ends_in(call, "json"));
    show[call->word[2].choice]();
    report_end();
    return OK;
}

static void show_part(const char *key, void (*show)(void))
{
    report_object(key);
    show();
    report_close();
}

static enum status cmd_show_config_all(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    show_part("rxtx", show_config_rxtx);
    show_part("fwd", show_config_fwd);
    show_part("cores", show_config_cores);
    report_end();
    return OK;
}

const struct command commands_show[] = {
    { "show port info|stats|xstats <port>|all [json]", SECTION_DISPLAY, 0,
      cmd_show_port, "a port: what it is, what it counted, all it counted" },
    { "show fwd stats all [json]", SECTION_DISPLAY, 0, cmd_show_fwd,
      "packets since `start` or the last clear" },
    { "show config fwd|rxtx|cores [json]", SECTION_DISPLAY, 0, cmd_show_config,
      "who forwards to whom, rings and bursts, cores" },
    { "show config [json]", SECTION_DISPLAY, 0, cmd_show_config_all,
      "all of these" },
    { 0 },
};
