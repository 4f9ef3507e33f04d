/*
 * mbuf.c - buffers out of their pool and back, with B1..B3 kept on every way
 */
#include "mm/mbuf.h"

#include <string.h>

#include "mm/mbuf_place.h"
#include "mm/mempool_impl.h"

#define FREE_RUN  64 /* buffers of one pool collected before a put */
#define PLAIN_MIN 4  /* fewer are not worth a put of their own */

void mbuf_make(struct mbuf *m, struct mempool *pool, unsigned private_bytes,
               unsigned data_room)
{
    memset(m, 0, sizeof(*m));
    mbuf_place(m, (char *)m + sizeof(*m) + private_bytes, data_room);
    m->priv_size = (uint16_t)private_bytes;
    m->pool = pool;
    m->refcnt = 1;
    m->nb_segs = 1;
    m->port = MBUF_PORT_NONE;
    mbuf_headroom_reset(m);
}

void mbuf_reset(struct mbuf *m)
{
    m->next = NULL;
    mbuf_headroom_reset(m);
    m->nb_segs = 1;
    m->port = MBUF_PORT_NONE;
    m->ol_flags &= MBUF_F_EXTERNAL;
    m->packet_type = 0;
    m->pkt_len = 0;
    m->data_len = 0;
    m->vlan_tci = 0;
    m->vlan_tci_outer = 0;
}

void mbuf_fresh_of(const struct mbuf *m, uint64_t words[2])
{
    struct mbuf fresh = *m;

    mbuf_reset(&fresh);
    memcpy(words, (const char *)&fresh + offsetof(struct mbuf, rearm), 16);
}

void mbuf_header_copy(struct mbuf *to, const struct mbuf *from)
{
    to->port = from->port;
    to->vlan_tci = from->vlan_tci;
    to->vlan_tci_outer = from->vlan_tci_outer;
    to->tx_offload = from->tx_offload;
    to->hash = from->hash;
    to->packet_type = from->packet_type;
    to->timesync = from->timesync;
    memcpy(to->dynamic, from->dynamic, sizeof(to->dynamic));
}

struct mbuf *mbuf_alloc_slow(struct mempool *pool)
{
    struct mbuf *m;

    if (unlikely(mempool_get_bulk(pool, &m, 1) != OK))
        return NULL;
    mbuf_fresh(m, mbuf_fresh_start(pool));
    return m;
}

/* The last reference is ours: back to what the pool made. */
static struct mbuf *restore(struct mbuf *m)
{
    if (m->next != NULL)
        m->next = NULL;
    if (m->nb_segs != 1)
        m->nb_segs = 1;
    if (unlikely(!mbuf_is_direct(m)) && !mbuf_let_go(m))
        return NULL; /* from here on it is another's */
    return m;
}

struct mbuf *mbuf_prefree(struct mbuf *m)
{
    /* Acquire: what other holders read before they let go stays before. */
    if (likely(__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) == 1))
        return restore(m);
    if (__atomic_sub_fetch(&m->refcnt, 1, __ATOMIC_ACQ_REL) != 0)
        return NULL;
    __atomic_store_n(&m->refcnt, 1, __ATOMIC_RELAXED);
    return restore(m);
}

void mbuf_free_slow(struct mbuf *m)
{
    if (MEMPOOL_CHECKS && mbuf_free_hit(m)) {
        mempool_check_put(m->pool, &m, 1); /* nobody else gets it yet */
        return;
    }
    while (m != NULL) {
        struct mbuf *next = m->next;

        m = mbuf_prefree(m);
        if (m != NULL) {
            mempool_own_guess()->pool = m->pool;
            mempool_put_bulk(m->pool, &m, 1);
        }
        m = next;
    }
}

/* Buffers of one pool on their way back. */
struct run {
    struct mbuf *m[FREE_RUN];
    unsigned len;
};

static void run_end(struct run *run)
{
    if (run->len != 0)
        mempool_put_bulk(run->m[0]->pool, run->m, run->len);
    run->len = 0;
}

static void run_add(struct run *run, struct mbuf *m)
{
    if (run->len == FREE_RUN || (run->len != 0 && run->m[0]->pool != m->pool))
        run_end(run);
    run->m[run->len++] = m;
}

static void run_add_packet(struct run *run, struct mbuf *m)
{
    while (m != NULL) {
        struct mbuf *next = m->next;

        m = mbuf_prefree(m);
        if (m != NULL)
            run_add(run, m);
        m = next;
    }
}

/* How many from the first on are plain, and of one pool. */
static unsigned plain_run(struct mbuf *const pkts[], unsigned n)
{
    const struct mempool *pool;
    unsigned i;

    if (pkts[0] == NULL)
        return 0;
    pool = pkts[0]->pool;
    for (i = 0; i < n; i++)
        if (pkts[i] == NULL || !mbuf_is_plain(pkts[i]) || pkts[i]->pool != pool)
            break;
    return i;
}

void mbuf_free_bulk(struct mbuf *const pkts[], unsigned n)
{
    struct run run;

    run.len = 0;
    for (unsigned i = 0; i < n;) {
        const unsigned plain = plain_run(&pkts[i], n - i);

        if (plain < PLAIN_MIN) {
            run_add_packet(&run, pkts[i++]);
            continue;
        }
        run_end(&run); /* the order stays as given */
        mempool_put_bulk(pkts[i]->pool, &pkts[i], plain);
        i += plain;
    }
    run_end(&run);
}
