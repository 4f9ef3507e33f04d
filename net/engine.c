/*
 * engine.c - the table of engines
 */
#include "net/engine.h"

#include <string.h>

const struct engine *const engines[] = {
    &engine_io,     &engine_mac,    &engine_macswap,
    &engine_rxonly, &engine_txonly, NULL,
};

bool engine_fused = true;

void engine_fused_set(bool on)
{
    __atomic_store_n(&engine_fused, on, __ATOMIC_RELAXED);
}

const struct engine *engine_find(const char *name)
{
    for (unsigned i = 0; engines[i] != NULL; i++)
        if (strcmp(engines[i]->name, name) == 0)
            return engines[i];
    return NULL;
}
