/*
 * dgram.c - a cable over UNIX datagram sockets, as QEMU's -netdev dgram
 *
 * A datagram is a frame. The other end may come and go: what is sent while it
 * is away is counted; what it has no room for waits here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/inbox.h"

enum { BATCH = 32 };

struct dgram {
    char *local, *remote;
    int fd;
    struct sockaddr_un to;
    struct fifo inbox, outbox;
    /* One byte more than a frame may have tells the longer ones. */
    uint8_t in[BATCH][WIRE_FRAME_MAX + 1];
};

static void dgram_defaults(struct wire *w)
{
    struct dgram *d = w->self;

    d->fd = -1;
}

static bool dgram_set(struct wire *w, const char *key, const char *value)
{
    struct dgram *d = w->self;
    char **path = strcmp(key, "local") == 0    ? &d->local
                  : strcmp(key, "remote") == 0 ? &d->remote
                                               : NULL;

    if (w->is_open || path == NULL)
        return false;
    if (!wire_path_fits(w, key, value))
        return false;
    free(*path);
    *path = strdup(value);
    return *path != NULL || wire_fail(w, "no memory");
}

/* Does somebody receive at @at? */
static bool is_alive(const struct sockaddr_un *at)
{
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool alive =
        fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;

    if (fd >= 0)
        close(fd);
    return alive;
}

/* A socket that a dead process left is replaced; anything else is not. */
static bool bind_local(struct wire *w)
{
    struct dgram *d = w->self;
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    struct stat there;

    memcpy(at.sun_path, d->local, strlen(d->local) + 1);
    if (lstat(d->local, &there) == 0 && S_ISSOCK(there.st_mode) &&
        !is_alive(&at))
        unlink(d->local);
    d->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (d->fd >= 0 && bind(d->fd, (struct sockaddr *)&at, sizeof(at)) == 0)
        return true;
    wire_fail(w, "local=%s: %s", d->local, strerror(errno));
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
    return false;
}

static bool dgram_open(struct wire *w)
{
    struct dgram *d = w->self;

    if (d->local == NULL || d->remote == NULL)
        return wire_fail(w, "dgram needs local=PATH and remote=PATH");
    if (strcmp(d->local, d->remote) == 0)
        return wire_fail(w, "local and remote are both %s", d->local);
    if (!fifo_open(&d->inbox) || !fifo_open(&d->outbox))
        return wire_fail(w, "no memory for the queues");
    d->to.sun_family = AF_UNIX;
    memcpy(d->to.sun_path, d->remote, strlen(d->remote) + 1);
    return bind_local(w);
}

/* ---- in ---- */

static bool receive(struct wire *w)
{
    struct dgram *d = w->self;
    struct mmsghdr msgs[BATCH];
    struct iovec parts[BATCH];
    int n;

    memset(msgs, 0, sizeof(msgs));
    for (unsigned i = 0; i < BATCH; i++) {
        parts[i] = (struct iovec) { d->in[i], sizeof(d->in[i]) };
        msgs[i].msg_hdr.msg_iov = &parts[i];
        msgs[i].msg_hdr.msg_iovlen = 1;
    }
    n = recvmmsg(d->fd, msgs, BATCH, 0, NULL);
    for (int i = 0; i < n; i++)
        inbox_take(w, &d->inbox, d->in[i], msgs[i].msg_len);
    return n > 0;
}

/* ---- out ---- */

static void dgram_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    struct dgram *d = w->self;

    if (!fifo_push(&d->outbox, frame, len))
        w->refused[WIRE_NO_ROOM]++;
}

static bool dgram_ready(struct wire *w)
{
    const struct dgram *d = w->self;

    return w->no_pause || fifo_has_room(&d->outbox);
}

static bool send_some(struct wire *w)
{
    struct dgram *d = w->self;
    const uint8_t *frame;
    unsigned sent = 0;
    size_t len;

    while (sent < BATCH && (frame = fifo_front(&d->outbox, &len)) != NULL) {
        if (sendto(d->fd, frame, len, MSG_NOSIGNAL, (struct sockaddr *)&d->to,
                   sizeof(d->to)) < 0) {
            if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS)
                break;
            w->refused[WIRE_UNCONNECTED]++;
        }
        fifo_pop(&d->outbox);
        sent++;
    }
    return sent > 0;
}

/* ---- both ---- */

/* Nobody waits for news that could not be taken. */
static int dgram_watch(const struct wire *w)
{
    const struct dgram *d = w->self;

    return fifo_has_room(&d->inbox) ? d->fd : -1;
}

static bool dgram_serve(struct wire *w, bool news, uint64_t now_ns)
{
    bool moved = false;

    (void)now_ns;
    if (news)
        moved = receive(w);
    return send_some(w) || moved;
}

static unsigned dgram_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct dgram *d = w->self;

    (void)now_ns;
    return inbox_pump(w, &d->inbox, budget);
}

static uint64_t dgram_remaining(const struct wire *w)
{
    const struct dgram *d = w->self;

    return d->inbox.frames;
}

static void dgram_describe(struct wire *w, struct json *j)
{
    const struct dgram *d = w->self;

    json_u64(j, "unsent", d->outbox.frames);
}

static void dgram_close(struct wire *w)
{
    struct dgram *d = w->self;

    if (d->fd >= 0) {
        close(d->fd);
        unlink(d->local);
    }
    fifo_close(&d->inbox);
    fifo_close(&d->outbox);
    free(d->local);
    free(d->remote);
}

const struct wire_type wire_dgram = {
    .name = "dgram",
    .help = "as QEMU's -netdev dgram over UNIX sockets: local=PATH remote=PATH",
    .bytes = sizeof(struct dgram),
    .defaults = dgram_defaults,
    .set = dgram_set,
    .open = dgram_open,
    .transmit = dgram_transmit,
    .ready = dgram_ready,
    .watch = dgram_watch,
    .serve = dgram_serve,
    .pump = dgram_pump,
    .remaining = dgram_remaining,
    .describe = dgram_describe,
    .close = dgram_close,
};
