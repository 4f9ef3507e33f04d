/*
 * format.h - the loader's printf, as small as its messages
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

#include <millrace/compiler.h>

/*
 * Write text into @out, cut at @room and always NUL-terminated.
 *
 * @room    at least 1
 * @fmt     %s %u %x %llu %llx %%, no width or flags; a text names others as
 *          they stand, so that a mistake is seen
 * Returns  characters written, without the NUL
 */
size_t boot_format(char *out, size_t room, const char *fmt, ...)
    printf_like(3, 4);
size_t boot_vformat(char *out, size_t room, const char *fmt, va_list args);
