/*
 * conn.h - one client's stream cut into messages
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/device.h"

struct conn {
    int fd;
    uint8_t in[VFU_MESSAGE_MAX];
    size_t have; /* bytes of the message that are here */
    int fds[VFU_FDS_MAX];
    unsigned nfds;
    struct device_reply reply;
    size_t sent; /* bytes of the reply that are gone */
};

/* Take over connected socket @fd; it becomes non-blocking. */
void conn_open(struct conn *conn, int fd);
void conn_close(struct conn *conn);

/* What is to be done around each message. */
struct conn_hooks {
    void *ctx;
    void (*before)(void *ctx);
    void (*after)(void *ctx); /* the message was handled, its reply not sent */
};

/*
 * Handle what has arrived, at most @max messages, without blocking.
 * @hooks   NULL: none
 * Returns  messages handled, or -1 when the client is gone or not to be
 *          understood any more: close then
 */
int conn_pump(struct conn *conn, struct device *dev, unsigned max,
              const struct conn_hooks *hooks);

/* Does the client have to take bytes before it may send more? */
bool conn_wants_to_write(const struct conn *conn);
