/*
 * paging_build.c - what the kernel runs with, and the proof that it is W^X
 */
#include <millrace/log.h>

#include "mm/frame.h"
#include "mm/paging.h"
#include "mm/paging_entry.h"

/* Is @phys inside @r? When not, *@end becomes at most the start of @r. */
static bool run_in(const struct paging_region *r, uint64_t phys, uint64_t *end)
{
    if (phys >= r->phys && phys - r->phys < r->bytes) {
        if (r->phys + r->bytes < *end)
            *end = r->phys + r->bytes;
        return true;
    }
    if (phys < r->phys && r->phys < *end)
        *end = r->phys;
    return false;
}

/* Map one range at identity; text and rodata only to be read. */
static enum status map_ram(struct paging *pg, const struct paging_image *image,
                           uint64_t base, uint64_t end)
{
    enum status status = OK;

    while (status == OK && base < end) {
        uint64_t stop = end;
        const bool in_text = run_in(&image->text, base, &stop);
        const bool in_rodata = run_in(&image->rodata, base, &stop);
        const struct paging_region r = {
            .virt = base,
            .phys = base,
            .bytes = stop - base,
            .flags = in_text || in_rodata ? 0 : PAGING_WRITE,
        };

        status = paging_map(pg, &r);
        base = stop;
    }
    return status;
}

static enum status map_section(struct paging *pg,
                               const struct paging_region *section,
                               unsigned flags)
{
    struct paging_region r = *section;

    r.flags = flags;
    return r.bytes == 0 ? OK : paging_map(pg, &r);
}

enum status paging_build(struct paging *pg, const struct paging_image *image,
                         const struct mm_range *ram, unsigned count)
{
    enum status status = map_section(pg, &image->text, PAGING_EXEC);

    if (status == OK)
        status = map_section(pg, &image->rodata, 0);
    if (status == OK)
        status = map_section(pg, &image->data, PAGING_WRITE);
    for (unsigned i = 0; status == OK && i < count; i++) {
        const uint64_t base = ram[i].base == 0 ? PAGE_BYTES : ram[i].base;

        status = map_ram(pg, image, base, ram[i].base + ram[i].bytes);
    }
    return status;
}

/* ---- check ---- */

struct walk {
    const struct paging_image *image;
    const char *fault; /* the first one found */
    uint64_t fault_virt;
};

/* Rights on the way down to a page. */
struct rights {
    bool write, exec, user;
};

static bool overlaps(const struct paging_region *r, uint64_t phys,
                     uint64_t bytes)
{
    return phys < r->phys + r->bytes && r->phys < phys + bytes;
}

static bool is_text(const struct paging_region *text, uint64_t virt,
                    uint64_t phys, uint64_t bytes)
{
    return virt >= text->virt && virt - text->virt < text->bytes &&
           bytes <= text->bytes - (virt - text->virt) &&
           phys - text->phys == virt - text->virt;
}

static const char *page_fault(const struct paging_image *image, uint64_t virt,
                              uint64_t phys, uint64_t bytes,
                              struct rights rights)
{
    if (rights.user)
        return "open to user mode";
    if (rights.write && rights.exec)
        return "writable and executable";
    if (rights.exec && !is_text(&image->text, virt, phys, bytes))
        return "executable, but not kernel text";
    if (rights.write && overlaps(&image->text, phys, bytes))
        return "writable, but shows kernel text";
    if (rights.write && overlaps(&image->rodata, phys, bytes))
        return "writable, but shows kernel rodata";
    return NULL;
}

static uint64_t sign_extend(uint64_t virt, unsigned levels)
{
    const unsigned unused = 64 - (12 + 9 * levels);

    return (uint64_t)((int64_t)(virt << unused) >> unused);
}

/* Depth is bounded by @level, which falls. */
static void check_table(struct walk *w, const uint64_t *table, unsigned level,
                        unsigned levels, uint64_t base, struct rights above)
{
    for (unsigned i = 0; i < ENTRIES && w->fault == NULL; i++) {
        const uint64_t entry = table[i];
        const uint64_t virt = base + i * level_bytes(level);
        const struct rights here = {
            .write = above.write && (entry & ENTRY_WRITE) != 0,
            .exec = above.exec && (entry & ENTRY_NX) == 0,
            .user = above.user && (entry & ENTRY_USER) != 0,
        };

        if (entry_is_table(entry, level)) {
            check_table(w, entry_table(entry), level - 1, levels, virt, here);
            continue;
        }
        if (!entry_is_page(entry, level))
            continue;
        w->fault_virt = sign_extend(virt, levels);
        w->fault = page_fault(w->image, w->fault_virt, entry_phys(entry),
                              level_bytes(level), here);
    }
}

enum status paging_check_wx(const struct paging *pg,
                            const struct paging_image *image)
{
    const unsigned levels = pg->config.levels;
    struct walk w = { .image = image };

    check_table(&w, pg->root, levels - 1, levels, 0,
                (struct rights) { true, true, true });
    if (w.fault == NULL)
        return OK;
    log_error("paging: the page at %#llx is %s",
              (unsigned long long)w.fault_virt, w.fault);
    return E_CORRUPT;
}
