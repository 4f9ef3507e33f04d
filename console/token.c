/*
 * token.c - what may stand at one place of a command
 */
#include "console/token.h"

#include <stdio.h>
#include <string.h>

#include <millrace/log.h>

#include "console/text.h"
#include "console/token_impl.h"

static const struct token_kind *kind_of(const struct token *t)
{
    for (const struct token_kind *k = token_kinds; k->name != NULL; k++)
        if (strlen(k->name) == t->bytes &&
            memcmp(k->name, t->at, t->bytes) == 0)
            return k;
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
        pattern += token->bytes;
        if (index == 0)
            break;
    }
    token->is_optional = token->at[0] == '[';
    if (token->is_optional) {
        token->at++;
        token->bytes -= 2;
    }
    return true;
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
                              const struct port_scope *scope,
                              struct token_value *v)
{
    const struct token_kind *kind = kind_of(alt);
    uint64_t low, high;

    if (kind != NULL)
        return kind->is(text, scope, v);
    if (alt->at[0] != '<')
        return strlen(text) == alt->bytes &&
               memcmp(text, alt->at, alt->bytes) == 0;
    range_of(alt, &low, &high);
    return text_to_number(text, &v->number) && v->number >= low &&
           v->number <= high;
}

bool token_match(const struct token *token, const char *text,
                 const struct port_scope *scope, struct token_value *value)
{
    struct token alt;

    value->text = text;
    value->list_count = 0;
    value->absent = 0;
    for (unsigned i = 0; alternative_at(token, i, &alt); i++) {
        value->choice = i;
        if (alternative_match(&alt, text, scope, value))
            return true;
    }
    return false;
}

static void alternative_expected(const struct token *alt,
                                 const struct port_scope *scope,
                                 token_name *name, void *ctx)
{
    const struct token_kind *kind = kind_of(alt);
    char text[64];

    if (kind != NULL) {
        kind->expected(scope, name, ctx);
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

void token_expected(const struct token *token, const struct port_scope *scope,
                    token_name *name, void *ctx)
{
    struct token alt;

    for (unsigned i = 0; alternative_at(token, i, &alt); i++)
        alternative_expected(&alt, scope, name, ctx);
}

void token_complete(const struct token *token, token_name *name, void *ctx)
{
    struct token alt;

    for (unsigned i = 0; alternative_at(token, i, &alt); i++) {
        const struct token_kind *kind = kind_of(&alt);

        if (kind != NULL && kind->complete != NULL)
            kind->complete(name, ctx);
        alternative_expected(&alt, NULL, name, ctx);
    }
}

bool token_kind(unsigned index, const char **name, const char **meaning)
{
    *name = token_kinds[index].name;
    *meaning = token_kinds[index].meaning;
    return *name != NULL;
}
