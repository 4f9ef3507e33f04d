/*
 * number.c - numbers that people type
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/number.h"

bool number_parse(const char *text, uint64_t max, uint64_t *out)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    unsigned long long v;
    char *end;

    if (!isxdigit((unsigned char)digits[0]))
        return false;
    errno = 0;
    v = strtoull(digits, &end, hex ? 16 : 10);
    if (errno != 0 || end == digits || *end != '\0' || v > max)
        return false;
    *out = v;
    return true;
}
