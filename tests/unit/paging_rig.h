/*
 * paging_rig.h - page tables from a small array of pages, for paging_*_test.c
 */
#pragma once

#include "mm/paging.h"
#include "tests/unit/test.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)
#define TIB(n) ((uint64_t)(n) << 40)

#define TABLES_MAX 600
static uint8_t pages[TABLES_MAX][4096] __attribute__((aligned(4096)));
static unsigned pages_used, pages_limit;

static inline void *page(void *context)
{
    (void)context;
    if (pages_used == pages_limit)
        return NULL;
    memset(pages[pages_used], 0, 4096);
    return pages[pages_used++];
}

static inline struct paging_config config_of(unsigned levels, bool has_1g)
{
    pages_used = 0;
    pages_limit = TABLES_MAX;
    return (struct paging_config) {
        .page = page, .levels = levels, .phys_bits = 52, .has_1g = has_1g
    };
}

static inline struct paging tables(unsigned levels, bool has_1g)
{
    const struct paging_config config = config_of(levels, has_1g);
    struct paging pg;

    CHECK_EQ(paging_init(&pg, &config), OK);
    return pg;
}

static inline enum status map(struct paging *pg, uint64_t virt, uint64_t phys,
                              uint64_t bytes, unsigned flags)
{
    const struct paging_region r = { virt, phys, bytes, flags };

    return paging_map(pg, &r);
}

static inline void check_page(const struct paging *pg, uint64_t virt,
                              uint64_t phys, uint64_t bytes, unsigned flags)
{
    struct paging_page p;

    CHECK(paging_query(pg, virt, &p));
    CHECK_EQ(p.phys, phys);
    CHECK_EQ(p.bytes, bytes);
    CHECK_EQ(p.flags, flags);
}

static inline bool is_mapped(const struct paging *pg, uint64_t virt)
{
    struct paging_page p;

    return paging_query(pg, virt, &p);
}
