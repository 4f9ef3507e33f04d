/*
 * build_id.c - the note that ld writes for --build-id=sha1
 *
 * An ELF note: three 32-bit words, the name "GNU", then the hash itself
 * (System V ABI, chapter 5).
 */
#include "kernel/build_id.h"

#include "kernel/image.h"

#define NOTE_HASH 16 /* bytes before it: 3 * 4 and "GNU\0" */

void build_id_get(char text[BUILD_ID_CHARS + 1])
{
    static const char digits[] = "0123456789abcdef";

    for (unsigned i = 0; i < BUILD_ID_CHARS; i += 2) {
        const unsigned char byte =
            (unsigned char)build_id_note[NOTE_HASH + i / 2];

        text[i] = digits[byte >> 4];
        text[i + 1] = digits[byte & 15];
    }
    text[BUILD_ID_CHARS] = '\0';
}
