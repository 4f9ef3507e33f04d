/*
 * config_file.c - configuration from the file system the loader came from
 *
 * That is a disk, a virtual CD, or what iPXE has downloaded beside us.
 */
#include <string.h>

#include "boot/loader.h"

static const EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

#define NAME_UNITS (BOOT_FOLDER_MAX + 1 + BOOT_NAME_ROOM)

/* For messages: a folder may hold what the console cannot show. */
static void show_folder(const CHAR16 *folder, char *where, size_t room)
{
    size_t n = 0;

    for (; folder[n] != 0 && n + 2 < room; n++)
        where[n] = folder[n] > ' ' && folder[n] <= '~' ? (char)folder[n] : '?';
    where[n++] = '\\';
    where[n] = '\0';
}

static bool open_volume(void *ctx, char *where, size_t room)
{
    const struct loader *l = ctx;
    static const CHAR16 root[1];

    show_folder(root, where, room);
    return protocol_on(ctx, l->self->DeviceHandle, &file_system_guid) != NULL;
}

/* In the root it would be the same place. */
static bool open_beside(void *ctx, char *where, size_t room)
{
    const struct loader *l = ctx;

    show_folder(l->from.folder, where, room);
    return l->from.folder[0] != 0 &&
           protocol_on(ctx, l->self->DeviceHandle, &file_system_guid) != NULL;
}

/* To the end of the file, or one byte beyond the limit. */
static EFI_STATUS read_all(EFI_FILE_HANDLE file, char *to, size_t room,
                           size_t *bytes)
{
    *bytes = 0;
    while (*bytes <= room) {
        UINTN n = room + 1 - *bytes;
        const EFI_STATUS status = file->Read(file, &n, to + *bytes);

        if (EFI_ERROR(status) || n == 0)
            return status;
        *bytes += n;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS read_file(struct loader *l, CHAR16 *name, char *to,
                            size_t room, size_t *bytes)
{
    EFI_FILE_IO_INTERFACE *fs =
        protocol_on(l, l->self->DeviceHandle, &file_system_guid);
    EFI_FILE_HANDLE root = NULL, file = NULL;
    EFI_STATUS status = fs->OpenVolume(fs, &root);

    if (EFI_ERROR(status))
        return status;
    status = root->Open(root, &file, name, EFI_FILE_MODE_READ, 0);
    if (!EFI_ERROR(status)) {
        status = read_all(file, to, room, bytes);
        file->Close(file);
    }
    root->Close(root);
    return status;
}

static enum boot_found fetch(struct loader *l, const CHAR16 *folder,
                             const char *name, char *to, size_t room,
                             size_t *bytes)
{
    CHAR16 path[NAME_UNITS];
    size_t n = 0;
    EFI_STATUS status;

    while (folder[n] != 0) {
        path[n] = folder[n];
        n++;
    }
    path[n++] = '\\';
    for (size_t i = 0; i <= strlen(name); i++)
        path[n + i] = (uint8_t)name[i];
    status = read_file(l, path, to, room, bytes);
    if (status == EFI_NOT_FOUND)
        return BOOT_ABSENT;
    if (EFI_ERROR(status))
        return config_refuse(l, "file", name, status);
    return BOOT_TAKEN;
}

static enum boot_found fetch_volume(void *ctx, const char *name, char *to,
                                    size_t room, size_t *bytes)
{
    static const CHAR16 root[1];

    return fetch(ctx, root, name, to, room, bytes);
}

static enum boot_found fetch_beside(void *ctx, const char *name, char *to,
                                    size_t room, size_t *bytes)
{
    const struct loader *l = ctx;

    return fetch(ctx, l->from.folder, name, to, room, bytes);
}

const struct boot_place place_volume = {
    .kind = "file",
    .open = open_volume,
    .fetch = fetch_volume,
};

const struct boot_place place_beside = {
    .kind = "file",
    .open = open_beside,
    .fetch = fetch_beside,
};
