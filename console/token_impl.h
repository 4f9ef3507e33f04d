/*
 * token_impl.h - between token.c (patterns) and token_kinds.c (words)
 */
#pragma once

#include "console/token.h"

struct token_kind {
    const char *name; /* as patterns have it; NULL ends the table */
    bool (*is)(const char *text, const struct port_scope *scope,
               struct token_value *v);
    void (*expected)(const struct port_scope *scope, token_name *name,
                     void *ctx);
    void (*complete)(token_name *name, void *ctx); /* NULL: as expected */
    const char *meaning;
};

extern const struct token_kind token_kinds[];
