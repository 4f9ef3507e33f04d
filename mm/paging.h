/*
 * paging.h - x86-64 page tables as plain data; who loads CR3 is not our concern
 *
 * Tables are pages from a source the caller names, readable at their physical
 * address, so the same code runs in a test. What is mapped stays mapped: there
 * is no unmap but the guard page.
 *
 * The caller has NXE and CR0.WP in force, and a PAT whose entry 3, which uncached
 * pages select, is UC, and whose entry 1, which combined pages select, is WC.
 *
 * Source   Intel SDM volume 3A, 4.5 (4-level and 5-level paging), 11.12 (PAT)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>
#include "mm/mm.h"

#define PAGING_WRITE    1u /* never together with PAGING_EXEC */
#define PAGING_EXEC     2u
#define PAGING_UNCACHED 4u
#define PAGING_COMBINED 8u /* not cached; stores may wait and leave together */

struct paging_config {
    /* A zeroed 4 KiB page at a page boundary, or NULL when none is left. */
    void *(*page)(void *context);
    void *context;
    unsigned levels;    /* 4, or 5 with CR4.LA57 */
    unsigned phys_bits; /* CPUID 80000008h EAX 7:0; at most 52 */
    bool has_1g;        /* CPUID 80000001h EDX 26 */
};

struct paging {
    struct paging_config config;
    uint64_t *root;  /* for CR3 */
    unsigned tables; /* pages taken from the source */
    uint64_t window; /* next address for devices that identity cannot reach */
};

struct paging_region {
    uint64_t virt, phys, bytes; /* multiples of 4 KiB; bytes not 0 */
    unsigned flags;
};

/* The kernel's sections. Their flags are ours to choose. */
struct paging_image {
    struct paging_region text, rodata, data;
};

/* An empty root in which page 0 can never be mapped. */
must_use enum status paging_init(struct paging *pg,
                                 const struct paging_config *config);

/*
 * Go on with tables that somebody else made, the loader for one; their pages
 * stay out of pg->tables. Page 0 becomes a guard: drop it from the TLB.
 */
must_use enum status paging_adopt(struct paging *pg,
                                  const struct paging_config *config,
                                  uint64_t *root);

/*
 * Map a region with the largest pages that fit.
 *
 * Returns  OK, also when it is mapped so already;
 *          E_INVALID (unaligned, empty, writable and executable),
 *          E_RANGE (leaves the physical or the virtual address width),
 *          E_EXIST (part of it is a guard page or mapped otherwise), with
 *          nothing changed; E_NOMEM, with a part mapped. The log says which.
 * Note     new pages are usable at once, no TLB entry needs to go
 */
must_use enum status paging_map(struct paging *pg,
                                const struct paging_region *region);

/*
 * Map device registers uncached, for any @phys and @bytes of at least 1.
 * Identity where the address width allows, else in the upper half.
 *
 * @virt    where @phys is found
 * Returns  as paging_map
 */
must_use enum status paging_map_device(struct paging *pg, uint64_t phys,
                                       uint64_t bytes, uint64_t *virt);

/* The same for a device's memory that is written only, and in any order. */
must_use enum status paging_map_combined(struct paging *pg, uint64_t phys,
                                         uint64_t bytes, uint64_t *virt);

/*
 * The page at @virt traps from now on; larger pages around it are split. The
 * caller drops the page from the TLB when the tables are live.
 *
 * Returns  OK; E_INVALID, E_RANGE, E_NOMEM with nothing changed
 */
must_use enum status paging_guard(struct paging *pg, uint64_t virt);

/*
 * All that the kernel runs with: its sections, and RAM at identity, writable
 * but for the pages of text and rodata. Page 0 is left out.
 */
must_use enum status paging_build(struct paging *pg,
                                  const struct paging_image *image,
                                  const struct mm_range *ram, unsigned count);

struct paging_page {
    uint64_t phys;  /* of the address asked for */
    uint64_t bytes; /* of the page it lies in */
    unsigned flags;
};

/* What @virt leads to; false when it traps. */
bool paging_query(const struct paging *pg, uint64_t virt,
                  struct paging_page *page);

/*
 * Walk every table and verify: no page is writable and executable; executable
 * is nothing but the image's text; nothing writable leads to its text or
 * rodata; nothing is open to user mode.
 *
 * Returns  OK; E_CORRUPT with the first page that breaks a rule in the log
 */
must_use enum status paging_check_wx(const struct paging *pg,
                                     const struct paging_image *image);
