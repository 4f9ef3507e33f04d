/*
 * vfio_dma_test.c - guest memory as the model sees it (D1..D5 of dma.c)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/dma.h"
#include "server/proto.h"
#include "tests/unit/test.h"

static struct dma_space space;

static int ram(size_t bytes)
{
    const int fd = memfd_create("ram", MFD_CLOEXEC);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

static int map(uint64_t addr, uint64_t size, int fd, uint64_t offset)
{
    return dma_space_map(&space, addr, size, true, true, fd, offset);
}

/* How often does our address space name the file of @fd? */
static unsigned mappings_of(const char *name)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512];
    unsigned n = 0;

    while (fgets(line, sizeof(line), f) != NULL)
        n += strstr(line, name) != NULL;
    fclose(f);
    return n;
}

TEST(vfio_dma, bytes_written_through_a_range_land_in_the_file)
{
    const int fd = ram(0x10000);
    uint8_t back[4];
    size_t got;
    uint8_t *p;

    CHECK_EQ(map(0x100000, 0x4000, fd, 0x8000), 0);
    p = dma_space_translate(&space, 0x101234, 4, true, &got);
    CHECK(p != NULL);
    CHECK_EQ(got, 4);
    memcpy(p, "\x11\x22\x33\x44", 4);
    CHECK_EQ(pread(fd, back, 4, 0x8000 + 0x1234), 4);
    CHECK_BYTES(back, "\x11\x22\x33\x44", 4);
    close(fd);
    dma_space_clear(&space);
}

TEST(vfio_dma, one_file_is_mapped_once_however_many_ranges_use_it)
{
    const int fd = ram(0x100000);
    size_t got;

    for (unsigned i = 0; i < 128; i++)
        CHECK_EQ(
            map(0x1000000 + i * 0x3000ull, 0x1000, fd, (127 - i) * 0x1000ull),
            0);
    CHECK_EQ(mappings_of("memfd:ram"), 1);
    CHECK(dma_space_translate(&space, 0x1000000 + 0x3000, 1, true, &got) ==
          (uint8_t *)dma_space_translate(&space, 0x1000000, 1, true, &got) -
              0x1000);
    dma_space_clear(&space);
    CHECK_EQ(mappings_of("memfd:ram"), 0);
    close(fd);
}

TEST(vfio_dma, file_stays_mapped_until_its_last_range_goes)
{
    const int fd = ram(0x2000);

    CHECK_EQ(map(0, 0x1000, fd, 0), 0);
    CHECK_EQ(map(0x5000, 0x1000, fd, 0x1000), 0);
    CHECK_EQ(dma_space_unmap(&space, 0, 0x1000), 0);
    CHECK_EQ(mappings_of("memfd:ram"), 1);
    CHECK_EQ(dma_space_unmap(&space, 0x5000, 0x1000), 0);
    CHECK_EQ(mappings_of("memfd:ram"), 0);
    close(fd);
    dma_space_clear(&space);
}

TEST(vfio_dma, overlap_is_refused_wherever_it_is)
{
    const int fd = ram(0x10000);

    CHECK_EQ(map(0x10000, 0x4000, fd, 0), 0);
    CHECK_EQ(map(0x10000, 0x4000, fd, 0), EEXIST);
    CHECK_EQ(map(0xf000, 0x1001, fd, 0), EEXIST);
    CHECK_EQ(map(0x13fff, 0x1000, fd, 0), EEXIST);
    CHECK_EQ(map(0x11000, 0x1000, fd, 0), EEXIST);
    CHECK_EQ(map(0xf000, 0x8000, fd, 0), EEXIST);
    CHECK_EQ(map(0xf000, 0x1000, fd, 0), 0);
    CHECK_EQ(map(0x14000, 0x1000, fd, 0), 0);
    CHECK_EQ(space.count, 3);
    dma_space_clear(&space);
    close(fd);
}

/* D4: else a descriptor's quadword would be an unaligned one for us. */
TEST(vfio_dma, a_range_that_lies_askew_in_its_pages_is_refused)
{
    const int fd = ram(0x4000);

    CHECK_EQ(map(0x100001, 0x1000, fd, 0), EINVAL);
    CHECK_EQ(map(0x100000, 0x1000, fd, 4), EINVAL);
    CHECK_EQ(map(0x100004, 0x1000, fd, 4), 0);
    CHECK_EQ(map(0x200004, 0x1000, -1, 0), 0); /* out of reach anyway */
    dma_space_clear(&space);
    close(fd);
}

TEST(vfio_dma, impossible_ranges_are_refused)
{
    const int fd = ram(0x4000);

    CHECK_EQ(map(0, 0, fd, 0), EINVAL);
    CHECK_EQ(map(UINT64_MAX - 0xfff, 0x1001, -1, 0), EINVAL);
    CHECK_EQ(map(UINT64_MAX - 0xfff, 0x1000, -1, 0), 0);
    CHECK_EQ(map(0, 0x5000, fd, 0), EINVAL);
    CHECK_EQ(map(0, 0x1000, fd, 0x4000), EINVAL);
    CHECK_EQ(map(0, 0x1000, fd, UINT64_MAX - 0x7ff), EINVAL);
    CHECK_EQ(map(0, 0x1000, 9999, 0), EBADF);
    CHECK_EQ(space.count, 1);
    dma_space_clear(&space);
    close(fd);
}

TEST(vfio_dma, things_that_are_no_memory_are_refused)
{
    int pipes[2];
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    CHECK_EQ(pipe(pipes), 0);
    CHECK_EQ(map(0, 0x1000, pipes[0], 0), EINVAL);
    CHECK_EQ(map(0, 0x1000, null, 0), EINVAL);
    CHECK_EQ(space.count, 0);
    close(pipes[0]);
    close(pipes[1]);
    close(null);
}

TEST(vfio_dma, read_only_file_serves_read_only_ranges)
{
    char path[] = "/tmp/vfio_dma_XXXXXX";
    const int rw = mkstemp(path);
    const int ro = open(path, O_RDONLY | O_CLOEXEC);
    size_t got;

    CHECK_EQ(ftruncate(rw, 0x1000), 0);
    CHECK_EQ(dma_space_map(&space, 0, 0x1000, true, true, ro, 0), EACCES);
    CHECK_EQ(dma_space_map(&space, 0, 0x1000, true, false, ro, 0), 0);
    CHECK(dma_space_translate(&space, 0, 8, false, &got) != NULL);
    CHECK(dma_space_translate(&space, 0, 8, true, &got) == NULL);
    /* the same file again, now writable: that mapping would not do */
    CHECK_EQ(dma_space_map(&space, 0x1000, 0x1000, true, true, rw, 0), 0);
    CHECK(dma_space_translate(&space, 0x1000, 8, true, &got) != NULL);
    dma_space_clear(&space);
    close(rw);
    close(ro);
    unlink(path);
}

TEST(vfio_dma, access_crosses_ranges_piece_by_piece)
{
    const int fd = ram(0x3000);
    size_t got;

    CHECK_EQ(map(0x1000, 0x1000, fd, 0x2000), 0);
    CHECK_EQ(map(0x2000, 0x1000, fd, 0), 0);
    CHECK(dma_space_translate(&space, 0x1ff0, 64, false, &got) != NULL);
    CHECK_EQ(got, 16);
    CHECK(dma_space_translate(&space, 0x2000, 48, false, &got) != NULL);
    CHECK_EQ(got, 48);
    CHECK(dma_space_translate(&space, 0x3000, 1, false, &got) == NULL);
    CHECK(dma_space_translate(&space, 0xfff, 1, false, &got) == NULL);
    dma_space_clear(&space);
    close(fd);
}

TEST(vfio_dma, unmap_takes_whole_ranges_and_never_part_of_one)
{
    const int fd = ram(0x4000);
    const uint64_t before = space.generation;

    for (uint64_t i = 0; i < 4; i++)
        CHECK_EQ(map(0x1000 * i, 0x1000, fd, 0x1000 * i), 0);
    CHECK_EQ(dma_space_unmap(&space, 0x800, 0x1000), EINVAL);
    CHECK_EQ(dma_space_unmap(&space, 0x1000, 0x1800), EINVAL);
    CHECK_EQ(dma_space_unmap(&space, 0, 0), EINVAL);
    CHECK_EQ(dma_space_unmap(&space, UINT64_MAX, 2), EINVAL);
    CHECK_EQ(space.count, 4);
    CHECK_EQ(space.generation, before);
    CHECK_EQ(dma_space_unmap(&space, 0x1000, 0x2000), 0);
    CHECK_EQ(space.count, 2);
    CHECK(space.generation != before);
    /* nothing there is no error: IOMMUs flush more than they mapped */
    CHECK_EQ(dma_space_unmap(&space, 0x1000, 0x2000), 0);
    dma_space_clear(&space);
    close(fd);
}

TEST(vfio_dma, range_without_a_file_is_known_but_out_of_reach)
{
    size_t got;

    CHECK_EQ(map(0xffc00000, 0x400000, -1, 0), 0);
    CHECK(dma_space_translate(&space, 0xffc00000, 1, false, &got) == NULL);
    CHECK_EQ(map(0xffd00000, 0x1000, -1, 0), EEXIST);
    CHECK_EQ(dma_space_unmap(&space, 0xffc00000, 0x400000), 0);
    CHECK_EQ(space.count, 0);
    dma_space_clear(&space);
}

/* Against a plain table of pages: random maps, unmaps, look-ups. */
TEST(vfio_dma, behaves_as_a_table_of_pages)
{
    enum { PAGES = 64, STEPS = 20000 };
    const int fd = ram(PAGES * 0x1000);
    uint8_t owner[PAGES] = { 0 }; /* size of the range that covers it */
    uint8_t first[PAGES] = { 0 };
    uint32_t seed = 1;

    for (unsigned step = 0; step < STEPS; step++) {
        unsigned at, n, clear = 1, whole = 1;
        int err;

        seed = seed * 1664525 + 1013904223;
        at = seed >> 8 & (PAGES - 1);
        n = 1 + (seed >> 16 & 3);
        if (at + n > PAGES)
            continue;
        for (unsigned i = at; i < at + n; i++) {
            clear &= owner[i] == 0;
            whole &= owner[i] == 0 ||
                     (first[i] >= at && first[i] + owner[i] <= at + n);
        }
        if (seed >> 24 & 1) {
            err = map(at * 0x1000ull, n * 0x1000ull, fd, at * 0x1000ull);
            CHECK_EQ(err, clear ? 0 : EEXIST);
            for (unsigned i = at; err == 0 && i < at + n; i++) {
                owner[i] = (uint8_t)n;
                first[i] = (uint8_t)at;
            }
        } else {
            err = dma_space_unmap(&space, at * 0x1000ull, n * 0x1000ull);
            CHECK_EQ(err, whole ? 0 : EINVAL);
            for (unsigned i = at; err == 0 && i < at + n; i++)
                owner[i] = 0;
        }
        for (unsigned i = 0; i < PAGES; i++) {
            size_t got = 0;
            void *p = dma_space_translate(&space, i * 0x1000ull + 5, 0x10000,
                                          true, &got);

            CHECK_EQ(p != NULL, owner[i] != 0);
            if (p != NULL)
                CHECK_EQ(got, (first[i] + owner[i] - i) * 0x1000u - 5);
        }
    }
    dma_space_clear(&space);
    close(fd);
}

TEST(vfio_dma, number_of_ranges_has_a_limit)
{
    for (uint64_t i = 0; i < VFU_DMA_RANGES; i++)
        CHECK_EQ(map(i * 0x1000, 0x1000, -1, 0), 0);
    CHECK_EQ(map(VFU_DMA_RANGES * 0x1000ull, 0x1000, -1, 0), ENOSPC);
    dma_space_clear(&space);
}

/* ---- D5: the owner of a file may shorten it ---- */

TEST(vfio_dma, a_file_that_is_shortened_reads_as_zeros_and_is_lost)
{
    const int fd = ram(0x3000), other = ram(0x1000);
    uint8_t *p, *safe;
    size_t got;

    CHECK_EQ(map(0, 0x3000, fd, 0), 0);
    CHECK_EQ(map(0x10000, 0x1000, other, 0), 0);
    p = dma_space_translate(&space, 0, 0x3000, true, &got);
    safe = dma_space_translate(&space, 0x10000, 0x1000, true, &got);
    memset(p, 0x5a, 0x3000);
    *safe = 0x77;
    CHECK_EQ(ftruncate(fd, 0x1000), 0);
    CHECK_EQ(p[0xfff], 0x5a); /* what is left is there */
    CHECK(!dma_space_is_lost(&space));
    CHECK_EQ(*(volatile uint8_t *)(p + 0x2fff), 0);
    CHECK(dma_space_is_lost(&space));
    memset(p, 0x11, 0x3000);
    CHECK_EQ(*safe, 0x77);
    CHECK_EQ(dma_space_unmap(&space, 0, 0x3000), 0);
    CHECK(!dma_space_is_lost(&space));
    dma_space_clear(&space);
    close(fd);
    close(other);
}

TEST(vfio_dma, a_write_is_what_may_find_it_shortened)
{
    const int fd = ram(0x2000);
    size_t got;

    CHECK_EQ(map(0, 0x2000, fd, 0), 0);
    CHECK_EQ(ftruncate(fd, 0), 0);
    memset(dma_space_translate(&space, 0, 0x2000, true, &got), 1, 0x2000);
    CHECK(dma_space_is_lost(&space));
    CHECK_EQ(lseek(fd, 0, SEEK_END), 0);
    dma_space_clear(&space);
    close(fd);
}

static sigjmp_buf out;

static void on_bus(int number)
{
    siglongjmp(out, number);
}

TEST(vfio_dma, a_fault_elsewhere_is_still_its_own_handlers)
{
    const struct sigaction mine = { .sa_handler = on_bus };
    struct sigaction former;
    const int fd = ram(0x1000), mapped = ram(0x1000);
    volatile uint8_t *p = mmap(NULL, 0x1000, PROT_READ, MAP_SHARED, fd, 0);
    volatile int came = 0;

    CHECK(p != MAP_FAILED);
    CHECK_EQ(ftruncate(fd, 0), 0);
    sigaction(SIGBUS, &mine, &former);
    CHECK_EQ(map(0, 0x1000, mapped, 0), 0);
    came = sigsetjmp(out, 1);
    if (came == 0)
        came = p[0] + 1000;
    CHECK_EQ(came, SIGBUS);
    CHECK(!dma_space_is_lost(&space));
    dma_space_clear(&space);
    sigaction(SIGBUS, &former, NULL);
    munmap((void *)p, 0x1000);
    close(fd);
    close(mapped);
}
