/*
 * config_tftp.c - configuration from the server that sent us, by TFTP
 *
 * Through the PXE base code on the device we were loaded from (UEFI 2.10,
 * 24.3). The waits are the firmware's, with TFTP's own time-outs and repeats.
 *
 * A server that says "no such file" has none. One that says nothing is another
 * matter: the firmware came by TFTP from there a moment ago, so what the server
 * has is not known and nothing may be configured without it. Only a network
 * boot program like iPXE, which may have come by another way and shows what it
 * fetched as files, makes a silent TFTP server an ordinary thing.
 */
#include <string.h>

#include "boot/dhcp.h"
#include "boot/fetch.h"
#include "boot/format.h"
#include "boot/loader.h"

#define TFTP_NO_SUCH_FILE 1 /* RFC 1350, appendix I */

static const EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;
static const EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

/* All that a call of the base code needs. */
struct request {
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    EFI_IP_ADDRESS server;
    char path[BOOT_FILE_MAX + BOOT_NAME_ROOM];
    EFI_STATUS status; /* of the last call */
};

static EFI_PXE_BASE_CODE_PROTOCOL *find_pxe(struct loader *l)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe =
        protocol_on(l, l->self->DeviceHandle, &pxe_guid);

    if (pxe == NULL || pxe->Mode == NULL || !pxe->Mode->Started)
        return NULL;
    return pxe;
}

/*
 * The answer that names server and file: of a boot server, of a proxy, of the
 * DHCP server, as the firmware itself prefers them.
 */
static bool find_answer(const EFI_PXE_BASE_CODE_MODE *mode,
                        struct boot_dhcp *told)
{
    const struct {
        BOOLEAN is_there;
        const EFI_PXE_BASE_CODE_PACKET *packet;
    } answers[] = {
        { mode->PxeReplyReceived, &mode->PxeReply },
        { mode->ProxyOfferReceived, &mode->ProxyOffer },
        { mode->DhcpAckReceived, &mode->DhcpAck },
    };
    struct boot_dhcp one;

    memset(told, 0, sizeof(*told));
    for (unsigned i = 0; i < ARRAY_SIZE(answers); i++) {
        if (!answers[i].is_there)
            continue;
        boot_dhcp_read(answers[i].packet, sizeof(*answers[i].packet), &one);
        if (one.has_server &&
            (!told->has_server || (told->is_sent_from && !one.is_sent_from))) {
            told->has_server = true;
            told->is_sent_from = one.is_sent_from;
            memcpy(told->server, one.server, sizeof(one.server));
        }
        if (told->file[0] == '\0')
            memcpy(told->file, one.file, sizeof(one.file));
    }
    return told->has_server;
}

static bool open_tftp(void *ctx, char *where, size_t room)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe = find_pxe(ctx);
    struct boot_dhcp told;
    char folder[BOOT_FILE_MAX];

    if (pxe == NULL)
        return false;
    if (pxe->Mode->UsingIpv6) {
        loader_note(ctx, "booted over IPv6: TFTP is not asked for a "
                         "configuration");
        return false;
    }
    if (!find_answer(pxe->Mode, &told) ||
        !boot_tftp_beside(told.file, "", folder, sizeof(folder)))
        return false;
    boot_format(where, room, "%u.%u.%u.%u:%s", told.server[0], told.server[1],
                told.server[2], told.server[3], folder);
    return true;
}

static enum boot_reply reply_of(const struct request *r)
{
    const EFI_PXE_BASE_CODE_MODE *mode = r->pxe->Mode;

    switch (r->status) {
    case EFI_SUCCESS:
        return BOOT_REPLY_OK;
    case EFI_NOT_FOUND:
        return BOOT_REPLY_NO_FILE;
    case EFI_BUFFER_TOO_SMALL:
        return BOOT_REPLY_TOO_SMALL;
    case EFI_TIMEOUT:
    case EFI_NO_RESPONSE:
    case EFI_ICMP_ERROR:
        return BOOT_REPLY_SILENCE;
    case EFI_TFTP_ERROR:
        if (mode->TftpErrorReceived &&
            mode->TftpError.ErrorCode == TFTP_NO_SUCH_FILE)
            return BOOT_REPLY_NO_FILE;
        return BOOT_REPLY_ERROR;
    default:
        return BOOT_REPLY_ERROR;
    }
}

static enum boot_reply call(struct request *r,
                            EFI_PXE_BASE_CODE_TFTP_OPCODE what, void *to,
                            uint64_t *bytes)
{
    UINT64 n = *bytes;

    r->status = r->pxe->Mtftp(r->pxe, what, to, FALSE, &n, NULL, &r->server,
                              (UINT8 *)r->path, NULL, FALSE);
    *bytes = n;
    return reply_of(r);
}

static enum boot_reply tftp_size(void *ctx, uint64_t *bytes)
{
    return call(ctx, EFI_PXE_BASE_CODE_TFTP_GET_FILE_SIZE, NULL, bytes);
}

static enum boot_reply tftp_read(void *ctx, char *to, uint64_t *bytes)
{
    return call(ctx, EFI_PXE_BASE_CODE_TFTP_READ_FILE, to, bytes);
}

static enum boot_found silence(struct loader *l, const struct request *r)
{
    if (protocol_on(l, l->self->DeviceHandle, &file_system_guid) != NULL)
        return BOOT_GONE;
    loader_note(l,
                "no answer about %s from the TFTP server that sent us "
                "(firmware status 0x%llx)",
                r->path, (unsigned long long)r->status);
    return BOOT_SILENT;
}

static enum boot_found fetch_tftp(void *ctx, const char *name, char *to,
                                  size_t room, size_t *bytes)
{
    struct request r = { .pxe = find_pxe(ctx) };
    const struct boot_tftp tftp = { tftp_size, tftp_read, &r };
    struct boot_dhcp told;
    enum boot_found found;

    if (!find_answer(r.pxe->Mode, &told) ||
        !boot_tftp_beside(told.file, name, r.path, sizeof(r.path)))
        return BOOT_ABSENT;
    memcpy(&r.server.v4, told.server, sizeof(told.server));
    found = boot_tftp_get(&tftp, to, room, bytes);
    if (found == BOOT_SILENT)
        return silence(ctx, &r);
    if (found == BOOT_REFUSED)
        return config_refuse(ctx, "tftp", r.path, r.status);
    return found;
}

const struct boot_place place_tftp = {
    .kind = "tftp",
    .open = open_tftp,
    .fetch = fetch_tftp,
};
