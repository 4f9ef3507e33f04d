/*
 * stream.c - a cable over a UNIX stream socket, as QEMU's -netdev stream
 *
 * Each frame travels behind its length, four bytes, highest first. One end
 * listens, the other connects and tries again as long as it takes.
 *
 *   T1  what was read is cut into frames at once; at most one unfinished frame
 *       is left in raw[], so a length up to PEER_MAX always fits
 *   T2  frames that go out while nobody is connected are counted as such; of a
 *       connection that ends, the bytes it did not take are named in the log
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "server/listen.h"
#include "wire/inbox.h"

enum {
    PREFIX = 4,
    PEER_MAX = 4096 + 65536, /* NET_BUFSIZE of QEMU: no honest frame is more */
    RAW = 2 * (PREFIX + PEER_MAX),
    OUT = 4 << 20,
    RETRY_NS = 100000000,
};

struct stream {
    char *path;
    bool listens;
    int listener; /* -1: this end connects */
    int fd;       /* -1: nobody is there */
    bool told;    /* the log knows that connecting fails */
    uint64_t next_try_ns;

    struct fifo inbox;
    uint8_t *out;
    size_t head, tail; /* out[tail, head) waits for the socket */
    size_t have;       /* bytes in raw */
    uint8_t raw[RAW];
};

static void stream_defaults(struct wire *w)
{
    struct stream *s = w->self;

    s->listener = s->fd = -1;
}

static bool stream_set(struct wire *w, const char *key, const char *value)
{
    struct stream *s = w->self;
    const bool listens = strcmp(key, "listen") == 0;

    if (w->is_open || (!listens && strcmp(key, "connect") != 0))
        return false;
    if (s->path != NULL)
        return wire_fail(w, "%s=%s: one path is given already", key, value);
    if (!wire_path_fits(w, key, value))
        return false;
    s->listens = listens;
    s->path = strdup(value);
    return s->path != NULL || wire_fail(w, "no memory");
}

static bool stream_open(struct wire *w)
{
    struct stream *s = w->self;

    if (s->path == NULL)
        return wire_fail(w, "stream needs listen=PATH or connect=PATH");
    s->out = malloc(OUT);
    if (s->out == NULL || !fifo_open(&s->inbox))
        return wire_fail(w, "no memory for the queues");
    if (!s->listens)
        return true;
    s->listener = listen_open(s->path);
    return s->listener >= 0 || wire_fail(w, "listen=%s: failed", s->path);
}

/* ---- the connection ---- */

static void connected(struct wire *w, int fd)
{
    struct stream *s = w->self;

    s->fd = fd;
    s->told = false;
    s->have = s->head = s->tail = 0;
    model_log("port %u: %s: connected", w->port, s->path);
}

static void hang_up(struct wire *w, const char *why)
{
    struct stream *s = w->self;

    model_log("port %u: %s: %s; %zu bytes were not sent, %zu of an unfinished "
              "frame are dropped",
              w->port, s->path, why, s->head - s->tail, s->have);
    close(s->fd);
    s->fd = -1;
    s->have = s->head = s->tail = 0;
}

static int try_connect(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    memcpy(at.sun_path, path, strlen(path) + 1);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
        const int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

static bool find_peer(struct wire *w, bool news, uint64_t now_ns)
{
    struct stream *s = w->self;
    int fd = -1;

    if (s->listens) {
        if (news)
            fd = listen_accept(s->listener);
    } else if (now_ns >= s->next_try_ns) {
        fd = try_connect(s->path);
        s->next_try_ns = now_ns + RETRY_NS;
        if (fd < 0 && !s->told)
            model_log("port %u: connect=%s: %s; trying on", w->port, s->path,
                      strerror(errno));
        s->told = true;
    }
    if (fd < 0)
        return false;
    connected(w, fd);
    return true;
}

/* ---- in ---- */

/* T1. Returns  false when the stream cannot be followed any more */
static bool cut(struct wire *w)
{
    struct stream *s = w->self;
    size_t at = 0;

    while (s->have - at >= PREFIX) {
        const uint8_t *p = s->raw + at;
        const size_t len =
            (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];

        if (len == 0 || len > PEER_MAX) {
            model_log("port %u: %s: a frame of %zu bytes: expected 1 to %d",
                      w->port, s->path, len, PEER_MAX);
            return false;
        }
        if (s->have - at < PREFIX + len)
            break;
        inbox_take(w, &s->inbox, p + PREFIX, len);
        at += PREFIX + len;
    }
    s->have -= at;
    memmove(s->raw, s->raw + at, s->have);
    return true;
}

static bool receive(struct wire *w)
{
    struct stream *s = w->self;
    const ssize_t n =
        recv(s->fd, s->raw + s->have, sizeof(s->raw) - s->have, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        hang_up(w, n == 0 ? "the other end left" : strerror(errno));
        return true;
    }
    s->have += (size_t)n;
    if (!cut(w))
        hang_up(w, "closed");
    return true;
}

/* ---- out ---- */

static size_t room(const struct stream *s)
{
    return OUT - (s->head - s->tail);
}

static void stream_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    struct stream *s = w->self;

    if (s->fd < 0) {
        w->refused[WIRE_UNCONNECTED]++;
        return;
    }
    if (room(s) < PREFIX + len) {
        w->refused[WIRE_NO_ROOM]++;
        return;
    }
    if (OUT - s->head < PREFIX + len) {
        memmove(s->out, s->out + s->tail, s->head - s->tail);
        s->head -= s->tail;
        s->tail = 0;
    }
    for (unsigned i = 0; i < PREFIX; i++)
        s->out[s->head++] = (uint8_t)(len >> (8 * (PREFIX - 1 - i)));
    memcpy(s->out + s->head, frame, len);
    s->head += len;
}

static bool stream_ready(struct wire *w)
{
    const struct stream *s = w->self;

    return w->no_pause || room(s) >= FIFO_ONE_PACKET;
}

static bool send_some(struct wire *w)
{
    struct stream *s = w->self;
    const ssize_t n =
        send(s->fd, s->out + s->tail, s->head - s->tail, MSG_NOSIGNAL);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n < 0) {
        hang_up(w, strerror(errno));
        return true;
    }
    s->tail += (size_t)n;
    if (s->tail == s->head)
        s->tail = s->head = 0;
    return n > 0;
}

/* ---- both ---- */

/* Nobody waits for news that could not be taken. */
static int stream_watch(const struct wire *w)
{
    const struct stream *s = w->self;

    if (s->fd < 0)
        return s->listener;
    return fifo_has_room(&s->inbox) ? s->fd : -1;
}

static bool stream_serve(struct wire *w, bool news, uint64_t now_ns)
{
    struct stream *s = w->self;
    bool moved = false;

    if (s->fd < 0)
        return find_peer(w, news, now_ns);
    if (news)
        moved = receive(w);
    if (s->fd >= 0 && s->head > s->tail)
        moved |= send_some(w);
    return moved;
}

static unsigned stream_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct stream *s = w->self;

    (void)now_ns;
    return inbox_pump(w, &s->inbox, budget);
}

static uint64_t stream_remaining(const struct wire *w)
{
    const struct stream *s = w->self;

    return s->inbox.frames;
}

static void stream_describe(struct wire *w, struct json *j)
{
    const struct stream *s = w->self;

    json_bool(j, "connected", s->fd >= 0);
    json_u64(j, "unsent_bytes", s->head - s->tail);
}

static void stream_close(struct wire *w)
{
    struct stream *s = w->self;

    if (s->fd >= 0)
        close(s->fd);
    if (s->listener >= 0) {
        close(s->listener);
        unlink(s->path);
    }
    fifo_close(&s->inbox);
    free(s->out);
    free(s->path);
}

const struct wire_type wire_stream = {
    .name = "stream",
    .help = "as QEMU's -netdev stream: listen=PATH or connect=PATH (tries on)",
    .bytes = sizeof(struct stream),
    .defaults = stream_defaults,
    .set = stream_set,
    .open = stream_open,
    .transmit = stream_transmit,
    .ready = stream_ready,
    .watch = stream_watch,
    .serve = stream_serve,
    .pump = stream_pump,
    .remaining = stream_remaining,
    .describe = stream_describe,
    .close = stream_close,
};
