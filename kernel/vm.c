/*
 * vm.c - the page tables we run on, and what is added to them
 *
 *   V1  a device mapping never replaces or aliases mapped memory
 *   V2  a foreign pointer is followed only after its pages were looked up
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/image.h"
#include "kernel/io.h"
#include "kernel/vm.h"
#include "mm/frame.h"
#include "mm/paging.h"

#define CR3_ROOT       UINT64_C(0x000FFFFFFFFFF000)
#define CR4_LA57       (UINT64_C(1) << 12)
#define LEAF_EXTENDED  0x80000001
#define EDX_PAGE_1G    (1u << 26)
#define LEAF_ADDRESSES 0x80000008
#define PHYS_BITS_MAX  52

static struct paging tables;
static const struct boot_info *boot;

static void *table_page(void *context)
{
    void *page = frame_alloc(PAGE_BYTES, PAGE_BYTES, "page tables");

    (void)context;
    if (page != NULL)
        memset(page, 0, PAGE_BYTES);
    return page;
}

/* Nothing is mapped there; this keeps devices out as well. */
static void guard_page_0(void)
{
    if (paging_guard(&tables, 0) != OK)
        panic("vm: page 0 cannot be kept unmapped");
}

static unsigned physical_bits(void)
{
    const unsigned bits = cpu_id(LEAF_ADDRESSES, 0).eax & 0xFF;

    return bits < PHYS_BITS_MAX ? bits : PHYS_BITS_MAX;
}

void vm_init(const struct boot_info *info)
{
    const uint64_t root = CPU_CONTROL_READ(cr3) & CR3_ROOT;
    const struct paging_config config = {
        .page = table_page,
        .levels = CPU_CONTROL_READ(cr4) & CR4_LA57 ? 5 : 4,
        .phys_bits = physical_bits(),
        .has_1g = cpu_id(LEAF_EXTENDED, 0).edx & EDX_PAGE_1G,
    };

    boot = info;
    tables = (struct paging) {
        .config = config,
        .root = (uint64_t *)(uintptr_t)root,
        /* The start of the upper half; the image is at its end. */
        .window = UINT64_MAX << (12 + 9 * config.levels - 1),
    };
    guard_page_0();
}

volatile void *plat_map_device(uint64_t phys, size_t bytes)
{
    uint64_t virt;

    if (boot == NULL || bytes == 0 ||
        paging_map_device(&tables, phys, bytes, &virt) != OK)
        return NULL;
    return (volatile void *)(uintptr_t)virt;
}

volatile void *vm_map_combined(uint64_t phys, size_t bytes)
{
    uint64_t virt;

    if (boot == NULL || bytes == 0 ||
        paging_map_combined(&tables, phys, bytes, &virt) != OK)
        return NULL;
    return (volatile void *)(uintptr_t)virt;
}

enum status vm_guard(uint64_t virt)
{
    const enum status s = paging_guard(&tables, virt);

    __asm__ volatile("invlpg (%0)" : : "r"((uintptr_t)virt) : "memory");
    return s;
}

bool vm_is_mapped(uint64_t virt)
{
    struct paging_page page;

    return paging_query(&tables, virt, &page);
}

/* ---- what the ACPI parser may see ---- */

static bool is_reserved(uint64_t phys, size_t bytes)
{
    for (uint32_t i = 0; i < boot->mem_count; i++) {
        const struct boot_mem *m = &boot->mem[i];

        if (m->type == BOOT_MEM_RESERVED && phys >= m->base &&
            phys - m->base < m->bytes && bytes <= m->bytes - (phys - m->base))
            return true;
    }
    return false;
}

/* Is every page of it mapped at its own address, as memory? (V2) */
static bool is_readable(uint64_t phys, size_t bytes)
{
    struct paging_page page;

    for (uint64_t at = phys; at < phys + bytes;
         at = align_down(at, page.bytes) + page.bytes)
        if (!paging_query(&tables, at, &page) || page.phys != at)
            return false;
    return true;
}

static const void *acpi_at(void *ctx, uint64_t phys, size_t bytes)
{
    (void)ctx;
    if (phys == 0 || bytes == 0 || bytes > BIT64(tables.config.phys_bits) ||
        phys > BIT64(tables.config.phys_bits) - bytes)
        return NULL;
    if (is_readable(phys, bytes))
        return (const void *)(uintptr_t)phys;
    if (is_reserved(phys, bytes))
        return (const void *)(uintptr_t)plat_map_device(phys, bytes);
    return NULL;
}

struct acpi_memory vm_acpi_memory(void)
{
    return (struct acpi_memory) { .at = acpi_at };
}

static struct paging_region region(const char *start, const char *end)
{
    struct paging_region r = { .virt = (uint64_t)(uintptr_t)start,
                               .bytes = (uint64_t)(end - start) };

    r.phys = boot->kernel_base + (uint64_t)(start - image_start);
    return r;
}

enum status vm_check(void)
{
    const struct paging_image image = {
        .text = region(text_start, text_end),
        .rodata = region(rodata_start, rodata_end),
        .data = region(data_start, bss_end),
    };

    return paging_check_wx(&tables, &image);
}
