/*
 * config_file.c - configuration from the file system the loader came from
 *
 * That is a disk, a virtual CD, or what iPXE has downloaded beside us.
 */
#include "boot/loader.h"

static const EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
static CHAR16 file_name[] = u"\\" CONFIG_FILE;

/* To the end of the file, or one byte beyond the limit. */
static EFI_STATUS read_all(EFI_FILE_HANDLE file, char *to, size_t *bytes)
{
    *bytes = 0;
    while (*bytes <= CONFIG_MAX) {
        UINTN n = CONFIG_MAX + 1 - *bytes;
        const EFI_STATUS status = file->Read(file, &n, to + *bytes);

        if (EFI_ERROR(status) || n == 0)
            return status;
        *bytes += n;
    }
    return EFI_SUCCESS;
}

enum config_found config_from_file(struct loader *l, char *to, size_t *bytes)
{
    EFI_FILE_IO_INTERFACE *fs;
    EFI_FILE_HANDLE root = NULL, file = NULL;
    EFI_STATUS status;

    fs = protocol_on(l, l->self->DeviceHandle, &file_system_guid);
    if (fs == NULL || EFI_ERROR(fs->OpenVolume(fs, &root)) || root == NULL)
        return CONFIG_ABSENT;
    status = root->Open(root, &file, file_name, EFI_FILE_MODE_READ, 0);
    if (!EFI_ERROR(status)) {
        status = read_all(file, to, bytes);
        file->Close(file);
    }
    root->Close(root);
    if (status == EFI_NOT_FOUND)
        return CONFIG_ABSENT;
    if (EFI_ERROR(status)) {
        loader_note(l, "file " CONFIG_FILE " cannot be read (status 0x%llx)",
                    (unsigned long long)status);
        return CONFIG_REFUSED;
    }
    return CONFIG_TAKEN;
}
