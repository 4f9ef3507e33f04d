/*
 * dma_test.c - memory for devices: zeroed, aligned, accounted, freed once
 */
#include "mm/dma.h"
#include "mm/frame.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define ARENA ((size_t)16 << 20)

static void open_all(void)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

static bool is_zero(const uint8_t *p, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != 0)
            return false;
    return true;
}

TEST(dma, memory_is_zeroed_also_when_used_before)
{
    uint8_t *p;

    open_all();
    p = dma_alloc(100000, 64, "x");
    CHECK(is_zero(p, 100000));
    memset(p, 0xAA, 100000);
    dma_free(p);
    p = dma_alloc(100000, 64, "x");
    CHECK(is_zero(p, 100000));
}

TEST(dma, alignment_up_to_2_mib)
{
    open_all();
    for (size_t align = 1; align <= (size_t)2 << 20; align *= 2)
        CHECK_EQ((uintptr_t)dma_alloc(100, align, "x") % align, 0);
}

TEST(dma, devices_can_reach_every_byte)
{
    uint8_t *p;

    open_all();
    p = dma_alloc(5000, 128, "x");
    p[4999] = 7;
    CHECK(host_bus_to_ptr(plat_bus_addr(p), 5000) == p);
}

TEST(dma, owner_is_charged_until_freed)
{
    struct frame_owner owners[4];
    uint8_t *p;

    open_all();
    p = dma_alloc(1, 1, "port 0 rx ring");
    CHECK_EQ(frame_owners_get(owners, 4), 2);
    CHECK_STR(owners[1].name, "port 0 rx ring");
    CHECK_EQ(owners[1].bytes, 4096);
    dma_free(p);
    CHECK_EQ(frame_owners_get(owners, 4), 1);
}

TEST(dma, shortage_is_null)
{
    open_all();
    CHECK(dma_alloc(ARENA, 64, "x") == NULL);
    CHECK(dma_alloc(SIZE_MAX, 64, "x") == NULL);
    CHECK(dma_alloc(ARENA / 2, 64, "x") != NULL);
}

TEST(dma, null_may_be_freed_but_nothing_twice)
{
    uint8_t *p;

    open_all();
    dma_free(NULL);
    p = dma_alloc(4096, 64, "x");
    dma_free(p);
    CHECK_PANICS(dma_free(p));
}

TEST(dma, senseless_requests_panic)
{
    open_all();
    CHECK_PANICS((void)!dma_alloc(0, 64, "x"));
    CHECK_PANICS((void)!dma_alloc(64, 0, "x"));
    CHECK_PANICS((void)!dma_alloc(64, 48, "x"));
    CHECK_PANICS((void)!dma_alloc(64, (size_t)4 << 20, "x"));
}
