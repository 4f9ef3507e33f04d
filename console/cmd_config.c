/*
 * cmd_config.c - `set`: how to forward
 */
#include "console/command.h"

#include <inttypes.h>

#include <millrace/log.h>

#include "console/cmd.h"
#include "console/out.h"
#include "console/show.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "net/txonly.h"

#define CHOICE_ON 0 /* in "on|off" */

static enum status cmd_set_fwd(const struct command_call *call)
{
    const struct engine *engine = engine_find(call->word[2].text);

    fwd_engine_set(engine);
    out("Set %s packet forwarding mode\n", engine->name);
    show_when_changed();
    return OK;
}

static enum status cmd_set_burst(const struct command_call *call)
{
    const enum status s = fwd_burst_set((unsigned)call->word[2].number);

    if (s == OK) {
        out("Number of packets per burst set to %u\n", fwd_burst_get());
        show_when_changed();
    }
    return cmd_report("set burst", s);
}

static enum status cmd_set_txpkts(const struct command_call *call)
{
    return cmd_report("set txpkts",
                      fwd_txpkts_set((unsigned)call->word[2].number));
}

static enum status cmd_set_verbose(const struct command_call *call)
{
    if (call->word[2].number == 0)
        return OK;
    out("Packets are not printed: verbose level %" PRIu64
        " is not supported, 0 is\n",
        call->word[2].number);
    return E_UNSUPPORTED;
}

static enum status cmd_set_peer(const struct command_call *call)
{
    return cmd_report(
        "set eth-peer",
        fwd_peer_set((unsigned)call->word[2].number, call->word[3].mac));
}

/*
 * The list without ports that are optional and not there. Whoever would have
 * been paired with one is left out with it: the others stay as they were meant.
 */
static unsigned ports_there(const struct token_value *v, uint8_t list[])
{
    unsigned n = 0;

    for (unsigned i = 0; i < v->list_count; i++) {
        if ((v->absent >> (i & ~1u) & 3) == 0)
            list[n++] = v->list[i];
        else if ((v->absent >> i & 1) == 0)
            log_notice("set portlist: port %u is left out with the port it is "
                       "paired with, which is not there",
                       v->list[i]);
    }
    return n;
}

static enum status cmd_set_portlist(const struct command_call *call)
{
    uint8_t list[PORT_MAX];
    const unsigned n = ports_there(&call->word[2], list);
    const enum status s = fwd_ports_set(list, n);

    if (s == E_STATE)
        out("Stop packet forwarding first\n");
    return cmd_report("set portlist", s);
}

static enum status cmd_record_cycles(const struct command_call *call)
{
    fwd_record_cycles_set(call->word[2].choice == CHOICE_ON);
    return OK;
}

static enum status cmd_set_fused(const struct command_call *call)
{
    engine_fused_set(call->word[2].choice == CHOICE_ON);
    return OK;
}

static enum status promisc_on(unsigned port)
{
    return cmd_report("set promisc", port_promiscuous_set(port, true));
}

static enum status promisc_off(unsigned port)
{
    return cmd_report("set promisc", port_promiscuous_set(port, false));
}

static enum status cmd_set_promisc(const struct command_call *call)
{
    return cmd_try_ports(&call->word[2], call->word[3].choice == CHOICE_ON
                                             ? promisc_on
                                             : promisc_off);
}

/* The limits, as tokens; limits_are_those_of_forwarding tests them. */
#define BURST_TOKEN  "<1..512>"
#define TXPKTS_TOKEN "<42..2048>"
_Static_assert(FWD_BURST_MAX == 512, "BURST_TOKEN");
_Static_assert(TXONLY_LEN_MIN == 42 && TXONLY_LEN_MAX == 2048, "TXPKTS_TOKEN");

const struct command commands_config[] = {
    { "set fwd <engine>", SECTION_CONFIG, 0, cmd_set_fwd,
      "what is done to packets" },
    { "set burst " BURST_TOKEN, SECTION_CONFIG, 0, cmd_set_burst,
      "packets taken from a queue at a time" },
    { "set txpkts " TXPKTS_TOKEN, SECTION_CONFIG, 0, cmd_set_txpkts,
      "bytes of each packet that txonly sends, without FCS" },
    { "set eth-peer <port> <mac>", SECTION_CONFIG, 0, cmd_set_peer,
      "whom packets leaving by a port are addressed to (mac, txonly)" },
    { "set portlist <ports>", SECTION_CONFIG, 0, cmd_set_portlist,
      "ports that forward, in pairs: first <-> second, third <-> fourth" },
    { "set promisc <port>|all on|off", SECTION_CONFIG, 0, cmd_set_promisc,
      "take frames for other addresses too" },
    { "set fused on|off", SECTION_CONFIG, 0, cmd_set_fused,
      "io, mac, macswap: from ring to ring where ports can, or through mbufs" },
    { "set record-core-cycles on|off", SECTION_CONFIG, 0, cmd_record_cycles,
      "count the cycles of each forwarded packet" },
    { "set verbose <0..65535>", SECTION_CONFIG, 0, cmd_set_verbose,
      "0: do not print packets" },
    { 0 },
};
