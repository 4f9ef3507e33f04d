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

struct mbuf_ext_shared;

struct mbuf {
    /* line 0 */
    void *buf_addr;    /* start of the data room; bus address is the same */
    struct mbuf *next; /* next segment of the packet */
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
    uint64_t reserved;
    uint64_t tx_offload;
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

/*
 * One fresh packet (no data, headroom in front), or NULL when the pool is empty.
 */
must_use struct mbuf *mbuf_alloc(struct mempool *pool);

/* @n fresh packets. OK, or E_NOBUF with nothing taken. */
must_use enum status mbuf_alloc_bulk(struct mempool *pool, struct mbuf *out[],
                                     unsigned n);

/* Drop one reference to every segment of the packet; NULL is ignored. */
void mbuf_free(struct mbuf *m);

/* The same for @n packets, returned to their pools in bulk; NULLs skipped. */
void mbuf_free_bulk(struct mbuf *const pkts[], unsigned n);

/*
 * Make one segment ready for its pool: drop a reference, detach, restore
 * B1..B3. Returns the segment when it may go back, NULL when others hold it.
 * The caller puts it with mempool_put_bulk(m->pool, ...).
 */
must_use struct mbuf *mbuf_prefree(struct mbuf *m);
