/*
 * rss_text.c - hash keys, tables and types as words of the console
 */
#include "console/rss_text.h"

#include <string.h>

#include <millrace/compiler.h>

/* ---- types ---- */

#define BIT_OF(type) (1u << PORT_RSS_##type)

static const struct {
    const char *name;
    uint32_t types;
} groups[] = {
    { "all", PORT_RSS_ALL },
    { "default", PORT_RSS_ALL },
    { "ip", BIT_OF(IPV4_FRAG) | BIT_OF(IPV4_OTHER) | BIT_OF(IPV6_FRAG) |
                BIT_OF(IPV6_OTHER) },
    { "ipv4", BIT_OF(IPV4_FRAG) | BIT_OF(IPV4_TCP) | BIT_OF(IPV4_UDP) |
                  BIT_OF(IPV4_SCTP) | BIT_OF(IPV4_OTHER) },
    { "ipv6", BIT_OF(IPV6_FRAG) | BIT_OF(IPV6_TCP) | BIT_OF(IPV6_UDP) |
                  BIT_OF(IPV6_SCTP) | BIT_OF(IPV6_OTHER) },
    { "tcp", BIT_OF(IPV4_TCP) | BIT_OF(IPV6_TCP) },
    { "udp", BIT_OF(IPV4_UDP) | BIT_OF(IPV6_UDP) },
    { "sctp", BIT_OF(IPV4_SCTP) | BIT_OF(IPV6_SCTP) },
    { "ether", BIT_OF(L2_PAYLOAD) },
    { "none", 0 },
};

const char *rss_type_name(unsigned type)
{
    static const char *const names[] = {
#define TYPE_NAME(name, text) text,
        PORT_RSS_TYPES(TYPE_NAME)
#undef TYPE_NAME
    };

    return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

const char *rss_group_name(unsigned index)
{
    return index < ARRAY_SIZE(groups) ? groups[index].name : NULL;
}

/* A group, or a type alone. */
static bool one_type(const char *text, size_t bytes, uint32_t *types)
{
    for (unsigned i = 0; i < ARRAY_SIZE(groups); i++)
        if (strlen(groups[i].name) == bytes &&
            memcmp(groups[i].name, text, bytes) == 0) {
            *types |= groups[i].types;
            return true;
        }
    for (unsigned t = 0; t < PORT_RSS_TYPE_COUNT; t++)
        if (strlen(rss_type_name(t)) == bytes &&
            memcmp(rss_type_name(t), text, bytes) == 0) {
            *types |= 1u << t;
            return true;
        }
    return false;
}

bool text_to_rss_types(const char *text, uint32_t *types)
{
    *types = 0;
    for (;;) {
        const size_t n = strcspn(text, "|,");

        if (!one_type(text, n, types))
            return false;
        if (text[n] == '\0')
            return true;
        text += n + 1;
    }
}

/* ---- key ---- */

static int digit(char c)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    if (at == NULL)
        return -1;
    return at - digits < 16 ? (int)(at - digits) : (int)(at - digits) - 6;
}

bool text_to_rss_key(const char *text, uint8_t key[PORT_RSS_KEY_BYTES])
{
    if (strlen(text) != 2 * PORT_RSS_KEY_BYTES)
        return false;
    for (unsigned i = 0; i < PORT_RSS_KEY_BYTES; i++) {
        const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        key[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* ---- table ---- */

/* Decimal digits at *@p, below @end_at, and then @end. */
static bool take(const char **p, unsigned end_at, char end, unsigned *v)
{
    unsigned n = 0;

    *v = 0;
    for (; **p >= '0' && **p <= '9' && n < 4; n++, ++*p)
        *v = *v * 10 + (unsigned)(**p - '0');
    return n > 0 && *v < end_at && *(*p)++ == end;
}

bool text_to_reta(const char *text, struct reta_pair pairs[RETA_PAIRS_MAX],
                  unsigned *count)
{
    unsigned hash, queue;

    for (*count = 0;; text++) {
        if (*count == RETA_PAIRS_MAX || *text++ != '(' ||
            !take(&text, PORT_RETA_MAX, ',', &hash) ||
            !take(&text, PORT_QUEUE_MAX, ')', &queue))
            return false;
        pairs[(*count)++] = (struct reta_pair) { .hash = (uint16_t)hash,
                                                 .queue = (uint8_t)queue };
        if (*text == '\0')
            return true;
        if (*text != ',')
            return false;
    }
}
