/*
 * mbuf_order_test.c - several cores drop references, in every possible order
 *
 * The code under test is the product's, with a pause before each of its atomic
 * operations. Between pauses one core runs alone, so all that differs from run
 * to run is the order of those operations, and a search tries each. It assumes
 * that they are seen in one order; what a missing acquire would do is for
 * mbuf_mt_test.c and TSan.
 */
#include <stdlib.h>
#include <ucontext.h>

#include "mm/frame.h"

static void pause_here(void);

#define __atomic_load_n(p, order) (pause_here(), __atomic_load_n(p, order))
#define __atomic_store_n(p, v, order)                                          \
    (pause_here(), __atomic_store_n(p, v, order))
#define __atomic_sub_fetch(p, v, order)                                        \
    (pause_here(), __atomic_sub_fetch(p, v, order))
#define __atomic_fetch_add(p, v, order)                                        \
    (pause_here(), __atomic_fetch_add(p, v, order))

#include "tests/unit/mbuf_rig.h"

#include "mm/mbuf.c"
#include "mm/mbuf_share.c"

#undef __atomic_load_n
#undef __atomic_store_n
#undef __atomic_sub_fetch
#undef __atomic_fetch_add

/* ---- cores that take turns ---- */

enum { CORES_MAX = 3, STEPS_MAX = 64, STACK_BYTES = 256 << 10 };

struct core {
    ucontext_t context;
    char *stack;
    void (*body)(unsigned core);
    bool is_done;
};

static struct core cores[CORES_MAX];
static unsigned core_count;
static struct core *running; /* NULL: not in a search */
static ucontext_t search;

static void pause_here(void)
{
    if (running != NULL)
        swapcontext(&running->context, &search);
}

static void core_main(unsigned i)
{
    cores[i].body(i);
    cores[i].is_done = true;
}

static void core_start(unsigned i, void (*body)(unsigned core))
{
    struct core *c = &cores[i];

    c->body = body;
    c->is_done = false;
    getcontext(&c->context);
    c->context.uc_stack.ss_sp = c->stack;
    c->context.uc_stack.ss_size = STACK_BYTES;
    c->context.uc_link = &search;
    makecontext(&c->context, (void (*)(void))core_main, 1, i);
}

/* ---- every order ---- */

/* The k-th step is taken by the choice[k]-th core that can still run. */
static unsigned choice[STEPS_MAX], options[STEPS_MAX], steps;

static void run_one_order(void)
{
    for (steps = 0;; steps++) {
        struct core *ready[CORES_MAX];
        unsigned n = 0;

        for (unsigned i = 0; i < core_count; i++)
            if (!cores[i].is_done)
                ready[n++] = &cores[i];
        if (n == 0)
            return;
        CHECK(steps < STEPS_MAX);
        options[steps] = n;
        running = ready[choice[steps]];
        host_lcore = (unsigned)(running - cores);
        swapcontext(&search, &running->context);
        running = NULL;
    }
}

/* Count up: the last step that had another option takes it. */
static bool next_order(void)
{
    while (steps > 0 && choice[steps - 1] + 1 == options[steps - 1])
        choice[--steps] = 0;
    if (steps == 0)
        return false;
    choice[steps - 1]++;
    return true;
}

/* Returns how many orders there are. */
static unsigned in_every_order(unsigned n, void (*begin)(void),
                               void (*body)(unsigned core), void (*end)(void))
{
    unsigned orders = 0;

    running = NULL;
    core_count = n;
    memset(choice, 0, sizeof(choice));
    for (unsigned i = 0; i < n; i++)
        cores[i].stack = malloc(STACK_BYTES);
    do {
        begin();
        for (unsigned i = 0; i < n; i++)
            core_start(i, body);
        run_one_order();
        host_lcore = 0;
        end();
        orders++;
    } while (next_order());
    for (unsigned i = 0; i < n; i++)
        free(cores[i].stack);
    return orders;
}

/* ---- n holders of one buffer ---- */

static struct mempool *pool;
static struct mbuf *shared, *got[CORES_MAX];

static void hold_for_all(void)
{
    shared = mbuf_alloc(pool);
    for (unsigned i = 1; i < core_count; i++)
        mbuf_hold(shared);
}

static void prefree(unsigned core)
{
    got[core] = mbuf_prefree(shared);
}

static void one_got_it(void)
{
    unsigned owners = 0;

    for (unsigned i = 0; i < core_count; i++) {
        owners += got[i] == shared;
        CHECK(got[i] == shared || got[i] == NULL);
    }
    CHECK_EQ(owners, 1);
    CHECK_EQ(shared->refcnt, 1);
    mempool_put_bulk(pool, &shared, 1);
}

TEST(mbuf_order, MB_27_one_of_all_holders_gets_the_buffer)
{
    pool = open_pool();
    CHECK_EQ(in_every_order(1, hold_for_all, prefree, one_got_it), 1);
    CHECK(in_every_order(2, hold_for_all, prefree, one_got_it) > 3);
    CHECK(in_every_order(3, hold_for_all, prefree, one_got_it) > 100);
    CHECK_EQ(mempool_available(pool), 1023);
}

/* ---- a root and its clones ---- */

static struct mempool *clones;
static struct mbuf *view[CORES_MAX];

static void clone_for_all(void)
{
    view[0] = mbuf_alloc(pool);
    for (unsigned i = 1; i < core_count; i++)
        view[i] = mbuf_clone(view[i - 1], clones);
}

static void free_view(unsigned core)
{
    mbuf_free(view[core]);
}

static void all_home(void)
{
    const char *reason;

    CHECK_EQ(mempool_available(pool), mempool_count(pool));
    CHECK_EQ(mempool_available(clones), mempool_count(clones));
    CHECK(mbuf_raw_check(view[0], pool, &reason));
}

TEST(mbuf_order, MB_27_root_comes_home_with_its_last_view)
{
    pool = open_pool();
    clones = pool_of("clones", 8, 0);
    CHECK(in_every_order(2, clone_for_all, free_view, all_home) > 3);
    CHECK(in_every_order(3, clone_for_all, free_view, all_home) > 100);
}

TEST(mbuf_order, MB_19_pinned_buffer_comes_home_with_its_last_view)
{
    struct mempool_config config = { .name = "pinned",
                                     .count = 4,
                                     .data_room = 256,
                                     .external_bytes = 4 * 256 };

    memory_open();
    config.external = frame_alloc(config.external_bytes, 0, "outside");
    pool = mempool_create(&config);
    clones = pool_of("clones", 8, 0);
    CHECK(in_every_order(2, clone_for_all, free_view, all_home) > 3);
    CHECK(in_every_order(3, clone_for_all, free_view, all_home) > 100);
}
