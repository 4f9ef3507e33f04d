/*
 * frame_test.c - F1..F4 of frame.c, and what it refuses
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "mm/frame.h"
#include "mm/mm.h"
#include "tests/unit/test.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

#define ARENA MIB(32)

static uint64_t arena(void)
{
    mm_close();
    return (uintptr_t)host_arena(ARENA);
}

static void open_all(void)
{
    const struct mm_range ram = { arena(), ARENA };

    CHECK_EQ(mm_init(&ram, 1), OK);
}

static struct frame_stats stats(void)
{
    struct frame_stats s;

    frame_stats_get(&s);
    CHECK_EQ(s.used + s.free, s.total); /* F4 */
    return s;
}

/* Address space without memory behind it: huge machines in a small test. */
static uint64_t reserve(uint64_t bytes)
{
    void *p = mmap(NULL, bytes + FRAME_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(p != MAP_FAILED);
    return ((uintptr_t)p + FRAME_BYTES - 1) & ~(FRAME_BYTES - 1);
}

TEST(frame, total_is_what_was_given)
{
    const uint64_t base = arena();
    const struct mm_range ram[] = { { base, MIB(8) },
                                    { base + MIB(9), 0 },
                                    { base + MIB(16), MIB(16) } };

    CHECK_EQ(mm_init(ram, 3), OK);
    CHECK_EQ(stats().total, MIB(24));
    CHECK_EQ(stats().ranges, 2);
    CHECK_EQ(stats().largest_free, MIB(16));
    mm_close();
    CHECK_EQ(stats().total, 0);
}

TEST(frame, large_blocks_start_at_a_frame)
{
    open_all();
    for (unsigned i = 1; i <= 3; i++)
        CHECK_EQ((uintptr_t)frame_alloc(MIB(2) + i, 0, "x") % FRAME_BYTES, 0);
}

TEST(frame, alignment_is_kept)
{
    open_all();
    for (uint64_t align = 1; align <= MIB(2); align *= 2) {
        void *p = frame_alloc(64, align, "x");

        CHECK(p != NULL);
        CHECK_EQ((uintptr_t)p % (align < 4096 ? 4096 : align), 0);
    }
}

TEST(frame, range_ends_serve_small_needs_first)
{
    const uint64_t base = arena();
    const struct mm_range ram[] = { { base, MIB(8) },
                                    { base + MIB(16), KIB(64) },
                                    { base + MIB(20), MIB(8) } };
    void *small;

    CHECK_EQ(mm_init(ram, 3), OK);
    small = frame_alloc(KIB(16), 0, "x");
    CHECK(small >= (void *)(base + MIB(16)));
    CHECK(small < (void *)(base + MIB(16) + KIB(64)));
    /* so every frame of the others is still whole */
    CHECK_EQ(stats().largest_free, MIB(8));
}

TEST(frame, touching_ranges_are_one)
{
    const uint64_t base = arena();
    const struct mm_range ram[] = { { base, MIB(4) },
                                    { base + MIB(4), MIB(12) } };

    CHECK_EQ(mm_init(ram, 2), OK);
    CHECK(frame_alloc(MIB(12) + 1, 0, "x") != NULL);
}

TEST(frame, no_block_overlaps_and_every_free_merges)
{
    enum { N = 64 };
    void *block[N];
    uint64_t bytes[N], before;

    open_all();
    before = stats().free;
    srand(1);
    for (unsigned round = 0; round < 20; round++) {
        for (unsigned i = 0; i < N; i++) {
            bytes[i] = 1 + (unsigned)rand() % (i % 8 == 0 ? 2500000 : 40000);
            block[i] = frame_alloc(bytes[i], 0, "x");
            if (block[i] != NULL)
                memset(block[i], (int)i, bytes[i]);
        }
        for (unsigned i = 0; i < N; i++) {
            const unsigned k = (i * 37 + round) % N; /* 37 is prime to 64 */

            if (block[k] == NULL)
                continue;
            CHECK_EQ(((uint8_t *)block[k])[0], k);
            CHECK_EQ(((uint8_t *)block[k])[bytes[k] - 1], k);
            frame_free(block[k]);
        }
        CHECK_EQ(stats().free, before);
    }
    CHECK(stats().largest_free >= ARENA - MIB(1)); /* F2 */
}

TEST(frame, shortage_is_null_and_takes_nothing)
{
    uint64_t used;

    open_all();
    used = stats().used;
    CHECK(frame_alloc(ARENA, 0, "x") == NULL);
    CHECK(frame_alloc(UINT64_MAX, 0, "x") == NULL);
    CHECK(frame_alloc(UINT64_MAX - 4095, 0, "x") == NULL);
    CHECK_EQ(stats().used, used);
}

TEST(frame, every_page_can_be_handed_out_and_comes_back)
{
    void **first = NULL;
    unsigned n = 0, back = 0;
    uint64_t used;

    open_all();
    used = stats().used;
    for (void **p; (p = frame_alloc(4096, 0, "x")) != NULL; n++) {
        *p = first;
        first = p;
    }
    /* more records were needed than the first page of them holds */
    CHECK(n > ARENA / 4096 - 128);
    CHECK(stats().free < 4 * 4096);
    while (first != NULL) {
        void **next = *first;

        frame_free(first);
        first = next;
        back++;
    }
    CHECK_EQ(back, n);
    CHECK(stats().used - used < MIB(1)); /* records stay */
}

TEST(frame, owners_are_summed_up)
{
    struct frame_owner owners[8];
    unsigned n;

    open_all();
    CHECK(frame_alloc(5000, 0, "b") != NULL);
    CHECK(frame_alloc(4096, 0, "a") != NULL);
    CHECK(frame_alloc(MIB(2), 0, "b") != NULL);
    n = frame_owners_get(owners, 8);
    CHECK_EQ(n, 3); /* and our own records */
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(owners[i].name, "b") == 0) {
            CHECK_EQ(owners[i].bytes, MIB(2) + 8192);
            CHECK_EQ(owners[i].blocks, 2);
        }
        if (strcmp(owners[i].name, "a") == 0)
            CHECK_EQ(owners[i].bytes, 4096);
    }
    CHECK_EQ(frame_owners_get(owners, 1), 3);
    CHECK_EQ(frame_owners_get(NULL, 0), 3);
}

TEST(frame, wrong_frees_panic)
{
    char *p;

    open_all();
    p = frame_alloc(8192, 0, "x");
    CHECK_PANICS(frame_free(p + 4096));
    CHECK_PANICS(frame_free(&p));
    frame_free(p);
    CHECK_PANICS(frame_free(p));
    CHECK_CONTAINS(host_panic_text, "freed, but not allocated");
}

TEST(frame, senseless_requests_panic)
{
    open_all();
    CHECK_PANICS((void)!frame_alloc(0, 0, "x"));
    CHECK_PANICS((void)!frame_alloc(1, 3, "x"));
    CHECK_PANICS((void)!frame_alloc(1, GIB(2), "x"));
    CHECK_PANICS((void)!frame_alloc(1, 0, NULL));
    CHECK_CONTAINS(host_panic_text, "nobody");
}

/* ---- refusals ---- */

static void refused(const struct mm_range *ram, unsigned n, enum status status,
                    const char *reason)
{
    host_console_clear();
    CHECK_EQ(mm_init(ram, n), status);
    CHECK_CONTAINS(host_console_text(), reason);
    CHECK_EQ(stats().total, 0);
}

TEST(frame, unsorted_and_overlapping_ranges_are_refused)
{
    const uint64_t base = arena();
    const struct mm_range unsorted[] = { { base + MIB(8), MIB(8) },
                                         { base, MIB(8) } };
    const struct mm_range overlap[] = { { base, MIB(8) + 4096 },
                                        { base + MIB(8), MIB(8) } };
    const struct mm_range twice[] = { { base, MIB(8) }, { base, MIB(8) } };

    refused(unsorted, 2, E_INVALID, "range 1 starts at");
    refused(overlap, 2, E_INVALID, "before range 0 ends");
    refused(twice, 2, E_INVALID, "before range 0 ends");
}

TEST(frame, broken_ranges_are_refused)
{
    const uint64_t base = arena();
    const struct mm_range start = { base + 1, MIB(8) };
    const struct mm_range length = { base, MIB(8) + 1 };
    const struct mm_range wraps = { 0 - MIB(1), MIB(8) };

    refused(&start, 1, E_INVALID, "not made of 4 KiB pages");
    refused(&length, 1, E_INVALID, "not made of 4 KiB pages");
    refused(&wraps, 1, E_INVALID, "leaves 64 bits");
}

TEST(frame, too_little_memory_is_one_line)
{
    const uint64_t base = arena();
    const struct mm_range small = { base, MIB(4) - 4096 };
    struct mm_range crumbs[1024];

    for (unsigned i = 0; i < 1024; i++)
        crumbs[i] = (struct mm_range) { base + i * KIB(16), KIB(8) };
    refused(NULL, 0, E_NOMEM, "0 KiB free in 0 ranges, at least 4096 KiB");
    refused(&small, 1, E_NOMEM, "4092 KiB free in 1 ranges");
    /* 8 MiB, but nowhere enough for the records */
    refused(crumbs, 1024, E_NOMEM, "8192 KiB free in 1024 ranges");
    CHECK(strchr(host_console_text(), '\n') ==
          strrchr(host_console_text(), '\n'));
}

TEST(frame, opening_twice_is_refused)
{
    const struct mm_range ram = { arena(), ARENA };

    CHECK_EQ(mm_init(&ram, 1), OK);
    CHECK_EQ(mm_init(&ram, 1), E_STATE);
    CHECK_EQ(stats().total, ARENA);
    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
}

/* ---- sizes of machines ---- */

TEST(frame, page_0_is_never_handed_out)
{
    const uint64_t base = arena();
    const struct mm_range ram[] = { { 0, 8192 }, { base, ARENA } };

    CHECK_EQ(mm_init(ram, 2), OK);
    CHECK_EQ(stats().total, ARENA + 4096);
    /* the smallest gap is the page behind it */
    CHECK_EQ((uintptr_t)frame_alloc(4096, 0, "x"), 4096);
    CHECK((uintptr_t)frame_alloc(4096, 0, "x") >= base);
}

TEST(frame, two_tib_machine)
{
    const uint64_t bytes = GIB(2048);
    struct mm_range ram;
    uint64_t sum = 0;

    mm_close();
    ram = (struct mm_range) { reserve(bytes), bytes };
    CHECK_EQ(mm_init(&ram, 1), OK);
    CHECK_EQ(stats().total, bytes);
    CHECK(stats().used <= KIB(64)); /* no table grows with the memory */
    for (unsigned i = 0; i < 100; i++) {
        CHECK(frame_alloc(GIB(20), 0, "x") != NULL);
        sum += GIB(20);
    }
    CHECK_EQ(sum, GIB(2000));
    CHECK(frame_alloc(GIB(48), 0, "x") == NULL); /* our records took a bit */
    CHECK(frame_alloc(GIB(47), 0, "x") != NULL);
    mm_close();
}

TEST(frame, thousand_ranges)
{
    const uint64_t base = reserve(GIB(4));
    struct mm_range ram[1024];

    mm_close();
    for (unsigned i = 0; i < 1024; i++)
        ram[i] = (struct mm_range) { base + i * MIB(4) + 4096, MIB(2) };
    CHECK_EQ(mm_init(ram, 1024), OK);
    CHECK_EQ(stats().total, GIB(2));
    CHECK_EQ(stats().ranges, 1024);
    CHECK(frame_alloc(MIB(1), 0, "x") != NULL);
    /* 2 MiB each, but none holds a whole frame */
    CHECK(frame_alloc(MIB(2), 0, "x") == NULL);
    mm_close();
}
