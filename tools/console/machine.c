/*
 * machine.c - what the console's parts ask of a machine, for tools that have
 * none: no devices, no time, no other core
 *
 * What would be a line of the log is a line on standard error, in the form in
 * which compilers complain: editors take a reader from there to the place.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <millrace/log.h>
#include <millrace/machine.h>
#include <millrace/plat.h>

static unsigned errors;

static void say(const char *fmt, va_list args)
{
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
}

void log_write(enum log_level level, const char *fmt, ...)
{
    va_list args;

    errors += level <= LOG_ERR;
    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
}

unsigned log_errors(void)
{
    return errors;
}

void log_watch_set(const struct log_watch *watch)
{
    (void)watch;
}

void panic(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say(fmt, args);
    va_end(args);
    abort();
}

uint64_t plat_cycles_hz(void)
{
    return 1;
}

volatile void *plat_map_device(uint64_t phys, size_t bytes)
{
    (void)phys;
    (void)bytes;
    return NULL;
}

uint32_t plat_pci_read(struct pci_addr at, unsigned offset, unsigned bytes)
{
    (void)at;
    (void)offset;
    return UINT32_MAX >> (32 - 8 * bytes);
}

void plat_pci_write(struct pci_addr at, unsigned offset, unsigned bytes,
                    uint32_t value)
{
    (void)at;
    (void)offset;
    (void)bytes;
    (void)value;
}

void plat_console_write(const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, stdout);
}

int plat_console_read(void)
{
    return -1;
}

void plat_core_wake(unsigned lcore)
{
    (void)lcore;
}

bool plat_smi_count(uint32_t *count)
{
    (void)count;
    return false;
}

uint64_t plat_interrupts(unsigned lcore)
{
    (void)lcore;
    return 0;
}

void plat_power_off(unsigned exit_code)
{
    exit((int)exit_code);
}

void plat_reboot(void)
{
    exit(EXIT_FAILURE);
}

void plat_machine_get(struct machine_facts *facts)
{
    *facts = (struct machine_facts) { .text = NULL };
}

bool plat_event_count(enum machine_event event, uint64_t *count)
{
    (void)event;
    (void)count;
    return false;
}

bool plat_core_cycles(uint64_t *cycles)
{
    (void)cycles;
    return false;
}
