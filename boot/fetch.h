/*
 * fetch.h - a file by TFTP or HTTP, through a firmware that knows half of it
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What came of asking a place for a file. */
enum boot_found {
    BOOT_ABSENT,  /* the place says that it has no such file */
    BOOT_TAKEN,   /* *bytes of it are in the buffer, perhaps cut at its room */
    BOOT_REFUSED, /* there is one, but it cannot be read; the place said why */
    BOOT_SILENT,  /* a place that must have files does not answer; it said so */
    BOOT_GONE,    /* a place that may have none does not answer */
};

enum boot_reply {
    BOOT_REPLY_OK,
    BOOT_REPLY_NO_FILE,
    BOOT_REPLY_TOO_SMALL, /* the file is larger than the buffer */
    BOOT_REPLY_SILENCE,   /* time-outs, or nobody there */
    BOOT_REPLY_ERROR,     /* anything else, "unsupported" too */
};

/* The firmware's two calls, about one file. */
struct boot_tftp {
    enum boot_reply (*size)(void *ctx, uint64_t *bytes);
    /* @bytes: the room of @to, then what was read, as far as it can tell. */
    enum boot_reply (*read)(void *ctx, char *to, uint64_t *bytes);
    void *ctx;
};

/*
 * Read a file into @to, which is zeroed and stays so behind the text.
 *
 * The size is asked for first: some servers tell it before a file that is too
 * large begins to flow. Who cannot tell it (an old iPXE) is asked for the file
 * all the same, and may then report the room as what was read: the zeros tell
 * where the text ends.
 *
 * @bytes   of the file; @room + 1 stands for "more than that"
 */
enum boot_found boot_tftp_get(const struct boot_tftp *tftp, char *to,
                              size_t room, size_t *bytes);

/*
 * The server's status code for the number that stands for it in the firmware's
 * HTTP client (UEFI 2.10, 29.7.1: places in a list). 0: it has no such place.
 */
unsigned boot_http_code(unsigned place);
