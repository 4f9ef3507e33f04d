/*
 * main.c - the UEFI loader, as a list of steps
 *
 * It gathers what the kernel needs into one struct boot_info, takes the machine
 * from the firmware and jumps. A step that fails says what it expected and what
 * it found; the loader then gives everything back and returns to the firmware,
 * which goes on to its next boot option. Once the firmware has begun to leave,
 * the only way back is a reset.
 */
#include <string.h>

#include "boot/io.h"
#include "boot/leave.h"
#include "boot/loader.h"
#include "boot/options.h"

#define SHOW_REASON_US (5 * 1000000)
/* 1.2 to 12 s on clocks of 5 to 0.5 GHz: nothing else counts time by then. */
#define SHOW_REASON_CYCLES UINT64_C(6000000000)

bool loader_info_open(struct loader *l)
{
    const uint64_t tsc = cpu_tsc();

    l->info = loader_pages(l, sizeof(*l->info));
    if (l->info == NULL)
        return false;
    l->info->magic = BOOT_INFO_MAGIC;
    l->info->version = BOOT_INFO_VERSION;
    l->info->bytes = sizeof(*l->info);
    l->info->tsc_loader = tsc;
    return true;
}

bool loader_read_options(struct loader *l)
{
    struct boot_info *info = l->info;
    const void *raw = l->self->LoadOptions;
    const size_t bytes = raw == NULL ? 0 : l->self->LoadOptionsSize;
    struct boot_options_found found;

    info->cmdline_bytes = (uint32_t)boot_options_decode(
        raw, bytes, info->cmdline, sizeof(info->cmdline), &found);
    info->is_incomplete |= found.is_cut || found.is_odd;
    if (found.is_cut)
        loader_note(l, "load options of %u bytes were cut at %u characters",
                    (unsigned)bytes, info->cmdline_bytes);
    if (found.is_binary)
        loader_note(l, "load options of %u bytes are no text; ignored",
                    (unsigned)bytes);
    if (found.is_odd)
        loader_note(l, "load options end in half a character");
    return true;
}

static uint64_t leave_get_map(void *ctx)
{
    return memory_map_get(ctx);
}

static uint64_t leave_exit(void *ctx)
{
    struct loader *l = ctx;

    return l->bs->ExitBootServices(l->image, l->map_key);
}

bool firmware_leave(struct loader *l)
{
    struct boot_leave leave = {
        .get_map = leave_get_map,
        .exit = leave_exit,
        .ctx = l,
    };
    const enum status status = boot_leave(&leave);

    l->info->tsc_exit = cpu_tsc();
    l->has_left = leave.has_begun;
    if (status == OK)
        return memory_map_convert(l);
    return loader_fail(l,
                       "%s after %u attempts, each with a fresh memory map "
                       "(firmware status 0x%llx, map of %u bytes, room for %u)",
                       status == E_IO ? "no memory map" : "refused",
                       leave.attempts,
                       (unsigned long long)leave.firmware_status,
                       (unsigned)l->map_bytes, (unsigned)l->map_room);
}

static const struct {
    const char *to;
    bool (*run)(struct loader *l);
} steps[] = {
    { "stop the firmware's watchdog", firmware_watchdog_off },
    { "find ourselves", firmware_find_self },
    { "make room for boot_info", loader_info_open },
    { "read the load options", loader_read_options },
    { "find ACPI and SMBIOS", firmware_find_tables },
    { "find the configuration", config_find },
    { "find the screen", firmware_find_screen },
    { "load the kernel", kernel_load },
    { "quiet the network", firmware_quiet_network },
    { "build page tables", tables_build },
    { "leave boot services", firmware_leave },
};

static EFI_STATUS give_up(struct loader *l, const char *step)
{
    loader_say(l, "millrace: cannot %s: ", step);
    loader_say(l, "%s\n", l->reason);
    if (!l->has_left) {
        loader_say(l, "millrace: back to the firmware in %u s\n",
                   SHOW_REASON_US / 1000000);
        l->bs->Stall(SHOW_REASON_US);
        loader_pages_free(l);
        return EFI_LOAD_ERROR;
    }
    loader_say(l, "millrace: reset in a few seconds\n");
    for (uint64_t start = cpu_tsc(); cpu_tsc() - start < SHOW_REASON_CYCLES;)
        cpu_pause();
    l->st->RuntimeServices->ResetSystem(EfiResetCold, EFI_LOAD_ERROR, 0, NULL);
    for (;;)
        cpu_pause();
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st);
EFI_STATUS EFIAPI efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *st)
{
    struct loader l = {
        .image = image,
        .st = st,
        .bs = st->BootServices,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
        if (!steps[i].run(&l))
            return give_up(&l, steps[i].to);
    }
    kernel_jump(&l);
}
