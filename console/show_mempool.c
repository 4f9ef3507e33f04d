/*
 * show_mempool.c - packet buffers: how many there are and where
 */
#include "console/show.h"

#include <inttypes.h>
#include <stdio.h>

#include <millrace/port.h>

#include "console/report.h"
#include "mm/mempool.h"

static void show_in_line(const struct mempool *p)
{
    const unsigned count = mempool_count(p);
    const unsigned available = mempool_available(p);

    report_object(NULL);
    report_string("name", "%-20s", mempool_name(p));
    report_uint("size", " %8u", count);
    report_uint("free", " %8u", available);
    report_uint("in_use", " %8u", count - available);
    report_uint("data_room", " %9u\n", mempool_data_room(p));
    report_close();
}

void show_pools(void)
{
    report_text("%-20s %8s %8s %8s %9s\n", "mempool", "count", "free", "in use",
                "data room");
    report_list("mempools");
    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        show_in_line(p);
    report_close();
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
    report_object(NULL);
    report_text("  %s ", whose);
    report_uint("lcore", "%-3u", id);
    report_uint("cached", " %8u", s->cached);
    report_u64("get_calls", " %11" PRIu64, s->get_calls);
    report_text(" %6s", hits(s->get_calls, s->store_gets).text);
    report_u64("put_calls", " %11" PRIu64, s->put_calls);
    report_text(" %6s", hits(s->put_calls, s->store_puts).text);
    report_u64("store_calls", " %9" PRIu64, s->store_gets + s->store_puts);
    report_u64("fail_calls", " %7" PRIu64 "\n", s->fail_calls);
    report_close();
}

/* JSON: the cores behind the last with a cache are one, with the next number. */
static void show_pool(const struct mempool *pool)
{
    struct mempool_account account;
    struct mempool_stats s;
    const unsigned cores = mempool_lcores(pool);

    mempool_account_get(pool, &account);
    report_object(NULL);
    report_string("name", "%-14s", mempool_name(pool));
    report_text(" %8s %11s %6s %11s %6s %9s %7s\n", "buffers", "gets", "hits",
                "puts", "hits", "to store", "failed");
    report_uint("common_pool_count", "  shared store %8u\n", account.in_store);
    report_list("caches");
    for (unsigned i = 0; i < cores; i++) {
        mempool_stats_get(pool, i, &s);
        show_cache("cache of", i, &s);
    }
    mempool_stats_get(pool, cores, &s);
    if (s.get_calls + s.put_calls + s.fail_calls > 0)
        show_cache("cores >=", cores, &s);
    report_close();
    report_close();
}

static unsigned in_use(void)
{
    unsigned n = 0;

    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        n += mempool_count(p) - mempool_available(p);
    return n;
}

static void show_whereabouts(unsigned rx, unsigned tx, unsigned held)
{
    const unsigned known = rx + tx + held, all = in_use();

    report_uint("in_rx_rings", "in use: %u in receive rings", rx);
    report_uint("in_tx_rings", ", %u in transmit rings", tx);
    report_uint("held", ", %u held by `debug mempool`", held);
    report_uint("elsewhere", ", %u elsewhere\n", all > known ? all - known : 0);
}

void show_buffers(unsigned held)
{
    unsigned rx = 0, tx = 0;

    show_pools();
    report_list("stores");
    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        show_pool(p);
    report_close();
    for (unsigned p = 0; p < port_count(); p++) {
        unsigned in_rx, in_tx;

        port_buffers_get(p, &in_rx, &in_tx);
        rx += in_rx;
        tx += in_tx;
    }
    show_whereabouts(rx, tx, held);
}
