/*
 * conn.c - one client's stream cut into messages
 *
 *   S1  no read goes beyond the current message, so descriptors, which travel
 *       with the first byte of a header, cannot end up with another message
 *   S2  while a reply waits for room, no further message is handled
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "server/conn.h"
#include "base/log.h"

enum { GOT_ALL = 1, GOT_PART = 0, GOT_END = -1 };

void conn_open(struct conn *conn, int fd)
{
    conn->fd = fd;
    conn->have = 0;
    conn->nfds = 0;
    conn->reply.len = 0;
    conn->sent = 0;
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void conn_close(struct conn *conn)
{
    for (unsigned i = 0; i < conn->nfds; i++)
        close(conn->fds[i]);
    conn->nfds = 0;
    close(conn->fd);
    conn->fd = -1;
}

bool conn_wants_to_write(const struct conn *conn)
{
    return conn->sent < conn->reply.len;
}

/* Keep descriptors that came along. Returns  false when there are too many. */
static bool take_fds(struct conn *conn, struct msghdr *msg)
{
    bool fits = !(msg->msg_flags & MSG_CTRUNC);
    struct cmsghdr *c;

    for (c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
        const size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (conn->nfds < VFU_FDS_MAX) {
                conn->fds[conn->nfds++] = fd;
            } else {
                close(fd);
                fits = false;
            }
        }
    }
    return fits;
}

/* Fill the message up to @want bytes. */
static int fill(struct conn *conn, size_t want)
{
    while (conn->have < want) {
        union {
            char bytes[CMSG_SPACE(VFU_FDS_MAX * sizeof(int))];
            struct cmsghdr align;
        } control;
        struct iovec iov = { conn->in + conn->have, want - conn->have };
        struct msghdr msg = {
            .msg_iov = &iov,
            .msg_iovlen = 1,
            .msg_control = control.bytes,
            .msg_controllen = sizeof(control.bytes),
        };
        const ssize_t n = recvmsg(conn->fd, &msg, MSG_CMSG_CLOEXEC);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return GOT_PART;
        if (n <= 0)
            return GOT_END;
        conn->have += (size_t)n;
        if (!take_fds(conn, &msg)) {
            model_log("client sent more than %d descriptors", VFU_FDS_MAX);
            return GOT_END;
        }
    }
    return GOT_ALL;
}

static int message_read(struct conn *conn)
{
    int got = fill(conn, VFU_HEADER);
    uint32_t size;

    if (got != GOT_ALL)
        return got;
    size = get32(conn->in + 4);
    if (size < VFU_HEADER || size > VFU_MESSAGE_MAX) {
        model_log("message of %u bytes: expected %d to %d; the stream cannot "
                  "be followed any more",
                  size, VFU_HEADER, VFU_MESSAGE_MAX);
        return GOT_END;
    }
    return fill(conn, size);
}

/* Send what is left of the reply; its descriptor goes with the first byte. */
static int reply_send(struct conn *conn)
{
    while (conn_wants_to_write(conn)) {
        union {
            char bytes[CMSG_SPACE(sizeof(int))];
            struct cmsghdr align;
        } control;
        struct iovec iov = { conn->reply.bytes + conn->sent,
                             conn->reply.len - conn->sent };
        struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
        ssize_t n;

        if (conn->reply.fd >= 0 && conn->sent == 0) {
            memset(&control, 0, sizeof(control));
            msg.msg_control = control.bytes;
            msg.msg_controllen = sizeof(control.bytes);
            control.align.cmsg_level = SOL_SOCKET;
            control.align.cmsg_type = SCM_RIGHTS;
            control.align.cmsg_len = CMSG_LEN(sizeof(int));
            memcpy(CMSG_DATA(&control.align), &conn->reply.fd, sizeof(int));
        }
        n = sendmsg(conn->fd, &msg, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return GOT_PART;
        if (n < 0)
            return GOT_END;
        conn->sent += (size_t)n;
    }
    return GOT_ALL;
}

int conn_pump(struct conn *conn, struct device *dev, unsigned max,
              const struct conn_hooks *hooks)
{
    unsigned done = 0;
    int got;

    for (;;) {
        got = reply_send(conn);
        if (got != GOT_ALL || done == max)
            break;
        got = message_read(conn);
        if (got != GOT_ALL)
            break;
        if (hooks != NULL)
            hooks->before(hooks->ctx);
        device_handle(dev, conn->in, conn->have, conn->fds, conn->nfds,
                      &conn->reply);
        if (hooks != NULL)
            hooks->after(hooks->ctx);
        conn->have = 0;
        conn->nfds = 0;
        conn->sent = 0;
        done++;
    }
    return got == GOT_END ? -1 : (int)done;
}
