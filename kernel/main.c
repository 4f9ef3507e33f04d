/*
 * main.c - from the loader's jump to forwarding, as a list of steps
 *
 * This is the one place that knows every part of Millrace. A step calls into
 * the part that owns the work and says in the log why it failed; the table says
 * whether the machine can go on without it.
 */
#include <inttypes.h>
#include <stdio.h>

#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/pci.h>
#include <millrace/plat.h>
#include <millrace/port.h>
#include <millrace/status.h>

#include "bench/bench.h"
#include "boot/boot_info.h"
#include "console/app.h"
#include "console/console.h"
#include "console/options.h"
#include "console/report.h"
#include "drivers/xl710/tx_schemes.h"
#include "drivers/xl710/xl710.h"
#include "kernel/acpi.h"
#include "kernel/clock.h"
#include "kernel/cpu.h"
#include "kernel/ecam.h"
#include "kernel/fault_test.h"
#include "kernel/nodes.h"
#include "kernel/panic.h"
#include "kernel/power.h"
#include "kernel/ram.h"
#include "kernel/screen.h"
#include "kernel/serial.h"
#include "kernel/smp.h"
#include "kernel/stamp.h"
#include "kernel/traps.h"
#include "kernel/vm.h"
#include "kernel/work.h"
#include "mm/mm.h"
#include "net/fwd.h"

#define FAULT_TESTS_MAX   32
#define PCI_CLASS_NETWORK 0x02
#define START_FAILED_CODE 98 /* to an emulator that asks; see panic.h */

noreturn void kmain(const struct boot_info *boot); /* called by entry.S */

static struct {
    const struct boot_info *boot;
    struct options options;
    enum status options_status;
    struct acpi acpi;
    struct mm_range ram[BOOT_MEM_MAX];
    unsigned nics_failed;
} machine;

/* ---- steps ---- */

static enum status check_boot_info(void)
{
    const struct boot_info *b = machine.boot;

    if (b->magic != BOOT_INFO_MAGIC || b->version != BOOT_INFO_VERSION ||
        b->bytes != sizeof(*b))
        panic("boot_info: version %u of %u bytes, expected %u of %zu",
              b->version, b->bytes, BOOT_INFO_VERSION, sizeof(*b));
    return OK;
}

/* What the words say about the machine itself; the rest is app_open()'s. */
static enum status read_options(void)
{
    const struct options *o = &machine.options;

    machine.options_status =
        options_parse(machine.boot->cmdline, &machine.options);
    log_set_level(o->log_level);
    power_debug_exit_set(o->debug_exit);
    panic_exit_to(o->debug_exit);
    panic_reboot_after(o->panic_s);
    return OK;
}

static enum status open_memory(void)
{
    const unsigned n =
        ram_usable(machine.boot, machine.ram, ARRAY_SIZE(machine.ram));
    const enum status status = mm_init(machine.ram, n);

    if (status != OK)
        return status;
    vm_init(machine.boot);
    return cpu_guard_boot();
}

static enum status check_page_tables(void)
{
    return vm_check();
}

static enum status open_screen(void)
{
    return screen_open(&machine.boot->framebuffer);
}

static enum status read_acpi(void)
{
    struct acpi_memory memory = vm_acpi_memory();

    enum status status;

    memory.madt_instance = machine.options.madt_instance;
    status = acpi_read(&memory, machine.boot->rsdp, &machine.acpi);
    nodes_take_memory(&machine.acpi);
    return status;
}

static enum status choose_console(void)
{
    const char *option = machine.options.console;

    serial_init(option[0] != '\0' ? option : NULL,
                machine.acpi.has_spcr ? &machine.acpi.spcr : NULL);
    return OK;
}

/* By its hash, whoever keeps the files knows which of them this was. */
static void tell_configuration(const struct boot_info *b)
{
    char hash[2 * BOOT_HASH_BYTES + 1];

    for (unsigned i = 0; i < BOOT_HASH_BYTES; i++)
        snprintf(hash + 2 * i, 3, "%02x", b->config_hash[i]);
    if (b->config_without[0] != '\0')
        log_info("loader: no configuration in %s", b->config_without);
    if (b->config_bytes > 0)
        log_info("loader: configuration: %s, %u bytes, SHA-256 %s",
                 b->config_source, b->config_bytes, hash);
    else
        log_info("loader: configuration: none");
}

static enum status tell_boot(void)
{
    const struct boot_info *b = machine.boot;

    if (b->loader_note[0] != '\0')
        log_warning("loader: %s", b->loader_note);
    log_info("loader: options: %s",
             b->cmdline[0] != '\0' ? b->cmdline : "none");
    tell_configuration(b);
    log_info("memory: %llu MiB usable, %llu MiB the firmware's own",
             (unsigned long long)(ram_bytes(b, BOOT_MEM_USABLE) >> 20),
             (unsigned long long)((ram_bytes(b, BOOT_MEM_FIRMWARE) +
                                   ram_bytes(b, BOOT_MEM_RUNTIME)) >>
                                  20));
    stamp_mark("memory");
    return OK;
}

static enum status prepare_power(void)
{
    power_init(&machine.acpi);
    return OK;
}

static enum status calibrate_clock(void)
{
    return clock_calibrate(&machine.acpi);
}

static enum status start_cores(void)
{
    const enum status status =
        smp_start(&machine.acpi, machine.boot, machine.options.idle);

    stamp_mark("cores");
    return status;
}

static enum status check_stacks(void)
{
    return cpu_check_guards();
}

static noreturn void go_on(void);

/* The rest of the start is the main lcore's. */
static enum status move_control(void)
{
    const unsigned lcore = options_main_lcore(&machine.options);

    if (lcore == core_control())
        return OK;
    return work_move_control(lcore, go_on);
}

static enum status find_pci(void)
{
    ecam_init(&machine.acpi);
    const enum status status = pci_scan();

    nodes_take_pci(&machine.acpi);
    stamp_mark("pci");
    return status;
}

static bool is_at(const struct pci_device *dev, struct pci_addr at)
{
    return dev->at.segment == at.segment && dev->at.bus == at.bus &&
           dev->at.device == at.device && dev->at.function == at.function;
}

/* Whoever names a NIC means it: --allow of what is not there is an error. */
static enum status check_allowed(void)
{
    enum status status = OK;

    for (unsigned a = 0; a < machine.options.allow_count; a++) {
        const struct pci_addr at = machine.options.allow[a];
        unsigned i = 0;

        while (i < pci_count() &&
               !(is_at(pci_get(i), at) && xl710_is_ours(pci_get(i))))
            i++;
        if (i < pci_count())
            continue;
        log_error("options: --allow=" PCI_ADDR_FMT ": no XL710 or X710 there",
                  PCI_ADDR_ARGS(at));
        machine.nics_failed++;
        status = E_NOENT;
    }
    return status;
}

static void name_stranger(const struct pci_device *dev)
{
    if (dev->class_code >> 16 == PCI_CLASS_NETWORK &&
        machine.options.allow_count == 0)
        log_warning(PCI_ADDR_FMT ": network controller %04x:%04x is not an "
                                 "XL710 or X710; left alone",
                    PCI_ADDR_ARGS(dev->at), dev->vendor, dev->device);
}

/* Each takes 100 ms, which pass together. */
static void begin_resets(void)
{
    for (unsigned i = 0; i < pci_count(); i++)
        if (options_allow(&machine.options, pci_get(i)->at) &&
            xl710_is_ours(pci_get(i)))
            xl710_reset_begin(pci_get(i));
}

/* One broken NIC is no reason to leave the others unused. */
static enum status attach_nics(void)
{
    enum status first = check_allowed();

    begin_resets();
    for (unsigned i = 0; i < pci_count(); i++) {
        struct pci_device *dev = pci_get(i);

        if (!options_allow(&machine.options, dev->at))
            continue;
        if (!xl710_is_ours(dev)) {
            name_stranger(dev);
            continue;
        }
        const enum status status = xl710_attach(dev);

        if (status != OK)
            machine.nics_failed++;
        if (first == OK)
            first = status;
    }
    stamp_mark("nic");
    return first;
}

/* ---- the console's view ---- */

/* Tests, in an image that was linked with some. */
extern const struct console_selftest selftest __attribute__((weak));

static const char *const stages[] = {
    "entry", "memory", "cores", "pci", "nic", "link", "forwarding",
};

/* JSON names the stages that were reached. */
static void show_boot(void)
{
    report_object("stages_us");
    for (unsigned i = 0; i < ARRAY_SIZE(stages); i++) {
        const uint64_t us = stamp_get_us(stages[i]);

        report_text("%-12s ", stages[i]);
        if (us == UINT64_MAX)
            report_text("not reached\n");
        else
            report_u64(stages[i], "%10" PRIu64 " us\n", us);
    }
    report_close();
    report_u64("chip_wait_us", "waits that the chip demands: %" PRIu64 " us\n",
               port_chip_wait_us());
}

static enum status open_console(void)
{
    static struct console_fault faults[FAULT_TESTS_MAX + 1];
    static const struct bench_tx_rig tx_rig = { tx_rig_open, tx_rig_fill,
                                                tx_rig_reclaim, tx_rig_close };
    static const struct console_hooks hooks = {
        .tx_rig = &tx_rig,
        .version = MILLRACE_VERSION,
        .faults = faults,
        .selftest = &selftest,
        .show_boot = show_boot,
    };

    for (unsigned i = 0; i < FAULT_TESTS_MAX; i++) {
        const struct fault_test *t = fault_test_get(i);

        if (t == NULL)
            break;
        faults[i] = (struct console_fault) { t->kind, t->meaning, t->run };
    }
    console_init(&hooks);
    return OK;
}

static enum status start_forwarding(void)
{
    const struct boot_info *b = machine.boot;
    struct app_setup setup = {
        .options = &machine.options,
        .options_status = machine.options_status,
        .config = (const char *)(uintptr_t)b->config,
        .config_bytes = b->config_bytes,
        .config_source = b->config_source,
        .nics_failed = machine.nics_failed,
    };

    if (b->is_incomplete && setup.options_status == OK) {
        setup.options_status = E_CORRUPT;
        machine.options.error_column = b->cmdline_bytes + 1;
        snprintf(machine.options.error, sizeof(machine.options.error),
                 "the loader could not take everything: %s", b->loader_note);
    }
    (void)!app_open(&setup); /* it has said why not; the console helps */
    return OK;
}

/* ---- the start ---- */

/* What happens when a step fails. */
enum otherwise {
    GO_ON, /* the machine is useful without it */
    STOP,  /* it is not */
};

static const struct {
    const char *to;
    enum status (*run)(void);
    enum otherwise otherwise;
} steps[] = {
    { "agree with the loader", check_boot_info, STOP },
    { "read the options", read_options, GO_ON },
    { "open the memory", open_memory, STOP },
    { "check the page tables", check_page_tables, STOP },
    { "open the screen", open_screen, GO_ON },
    { "read ACPI", read_acpi, GO_ON },
    { "choose the console", choose_console, GO_ON },
    { "tell what the loader found", tell_boot, GO_ON },
    { "learn how to switch off", prepare_power, GO_ON },
    { "calibrate the clock", calibrate_clock, STOP },
    { "start the other cores", start_cores, GO_ON },
    { "check the stacks", check_stacks, STOP },
    { "hand over to the main lcore", move_control, GO_ON },
    { "find PCI functions", find_pci, GO_ON },
    { "attach the NICs", attach_nics, GO_ON },
    { "open the console", open_console, GO_ON },
    { "start forwarding", start_forwarding, GO_ON },
};

/* The lines above must stay readable, so the machine stays on. */
static noreturn void stop(void)
{
    log_notice("start: halted; switch off or reset the machine");
    if (machine.options.debug_exit != 0)
        plat_power_off(START_FAILED_CODE);
    cpu_halt();
}

/* From the step after the one that was begun last. */
static void start(void)
{
    static unsigned begun;

    while (begun < ARRAY_SIZE(steps)) {
        const unsigned i = begun++;
        const unsigned errors = log_errors();
        const enum status status = steps[i].run();

        if (status == OK)
            continue;
        log_write(log_level_after(errors), "start: cannot %s: %s", steps[i].to,
                  status_text(status));
        if (steps[i].otherwise == STOP)
            stop();
    }
}

/* ---- the last two stamps ---- */

static bool all_links_up(void)
{
    for (unsigned p = 0; p < port_count(); p++) {
        struct port_link link;

        port_link_get(p, &link);
        if (!link.up)
            return false;
    }
    return port_count() > 0;
}

static bool has_forwarded(void)
{
    for (unsigned i = 0; i < fwd_stream_count(); i++) {
        if (counter_read(&fwd_stream(i)->stats.tx_packets) != 0)
            return true;
    }
    return false;
}

/* Returns true when there is nothing left to wait for. */
static bool watch_start(void)
{
    if (all_links_up())
        stamp_mark("link");
    if (!has_forwarded())
        return false;
    stamp_mark("forwarding");
    stamp_print(port_chip_wait_us());
    return true;
}

static noreturn void go_on(void)
{
    start();
    console_open();
    for (bool is_started = false;;) {
        app_poll();
        screen_poll(fwd_is_ours());
        if (!is_started)
            is_started = watch_start();
    }
}

void kmain(const struct boot_info *boot)
{
    stamp_start(plat_cycles());
    stamp_mark("entry");
    cpu_init_boot();
    traps_init();
    serial_early();
    /* The firmware's last line has no end: it steers a screen. */
    plat_console_write("\n", 1);
    machine.boot = boot;
    go_on();
}
