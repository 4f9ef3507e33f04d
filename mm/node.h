/*
 * node.h - which memory is near whom
 *
 * A machine with several memory controllers has nodes: memory and processors
 * that are near each other. Who asks for memory says before at which node it is
 * to be; when there is none left it comes from elsewhere, and that is counted.
 *
 * Context  control core
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define NODE_RANGES_MAX 64
#define NODE_ANY        UINT32_MAX

/* Memory [base, base + bytes), not leaving 64 bits; the firmware's number. */
struct node_range {
    uint64_t base, bytes;
    uint32_t node;
};

/* After mm_init(), which knows of no nodes. Those beyond the maximum count not. */
void node_ranges_set(const struct node_range ranges[], unsigned count);
const struct node_range *node_range_get(unsigned index); /* NULL at the end */

/* How many nodes have memory; 0 when nobody said. */
unsigned node_count(void);
bool node_has_memory(uint32_t node);

/* Where all of [base, base + bytes) is; NODE_ANY when nobody says, or in two. */
uint32_t node_of(uint64_t base, uint64_t bytes);

/* What frame_alloc() and dma_alloc() give comes from there, if it can. */
void node_prefer(uint32_t node);
uint32_t node_preferred(void);

/* Allocations since mm_init() that had to come from elsewhere. */
unsigned node_missed(void);
void node_count_miss(void); /* for frame.c */
