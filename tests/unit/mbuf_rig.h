/*
 * mbuf_rig.h - pools without caches, so that counts are exact, for mbuf_*_test.c
 */
#pragma once

#include "mm/mbuf.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define RIG_ARENA ((size_t)64 << 20)

static inline void memory_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(RIG_ARENA), RIG_ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

static inline struct mempool *pool_of(const char *name, unsigned count,
                                      unsigned data_room)
{
    const struct mempool_config config = { .name = name,
                                           .count = count,
                                           .data_room = data_room };

    return mempool_create(&config);
}

/* 1023 buffers of the usual size, in fresh memory. */
static inline struct mempool *open_pool(void)
{
    memory_open();
    return pool_of("a", 1023, MBUF_DATA_ROOM);
}

static inline void check_fresh(const struct mbuf *m)
{
    const char *reason;

    CHECK_EQ(m->data_off, 128);
    CHECK_EQ(m->data_len, 0);
    CHECK_EQ(m->pkt_len, 0);
    CHECK_EQ(mbuf_headroom(m), 128);
    CHECK_EQ(mbuf_tailroom(m), 2048);
    CHECK_EQ(m->port, 0xFFFF);
    CHECK_EQ(m->refcnt, 1);
    CHECK_EQ(m->nb_segs, 1);
    CHECK(m->next == NULL);
    CHECK_EQ(m->ol_flags, 0);
    CHECK(mbuf_check(m, &reason));
}

static inline void check_good(const struct mbuf *m)
{
    const char *reason = "";

    if (!mbuf_check(m, &reason))
        CHECK_STR(reason, "");
}
