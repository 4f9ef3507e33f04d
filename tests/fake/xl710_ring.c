/*
 * xl710_ring.c - rings of the driver without a chip: the test is the NIC
 */
#include <stdlib.h>

#include "mm/mm.h"
#include "tests/fake/xl710_ring.h"
#include "tests/host/host.h"

#define ARENA    (UINT64_C(64) << 20)
#define TAIL_REG UINT64_C(0x9000000000)

static uint32_t tail;
static unsigned tail_writes;

static uint64_t tail_read(void *ctx, uint64_t offset, unsigned bytes)
{
    (void)ctx;
    (void)offset;
    (void)bytes;
    return tail;
}

static void tail_write(void *ctx, uint64_t offset, unsigned bytes,
                       uint64_t value)
{
    (void)ctx;
    (void)offset;
    (void)bytes;
    tail = (uint32_t)value;
    tail_writes++;
}

void ring_machine_open(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    const struct host_device device = {
        .phys = TAIL_REG, .bytes = 4, .read = tail_read, .write = tail_write
    };

    mm_close();
    host_lcore = 0;
    tail = UINT32_MAX;
    tail_writes = 0;
    host_device_add(&device);
    if (mm_init(&ram, 1) != OK)
        abort();
}

struct mempool *ring_pool(const char *name, unsigned count)
{
    const struct mempool_config config = {
        .name = name, .count = count, .data_room = MBUF_DATA_ROOM, .lcores = 1
    };
    struct mempool *p = mempool_create(&config);

    if (p == NULL)
        abort();
    return p;
}

struct mbuf *ring_packet(struct mempool *pool, unsigned bytes,
                         unsigned segments)
{
    struct mbuf *first = NULL, *last = NULL;
    unsigned done = 0;

    for (unsigned s = 0; s < segments; s++) {
        const unsigned end = bytes * (s + 1) / segments;
        struct mbuf *m = mbuf_alloc(pool);

        if (m == NULL)
            abort();
        for (unsigned i = done; i < end; i++)
            ((uint8_t *)mbuf_data(m))[i - done] = (uint8_t)i;
        m->data_len = (uint16_t)(end - done);
        m->pkt_len = m->data_len;
        m->ol_flags = 0;
        done = end;
        if (first == NULL)
            first = m;
        else
            last->next = m;
        last = m;
    }
    first->pkt_len = bytes;
    first->nb_segs = (uint16_t)segments;
    return first;
}

volatile void *ring_tail_register(void)
{
    return plat_map_device(TAIL_REG, 4);
}

uint32_t ring_tail_value(void)
{
    return tail;
}

unsigned ring_tail_writes(void)
{
    return tail_writes;
}
