/*
 * pair.c - a cable between two ports of this process, and one that loops back
 *
 * Frames wait in the queue of the port they go to. While that is full the
 * sender is not ready, so a slow receiver holds the sender back, as pause
 * frames do.
 */
#include "base/number.h"
#include "wire/fifo.h"
#include "wire/wire.h"

#include <string.h>

struct pair {
    struct fifo fifo; /* frames on their way to this port */
    struct wire *to;  /* where frames from this port go */
    uint64_t peer;
    bool has_peer;
};

static bool pair_set(struct wire *w, const char *key, const char *value)
{
    struct pair *p = w->self;

    if (strcmp(key, "peer") != 0 || w->is_open)
        return false;
    if (!number_parse(value, WIRE_PORTS_MAX - 1, &p->peer))
        return wire_fail(w, "peer=%s: expected a port number", value);
    p->has_peer = true;
    return true;
}

static bool queue_open(struct wire *w)
{
    struct pair *p = w->self;

    return fifo_open(&p->fifo) || wire_fail(w, "no memory for the queue");
}

static unsigned peer_of(const struct wire *w)
{
    const struct pair *p = w->self;

    return p->has_peer ? (unsigned)p->peer : w->port ^ 1u;
}

static bool pair_open(struct wire *w)
{
    struct pair *p = w->self;

    p->to = w->host->other(w->host->ctx, peer_of(w));
    if (p->to == NULL || p->to->type != &wire_pair || p->to == w ||
        peer_of(p->to) != w->port)
        return wire_fail(w, "port %u is no wire=pair that leads back here",
                         peer_of(w));
    return queue_open(w);
}

static bool echo_open(struct wire *w)
{
    struct pair *p = w->self;

    p->to = w;
    return queue_open(w);
}

static void pair_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    const struct pair *p = w->self;
    struct pair *to = p->to->self;

    if (!fifo_push(&to->fifo, frame, len))
        w->refused[WIRE_NO_ROOM]++;
}

static bool pair_ready(struct wire *w)
{
    const struct pair *p = w->self;
    const struct pair *to = p->to->self;

    return fifo_has_room(&to->fifo);
}

static unsigned pair_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct pair *p = w->self;
    const uint8_t *frame;
    unsigned done = 0;
    size_t len;

    (void)now_ns;
    while (done < budget && (frame = fifo_front(&p->fifo, &len)) != NULL) {
        if (!wire_deliver(w, frame, len))
            break;
        fifo_pop(&p->fifo);
        done++;
    }
    return done;
}

static uint64_t pair_remaining(const struct wire *w)
{
    const struct pair *p = w->self;

    return p->fifo.frames;
}

static void pair_describe(struct wire *w, struct json *j)
{
    const struct pair *p = w->self;

    json_u64(j, "peer", p->to->port);
}

static void pair_close(struct wire *w)
{
    struct pair *p = w->self;

    fifo_close(&p->fifo);
}

const struct wire_type wire_pair = {
    .name = "pair",
    .help = "to another port of this process: peer=PORT (default: 0-1, 2-3)",
    .bytes = sizeof(struct pair),
    .set = pair_set,
    .open = pair_open,
    .transmit = pair_transmit,
    .ready = pair_ready,
    .pump = pair_pump,
    .remaining = pair_remaining,
    .describe = pair_describe,
    .close = pair_close,
};

const struct wire_type wire_echo = {
    .name = "echo",
    .help = "what the port sends comes back",
    .bytes = sizeof(struct pair),
    .open = echo_open,
    .transmit = pair_transmit,
    .ready = pair_ready,
    .pump = pair_pump,
    .remaining = pair_remaining,
    .describe = pair_describe,
    .close = pair_close,
};
