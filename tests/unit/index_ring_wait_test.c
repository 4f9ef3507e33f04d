/*
 * index_ring_wait_test.c - a core that stopped between its claim and its tail
 *
 * The ring's own source, less patient than in the product.
 */
#define INDEX_RING_WAIT_MAX 1000

#include "mm/index_ring.c"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA ((size_t)16 << 20)

static struct index_ring *ring_of_8(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };
    struct index_ring *r;

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    CHECK_EQ(index_ring_create(
                 &r, 8, INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS,
                 "test"),
             OK);
    return r;
}

TEST(index_ring_wait, I4_a_stopped_producer_is_named)
{
    struct index_ring *r = ring_of_8();
    void *element = r;

    r->producer.head = 3; /* it claimed three slots and went away */
    CHECK_PANICS(CHECK(index_ring_push(r, element)));
    CHECK_STR(host_panic_text, "index ring: a core stopped between claim 0 "
                               "and ours, 3");
}

TEST(index_ring_wait, I4_what_it_claimed_is_not_popped)
{
    struct index_ring *r = ring_of_8();
    void *element = r;

    r->producer.head = 3;
    CHECK_EQ(index_ring_count(r), 0);
    CHECK(!index_ring_pop(r, &element));
}

TEST(index_ring_wait, I4_a_stopped_consumer_is_named)
{
    struct index_ring *r = ring_of_8();
    void *elements[2] = { r, r };

    CHECK_EQ(index_ring_push_bulk(r, elements, 2, NULL), 2);
    r->consumer.head = 1;
    CHECK_PANICS(CHECK(index_ring_pop(r, elements)));
    CHECK_STR(host_panic_text, "index ring: a core stopped between claim 0 "
                               "and ours, 1");
}
