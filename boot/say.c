/*
 * say.c - the loader's messages
 *
 * While boot services last the firmware's console shows them. Afterwards the
 * only thing left that needs no driver is a 16550 at COM1.
 */
#include <string.h>

#include "boot/format.h"
#include "boot/io.h"
#include "boot/loader.h"

#define COM1         0x3f8
#define COM1_LSR     (COM1 + 5)
#define LSR_THRE     0x20
#define LSR_NOTHING  0xff
#define LINE_BYTES   256
#define SPINS_A_BYTE 100000 /* some 0.1 s of port reads: far beyond 9600 baud */

static void firmware_print(struct loader *l, const char *text)
{
    CHAR16 line[LINE_BYTES + 2];
    size_t n = 0;

    if (l->st->ConOut == NULL)
        return;
    for (; *text != '\0' && n < LINE_BYTES; text++) {
        if (*text == '\n')
            line[n++] = '\r';
        line[n++] = (uint8_t)*text;
    }
    line[n] = 0;
    l->st->ConOut->OutputString(l->st->ConOut, line);
}

static void com1_print(const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned spins = SPINS_A_BYTE;

        if (io_in8(COM1_LSR) == LSR_NOTHING)
            return;
        while ((io_in8(COM1_LSR) & LSR_THRE) == 0 && --spins > 0)
            ;
        if (spins == 0)
            return;
        io_out8(COM1, (uint8_t)*text);
    }
}

void loader_say(struct loader *l, const char *fmt, ...)
{
    char line[LINE_BYTES];
    va_list args;

    va_start(args, fmt);
    boot_vformat(line, sizeof(line), fmt, args);
    va_end(args);
    if (l->has_left)
        com1_print(line);
    else
        firmware_print(l, line);
}

bool loader_fail(struct loader *l, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    boot_vformat(l->reason, sizeof(l->reason), fmt, args);
    va_end(args);
    return false;
}

void loader_note(struct loader *l, const char *fmt, ...)
{
    char *note = l->info->loader_note;
    size_t used = strlen(note);
    va_list args;

    if (used > 0)
        used +=
            boot_format(note + used, sizeof(l->info->loader_note) - used, "; ");
    va_start(args, fmt);
    boot_vformat(note + used, sizeof(l->info->loader_note) - used, fmt, args);
    va_end(args);
}
