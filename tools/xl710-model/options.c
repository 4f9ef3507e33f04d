/*
 * options.c - what the command line asks for
 *
 * Nothing is adjusted in silence: a value out of range is an error.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "options.h"
#include "wire/wire.h"

static bool fail(char *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool fail(char *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error, OPTIONS_ERROR_MAX, format, args);
    va_end(args);
    return false;
}

/* ---- values ---- */

static bool take_u16(uint16_t *to, const char *text)
{
    uint64_t v;

    if (!number_parse(text, UINT16_MAX, &v))
        return false;
    *to = (uint16_t)v;
    return true;
}

/* "MAJOR.MINOR" */
static bool take_version(uint16_t *major, uint16_t *minor, const char *text)
{
    const char *dot = strchr(text, '.');
    char head[8];

    if (dot == NULL || (size_t)(dot - text) >= sizeof(head))
        return false;
    memcpy(head, text, (size_t)(dot - text));
    head[dot - text] = '\0';
    return take_u16(major, head) && take_u16(minor, dot + 1);
}

static bool take_device_id(struct options *o, const char *v)
{
    uint64_t id;
    char hex[16];

    /* PCI people write 1583 and mean 0x1583. */
    if (strlen(v) > 8)
        return false;
    snprintf(hex, sizeof(hex), "%s%s", strncmp(v, "0x", 2) ? "0x" : "", v);
    if (!number_parse(hex, UINT16_MAX, &id))
        return false;
    o->chip.device_id = (uint16_t)id;
    return true;
}

/* Port n gets the address plus n. */
static bool take_mac(struct options *o, const char *v)
{
    unsigned b[6];
    char end;

    if (strlen(v) != 17 || sscanf(v, "%2x:%2x:%2x:%2x:%2x:%2x%c", &b[0], &b[1],
                                  &b[2], &b[3], &b[4], &b[5], &end) != 6)
        return false;
    if ((b[0] & 1) != 0 || b[5] > 0x100 - CHIP_PF_MAX)
        return false;
    for (unsigned port = 0; port < CHIP_PF_MAX; port++)
        for (unsigned i = 0; i < 6; i++)
            o->chip.mac[port][i] = (uint8_t)(b[i] + (i == 5 ? port : 0));
    return true;
}

static bool take_mode(struct options *o, const char *v)
{
    o->shared_doorbells = strcmp(v, "polled") == 0;
    return o->shared_doorbells || strcmp(v, "sync") == 0;
}

static bool take_strict(struct options *o, const char *v)
{
    static const char *const names[] = {
        [STRICT_OFF] = "off",
        [STRICT_LOG] = "log",
        [STRICT_FATAL] = "fatal",
    };

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(v, names[i]) == 0) {
            o->strict = (enum strictness)i;
            return true;
        }
    }
    return false;
}

static bool take_fw(struct options *o, const char *v)
{
    return take_version(&o->chip.fw_major, &o->chip.fw_minor, v);
}

static bool take_api(struct options *o, const char *v)
{
    return take_version(&o->chip.api_major, &o->chip.api_minor, v);
}

static bool take_sr_kib(struct options *o, const char *v)
{
    uint64_t n;

    if (!number_parse(v, 64, &n) || n < 4 || (n & (n - 1)) != 0)
        return false;
    o->chip.sr_kib = (unsigned)n;
    return true;
}

static bool take_queues(struct options *o, const char *v)
{
    uint64_t n;

    if (!number_parse(v, 1536, &n) || n == 0)
        return false;
    o->chip.queues_per_pf = (unsigned)n;
    return true;
}

static bool take_dir(struct options *o, const char *v)
{
    o->socket_dir = v;
    return v[0] != '\0';
}

static bool take_log(struct options *o, const char *v)
{
    o->log_file = v;
    return v[0] != '\0';
}

static const struct {
    const char *name;
    const char *what; /* also the help text */
    bool (*take)(struct options *o, const char *value);
} table[] = {
    { "--socket-dir", "DIR: pf<n>.sock and ctl.sock go there", take_dir },
    { "--mode", "polled (shared doorbell pages, default) or sync (trapped)",
      take_mode },
    { "--strict", "log (default), fatal (end at the first complaint) or off",
      take_strict },
    { "--mac", "xx:xx:xx:xx:xx:xx of port 0, unicast; port n has it plus n",
      take_mac },
    { "--device-id", "PCI device id in hexadecimal, default 1583",
      take_device_id },
    { "--fw", "MAJOR.MINOR of the firmware, default 8.4", take_fw },
    { "--api", "MAJOR.MINOR of the admin queue, default 1.14", take_api },
    { "--sr-kib", "shadow RAM: 4 (default), 8, 16, 32 or 64", take_sr_kib },
    { "--queues", "queue pairs a function, default 384", take_queues },
    { "--log", "FILE instead of standard error", take_log },
};
enum { TABLE = sizeof(table) / sizeof(table[0]) };

/* ---- --port ---- */

static bool port_take_pair(struct port_options *p, char *pair, char **settings,
                           char *error)
{
    char *eq = strchr(pair, '=');

    if (eq == NULL || eq == pair)
        return fail(error, "--port: \"%s\": expected key=value", pair);
    if (strncmp(pair, "wire=", 5) == 0) {
        free(p->wire);
        p->wire = strdup(eq + 1);
        return p->wire != NULL || fail(error, "no memory");
    }
    if (strncmp(pair, "link=", 5) == 0) {
        p->link_down = strcmp(eq + 1, "down") == 0;
        return p->link_down || strcmp(eq + 1, "up") == 0 ||
               fail(error, "--port: %s: expected up or down", pair);
    }
    *settings = stpcpy(*settings, pair) + 1;
    return true;
}

static bool take_port(struct options *o, const char *value, char *error)
{
    struct port_options *p = &o->port[o->chip.ports];
    char *copy, *rest, *pair, *settings;
    bool ok = true;

    if (o->chip.ports == CHIP_PF_MAX)
        return fail(error, "more than %d ports", CHIP_PF_MAX);
    copy = rest = strdup(value);
    settings = p->settings = calloc(1, strlen(value) + 2);
    o->chip.ports++;
    if (copy == NULL || settings == NULL)
        ok = fail(error, "no memory");
    while (ok && (pair = strsep(&rest, ",")) != NULL)
        ok = port_take_pair(p, pair, &settings, error);
    free(copy);
    if (ok && p->wire == NULL)
        return fail(error, "--port %s: expected wire=KIND", value);
    return ok;
}

/* ---- the whole line ---- */

/* "--name=value" or "--name value" */
static const char *value_of(const char *name, int argc, char **argv, int *at)
{
    const size_t n = strlen(name);

    if (strncmp(argv[*at], name, n) != 0)
        return NULL;
    if (argv[*at][n] == '=')
        return argv[*at] + n + 1;
    if (argv[*at][n] != '\0' || *at + 1 == argc)
        return NULL;
    return argv[++*at];
}

static bool take_word(struct options *o, int argc, char **argv, int *at,
                      char *error)
{
    const char *word = argv[*at];
    const char *value;

    if (strcmp(word, "--strict") == 0)
        return take_strict(o, "fatal");
    if ((value = value_of("--port", argc, argv, at)) != NULL)
        return take_port(o, value, error);
    for (unsigned i = 0; i < TABLE; i++) {
        value = value_of(table[i].name, argc, argv, at);
        if (value == NULL)
            continue;
        return table[i].take(o, value) ||
               fail(error, "%s %s: expected %s", table[i].name, value,
                    table[i].what);
    }
    return fail(error,
                "%s: no such option, or its value is missing; --help "
                "lists all",
                word);
}

bool model_options_parse(struct options *o, int argc, char **argv, char *error)
{
    *o = (struct options) {
        .chip = { .device_id = 0x1583,
                  .fw_major = 8,
                  .fw_minor = 4,
                  .api_major = 1,
                  .api_minor = 14,
                  .queues_per_pf = 384,
                  .sr_kib = 4,
                  .link_up_at_reset = true },
        .shared_doorbells = true,
        .strict = STRICT_LOG,
    };
    take_mac(o, "68:05:ca:00:00:10");
    for (int at = 1; at < argc; at++) {
        o->help |= strcmp(argv[at], "--help") == 0;
        if (o->help)
            return true;
        if (!take_word(o, argc, argv, &at, error))
            return false;
    }
    if (o->chip.ports == 0)
        return fail(error, "no --port given; --help lists all options");
    if (o->socket_dir == NULL)
        return fail(error, "no --socket-dir given");
    if (o->chip.queues_per_pf * o->chip.ports > 1536)
        return fail(error, "%u ports of %u queues: a chip has 1536 in all",
                    o->chip.ports, o->chip.queues_per_pf);
    return true;
}

void model_options_free(struct options *o)
{
    for (unsigned i = 0; i < CHIP_PF_MAX; i++) {
        free(o->port[i].wire);
        free(o->port[i].settings);
    }
}

static void help_line(const char *name, const char *help)
{
    printf("    %-14s %s\n", name, help);
}

void model_options_help(void)
{
    puts("xl710-model: an Intel XL710 for QEMU's vfio-user-pci\n\n"
         "Options");
    help_line("--port", "wire=KIND[,key=value...][,link=down][,hold=1], once "
                        "for each port;");
    help_line("", "hold=1: frames start at \"wire PORT start\" (ctl);");
    help_line("", "pause=0: a port without room loses frames (default: they "
                  "wait)");
    for (unsigned i = 0; i < TABLE; i++)
        help_line(table[i].name, table[i].what);
    puts("\nKinds of wire");
    wire_help(help_line);
}
