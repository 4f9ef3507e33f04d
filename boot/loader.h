/*
 * loader.h - what the loader's steps share
 *
 * Only the files that talk to the firmware include this; the others (format,
 * options, elf, memmap, paging) know nothing of UEFI and run on the host too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <efi.h>

#include <millrace/compiler.h>

#include "boot/boot_info.h"
#include "boot/devpath.h"
#include "boot/elf.h"
#include "boot/paging.h"
#include "boot/search.h"

#define CONFIG_MAX   ((size_t)64 * 1024)
#define LOADER_KEEPS 8

/* Pages that are ours beyond the loader's end. */
struct loader_pages {
    uint64_t base;
    uint64_t count;
};

struct loader {
    EFI_HANDLE image;
    EFI_SYSTEM_TABLE *st;
    EFI_BOOT_SERVICES *bs;
    EFI_LOADED_IMAGE *self;
    struct boot_devpath from; /* where we came from */

    struct boot_info *info;
    struct boot_elf kernel;
    struct boot_paging paging;
    uint64_t
        bridge_root; /* the firmware's tables and the kernel; see leave.c */

    /* The firmware's memory map, as GetMemoryMap returns it. */
    void *map;
    UINTN map_room, map_bytes, map_stride, map_key;

    unsigned keep_count;
    struct loader_pages keep[LOADER_KEEPS];

    bool has_left; /* boot services may no longer be called */
    char reason[160];
};

/* ---- say.c: messages ---- */

/* Print on the firmware's console; on COM1 once boot services are gone. */
void loader_say(struct loader *l, const char *fmt, ...) printf_like(2, 3);

/* Remember why a step fails. Returns false, for `return loader_fail(...)`. */
bool loader_fail(struct loader *l, const char *fmt, ...) printf_like(2, 3);

/* Add a sentence to boot_info.loader_note, for the kernel to report. */
void loader_note(struct loader *l, const char *fmt, ...) printf_like(2, 3);

/* ---- memory.c: pages and the memory map ---- */

/*
 * Zeroed pages that stay reserved for the kernel. NULL with the reason set when
 * the firmware has none.
 */
void *loader_pages(struct loader *l, uint64_t bytes);

/* Give all of them back: a loader that fails leaves no trace. */
void loader_pages_free(struct loader *l);

/* Room for the memory map and for what is added to it while we leave. */
bool memory_map_room(struct loader *l);

/* GetMemoryMap into l->map, and nothing else. */
EFI_STATUS memory_map_get(struct loader *l);

/* l->map, with our own pages marked, into boot_info. */
bool memory_map_convert(struct loader *l);

/* ---- where a configuration may come from; their ctx is the loader ---- */

extern const struct boot_place place_fw_cfg;
extern const struct boot_place place_beside; /* in the image's own folder */
extern const struct boot_place place_volume; /* in the root of its volume */
extern const struct boot_place place_tftp;
extern const struct boot_place place_http;

/* The configuration cannot be had; said in a note. Returns BOOT_REFUSED. */
enum boot_found config_refuse(struct loader *l, const char *kind,
                              const char *name, uint64_t status);

/* ---- firmware.c: small facts and favours ---- */

bool guid_is(const EFI_GUID *a, const EFI_GUID *b);
void *protocol_on(struct loader *l, EFI_HANDLE handle, const EFI_GUID *guid);

/* The handle nearest to @handle on its device path that has the protocol, or
 * NULL: of what a NIC was booted through, the NIC itself. */
EFI_HANDLE handle_with(struct loader *l, EFI_HANDLE handle,
                       const EFI_GUID *guid);

/* ---- steps, in the order of main.c's table ---- */

bool firmware_watchdog_off(struct loader *l);
bool firmware_find_self(struct loader *l);
bool loader_info_open(struct loader *l);
bool loader_read_options(struct loader *l);
bool firmware_find_tables(struct loader *l);
bool config_find(struct loader *l);
bool firmware_find_screen(struct loader *l);
bool kernel_load(struct loader *l);
bool firmware_quiet_network(struct loader *l);
bool tables_build(struct loader *l);
bool firmware_leave(struct loader *l);
/* _Noreturn: the UEFI headers take the other spelling away. */
_Noreturn void kernel_jump(struct loader *l);
