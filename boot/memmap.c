/*
 * memmap.c - the firmware's memory map, made into boot_info's
 *
 *   P1  ranges ascend, are not empty and do not overlap
 *   P2  neighbours that touch differ in type
 *   P3  a byte claimed twice has the more cautious type
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/endian.h>

#include "boot/memmap.h"

#define EFI_PAGE UINT64_C(4096)

#define DESC_TYPE      0
#define DESC_BASE      8
#define DESC_PAGES     24
#define DESC_ATTRIBUTE 32
#define DESC_BYTES     40

/* EFI_MEMORY_SP: meant for somebody special, such as high-bandwidth memory. */
#define ATTRIBUTE_SP BIT64(18)

/* By EFI_MEMORY_TYPE. Loader types are the firmware's too: another loader may
 * have started us, and its NIC may still be receiving. */
static const uint8_t type_of[] = {
    [0] = BOOT_MEM_RESERVED,  /* EfiReservedMemoryType */
    [1] = BOOT_MEM_FIRMWARE,  /* EfiLoaderCode */
    [2] = BOOT_MEM_FIRMWARE,  /* EfiLoaderData */
    [3] = BOOT_MEM_FIRMWARE,  /* EfiBootServicesCode */
    [4] = BOOT_MEM_FIRMWARE,  /* EfiBootServicesData */
    [5] = BOOT_MEM_RUNTIME,   /* EfiRuntimeServicesCode */
    [6] = BOOT_MEM_RUNTIME,   /* EfiRuntimeServicesData */
    [7] = BOOT_MEM_USABLE,    /* EfiConventionalMemory */
    [8] = BOOT_MEM_RESERVED,  /* EfiUnusableMemory */
    [9] = BOOT_MEM_ACPI,      /* EfiACPIReclaimMemory */
    [10] = BOOT_MEM_ACPI,     /* EfiACPIMemoryNVS */
    [11] = BOOT_MEM_MMIO,     /* EfiMemoryMappedIO */
    [12] = BOOT_MEM_MMIO,     /* EfiMemoryMappedIOPortSpace */
    [13] = BOOT_MEM_RESERVED, /* EfiPalCode */
    /* persistent, unaccepted and what comes later: reserved */
};

static uint64_t end_of(const struct boot_mem *m)
{
    return m->base + m->bytes;
}

static enum status insert(struct boot_info *info, unsigned at, uint64_t base,
                          uint64_t end, uint32_t type)
{
    if (info->mem_count == BOOT_MEM_MAX)
        return E_OVERFLOW;
    memmove(&info->mem[at + 1], &info->mem[at],
            (info->mem_count - at) * sizeof(info->mem[0]));
    info->mem[at] =
        (struct boot_mem) { .base = base, .bytes = end - base, .type = type };
    info->mem_count++;
    return OK;
}

/* P2: join neighbours of one type. */
static void join(struct boot_info *info)
{
    unsigned kept = 0;

    for (unsigned i = 1; i < info->mem_count; i++) {
        struct boot_mem *last = &info->mem[kept];

        if (end_of(last) == info->mem[i].base &&
            last->type == info->mem[i].type)
            last->bytes += info->mem[i].bytes;
        else
            info->mem[++kept] = info->mem[i];
    }
    if (info->mem_count > 0)
        info->mem_count = kept + 1;
}

/* Make @at begin at @base, cutting off what lies before as its own range. */
static enum status split(struct boot_info *info, unsigned at, uint64_t base)
{
    struct boot_mem *m = &info->mem[at];
    enum status status;

    status = insert(info, at, m->base, base, m->type);
    if (status != OK)
        return status;
    m[1].bytes = end_of(&m[1]) - base;
    m[1].base = base;
    return OK;
}

/* Raise [base, end), which lies inside range *@at, to at least @type. */
static enum status raise_part(struct boot_info *info, unsigned *at,
                              uint64_t base, uint64_t end, uint32_t type)
{
    enum status status;

    if (type <= info->mem[*at].type)
        return OK;
    if (info->mem[*at].base < base) {
        status = split(info, *at, base);
        if (status != OK)
            return status;
        (*at)++;
    }
    if (end < end_of(&info->mem[*at])) {
        status = split(info, *at, end);
        if (status != OK)
            return status;
    }
    info->mem[*at].type = type;
    return OK;
}

static enum status paint(struct boot_info *info, uint64_t base, uint64_t end,
                         uint32_t type)
{
    unsigned at = 0;

    while (base < end) {
        enum status status = OK;
        uint64_t to = end;

        while (at < info->mem_count && end_of(&info->mem[at]) <= base)
            at++;
        if (at == info->mem_count || info->mem[at].base >= end) {
            status = insert(info, at, base, end, type);
        } else if (info->mem[at].base > base) {
            to = info->mem[at].base;
            status = insert(info, at, base, to, type);
        } else {
            if (to > end_of(&info->mem[at]))
                to = end_of(&info->mem[at]);
            status = raise_part(info, &at, base, to, type);
        }
        if (status != OK)
            return status;
        base = to;
    }
    return OK;
}

enum status boot_mem_add(struct boot_info *info, uint64_t base, uint64_t bytes,
                         enum boot_mem_type type)
{
    enum status status;

    if (bytes == 0 || base + bytes < base)
        return E_RANGE;
    status = paint(info, base, base + bytes, type);
    join(info);
    return status;
}

static enum boot_mem_type type_from(const uint8_t *desc)
{
    const uint32_t efi = get_le32(desc + DESC_TYPE);

    if (efi >= sizeof(type_of))
        return BOOT_MEM_RESERVED;
    if (type_of[efi] == BOOT_MEM_USABLE &&
        (get_le64(desc + DESC_ATTRIBUTE) & ATTRIBUTE_SP) != 0)
        return BOOT_MEM_RESERVED;
    return type_of[efi];
}

enum status boot_mem_convert(struct boot_info *info, const void *raw,
                             size_t bytes, size_t stride, unsigned *bad)
{
    const uint8_t *desc = raw;

    info->mem_count = 0;
    *bad = 0;
    if (stride < DESC_BYTES)
        return E_CORRUPT;
    for (; bytes >= stride; bytes -= stride, desc += stride) {
        const uint64_t pages = get_le64(desc + DESC_PAGES);
        enum status status = E_RANGE;

        if (pages <= UINT64_MAX / EFI_PAGE)
            status = boot_mem_add(info, get_le64(desc + DESC_BASE),
                                  pages * EFI_PAGE, type_from(desc));
        if (status == E_OVERFLOW)
            return status;
        if (status != OK)
            (*bad)++;
    }
    return OK;
}
