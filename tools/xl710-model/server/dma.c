/*
 * dma.c - the guest memory one function may reach
 *
 * A guest behind an IOMMU maps thousands of small pieces of one file. Each
 * file is mapped once, recognised by device and inode, and ranges only point
 * into it.
 *
 *   D1  ranges are sorted by address and disjoint
 *   D2  a range with a file lies inside the mapped part of that file
 *   D3  a file stays mapped while a range uses it, and no longer
 *   D4  what is aligned on the bus is aligned in our memory
 *   D5  a file that its owner shortens reads as zeros, and is known to be lost
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "server/dma.h"
#include "server/lost.h"
#include "server/proto.h"

struct dma_file {
    struct dma_file *next;
    dev_t dev;
    ino_t ino;
    struct lost_watch map;
    bool writable;
    unsigned users;
};

static struct dma_file *file_find(struct dma_space *space,
                                  const struct stat *st, bool writable)
{
    struct dma_file *f;

    for (f = space->files; f != NULL; f = f->next)
        if (f->dev == st->st_dev && f->ino == st->st_ino &&
            f->map.size == (size_t)st->st_size && (f->writable || !writable))
            return f;
    return NULL;
}

static void *file_map(int fd, size_t size, int prot)
{
    return mmap(NULL, size, prot, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

static int file_open(struct dma_space *space, int fd, const struct stat *st,
                     bool writable, struct dma_file **out)
{
    struct dma_file *f = calloc(1, sizeof(*f));

    if (f == NULL)
        return ENOMEM;
    f->map.size = (size_t)st->st_size;
    f->map.base = file_map(fd, f->map.size, PROT_READ | PROT_WRITE);
    f->writable = f->map.base != MAP_FAILED;
    if (f->map.base == MAP_FAILED && !writable)
        f->map.base = file_map(fd, f->map.size, PROT_READ);
    if (f->map.base == MAP_FAILED) {
        const int err = errno;

        free(f);
        return err;
    }
    lost_watch(&f->map);
    f->dev = st->st_dev;
    f->ino = st->st_ino;
    f->next = space->files;
    space->files = f;
    *out = f;
    return 0;
}

static void file_put(struct dma_space *space, struct dma_file *f)
{
    struct dma_file **link = &space->files;

    if (f == NULL || --f->users > 0)
        return;
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    lost_unwatch(&f->map);
    munmap(f->map.base, f->map.size);
    free(f);
}

/* The file behind @fd, mapped, if it really holds [offset, offset + size). */
static int file_get(struct dma_space *space, int fd, uint64_t offset,
                    uint64_t size, bool writable, struct dma_file **out)
{
    struct stat st;
    int err;

    *out = NULL;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) < 0)
        return errno;
    if (st.st_size <= 0 || offset > (uint64_t)st.st_size ||
        size > (uint64_t)st.st_size - offset)
        return EINVAL;
    *out = file_find(space, &st, writable);
    if (*out == NULL) {
        err = file_open(space, fd, &st, writable, out);
        if (err != 0)
            return err;
    }
    (*out)->users++;
    return 0;
}

/* The first range that ends beyond @addr. */
static unsigned lower_bound(const struct dma_space *space, uint64_t addr)
{
    unsigned low = 0, high = space->count;

    while (low < high) {
        const unsigned mid = low + (high - low) / 2;
        const struct dma_range *r = &space->ranges[mid];

        if (addr - r->addr < r->size || addr < r->addr)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static bool grow(struct dma_space *space)
{
    const unsigned room = space->room == 0 ? 64 : space->room * 2;
    struct dma_range *ranges;

    if (space->count < space->room)
        return true;
    ranges = realloc(space->ranges, room * sizeof(*ranges));
    if (ranges == NULL)
        return false;
    space->ranges = ranges;
    space->room = room;
    return true;
}

int dma_space_map(struct dma_space *space, uint64_t addr, uint64_t size,
                  bool readable, bool writable, int fd, uint64_t offset)
{
    struct dma_range *r;
    struct dma_file *file;
    unsigned at;
    int err;

    if (size == 0 || size - 1 > UINT64_MAX - addr)
        return EINVAL;
    at = lower_bound(space, addr);
    if (at < space->count && space->ranges[at].addr <= addr + (size - 1))
        return EEXIST;
    if (fd >= 0 && (addr - offset) % VFU_PAGE != 0)
        return EINVAL; /* D4: rings are accessed as whole words */
    if (space->count == VFU_DMA_RANGES)
        return ENOSPC;
    if (!grow(space))
        return ENOMEM;
    err = file_get(space, fd, offset, size, writable, &file);
    if (err != 0)
        return err;
    r = &space->ranges[at];
    memmove(r + 1, r, (space->count - at) * sizeof(*r));
    *r = (struct dma_range) {
        .addr = addr,
        .size = size,
        .host = file != NULL ? file->map.base + offset : NULL,
        .file = file,
        .readable = readable,
        .writable = writable,
    };
    space->count++;
    return 0;
}

int dma_space_unmap(struct dma_space *space, uint64_t addr, uint64_t size)
{
    const uint64_t last = addr + (size - 1);
    const unsigned from = lower_bound(space, addr);
    unsigned to = from;

    if (size == 0 || last < addr)
        return EINVAL;
    for (; to < space->count && space->ranges[to].addr <= last; to++) {
        const struct dma_range *r = &space->ranges[to];

        if (r->addr < addr || r->addr + (r->size - 1) > last)
            return EINVAL;
    }
    if (to == from)
        return 0;
    for (unsigned i = from; i < to; i++)
        file_put(space, space->ranges[i].file);
    memmove(&space->ranges[from], &space->ranges[to],
            (space->count - to) * sizeof(space->ranges[0]));
    space->count -= to - from;
    space->generation++;
    return 0;
}

void dma_space_clear(struct dma_space *space)
{
    for (unsigned i = 0; i < space->count; i++)
        file_put(space, space->ranges[i].file);
    free(space->ranges);
    space->ranges = NULL;
    space->count = 0;
    space->room = 0;
    space->generation++;
}

bool dma_space_is_lost(const struct dma_space *space)
{
    for (const struct dma_file *f = space->files; f != NULL; f = f->next)
        if (f->map.is_lost)
            return true;
    return false;
}

void *dma_space_translate(struct dma_space *space, uint64_t addr, size_t len,
                          bool write, size_t *got)
{
    const struct dma_range *r;
    uint64_t left;

    if (space->last_hit >= space->count ||
        addr - space->ranges[space->last_hit].addr >=
            space->ranges[space->last_hit].size) {
        space->last_hit = lower_bound(space, addr);
        if (space->last_hit == space->count)
            return NULL;
    }
    r = &space->ranges[space->last_hit];
    if (addr - r->addr >= r->size || r->host == NULL || len == 0 ||
        !(write ? r->writable : r->readable))
        return NULL;
    left = r->size - (addr - r->addr);
    *got = len < left ? len : (size_t)left;
    return r->host + (addr - r->addr);
}
