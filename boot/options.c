/*
 * options.c - LoadOptions, made into a command line
 *
 *   O1  nothing is read beyond the stated size, NUL or not
 *   O2  what cannot be text (a first character that is not printable ASCII,
 *       control characters, broken surrogate pairs) gives an empty line: boot
 *       managers put binary data of their own there
 *   O3  a line that does not fit is cut between words, never inside one
 */
#include <stdint.h>
#include <string.h>

#include <millrace/compiler.h>
#include <millrace/endian.h>

#include "boot/options.h"

#define NOT_TEXT UINT32_MAX

/* The character at @at, *@at moved past it; NOT_TEXT when it is none. */
static uint32_t next_char(const uint8_t *raw, size_t units, size_t *at)
{
    const uint32_t c = get_le16(raw + 2 * (*at)++);

    if (c == '\t' || c == '\n' || c == '\r')
        return ' ';
    if (c < 0x20 || c == 0x7f || (c >= 0xdc00 && c <= 0xdfff) || c >= 0xfffe)
        return NOT_TEXT;
    if (c < 0xd800 || c > 0xdfff)
        return c;
    if (*at == units)
        return NOT_TEXT;
    const uint32_t low = get_le16(raw + 2 * (*at)++);

    if (low < 0xdc00 || low > 0xdfff)
        return NOT_TEXT;
    return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
}

static size_t utf8_put(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(lead[n] | c);
    return n;
}

/* Bytes before the last word of @text, which may be all of it. */
static size_t without_last_word(const char *text, size_t bytes)
{
    while (bytes > 0 && text[bytes - 1] != ' ')
        bytes--;
    while (bytes > 0 && text[bytes - 1] == ' ')
        bytes--;
    return bytes;
}

static bool ends_in_efi(const char *word, size_t bytes)
{
    static const char tail[] = ".efi";

    if (bytes < strlen(tail))
        return false;
    word += bytes - strlen(tail);
    for (size_t i = 0; i < strlen(tail); i++) {
        const bool is_upper = word[i] >= 'A' && word[i] <= 'Z';

        if ((is_upper ? word[i] + 0x20 : word[i]) != tail[i])
            return false;
    }
    return true;
}

/* An option may end in .efi as well, but it starts with - or holds a =. */
static bool is_program_name(const char *word, size_t bytes)
{
    if (word[0] == '-' || memchr(word, '=', bytes) != NULL)
        return false;
    return ends_in_efi(word, bytes);
}

static size_t drop_program_name(char *text, size_t bytes)
{
    size_t word = 0;

    while (word < bytes && text[word] != ' ')
        word++;
    if (word == 0 || !is_program_name(text, word))
        return bytes;
    while (word < bytes && text[word] == ' ')
        word++;
    memmove(text, text + word, bytes - word);
    return bytes - word;
}

/* Decoded bytes in @out, not terminated. */
static size_t decode(const uint8_t *raw, size_t units, char *out, size_t room,
                     struct boot_options_found *found)
{
    size_t n = 0;

    for (size_t at = 0; at < units && get_le16(raw + 2 * at) != 0;) {
        const uint32_t c = next_char(raw, units, &at);
        char utf8[4];

        if (c == NOT_TEXT || (n == 0 && c > 0x7e)) {
            found->is_binary = true;
            return 0;
        }
        if (c == ' ' && n == 0)
            continue;
        const size_t bytes = utf8_put(c, utf8);

        if (n + bytes >= room) {
            found->is_cut = true;
            return c == ' ' ? n : without_last_word(out, n);
        }
        memcpy(out + n, utf8, bytes);
        n += bytes;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    return n;
}

size_t boot_options_decode(const void *raw, size_t bytes, char *out,
                           size_t room, struct boot_options_found *found)
{
    size_t n;

    *found = (struct boot_options_found) { .is_odd = bytes % 2 != 0 };
    n = decode(raw, bytes / 2, out, room, found);
    n = drop_program_name(out, n);
    out[n] = '\0';
    return n;
}
