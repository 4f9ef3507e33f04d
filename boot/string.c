/*
 * string.c - the C library of a loader: what compilers call on their own
 *
 * Built with -fno-builtin, or each loop would be turned into a call of itself.
 */
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    void *const start = to;

    __asm__ volatile("rep movsb"
                     : "+D"(to), "+S"(from), "+c"(bytes)
                     :
                     : "memory");
    return start;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if (t <= f || t >= f + bytes)
        return memcpy(to, from, bytes);
    while (bytes-- != 0)
        t[bytes] = f[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    void *const start = to;

    __asm__ volatile("rep stosb"
                     : "+D"(to), "+c"(bytes)
                     : "a"(value)
                     : "memory");
    return start;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const uint8_t *x = a, *y = b;

    for (size_t i = 0; i < bytes; i++) {
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n] != '\0')
        n++;
    return n;
}

void *memchr(const void *s, int byte, size_t bytes)
{
    const uint8_t *p = s;

    for (size_t i = 0; i < bytes; i++) {
        if (p[i] == (uint8_t)byte)
            return (void *)(uintptr_t)(p + i);
    }
    return NULL;
}
