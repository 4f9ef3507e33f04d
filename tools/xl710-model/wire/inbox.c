/*
 * inbox.c - frames that came from outside and wait for the port
 */
#include <string.h>

#include "wire/inbox.h"

void inbox_take(struct wire *w, struct fifo *inbox, const uint8_t *frame,
                size_t len)
{
    uint8_t padded[WIRE_FRAME_PAD] = { 0 };

    if (len < WIRE_FRAME_MIN || len > WIRE_FRAME_MAX) {
        w->refused[len < WIRE_FRAME_MIN ? WIRE_TOO_SHORT : WIRE_TOO_LONG]++;
        return;
    }
    if (len < sizeof(padded)) {
        memcpy(padded, frame, len);
        frame = padded;
        len = sizeof(padded);
    }
    if (!fifo_push(inbox, frame, len))
        w->refused[WIRE_NO_ROOM]++;
}

unsigned inbox_pump(struct wire *w, struct fifo *inbox, unsigned budget)
{
    const uint8_t *frame;
    unsigned done = 0;
    size_t len;

    while (done < budget && (frame = fifo_front(inbox, &len)) != NULL) {
        if (!wire_deliver(w, frame, len))
            break;
        fifo_pop(inbox);
        done++;
    }
    return done;
}
