/*
 * cmd_system.c - the machine: memory, devices, start-up, faults
 */
#include "console/command.h"

#include <inttypes.h>

#include <millrace/pci.h>

#include "console/console.h"
#include "console/out.h"
#include "console/report.h"
#include "console/show.h"
#include "mm/frame.h"
#include "mm/node.h"

#define OWNERS_MAX 64
#define ADDRESS    "%04x:%02x:%02x.%x"

static void show_owner(const struct frame_owner *o)
{
    report_object(NULL);
    report_string("name", "  %-32s", o->name);
    report_json_u64("bytes", o->bytes);
    report_text(" %10" PRIu64 " KiB", o->bytes / 1024);
    report_uint("blocks", " in %u blocks", o->blocks);
    if (o->node != NODE_ANY)
        report_json_u64("numa_node", o->node);
    if (node_count() > 1 && o->node != NODE_ANY)
        report_text(", node %" PRIu32, o->node);
    else if (node_count() > 1)
        report_text(", several nodes");
    report_text("\n");
    report_close();
}

static void show_frames(void)
{
    struct frame_stats s;

    frame_stats_get(&s);
    report_text("memory: %" PRIu64 " KiB, used %" PRIu64 ", free %" PRIu64
                ", largest gap %" PRIu64 "\n",
                s.total / 1024, s.used / 1024, s.free / 1024,
                s.largest_free / 1024);
    report_json_u64("total_bytes", s.total);
    report_json_u64("used_bytes", s.used);
    report_json_u64("free_bytes", s.free);
    report_json_u64("largest_free_bytes", s.largest_free);
}

static enum status cmd_show_memory(const struct command_call *call)
{
    static struct frame_owner owners[OWNERS_MAX];
    const unsigned n = frame_owners_get(owners, OWNERS_MAX);

    report_begin(command_ends_in(call, "json"));
    show_frames();
    report_list("owners");
    for (unsigned i = 0; i < n && i < OWNERS_MAX; i++)
        show_owner(&owners[i]);
    report_close();
    if (n > OWNERS_MAX)
        report_uint("owners_left_out", "  (%u more owners are not shown)\n",
                    n - OWNERS_MAX);
    show_pools();
    report_end();
    return OK;
}

static void show_device(const struct pci_device *d)
{
    report_object(NULL);
    report_json_string("address", ADDRESS, d->at.segment, d->at.bus,
                       d->at.device, d->at.function);
    report_text(ADDRESS, d->at.segment, d->at.bus, d->at.device,
                d->at.function);
    report_uint("vendor_id", " %04x", d->vendor);
    report_uint("device_id", ":%04x", d->device);
    report_uint("class", " class %06x", d->class_code);
    report_uint("revision", " rev %02x", d->revision);
    report_json_bool("behind_bridge", d->bridge != NULL);
    report_text("%s\n", d->bridge != NULL ? " behind a bridge" : "");
    report_close();
}

static enum status cmd_show_pci(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    report_list("devices");
    for (unsigned i = 0; i < pci_count(); i++)
        show_device(pci_get(i));
    report_end();
    return OK;
}

static enum status cmd_show_version(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    report_string("version", "Millrace %s\n", console_hooks()->version);
    report_end();
    return OK;
}

static enum status cmd_show_boot(const struct command_call *call)
{
    enum status s = OK;

    report_begin(command_ends_in(call, "json"));
    if (console_hooks()->show_boot != NULL) {
        console_hooks()->show_boot();
    } else {
        report_text("No start-up times were taken\n");
        s = E_NOENT;
    }
    report_end();
    return s;
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
    { "show memory [json]", SECTION_SYSTEM, false, cmd_show_memory,
      "who uses the memory" },
    { "show pci [json]", SECTION_SYSTEM, false, cmd_show_pci,
      "the PCI functions that were found" },
    { "show version [json]", SECTION_SYSTEM, false, cmd_show_version,
      "what is running" },
    { "show boot [json]", SECTION_SYSTEM, false, cmd_show_boot,
      "when each stage of the start was reached" },
    { "debug fault <fault>", SECTION_SYSTEM, true, cmd_debug_fault,
      "break something on purpose, to see it reported" },
    { 0 },
};
