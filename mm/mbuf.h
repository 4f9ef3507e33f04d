/*
 * mbuf.h - one packet buffer: two lines of header, then the bytes
 *
 * Line 0 is all that receive, forward and reclaim touch. In the pool, and so
 * right after allocation, a buffer has
 *
 *   B1  refcnt 1
 *   B2  next NULL
 *   B3  nb_segs 1
 *   B4  buf_addr, buf_len, pool, priv_size as the pool made them
 *
 * Every way back into the pool restores them, so allocation writes nothing.
 *
 * A buffer of a pinned pool has all four too; its bytes are outside, see
 * mempool_config.external.
 *
 * -DMBUF_LAYOUT_PUBLISHED gives the layout that DPDK publishes, with the bus
 * address at 8 and next in line 1, to measure what the difference is worth.
 *
 * A packet is its first segment, followed through next. Lengths: data_len is
 * one segment's; pkt_len and nb_segs are the packet's and valid in the first.
 * Unless said otherwise a call may run on any core that owns the packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>
#include "mm/mempool.h"

#define MBUF_HEADROOM     128
#define MBUF_DATA_ROOM    (MBUF_HEADROOM + 2048) /* the usual buffer */
#define MBUF_PORT_NONE    0xFFFF
#define MBUF_SEGMENTS_MAX 65535

/* ol_flags */
#define MBUF_F_INDIRECT (UINT64_C(1) << 62) /* a clone: data of another mbuf */
#define MBUF_F_EXTERNAL (UINT64_C(1) << 61) /* data outside any mbuf */

/* Who else uses memory outside any mbuf, and who to tell when none does. */
struct mbuf_ext_shared {
    void (*release)(void *memory, void *context);
    void *context;
    uint16_t refcnt;
};

struct mbuf {
    /* line 0 */
    void *buf_addr; /* start of the data room; bus address is the same */
#ifdef MBUF_LAYOUT_PUBLISHED
    uint64_t buf_bus; /* what a device must use for buf_addr */
#else
    struct mbuf *next; /* next segment of the packet */
#endif
    union {
        uint64_t rearm; /* the next four in one store */
        struct {
            uint16_t data_off; /* first byte of data, from buf_addr */
            uint16_t refcnt;
            uint16_t nb_segs; /* valid in the first segment */
            uint16_t port;    /* where it came in */
        };
    };
    uint64_t ol_flags;
    uint32_t packet_type;
    uint32_t pkt_len;  /* all segments; valid in the first segment */
    uint16_t data_len; /* this segment */
    uint16_t vlan_tci;
    struct {
        uint32_t rss; /* or the filter's id, low part */
        uint32_t high;
    } hash;
    uint16_t vlan_tci_outer;
    uint16_t buf_len; /* bytes in the data room, headroom included */
    struct mempool *pool;

    /* line 1 */
#ifdef MBUF_LAYOUT_PUBLISHED
    struct mbuf *next;
#else
    uint64_t reserved;
#endif
    uint64_t tx_offload; /* means nothing unless a flag in ol_flags says so */
    struct mbuf_ext_shared *shinfo;
    uint16_t priv_size;
    uint16_t timesync;
    uint8_t dynamic[36];
} cache_aligned;

_Static_assert(sizeof(struct mbuf) == 2 * CACHE_LINE, "a header of two lines");
_Static_assert(offsetof(struct mbuf, rearm) == 16, "one aligned 16-byte store");
_Static_assert(offsetof(struct mbuf, packet_type) == 32,
               "receive writes 32..55");
_Static_assert(offsetof(struct mbuf, pool) == 56, "reclaim needs line 0 only");
_Static_assert(offsetof(struct mbuf, tx_offload) == 72, "line 1 starts at 64");
_Static_assert(offsetof(struct mbuf, dynamic) == 92, "36 bytes at the end");
_Static_assert(sizeof(struct mbuf_ext_shared) == 24, "fits behind a buffer");

/* Words of a header, for one store. */
typedef uint64_t mbuf_two_words __attribute__((vector_size(16), may_alias));
#ifdef __AVX2__
typedef uint64_t mbuf_four_words
    __attribute__((vector_size(32), aligned(16), may_alias));
#endif

_Static_assert(offsetof(struct mbuf, ol_flags) == 24 &&
                   offsetof(struct mbuf, packet_type) == 32 &&
                   offsetof(struct mbuf, hash.high) == 48,
               "mbuf_fresh writes 16..47 as words");

/* Bits 16..47 of a rearm word: refcnt 1, nb_segs 1. */
#define MBUF_ONE_OF_EACH 0x00010001u

/* First byte of this segment's data. */
static inline void *mbuf_data(const struct mbuf *m)
{
    return (char *)m->buf_addr + m->data_off;
}

/* Rearm word of a fresh single-segment packet received on @port. */
static inline uint64_t mbuf_rearm_word(uint16_t port)
{
    return (uint64_t)port << 48 | UINT64_C(1) << 32 | UINT64_C(1) << 16 |
           MBUF_HEADROOM;
}

/* ---- alloc, free: mbuf.c ---- */

/* Neither a clone nor outside. */
static inline bool mbuf_is_direct(const struct mbuf *m)
{
    /* The last byte: a constant of 8 takes an instruction of its own. */
    const uint8_t flags = ((const uint8_t *)&m->ol_flags)[7];

    return (flags & (MBUF_F_INDIRECT | MBUF_F_EXTERNAL) >> 56) == 0;
}

/* What all fresh packets of a pool begin with. */
static always_inline mbuf_two_words mbuf_fresh_start(const struct mempool *pool)
{
    const struct mempool_front *front = (const struct mempool_front *)pool;

    return *(const mbuf_two_words *)front->fresh;
}

/*
 * A segment just taken from its pool becomes a packet without data: two or three
 * stores to line 0, of which nothing is read. Half of the hash becomes 0 on the
 * way.
 */
static always_inline void mbuf_fresh(struct mbuf *m, mbuf_two_words start)
{
    const mbuf_two_words zero = { 0 };

#ifdef __AVX2__
    *(mbuf_four_words *)(void *)&m->rearm =
        __builtin_shufflevector(start, zero, 0, 1, 2, 3);
#else
    mbuf_two_words *to = (mbuf_two_words *)(void *)&m->rearm;

    to[0] = start;
    to[1] = zero;
#endif
    m->vlan_tci_outer = 0;
}

/* For mbuf_alloc: no hit, or to be checked. */
must_use struct mbuf *mbuf_alloc_slow(struct mempool *pool);

/*
 * One fresh packet: no data, headroom in front. NULL when the pool is empty.
 */
must_use static inline struct mbuf *mbuf_alloc(struct mempool *pool)
{
    struct mbuf *m;

    if (MEMPOOL_CHECKS || unlikely(!mempool_get_hit(pool, &m, 1)))
        return mbuf_alloc_slow(pool);
    mbuf_fresh(m, mbuf_fresh_start(pool));
    return m;
}

/* @n fresh packets. OK, or E_NOBUF with nothing taken. */
must_use static inline enum status mbuf_alloc_bulk(struct mempool *pool,
                                                   struct mbuf *out[],
                                                   unsigned n)
{
    const enum status status = mempool_get_bulk(pool, out, n);
    mbuf_two_words start;

    if (unlikely(status != OK))
        return status;
    start = mbuf_fresh_start(pool);
    for (unsigned i = 0; i < n; i++)
        mbuf_fresh(out[i], start);
    return OK;
}

/*
 * One segment, ready for its pool as it is: nothing to drop, detach or restore.
 * The read of "count is 1" is an acquire, see mbuf_prefree.
 */
static always_inline bool mbuf_is_plain(const struct mbuf *m)
{
#ifdef __SANITIZE_THREAD__ /* knows an order by the address that it is about */
    if (__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) != 1 || m->nb_segs != 1)
        return false;
#else
    const uint64_t rearm = __atomic_load_n(&m->rearm, __ATOMIC_ACQUIRE);

    if (unlikely((uint32_t)(rearm >> 16) != MBUF_ONE_OF_EACH))
        return false;
#endif
    return likely(m->next == NULL) && likely(mbuf_is_direct(m));
}

/* For mbuf_free: all of it, if it costs no more than the put of a hit. */
static always_inline bool mbuf_free_hit(struct mbuf *m)
{
    struct mempool *guess = mempool_guess();
    struct mempool_cache *cache = mempool_hit_cache(guess, mempool_away());

    return likely(m != NULL) && mbuf_is_plain(m) && likely(m->pool == guess) &&
           likely(cache_put_hit(cache, &m, 1));
}

/* For mbuf_free: no hit, or to be checked. */
void mbuf_free_slow(struct mbuf *m);

/* Drop one reference to every segment of the packet; NULL is ignored. */
static inline void mbuf_free(struct mbuf *m)
{
    if (MEMPOOL_CHECKS || unlikely(!mbuf_free_hit(m)))
        mbuf_free_slow(m);
}

/* The same for @n packets, returned to their pools in bulk; NULLs skipped. */
void mbuf_free_bulk(struct mbuf *const pkts[], unsigned n);

/*
 * Make one segment ready for its pool: drop a reference, detach, restore
 * B1..B3. Returns the segment when it may go back, NULL when others hold it.
 * The caller puts it with mempool_put_bulk(m->pool, ...).
 *
 * Order    whoever gets the segment sees all that earlier holders did; they
 *          see nothing of what is done to it afterwards
 * Cost     no atomic operation, and no write at all, for a single plain buffer
 */
must_use struct mbuf *mbuf_prefree(struct mbuf *m);

/*
 * A raw buffer, or any packet owned alone, becomes a fresh one: no data, one
 * segment, no port, no flags but MBUF_F_EXTERNAL. Line 1 is not touched.
 */
void mbuf_reset(struct mbuf *m);

/* What describes a packet but not its bytes: port, vlans, hash, type, ... */
void mbuf_header_copy(struct mbuf *to, const struct mbuf *from);

/* One more holder of this segment; it needs one more mbuf_free. */
static inline void mbuf_hold(struct mbuf *m)
{
    __atomic_fetch_add(&m->refcnt, 1, __ATOMIC_RELAXED);
}

/*
 * Is the caller the only holder of this segment? Acquire: what earlier holders
 * did to its bytes stays before whatever the caller does now.
 */
static inline bool mbuf_is_held_alone(const struct mbuf *m)
{
    return __atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) == 1;
}

/* For pools: lay out a header in raw memory with B1..B4. */
void mbuf_make(struct mbuf *m, struct mempool *pool, unsigned private_bytes,
               unsigned data_room);

/*
 * The same for a pinned pool: the bytes are at @memory, and their share count
 * is behind the private part.
 */
void mbuf_make_pinned(struct mbuf *m, struct mempool *pool,
                      unsigned private_bytes, unsigned data_room, void *memory);

/* Bytes 16..31 of a fresh packet in the buffer @m of a new pool. */
void mbuf_fresh_of(const struct mbuf *m, uint64_t words[2]);

/* ---- bytes at the ends ---- */

static inline unsigned mbuf_headroom(const struct mbuf *m)
{
    return m->data_off;
}

/* Behind the data of this segment. */
static inline unsigned mbuf_tailroom(const struct mbuf *m)
{
    return (unsigned)m->buf_len - m->data_off - m->data_len;
}

/* Data starts after the usual headroom, or at the end of a small buffer. */
static inline void mbuf_headroom_reset(struct mbuf *m)
{
    m->data_off = m->buf_len < MBUF_HEADROOM ? m->buf_len : MBUF_HEADROOM;
}

static inline struct mbuf *mbuf_last(struct mbuf *m)
{
    while (m->next != NULL)
        m = m->next;
    return m;
}

/*
 * @len more bytes at the end. Returns where they start, or NULL when the last
 * segment has no room, with nothing changed.
 */
must_use static inline void *mbuf_append(struct mbuf *m, unsigned len)
{
    struct mbuf *last = mbuf_last(m);
    char *tail = (char *)mbuf_data(last) + last->data_len;

    if (unlikely(len > mbuf_tailroom(last)))
        return NULL;
    last->data_len = (uint16_t)(last->data_len + len);
    m->pkt_len += len;
    return tail;
}

/* @len more bytes in front. Returns the new start, or NULL without room. */
must_use static inline void *mbuf_prepend(struct mbuf *m, unsigned len)
{
    if (unlikely(len > mbuf_headroom(m)))
        return NULL;
    m->data_off = (uint16_t)(m->data_off - len);
    m->data_len = (uint16_t)(m->data_len + len);
    m->pkt_len += len;
    return mbuf_data(m);
}

/*
 * @len bytes less in front. Returns the new start, or NULL when the first
 * segment has fewer.
 */
must_use static inline void *mbuf_adj(struct mbuf *m, unsigned len)
{
    if (unlikely(len > m->data_len))
        return NULL;
    m->data_off = (uint16_t)(m->data_off + len);
    m->data_len = (uint16_t)(m->data_len - len);
    m->pkt_len -= len;
    return mbuf_data(m);
}

/* @len bytes less at the end; false when the last segment has fewer. */
must_use static inline bool mbuf_trim(struct mbuf *m, unsigned len)
{
    struct mbuf *last = mbuf_last(m);

    if (unlikely(len > last->data_len))
        return false;
    last->data_len = (uint16_t)(last->data_len - len);
    m->pkt_len -= len;
    return true;
}

/* ---- many segments: mbuf_chain.c ---- */

/*
 * @tail's segments behind @head's; @tail is no packet of its own any more.
 * E_OVERFLOW beyond MBUF_SEGMENTS_MAX, with both unchanged.
 */
must_use enum status mbuf_chain(struct mbuf *head, struct mbuf *tail);

/*
 * @len bytes at @offset of the packet: a pointer into it when they lie in one
 * segment, else a copy in @buffer (room for @len).
 *
 * Returns  NULL when the packet is shorter
 */
must_use const void *mbuf_read(const struct mbuf *m, uint32_t offset,
                               uint32_t len, void *buffer);

/*
 * All bytes into the first segment; false, with nothing changed, when its tail
 * has no room for them or others share its bytes.
 */
must_use bool mbuf_linearize(struct mbuf *m);

/*
 * A new packet from @pool with up to @len bytes from @offset on, and the
 * header's port, vlans, hash, type, tx offload and dynamic area.
 *
 * Returns  NULL when @offset is behind the end, or buffers are short
 */
must_use struct mbuf *mbuf_copy(const struct mbuf *m, struct mempool *pool,
                                uint32_t offset, uint32_t len);

/* ---- shared bytes: mbuf_share.c ---- */

/*
 * A packet from @pool that shows the same bytes; they stay until both are
 * freed. Neither may write them while both exist.
 *
 * Returns  NULL when @pool is short
 */
must_use struct mbuf *mbuf_clone(struct mbuf *m, struct mempool *pool);

/*
 * @clone, fresh from its pool, shows the bytes of the segment @m. A clone of a
 * clone holds the root.
 */
void mbuf_attach(struct mbuf *clone, struct mbuf *m);

/*
 * @m shows its own buffer again, without data; what it showed is released, at
 * the last holder for good. Only for segments that are not direct, nor pinned.
 */
void mbuf_detach(struct mbuf *m);

/*
 * For prefree: detach @m, or keep its bytes when they are pinned. False when
 * others still see pinned bytes: the last of them puts @m into its pool.
 */
must_use bool mbuf_let_go(struct mbuf *m);

/*
 * Place the share count of @buffer at its end.
 *
 * @bytes   of the buffer; on return what is left for data
 * Returns  NULL when the buffer cannot even hold the count
 */
must_use struct mbuf_ext_shared *mbuf_ext_shared_init(
    void *buffer, uint16_t *bytes, void (*release)(void *memory, void *context),
    void *context);

/*
 * @m, fresh from its pool, uses @bytes at @buffer. @shared counts this use
 * already; release(buffer, context) is called when the last use ends.
 */
void mbuf_attach_external(struct mbuf *m, void *buffer, uint16_t bytes,
                          struct mbuf_ext_shared *shared);

/* ---- checks: mbuf_check.c ---- */

/* A packet in somebody's hands. False with what is wrong in @reason. */
must_use bool mbuf_check(const struct mbuf *m, const char **reason);

/* One segment that is to enter, or has just left, @pool (B1..B4). */
must_use bool mbuf_raw_check(const struct mbuf *m, const struct mempool *pool,
                             const char **reason);

/* Panics with the reason when mbuf_check fails. */
void mbuf_assert(const struct mbuf *m);
