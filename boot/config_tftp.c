/*
 * config_tftp.c - configuration from the server that sent us, by TFTP
 *
 * Through the PXE base code on the device we were loaded from (UEFI 2.10,
 * 24.3). The waits are the firmware's, with TFTP's own time-outs.
 */
#include <string.h>

#include "boot/loader.h"

#define TFTP_NO_SUCH_FILE 1

static const EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;

/* The address of the boot server: of all answers the most specific one. */
static bool server_of(const EFI_PXE_BASE_CODE_MODE *mode, EFI_IP_ADDRESS *ip)
{
    static const uint8_t none[4];
    const struct {
        BOOLEAN is_there;
        const EFI_PXE_BASE_CODE_PACKET *packet;
    } answers[] = {
        { mode->PxeReplyReceived, &mode->PxeReply },
        { mode->ProxyOfferReceived, &mode->ProxyOffer },
        { mode->DhcpAckReceived, &mode->DhcpAck },
    };

    memset(ip, 0, sizeof(*ip));
    for (unsigned i = 0; i < ARRAY_SIZE(answers); i++) {
        const uint8_t *si = answers[i].packet->Dhcpv4.BootpSiAddr;

        if (!answers[i].is_there || memcmp(si, none, sizeof(none)) == 0)
            continue;
        memcpy(&ip->v4, si, sizeof(ip->v4));
        return true;
    }
    return false;
}

static EFI_STATUS tftp(EFI_PXE_BASE_CODE_PROTOCOL *pxe,
                       EFI_PXE_BASE_CODE_TFTP_OPCODE what, void *to,
                       UINT64 *bytes, EFI_IP_ADDRESS *server)
{
    static UINT8 name[] = CONFIG_FILE;

    return pxe->Mtftp(pxe, what, to, FALSE, bytes, NULL, server, name, NULL,
                      FALSE);
}

static bool is_no_such_file(const EFI_PXE_BASE_CODE_MODE *mode,
                            EFI_STATUS status)
{
    return status == EFI_NOT_FOUND ||
           (status == EFI_TFTP_ERROR && mode->TftpErrorReceived &&
            mode->TftpError.ErrorCode == TFTP_NO_SUCH_FILE);
}

/*
 * An old iPXE cannot tell sizes and reports the buffer's size after a read: a
 * zeroed buffer shows where the text ends.
 */
static EFI_STATUS fetch(EFI_PXE_BASE_CODE_PROTOCOL *pxe, EFI_IP_ADDRESS *server,
                        char *to, size_t *bytes)
{
    UINT64 size = 0, room = CONFIG_MAX + 1;
    EFI_STATUS status;

    status =
        tftp(pxe, EFI_PXE_BASE_CODE_TFTP_GET_FILE_SIZE, NULL, &size, server);
    const bool is_size_known = !EFI_ERROR(status);

    if (is_size_known && size > CONFIG_MAX) {
        *bytes = size;
        return EFI_SUCCESS;
    }
    if (is_no_such_file(pxe->Mode, status))
        return status;
    status = tftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, to, &room, server);
    if (status == EFI_BUFFER_TOO_SMALL) {
        *bytes = CONFIG_MAX + 1;
        return EFI_SUCCESS;
    }
    if (!EFI_ERROR(status))
        *bytes = is_size_known && size < room ? size : room;
    while (!EFI_ERROR(status) && !is_size_known && *bytes > 0 &&
           to[*bytes - 1] == '\0')
        (*bytes)--;
    return status;
}

enum config_found config_from_tftp(struct loader *l, char *to, size_t *bytes)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    EFI_IP_ADDRESS server;
    EFI_STATUS status;

    pxe = protocol_on(l, l->self->DeviceHandle, &pxe_guid);
    if (pxe == NULL || pxe->Mode == NULL || !pxe->Mode->Started)
        return CONFIG_ABSENT;
    if (pxe->Mode->UsingIpv6) {
        loader_note(l, "booted over IPv6: no configuration by TFTP");
        return CONFIG_ABSENT;
    }
    if (!server_of(pxe->Mode, &server))
        return CONFIG_ABSENT;
    status = fetch(pxe, &server, to, bytes);
    if (!EFI_ERROR(status))
        return CONFIG_TAKEN;
    if (is_no_such_file(pxe->Mode, status))
        return CONFIG_ABSENT;
    loader_note(l, "tftp " CONFIG_FILE " failed (status 0x%llx)",
                (unsigned long long)status);
    return CONFIG_REFUSED;
}
