/*
 * call.h - one message while it is being handled
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "server/device.h"

struct call {
    struct device *dev;
    const uint8_t *in; /* payload */
    size_t len;
    int *fds; /* a handler that keeps one writes -1 over it */
    unsigned nfds;
    uint8_t *out; /* reply payload */
    size_t out_len;
    int out_fd;
};

/*
 * Handlers: 0, or an errno with nothing changed. The payload is at least as
 * long as the table in message.c says.
 */
int call_set_irqs(struct call *c);
