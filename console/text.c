/*
 * text.c - words, numbers and addresses as people write them
 */
#include "console/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* At most @max digits from *@p on; false when there is none or it overflows. */
static bool take_digits(const char **p, unsigned base, unsigned max,
                        uint64_t *value)
{
    uint64_t v = 0;
    unsigned n = 0;

    for (; n < max && (unsigned)digit_value(**p) < base; n++, ++*p) {
        const unsigned d = (unsigned)digit_value(**p);

        if (v > (UINT64_MAX - d) / base)
            return false;
        v = v * base + d;
    }
    *value = v;
    return n > 0;
}

static bool has_hex_prefix(const char *text)
{
    return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

bool text_to_number(const char *text, uint64_t *value)
{
    if (has_hex_prefix(text))
        return text_to_hex(text, value);
    return take_digits(&text, 10, 32, value) && *text == '\0';
}

bool text_to_hex(const char *text, uint64_t *value)
{
    if (has_hex_prefix(text))
        text += 2;
    return take_digits(&text, 16, 32, value) && *text == '\0';
}

bool text_to_mac(const char *text, uint8_t mac[6])
{
    for (unsigned i = 0; i < 6; i++) {
        const char *start = text;
        uint64_t v;

        if (!take_digits(&text, 16, 2, &v) || text != start + 2)
            return false;
        if (*text != (i < 5 ? ':' : '\0'))
            return false;
        text++;
        mac[i] = (uint8_t)v;
    }
    return true;
}

/* @digits exactly, then @end. */
static bool take_field(const char **p, unsigned digits, char end, uint64_t *v)
{
    const char *start = *p;

    if (!take_digits(p, 16, digits, v) || *p != start + digits || **p != end)
        return false;
    if (end != '\0')
        ++*p;
    return true;
}

bool text_to_pci(const char *text, struct pci_addr *at)
{
    uint64_t segment = 0, bus, device, function;

    if (strlen(text) > 4 && text[4] == ':' &&
        !take_field(&text, 4, ':', &segment))
        return false;
    if (!take_field(&text, 2, ':', &bus) ||
        !take_field(&text, 2, '.', &device) ||
        !take_field(&text, 1, '\0', &function) || device > 31 || function > 7)
        return false;
    *at = (struct pci_addr) { .segment = (uint16_t)segment,
                              .bus = (uint8_t)bus,
                              .device = (uint8_t)device,
                              .function = (uint8_t)function };
    return true;
}

void text_from_mac(char out[TEXT_MAC_BYTES], const uint8_t mac[6])
{
    static const char hex[] = "0123456789abcdef";

    for (unsigned i = 0; i < 6; i++) {
        out[3 * i] = hex[mac[i] >> 4];
        out[3 * i + 1] = hex[mac[i] & 15];
        out[3 * i + 2] = i < 5 ? ':' : '\0';
    }
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    const unsigned ab = a < b ? a : b;

    return ab < c ? ab : c;
}

unsigned text_distance(const char *a, const char *b)
{
    unsigned rows[3][TEXT_WORD_MAX + 1]; /* two before, one before, this */
    const size_t la = strlen(a), lb = strlen(b);

    if (la > TEXT_WORD_MAX || lb > TEXT_WORD_MAX)
        return 1000;
    for (unsigned j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= la; i++) {
        unsigned *now = rows[i % 3];
        const unsigned *before = rows[(i + 2) % 3];
        const unsigned *before2 = rows[(i + 1) % 3];

        now[0] = i;
        for (unsigned j = 1; j <= lb; j++) {
            now[j] = min3(before[j] + 1, now[j - 1] + 1,
                          before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = min3(now[j], before2[j - 2] + 1, now[j]);
        }
    }
    return rows[la % 3][lb];
}

bool text_is_near(const char *typed, const char *candidate)
{
    const size_t n = strlen(typed);

    if (n >= 2 && strncmp(typed, candidate, n) == 0)
        return true;
    return text_distance(typed, candidate) <= (n <= 3 ? 1 : 2);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/*
 * Move the word at @from to itself without its quotes, end it with a NUL.
 * Returns where the next one may start, or NULL when a quote stays open.
 */
static char *word_close(char *from, bool quotes, const char **open_quote)
{
    char *to = from;
    char quote = '\0';

    for (; *from != '\0'; from++) {
        if (quote == '\0' && is_blank(*from))
            break;
        if (quotes && quote == '\0' && (*from == '"' || *from == '\'')) {
            quote = *from;
            *open_quote = from;
        } else if (quote != '\0' && *from == quote) {
            quote = '\0';
        } else {
            *to++ = *from;
        }
    }
    if (quote != '\0')
        return NULL;
    if (*from != '\0')
        from++;
    *to = '\0';
    return from;
}

enum status words_split(char *line, struct word out[], unsigned max,
                        bool quotes, unsigned *count, unsigned *error)
{
    const char *open_quote = line;
    char *p = line;

    for (*count = 0;; ++*count) {
        char *next;

        while (is_blank(*p))
            p++;
        if (*p == '\0')
            return OK;
        *error = (unsigned)(p - line) + 1;
        if (*count == max)
            return E_OVERFLOW;
        out[*count] = (struct word) { .text = p, .column = *error };
        next = word_close(p, quotes, &open_quote);
        if (next == NULL) {
            *error = (unsigned)(open_quote - line) + 1;
            return E_CORRUPT;
        }
        p = next;
    }
}

void text_init(struct text *t, char *room, size_t bytes)
{
    *t = (struct text) { .at = room, .bytes = bytes };
    room[0] = '\0';
}

void text_add(struct text *t, const char *fmt, ...)
{
    const size_t room = t->bytes - t->used;
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(t->at + t->used, room, fmt, args);
    va_end(args);
    if (n > 0)
        t->used += (size_t)n < room ? (size_t)n : room - 1;
}
