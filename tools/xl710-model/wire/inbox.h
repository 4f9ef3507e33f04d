/*
 * inbox.h - frames that came from outside and wait for the port
 */
#pragma once

#include "wire/fifo.h"
#include "wire/wire.h"

/* Keep a frame, padded, or count why not. Ask fifo_has_room() before. */
void inbox_take(struct wire *w, struct fifo *inbox, const uint8_t *frame,
                size_t len);

/* Offer up to @budget frames to the port. Returns how many it took. */
unsigned inbox_pump(struct wire *w, struct fifo *inbox, unsigned budget);
