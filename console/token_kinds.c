/*
 * token_kinds.c - the kinds of words that a command may have
 */
#include <stdio.h>
#include <string.h>

#include "console/command.h"
#include "console/console.h"
#include "console/port_name.h"
#include "console/rss_text.h"
#include "console/text.h"
#include "console/token_impl.h"
#include "net/engine.h"

/* ---- what fits ---- */

static bool is_port(const char *text, const struct port_scope *scope,
                    struct token_value *v)
{
    unsigned port;
    const enum port_found found = port_find(text, scope, &port);

    v->number = port;
    v->absent = found == PORT_IS_ABSENT;
    return found != PORT_IS_UNKNOWN;
}

static bool is_ports(const char *text, const struct port_scope *scope,
                     struct token_value *v)
{
    char one[40];
    unsigned port;

    v->list_count = 0;
    v->absent = 0;
    for (;;) {
        const size_t n = strcspn(text, ",");
        enum port_found found;

        if (n >= sizeof(one) || v->list_count == PORT_MAX)
            return false;
        memcpy(one, text, n);
        one[n] = '\0';
        found = port_find(one, scope, &port);
        if (found == PORT_IS_UNKNOWN)
            return false;
        if (found == PORT_IS_ABSENT)
            v->absent |= UINT32_C(1) << v->list_count;
        v->list[v->list_count++] = (uint8_t)port;
        if (text[n] == '\0')
            return true;
        text += n + 1;
    }
}

static bool is_address(const char *text, const struct port_scope *scope,
                       struct token_value *v)
{
    struct port_address address;

    (void)scope;
    (void)v;
    return port_address_read(text, &address);
}

static bool is_engine(const char *text, const struct port_scope *scope,
                      struct token_value *v)
{
    (void)scope;
    (void)v;
    return engine_find(text) != NULL;
}

static bool is_mac(const char *text, const struct port_scope *scope,
                   struct token_value *v)
{
    (void)scope;
    return text_to_mac(text, v->mac);
}

static const struct console_fault *faults(void)
{
    static const struct console_fault none[1];
    const struct console_hooks *hooks = console_hooks();

    return hooks == NULL || hooks->faults == NULL ? none : hooks->faults;
}

static bool is_fault(const char *text, const struct port_scope *scope,
                     struct token_value *v)
{
    (void)scope;
    for (const struct console_fault *f = faults(); f->name != NULL; f++) {
        v->number = (uint64_t)(f - faults());
        if (strcmp(f->name, text) == 0)
            return true;
    }
    return false;
}

/* Tests in the image. */
static const char *group_at(unsigned index)
{
    const struct console_hooks *hooks = console_hooks();

    return hooks == NULL || hooks->selftest == NULL
               ? NULL
               : hooks->selftest->group(index);
}

static bool is_group(const char *text, const struct port_scope *scope,
                     struct token_value *v)
{
    const char *name;

    (void)scope;
    for (v->number = 0; (name = group_at((unsigned)v->number)) != NULL;
         v->number++)
        if (strcmp(name, text) == 0)
            return true;
    return false;
}

static bool is_rss_types(const char *text, const struct port_scope *scope,
                         struct token_value *v)
{
    uint32_t types;

    (void)scope;
    (void)v;
    return text_to_rss_types(text, &types);
}

static bool is_rss_key(const char *text, const struct port_scope *scope,
                       struct token_value *v)
{
    uint8_t key[PORT_RSS_KEY_BYTES];

    (void)scope;
    (void)v;
    return text_to_rss_key(text, key);
}

static bool is_reta(const char *text, const struct port_scope *scope,
                    struct token_value *v)
{
    struct reta_pair pairs[RETA_PAIRS_MAX];
    unsigned n;

    (void)scope;
    (void)v;
    return text_to_reta(text, pairs, &n);
}

/*
 * Topics are the sections and the words of commands; which of them belong
 * together is `help`'s to find out.
 */
static bool is_topic(const char *text, const struct port_scope *scope,
                     struct token_value *v)
{
    (void)scope;
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++) {
        v->number = i;
        if (strcmp(command_sections[i].name, text) == 0)
            return true;
    }
    return command_has_word(text);
}

/* ---- what to say about them ---- */

static void name_word(token_name *name, void *ctx, const char *word)
{
    name(ctx, word, (unsigned)strlen(word), true);
}

static void name_text(token_name *name, void *ctx, const char *text)
{
    name(ctx, text, (unsigned)strlen(text), false);
}

static void name_port(const struct port_scope *scope, token_name *name,
                      void *ctx)
{
    char text[64];
    const unsigned n = port_count();

    if (scope != NULL)
        snprintf(text, sizeof(text), "a port by its PCI or MAC address%s",
                 n == 0 && !scope->is_offline ? " (there is none)" : "");
    else if (n == 0)
        snprintf(text, sizeof(text), "a port (there is none)");
    else
        snprintf(text, sizeof(text), "a port (0..%u, PCI or MAC address)",
                 n - 1);
    name_text(name, ctx, text);
}

static void name_ports(const struct port_scope *scope, token_name *name,
                       void *ctx)
{
    name_text(name, ctx,
              scope == NULL ? "ports with commas between"
                            : "PCI or MAC addresses of ports with commas "
                              "between");
}

static void name_address(const struct port_scope *scope, token_name *name,
                         void *ctx)
{
    (void)scope;
    name_text(name, ctx, "a PCI address 0000:3b:00.0 or MAC address");
}

static void name_engine(const struct port_scope *scope, token_name *name,
                        void *ctx)
{
    (void)scope;
    for (unsigned i = 0; engines[i] != NULL; i++)
        name_word(name, ctx, engines[i]->name);
}

static void name_mac(const struct port_scope *scope, token_name *name,
                     void *ctx)
{
    (void)scope;
    name_text(name, ctx, "an address aa:bb:cc:dd:ee:ff");
}

static void name_fault(const struct port_scope *scope, token_name *name,
                       void *ctx)
{
    (void)scope;
    for (const struct console_fault *f = faults(); f->name != NULL; f++)
        name_word(name, ctx, f->name);
}

static void name_group(const struct port_scope *scope, token_name *name,
                       void *ctx)
{
    const char *word;

    (void)scope;
    for (unsigned i = 0; (word = group_at(i)) != NULL; i++)
        name_word(name, ctx, word);
}

static void name_rss_types(const struct port_scope *scope, token_name *name,
                           void *ctx)
{
    (void)scope;
    for (unsigned i = 0; rss_group_name(i) != NULL; i++)
        name_word(name, ctx, rss_group_name(i));
    for (unsigned t = 0; rss_type_name(t) != NULL; t++)
        name_word(name, ctx, rss_type_name(t));
}

static void name_rss_key(const struct port_scope *scope, token_name *name,
                         void *ctx)
{
    (void)scope;
    name_text(name, ctx, "a key of 104 hexadecimal digits");
}

static void name_reta(const struct port_scope *scope, token_name *name,
                      void *ctx)
{
    (void)scope;
    name_text(name, ctx, "(hash,queue) with commas between");
}

static void name_topic(const struct port_scope *scope, token_name *name,
                       void *ctx)
{
    (void)scope;
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++)
        name_word(name, ctx, command_sections[i].name);
    command_first_words(name, ctx);
}

/* Numbers of ports, for who types; few, lest a list of them floods a line. */
static void complete_port(token_name *name, void *ctx)
{
    char text[16];

    for (unsigned p = 0; p < port_count(); p++) {
        snprintf(text, sizeof(text), "%u", p);
        name_word(name, ctx, text);
    }
}

const struct token_kind token_kinds[] = {
    { "<port>", is_port, name_port, complete_port,
      "a port: its number (at the prompt only), its PCI address 0000:3b:00.0 "
      "or its MAC address" },
    { "<ports>", is_ports, name_ports, complete_port,
      "such ports with commas between" },
    { "<address>", is_address, name_address, NULL,
      "PCI address or MAC address of a port that may be missing" },
    { "<engine>", is_engine, name_engine, NULL, "a forwarding engine" },
    { "<mac>", is_mac, name_mac, NULL,
      "an Ethernet address aa:bb:cc:dd:ee:ff" },
    { "<fault>", is_fault, name_fault, NULL,
      "a fault; `debug fault` and the tab key list them" },
    { "<tests>", is_group, name_group, NULL,
      "a group of the tests that a self-test image carries" },
    { "<rss-types>", is_rss_types, name_rss_types, NULL,
      "types of packets as `show port 0 rss-hash` names them, or `all`, `ip`, "
      "`ipv4`, `ipv6`, `tcp`, `udp`, `sctp`, `ether`, `none`, with | between" },
    { "<rss-key>", is_rss_key, name_rss_key, NULL,
      "a hash key of 52 bytes as 104 hexadecimal digits" },
    { "<reta>", is_reta, name_reta, NULL, "hash and queue, as in (0,1),(1,0)" },
    { "<topic>", is_topic, name_topic, NULL,
      "a section of the help, or the first words of a command" },
    { 0 },
};
