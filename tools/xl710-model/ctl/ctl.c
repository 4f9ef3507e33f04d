/*
 * ctl.c - the control socket: a line in, a line of JSON out
 *
 * Answers are short and their reader is waiting for them; a client that does
 * not take its answer is dropped rather than waited for.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/commands.h"
#include "ctl/ctl.h"
#include "server/listen.h"

void ctl_init(struct ctl *ctl)
{
    ctl->listener = -1;
    for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
        ctl->client[i].fd = -1;
}

bool ctl_open(struct ctl *ctl, const char *path)
{
    snprintf(ctl->path, sizeof(ctl->path), "%s", path);
    ctl->listener = listen_open(path);
    return ctl->listener >= 0;
}

static void client_close(struct ctl_client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

void ctl_close(struct ctl *ctl)
{
    for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
        client_close(&ctl->client[i]);
    if (ctl->listener >= 0) {
        close(ctl->listener);
        unlink(ctl->path);
    }
    ctl->listener = -1;
}

unsigned ctl_pollfds(const struct ctl *ctl, struct pollfd *fds)
{
    unsigned n = 0;

    fds[n++] = (struct pollfd) { .fd = ctl->listener, .events = POLLIN };
    for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
        if (ctl->client[i].fd >= 0)
            fds[n++] =
                (struct pollfd) { .fd = ctl->client[i].fd, .events = POLLIN };
    return n;
}

static void client_accept(struct ctl *ctl)
{
    const int fd = listen_accept(ctl->listener);

    if (fd < 0)
        return;
    for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++) {
        if (ctl->client[i].fd >= 0)
            continue;
        ctl->client[i] = (struct ctl_client) { .fd = fd };
        return;
    }
    model_log("control socket: more than %d clients, refused", CTL_CLIENTS_MAX);
    close(fd);
}

/* Returns  false when the client did not take it */
static bool answer(struct ctl_client *c, const char *text)
{
    struct iovec parts[2] = { { (void *)text, strlen(text) },
                              { (void *)"\n", 1 } };
    const struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 2 };

    return sendmsg(c->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)(parts[0].iov_len + 1);
}

static bool run_line(struct ctl_client *c, struct model *m)
{
    struct json j;
    bool taken;

    json_open(&j);
    if (c->too_long) {
        json_object(&j, NULL);
        json_bool(&j, "ok", false);
        json_string(&j, "error", "line too long");
        json_object_end(&j);
    } else {
        c->line[c->have] = '\0';
        ctl_run(m, c->line, &j);
    }
    taken = answer(c, json_text(&j));
    json_close(&j);
    c->have = 0;
    c->too_long = false;
    return taken;
}

static bool take_byte(struct ctl_client *c, char byte, struct model *m)
{
    if (byte == '\n')
        return run_line(c, m);
    if (c->have + 1 < CTL_LINE_MAX)
        c->line[c->have++] = byte;
    else
        c->too_long = true;
    return true;
}

static void client_serve(struct ctl_client *c, struct model *m)
{
    char bytes[512];
    const ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    for (ssize_t i = 0; i < n; i++) {
        if (take_byte(c, bytes[i], m))
            continue;
        client_close(c);
        return;
    }
    if (n <= 0)
        client_close(c);
}

void ctl_serve(struct ctl *ctl, struct model *m)
{
    client_accept(ctl);
    for (unsigned i = 0; i < CTL_CLIENTS_MAX; i++)
        if (ctl->client[i].fd >= 0)
            client_serve(&ctl->client[i], m);
}
