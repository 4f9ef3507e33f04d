/*
 * path.c - what one packet costs from the receive to the transmit ring
 *
 * The product's own loop, engines and bursts, on rings in memory with a stub in
 * the NIC's place: 64-byte frames, bursts of 32. What is timed is one round of
 * the loop, TSC cycles; the stub works between two rounds, on this core or on
 * the other one. An empty reading of the clock is subtracted.
 *
 *   where  hot    descriptors lie in this core's cache
 *          cross  the other core wrote them
 *          cold   they were flushed to memory
 *
 * Each round of a case has memory at new addresses; windows during which a
 * neighbour slowed this core (the canary tells) are dropped; a case's figure is
 * the median of its rounds' medians.
 *
 * Usage: path [word ...]     only cases whose name holds one of the words
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/line.h"
#include "bench/stats.h"
#include "drivers/xl710/path.h"
#include "drivers/xl710/tx_free.h"
#include "mm/frame.h"
#include "mm/mbuf.h"
#include "mm/mm.h"
#include "net/engine.h"
#include "tests/bench/path/quiet.h"
#include "tests/bench/path/stub.h"

enum {
    BURST = 32,
    TURNS = 32, /* in a window */
    WINDOWS = 15,
    WINDOWS_TRIED = 90,
    WARM_UPS = 200, /* turns before the first window */
    ROUNDS = 9,
    ROUNDS_TRIED = 20
};
#define RESERVED   (UINT64_C(1) << 30)
#define ARENA      (UINT64_C(64) << 20)
#define HUGE_PAGE  (UINT64_C(2) << 20)
#define SHIFT_MAX  512 /* pages */
#define POOL_CACHE 256

enum where { HOT, CROSS, COLD };
static const char *const where_text[] = { "hot", "cross", "cold" };

struct path_case {
    const struct path *path;
    const struct engine *engine;
    unsigned ring, rs;
    bool fast;
    bool fused; /* from ring to ring, without headers */
    bool head;  /* the stub tells its head instead of marking descriptors */
    enum where where;
};

/* ---- a machine ---- */

static char *reserved;
static struct mempool *pool;
static struct port_rxq rxq;
static struct port_txq txq;
static struct stub stub;
static struct stream stream;
static struct lcore lcore;

/*
 * Transmit with head write-back, which the product does not use: what lies
 * before the head that the NIC wrote is free, and no descriptor is looked at.
 */
static tx_burst_function *burst_after_head;

static unsigned head_burst(struct port_txq *q, struct mbuf *pkts[], unsigned n)
{
    const unsigned head = *(volatile uint32_t *)&stub.head_word;
    const unsigned done =
        head >= q->clean ? head - q->clean : head + q->n - q->clean;

    if (done > 0)
        tx_free_slots(q, done, TX_SCHEME);
    return burst_after_head(q, pkts, n);
}

/* It takes the bursts. */
static unsigned forward_nothing(struct port_rxq *rx, struct port_txq *tx,
                                unsigned max, port_edit *edit,
                                const void *context)
{
    (void)rx;
    (void)tx;
    (void)max;
    (void)edit;
    (void)context;
    return 0;
}

static void need(bool is_there, const char *what)
{
    if (is_there)
        return;
    fprintf(stderr, "path: no %s\n", what);
    exit(2);
}

static void memory_open(struct stats_random *random)
{
    const unsigned places = (RESERVED - ARENA) / HUGE_PAGE - 1;
    const uint64_t base =
        ((uintptr_t)reserved + HUGE_PAGE) / HUGE_PAGE * HUGE_PAGE;
    const struct mm_range range = {
        base + stats_random_below(random, places) * HUGE_PAGE, ARENA
    };

    (void)madvise(reserved, RESERVED, MADV_DONTNEED);
    need(mm_init(&range, 1) == OK, "memory");
    need(frame_alloc((1 + stats_random_below(random, SHIFT_MAX)) * PAGE_BYTES,
                     0, "bench") != NULL,
         "memory");
}

static void machine_open(const struct path_case *c, struct stats_random *random)
{
    const struct mempool_config config = { .name = "bench",
                                           .count = 3 * c->ring + 1024,
                                           .cache = POOL_CACHE,
                                           .data_room = MBUF_DATA_ROOM,
                                           .lcores = 1 };

    memory_open(random);
    pool = mempool_create(&config);
    need(pool != NULL, "pool");
    memset(&rxq, 0, sizeof(rxq));
    memset(&txq, 0, sizeof(txq));
    txq.fast_free = c->fast;
    need(rx_ring_alloc(&rxq, c->ring) == OK &&
             tx_ring_alloc(&txq, c->ring, c->rs, c->rs) == OK &&
             rx_ring_fill(&rxq, pool) == OK,
         "rings");
    path_set(c->path, &rxq, &txq);
    if (!c->fused)
        rxq.forward = forward_nothing;
    if (c->head)
        txq.burst = head_burst;
    burst_after_head = c->path->tx;
    stub_open(&stub, &rxq, &txq);
    stub.writes_head = c->head;
    stream = (struct stream) { .rxq = &rxq, .txq = &txq, .pool = pool };
    memset(&lcore, 0, sizeof(lcore));
    lcore.burst = BURST;
    lcore_assign(&lcore, &stream, 1, c->engine);
}

/* Every frame came in, went out, and left its buffer. */
static void machine_close(uint64_t frames)
{
    stub_work(&stub, 0);
    need(stream.stats.rx_packets == frames && stub.sent == frames &&
             txq.stats.packets == frames && rxq.stats.packets == frames &&
             txq.stats.not_fast == 0,
         "balance of frames");
    rx_ring_drain(&rxq);
    tx_ring_drain(&txq);
    need(mempool_available(pool) == mempool_count(pool), "buffers back");
    rx_ring_free(&rxq);
    tx_ring_free(&txq);
    mm_close();
}

/* ---- windows ---- */

static uint64_t turn(enum where where)
{
    uint64_t from;

    if (where == CROSS)
        stub_work_there(&stub, BURST);
    else
        stub_work(&stub, BURST);
    if (where == COLD)
        stub_flush(&stub);
    from = quiet_now();
    lcore_run(&lcore, 1);
    return quiet_now() - from;
}

/* TSC cycles a packet; 0 when disturbed. */
static double window(enum where where)
{
    const bool before = quiet_comes();
    uint64_t cycles = 0;

    for (unsigned i = 0; i < TURNS; i++)
        cycles += turn(where);
    if (!before || !quiet_is())
        return 0;
    return ((double)cycles / TURNS - quiet_clock_cost) / BURST;
}

/* False when the machine was too busy to say anything. */
static bool round_of(const struct path_case *c, struct stats_random *random,
                     double *result)
{
    double kept[WINDOWS];
    unsigned n = 0;
    uint64_t turns = WARM_UPS;

    machine_open(c, random);
    for (unsigned i = 0; i < WARM_UPS; i++)
        (void)turn(c->where);
    for (unsigned i = 0; i < WINDOWS_TRIED && n < WINDOWS; i++) {
        const double w = window(c->where);

        turns += TURNS;
        if (w > 0)
            kept[n++] = w;
    }
    machine_close(turns * BURST);
    if (n < WINDOWS)
        return false;
    *result = stats_median(kept, n);
    return true;
}

/* ---- cases ---- */

static void say(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

static void run(const struct path_case *c, const char *name)
{
    static struct stats_random random = { .state = 20260731 };
    double rounds[ROUNDS];
    unsigned n = 0;
    char more[64];

    for (unsigned i = 0; i < ROUNDS_TRIED && n < ROUNDS; i++)
        if (round_of(c, &random, &rounds[n]))
            n++;
    if (n == 0) {
        printf("path: %s: the machine is too busy\n", name);
        return;
    }
    snprintf(more, sizeof(more), "burst=%u least=%.2f", BURST,
             stats_min(rounds, n));
    line_write(say, &(struct line_figure) { .name = name,
                                            .ours = stats_median(rounds, n),
                                            .unit = "cycles",
                                            .blocks = n,
                                            .more = more });
    fflush(stdout);
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i]) == NULL)
            return false;
    return true;
}

static void run_if_wanted(const struct path_case *c, int argc, char **argv)
{
    char name[96];

    snprintf(name, sizeof(name), "path-%s-%s%s-%u-rs%u-%s-%s%s",
             c->engine->name, c->path->name, c->fused ? "-fused" : "", c->ring,
             c->rs, c->fast ? "fast" : "mixed", where_text[c->where],
             c->head ? "-head" : "");
    if (is_wanted(name, argc, argv))
        run(c, name);
}

static void all_of_path(const struct path *path, int argc, char **argv)
{
    static const struct engine *const engine[] = { &engine_io, &engine_mac };

    /* Each bit of i picks one of two. */
    for (enum where w = 0; w <= COLD; w++)
        for (unsigned i = 0; i < 32; i++)
            run_if_wanted(&(struct path_case) { .path = path,
                                                .fused = i >> 4 != 0,
                                                .engine = engine[i >> 3 & 1],
                                                .ring = i >> 2 & 1 ? 2048 : 512,
                                                .rs = i >> 1 & 1 ? 64 : 32,
                                                .fast = (i & 1) == 0,
                                                .where = w },
                          argc, argv);
}

/* The descriptor's done mark against the head that the NIC may write. */
static void all_of_head(const struct path *path, int argc, char **argv)
{
    for (enum where w = 0; w <= COLD; w++)
        for (unsigned i = 0; i < 4; i++)
            run_if_wanted(&(struct path_case) { .path = path,
                                                .engine = &engine_io,
                                                .ring = i >> 1 ? 2048 : 512,
                                                .rs = 32,
                                                .fast = (i & 1) == 0,
                                                .head = true,
                                                .where = w },
                          argc, argv);
}

static void pin(unsigned core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    need(sched_setaffinity(0, sizeof(set), &set) == 0, "core");
}

int main(int argc, char **argv)
{
    reserved = mmap(NULL, RESERVED, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    need(reserved != MAP_FAILED, "memory");
    (void)madvise(reserved, RESERVED, MADV_HUGEPAGE);
    pin(0);
    stub_thread_start(1);
    quiet_learn();
    for (unsigned i = 0; path_at(i) != NULL; i++)
        if (path_is_possible(path_at(i)))
            all_of_path(path_at(i), argc, argv);
    all_of_head(path_at(0), argc, argv);
    stub_thread_stop();
    return 0;
}
