/*
 * fetch.c - a file by TFTP or HTTP, through a firmware that knows half of it
 */
#include <stdbool.h>

#include <millrace/compiler.h>

#include "boot/fetch.h"

static enum boot_found found_by(enum boot_reply reply)
{
    switch (reply) {
    case BOOT_REPLY_OK:
    case BOOT_REPLY_TOO_SMALL:
        return BOOT_TAKEN;
    case BOOT_REPLY_NO_FILE:
        return BOOT_ABSENT;
    case BOOT_REPLY_SILENCE:
        return BOOT_SILENT;
    case BOOT_REPLY_ERROR:
        break;
    }
    return BOOT_REFUSED;
}

enum boot_found boot_tftp_get(const struct boot_tftp *tftp, char *to,
                              size_t room, size_t *bytes)
{
    uint64_t size = 0, got = room;
    enum boot_reply reply = tftp->size(tftp->ctx, &size);
    const bool is_size_known = reply == BOOT_REPLY_OK;

    *bytes = room + 1;
    if (is_size_known && size > room)
        return BOOT_TAKEN;
    if (reply == BOOT_REPLY_NO_FILE || reply == BOOT_REPLY_SILENCE)
        return found_by(reply);
    reply = tftp->read(tftp->ctx, to, &got);
    if (reply != BOOT_REPLY_OK)
        return found_by(reply);
    *bytes = is_size_known && size < got ? size : got;
    while (!is_size_known && *bytes > 0 && to[*bytes - 1] == '\0')
        (*bytes)--;
    return BOOT_TAKEN;
}

unsigned boot_http_code(unsigned place)
{
    /* Runs of codes without a gap; 306 does not exist, 308 came later. */
    static const struct {
        unsigned first, last, code;
    } runs[] = {
        { 1, 2, 100 },   { 3, 9, 200 },   { 10, 15, 300 }, { 16, 16, 307 },
        { 17, 34, 400 }, { 35, 40, 500 }, { 41, 41, 308 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(runs); i++)
        if (place >= runs[i].first && place <= runs[i].last)
            return runs[i].code + place - runs[i].first;
    return 0;
}
