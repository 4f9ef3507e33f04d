/*
 * frame.c - physical memory as one sorted list of blocks
 *
 * A machine holds a few thousand blocks at most, for nothing is allocated after
 * start; so a list serves a 1 TiB machine as well as a small one, and no table
 * grows with the memory. Records live in pages that we own ourselves: what a
 * device may write to never holds our pointers.
 *
 *   F1  blocks are sorted, never overlap, and cover exactly what was given
 *   F2  two free blocks never touch: they are merged at once
 *   F3  page 0 is in no block
 *   F4  used + free == total
 */
#include "mm/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>

#include "mm/node.h"

#define RECORDS_OWNER    "memory records"
#define RECORDS_AT_LEAST 128
#define RECORDS_KEPT     4 /* one allocation needs two, growing needs one */

struct block {
    uint64_t base;
    uint64_t bytes;
    const char *owner; /* NULL = free */
    struct block *prev, *next;
};

static struct {
    struct block *first;
    struct block *spare; /* unused records, linked by next */
    unsigned spares;
    unsigned ranges;
    uint64_t total;
    uint64_t used;
} frames;

/* ---- records ---- */

static void records_add(void *memory, uint64_t bytes)
{
    struct block *b = memory;

    for (uint64_t i = 0; i < bytes / sizeof(*b); i++) {
        b[i].next = frames.spare;
        frames.spare = &b[i];
        frames.spares++;
    }
}

static struct block *record_get(void)
{
    struct block *b = frames.spare;

    if (b == NULL)
        panic("frame: out of records"); /* RECORDS_KEPT prevents it */
    frames.spare = b->next;
    frames.spares--;
    return b;
}

static void record_put(struct block *b)
{
    b->next = frames.spare;
    frames.spare = b;
    frames.spares++;
}

/* ---- the list ---- */

static void insert_after(struct block *prev, struct block *b)
{
    b->prev = prev;
    b->next = prev == NULL ? frames.first : prev->next;
    if (b->next != NULL)
        b->next->prev = b;
    if (prev == NULL)
        frames.first = b;
    else
        prev->next = b;
}

static void unlink_block(struct block *b)
{
    if (b->prev == NULL)
        frames.first = b->next;
    else
        b->prev->next = b->next;
    if (b->next != NULL)
        b->next->prev = b->prev;
}

/* Cut @b at @bytes: @b keeps the front; returns the rest. */
static struct block *split(struct block *b, uint64_t bytes)
{
    struct block *rest = record_get();

    rest->base = b->base + bytes;
    rest->bytes = b->bytes - bytes;
    rest->owner = b->owner;
    b->bytes = bytes;
    insert_after(b, rest);
    return rest;
}

/* @b takes in the block behind it when both are free and touch (F2). */
static void merge_next(struct block *b)
{
    struct block *next = b->next;

    if (next == NULL || b->owner != NULL || next->owner != NULL ||
        b->base + b->bytes != next->base)
        return;
    b->bytes += next->bytes;
    unlink_block(next);
    record_put(next);
}

/* Give [start, start + bytes) of the free block @b to @owner. */
static void *carve(struct block *b, uint64_t start, uint64_t bytes,
                   const char *owner)
{
    if (start != b->base)
        b = split(b, start - b->base);
    if (bytes != b->bytes)
        split(b, bytes);
    b->owner = owner;
    frames.used += bytes;
    return (void *)(uintptr_t)start;
}

/* ---- init ---- */

static enum status check_ranges(const struct mm_range *r, unsigned count,
                                uint64_t *total)
{
    uint64_t end = 0;

    *total = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned long long base = r[i].base, bytes = r[i].bytes;

        if (base % PAGE_BYTES != 0 || bytes % PAGE_BYTES != 0) {
            log_error("memory: range %u, %#llx + %#llx, is not made of 4 KiB "
                      "pages",
                      i, base, bytes);
            return E_INVALID;
        }
        if (base + bytes < base) {
            log_error("memory: range %u, %#llx + %#llx, leaves 64 bits", i,
                      base, bytes);
            return E_INVALID;
        }
        if (base < end) {
            log_error("memory: range %u starts at %#llx, before range %u ends "
                      "at %#llx",
                      i, base, i - 1, (unsigned long long)end);
            return E_INVALID;
        }
        end = base + bytes;
        *total += bytes;
    }
    return OK;
}

/* @r without page 0 (F3). */
static struct mm_range without_page_0(struct mm_range r)
{
    if (r.base == 0 && r.bytes != 0) {
        r.base += PAGE_BYTES;
        r.bytes -= PAGE_BYTES;
    }
    return r;
}

/* The smallest range that can hold @bytes of records, or @count. */
static unsigned records_home(const struct mm_range *ranges, unsigned count,
                             uint64_t bytes)
{
    unsigned best = count;
    uint64_t best_bytes = UINT64_MAX;

    for (unsigned i = 0; i < count; i++) {
        const struct mm_range r = without_page_0(ranges[i]);

        if (r.bytes >= bytes && r.bytes < best_bytes) {
            best = i;
            best_bytes = r.bytes;
        }
    }
    return best;
}

/* Append @r behind @last; returns the new last block. */
static struct block *add_range(struct block *last, struct mm_range r)
{
    struct block *b;

    if (r.bytes == 0)
        return last;
    frames.ranges++;
    frames.total += r.bytes;
    if (last != NULL && last->base + last->bytes == r.base) {
        last->bytes += r.bytes;
        return last;
    }
    b = record_get();
    b->base = r.base;
    b->bytes = r.bytes;
    b->owner = NULL;
    insert_after(last, b);
    return b;
}

static struct block *block_holding(uint64_t base)
{
    struct block *b = frames.first;

    while (b != NULL && base - b->base >= b->bytes)
        b = b->next;
    return b;
}

enum status frame_init(const struct mm_range *ranges, unsigned count)
{
    const uint64_t bytes =
        align_up((count + (uint64_t)RECORDS_AT_LEAST) * sizeof(struct block),
                 PAGE_BYTES);
    struct block *last = NULL;
    uint64_t total, home_base;
    enum status status;
    unsigned home;

    if (frames.first != NULL) {
        log_error("memory: taken over already");
        return E_STATE;
    }
    status = check_ranges(ranges, count, &total);
    if (status != OK)
        return status;
    home = records_home(ranges, count, bytes);
    if (total < MM_BYTES_MIN || home == count) {
        log_error("memory: %llu KiB free in %u ranges, at least %llu KiB "
                  "needed",
                  (unsigned long long)(total >> 10), count,
                  (unsigned long long)(MM_BYTES_MIN >> 10));
        return E_NOMEM;
    }
    home_base = without_page_0(ranges[home]).base;
    records_add((void *)(uintptr_t)home_base, bytes);
    for (unsigned i = 0; i < count; i++)
        last = add_range(last, without_page_0(ranges[i]));
    carve(block_holding(home_base), home_base, bytes, RECORDS_OWNER);
    return OK;
}

void frame_close(void)
{
    memset(&frames, 0, sizeof(frames));
}

/* ---- alloc, free ---- */

/* What is asked for. It has to be within [low, end). */
struct need {
    uint64_t bytes, align;
    uint64_t low, end;
};

/* Lowest place for it in @b, or 0: page 0 is never ours (F3). */
static uint64_t place_in(const struct block *b, const struct need *need)
{
    const uint64_t low = b->base > need->low ? b->base : need->low;
    const uint64_t start = align_up(low, need->align);
    uint64_t end = b->base + b->bytes;

    if (end > need->end)
        end = need->end;
    if (b->owner != NULL || start < low || start >= end ||
        end - start < need->bytes)
        return 0;
    return start;
}

/*
 * Large needs take the lowest gap, small ones the smallest: range ends and
 * broken frames are used up before a whole frame is broken.
 */
static void *alloc_within(const struct need *need, const char *owner)
{
    struct block *best = NULL;

    for (struct block *b = frames.first; b != NULL; b = b->next) {
        if (place_in(b, need) == 0)
            continue;
        if (best == NULL || b->bytes < best->bytes)
            best = b;
        if (need->bytes >= FRAME_BYTES)
            break;
    }
    if (best == NULL)
        return NULL;
    return carve(best, place_in(best, need), need->bytes, owner);
}

/* At the node that is preferred, if there is room. */
static void *alloc_near(struct need need, const char *owner)
{
    const uint32_t node = node_preferred();
    const struct node_range *r;
    void *memory;

    if (node == NODE_ANY)
        return NULL;
    for (unsigned i = 0; (r = node_range_get(i)) != NULL; i++) {
        if (r->node != node)
            continue;
        need.low = r->base;
        need.end = r->base + r->bytes;
        memory = alloc_within(&need, owner);
        if (memory != NULL)
            return memory;
    }
    node_count_miss();
    return NULL;
}

static void *alloc_pages(uint64_t bytes, uint64_t align, const char *owner)
{
    const struct need need = { bytes, align, 0, UINT64_MAX };
    void *memory = alloc_near(need, owner);

    return memory != NULL ? memory : alloc_within(&need, owner);
}

static bool records_keep(void)
{
    void *page;

    if (frames.spares >= RECORDS_KEPT)
        return true;
    page = alloc_pages(PAGE_BYTES, PAGE_BYTES, RECORDS_OWNER);
    if (page == NULL)
        return false;
    records_add(page, PAGE_BYTES);
    return true;
}

void *frame_alloc(uint64_t bytes, uint64_t align, const char *owner)
{
    if (align == 0)
        align = PAGE_BYTES;
    if (bytes == 0 || !is_power_of_2(align) || align > BIT64(30) ||
        owner == NULL)
        panic("frame: %llu bytes at a multiple of %llu asked by %s",
              (unsigned long long)bytes, (unsigned long long)align,
              owner == NULL ? "nobody" : owner);
    if (bytes > UINT64_MAX - PAGE_BYTES || !records_keep())
        return NULL;
    if (align < PAGE_BYTES)
        align = PAGE_BYTES;
    if (bytes >= FRAME_BYTES && align < FRAME_BYTES)
        align = FRAME_BYTES;
    return alloc_pages(align_up(bytes, PAGE_BYTES), align, owner);
}

static struct block *allocated_at(const void *memory)
{
    struct block *b = block_holding((uintptr_t)memory);

    if (b == NULL || b->owner == NULL || b->base != (uintptr_t)memory)
        return NULL;
    return b;
}

void frame_free(void *memory)
{
    struct block *b = allocated_at(memory);

    if (b == NULL)
        panic("frame: %p freed, but not allocated", memory);
    b->owner = NULL;
    frames.used -= b->bytes;
    merge_next(b);
    if (b->prev != NULL)
        merge_next(b->prev);
}

uint64_t frame_block_bytes(const void *memory)
{
    const struct block *b = allocated_at(memory);

    return b == NULL ? 0 : b->bytes;
}

/* ---- figures ---- */

void frame_stats_get(struct frame_stats *stats)
{
    *stats = (struct frame_stats) { .total = frames.total,
                                    .used = frames.used,
                                    .free = frames.total - frames.used,
                                    .ranges = frames.ranges };
    for (const struct block *b = frames.first; b != NULL; b = b->next)
        if (b->owner == NULL && b->bytes > stats->largest_free)
            stats->largest_free = b->bytes;
}

/* Is @b the first block of its owner? */
static bool owner_is_new(const struct block *b)
{
    for (const struct block *p = b->prev; p != NULL; p = p->prev)
        if (p->owner != NULL && strcmp(p->owner, b->owner) == 0)
            return false;
    return true;
}

static struct frame_owner owner_sum(const struct block *first)
{
    struct frame_owner sum = { .name = first->owner,
                               .node = node_of(first->base, first->bytes) };

    for (const struct block *b = first; b != NULL; b = b->next) {
        if (b->owner == NULL || strcmp(b->owner, first->owner) != 0)
            continue;
        sum.bytes += b->bytes;
        sum.blocks++;
        if (node_of(b->base, b->bytes) != sum.node)
            sum.node = NODE_ANY;
    }
    return sum;
}

unsigned frame_owners_get(struct frame_owner *out, unsigned max)
{
    unsigned count = 0;

    for (const struct block *b = frames.first; b != NULL; b = b->next) {
        if (b->owner == NULL || !owner_is_new(b))
            continue;
        if (count < max)
            out[count] = owner_sum(b);
        count++;
    }
    return count;
}
