/*
 * format.c - the loader's printf
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "boot/format.h"

struct sink {
    char *out;
    size_t room;
    size_t used;
};

static void put(struct sink *s, char c)
{
    if (s->used + 1 < s->room)
        s->out[s->used++] = c;
}

static void put_text(struct sink *s, const char *text)
{
    while (*text != '\0')
        put(s, *text++);
}

static void put_number(struct sink *s, uint64_t v, unsigned base)
{
    char digits[20];
    unsigned n = 0;

    do {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v != 0);
    while (n > 0)
        put(s, digits[--n]);
}

size_t boot_vformat(char *out, size_t room, const char *fmt, va_list args)
{
    struct sink s = { .out = out, .room = room };

    for (; *fmt != '\0'; fmt++) {
        if (*fmt != '%') {
            put(&s, *fmt);
            continue;
        }
        const bool is_wide = fmt[1] == 'l' && fmt[2] == 'l';
        const char kind = fmt[is_wide ? 3 : 1];

        if (kind == 's' && !is_wide)
            put_text(&s, va_arg(args, const char *));
        else if (kind == 'u' || kind == 'x')
            put_number(&s,
                       is_wide ? va_arg(args, unsigned long long)
                               : va_arg(args, unsigned),
                       kind == 'x' ? 16 : 10);
        else if (kind == '%' && !is_wide)
            put(&s, '%');
        else {
            put(&s, '%');
            continue;
        }
        fmt += is_wide ? 3 : 1;
    }
    s.out[s.used] = '\0';
    return s.used;
}

size_t boot_format(char *out, size_t room, const char *fmt, ...)
{
    va_list args;
    size_t n;

    va_start(args, fmt);
    n = boot_vformat(out, room, fmt, args);
    va_end(args);
    return n;
}
