/*
 * mempool_check.c - who put this back twice?
 *
 * In a checking build every buffer has a mark (free or held) outside its own
 * memory, and a guard word behind its data room. A broken promise stops the
 * machine at the call that broke it, or at the first that can see it.
 */
#include <string.h>

#include <millrace/endian.h>
#include <millrace/log.h>

#include "mm/mempool_impl.h"

#define GUARD UINT64_C(0x6472617567206f4e) /* "No guard" */

static void *guard_of(const struct mempool *p, const struct mbuf *m)
{
    return (char *)(uintptr_t)m + sizeof(*m) + p->private_bytes +
           mempool_inner_bytes(p);
}

/* Number of @m in @p; panics when @m is no buffer of it. */
static unsigned index_of(const struct mempool *p, const struct mbuf *m)
{
    const uintptr_t offset = (uintptr_t)m - (uintptr_t)p->buffers;

    if (offset >= (uint64_t)p->count * p->stride || offset % p->stride != 0)
        panic("mempool: %p is not a buffer of pool \"%s\"", (const void *)m,
              p->name);
    return (unsigned)(offset / p->stride);
}

static void check_one(const struct mempool *p, const struct mbuf *m,
                      bool is_free)
{
    const unsigned i = index_of(p, m);
    const char *reason;

    if (__atomic_exchange_n(&p->is_free[i], is_free, __ATOMIC_RELAXED) ==
        is_free)
        panic("mempool: buffer %u of pool \"%s\" %s", i, p->name,
              is_free ? "put twice" : "handed out twice");
    if (get_le64(guard_of(p, m)) != GUARD)
        panic("mempool: buffer %u of pool \"%s\" was written past its end", i,
              p->name);
    if (!mbuf_raw_check(m, p, &reason))
        panic("mempool: buffer %u of pool \"%s\" %s with %s", i, p->name,
              is_free ? "put" : "written after it was put, now", reason);
}

void mempool_check_get(const struct mempool *p, struct mbuf *const out[],
                       unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        check_one(p, out[i], false);
}

void mempool_check_put(const struct mempool *p, struct mbuf *const in[],
                       unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        check_one(p, in[i], true);
}

void mempool_check_init(struct mempool *p)
{
    memset(p->is_free, true, p->count);
    for (unsigned i = 0; i < p->count; i++)
        put_le64(guard_of(p, mempool_buffer(p, i)), GUARD);
}
