/*
 * examiner.c - the one place that speaks when a driver breaks a rule
 */
#include "chip/control.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
} rules[] = {
#define R(name, text) { name, text },
    CHIP_RULES(R)
#undef R
};

const char *chip_rule_text(const char *rule)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if (strcmp(rules[i].name, rule) == 0)
            return rules[i].text;
    return NULL;
}

void chip_complain(struct chip *chip, const struct chip_pf *pf,
                   const char *rule, const char *fmt, ...)
{
    const char *text = chip_rule_text(rule);
    char what[160], line[256];
    va_list ap;

    if (!chip->strict || chip->host.complain == NULL)
        return;
    if (chip->now_ns < pf->unaware_until_ns) /* X4 in reset.c */
        return;
    va_start(ap, fmt);
    vsnprintf(what, sizeof(what), fmt, ap);
    va_end(ap);
    snprintf(line, sizeof(line), "%s: %s", text != NULL ? text : rule, what);
    chip->host.complain(chip->host.ctx, pf->index, rule, line);
}

void chip_strict_set(struct chip *chip, bool strict)
{
    chip->strict = strict;
}
