/*
 * paging.c - builds page tables
 *
 *   T1  an entry is 0 (free), a guard mark, a table or a page
 *   T2  tables allow everything; rights are in the pages alone
 *   T3  an entry goes from one valid value to another in one store, so tables
 *       may be live while we work
 *   T4  page 0 is a guard
 */
#include "mm/paging.h"

#include <millrace/bits.h>
#include <millrace/log.h>

#include "mm/frame.h"
#include "mm/paging_entry.h"

/* ---- addresses ---- */

static uint64_t half_bytes(const struct paging *pg)
{
    return BIT64(12 + 9 * pg->config.levels - 1);
}

/* Is [virt, virt + bytes) inside one canonical half? */
static bool is_canonical(const struct paging *pg, uint64_t virt, uint64_t bytes)
{
    const uint64_t half = half_bytes(pg);
    const uint64_t into_half = virt < half ? virt : virt - (0 - half);

    return (virt < half || virt >= 0 - half) && bytes <= half - into_half;
}

static bool phys_fits(const struct paging *pg, uint64_t phys, uint64_t bytes)
{
    const uint64_t end = BIT64(pg->config.phys_bits);

    return phys < end && bytes <= end - phys;
}

static enum status check_region(const struct paging *pg,
                                const struct paging_region *r)
{
    const unsigned long long virt = r->virt, phys = r->phys, bytes = r->bytes;
    const unsigned both = PAGING_WRITE | PAGING_EXEC;

    if (bytes == 0 || (virt | phys | bytes) % PAGE_BYTES != 0) {
        log_error("paging: %#llx -> %#llx + %#llx is not made of pages", virt,
                  phys, bytes);
        return E_INVALID;
    }
    if ((r->flags & both) == both) {
        log_error("paging: %#llx + %#llx asked writable and executable", virt,
                  bytes);
        return E_INVALID;
    }
    if (!phys_fits(pg, phys, bytes)) {
        log_error("paging: physical %#llx + %#llx leaves %u bits", phys, bytes,
                  pg->config.phys_bits);
        return E_RANGE;
    }
    if (!is_canonical(pg, virt, bytes)) {
        log_error("paging: virtual %#llx + %#llx leaves %u bits", virt, bytes,
                  12 + 9 * pg->config.levels);
        return E_RANGE;
    }
    return OK;
}

/* ---- tables ---- */

static uint64_t *table_new(struct paging *pg)
{
    uint64_t *table = pg->config.page(pg->config.context);

    if (table == NULL) {
        log_error("paging: no memory for a table, %u are in use", pg->tables);
        return NULL;
    }
    pg->tables++;
    return table;
}

static void entry_set(uint64_t *entry, uint64_t value)
{
    __atomic_store_n(entry, value, __ATOMIC_RELEASE); /* T3 */
}

static uint64_t page_entry(uint64_t phys, unsigned flags, unsigned level)
{
    return phys | ENTRY_PRESENT | ENTRY_ACCESSED | ENTRY_DIRTY |
           (level > 0 ? ENTRY_LARGE : 0) |
           ((flags & PAGING_WRITE) != 0 ? ENTRY_WRITE : 0) |
           ((flags & PAGING_EXEC) != 0 ? 0 : ENTRY_NX) |
           ((flags & PAGING_UNCACHED) != 0 ? ENTRY_PWT | ENTRY_PCD : 0) |
           ((flags & PAGING_COMBINED) != 0 ? ENTRY_PWT : 0);
}

/* The table below @entry, made when there is none, split from a large page. */
static uint64_t *table_below(struct paging *pg, uint64_t *entry, unsigned level)
{
    const uint64_t old = *entry;
    uint64_t *table;

    if (entry_is_table(old, level))
        return entry_table(old);
    table = table_new(pg);
    if (table == NULL)
        return NULL;
    if (entry_is_page(old, level)) {
        const uint64_t part = level_bytes(level - 1);
        const uint64_t kind = level > 1 ? old : old & ~ENTRY_LARGE;

        for (unsigned i = 0; i < ENTRIES; i++)
            table[i] = kind + i * part;
    }
    entry_set(entry,
              (uintptr_t)table | ENTRY_PRESENT | ENTRY_WRITE | ENTRY_ACCESSED);
    return table;
}

static enum status check_config(const struct paging_config *config)
{
    if ((config->levels != 4 && config->levels != 5) ||
        config->phys_bits < 32 || config->phys_bits > 52) {
        log_error("paging: %u levels and %u physical bits, expected 4 or 5 and "
                  "32 to 52",
                  config->levels, config->phys_bits);
        return E_INVALID;
    }
    return OK;
}

enum status paging_adopt(struct paging *pg, const struct paging_config *config,
                         uint64_t *root)
{
    const enum status status = check_config(config);

    if (status != OK)
        return status;
    *pg = (struct paging) { .config = *config, .root = root };
    pg->window = 0 - half_bytes(pg);
    return paging_guard(pg, 0); /* T4 */
}

enum status paging_init(struct paging *pg, const struct paging_config *config)
{
    const enum status status = check_config(config);
    enum status adopted;
    uint64_t *root;

    if (status != OK)
        return status;
    *pg = (struct paging) { .config = *config };
    root = table_new(pg);
    if (root == NULL)
        return E_NOMEM;
    adopted = paging_adopt(pg, config, root);
    pg->tables++; /* the root, which is ours */
    return adopted;
}

/* ---- map ---- */

/* Where a walk ended: the entry that is no table, and its level. */
struct spot {
    uint64_t *entry;
    unsigned level;
};

static struct spot find(const struct paging *pg, uint64_t virt)
{
    uint64_t *table = pg->root;
    unsigned level = pg->config.levels - 1;

    for (;; level--) {
        uint64_t *entry = &table[entry_index(virt, level)];

        if (!entry_is_table(*entry, level))
            return (struct spot) { entry, level };
        table = entry_table(*entry);
    }
}

/* Bytes from @virt to the end of the entry of @level around it, or @most. */
static uint64_t span(uint64_t virt, unsigned level, uint64_t most)
{
    const uint64_t size = level_bytes(level);
    const uint64_t left = size - (virt & (size - 1));

    return left < most ? left : most;
}

/* Does @spot lead @virt to what @r wants there? */
static bool is_same(struct spot spot, const struct paging_region *r,
                    uint64_t done)
{
    /* Adopted tables may have pages that nobody touched yet. */
    const uint64_t history = ENTRY_ACCESSED | ENTRY_DIRTY;
    const uint64_t mask = level_bytes(spot.level) - 1;
    const uint64_t phys = (r->phys + done) - ((r->virt + done) & mask);

    return (phys & mask) == 0 &&
           (*spot.entry | history) == page_entry(phys, r->flags, spot.level);
}

static enum status check_free(const struct paging *pg,
                              const struct paging_region *r)
{
    uint64_t done = 0;

    while (done < r->bytes) {
        const struct spot spot = find(pg, r->virt + done);

        if (*spot.entry != 0 && !is_same(spot, r, done)) {
            log_error("paging: %#llx -> %#llx refused: %s",
                      (unsigned long long)(r->virt + done),
                      (unsigned long long)(r->phys + done),
                      *spot.entry == ENTRY_GUARD ? "it is a guard page"
                                                 : "mapped otherwise");
            return E_EXIST;
        }
        done += span(r->virt + done, spot.level, r->bytes - done);
    }
    return OK;
}

/* May one page of @level map @virt to @phys, with @bytes left to map? */
static bool page_fits(const struct paging *pg, unsigned level, uint64_t virt,
                      uint64_t phys, uint64_t bytes)
{
    const uint64_t size = level_bytes(level);

    return level <= (pg->config.has_1g ? 2u : 1u) && bytes >= size &&
           ((virt | phys) & (size - 1)) == 0;
}

/* Map at @virt with one page; *@bytes comes back as what it covers. */
static enum status map_one(struct paging *pg, uint64_t virt, uint64_t phys,
                           unsigned flags, uint64_t *bytes)
{
    struct spot spot = find(pg, virt);
    uint64_t *table;

    while (*spot.entry == 0 && !page_fits(pg, spot.level, virt, phys, *bytes)) {
        table = table_below(pg, spot.entry, spot.level);
        if (table == NULL)
            return E_NOMEM;
        spot.level--;
        spot.entry = &table[entry_index(virt, spot.level)];
    }
    if (*spot.entry == 0)
        entry_set(spot.entry, page_entry(phys, flags, spot.level));
    *bytes = span(virt, spot.level, *bytes);
    return OK;
}

enum status paging_map(struct paging *pg, const struct paging_region *r)
{
    enum status status = check_region(pg, r);
    uint64_t done = 0;

    if (status == OK)
        status = check_free(pg, r);
    while (status == OK && done < r->bytes) {
        uint64_t part = r->bytes - done;

        status = map_one(pg, r->virt + done, r->phys + done, r->flags, &part);
        done += part;
    }
    return status;
}

static enum status map_outside(struct paging *pg, uint64_t phys, uint64_t bytes,
                               unsigned type, uint64_t *virt)
{
    const uint64_t into_page = phys % PAGE_BYTES;
    struct paging_region r = { .phys = phys - into_page,
                               .flags = PAGING_WRITE | type };
    enum status status;

    if (bytes == 0 || !phys_fits(pg, phys, bytes)) {
        log_error("paging: device at %#llx + %#llx leaves %u bits",
                  (unsigned long long)phys, (unsigned long long)bytes,
                  pg->config.phys_bits);
        return E_RANGE;
    }
    r.bytes = align_up(into_page + bytes, PAGE_BYTES);
    r.virt = is_canonical(pg, r.phys, r.bytes) ? r.phys : pg->window;
    status = paging_map(pg, &r);
    if (status != OK)
        return status;
    if (r.virt == pg->window)
        pg->window += align_up(r.bytes, FRAME_BYTES);
    *virt = r.virt + into_page;
    return OK;
}

enum status paging_map_device(struct paging *pg, uint64_t phys, uint64_t bytes,
                              uint64_t *virt)
{
    return map_outside(pg, phys, bytes, PAGING_UNCACHED, virt);
}

enum status paging_map_combined(struct paging *pg, uint64_t phys,
                                uint64_t bytes, uint64_t *virt)
{
    return map_outside(pg, phys, bytes, PAGING_COMBINED, virt);
}

enum status paging_guard(struct paging *pg, uint64_t virt)
{
    struct spot spot;

    if (virt % PAGE_BYTES != 0)
        return E_INVALID;
    if (!is_canonical(pg, virt, PAGE_BYTES))
        return E_RANGE;
    spot = find(pg, virt);
    while (spot.level > 0) {
        uint64_t *table = table_below(pg, spot.entry, spot.level);

        if (table == NULL)
            return E_NOMEM;
        spot.level--;
        spot.entry = &table[entry_index(virt, spot.level)];
    }
    entry_set(spot.entry, ENTRY_GUARD);
    return OK;
}

static unsigned type_of(uint64_t entry)
{
    if ((entry & ENTRY_PCD) != 0)
        return PAGING_UNCACHED;
    return (entry & ENTRY_PWT) != 0 ? PAGING_COMBINED : 0;
}

bool paging_query(const struct paging *pg, uint64_t virt,
                  struct paging_page *page)
{
    struct spot spot;

    if (!is_canonical(pg, virt, 1))
        return false;
    spot = find(pg, virt);
    if (!entry_is_page(*spot.entry, spot.level))
        return false;
    page->bytes = level_bytes(spot.level);
    page->phys = entry_phys(*spot.entry) + (virt & (page->bytes - 1));
    page->flags = type_of(*spot.entry) |
                  ((*spot.entry & ENTRY_WRITE) != 0 ? PAGING_WRITE : 0) |
                  ((*spot.entry & ENTRY_NX) == 0 ? PAGING_EXEC : 0);
    return true;
}
