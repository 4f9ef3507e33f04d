/*
 * mbuf_mt_test.c - references that several cores drop at the same time
 */
#include <pthread.h>
#include <sched.h>

#include "mm/frame.h"
#include "mm/mbuf.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

enum { ROUNDS = 20000, MEETINGS = 5000 };

#define ARENA ((size_t)32 << 20)

static struct mempool *roots, *clones;

/* The bytes of the roots are outside when @pinned. */
static void open_pools_with(bool pinned)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    struct mempool_config config = { .name = "roots",
                                     .count = 256,
                                     .cache = 32,
                                     .data_room = MBUF_DATA_ROOM,
                                     .lcores = 2 };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    if (pinned) {
        config.external_bytes = (uint64_t)config.count * config.data_room;
        config.external = frame_alloc(config.external_bytes, 0, "outside");
    }
    roots = mempool_create(&config);
    config = (struct mempool_config) {
        .name = "clones", .count = 256, .cache = 32, .lcores = 2
    };
    clones = mempool_create(&config);
    CHECK(roots != NULL && clones != NULL);
}

static void open_pools(void)
{
    open_pools_with(false);
}

/* One pointer on its way between two threads; NULL = empty. */
static struct mbuf *mailbox;

static void mail(struct mbuf *m)
{
    struct mbuf *empty = NULL;

    while (!__atomic_compare_exchange_n(&mailbox, &empty, m, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
        empty = NULL;
        sched_yield();
    }
}

static struct mbuf *fetch_mail(void)
{
    struct mbuf *m;

    while ((m = __atomic_exchange_n(&mailbox, NULL, __ATOMIC_ACQUIRE)) == NULL)
        sched_yield();
    return m;
}

static void *free_clones(void *arg)
{
    (void)arg;
    host_lcore = 1;
    for (unsigned i = 0; i < ROUNDS; i++)
        mbuf_free(fetch_mail());
    return NULL;
}

static void check_all_restored(struct mempool *p)
{
    struct mbuf *m[256];
    const char *reason;

    CHECK_EQ(mempool_available(p), 256);
    mempool_cache_flush(p, 0);
    mempool_cache_flush(p, 1);
    CHECK_EQ(mempool_get_bulk(p, m, 256), OK);
    for (unsigned i = 0; i < 256; i++)
        CHECK(mbuf_raw_check(m[i], p, &reason));
}

static void one_clones_one_frees(void)
{
    pthread_t thread;

    CHECK_EQ(pthread_create(&thread, NULL, free_clones, NULL), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct mbuf *m, *c;

        while ((m = mbuf_alloc(roots)) == NULL)
            sched_yield();
        while ((c = mbuf_clone(m, clones)) == NULL)
            sched_yield();
        mail(c);
        mbuf_free(m); /* whoever is last brings the root home */
    }
    pthread_join(thread, NULL);
    check_all_restored(roots);
    check_all_restored(clones);
}

TEST(mbuf_mt, MB_27_one_clones_and_frees_one_frees)
{
    open_pools();
    one_clones_one_frees();
}

TEST(mbuf_mt, MB_19_MB_27_with_pinned_bytes)
{
    open_pools_with(true);
    one_clones_one_frees();
}

/* ---- both let go in the same moment ---- */

static struct mbuf *shared;
static unsigned arrived;

/* Both threads leave within a few cycles of each other. */
static void meet(unsigned round)
{
    unsigned spins = 0;

    __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < 2 * round) {
        if (++spins % 1000 == 0)
            sched_yield(); /* the other one has no processor */
        __builtin_ia32_pause();
    }
}

static void *free_at_once(void *arg)
{
    (void)arg;
    host_lcore = 1;
    for (unsigned i = 0; i < MEETINGS; i++) {
        meet(2 * i + 1);
        mbuf_free(shared);
        meet(2 * i + 2);
    }
    return NULL;
}

/* Sometimes both see 2 and one brings it to 0: that one must set it to 1. */
TEST(mbuf_mt, MB_27_both_drop_the_last_two_references_at_once)
{
    pthread_t thread;

    open_pools();
    arrived = 0;
    CHECK_EQ(pthread_create(&thread, NULL, free_at_once, NULL), 0);
    for (unsigned i = 0; i < MEETINGS; i++) {
        shared = mbuf_alloc(roots);
        CHECK(shared != NULL);
        mbuf_hold(shared);
        meet(2 * i + 1);
        mbuf_free(shared);
        meet(2 * i + 2);
    }
    pthread_join(thread, NULL);
    check_all_restored(roots);
}

static uint64_t bytes_seen;

/* Reads the data, then drops its reference: 2 to 1, or 1 to none. */
static void *read_then_drop(void *arg)
{
    (void)arg;
    host_lcore = 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct mbuf *m = fetch_mail();

        bytes_seen += *(uint64_t *)mbuf_data(m);
        mbuf_free(m);
    }
    return NULL;
}

/*
 * The other side frees, takes the same buffer again and rewrites it with plain
 * stores. Were the read of "count is 1" no acquire, TSan would see them race
 * with the reader's load.
 */
TEST(mbuf_mt, MB_36_last_reference_is_handed_over_in_order)
{
    uint64_t sum = 0;
    pthread_t thread;

    open_pools();
    bytes_seen = 0;
    CHECK_EQ(pthread_create(&thread, NULL, read_then_drop, NULL), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct mbuf *m;

        while ((m = mbuf_alloc(roots)) == NULL)
            sched_yield();
        *(uint64_t *)mbuf_append(m, 8) = i;
        sum += i;
        mbuf_hold(m);
        mail(m);
        /* In every other round the reader lets go first. Relaxed: orders none. */
        while (i % 2 == 0 && __atomic_load_n(&m->refcnt, __ATOMIC_RELAXED) != 1)
            sched_yield();
        mbuf_free(m);
    }
    pthread_join(thread, NULL);
    CHECK_EQ(bytes_seen, sum);
    check_all_restored(roots);
}
