/*
 * gen.c - a cable that makes numbered frames and checks numbered frames
 *
 * Each frame carries where it was made, its length and its number, then bytes
 * that follow from the number. The first 12 bytes (addresses) may change on the
 * way; nothing else may. Each gen wire keeps a book for each maker, so frames
 * may come back to the port they left from, or to another one.
 *
 *   frame: dst 6, src 6, type 0x88B5 2, magic 4, maker 1, zero 1, length 2,
 *          number 8, then filling
 *
 *   G1  received = in order + reordered; a duplicate counts only as such
 *   G2  missing = numbers below the highest seen that have not come (yet)
 */
#include <string.h>

#include "base/number.h"
#include "wire/pace.h"
#include "wire/wire.h"

enum {
    AT_TYPE = 12,
    AT_MAGIC = 14,
    AT_MAKER = 18,
    AT_LENGTH = 20,
    AT_NUMBER = 22,
    AT_FILLING = 30,
    ETHERTYPE = 0x88b5, /* IEEE 802: local experiments */
    WINDOW = 65536,     /* numbers remembered to tell late from duplicate */
};

static const uint8_t magic[4] = { 'M', 'G', 'E', 'N' };

/* What came from one maker. */
struct book {
    uint64_t next; /* highest number seen, plus one */
    uint64_t received, reordered, duplicated, altered;
    uint8_t seen[WINDOW / 8]; /* of [next - WINDOW, next) */
};

struct gen {
    uint64_t size_min, size_max;
    uint64_t count; /* frames to make, 0: for ever */
    uint64_t burst; /* frames at most in one go */
    struct pace pace;
    uint64_t made;
    uint64_t foreign; /* came in, but are nobody's numbered frames */
    struct book books[WIRE_PORTS_MAX];
    uint8_t frame[WIRE_FRAME_MAX];
    bool frame_is_made; /* waits for room */
    size_t frame_len;
};

static void gen_defaults(struct wire *w)
{
    struct gen *g = w->self;

    g->size_min = g->size_max = WIRE_FRAME_PAD;
    g->burst = 32;
}

static bool set_size(struct wire *w, const char *value)
{
    struct gen *g = w->self;
    const char *dash = strchr(value, '-');
    char low[16];
    uint64_t min, max;
    const size_t n = dash != NULL ? (size_t)(dash - value) : strlen(value);

    if (n < sizeof(low)) {
        memcpy(low, value, n);
        low[n] = '\0';
        if (number_parse(low, WIRE_FRAME_MAX, &min) &&
            number_parse(dash != NULL ? dash + 1 : low, WIRE_FRAME_MAX, &max) &&
            min >= WIRE_FRAME_PAD && min <= max) {
            g->size_min = min;
            g->size_max = max;
            return true;
        }
    }
    return wire_fail(w, "size=%s: expected N or MIN-MAX, %d to %d", value,
                     WIRE_FRAME_PAD, WIRE_FRAME_MAX);
}

static bool gen_set(struct wire *w, const char *key, const char *value)
{
    struct gen *g = w->self;

    if (strcmp(key, "size") == 0)
        return set_size(w, value);
    if (strcmp(key, "count") == 0)
        return number_parse(value, UINT64_MAX, &g->count) ||
               wire_fail(w, "count=%s: expected frames, 0 = for ever", value);
    if (strcmp(key, "burst") == 0)
        return (number_parse(value, 65536, &g->burst) && g->burst > 0) ||
               wire_fail(w, "burst=%s: expected 1 to 65536", value);
    if (strcmp(key, "pps") == 0)
        return number_parse(value, 1000000000, &g->pace.pps) ||
               wire_fail(w, "pps=%s: expected frames a second, 0 = no limit",
                         value);
    return false;
}

/* ---- making ---- */

static void put_be(uint8_t *p, unsigned bytes, uint64_t v)
{
    while (bytes-- > 0)
        *p++ = (uint8_t)(v >> (8 * bytes));
}

static uint64_t get_be(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    while (bytes-- > 0)
        v = v << 8 | *p++;
    return v;
}

/* splitmix64: a well mixed function of the number and the place */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* What the filling follows from: any bit of either gives another one. */
static uint64_t seed_of(unsigned maker, uint64_t number)
{
    return mix(mix(number) + maker);
}

/* Bytes [AT_FILLING + at, ...) of the frame, at most 8. */
static size_t filling(uint64_t seed, size_t at, size_t left, uint8_t out[8])
{
    const uint64_t v = mix(seed + at / 8);

    memcpy(out, &v, 8);
    return left < 8 ? left : 8;
}

static size_t length_of(const struct gen *g, uint64_t number)
{
    return (size_t)(g->size_min + number % (g->size_max - g->size_min + 1));
}

static void make(struct wire *w)
{
    struct gen *g = w->self;
    const uint64_t number = g->made;
    const size_t len = length_of(g, number);
    const uint64_t seed = seed_of(w->port, number);
    uint8_t piece[8];

    /* locally administered: 02:4d:52:00:00:<port>, to the next port */
    put_be(g->frame, 6, UINT64_C(0x024d52000000) + (w->port ^ 1u));
    put_be(g->frame + 6, 6, UINT64_C(0x024d52000000) + w->port);
    put_be(g->frame + AT_TYPE, 2, ETHERTYPE);
    memcpy(g->frame + AT_MAGIC, magic, sizeof(magic));
    put_be(g->frame + AT_MAKER, 2, (uint64_t)w->port << 8);
    put_be(g->frame + AT_LENGTH, 2, len);
    put_be(g->frame + AT_NUMBER, 8, number);
    for (size_t at = 0; at < len - AT_FILLING; at += 8) {
        const size_t n = filling(seed, at, len - AT_FILLING - at, piece);

        memcpy(g->frame + AT_FILLING + at, piece, n);
    }
    g->frame_len = len;
    g->frame_is_made = true;
}

static unsigned gen_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct gen *g = w->self;
    const uint64_t most = budget < g->burst ? budget : g->burst;
    const uint64_t due = pace_due(&g->pace, now_ns, most);
    unsigned done = 0;

    while (done < due) {
        if (g->count != 0 && g->made >= g->count) {
            w->state = WIRE_DONE;
            break;
        }
        if (!g->frame_is_made)
            make(w);
        if (!wire_deliver(w, g->frame, g->frame_len))
            break;
        g->frame_is_made = false;
        g->made++;
        g->pace.sent++;
        done++;
    }
    return done;
}

/* ---- checking ---- */

static bool is_numbered(const uint8_t *frame, size_t len)
{
    return len >= WIRE_FRAME_PAD && get_be(frame + AT_TYPE, 2) == ETHERTYPE &&
           memcmp(frame + AT_MAGIC, magic, sizeof(magic)) == 0 &&
           frame[AT_MAKER] < WIRE_PORTS_MAX;
}

static bool is_intact(const uint8_t *frame, size_t len)
{
    const uint64_t seed =
        seed_of(frame[AT_MAKER], get_be(frame + AT_NUMBER, 8));
    uint8_t piece[8];

    if (get_be(frame + AT_LENGTH, 2) != len || frame[AT_MAKER + 1] != 0)
        return false;
    for (size_t at = 0; at < len - AT_FILLING; at += 8) {
        const size_t n = filling(seed, at, len - AT_FILLING - at, piece);

        if (memcmp(frame + AT_FILLING + at, piece, n) != 0)
            return false;
    }
    return true;
}

static bool book_test(const struct book *b, uint64_t number)
{
    return b->seen[number % WINDOW / 8] >> (number % 8) & 1;
}

static void book_mark(struct book *b, uint64_t number, bool seen)
{
    uint8_t *byte = &b->seen[number % WINDOW / 8];
    const uint8_t bit = (uint8_t)(1u << (number % 8));

    *byte = (uint8_t)(seen ? *byte | bit : *byte & ~bit);
}

static void book_enter(struct book *b, uint64_t number)
{
    if (number >= b->next) {
        const uint64_t gap = number - b->next;

        if (gap >= WINDOW)
            memset(b->seen, 0, sizeof(b->seen));
        else
            for (uint64_t n = b->next; n < number; n++)
                book_mark(b, n, false);
        b->next = number + 1;
    } else if (b->next - number <= WINDOW && book_test(b, number)) {
        b->duplicated++;
        return;
    } else {
        b->reordered++;
    }
    if (b->next - number <= WINDOW)
        book_mark(b, number, true);
    b->received++;
}

static void gen_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    struct gen *g = w->self;
    struct book *b;

    if (!is_numbered(frame, len)) {
        g->foreign++;
        return;
    }
    b = &g->books[frame[AT_MAKER]];
    if (is_intact(frame, len))
        book_enter(b, get_be(frame + AT_NUMBER, 8));
    else
        b->altered++;
}

/* ---- the rest ---- */

static bool gen_rewind(struct wire *w)
{
    struct gen *g = w->self;
    const struct wire_host *host = w->host;

    g->made = 0;
    g->frame_is_made = false;
    pace_restart(&g->pace, 0);
    /* Numbers begin again: everybody opens a new book for this maker. */
    for (unsigned port = 0; port < WIRE_PORTS_MAX; port++) {
        struct wire *other = host->other(host->ctx, port);

        if (other != NULL && other->type == &wire_gen)
            memset(&((struct gen *)other->self)->books[w->port], 0,
                   sizeof(struct book));
    }
    return true;
}

static void book_describe(const struct book *b, unsigned maker, struct json *j)
{
    json_object(j, NULL);
    json_u64(j, "from", maker);
    json_u64(j, "received", b->received);
    json_u64(j, "missing", b->next - b->received);
    json_u64(j, "altered", b->altered);
    json_u64(j, "duplicated", b->duplicated);
    json_u64(j, "reordered", b->reordered);
    json_object_end(j);
}

static uint64_t gen_remaining(const struct wire *w)
{
    const struct gen *g = w->self;

    if (g->count == 0)
        return WIRE_ENDLESS;
    return g->count > g->made ? g->count - g->made : 0;
}

static void gen_describe(struct wire *w, struct json *j)
{
    const struct gen *g = w->self;

    json_u64(j, "made", g->made);
    json_u64(j, "foreign", g->foreign);
    json_array(j, "checked");
    for (unsigned i = 0; i < WIRE_PORTS_MAX; i++)
        if (g->books[i].next > 0 || g->books[i].altered > 0)
            book_describe(&g->books[i], i, j);
    json_array_end(j);
}

const struct wire_type wire_gen = {
    .name = "gen",
    .help = "numbered frames: size=N|MIN-MAX count=N burst=N pps=N; "
            "checks those that come",
    .bytes = sizeof(struct gen),
    .defaults = gen_defaults,
    .set = gen_set,
    .transmit = gen_transmit,
    .pump = gen_pump,
    .rewind = gen_rewind,
    .remaining = gen_remaining,
    .describe = gen_describe,
};
