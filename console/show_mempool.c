/*
 * show_mempool.c - packet buffers: how many there are and where
 */
#include "console/show.h"

#include <inttypes.h>
#include <stdio.h>

#include <millrace/port.h>

#include "console/out.h"
#include "mm/mempool.h"

void show_pools(void)
{
    out("%-20s %8s %8s %8s %9s\n", "mempool", "count", "free", "in use",
        "data room");
    for (struct mempool *p = mempool_next(NULL); p != NULL;
         p = mempool_next(p)) {
        const unsigned count = mempool_count(p);
        const unsigned available = mempool_available(p);

        out("%-20s %8u %8u %8u %9u\n", mempool_name(p), count, available,
            count - available, mempool_data_room(p));
    }
}

/* "98.4%": calls that made no trip to the store. */
struct share {
    char text[8];
};

static struct share hits(uint64_t calls, uint64_t trips)
{
    struct share s = { "-" };

    if (calls > 0 && trips <= calls) {
        const unsigned tenths = (unsigned)((calls - trips) * 1000 / calls);

        snprintf(s.text, sizeof(s.text), "%u.%u%%", tenths / 10 % 101,
                 tenths % 10);
    }
    return s;
}

static void show_cache(const char *whose, unsigned id,
                       const struct mempool_stats *s)
{
    const struct share gets = hits(s->get_calls, s->store_gets);
    const struct share puts = hits(s->put_calls, s->store_puts);

    out("  %s %-3u %8u %11" PRIu64 " %6s %11" PRIu64 " %6s %9" PRIu64
        " %7" PRIu64 "\n",
        whose, id, s->cached, s->get_calls, gets.text, s->put_calls, puts.text,
        s->store_gets + s->store_puts, s->fail_calls);
}

static void show_pool(const struct mempool *pool)
{
    struct mempool_account account;
    struct mempool_stats s;
    const unsigned cores = mempool_lcores(pool);

    mempool_account_get(pool, &account);
    out("%-14s %8s %11s %6s %11s %6s %9s %7s\n", mempool_name(pool), "buffers",
        "gets", "hits", "puts", "hits", "to store", "failed");
    out("  shared store %8u\n", account.in_store);
    for (unsigned i = 0; i < cores; i++) {
        mempool_stats_get(pool, i, &s);
        show_cache("cache of", i, &s);
    }
    mempool_stats_get(pool, cores, &s);
    if (s.get_calls + s.put_calls + s.fail_calls > 0)
        show_cache("cores >=", cores, &s);
}

static unsigned in_use(void)
{
    unsigned n = 0;

    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        n += mempool_count(p) - mempool_available(p);
    return n;
}

void show_buffers(unsigned held)
{
    unsigned rx = 0, tx = 0, known;

    show_pools();
    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        show_pool(p);
    for (unsigned p = 0; p < port_count(); p++) {
        unsigned in_rx, in_tx;

        port_buffers_get(p, &in_rx, &in_tx);
        rx += in_rx;
        tx += in_tx;
    }
    known = rx + tx + held;
    out("in use: %u in receive rings, %u in transmit rings, %u held by "
        "`debug mempool`, %u elsewhere\n",
        rx, tx, held, in_use() > known ? in_use() - known : 0);
}
