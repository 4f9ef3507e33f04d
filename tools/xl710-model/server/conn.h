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

/*
 * Handle what has arrived, at most @max messages, without blocking.
 * @before  called before each message (NULL: nothing), to let time pass
 * Returns  messages handled, or -1 when the client is gone or not to be
 *          understood any more: close then
 */
int conn_pump(struct conn *conn, struct device *dev, unsigned max,
              void (*before)(void *ctx), void *ctx);

/* Does the client have to take bytes before it may send more? */
bool conn_wants_to_write(const struct conn *conn);
