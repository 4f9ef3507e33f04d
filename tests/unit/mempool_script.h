/*
 * mempool_script.h - a test row as text: calls of one core and what they leave
 *
 *     g4         get 4             p4   put the last 4 that were got, as a block
 *     g4!        get 4, refused    f    flush the cache
 *     [7 6 2..4] what the last get returned: 7 6 2 3 4
 *     8/55       8 in the cache, 55 in the store
 */
#pragma once

#include <ctype.h>
#include <stdio.h>

#include "tests/unit/mempool_rig.h"

enum { SCRIPT_HELD_MAX = 4096 };

struct script {
    const char *text; /* all of it, for messages */
    const char *at;
    struct mempool *pool;
    struct mbuf *held[SCRIPT_HELD_MAX];
    unsigned len;
    unsigned last; /* how many of them the last get returned */
};

static inline void script_expect(const struct script *s, bool good,
                                 const char *what, unsigned got, unsigned want)
{
    if (!good)
        fail_msg("policy %u: \"%s\", before \"%s\": %s %u, not %u",
                 (unsigned)mempool_policy(s->pool), s->text, s->at, what, got,
                 want);
}

static inline unsigned script_number(struct script *s)
{
    char *end;
    const unsigned n = (unsigned)strtoul(s->at, &end, 10);

    script_expect(s, end != s->at, "no number, token", 0, 0);
    s->at = end;
    return n;
}

static inline void script_get(struct script *s)
{
    const unsigned n = script_number(s);
    const bool refused = *s->at == '!';
    const enum status status = mempool_get_bulk(s->pool, s->held + s->len, n);

    s->at += refused;
    script_expect(s, status == (refused ? E_NOBUF : OK), "get answered", status,
                  refused ? E_NOBUF : OK);
    if (refused)
        return;
    s->len += n;
    s->last = n;
}

static inline void script_put(struct script *s)
{
    const unsigned n = script_number(s);

    CHECK(n <= s->len);
    s->len -= n;
    mempool_put_bulk(s->pool, s->held + s->len, n);
}

/* [a b c..d] */
static inline void script_table(struct script *s)
{
    struct mbuf **got = s->held + s->len - s->last;
    unsigned i = 0;

    while (*s->at != ']') {
        const unsigned from = script_number(s);
        unsigned to = from;

        if (*s->at == '.') {
            s->at += 2;
            to = script_number(s);
        }
        for (unsigned want = from;; want += from < to ? 1u : -1u, i++) {
            const unsigned n = i < s->last ? number(s->pool, got[i]) : 0;

            script_expect(s, i < s->last, "only objects", i, i + 1);
            script_expect(s, n == want, "object", n, want);
            if (want == to)
                break;
        }
        i++;
        while (*s->at == ' ')
            s->at++;
    }
    s->at++;
    script_expect(s, i == s->last, "objects got", s->last, i);
}

static inline void script_levels(struct script *s)
{
    const unsigned in_cache = script_number(s);
    unsigned store;

    CHECK(*s->at == '/');
    s->at++;
    store = script_number(s);
    script_expect(s, cached(s->pool) == in_cache, "in the cache",
                  cached(s->pool), in_cache);
    script_expect(s, in_store(s->pool) == store, "in the store",
                  in_store(s->pool), store);
}

static inline void script_step(struct script *s)
{
    const char c = *s->at;

    if (isdigit((unsigned char)c)) {
        script_levels(s);
        return;
    }
    s->at++;
    if (c == 'g')
        script_get(s);
    else if (c == 'p')
        script_put(s);
    else if (c == '[')
        script_table(s);
    else if (c == 'f')
        mempool_cache_flush(s->pool, host_lcore);
    else
        CHECK_EQ(c, ' ');
}

/* Run @text on @pool; what it holds at the end stays out. */
static inline void script_run(struct mempool *pool, const char *text)
{
    static struct script s;

    s = (struct script) { .text = text, .at = text, .pool = pool };
    while (*s.at != '\0')
        script_step(&s);
}
