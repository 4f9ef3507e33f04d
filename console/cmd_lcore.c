/*
 * cmd_lcore.c - cores: how many forward, what they do, who disturbs them
 */
#include "console/command.h"

#include <inttypes.h>

#include <millrace/core.h>

#include "console/cmd.h"
#include "console/console.h"
#include "console/out.h"
#include "console/show.h"
#include "net/fwd.h"

#define FAULT_WAIT_US 1000000

static enum status cmd_show(const struct command_call *call)
{
    static void (*const show[][2])(void) = {
        { show_lcore, show_lcore_json },
        { show_cycles, show_cycles_json },
        { show_jitter, show_jitter_json },
    };

    show[call->word[1].choice][call->count > 2]();
    return OK;
}

static enum status cmd_set_nbcore(const struct command_call *call)
{
    const enum status s = fwd_nb_cores_set((unsigned)call->word[2].number);

    if (s == E_STATE)
        out("Stop packet forwarding first\n");
    else if (s == E_RANGE)
        out("%" PRIu64 " cores: expected 1..%u\n", call->word[2].number,
            fwd_core_count());
    else
        out("Number of forwarding cores set to %" PRIu64 "\n",
            call->word[2].number);
    return s;
}

static enum status cmd_set_jitter(const struct command_call *call)
{
    return cmd_report("set jitter",
                      fwd_gap_set((unsigned)call->word[2].number));
}

/* ---- a fault on another core ---- */

static bool trigger(void *fault)
{
    ((const struct console_fault *)fault)->trigger();
    return false;
}

static enum status cmd_fault_on(const struct command_call *call)
{
    static struct console_fault fault; /* outlives us: the core reads it */
    const unsigned lcore = (unsigned)call->word[4].number;
    enum status s;

    if (core_is_busy(lcore)) {
        out("Core %u forwards: stop packet forwarding first\n", lcore);
        return E_BUSY;
    }
    fault = console_hooks()->faults[call->word[2].number];
    out("Provoking fault %s on core %u: %s\n", fault.name, lcore, fault.help);
    out_flush();
    s = core_run(lcore, trigger, &fault);
    if (s == OK)
        s = core_wait(lcore, FAULT_WAIT_US);
    if (s != OK)
        return cmd_report("debug fault", s);
    out("Nothing happened\n");
    return E_STATE;
}

#define NBCORE_TOKEN "<1..255>"
#define JITTER_TOKEN "<1..1000000>"
_Static_assert(LCORE_MAX == 256, "NBCORE_TOKEN, and the fault's core");
_Static_assert(FWD_GAP_US_MAX == 1000000, "JITTER_TOKEN");

const struct command commands_lcore[] = {
    { "show lcore|cycles|jitter [json]", SECTION_DISPLAY, false, cmd_show,
      "cores and their bursts, what a packet costs, who took the core away" },
    { "set nbcore " NBCORE_TOKEN, SECTION_CONFIG, false, cmd_set_nbcore,
      "cores that forward, of those that may" },
    { "set jitter " JITTER_TOKEN, SECTION_CONFIG, false, cmd_set_jitter,
      "a stall longer than this many microseconds is counted as a gap" },
    { "debug fault <fault> core <0..255>", SECTION_SYSTEM, true, cmd_fault_on,
      "break something on another core" },
    { 0 },
};
