/*
 * token.c - what may stand at one place of a command
 */
#include "console/token.h"

#include <stdio.h>
#include <string.h>

#include <millrace/log.h>

#include "console/command.h"
#include "console/console.h"
#include "console/text.h"
#include "net/engine.h"

/* ---- kinds of words ---- */

static bool port_by_address(const char *text, uint64_t *port)
{
    struct pci_addr at;
    uint8_t mac[6];
    const bool is_pci = text_to_pci(text, &at);

    if (!is_pci && !text_to_mac(text, mac))
        return false;
    for (unsigned p = 0; p < port_count(); p++) {
        struct port_info info;

        if (port_info_get(p, &info) != OK)
            continue;
        *port = p;
        if (is_pci && info.at.segment == at.segment && info.at.bus == at.bus &&
            info.at.device == at.device && info.at.function == at.function)
            return true;
        if (!is_pci && memcmp(info.mac, mac, sizeof(mac)) == 0)
            return true;
    }
    return false;
}

static bool is_port(const char *text, struct token_value *v)
{
    if (text_to_number(text, &v->number))
        return v->number < port_count();
    return port_by_address(text, &v->number);
}

static bool is_ports(const char *text, struct token_value *v)
{
    char one[40];
    struct token_value single;

    v->list_count = 0;
    for (;;) {
        const size_t n = strcspn(text, ",");

        if (n >= sizeof(one) || v->list_count == PORT_MAX)
            return false;
        memcpy(one, text, n);
        one[n] = '\0';
        if (!is_port(one, &single))
            return false;
        v->list[v->list_count++] = (uint8_t)single.number;
        if (text[n] == '\0')
            return true;
        text += n + 1;
    }
}

static bool is_engine(const char *text, struct token_value *v)
{
    (void)v;
    return engine_find(text) != NULL;
}

static bool is_mac(const char *text, struct token_value *v)
{
    return text_to_mac(text, v->mac);
}

static const struct console_fault *faults(void)
{
    static const struct console_fault none[1];
    const struct console_hooks *hooks = console_hooks();

    return hooks == NULL || hooks->faults == NULL ? none : hooks->faults;
}

static bool is_fault(const char *text, struct token_value *v)
{
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

static bool is_group(const char *text, struct token_value *v)
{
    const char *name;

    for (v->number = 0; (name = group_at((unsigned)v->number)) != NULL;
         v->number++)
        if (strcmp(name, text) == 0)
            return true;
    return false;
}

static bool is_section(const char *text, struct token_value *v)
{
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++) {
        v->number = i;
        if (strcmp(command_sections[i].name, text) == 0)
            return true;
    }
    return false;
}

/* ---- what to say about them ---- */

static void name_word(token_name *name, void *ctx, const char *word)
{
    name(ctx, word, (unsigned)strlen(word), true);
}

static void name_port(token_name *name, void *ctx)
{
    char text[64];
    const unsigned n = port_count();

    if (n == 0)
        snprintf(text, sizeof(text), "a port (there is none)");
    else
        snprintf(text, sizeof(text), "a port (0..%u, PCI or MAC address)",
                 n - 1);
    name(ctx, text, (unsigned)strlen(text), false);
}

static void name_ports(token_name *name, void *ctx)
{
    name(ctx, "ports with commas between", 25, false);
}

static void name_engine(token_name *name, void *ctx)
{
    for (unsigned i = 0; engines[i] != NULL; i++)
        name_word(name, ctx, engines[i]->name);
}

static void name_mac(token_name *name, void *ctx)
{
    name(ctx, "an address aa:bb:cc:dd:ee:ff", 28, false);
}

static void name_fault(token_name *name, void *ctx)
{
    for (const struct console_fault *f = faults(); f->name != NULL; f++)
        name_word(name, ctx, f->name);
}

static void name_group(token_name *name, void *ctx)
{
    const char *word;

    for (unsigned i = 0; (word = group_at(i)) != NULL; i++)
        name_word(name, ctx, word);
}

static void name_section(token_name *name, void *ctx)
{
    for (unsigned i = 0; i < COMMAND_SECTIONS; i++)
        name_word(name, ctx, command_sections[i].name);
}

static const struct kind {
    const char *name;
    bool (*is)(const char *text, struct token_value *v);
    void (*expected)(token_name *name, void *ctx);
} kinds[] = {
    { "<port>", is_port, name_port },
    { "<ports>", is_ports, name_ports },
    { "<engine>", is_engine, name_engine },
    { "<mac>", is_mac, name_mac },
    { "<fault>", is_fault, name_fault },
    { "<tests>", is_group, name_group },
    { "<section>", is_section, name_section },
};

static const struct kind *kind_of(const struct token *t)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++)
        if (strlen(kinds[i].name) == t->bytes &&
            memcmp(kinds[i].name, t->at, t->bytes) == 0)
            return &kinds[i];
    return NULL;
}

/* <a..b>, from its text. */
static void range_of(const struct token *t, uint64_t *low, uint64_t *high)
{
    char text[48];
    char *dots;

    snprintf(text, sizeof(text), "%.*s", (int)t->bytes - 2, t->at + 1);
    dots = strstr(text, "..");
    if (dots == NULL)
        panic("console: token %.*s has no kind", (int)t->bytes, t->at);
    *dots = '\0';
    if (!text_to_number(text, low) || !text_to_number(dots + 2, high))
        panic("console: token %.*s is no range", (int)t->bytes, t->at);
}

/* ---- tokens ---- */

bool token_at(const char *pattern, unsigned index, struct token *token)
{
    for (;; index--) {
        pattern += strspn(pattern, " ");
        if (*pattern == '\0')
            return false;
        token->at = pattern;
        token->bytes = (unsigned)strcspn(pattern, " ");
        if (index == 0)
            return true;
        pattern += token->bytes;
    }
}

/* Alternative @index of @token; false when there are fewer. */
static bool alternative_at(const struct token *token, unsigned index,
                           struct token *out)
{
    const char *p = token->at, *end = token->at + token->bytes;

    for (;; index--) {
        const char *bar = memchr(p, '|', (size_t)(end - p));

        out->at = p;
        out->bytes = (unsigned)((bar == NULL ? end : bar) - p);
        if (index == 0)
            return true;
        if (bar == NULL)
            return false;
        p = bar + 1;
    }
}

static bool alternative_match(const struct token *alt, const char *text,
                              struct token_value *v)
{
    const struct kind *kind = kind_of(alt);
    uint64_t low, high;

    if (kind != NULL)
        return kind->is(text, v);
    if (alt->at[0] != '<')
        return strlen(text) == alt->bytes &&
               memcmp(text, alt->at, alt->bytes) == 0;
    range_of(alt, &low, &high);
    return text_to_number(text, &v->number) && v->number >= low &&
           v->number <= high;
}

bool token_match(const struct token *token, const char *text,
                 struct token_value *value)
{
    struct token alt;

    value->text = text;
    for (unsigned i = 0; alternative_at(token, i, &alt); i++) {
        value->choice = i;
        if (alternative_match(&alt, text, value))
            return true;
    }
    return false;
}

static void alternative_expected(const struct token *alt, token_name *name,
                                 void *ctx)
{
    const struct kind *kind = kind_of(alt);
    char text[64];

    if (kind != NULL) {
        kind->expected(name, ctx);
        return;
    }
    if (alt->at[0] != '<') {
        name(ctx, alt->at, alt->bytes, true);
        return;
    }
    snprintf(text, sizeof(text), "a number %.*s", (int)alt->bytes - 2,
             alt->at + 1);
    name(ctx, text, (unsigned)strlen(text), false);
}

void token_expected(const struct token *token, token_name *name, void *ctx)
{
    struct token alt;

    for (unsigned i = 0; alternative_at(token, i, &alt); i++)
        alternative_expected(&alt, name, ctx);
}
