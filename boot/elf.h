/*
 * elf.h - the embedded kernel: checked, measured, placed
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/status.h>

#define BOOT_PAGE          UINT64_C(4096)
#define BOOT_ELF_SEGMENTS  8
#define BOOT_KERNEL_LOWEST UINT64_C(0xffffffff80000000)
#define BOOT_KERNEL_MAX    (UINT64_C(64) << 20)

struct boot_segment {
    uint64_t virt;   /* page-aligned */
    uint64_t offset; /* in the file */
    uint64_t file_bytes;
    uint64_t mem_bytes;
    bool can_write;
    bool can_run;
};

struct boot_elf {
    uint64_t base;  /* lowest virtual address */
    uint64_t bytes; /* to the end of the last segment, whole pages */
    uint64_t entry;
    unsigned count;
    struct boot_segment segment[BOOT_ELF_SEGMENTS];
};

/*
 * Check a static x86-64 ELF image and say what it needs.
 *
 * @file    @bytes of it, any alignment
 * @elf     filled on OK, unspecified otherwise
 * @why     what is wrong with the image, when not OK
 * Returns  OK or E_CORRUPT
 */
must_use enum status boot_elf_check(const void *file, size_t bytes,
                                    struct boot_elf *elf, const char **why);

/* Lay a checked image out in @to, elf->bytes long; gaps and bss become 0. */
void boot_elf_place(const void *file, const struct boot_elf *elf, void *to);
