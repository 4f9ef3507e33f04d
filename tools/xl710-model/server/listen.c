/*
 * listen.c - UNIX sockets that wait for a client
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "server/listen.h"

/* Does a process answer there? */
static bool is_alive(const struct sockaddr_un *at)
{
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool alive;

    if (fd < 0)
        return false;
    alive = connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0;
    close(fd);
    return alive;
}

static int failed(int fd, const char *path, const char *why)
{
    model_log("cannot listen at %s: %s", path, why);
    if (fd >= 0)
        close(fd);
    return -1;
}

int listen_open(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd =
        socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return failed(fd, path, strerror(errno));
    if (strlen(path) >= sizeof(at.sun_path))
        return failed(fd, path, "the path is too long for a socket (107)");
    strcpy(at.sun_path, path);
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
        if (errno != EADDRINUSE)
            return failed(fd, path, strerror(errno));
        if (is_alive(&at))
            return failed(fd, path, "another process listens there");
        unlink(path);
        if (bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
            return failed(fd, path, strerror(errno));
    }
    if (listen(fd, 8) < 0)
        return failed(fd, path, strerror(errno));
    return fd;
}

int listen_accept(int listener)
{
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
