/*
 * dry.c - a receive queue that gets nothing while its neighbours get much
 *
 * Few flows do that, and so do flows that the hash does not tell apart: all
 * packets in one tunnel, or a type whose hash is off. Nothing is broken then, but
 * a core stands idle beside one that may have too much, so it is said once.
 *
 *   D1  a queue is named only when the table sends it packets, it is on, and the
 *       port got DRY_FRAMES since it got its last one
 *   D2  and not again before it got one, or was switched on anew
 *
 * With flows at random, the odds that one of 64 queues gets none of so many are
 * (63/64)^100000.
 */
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define LOAD(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)

#define DRY_FRAMES 100000
#define LOOK_US    1000000

static uint64_t packets_of(const struct nic *nic, unsigned queue)
{
    return LOAD(nic->rxq[queue].stats.packets);
}

static uint64_t packets_of_port(const struct nic *nic)
{
    uint64_t all = 0;

    for (unsigned i = 0; i < nic_queues(nic); i++)
        all += packets_of(nic, i);
    return all;
}

static void begin(struct nic *nic, unsigned queue, uint64_t of_port)
{
    nic->dry[queue] = (struct queue_dry) { .packets = packets_of(nic, queue),
                                           .of_port = of_port };
}

static void look(struct nic *nic, unsigned queue, uint64_t of_port)
{
    struct queue_dry *d = &nic->dry[queue];
    const unsigned entries = rss_entries_of(nic, queue);

    if (packets_of(nic, queue) != d->packets || nic->rx_stopped[queue] ||
        entries == 0) {
        begin(nic, queue, of_port);
        return;
    }
    if (d->is_told || of_port - d->of_port < DRY_FRAMES)
        return;
    d->is_told = true;
    log_warning("xl710 %s: receive queue %u stays dry: %u entries of the hash "
                "table are its own, and it got none of the last %llu packets; "
                "too few flows, or the hash does not tell them apart",
                nic->name, queue, entries,
                (unsigned long long)(of_port - d->of_port));
}

void nic_dry_poll(struct nic *nic)
{
    const uint64_t of_port = packets_of_port(nic);

    if (nic_queues(nic) == 1 || nic->state != PORT_STARTED ||
        clock_cycles_to_us(plat_cycles() - nic->dry_cycles) < LOOK_US)
        return;
    nic->dry_cycles = plat_cycles();
    for (unsigned i = 0; i < nic_queues(nic); i++)
        look(nic, i, of_port);
}

void nic_dry_open(struct nic *nic)
{
    const uint64_t of_port = packets_of_port(nic);

    nic->dry_cycles = plat_cycles();
    for (unsigned i = 0; i < nic_queues(nic); i++)
        begin(nic, i, of_port);
}
