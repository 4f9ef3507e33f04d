/*
 * app_pool.c - how many queues the ports may have, and the buffers for them
 *
 *   B1  every descriptor of every queue, and every cache, can be full at the
 *       same time, and a burst still finds buffers: else traffic could stop for
 *       good, with every buffer parked somewhere
 */
#include <millrace/bits.h>
#include <millrace/core.h>
#include <millrace/log.h>

#include "console/app_impl.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"
#include "net/fwd.h"

#define POOL_GROUP 256 /* a computed pool is a multiple of this */
#define POOL_NAME  "mb_pool_0"

/* What a pool was made for. */
static struct {
    struct mempool *pool;
    uint32_t rxd, txd, mbcache, burst;
} made;

/* Cores that may hold packets: those that forward, and the control core. */
static unsigned cores_with_packets(unsigned queues)
{
    const unsigned streams = port_count() * queues;
    const unsigned n = fwd_core_count();

    if (core_count() == 1)
        return 1;
    return (n < streams ? n : streams) + 1;
}

static struct mempool_need need_of(unsigned queues)
{
    return (struct mempool_need) {
        .rx_desc = port_count() * queues * made.rxd,
        .tx_desc = port_count() * queues * made.txd,
        .lcores = cores_with_packets(queues),
        .cache = made.mbcache,
        .burst = made.burst,
    };
}

static enum status streams_check(unsigned queues)
{
    if (port_count() * queues <= FWD_STREAMS_MAX)
        return OK;
    log_error("forwarding: %u queues on each of %u ports are %u streams; "
              "expected %u or less",
              queues, port_count(), port_count() * queues, FWD_STREAMS_MAX);
    return E_RANGE;
}

/* 0 when what was asked for is too few (B1). */
static unsigned pool_buffers(const struct options *o)
{
    const struct mempool_need need = need_of(o->rxq);
    const uint64_t needed = mempool_count_needed(&need);

    if (o->total_num_mbufs == 0)
        return (unsigned)align_up(needed + needed / 4, POOL_GROUP);
    if (mempool_count_check(POOL_NAME, o->total_num_mbufs, &need) != OK)
        return 0;
    return o->total_num_mbufs;
}

enum status app_pool_build(const struct options *o, struct port_config *port)
{
    struct mempool_config config = {
        .name = POOL_NAME,
        .cache = o->mbcache,
        .data_room = MBUF_DATA_ROOM,
        .lcores = core_count(),
    };

    made.pool = NULL;
    made.rxd = o->rxd;
    made.txd = o->txd;
    made.mbcache = o->mbcache;
    made.burst = o->burst;
    if (streams_check(o->rxq) != OK)
        return E_RANGE;
    config.count = pool_buffers(o);
    if (config.count == 0)
        return E_INVALID;
    made.pool = mempool_create(&config);
    if (made.pool == NULL)
        return E_NOMEM; /* the log has the reason */
    port->pool = made.pool;
    fwd_pool_set(made.pool);
    return OK;
}

enum status app_queues_check(unsigned queues)
{
    const struct mempool_need need = need_of(queues);
    enum status s = streams_check(queues);

    if (s == OK && made.pool == NULL)
        return E_STATE;
    if (s == OK)
        s = mempool_count_check(POOL_NAME, mempool_count(made.pool), &need);
    return s;
}
