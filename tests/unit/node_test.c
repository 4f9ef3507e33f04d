/*
 * node_test.c - memory at the node that was asked for
 */
#include "mm/dma.h"
#include "mm/frame.h"
#include "mm/node.h"
#include "tests/unit/test.h"

#define MIB(n) ((uint64_t)(n) << 20)
#define ARENA  (32u << 20)

static uint64_t base;

/* 8 MiB at node 0, 8 at node 7, 8 at node 0 again; nobody says of the rest. */
static void begin(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    base = ram.base;
    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    node_ranges_set(
        (const struct node_range[]) { { base, MIB(8), 0 },
                                      { base + MIB(8), MIB(8), 7 },
                                      { base + MIB(16), MIB(8), 0 } },
        3);
}

static uint32_t node_at(const void *memory)
{
    return node_of((uintptr_t)memory, frame_block_bytes(memory));
}

TEST(node, ranges_tell_where_memory_is)
{
    begin();
    CHECK_EQ(node_count(), 2);
    CHECK(node_has_memory(0) && node_has_memory(7) && !node_has_memory(1));
    CHECK_EQ(node_of(base, 1), 0);
    CHECK_EQ(node_of(base + MIB(8) - 1, 1), 0);
    CHECK_EQ(node_of(base + MIB(8), MIB(8)), 7);
    CHECK_EQ(node_of(base + MIB(8) - 1, 2), NODE_ANY); /* in two */
    CHECK_EQ(node_of(base + MIB(24), 1), NODE_ANY);    /* nobody says */
    CHECK_EQ(node_of(base - 1, 1), NODE_ANY);
    CHECK_EQ(node_of(base, UINT64_MAX), NODE_ANY);
    mm_close();
    CHECK_EQ(node_count(), 0);
    CHECK(node_range_get(0) == NULL);
}

TEST(node, more_ranges_than_there_is_room_for_are_left_out)
{
    struct node_range many[NODE_RANGES_MAX + 2];

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(many); i++)
        many[i] = (struct node_range) { MIB(i), MIB(1), i };
    node_ranges_set(many, ARRAY_SIZE(many));
    CHECK_EQ(node_count(), NODE_RANGES_MAX);
    CHECK(node_range_get(NODE_RANGES_MAX) == NULL);
}

TEST(node, memory_comes_from_the_node_that_is_preferred)
{
    static const uint64_t sizes[] = { 4096, 12288, MIB(2), MIB(3) };

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(sizes); i++) {
        node_prefer(7);
        CHECK_EQ(node_at(frame_alloc(sizes[i], 0, "seven")), 7);
        CHECK_EQ(node_at(dma_alloc(sizes[i] / 4, 64, "seven")), 7);
        node_prefer(0);
        CHECK_EQ(node_at(frame_alloc(sizes[i], 0, "zero")), 0);
    }
    CHECK_EQ(node_missed(), 0);
    node_prefer(NODE_ANY);
    CHECK_EQ(node_preferred(), NODE_ANY);
}

TEST(node, all_of_a_nodes_ranges_are_used)
{
    begin();
    node_prefer(0);
    CHECK_EQ(node_at(frame_alloc(MIB(6), 0, "zero")), 0);
    CHECK_EQ(node_at(frame_alloc(MIB(6), 0, "zero")), 0);
    CHECK_EQ(node_missed(), 0);
}

TEST(node, what_a_node_cannot_give_comes_from_elsewhere_and_is_counted)
{
    void *far;

    begin();
    node_prefer(7);
    CHECK_EQ(node_at(frame_alloc(MIB(8), 0, "seven")), 7);
    far = frame_alloc(MIB(2), 0, "seven");
    CHECK(far != NULL);
    CHECK(node_at(far) != 7);
    CHECK_EQ(node_missed(), 1);
    node_prefer(3); /* one that has no memory at all */
    CHECK(frame_alloc(4096, 0, "three") != NULL);
    CHECK_EQ(node_missed(), 2);
}

TEST(node, freed_memory_is_found_again_at_its_node)
{
    void *all;

    begin();
    node_prefer(7);
    all = frame_alloc(MIB(8), 0, "seven");
    CHECK_EQ(node_at(all), 7);
    frame_free(all);
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(node_at(frame_alloc(MIB(2), 0, "seven")), 7);
    CHECK_EQ(node_missed(), 0);
}
