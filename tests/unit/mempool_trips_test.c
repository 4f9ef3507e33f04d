/*
 * mempool_trips_test.c - how often each policy visits the shared store
 *
 * Expected values follow from the policies: with a cache of C, P0 and P1 refill
 * C plus what is missing, P2 and the product's C / 2; P0 sends C / 2 away, P1
 * 1.5 * C, the other two C / 2. The product's trips exchange a pointer.
 */
#include "tests/unit/mempool_rig.h"

struct trips {
    uint64_t calls, objects; /* to the store */
    uint64_t moved;          /* by gets and puts */
};

static struct trips trips_of(const struct mempool *p)
{
    struct mempool_stats s;

    mempool_stats_get(p, 0, &s);
    return (struct trips) { s.store_gets + s.store_puts,
                            s.store_get_objects + s.store_put_objects,
                            s.get_objects + s.put_objects };
}

static struct trips since(const struct mempool *p, struct trips before)
{
    const struct trips now = trips_of(p);

    return (struct trips) { now.calls - before.calls,
                            now.objects - before.objects,
                            now.moved - before.moved };
}

/* 72 is a multiple of all cycles here: of 9, 4, 8 gets, of 4, 8, 12 puts. */
enum { BURST = 32, CYCLES = 72, WARM = 24 };

static struct mbuf *burst[2 * CYCLES + WARM][BURST];

/* Bursts that are only got, and then, after some to fill the cache, only put. */
static void one_way(enum mempool_policy policy, unsigned cache,
                    struct trips *gets, struct trips *puts)
{
    struct mempool *p = policy_pool_of(policy, 8192, cache);
    struct trips before = trips_of(p);
    unsigned i;

    for (i = 0; i < CYCLES; i++)
        get(p, burst[i], BURST);
    *gets = since(p, before);
    for (; i < ARRAY_SIZE(burst); i++)
        get(p, burst[i], BURST);
    for (i = 0; i < WARM; i++)
        mempool_put_bulk(p, burst[i], BURST);
    before = trips_of(p);
    for (; i < WARM + CYCLES; i++)
        mempool_put_bulk(p, burst[i], BURST);
    *puts = since(p, before);
}

/* Per million objects, so that three decimals of "per thousand" show. */
static void check_rate(const struct trips *t, unsigned per_million)
{
    CHECK_EQ(t->calls * 1000000 / t->moved, per_million);
}

TEST(mempool_trips, MP_40_trips_to_the_store_of_one_way_traffic)
{
    static const struct {
        enum mempool_policy policy;
        unsigned cache, gets, puts;
    } rows[] = {
        { MEMPOOL_P0, 256, 3472, 7812 },
        { MEMPOOL_P1, 256, 3472, 2604 },
        { MEMPOOL_P2, 256, 7812, 7812 },
        { MEMPOOL_P2, 512, 3906, 3906 },
        { MEMPOOL_GROUPS, 256, 7812, 7812 },
        { MEMPOOL_GROUPS, 512, 3906, 3906 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct trips gets, puts;

        one_way(rows[i].policy, rows[i].cache, &gets, &puts);
        check_rate(&gets, rows[i].gets);
        check_rate(&puts, rows[i].puts);
    }
}

TEST(mempool_trips, MP_22_what_a_flush_carries_and_how_often)
{
    static const struct {
        enum mempool_policy policy;
        unsigned objects, every; /* puts of 32 */
    } rows[] = {
        { MEMPOOL_P0, 128, 4 },
        { MEMPOOL_P1, 384, 12 },
        { MEMPOOL_P2, 128, 4 },
        { MEMPOOL_GROUPS, 128, 4 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        struct trips gets, puts;

        one_way(rows[i].policy, 256, &gets, &puts);
        CHECK_EQ(puts.calls, CYCLES / rows[i].every);
        CHECK_EQ(puts.objects, puts.calls * rows[i].objects);
    }
}

TEST(mempool_trips, MP_41_balanced_bursts_equal_to_the_cache)
{
    static const unsigned per_million[] = { 0, 31250, 0, 0 };

    for (enum mempool_policy policy = 0; policy < MEMPOOL_POLICIES; policy++) {
        struct mempool *p = policy_pool_of(policy, 4096, BURST);
        struct trips before, after;

        get(p, burst[0], BURST);
        mempool_put_bulk(p, burst[0], BURST);
        before = trips_of(p);
        for (unsigned i = 0; i < 100; i++) {
            get(p, burst[0], BURST);
            mempool_put_bulk(p, burst[0], BURST);
        }
        after = since(p, before);
        check_rate(&after, per_million[policy]);
    }
}
