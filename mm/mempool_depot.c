/*
 * mempool_depot.c - the shared store: stacks of groups under one short lock
 *
 * A group changes hands by one pointer. What costs time per buffer happens
 * outside the lock, or on paths that are not taken per burst. Promises D1..D3
 * are with the struct.
 */
#include <stddef.h>

#include <millrace/log.h>

#include "mm/mempool_impl.h"

static void push(struct group **stack, struct group *g)
{
    g->next = *stack;
    *stack = g;
}

static struct group *pop(struct group **stack)
{
    struct group *g = *stack;

    if (g == NULL)
        panic("mempool: out of groups"); /* D3 */
    *stack = g->next;
    return g;
}

struct group *depot_take(struct depot *d, unsigned n, struct group *give)
{
    struct group *first = NULL, **link = &first;
    unsigned taken = 0;

    spin_lock(&d->lock);
    if (d->objects < n) {
        spin_unlock(&d->lock);
        return NULL;
    }
    while (taken < n && d->full != NULL) {
        *link = pop(&d->full);
        taken += (*link)->len;
        link = &(*link)->next;
    }
    if (taken < n) { /* D2: the rest is in the partial one */
        *link = d->partial;
        taken += (*link)->len;
        link = &(*link)->next;
        d->partial = give;
        give->len = 0;
    } else {
        push(&d->empty, give);
    }
    *link = NULL;
    level_set(&d->objects, d->objects - taken);
    spin_unlock(&d->lock);
    return first;
}

struct group *depot_swap_full(struct depot *d, struct group *full)
{
    struct group *empty;

    full->len = d->group_size;
    spin_lock(&d->lock);
    push(&d->full, full);
    empty = pop(&d->empty);
    level_set(&d->objects, d->objects + d->group_size);
    spin_unlock(&d->lock);
    return empty;
}

void depot_give_empty(struct depot *d, struct group *list)
{
    spin_lock(&d->lock);
    while (list != NULL) {
        struct group *g = list;

        list = g->next;
        push(&d->empty, g);
    }
    spin_unlock(&d->lock);
}

bool depot_get_objects(struct depot *d, struct mbuf *out[], unsigned n)
{
    spin_lock(&d->lock);
    if (d->objects < n) {
        spin_unlock(&d->lock);
        return false;
    }
    level_set(&d->objects, d->objects - n);
    while (n > 0) {
        struct group *g = d->partial;
        unsigned part;

        if (g->len == 0) {
            push(&d->empty, g);
            g = d->partial = pop(&d->full);
        }
        part = n < g->len ? n : g->len;
        group_pop(g, g->len, out, part);
        g->len -= part;
        out += part;
        n -= part;
    }
    spin_unlock(&d->lock);
    return true;
}

void depot_put_objects(struct depot *d, struct mbuf *const in[], unsigned n)
{
    spin_lock(&d->lock);
    level_set(&d->objects, d->objects + n);
    while (n > 0) {
        struct group *g = d->partial;
        const unsigned room = d->group_size - g->len;
        const unsigned part = n < room ? n : room;

        pointers_copy(&g->object[g->len], in, part);
        g->len += part;
        in += part;
        n -= part;
        if (part < room)
            continue;
        push(&d->full, g);
        d->partial = pop(&d->empty);
        d->partial->len = 0;
    }
    spin_unlock(&d->lock);
}
