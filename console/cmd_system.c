/*
 * cmd_system.c - the machine: memory, devices, start-up, faults
 */
#include "console/command.h"

#include <inttypes.h>

#include <millrace/pci.h>

#include "console/console.h"
#include "console/out.h"
#include "console/show.h"
#include "mm/frame.h"
#include "mm/node.h"

#define OWNERS_MAX 64

static void print_owner(const struct frame_owner *o)
{
    out("  %-32s %10" PRIu64 " KiB in %u blocks", o->name, o->bytes / 1024,
        o->blocks);
    if (node_count() > 1 && o->node != NODE_ANY)
        out(", node %" PRIu32, o->node);
    else if (node_count() > 1)
        out(", several nodes");
    out("\n");
}

static enum status cmd_show_memory(const struct command_call *call)
{
    static struct frame_owner owners[OWNERS_MAX];
    const unsigned n = frame_owners_get(owners, OWNERS_MAX);
    struct frame_stats s;

    (void)call;
    frame_stats_get(&s);
    out("memory: %" PRIu64 " KiB, used %" PRIu64 ", free %" PRIu64
        ", largest gap %" PRIu64 "\n",
        s.total / 1024, s.used / 1024, s.free / 1024, s.largest_free / 1024);
    for (unsigned i = 0; i < n && i < OWNERS_MAX; i++)
        print_owner(&owners[i]);
    if (n > OWNERS_MAX)
        out("  (%u more owners are not shown)\n", n - OWNERS_MAX);
    show_pools();
    return OK;
}

static enum status cmd_show_pci(const struct command_call *call)
{
    (void)call;
    for (unsigned i = 0; i < pci_count(); i++) {
        const struct pci_device *d = pci_get(i);

        out("%04x:%02x:%02x.%x %04x:%04x class %06" PRIx32 " rev %02x%s\n",
            d->at.segment, d->at.bus, d->at.device, d->at.function, d->vendor,
            d->device, d->class_code, d->revision,
            d->bridge != NULL ? " behind a bridge" : "");
    }
    return OK;
}

static enum status cmd_show_version(const struct command_call *call)
{
    (void)call;
    out("Millrace %s\n", console_hooks()->version);
    return OK;
}

static enum status cmd_show_boot(const struct command_call *call)
{
    (void)call;
    if (console_hooks()->show_boot == NULL) {
        out("No start-up times were taken\n");
        return E_NOENT;
    }
    console_hooks()->show_boot(out);
    return OK;
}

static enum status cmd_debug_fault(const struct command_call *call)
{
    const struct console_fault *f =
        &console_hooks()->faults[call->word[2].number];

    out("Provoking fault %s: %s\n", f->name, f->help);
    out_flush();
    f->trigger();
    out("Nothing happened\n");
    return E_STATE;
}

const struct command commands_system[] = {
    { "show memory", SECTION_SYSTEM, false, cmd_show_memory,
      "who uses the memory" },
    { "show pci", SECTION_SYSTEM, false, cmd_show_pci,
      "the PCI functions that were found" },
    { "show version", SECTION_SYSTEM, false, cmd_show_version,
      "what is running" },
    { "show boot", SECTION_SYSTEM, false, cmd_show_boot,
      "when each stage of the start was reached" },
    { "debug fault <fault>", SECTION_SYSTEM, true, cmd_debug_fault,
      "break something on purpose, to see it reported" },
    { 0 },
};
