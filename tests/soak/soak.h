/*
 * soak.h - random operations on pools, buffers, rings and transmit queues, by
 * several cores, with every object accounted for
 *
 * Each core picks one operation after the other from its own generator. At a
 * checkpoint all of them stand still, and each object must be where the cores'
 * own books say.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

#include "mm/mbuf.h"
#include "mm/mempool.h"

#define CORES_MAX  8
#define HELD_MAX   512
#define BAG_MAX    400
#define RAW_POOLS  8
#define EXT_SLOTS  64
#define EXT_BYTES  256
#define SHARED     4 /* rings that every core uses on both sides */
#define RINGS_MAX  (SHARED + 2 * CORES_MAX)
#define ROOM       256 /* of a buffer; half of it headroom */
#define TAIL_SLOTS 1024

/* What a core does an operation on. */
enum part { PART_POOL, PART_MBUF, PART_TX, PART_RING, PARTS };

/* Memory outside any mbuf; the release call frees the slot. */
struct outside {
    uint8_t bytes[EXT_BYTES] cache_aligned;
    uint32_t is_used;
};

struct core {
    unsigned id;
    uint64_t random;
    uint64_t operations[PARTS];
    uint64_t objects[PARTS];
    uint64_t sequence; /* of the tags it wrote */

    /* plain buffers, of each pool in pools.c */
    struct mbuf *bag[RAW_POOLS][BAG_MAX];
    unsigned bagged[RAW_POOLS];

    /* packets that it owns; one that it holds twice is in it twice */
    struct mbuf *held[HELD_MAX];
    unsigned holds;
    struct outside outside[EXT_SLOTS];

    /* the next number in each ring, and the next that is due from each core */
    uint64_t next_in[RINGS_MAX];
    uint64_t next_out[RINGS_MAX][CORES_MAX];
} cache_aligned;

extern struct core cores[CORES_MAX];
extern unsigned core_total;
extern bool in_turns; /* one thread: what a core sees is exact */

/* Say what is wrong, and how to see it again; ends the program. */
noreturn void soak_fail(const char *fmt, ...) printf_like(1, 2);

static inline uint64_t next_random(struct core *c)
{
    /* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift
     * generators, scrambled", 2016 */
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return c->random * UINT64_C(0x2545F4914F6CDD1D);
}

/* 0 .. n - 1 */
static inline unsigned below(struct core *c, unsigned n)
{
    return (unsigned)((next_random(c) >> 32) * n >> 32);
}

/* Often 1, often a burst, sometimes many: 1 .. @most. */
static inline unsigned some(struct core *c, unsigned most)
{
    const unsigned kind = below(c, 4);

    if (kind == 0)
        return 1;
    return 1 + below(c, kind == 3 || most < 32 ? most : 32);
}

/*
 * Of each part: open, one operation of a core (objects that it moved), and what
 * a checkpoint asks while all cores stand still.
 */
void pools_open(void);
unsigned pools_operate(struct core *c);
void pools_check(void);
void pools_close(void); /* all back, all there */

void packets_open(void);
unsigned packets_operate(struct core *c);
void packets_check(void);
void packets_close(void);

void rings_open(void);
unsigned rings_operate(struct core *c);
void rings_each(void (*visit)(struct mbuf *m)); /* what is inside */
void rings_check(struct core *chooser);
void rings_close(void);

void wires_open(void);
unsigned wires_operate(struct core *c);
void wires_check(struct core *chooser); /* nothing in flight afterwards */
void wires_close(void);

/* ---- packets, for rings and wires ---- */

/* Marks in a packet's dynamic area. */
enum {
    MARK_FIXED, /* two own the header: nobody may write it */
    MARK_DENSE, /* only the first segment starts with a tag */
    MARK_RING,  /* where it was put in, by whom, and its number */
    MARK_CORE,
    MARK_NUMBER,
    MARKS_END = MARK_NUMBER + 8
};

static inline bool is_fixed(const struct mbuf *m)
{
    return m->dynamic[MARK_FIXED] != 0;
}

/* A fresh plain packet, for a queue that was promised such; or NULL. */
struct mbuf *packet_plain(struct core *c);

/* Take a packet at random out of what @c holds, which is not empty. */
struct mbuf *packet_take(struct core *c);
void packet_keep(struct core *c, struct mbuf *m);

/* Fails when a tag was overwritten, or mbuf_check() finds a fault. */
void packet_verify(const struct mbuf *m);
