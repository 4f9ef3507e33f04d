/*
 * elf.c - the embedded kernel: checked, measured, placed
 *
 *   K1  nothing is read outside the file, whatever its headers say
 *   K2  segments ascend, share no page, and none is both writable and
 *       executable
 *   K3  the entry point is inside an executable segment
 *
 * Layout after the System V ABI, chapters 4 and 5.
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/endian.h>

#include "boot/elf.h"

#define EHDR_BYTES     64
#define EHDR_TYPE      16
#define EHDR_MACHINE   18
#define EHDR_ENTRY     24
#define EHDR_PHOFF     32
#define EHDR_PHENTSIZE 54
#define EHDR_PHNUM     56

#define PHDR_BYTES  56
#define PHDR_TYPE   0
#define PHDR_FLAGS  4
#define PHDR_OFFSET 8
#define PHDR_VADDR  16
#define PHDR_FILESZ 32
#define PHDR_MEMSZ  40

#define ET_EXEC   2
#define EM_X86_64 62
#define PT_LOAD   1
#define PF_X      1
#define PF_W      2

/* 64-bit, little-endian, version 1. */
static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

static const char *check_header(const uint8_t *file, size_t bytes)
{
    if (bytes < EHDR_BYTES || memcmp(file, ident, sizeof(ident)) != 0)
        return "not a 64-bit little-endian ELF file";
    if (get_le16(file + EHDR_MACHINE) != EM_X86_64)
        return "not for x86-64";
    if (get_le16(file + EHDR_TYPE) != ET_EXEC)
        return "not a static executable";
    if (get_le16(file + EHDR_PHENTSIZE) != PHDR_BYTES)
        return "program headers of unknown size";
    const uint64_t phoff = get_le64(file + EHDR_PHOFF);
    const uint64_t table = get_le16(file + EHDR_PHNUM) * PHDR_BYTES;

    if (phoff > bytes || table > bytes - phoff)
        return "program headers outside the file";
    return NULL;
}

static const char *check_segment(const struct boot_segment *s, size_t bytes,
                                 uint64_t lowest)
{
    if (s->offset > bytes || s->file_bytes > bytes - s->offset)
        return "a segment outside the file";
    if (s->mem_bytes == 0 || s->mem_bytes > BOOT_KERNEL_MAX ||
        s->file_bytes > s->mem_bytes)
        return "a segment of impossible size";
    if (s->virt % BOOT_PAGE != 0)
        return "a segment that does not start on a page";
    if (s->virt < lowest)
        return "segments out of order, overlapping, or below the top 2 GiB";
    if (s->mem_bytes > 0 - s->virt - BOOT_PAGE)
        return "a segment beyond the end of the address space";
    if (s->can_write && s->can_run)
        return "a segment both writable and executable";
    return NULL;
}

static void read_segment(const uint8_t *phdr, struct boot_segment *s)
{
    const uint32_t flags = get_le32(phdr + PHDR_FLAGS);

    *s = (struct boot_segment) {
        .virt = get_le64(phdr + PHDR_VADDR),
        .offset = get_le64(phdr + PHDR_OFFSET),
        .file_bytes = get_le64(phdr + PHDR_FILESZ),
        .mem_bytes = get_le64(phdr + PHDR_MEMSZ),
        .can_write = (flags & PF_W) != 0,
        .can_run = (flags & PF_X) != 0,
    };
}

static const char *read_segments(const uint8_t *file, size_t bytes,
                                 struct boot_elf *elf)
{
    const uint8_t *phdr = file + get_le64(file + EHDR_PHOFF);
    uint64_t end = BOOT_KERNEL_LOWEST;

    for (unsigned n = get_le16(file + EHDR_PHNUM); n > 0; n--) {
        struct boot_segment *s = &elf->segment[elf->count];
        const char *why;

        if (get_le32(phdr + PHDR_TYPE) == PT_LOAD) {
            if (elf->count == BOOT_ELF_SEGMENTS)
                return "more segments than the loader has room for";
            read_segment(phdr, s);
            why = check_segment(s, bytes, end);
            if (why != NULL)
                return why;
            end = align_up(s->virt + s->mem_bytes, BOOT_PAGE);
            elf->count++;
        }
        phdr += PHDR_BYTES;
    }
    if (elf->count == 0)
        return "nothing to load";
    elf->base = elf->segment[0].virt;
    elf->bytes = end - elf->base;
    return elf->bytes > BOOT_KERNEL_MAX ? "too large in memory" : NULL;
}

static bool entry_can_run(const struct boot_elf *elf)
{
    for (unsigned i = 0; i < elf->count; i++) {
        const struct boot_segment *s = &elf->segment[i];

        if (s->can_run && elf->entry >= s->virt &&
            elf->entry - s->virt < s->file_bytes)
            return true;
    }
    return false;
}

enum status boot_elf_check(const void *file, size_t bytes, struct boot_elf *elf,
                           const char **why)
{
    memset(elf, 0, sizeof(*elf));
    *why = check_header(file, bytes);
    if (*why == NULL)
        *why = read_segments(file, bytes, elf);
    if (*why != NULL)
        return E_CORRUPT;
    elf->entry = get_le64((const uint8_t *)file + EHDR_ENTRY);
    if (!entry_can_run(elf)) {
        *why = "an entry point outside the executable segments";
        return E_CORRUPT;
    }
    return OK;
}

void boot_elf_place(const void *file, const struct boot_elf *elf, void *to)
{
    memset(to, 0, elf->bytes);
    for (unsigned i = 0; i < elf->count; i++) {
        const struct boot_segment *s = &elf->segment[i];

        memcpy((uint8_t *)to + (s->virt - elf->base),
               (const uint8_t *)file + s->offset, s->file_bytes);
    }
}
