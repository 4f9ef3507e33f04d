/*
 * commands.c - the words of the control socket
 *
 *   C1  a command that is not understood changes nothing and says what was
 *       expected
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "ctl/commands.h"
#include "ctl/faults.h"
#include "model.h"

enum { WORDS_MAX = 16 };

struct command {
    const char *name;
    const char *usage;
    const char *what;
    unsigned least; /* words after the name */
    const char *(*run)(struct model *m, char **words, unsigned n,
                       struct json *j); /* NULL: done; else what is wrong */
};

static const char no_port[] = "expected a port number that exists";

static bool take_port(const struct model *m, const char *word, unsigned *port)
{
    uint64_t v;

    if (!number_parse(word, m->ports - 1, &v))
        return false;
    *port = (unsigned)v;
    return true;
}

/* ---- status ---- */

static void queues_describe(struct model *m, unsigned pf, uint32_t base,
                            const char *name, struct json *j)
{
    json_array(j, name);
    for (unsigned q = 0; q < m->options->chip.queues_per_pf; q++)
        if (model_queue_is_on(m, pf, base, q))
            json_u64(j, NULL, q);
    json_array_end(j);
}

static void port_describe(struct model *m, unsigned i, struct json *j)
{
    const struct model_port *p = &m->port[i];

    json_object(j, NULL);
    json_u64(j, "port", i);
    json_bool(j, "client", p->conn.fd >= 0);
    json_bool(j, "bus_master", p->device.bus_master);
    json_bool(j, "link", chip_link_get(m->chip, i));
    queues_describe(m, i, MODEL_QTX_ENA, "tx_queues", j);
    queues_describe(m, i, MODEL_QRX_ENA, "rx_queues", j);
    json_u64(j, "messages", p->device.messages);
    json_u64(j, "dma_ranges", p->device.dma.count);
    json_u64(j, "dma_refused", p->device.dma_refused);
    json_u64(j, "dma_highest", p->device.dma_highest);
    json_object(j, "wire");
    wire_describe(p->wire, j);
    json_object_end(j);
    json_object_end(j);
}

static const char *do_status(struct model *m, char **words, unsigned n,
                             struct json *j)
{
    (void)words;
    if (n != 0)
        return "expected nothing more";
    json_u64(j, "complaints", m->complaints_total);
    json_array(j, "ports");
    for (unsigned i = 0; i < m->ports; i++)
        port_describe(m, i, j);
    json_array_end(j);
    return NULL;
}

/* ---- link, strict, complaints, quit ---- */

static const char *do_link(struct model *m, char **words, unsigned n,
                           struct json *j)
{
    const bool up = strcmp(words[1], "up") == 0;
    unsigned port;

    (void)j;
    if (!take_port(m, words[0], &port))
        return no_port;
    if (n != 2 || (!up && strcmp(words[1], "down") != 0))
        return "expected up or down";
    model_link_set(m, port, up);
    return NULL;
}

static const char *do_strict(struct model *m, char **words, unsigned n,
                             struct json *j)
{
    const bool on = strcmp(words[0], "on") == 0;

    (void)j;
    if (n != 1 || (!on && strcmp(words[0], "off") != 0))
        return "expected on or off";
    chip_strict_set(m->chip, on);
    return NULL;
}

static const char *do_complaints(struct model *m, char **words, unsigned n,
                                 struct json *j)
{
    const bool clear = n == 1 && strcmp(words[0], "clear") == 0;

    if (n != 0 && !clear)
        return "expected nothing more, or clear";
    json_u64(j, "total", m->complaints_total);
    json_array(j, "complaints");
    for (unsigned i = 0; i < m->complaint_kinds; i++) {
        const struct complaint *c = &m->complaints[i];

        json_object(j, NULL);
        json_u64(j, "pf", c->pf);
        json_string(j, "rule", c->rule);
        json_u64(j, "count", c->count);
        json_string(j, "text", c->text);
        json_object_end(j);
    }
    json_array_end(j);
    if (clear) {
        m->complaint_kinds = 0;
        m->complaints_total = 0;
        memset(m->complaints, 0, sizeof(m->complaints));
    }
    return NULL;
}

static const char *do_flush(struct model *m, char **words, unsigned n,
                            struct json *j)
{
    (void)words;
    (void)j;
    if (n != 0)
        return "expected nothing more";
    for (unsigned i = 0; i < m->ports; i++)
        wire_flush(m->port[i].wire);
    return NULL;
}

static const char *do_quit(struct model *m, char **words, unsigned n,
                           struct json *j)
{
    (void)words;
    (void)j;
    if (n != 0)
        return "expected nothing more";
    m->quit = true;
    return NULL;
}

/* ---- wire ---- */

/* key=value ... ; stops at the first that is wrong. */
static const char *wire_settings(struct wire *w, char **words, unsigned n)
{
    if (n == 0)
        return "expected key=value";
    for (unsigned i = 0; i < n; i++) {
        char *eq = strchr(words[i], '=');

        if (eq == NULL)
            return "expected key=value";
        *eq = '\0';
        if (!wire_set(w, words[i], eq + 1))
            return w->error;
    }
    return NULL;
}

static const char *do_wire(struct model *m, char **words, unsigned n,
                           struct json *j)
{
    struct wire *w;
    const char *wrong = NULL;
    unsigned port;

    if (!take_port(m, words[0], &port))
        return no_port;
    w = m->port[port].wire;
    if (strcmp(words[1], "set") == 0)
        wrong = wire_settings(w, words + 2, n - 2);
    else if (n != 2)
        wrong = "expected start, stop or set key=value";
    else if (strcmp(words[1], "start") == 0)
        wrong = wire_start(w) ? NULL : w->error;
    else if (strcmp(words[1], "stop") == 0)
        wire_stop(w);
    else
        wrong = "expected start, stop or set key=value";
    if (wrong == NULL)
        wire_describe(w, j);
    return wrong;
}

/* ---- fault ---- */

static const char *do_fault(struct model *m, char **words, unsigned n,
                            struct json *j)
{
    uint64_t pf = 0;

    (void)j;
    if (strncmp(words[0], "pf=", 3) == 0) {
        if (!number_parse(words[0] + 3, m->ports - 1, &pf))
            return "pf=: expected a function that exists";
        words++;
        n--;
    }
    if (n == 0)
        return "expected the name of a fault";
    return fault_inject(m->chip, (unsigned)pf, words, n);
}

/* ---- the table ---- */

static const struct command commands[] = {
    { "status", "", "ports, queues, wires with all counters", 0, do_status },
    { "link", "PORT up|down", "plug or pull the cable", 2, do_link },
    { "wire", "PORT start|stop|set KEY=VALUE...",
      "begin (again), pause, change a setting", 2, do_wire },
    { "fault", "[pf=N] NAME ...", "misbehave, see below", 1, do_fault },
    { "strict", "on|off", "examine what the driver does, or not", 1,
      do_strict },
    { "complaints", "[clear]", "broken rules with counts", 0, do_complaints },
    { "flush", "", "write out what the wires recorded", 0, do_flush },
    { "quit", "", "end the model", 0, do_quit },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

void ctl_help(void (*line)(const char *usage, const char *what))
{
    char usage[80];

    for (unsigned i = 0; i < COMMANDS; i++) {
        snprintf(usage, sizeof(usage), "%s %s", commands[i].name,
                 commands[i].usage);
        line(usage, commands[i].what);
    }
    fault_help(line);
}

static const char *dispatch(struct model *m, char **words, unsigned n,
                            struct json *j)
{
    for (unsigned i = 0; i < COMMANDS; i++) {
        if (strcmp(words[0], commands[i].name) != 0)
            continue;
        if (n - 1 < commands[i].least)
            return "more words expected; xl710-model --help lists them";
        return commands[i].run(m, words + 1, n - 1, j);
    }
    return "no such command; xl710-model --help lists all";
}

void ctl_run(struct model *m, char *line, struct json *j)
{
    char *words[WORDS_MAX + 1] = { NULL };
    char *rest = line;
    const char *wrong = "expected a command";
    unsigned n = 0;
    char *word;

    while (n <= WORDS_MAX && (word = strsep(&rest, " \t\r")) != NULL)
        if (*word != '\0')
            words[n++] = word;
    json_object(j, NULL);
    if (n > WORDS_MAX)
        wrong = "too many words";
    else if (n > 0)
        wrong = dispatch(m, words, n, j);
    json_bool(j, "ok", wrong == NULL);
    if (wrong != NULL)
        json_string(j, "error", wrong);
    json_object_end(j);
}
