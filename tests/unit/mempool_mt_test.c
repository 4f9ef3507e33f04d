/*
 * mempool_mt_test.c - several cores on one pool at the same time
 */
#include <pthread.h>
#include <stdlib.h>

#include "mm/mempool_impl.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

enum { CORES = 4, BUFFERS = 1500, HELD_MAX = 300, ROUNDS = 12000 };

#define ARENA ((size_t)48 << 20)

struct core {
    pthread_t thread;
    unsigned lcore;
    struct mempool *pool;
    uint8_t *owner; /* one byte per buffer of the pool; written unlocked */
    struct mbuf *held[HELD_MAX];
    unsigned len;
    unsigned twice; /* buffers we got although somebody had them */
    unsigned shortages;
};

static unsigned number(const struct mempool *p, const struct mbuf *m)
{
    return (unsigned)(((const char *)m - p->buffers) / p->stride);
}

/* xorshift: rand() takes a lock, and would order the threads. */
static unsigned next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void take(struct core *c, unsigned n)
{
    struct mbuf **got = c->held + c->len;

    if (mempool_get_bulk(c->pool, got, n) != OK) {
        c->shortages++;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t *owner = &c->owner[number(c->pool, got[i])];

        /* Plain accesses: a missing order is a race for TSan to find. */
        c->twice += *owner != 0;
        *owner = (uint8_t)(c->lcore + 1);
        got[i]->data_len = (uint16_t)c->lcore;
    }
    c->len += n;
}

static void give(struct core *c, unsigned n)
{
    c->len -= n;
    for (unsigned i = 0; i < n; i++) {
        struct mbuf *m = c->held[c->len + i];

        c->twice += m->data_len != c->lcore;
        c->owner[number(c->pool, m)] = 0;
    }
    mempool_put_bulk(c->pool, c->held + c->len, n);
}

static void *run(void *arg)
{
    struct core *c = arg;
    uint32_t random = c->lcore * 2654435761u + 1;

    host_lcore = c->lcore;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned n = next_random(&random) % 64 + 1;

        if (next_random(&random) % 2 == 0 && c->len + n <= HELD_MAX)
            take(c, n);
        else if (n <= c->len)
            give(c, n);
    }
    give(c, c->len);
    return NULL;
}

static void hammer_pool(const struct mempool_config *config)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const unsigned buffers = config->count;
    static struct core cores[CORES];
    struct mempool *p;
    uint8_t *owner;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    p = mempool_create(config);
    CHECK(p != NULL);
    owner = calloc(buffers, 1);
    for (unsigned i = 0; i < CORES; i++) {
        cores[i] = (struct core) { .lcore = i, .pool = p, .owner = owner };
        CHECK_EQ(pthread_create(&cores[i].thread, NULL, run, &cores[i]), 0);
    }
    /* control reads levels and counters while they run */
    for (unsigned i = 0; i < 1000; i++) {
        struct mempool_stats s;

        mempool_stats_get(p, i % CORES, &s);
        CHECK(mempool_available(p) <= buffers);
    }
    for (unsigned i = 0; i < CORES; i++) {
        pthread_join(cores[i].thread, NULL);
        CHECK_EQ(cores[i].twice, 0);
    }
    CHECK_EQ(mempool_available(p), buffers);
    for (unsigned i = 0; i < buffers; i++)
        CHECK_EQ(owner[i], 0);
    free(owner);
    CHECK_EQ(mempool_destroy(p), OK);
}

/* @lcores < CORES leaves the last ones without a cache. */
static void hammer(unsigned cache, unsigned lcores, unsigned buffers)
{
    const struct mempool_config config = { .name = "mt",
                                           .count = buffers,
                                           .cache = cache,
                                           .data_room = 64,
                                           .lcores = lcores };

    hammer_pool(&config);
}

TEST(mempool_mt, MP_35_no_buffer_has_two_owners_and_none_is_lost)
{
    hammer(64, CORES, BUFFERS);
}

TEST(mempool_mt, MP_35_small_odd_caches)
{
    hammer(7, CORES, BUFFERS);
}

/* Too few for all, so that gets fail all the time. */
TEST(mempool_mt, MP_35_under_shortage)
{
    hammer(32, CORES, 400);
}

TEST(mempool_mt, MP_35_some_cores_without_a_cache)
{
    hammer(32, 2, BUFFERS);
}

TEST(mempool_mt, MP_35_no_caches_at_all)
{
    hammer(0, 0, BUFFERS);
}

/* One core without a cache, and too few buffers, as often as not. */
static void hammer_policy(enum mempool_policy policy)
{
    const struct mempool_config config = { .name = "mt",
                                           .count = 600,
                                           .cache = 32,
                                           .data_room = 64,
                                           .lcores = CORES - 1,
                                           .policy = policy };

    hammer_pool(&config);
}

TEST(mempool_mt, MP_35_policies_of_other_years)
{
    hammer_policy(MEMPOOL_P0);
    hammer_policy(MEMPOOL_P1);
    hammer_policy(MEMPOOL_P2);
}

/* ---- stealing ---- */

/* Shortage all the time, so that everybody empties everybody's cache. */
TEST(mempool_mt, MP_30_MP_35_stealing_from_cores_that_run)
{
    struct mempool_config config = { .name = "mt",
                                     .count = 400,
                                     .cache = 64,
                                     .data_room = 64,
                                     .lcores = CORES,
                                     .steal = true };

    hammer_pool(&config);
    config.lcores = 2;
    config.cache = 5;
    hammer_pool(&config);
}

/* ---- no false shortage ---- */

/*
 * Each core holds at most 64; what caches may keep is covered too. Whatever
 * the others do at the moment, a get finds its 64.
 */
static void *never_dry(void *arg)
{
    struct core *c = arg;
    uint32_t random = c->lcore + 99;

    host_lcore = c->lcore;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned n = next_random(&random) % 64 + 1;

        take(c, n);
        give(c, c->len);
    }
    return NULL;
}

TEST(mempool_mt, MP_39_pool_of_the_needed_size_never_refuses)
{
    const struct mempool_need need = { .lcores = CORES,
                                       .cache = 32,
                                       .burst = 64 };
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct mempool_config config = {
        .name = "mt",
        .count = (unsigned)mempool_count_needed(&need),
        .cache = 32,
        .lcores = CORES,
    };
    static struct core cores[CORES];
    struct mempool *p;
    uint8_t *owner;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    p = mempool_create(&config);
    owner = calloc(config.count, 1);
    for (unsigned i = 0; i < CORES; i++) {
        cores[i] = (struct core) { .lcore = i, .pool = p, .owner = owner };
        CHECK_EQ(pthread_create(&cores[i].thread, NULL, never_dry, &cores[i]),
                 0);
    }
    for (unsigned i = 0; i < CORES; i++) {
        pthread_join(cores[i].thread, NULL);
        CHECK_EQ(cores[i].shortages, 0);
        CHECK_EQ(cores[i].twice, 0);
    }
    free(owner);
    CHECK_EQ(mempool_destroy(p), OK);
}
