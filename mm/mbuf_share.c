/*
 * mbuf_share.c - several headers, one set of bytes
 *
 *   S1  a clone holds one reference on the root, never on another clone
 *   S2  a root is in its pool only when no clone is left
 *   S3  external memory is released once, by whoever drops the last use
 *   S4  a pinned buffer keeps its bytes; it is in its pool only when nobody
 *       else sees them, and then its share count is 1
 */
#include "mm/mbuf.h"

#include <millrace/bits.h>
#include <millrace/log.h>

#include "mm/mbuf_place.h"

/* The buffer whose bytes the clone @m shows; its header is before them. */
static struct mbuf *root_of(const struct mbuf *m)
{
    return (struct mbuf *)(void *)((char *)m->buf_addr - m->priv_size) - 1;
}

void mbuf_attach(struct mbuf *clone, struct mbuf *m)
{
    if (!mbuf_is_direct(clone) ||
        __atomic_load_n(&clone->refcnt, __ATOMIC_RELAXED) != 1)
        panic("mbuf: %p attached while it shows or shares something",
              (void *)clone);
    if ((m->ol_flags & MBUF_F_EXTERNAL) != 0) {
        __atomic_fetch_add(&m->shinfo->refcnt, 1, __ATOMIC_RELAXED);
        clone->shinfo = m->shinfo;
        clone->ol_flags = m->ol_flags;
    } else {
        mbuf_hold((m->ol_flags & MBUF_F_INDIRECT) != 0 ? root_of(m) : m);
        clone->priv_size = m->priv_size;
        clone->ol_flags = m->ol_flags | MBUF_F_INDIRECT;
    }
    mbuf_header_copy(clone, m);
    mbuf_place(clone, m->buf_addr, m->buf_len);
    clone->data_off = m->data_off;
    clone->data_len = m->data_len;
    clone->pkt_len = m->data_len;
    clone->next = NULL;
    clone->nb_segs = 1;
}

/* Back into its pool when this was the last reference (S2). */
static void root_release(struct mbuf *root)
{
    root = mbuf_prefree(root);
    if (root != NULL)
        mempool_put_bulk(root->pool, &root, 1);
}

/* One use less; was it the last? */
static bool was_last_use(struct mbuf_ext_shared *shared)
{
    return __atomic_load_n(&shared->refcnt, __ATOMIC_ACQUIRE) == 1 ||
           __atomic_sub_fetch(&shared->refcnt, 1, __ATOMIC_ACQ_REL) == 0;
}

static void external_release(struct mbuf *m)
{
    struct mbuf_ext_shared *shared = m->shinfo;

    if (was_last_use(shared))
        shared->release(m->buf_addr, shared->context); /* S3 */
}

/* ---- pinned ---- */

/* A clone was the last to see the bytes; their header let go before. */
static void pinned_home(void *memory, void *context)
{
    struct mbuf *m = context;

    (void)memory;
    __atomic_store_n(&m->shinfo->refcnt, 1, __ATOMIC_RELAXED); /* S4 */
    mempool_put_bulk(m->pool, &m, 1);
}

void mbuf_make_pinned(struct mbuf *m, struct mempool *pool,
                      unsigned private_bytes, unsigned data_room, void *memory)
{
    mbuf_make(m, pool, private_bytes, data_room);
    mbuf_place(m, memory, data_room);
    m->ol_flags = MBUF_F_EXTERNAL;
    m->shinfo =
        (struct mbuf_ext_shared *)(void *)((char *)(m + 1) + private_bytes);
    *m->shinfo = (struct mbuf_ext_shared) { .release = pinned_home,
                                            .context = m,
                                            .refcnt = 1 };
}

bool mbuf_let_go(struct mbuf *m)
{
    if (!mempool_is_pinned(m->pool)) {
        mbuf_detach(m);
        return true;
    }
    if (!was_last_use(m->shinfo))
        return false;
    __atomic_store_n(&m->shinfo->refcnt, 1, __ATOMIC_RELAXED); /* S4 */
    return true;
}

/* ---- detach, clone ---- */

void mbuf_detach(struct mbuf *m)
{
    if (mempool_is_pinned(m->pool))
        panic("mbuf: %p detached, but its bytes are pinned", (void *)m);
    if ((m->ol_flags & MBUF_F_EXTERNAL) != 0)
        external_release(m);
    else if ((m->ol_flags & MBUF_F_INDIRECT) != 0)
        root_release(root_of(m));
    else
        panic("mbuf: %p detached, but it shows its own buffer", (void *)m);
    m->priv_size = (uint16_t)mempool_private_bytes(m->pool);
    mbuf_place(m, (char *)m + sizeof(*m) + m->priv_size,
               mempool_data_room(m->pool));
    mbuf_headroom_reset(m);
    m->data_len = 0;
    m->ol_flags = 0;
}

struct mbuf *mbuf_clone(struct mbuf *m, struct mempool *pool)
{
    struct mbuf *first = NULL, **link = &first;

    for (struct mbuf *s = m; s != NULL; s = s->next) {
        struct mbuf *c = mbuf_alloc(pool);

        if (c == NULL) {
            mbuf_free(first);
            return NULL;
        }
        mbuf_attach(c, s);
        *link = c;
        link = &c->next;
    }
    first->nb_segs = m->nb_segs;
    first->pkt_len = m->pkt_len;
    return first;
}

struct mbuf_ext_shared *mbuf_ext_shared_init(void *buffer, uint16_t *bytes,
                                             void (*release)(void *memory,
                                                             void *context),
                                             void *context)
{
    const uintptr_t start = (uintptr_t)buffer;
    const uintptr_t end = align_down(start + *bytes, sizeof(void *));
    struct mbuf_ext_shared *shared;

    if (end < start || end - start <= sizeof(*shared))
        return NULL;
    shared = (struct mbuf_ext_shared *)(end - sizeof(*shared));
    *shared = (struct mbuf_ext_shared) { .release = release,
                                         .context = context,
                                         .refcnt = 1 };
    *bytes = (uint16_t)((uintptr_t)shared - start);
    return shared;
}

void mbuf_attach_external(struct mbuf *m, void *buffer, uint16_t bytes,
                          struct mbuf_ext_shared *shared)
{
    if (!mbuf_is_direct(m))
        panic("mbuf: %p attached while it shows something", (void *)m);
    mbuf_place(m, buffer, bytes);
    m->data_off = 0;
    m->data_len = 0;
    m->ol_flags |= MBUF_F_EXTERNAL;
    m->shinfo = shared;
}
