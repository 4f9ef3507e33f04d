/*
 * options.h - LoadOptions as firmware hands them over, made into a command line
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What was unusual; all false for an orderly command line. */
struct boot_options_found {
    bool is_cut;    /* did not fit; the words before the cut are whole */
    bool is_binary; /* no text: a boot manager's private data; ignored */
    bool is_odd;    /* half a character at the end; ignored */
};

/*
 * Decode UCS-2 to UTF-8 and drop a leading program name.
 *
 * The first word is a program name when it ends in ".efi": iPXE and the UEFI
 * shell pass one, QEMU's -kernel does not.
 *
 * @raw     @bytes of little-endian UCS-2, any alignment; ends at the first NUL
 *          or at @bytes; may be NULL when @bytes is 0
 * @out     @room bytes, always NUL-terminated
 * Returns  bytes in @out without the NUL
 */
size_t boot_options_decode(const void *raw, size_t bytes, char *out,
                           size_t room, struct boot_options_found *found);
