/*
 * pcap.c - a cable that replays one capture and records another
 *
 * The input is read through once when the wire opens, so that it is known
 * before any guest runs how many frames can travel and why others cannot; then
 * it is streamed. Time stamps of the input do not matter.
 *
 *   P1  frames travel in file order, each exactly once a loop
 *   P2  every record is either injected or counted under the reason that keeps
 *       it off the wire, once for all loops
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/number.h"
#include "wire/pace.h"
#include "wire/wire.h"

struct replay {
    char *in, *out;
    uint64_t loops; /* 0: for ever */
    bool ns_stamps;
    struct pace pace;

    pcap_t *src;
    uint64_t loops_done;
    uint64_t per_loop;     /* frames of one loop that can travel */
    uint64_t injected_now; /* since the last rewind */
    const uint8_t *frame;  /* next one, NULL: fetch it */
    size_t frame_len;
    uint8_t padded[WIRE_FRAME_PAD];

    pcap_t *sink;
    pcap_dumper_t *dump;
    bool write_failed;
};

static bool take_path(struct wire *w, char **to, const char *path)
{
    free(*to);
    *to = strdup(path);
    return *to != NULL || wire_fail(w, "no memory for a file name");
}

static bool replay_set(struct wire *w, const char *key, const char *value)
{
    struct replay *p = w->self;

    if (strcmp(key, "pps") == 0) {
        p->pace.sent = 0;
        p->pace.since_ns = 0;
        return number_parse(value, 1000000000, &p->pace.pps) ||
               wire_fail(w, "pps=%s: expected frames a second, 0 = no limit",
                         value);
    }
    if (w->is_open)
        return false;
    if (strcmp(key, "in") == 0)
        return take_path(w, &p->in, value);
    if (strcmp(key, "out") == 0)
        return take_path(w, &p->out, value);
    if (strcmp(key, "loop") == 0)
        return number_parse(value, UINT32_MAX, &p->loops) ||
               wire_fail(w, "loop=%s: expected a count, 0 = for ever", value);
    if (strcmp(key, "stamps") == 0) {
        p->ns_stamps = strcmp(value, "ns") == 0;
        return p->ns_stamps || strcmp(value, "us") == 0 ||
               wire_fail(w, "stamps=%s: expected us or ns", value);
    }
    return false;
}

/* ---- input ---- */

static bool source_open(struct wire *w)
{
    struct replay *p = w->self;
    char why[PCAP_ERRBUF_SIZE];
    struct stat st;

    if (stat(p->in, &st) < 0)
        return wire_fail(w, "in=%s: %s", p->in, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return wire_fail(w, "in=%s: not a regular file", p->in);
    p->src = pcap_open_offline(p->in, why);
    if (p->src == NULL)
        return wire_fail(w, "in=%s: %s", p->in, why);
    if (pcap_datalink(p->src) != DLT_EN10MB)
        return wire_fail(w, "in=%s: link type %s, only Ethernet can travel",
                         p->in,
                         pcap_datalink_val_to_name(pcap_datalink(p->src)));
    return true;
}

static void source_close(struct replay *p)
{
    if (p->src != NULL)
        pcap_close(p->src);
    p->src = NULL;
    p->frame = NULL;
}

/* Why a record cannot travel; WIRE_REFUSALS_COUNT when it can. */
static enum wire_refusal refusal_of(const struct pcap_pkthdr *h)
{
    if (h->caplen < h->len)
        return WIRE_TRUNCATED;
    if (h->len < WIRE_FRAME_MIN)
        return WIRE_TOO_SHORT;
    if (h->len > WIRE_FRAME_MAX)
        return WIRE_TOO_LONG;
    return WIRE_REFUSALS_COUNT;
}

/* Read the file through and count. Leaves it closed. */
static bool source_survey(struct wire *w)
{
    struct replay *p = w->self;
    struct pcap_pkthdr *h;
    const u_char *data;
    int got;

    if (!source_open(w))
        return false;
    while ((got = pcap_next_ex(p->src, &h, &data)) == 1) {
        const enum wire_refusal why = refusal_of(h);

        if (why == WIRE_REFUSALS_COUNT)
            p->per_loop++;
        else
            w->refused[why]++;
    }
    if (got == PCAP_ERROR) {
        w->refused[WIRE_UNREADABLE]++;
        wire_fail(w, "in=%s: after %llu frames: %s", p->in,
                  (unsigned long long)p->per_loop, pcap_geterr(p->src));
    }
    source_close(p);
    return true;
}

/* Have the next frame that can travel at hand. False: there is none. */
static bool source_next(struct wire *w)
{
    struct replay *p = w->self;
    struct pcap_pkthdr *h;
    const u_char *data;

    if (p->frame != NULL)
        return true;
    for (;;) {
        if (p->src == NULL && !source_open(w))
            return false;
        while (pcap_next_ex(p->src, &h, &data) == 1) {
            if (refusal_of(h) != WIRE_REFUSALS_COUNT)
                continue;
            p->frame = data;
            p->frame_len = h->len;
            return true;
        }
        source_close(p);
        p->loops_done++;
        if (p->per_loop == 0 || p->loops_done == p->loops)
            return false;
    }
}

static void pad(struct replay *p)
{
    if (p->frame_len >= WIRE_FRAME_PAD)
        return;
    memset(p->padded, 0, sizeof(p->padded));
    memcpy(p->padded, p->frame, p->frame_len);
    p->frame = p->padded;
    p->frame_len = WIRE_FRAME_PAD;
}

static unsigned replay_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct replay *p = w->self;
    const uint64_t due = pace_due(&p->pace, now_ns, budget);
    unsigned done = 0;

    while (done < due) {
        if (p->in == NULL || !source_next(w)) {
            w->state = WIRE_DONE;
            break;
        }
        pad(p);
        if (!wire_deliver(w, p->frame, p->frame_len))
            break;
        p->frame = NULL;
        p->injected_now++;
        p->pace.sent++;
        done++;
    }
    return done;
}

static bool replay_rewind(struct wire *w)
{
    struct replay *p = w->self;

    source_close(p);
    p->loops_done = 0;
    p->injected_now = 0;
    return true;
}

/* ---- output ---- */

static bool sink_open(struct wire *w)
{
    struct replay *p = w->self;

    p->sink = pcap_open_dead_with_tstamp_precision(
        DLT_EN10MB, 65535,
        p->ns_stamps ? PCAP_TSTAMP_PRECISION_NANO
                     : PCAP_TSTAMP_PRECISION_MICRO);
    if (p->sink == NULL)
        return wire_fail(w, "out=%s: no memory", p->out);
    p->dump = pcap_dump_open(p->sink, p->out);
    if (p->dump == NULL)
        return wire_fail(w, "out=%s: %s", p->out, pcap_geterr(p->sink));
    /* A reader that comes before the first frame finds a capture of none. */
    if (pcap_dump_flush(p->dump) < 0)
        return wire_fail(w, "out=%s: cannot be written", p->out);
    return true;
}

static void replay_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    struct replay *p = w->self;
    struct pcap_pkthdr h = { .caplen = (bpf_u_int32)len,
                             .len = (bpf_u_int32)len };
    struct timespec now;

    if (p->dump == NULL)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    h.ts.tv_sec = now.tv_sec;
    h.ts.tv_usec = p->ns_stamps ? now.tv_nsec : now.tv_nsec / 1000;
    pcap_dump((u_char *)p->dump, &h, frame);
}

static void replay_flush(struct wire *w)
{
    struct replay *p = w->self;

    if (p->dump != NULL &&
        (pcap_dump_flush(p->dump) < 0 || ferror(pcap_dump_file(p->dump))))
        p->write_failed = true;
}

/* ---- both ---- */

static bool replay_open(struct wire *w)
{
    struct replay *p = w->self;
    struct stat in, out;

    if (p->in != NULL && p->out != NULL && stat(p->in, &in) == 0 &&
        stat(p->out, &out) == 0 && in.st_dev == out.st_dev &&
        in.st_ino == out.st_ino)
        return wire_fail(w, "in and out are the same file, %s", p->in);
    if (p->in != NULL && !source_survey(w))
        return false;
    return p->out == NULL || sink_open(w);
}

static uint64_t replay_remaining(const struct wire *w)
{
    const struct replay *p = w->self;

    if (p->in == NULL)
        return 0;
    return p->loops != 0 ? p->per_loop * p->loops - p->injected_now
                         : WIRE_ENDLESS;
}

static void replay_describe(struct wire *w, struct json *j)
{
    const struct replay *p = w->self;

    json_u64(j, "frames", p->per_loop);
    json_bool(j, "write_failed", p->write_failed);
}

static void replay_close(struct wire *w)
{
    struct replay *p = w->self;

    source_close(p);
    if (p->dump != NULL)
        pcap_dump_close(p->dump);
    if (p->sink != NULL)
        pcap_close(p->sink);
    free(p->in);
    free(p->out);
}

static void replay_defaults(struct wire *w)
{
    struct replay *p = w->self;

    p->loops = 1;
}

const struct wire_type wire_pcap = {
    .name = "pcap",
    .help = "in=FILE out=FILE loop=N (0: for ever) pps=N stamps=us|ns; "
            "no commas in names",
    .bytes = sizeof(struct replay),
    .defaults = replay_defaults,
    .set = replay_set,
    .open = replay_open,
    .transmit = replay_transmit,
    .pump = replay_pump,
    .rewind = replay_rewind,
    .flush = replay_flush,
    .remaining = replay_remaining,
    .describe = replay_describe,
    .close = replay_close,
};
