/*
 * cmd_bench.c - the built-in experiments, one command long
 *
 *   B1  nothing is forwarded meanwhile; what else the machine has to do goes on
 *       between two windows, some 20 ms apart
 *   B2  any key ends it: what was measured so far stays said, and all memory is
 *       given back
 */
#include "console/command.h"

#include <millrace/plat.h>

#include "bench/bench.h"
#include "console/app.h"
#include "console/console.h"
#include "console/out.h"
#include "net/fwd.h"

#define SEED 1 /* the same order of windows each time: runs can be compared */

/* Between windows. True when a key was hit. */
static bool idle(void)
{
    app_housekeeping();
    out_flush();
    return plat_console_read() >= 0;
}

static enum status cmd_bench(const struct command_call *call)
{
    struct bench bench = { .print = out,
                           .idle = idle,
                           .quick = call->count > 2,
                           .seed = SEED,
                           .tx_rig = console_hooks()->tx_rig };
    enum status status;

    if (fwd_is_running()) {
        out("Forwarding runs; `stop` it first\n");
        return E_BUSY;
    }
    status = bench_run(&bench, call->word[1].text);
    if (bench.is_aborted)
        out("bench: ended by a key\n");
    else if (status != OK)
        out("bench: %s\n", status_text(status));
    return status;
}

const struct command commands_bench[] = {
    { "bench mempool|mbuf|txfree|ring|all", SECTION_SYSTEM, true, cmd_bench,
      "measure what the data path's parts cost; any key ends it" },
    { "bench mempool|mbuf|txfree|ring|all quick", SECTION_SYSTEM, true,
      cmd_bench, "the same in a hurry: shows that all works, claims nothing" },
    { 0 },
};
