/*
 * environment.c - the machine under the figures, said with them
 */
#include "bench/environment.h"

#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/machine.h>
#include <millrace/plat.h>

#include "bench/cores.h"
#include "bench/disturbance.h"
#include "mm/mbuf.h"

#define LOOK_US 10000

static const char *const event_names[MACHINE_EVENT_COUNT] = {
#define EVENT_NAME(id, name) [MACHINE_##id] = name,
    MACHINE_EVENTS(EVENT_NAME)
#undef EVENT_NAME
};

static void print_cpu(line_print *print, const struct machine_facts *f)
{
    print("  CPU          %s, family %u model %u stepping %u\n", f->cpu,
          f->family, f->model, f->stepping);
    if (f->microcode != 0)
        print("  microcode    0x%x\n", f->microcode);
    else
        print("  microcode    not available\n");
    if (!f->is_virtual)
        print("  hypervisor   none\n");
    else
        print("  hypervisor   %s%s\n",
              f->hypervisor[0] != '\0' ? f->hypervisor : "without a name",
              f->is_emulated ? ", an emulator" : "");
    print("  cores        %u for measurements\n", cores_count());
    for (unsigned i = 0; i < core_count() && i < CORES_MAX; i++) {
        const struct core_info *c = core_info_get(i);

        print("    core %u     package %u core %u thread %u%s\n", i, c->package,
              c->core, c->thread,
              i > 0 && !c->is_ready ? ", does not answer" : "");
    }
}

static void print_clock(line_print *print, const struct machine_facts *f)
{
    uint64_t cycles;

    print("  clock        %llu Hz, %s\n", (unsigned long long)plat_cycles_hz(),
          f->tsc_is_invariant ? "invariant" : "not invariant");
    print("  core cycles  %s\n",
          plat_core_cycles(&cycles) ? "counted" : "not available");
}

static void print_events(line_print *print)
{
    for (unsigned i = 0; i < MACHINE_EVENT_COUNT; i++) {
        uint64_t count;

        if (plat_event_count((enum machine_event)i, &count))
            print("  %-12s %llu so far\n", event_names[i],
                  (unsigned long long)count);
        else
            print("  %-12s not available\n", event_names[i]);
    }
}

static void print_gaps(line_print *print)
{
    const struct disturbance_gaps g = disturbance_look(LOOK_US);

    print("  time gaps    %u above %u us in %u ms, the longest %llu us\n",
          g.count, DISTURBANCE_GAP_US, LOOK_US / 1000,
          (unsigned long long)clock_cycles_to_us(g.longest));
}

static const char *layout(void)
{
#ifdef MBUF_LAYOUT_PUBLISHED
    return "published (next in line 1)";
#else
    return "identity-mapped (next in line 0)";
#endif
}

void environment_print(line_print *print, uint64_t seed)
{
    struct machine_facts f;

    plat_machine_get(&f);
    print("Environment\n");
    print_cpu(print, &f);
    print_clock(print, &f);
    print_events(print);
    print_gaps(print);
    print("  image        %016llx\n", (unsigned long long)f.image_hash);
    print("  mbuf layout  %s; the other one is another build\n", layout());
    print("  seed         %llu\n", (unsigned long long)seed);
    if (f.text != NULL)
        print("  machine      %s\n", f.text);
    environment_warn(print);
    print("\n");
}

void environment_warn(line_print *print)
{
    struct machine_facts f;

    plat_machine_get(&f);
    if (f.is_emulated)
        print("  WARNING: this is an emulator (%s): instructions are "
              "translated, and\n"
              "  times say nothing about a machine.\n",
              f.hypervisor);
    else if (f.is_virtual)
        print("  NOTE: a hypervisor may take the cores at any moment, and does "
              "not say so.\n");
    if (!f.tsc_is_invariant)
        print("  WARNING: the time-stamp counter is not invariant: cycles are "
              "not time.\n");
}
