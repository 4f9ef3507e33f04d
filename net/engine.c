/*
 * engine.c - the table of engines
 */
#include "net/engine.h"

#include <string.h>

const struct engine *const engines[] = {
    &engine_io,     &engine_mac,    &engine_macswap,
    &engine_rxonly, &engine_txonly, NULL,
};

const struct engine *engine_find(const char *name)
{
    for (unsigned i = 0; engines[i] != NULL; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}
