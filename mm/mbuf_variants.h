/*
 * mbuf_variants.h - prefree three ways, for benchmarks
 *
 * The product's mbuf_prefree restores each field only when it differs. Others
 * were proposed and shipped: writing always (a store for each buffer, and line
 * 1 dirty in the published layout), and not at all, which leaves it to who
 * allocates. All three are inline here so that a comparison sees nothing but
 * the restoring. For direct buffers; the count is treated alike.
 */
#pragma once

#include <stddef.h>

#include "mm/mbuf.h"

/* NULL when others still hold it; else the count is 1. */
static inline struct mbuf *mbuf_drop(struct mbuf *m)
{
    if (likely(__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) == 1))
        return m;
    if (__atomic_sub_fetch(&m->refcnt, 1, __ATOMIC_ACQ_REL) != 0)
        return NULL;
    __atomic_store_n(&m->refcnt, 1, __ATOMIC_RELAXED);
    return m;
}

static inline struct mbuf *mbuf_prefree_always(struct mbuf *m)
{
    m = mbuf_drop(m);
    if (m == NULL)
        return NULL;
    m->next = NULL;
    m->nb_segs = 1;
    return m;
}

static inline struct mbuf *mbuf_prefree_differs(struct mbuf *m)
{
    m = mbuf_drop(m);
    if (m == NULL)
        return NULL;
    if (m->next != NULL)
        m->next = NULL;
    if (m->nb_segs != 1)
        m->nb_segs = 1;
    return m;
}

/* Breaks B2 and B3: who allocates must write next and nb_segs. */
static inline struct mbuf *mbuf_prefree_none(struct mbuf *m)
{
    return mbuf_drop(m);
}
