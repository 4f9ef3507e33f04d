/*
 * boot_info.h - all that the loader tells the kernel
 *
 * One struct in memory that stays reserved. Every pointer is a physical
 * address. The kernel copies nothing from firmware memory after it has taken
 * over: what it needs is in here or reachable from here in reserved memory.
 */
#pragma once

#include <stdint.h>

#define BOOT_INFO_MAGIC   UINT64_C(0x6563617272696c4d) /* "Millrace" */
#define BOOT_INFO_VERSION 2

#define BOOT_MEM_MAX     1024
#define BOOT_CMDLINE_MAX 4096
#define BOOT_SOURCE_MAX  256
#define BOOT_HASH_BYTES  32

enum boot_mem_type {
    BOOT_MEM_USABLE,   /* free at once */
    BOOT_MEM_FIRMWARE, /* boot services code and data: free once DMA is quiet */
    BOOT_MEM_ACPI,     /* tables; keep */
    BOOT_MEM_KERNEL,   /* kernel image, boot_info, config, page tables */
    BOOT_MEM_RUNTIME,  /* firmware's for ever */
    BOOT_MEM_MMIO,     /* device registers named by firmware */
    BOOT_MEM_RESERVED, /* anything else; do not touch */
};

struct boot_mem {
    uint64_t base;
    uint64_t bytes;
    uint32_t type; /* enum boot_mem_type */
    uint32_t zero;
};

struct boot_framebuffer {
    uint64_t base; /* 0 = none */
    uint32_t width, height;
    uint32_t pixels_per_line;
    uint32_t is_bgr; /* bytes are blue, green, red, x */
};

struct boot_info {
    uint64_t magic;
    uint32_t version;
    uint32_t bytes; /* sizeof(struct boot_info) of the loader */

    uint64_t rsdp;   /* from the EFI configuration table; 0 = none */
    uint64_t smbios; /* SMBIOS 3 entry point, else SMBIOS 2, else 0 */

    uint64_t page_root;   /* CR3 the loader jumps with */
    uint64_t kernel_base; /* physical start of the loaded kernel */
    uint64_t kernel_bytes;

    uint64_t tsc_loader; /* TSC at loader entry */
    uint64_t tsc_exit;   /* TSC right after leaving boot services */

    struct boot_framebuffer framebuffer;

    /* LoadOptions as UTF-8, program name removed; always NUL-terminated. */
    uint32_t cmdline_bytes;
    char cmdline[BOOT_CMDLINE_MAX];

    /* Configuration text; source says where it was found ("fw_cfg", "file
     * \millrace.conf" ...), without which places had none and came before. */
    uint64_t config;
    uint32_t config_bytes;                /* 0 = none */
    uint8_t config_hash[BOOT_HASH_BYTES]; /* SHA-256 */
    char config_source[BOOT_SOURCE_MAX];
    char config_without[BOOT_SOURCE_MAX];

    /* What the loader could not do but the kernel should report. */
    char loader_note[512];
    /* Not 0: the command line or the configuration is incomplete, and nothing
     * may be configured from what is there. loader_note says what and why. */
    uint32_t is_incomplete;

    uint32_t mem_count;
    struct boot_mem mem[BOOT_MEM_MAX]; /* sorted by base, no overlaps */
};
