/*
 * mempool_fifo.c - the store of the policies for experiments: oldest out first
 *
 * As wide as DPDK's default store, and as much a trip per call: every pointer
 * is copied. One lock, where DPDK has a lock-free ring, so that both stores
 * here cost the same before the first pointer moves.
 */
#include <string.h>

#include "mm/mempool_impl.h"

/* Pointers from slot @cursor on that can be copied before the array ends. */
static unsigned straight(const struct fifo *f, unsigned cursor, unsigned n)
{
    const unsigned to_end = f->mask + 1 - (cursor & f->mask);

    return n < to_end ? n : to_end;
}

bool fifo_get(struct fifo *f, struct mbuf *out[], unsigned n)
{
    unsigned first;

    spin_lock(&f->lock);
    if (f->objects < n) {
        spin_unlock(&f->lock);
        return false;
    }
    first = straight(f, f->head, n);
    memcpy(out, &f->slot[f->head & f->mask], first * sizeof(*out));
    memcpy(out + first, f->slot, (n - first) * sizeof(*out));
    f->head += n;
    level_set(&f->objects, f->objects - n);
    spin_unlock(&f->lock);
    return true;
}

void fifo_put(struct fifo *f, struct mbuf *const in[], unsigned n)
{
    unsigned tail, first;

    spin_lock(&f->lock);
    tail = f->head + f->objects;
    first = straight(f, tail, n);
    memcpy(&f->slot[tail & f->mask], in, first * sizeof(*in));
    memcpy(f->slot, in + first, (n - first) * sizeof(*in));
    level_set(&f->objects, f->objects + n);
    spin_unlock(&f->lock);
}
