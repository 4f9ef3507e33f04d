/*
 * node.c - which memory is near whom
 */
#include "mm/node.h"

#include <stddef.h>
#include <string.h>

static struct {
    struct node_range ranges[NODE_RANGES_MAX];
    unsigned count;
    bool prefers;
    uint32_t preferred;
    unsigned missed;
} nodes;

void node_ranges_set(const struct node_range ranges[], unsigned count)
{
    memset(&nodes, 0, sizeof(nodes));
    nodes.count = count < NODE_RANGES_MAX ? count : NODE_RANGES_MAX;
    if (nodes.count > 0)
        memcpy(nodes.ranges, ranges, nodes.count * sizeof(ranges[0]));
}

const struct node_range *node_range_get(unsigned index)
{
    return index < nodes.count ? &nodes.ranges[index] : NULL;
}

/* Does no range before @index belong to its node? */
static bool is_first(unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (nodes.ranges[i].node == nodes.ranges[index].node)
            return false;
    return true;
}

unsigned node_count(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < nodes.count; i++)
        n += is_first(i);
    return n;
}

bool node_has_memory(uint32_t node)
{
    for (unsigned i = 0; i < nodes.count; i++)
        if (nodes.ranges[i].node == node)
            return true;
    return false;
}

uint32_t node_of(uint64_t base, uint64_t bytes)
{
    for (unsigned i = 0; i < nodes.count; i++) {
        const struct node_range *r = &nodes.ranges[i];

        if (base >= r->base && base - r->base < r->bytes &&
            bytes <= r->bytes - (base - r->base))
            return r->node;
    }
    return NODE_ANY;
}

void node_prefer(uint32_t node)
{
    nodes.prefers = node != NODE_ANY;
    nodes.preferred = node;
}

uint32_t node_preferred(void)
{
    return nodes.prefers ? nodes.preferred : NODE_ANY;
}

unsigned node_missed(void)
{
    return nodes.missed;
}

void node_count_miss(void)
{
    nodes.missed++;
}
