/*
 * wire_rig.h - one port that a wire can deliver to, and a folder for its files
 *
 * The port takes as many frames as it has room for and keeps the first ones.
 */
#pragma once

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "wire/wire.h"

#define UNUSED __attribute__((unused))

enum { KEPT_MAX = 64, NO_LIMIT = 1 << 30 };

static struct {
    unsigned room, taken;
    size_t len[KEPT_MAX];
    uint8_t first[KEPT_MAX], last[KEPT_MAX]; /* bytes of each frame */
    uint8_t frame[KEPT_MAX][WIRE_FRAME_MAX];
} port;

static char dir[40]; /* of this test's own */

static bool port_deliver(void *ctx, unsigned n, const uint8_t *frame,
                         size_t len, bool may_wait)
{
    (void)ctx;
    CHECK_EQ(n, 0);
    CHECK(may_wait);
    if (port.room == 0)
        return false;
    port.room--;
    if (port.taken < KEPT_MAX) {
        port.len[port.taken] = len;
        port.first[port.taken] = frame[0];
        port.last[port.taken] = frame[len - 1];
        memcpy(port.frame[port.taken], frame, len);
    }
    port.taken++;
    return true;
}

static struct wire *port_other(void *ctx, unsigned n)
{
    (void)ctx;
    (void)n;
    return NULL;
}

static const struct wire_host host = { .deliver = port_deliver,
                                       .other = port_other };

static void port_open(void)
{
    memset(&port, 0, sizeof(port));
    port.room = NO_LIMIT;
}

/* A fresh folder, named in dir, and an empty port. */
UNUSED static void rig_open(const char *name)
{
    snprintf(dir, sizeof(dir), "/tmp/%s_XXXXXX", name);
    CHECK(mkdtemp(dir) != NULL);
    port_open();
}

/* One round as the model's loop makes it, at a time when retries are due. */
UNUSED static bool serve_once(struct wire *w)
{
    static uint64_t now;
    struct pollfd p = { .fd = wire_watch(w), .events = POLLIN };

    now += 1000000000;
    return wire_serve(w, poll(&p, 1, 0) > 0, now);
}

/* Until nothing moves any more. */
UNUSED static void serve(struct wire *w)
{
    while (serve_once(w))
        ;
    while (wire_pump(w, true, 32, 0) > 0)
        ;
}

UNUSED static void status_has(struct wire *w, const char *text)
{
    struct json j;

    json_open(&j);
    json_object(&j, NULL);
    wire_describe(w, &j);
    json_object_end(&j);
    CHECK_CONTAINS(json_text(&j), text);
    json_close(&j);
}
