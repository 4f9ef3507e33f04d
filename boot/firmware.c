/*
 * firmware.c - what the firmware knows, and what it has to stop
 */
#include <string.h>

#include "boot/loader.h"

#define SCREENS_MAX  16
#define NETWORKS_MAX 64
#define PATH_MAX     4096 /* of a device path; real ones end long before */

static const EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
static const EFI_GUID image_path_guid = { 0xbc62157e,
                                          0x3e33,
                                          0x4fec,
                                          { 0x99, 0x20, 0x2d, 0x3b, 0x36, 0xd7,
                                            0x50, 0xdf } };
static const EFI_GUID device_path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
static const EFI_GUID acpi1_guid = ACPI_TABLE_GUID;
static const EFI_GUID acpi2_guid = ACPI_20_TABLE_GUID;
static const EFI_GUID smbios2_guid = SMBIOS_TABLE_GUID;
static const EFI_GUID smbios3_guid = SMBIOS3_TABLE_GUID;
static const EFI_GUID gop_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
static const EFI_GUID snp_guid = EFI_SIMPLE_NETWORK_PROTOCOL_GUID;

bool guid_is(const EFI_GUID *a, const EFI_GUID *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* The headers forget that the firmware does not write to a GUID. */
static EFI_GUID *unconst(const EFI_GUID *guid)
{
    return (EFI_GUID *)(uintptr_t)guid;
}

void *protocol_on(struct loader *l, EFI_HANDLE handle, const EFI_GUID *guid)
{
    void *protocol = NULL;

    if (handle == NULL ||
        EFI_ERROR(l->bs->HandleProtocol(handle, unconst(guid), &protocol)))
        return NULL;
    return protocol;
}

EFI_HANDLE handle_with(struct loader *l, EFI_HANDLE handle,
                       const EFI_GUID *guid)
{
    EFI_DEVICE_PATH *path = protocol_on(l, handle, &device_path_guid);
    EFI_HANDLE found = NULL;

    if (path == NULL ||
        EFI_ERROR(l->bs->LocateDevicePath(unconst(guid), &path, &found)))
        return NULL;
    return found;
}

/* Else the machine resets five minutes from now (UEFI 2.10, 7.5). */
bool firmware_watchdog_off(struct loader *l)
{
    const EFI_STATUS status = l->bs->SetWatchdogTimer(0, 0, 0, NULL);

    /* A firmware without a watchdog timer has nothing to switch off. */
    if (EFI_ERROR(status) && status != EFI_UNSUPPORTED)
        return loader_fail(l, "the watchdog does not stop (status 0x%llx)",
                           (unsigned long long)status);
    return true;
}

/*
 * The whole path of the image, which a NIC's own lacks the URL of; else what
 * can be had: the device's, and the file's on it.
 */
static void find_path(struct loader *l)
{
    const void *path = protocol_on(l, l->image, &image_path_guid);

    if (path == NULL)
        path = protocol_on(l, l->self->DeviceHandle, &device_path_guid);
    if (path != NULL)
        boot_devpath_read(path, PATH_MAX, &l->from);
    if (l->self->FilePath != NULL) {
        struct boot_devpath file;

        boot_devpath_read(l->self->FilePath, PATH_MAX, &file);
        memcpy(l->from.folder, file.folder, sizeof(file.folder));
    }
}

bool firmware_find_self(struct loader *l)
{
    l->self = protocol_on(l, l->image, &loaded_image_guid);
    if (l->self == NULL)
        return loader_fail(l, "no loaded-image protocol on our own handle");
    find_path(l);
    return true;
}

static uint64_t table_of(const struct loader *l, const EFI_GUID *guid)
{
    for (UINTN i = 0; i < l->st->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *t = &l->st->ConfigurationTable[i];

        if (guid_is(&t->VendorGuid, guid))
            return (uint64_t)(uintptr_t)t->VendorTable;
    }
    return 0;
}

/* None of them is missing on a sane machine; the kernel says what it misses. */
bool firmware_find_tables(struct loader *l)
{
    l->info->rsdp = table_of(l, &acpi2_guid);
    if (l->info->rsdp == 0)
        l->info->rsdp = table_of(l, &acpi1_guid);
    l->info->smbios = table_of(l, &smbios3_guid);
    if (l->info->smbios == 0)
        l->info->smbios = table_of(l, &smbios2_guid);
    return true;
}

/* Pixels in memory, eight bits a colour; anything else draws by calls of the
 * firmware, which end with it. */
static bool screen_take(struct boot_framebuffer *fb,
                        const EFI_GRAPHICS_OUTPUT_PROTOCOL *gop)
{
    if (gop == NULL || gop->Mode == NULL || gop->Mode->Info == NULL ||
        gop->Mode->FrameBufferBase == 0)
        return false;
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *mode = gop->Mode->Info;

    if (mode->PixelFormat != PixelRedGreenBlueReserved8BitPerColor &&
        mode->PixelFormat != PixelBlueGreenRedReserved8BitPerColor)
        return false;
    fb->base = gop->Mode->FrameBufferBase;
    fb->width = mode->HorizontalResolution;
    fb->height = mode->VerticalResolution;
    fb->pixels_per_line = mode->PixelsPerScanLine;
    fb->is_bgr = mode->PixelFormat == PixelBlueGreenRedReserved8BitPerColor;
    return true;
}

/*
 * The screen that the firmware's console is on, else the first that will do. No
 * screen is fine: most of our machines have none.
 */
bool firmware_find_screen(struct loader *l)
{
    struct boot_framebuffer *fb = &l->info->framebuffer;
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    if (screen_take(fb, protocol_on(l, l->st->ConsoleOutHandle, &gop_guid)) ||
        EFI_ERROR(l->bs->LocateHandleBuffer(ByProtocol, unconst(&gop_guid),
                                            NULL, &count, &handles)))
        return true;
    for (UINTN i = 0; i < count && i < SCREENS_MAX; i++)
        if (screen_take(fb, protocol_on(l, handles[i], &gop_guid)))
            break;
    l->bs->FreePool(handles);
    return true;
}

static void network_stop(EFI_SIMPLE_NETWORK *snp)
{
    if (snp->Mode == NULL)
        return;
    if (snp->Mode->State == EfiSimpleNetworkInitialized)
        snp->Shutdown(snp);
    if (snp->Mode->State == EfiSimpleNetworkStarted)
        snp->Stop(snp);
}

/*
 * A firmware driver that still receives would write into memory it no longer
 * owns. A driver that refuses to stop is not an error here: the kernel resets
 * the NICs it takes and uses firmware memory only after that.
 */
bool firmware_quiet_network(struct loader *l)
{
    EFI_HANDLE *handles = NULL;
    UINTN count = 0;

    if (EFI_ERROR(l->bs->LocateHandleBuffer(ByProtocol, unconst(&snp_guid),
                                            NULL, &count, &handles)))
        return true;
    for (UINTN i = 0; i < count && i < NETWORKS_MAX; i++) {
        EFI_SIMPLE_NETWORK *snp = protocol_on(l, handles[i], &snp_guid);

        if (snp != NULL)
            network_stop(snp);
    }
    l->bs->FreePool(handles);
    return true;
}
