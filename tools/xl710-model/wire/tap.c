/*
 * tap.c - a cable to a tap interface of Linux
 *
 * The interface is made unless it is there, in the network namespace that
 * netns= names, else in our own. It is for its owner to give it an address and
 * to set it up; what the port sends before that is counted, not kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "wire/inbox.h"

enum { BATCH = 32 };

struct tap {
    char ifname[IFNAMSIZ];
    char netns[256];
    int fd;
    struct fifo inbox, outbox;
    uint8_t in[WIRE_FRAME_MAX + 1];
};

static void tap_defaults(struct wire *w)
{
    struct tap *t = w->self;

    t->fd = -1;
}

static bool keep(struct wire *w, char *to, size_t room, const char *key,
                 const char *value)
{
    if (value[0] == '\0' || strlen(value) >= room || strchr(value, '/') != NULL)
        return wire_fail(w, "%s=%s: expected a name of 1 to %zu bytes", key,
                         value, room - 1);
    strcpy(to, value);
    return true;
}

static bool tap_set(struct wire *w, const char *key, const char *value)
{
    struct tap *t = w->self;

    if (w->is_open)
        return false;
    if (strcmp(key, "ifname") == 0)
        return keep(w, t->ifname, sizeof(t->ifname), key, value);
    if (strcmp(key, "netns") == 0)
        return keep(w, t->netns, sizeof(t->netns), key, value);
    return false;
}

/* ---- opening ---- */

static bool attach(struct wire *w)
{
    struct tap *t = w->self;
    struct ifreq request = { .ifr_flags = IFF_TAP | IFF_NO_PI };

    t->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (t->fd < 0)
        return wire_fail(w, "/dev/net/tun: %s", strerror(errno));
    memcpy(request.ifr_name, t->ifname, sizeof(t->ifname));
    if (ioctl(t->fd, TUNSETIFF, &request) < 0)
        return wire_fail(w, "ifname=%s: %s%s", t->ifname, strerror(errno),
                         errno == EPERM ? "; this needs CAP_NET_ADMIN" : "");
    return true;
}

/* Be in the other namespace only as long as it takes to attach. */
static bool attach_elsewhere(struct wire *w)
{
    struct tap *t = w->self;
    char path[sizeof("/run/netns/") + sizeof(t->netns)];
    const int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    int there;
    bool ok;

    snprintf(path, sizeof(path), "/run/netns/%s", t->netns);
    there = open(path, O_RDONLY | O_CLOEXEC);
    ok = (home >= 0 && there >= 0 && setns(there, CLONE_NEWNET) == 0) ||
         wire_fail(w, "netns=%s: %s", t->netns, strerror(errno));
    if (ok) {
        ok = attach(w);
        if (setns(home, CLONE_NEWNET) < 0)
            ok = wire_fail(w, "netns=%s: cannot come back: %s", t->netns,
                           strerror(errno));
    }
    if (home >= 0)
        close(home);
    if (there >= 0)
        close(there);
    return ok;
}

static bool tap_open(struct wire *w)
{
    struct tap *t = w->self;

    if (t->ifname[0] == '\0')
        return wire_fail(w, "tap needs ifname=NAME");
    if (!fifo_open(&t->inbox) || !fifo_open(&t->outbox))
        return wire_fail(w, "no memory for the queues");
    return t->netns[0] != '\0' ? attach_elsewhere(w) : attach(w);
}

/* ---- running ---- */

static bool receive(struct wire *w)
{
    struct tap *t = w->self;
    unsigned n = 0;
    ssize_t len;

    while (n < BATCH && (len = read(t->fd, t->in, sizeof(t->in))) > 0) {
        inbox_take(w, &t->inbox, t->in, (size_t)len);
        n++;
    }
    return n > 0;
}

static void tap_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    struct tap *t = w->self;

    if (!fifo_push(&t->outbox, frame, len))
        w->refused[WIRE_NO_ROOM]++;
}

static bool tap_ready(struct wire *w)
{
    const struct tap *t = w->self;

    return w->no_pause || fifo_has_room(&t->outbox);
}

static bool send_some(struct wire *w)
{
    struct tap *t = w->self;
    const uint8_t *frame;
    unsigned sent = 0;
    size_t len;

    while (sent < BATCH && (frame = fifo_front(&t->outbox, &len)) != NULL) {
        if (write(t->fd, frame, len) < 0) {
            if (errno == EAGAIN || errno == EINTR || errno == ENOBUFS)
                break;
            w->refused[WIRE_UNCONNECTED]++; /* EIO: the interface is down */
        }
        fifo_pop(&t->outbox);
        sent++;
    }
    return sent > 0;
}

/* Nobody waits for news that could not be taken. */
static int tap_watch(const struct wire *w)
{
    const struct tap *t = w->self;

    return fifo_has_room(&t->inbox) ? t->fd : -1;
}

static bool tap_serve(struct wire *w, bool news, uint64_t now_ns)
{
    bool moved = false;

    (void)now_ns;
    if (news)
        moved = receive(w);
    return send_some(w) || moved;
}

static unsigned tap_pump(struct wire *w, unsigned budget, uint64_t now_ns)
{
    struct tap *t = w->self;

    (void)now_ns;
    return inbox_pump(w, &t->inbox, budget);
}

static uint64_t tap_remaining(const struct wire *w)
{
    const struct tap *t = w->self;

    return t->inbox.frames;
}

static void tap_describe(struct wire *w, struct json *j)
{
    const struct tap *t = w->self;

    json_string(j, "ifname", t->ifname);
    json_u64(j, "unsent", t->outbox.frames);
}

static void tap_close(struct wire *w)
{
    struct tap *t = w->self;

    if (t->fd >= 0)
        close(t->fd);
    fifo_close(&t->inbox);
    fifo_close(&t->outbox);
}

const struct wire_type wire_tap = {
    .name = "tap",
    .help = "a tap interface of Linux: ifname=NAME netns=NAME (needs root)",
    .bytes = sizeof(struct tap),
    .defaults = tap_defaults,
    .set = tap_set,
    .open = tap_open,
    .transmit = tap_transmit,
    .ready = tap_ready,
    .watch = tap_watch,
    .serve = tap_serve,
    .pump = tap_pump,
    .remaining = tap_remaining,
    .describe = tap_describe,
    .close = tap_close,
};
