/*
 * memory.c - pages from the firmware, and its memory map
 *
 *   N1  every page from loader_pages is in l->keep, so the map that the kernel
 *       gets marks it BOOT_MEM_KERNEL
 */
#include <string.h>

#include "boot/loader.h"
#include "boot/memmap.h"

/* Descriptors that may join the map between the size query and the last call:
 * our own buffer splits a range, and event handlers allocate as we leave. */
#define SPARE_DESCRIPTORS 32

/* Ranges that leaving may add to an already converted map. */
#define SPARE_RANGES 64

void *loader_pages(struct loader *l, uint64_t bytes)
{
    const UINTN count = (bytes + BOOT_PAGE - 1) / BOOT_PAGE;
    EFI_PHYSICAL_ADDRESS base = 0;
    EFI_STATUS status;

    if (l->keep_count == LOADER_KEEPS) {
        loader_fail(l, "the loader's own list of pages is full");
        return NULL;
    }
    status =
        l->bs->AllocatePages(AllocateAnyPages, EfiLoaderData, count, &base);
    if (EFI_ERROR(status) || base == 0) {
        loader_fail(l, "no %llu free bytes in a row (firmware status 0x%llx)",
                    (unsigned long long)bytes, (unsigned long long)status);
        return NULL;
    }
    l->keep[l->keep_count++] =
        (struct loader_pages) { .base = base, .count = count };
    return memset((void *)(uintptr_t)base, 0, count * BOOT_PAGE);
}

void loader_pages_free(struct loader *l)
{
    while (l->keep_count > 0) {
        const struct loader_pages *p = &l->keep[--l->keep_count];

        l->bs->FreePages(p->base, p->count);
    }
}

bool memory_map_room(struct loader *l)
{
    UINT32 version;
    EFI_STATUS status;

    l->map_bytes = 0;
    status = l->bs->GetMemoryMap(&l->map_bytes, NULL, &l->map_key,
                                 &l->map_stride, &version);
    if (status != EFI_BUFFER_TOO_SMALL)
        return loader_fail(l,
                           "asked for the size of the memory map, firmware "
                           "answered 0x%llx",
                           (unsigned long long)status);
    if (version != EFI_MEMORY_DESCRIPTOR_VERSION)
        return loader_fail(l, "memory descriptors of version %u, expected %u",
                           version, EFI_MEMORY_DESCRIPTOR_VERSION);
    l->map_room = l->map_bytes + SPARE_DESCRIPTORS * l->map_stride;
    l->map = loader_pages(l, l->map_room);
    return l->map != NULL;
}

EFI_STATUS memory_map_get(struct loader *l)
{
    UINT32 version;

    l->map_bytes = l->map_room;
    return l->bs->GetMemoryMap(&l->map_bytes, l->map, &l->map_key,
                               &l->map_stride, &version);
}

bool memory_map_convert(struct loader *l)
{
    unsigned bad;
    enum status status;

    status =
        boot_mem_convert(l->info, l->map, l->map_bytes, l->map_stride, &bad);
    for (unsigned i = 0; i < l->keep_count && status == OK; i++)
        status = boot_mem_add(l->info, l->keep[i].base,
                              l->keep[i].count * BOOT_PAGE, BOOT_MEM_KERNEL);
    if (status == E_CORRUPT)
        return loader_fail(l, "memory descriptors of %u bytes are too small",
                           (unsigned)l->map_stride);
    const unsigned max = BOOT_MEM_MAX - (l->has_left ? 0 : SPARE_RANGES);

    if (status != OK || l->info->mem_count > max)
        return loader_fail(l, "%u memory descriptors make more than %u ranges",
                           (unsigned)(l->map_bytes / l->map_stride), max);
    if (bad > 0 && !l->has_left)
        loader_note(l, "%u impossible memory descriptors left out", bad);
    return true;
}
